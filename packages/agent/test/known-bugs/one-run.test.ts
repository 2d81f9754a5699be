import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, approve, createAgent, defineTool, type Limits, type ModelAgent } from "../../src/index.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";

/** Runs that follow one another as one share their limits, their time, what stops them and their usage. */

const none = z.object({});
/** Does something before each model call. */
const before = (work: () => unknown): NonNullable<AgentOptions["middleware"]> => [
  {
    model: (_, next) => {
      work();
      return next();
    },
  },
];

/** Two agents that hand the session to each other for ever. */
function pair(limits: Limits, others: Limits = {}, options: Partial<AgentOptions> = {}) {
  let asked = 0;
  const agentOf = (id: string, to: string, limits: Limits) =>
    createAgent({
      ...fixed(),
      ...options,
      id,
      name: id,
      limits,
      model: scripted(({ conversation: { tools } }): Turn => {
        asked += 1;
        return tools ? { calls: [[`c${asked}`, `transfer_to_${to}`, {}]], usage: { input: 2 } } : { text: "enough" };
      }),
      tools: () => [agents[to === "a" ? 0 : 1].asHandOff()],
    });
  const agents: readonly [ModelAgent, ModelAgent] = [agentOf("a", "b", limits), agentOf("b", "a", others)];
  return { a: agents[0], asked: () => asked };
}

describe("agents that hand the session to each other", () => {
  test.each<[string, readonly [Limits, Limits?], readonly [number, string]]>([
    ["steps", [{ maxSteps: 3 }], [3, "max-steps"]],
    ["steps of the one that was handed it", [{}, { maxSteps: 3 }], [3, "max-steps"]],
    ["tokens", [{ maxTokens: 5 }], [3, "max-tokens"]],
    ["tool calls", [{ maxToolCalls: 2 }], [3, "max-tool-calls"]],
    ["steps by default", [{}], [40, "max-steps"]],
    ["steps, with a last answer", [{ maxSteps: 3, finalAnswer: true }, { finalAnswer: true }], [4, "max-steps"]],
  ])("are held by the limit of %s, as one run", async (_, limits, [times, raw]) => {
    const { a, asked } = pair(...limits);
    const { finish } = await a.run("Go");
    expect([asked(), finish]).toEqual([times, { reason: "other", raw }]);
  });

  test("are held by the time of the one that was asked", async () => {
    const time = Promise.withResolvers<void>();
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (ms === 300) time.promise.then(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    const { a, asked } = pair(
      { timeoutMs: 300, maxSteps: 10_000 },
      { maxSteps: 10_000 },
      {
        sleep,
        middleware: before(() => asked() === 7 && time.resolve()),
      },
    );
    expect((await a.run("Go")).finish).toEqual({ reason: "other", raw: "max-time" });
    expect(asked()).toBeLessThan(20);
  });

  test("are stopped by a stop signal, and by leaving", async () => {
    const stop = new AbortController();
    const { a, asked } = pair({}, {}, { middleware: before(() => asked() === 4 && stop.abort()) });
    const { finish } = await a.run("Go", { stopSignal: stop.signal });
    expect([asked(), finish]).toEqual([5, { reason: "pause", raw: "stopped" }]);
    const session = await a.createSession();
    for await (const update of a.runStreaming("Go", { session })) if (update.events.length > 0) break;
    expect((await a.run("Go", { session })).finish?.raw).toBe("max-steps");
  });

  test("are held over a pause, too", async () => {
    const pay = defineTool({ name: "pay", parameters: none, needsApproval: true, execute: () => "paid" });
    const b = createAgent({
      ...fixed(),
      id: "b",
      name: "b",
      model: scripted((_, call): Turn => ({ calls: [[`p${call}`, "pay", {}]], usage: { input: 10 } })),
      tools: [pay],
    });
    const model = scripted([{ calls: [["h", "transfer_to_b", {}]], usage: { input: 1 } }]);
    const a = createAgent({ ...fixed(), id: "a", model, tools: [b.asHandOff()], limits: { maxSteps: 3 } });
    const session = await a.createSession();
    const seen: unknown[] = [];
    let input: Parameters<typeof a.run>[0] = "Go";
    for (let turn = 1; turn <= 3; turn++) {
      const { usage, finish } = await a.run(input, { session });
      seen.push([usage, finish?.raw ?? finish?.reason]);
      input = { role: "user", parts: session.pendingApprovals.map(pending => approve(pending)) };
    }
    expect(seen).toEqual([
      [{ input: 11 }, "tool-calls"],
      [{ input: 21 }, "tool-calls"],
      [{ input: 21 }, "max-steps"],
    ]);
  });
});

describe("a result that is asked for again and again", () => {
  const asking = (options: Partial<AgentOptions>) => {
    const model = scripted(() => ({ text: "no JSON", usage: { input: 100 } }));
    const agent = createAgent({
      ...fixed(),
      model,
      resultRetries: 9,
      responseFormat: z.object({ n: z.number() }),
      ...options,
    });
    return { agent, model };
  };

  test.each<[Limits, number, string]>([
    [{ maxSteps: 3 }, 3, "max-steps"],
    [{ maxTokens: 150 }, 2, "max-tokens"],
  ])("is held by the limits %j", async (limits, times, raw) => {
    const { agent, model } = asking({ limits });
    const { finish, usage } = await agent.run("Go");
    expect([model.requests.length, finish, usage]).toEqual([times, { reason: "other", raw }, { input: 100 * times }]);
  });

  test("is held by the run's time, and by a stop signal", async () => {
    const time = Promise.withResolvers<void>();
    let asked = 0;
    const middleware = before(() => ++asked === 4 && time.resolve());
    const timed = asking({ limits: { timeoutMs: 12 }, sleep: () => time.promise, middleware });
    expect([(await timed.agent.run("Go")).finish?.raw, asked]).toEqual(["max-time", 4]);
    const stop = new AbortController();
    const stopped = asking({ middleware: before(() => stop.abort()) });
    expect((await stopped.agent.run("Go", { stopSignal: stop.signal })).finish).toEqual({
      reason: "pause",
      raw: "stopped",
    });
    expect(stopped.model.requests).toHaveLength(1);
  });
});

describe("the usage of a run that paused", () => {
  const pay = defineTool({ name: "pay", parameters: none, needsApproval: true, execute: () => "paid" });
  const turns = (id: string): Turn[] => [
    { calls: [[id, "pay", {}]], usage: { input: 100 } },
    { text: "done", usage: { input: 200 } },
  ];

  test.each(["at once", "ours", "maf"] as const)("is that of all its legs (%s)", async as => {
    const agent = createAgent({ ...fixed(), model: scripted(turns("p")), tools: [pay] });
    let session = await agent.createSession();
    const first = await agent.run("Go", { session });
    if (as !== "at once")
      session = await agent.deserializeSession(await agent.serializeSession(session, as === "maf" ? { as } : {}));
    const parts = session.pendingApprovals.map(pending => approve(pending));
    const { usage, responseId } = await agent.run({ role: "user", parts }, { session });
    expect([first.usage, usage, responseId]).toEqual([{ input: 100 }, { input: 300 }, first.responseId]);
    expect((await agent.run("Again", { session })).usage).toBeUndefined();
  });

  test("has each agent inside once in its tree, and counts it once", async () => {
    const inner = createAgent({ ...fixed(), id: "inner", name: "inner", model: scripted(turns("p")), tools: [pay] });
    const model = scripted([
      { calls: [["i", "inner", { query: "Pay" }]], usage: { input: 1 } },
      { text: "done", usage: { input: 2 } },
    ]);
    const lead = createAgent({ ...fixed(), id: "lead", model, tools: [inner.asTool()], limits: { maxTokens: 303 } });
    const session = await lead.createSession();
    await lead.run("Go", { session });
    const parts = session.pendingApprovals.map(pending => approve(pending));
    const { usage, usageTree, finish } = await lead.run({ role: "user", parts }, { session });
    expect([usage, usageTree?.usage, usageTree?.models?.length, finish?.reason]).toEqual([
      { input: 303 },
      { input: 3 },
      1,
      "stop",
    ]);
    expect(usageTree?.inner.map(({ agentId, total }) => [agentId, total])).toEqual([["inner", { input: 300 }]]);
  });
});
