import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, approve, createAgent, defineTool, type Limits } from "../../src/index.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";

/** What one agent's limits are to the others that run for it, and to whatever asks its model once more. */

const none = z.object({});
const note = defineTool({ name: "note", parameters: none, execute: () => "noted" });
const agentOf = (id: string, turns: Parameters<typeof scripted>[0], options: Partial<AgentOptions> = {}) => {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), id, name: id, model, ...options }) };
};
const noting = (times: number, id = "n"): NonNullable<Turn["calls"]> =>
  Array.from({ length: times }, (_, place) => [`${id}${place}`, "note", {}] as const);

describe("the limits of the agent that was asked hold for one that is handed the session", () => {
  test.each<[string, Limits, Limits, number]>([
    ["calls of a tool", { maxCallsOf: { note: 2 } }, {}, 2],
    ["calls of a tool, the fewest of both", { maxCallsOf: { note: 3 } }, { maxCallsOf: { note: 2, other: 9 } }, 2],
    ["calls of a tool, those of either", { maxCallsOf: { other: 0 } }, { maxCallsOf: { note: 2 } }, 2],
    ["repeats", { maxRepeats: 2 }, {}, 3],
    ["repeats, the fewest of both", { maxRepeats: 5 }, { maxRepeats: 2 }, 3],
  ])("%s", async (_, limits, others, times) => {
    let noted = 0;
    const counted = { ...note, execute: () => `noted ${++noted > 0}` };
    const desk = agentOf("desk", [{ calls: noting(1) }, { calls: noting(1) }, { calls: noting(1) }, { text: "done" }], {
      tools: [counted],
      limits: others,
    });
    const front = agentOf("front", [{ calls: [...noting(1, "f"), ["h", "transfer_to_desk", {}]] }], {
      tools: [counted, desk.agent.asHandOff()],
      limits,
    });
    const { text } = await front.agent.run("Go");
    expect([text, noted]).toEqual(["done", times]);
  });
});

describe("an answer of nothing that is asked for once more", () => {
  const silent = { chunks: [], usage: { input: 100 } } satisfies Turn;

  test.each<[Limits, string]>([
    [{ maxTokens: 100 }, "max-tokens"],
    [{ maxCost: 100 }, "max-cost"],
    [{ maxSteps: 1 }, "max-steps"],
  ])("is not where the limits %j are reached", async limits => {
    const prices = { "script-1": { input: 1_000_000, output: 0 } };
    const { agent, model } = agentOf("a", [silent, { text: "late" }], { emptyAnswer: "retry", limits, prices });
    const { finish } = await agent.run("Go");
    expect([model.requests.length, finish]).toEqual([1, { reason: "stop" }]);
  });

  test("is not where the run is to end with its step", async () => {
    const stop = new AbortController();
    const turns = (_: unknown, call: number): Turn => {
      stop.abort();
      return call === 0 ? silent : { text: "late" };
    };
    const { agent, model } = agentOf("a", turns, { emptyAnswer: "retry" });
    await agent.run("Go", { stopSignal: stop.signal });
    expect(model.requests).toHaveLength(1);
  });
});

describe("agents inside of tools have what is left to the run around them", () => {
  const endless = (id: string, options: Partial<AgentOptions> = {}) =>
    agentOf(id, (_, call) => ({ calls: noting(1, `c${call}`), usage: { input: 100 } }), { tools: [note], ...options });
  const prices = { "script-1": { input: 1_000_000, output: 0 } };

  test.each<[string, readonly [Limits, Limits?], number, string]>([
    ["tokens", [{ maxTokens: 500 }], 5, "max-tokens"],
    ["cost", [{ maxCost: 500 }], 5, "max-cost"],
    ["tokens, with less of their own", [{ maxTokens: 500 }, { maxTokens: 200, maxSteps: 5 }], 2, "max-steps"],
    ["tokens, with more of their own", [{ maxTokens: 500 }, { maxTokens: 9000 }], 5, "max-tokens"],
  ])("of %s, at any depth", async (_, [limits, own = {}], times, raw) => {
    for (const depth of [1, 2]) {
      const inner = endless("inner", { limits: own });
      const middle = agentOf("middle", (_, call) => ({ calls: [[`m${call}`, "inner", { query: "Go" }]] }), {
        tools: [inner.agent.asTool()],
        limits: { maxSteps: 1 },
      });
      const { agent } = depth === 1 ? inner : middle;
      const outer = agentOf("outer", (_, call) => ({ calls: [[`o${call}`, agent.id, { query: "Go" }]] }), {
        tools: [agent.asTool()],
        limits: { maxSteps: 1, ...limits },
        prices,
      });
      const { finish, usage } = await outer.agent.run("Go");
      expect([inner.model.requests.length, usage, finish?.raw]).toEqual([times, { input: 100 * times }, raw]);
    }
  });

  test("over a pause of theirs, and after others have spent", async () => {
    const pay = defineTool({ name: "pay", parameters: none, needsApproval: true, execute: () => "paid" });
    const turns = (_: unknown, call: number): Turn => ({
      calls: call === 1 ? [["p", "pay", {}]] : noting(1, `c${call}`),
      usage: { input: 100 },
    });
    const inner = agentOf("inner", turns, { tools: [note, pay] });
    const other = agentOf("other", [{ text: "done", usage: { input: 150 } }]);
    const outer = agentOf(
      "outer",
      [
        {
          calls: [
            ["i", "inner", { query: "Go" }],
            ["o", "other", { query: "Go" }],
          ],
        },
      ],
      {
        tools: [inner.agent.asTool(), other.agent.asTool()],
        limits: { maxTokens: 500 },
      },
    );
    let session = await outer.agent.createSession();
    await outer.agent.run("Go", { session });
    session = await outer.agent.deserializeSession(await outer.agent.serializeSession(session));
    const parts = session.pendingApprovals.map(pending => approve(pending));
    const { finish, usage } = await outer.agent.run({ role: "user", parts }, { session });
    expect([inner.model.requests.length, usage, finish?.raw]).toEqual([4, { input: 550 }, "max-tokens"]);
  });

  test("and one whose cost nobody knows is asked all the same", async () => {
    const inner = createAgent({ ...fixed(), name: "inner", model: { ...scripted([{ text: "x" }]), id: "other" } });
    const outer = agentOf("outer", [{ calls: [["i", "inner", { query: "Go" }]] }, { text: "done" }], {
      tools: [inner.asTool()],
      limits: { maxCost: 5 },
      prices,
    });
    expect((await outer.agent.run("Go")).text).toBe("done");
  });
});
