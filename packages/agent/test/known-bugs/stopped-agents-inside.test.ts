import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, approve, createAgent, defineTool, type RunOptions } from "../../src/index.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";

/** What agents inside of tools had spent when they were stopped is spent: it is in the account of the run around them. */

const none = z.object({});
const never = (ready: () => void = () => undefined): Promise<never> => {
  ready();
  return new Promise(() => undefined);
};
const agentOf = (id: string, turns: readonly Turn[], options: Partial<AgentOptions> = {}) =>
  createAgent({ ...fixed(), id, name: id, model: scripted(turns), ...options });

describe("an agent inside that has spent, and is stopped", () => {
  /** Calls `ready` once it has spent 7 and does nothing more. */
  const inner = (ready: () => void, how: "in a tool" | "in an answer", id = "inner") => {
    const deaf = defineTool({ name: "deaf", parameters: none, execute: () => never(ready) });
    const turns: Turn[] = [{ calls: [["d", "deaf", {}]], usage: { input: 7 } }];
    if (how === "in a tool") return agentOf(id, turns, { tools: [deaf] });
    const model = scripted([{ text: "I", usage: { input: 7 }, hangs: true }]);
    const stream: typeof model.stream = async function* (request) {
      for await (const batch of model.stream(request)) {
        yield batch;
        if (batch.some(({ type }) => type === "message-set")) setTimeout(ready, 5);
      }
    };
    return createAgent({ ...fixed(), id, name: id, model: { ...model, stream } });
  };
  const around = (tools: AgentOptions["tools"], name: string, options: Partial<AgentOptions> = {}) =>
    agentOf(
      "outer",
      [
        { calls: [["i", name, { query: "Go" }]], usage: { input: 1 } },
        { text: "done", usage: { input: 2 } },
      ],
      {
        ...(tools && { tools }),
        ...options,
      },
    );

  test.each(["in a tool", "in an answer"] as const)("%s is in the account, at any depth", async how => {
    for (const depth of [1, 2]) {
      const stop = new AbortController();
      const innermost = inner(() => stop.abort(), how);
      const middle = agentOf("middle", [{ calls: [["m", "inner", { query: "Go" }]], usage: { input: 20 } }], {
        tools: [innermost.asTool()],
      });
      const top = depth === 1 ? innermost : middle;
      const outer = around([top.asTool()], depth === 1 ? "inner" : "middle");
      const { finish, usage, usageTree } = await outer.run("Go", { signal: stop.signal });
      expect([finish, usage]).toEqual([{ reason: "aborted" }, { input: depth === 1 ? 8 : 28 }]);
      expect(usageTree?.inner.map(({ agentId, callId }) => [agentId, callId])).toEqual([[top.id, "i"]]);
    }
  });

  test("by the time of the run, by leaving it, or by a stop between agents that hand it on, too", async () => {
    const outcomes: unknown[] = [];
    let ring = (): void => undefined;
    const sleep = () => new Promise<void>(resolve => (ring = resolve));
    const timed = around([inner(() => ring(), "in a tool").asTool()], "inner", { limits: { timeoutMs: 50 }, sleep });
    outcomes.push((await timed.run("Go")).usage);

    const stop = new AbortController();
    const second = inner(() => stop.abort(), "in a tool");
    const first = agentOf("first", [{ calls: [["h", "transfer_to_inner", {}]], usage: { input: 20 } }], {
      tools: [second.asHandOff()],
    });
    outcomes.push((await around([first.asTool()], "first").run("Go", { signal: stop.signal })).usage);
    expect(outcomes).toEqual([{ input: 8 }, { input: 28 }]);
  });

  test("by the time of its tool is counted, and by the limits too", async () => {
    const tool = inner(() => undefined, "in a tool").asTool({ timeoutMs: 20 });
    const more = around([tool], "inner");
    expect((await more.run("Go")).usage).toEqual({ input: 10 });
    const again = inner(() => undefined, "in a tool").asTool({ timeoutMs: 20 });
    const { usage, finish } = await around([again], "inner", { limits: { maxTokens: 8 } }).run("Go");
    expect([usage, finish?.raw]).toEqual([{ input: 8 }, "max-tokens"]);
  });

  test("after a pause counts what it had told before once", async () => {
    const stop = new AbortController();
    const pay = defineTool({
      name: "pay",
      parameters: none,
      needsApproval: true,
      execute: () => never(() => stop.abort()),
    });
    const paying = agentOf("inner", [{ calls: [["p", "pay", {}]], usage: { input: 7 } }], { tools: [pay] });
    const outer = around([paying.asTool()], "inner");
    let session = await outer.createSession();
    const told = [(await outer.run("Go", { session })).usage];
    session = await outer.deserializeSession(await outer.serializeSession(session));
    const parts = session.pendingApprovals.map(pending => approve(pending));
    const options: RunOptions = { session, signal: stop.signal };
    told.push((await outer.run({ role: "user", parts }, options)).usage);
    expect(told).toEqual([{ input: 8 }, { input: 8 }]);
  });

  test("has spent nothing of what its conversation spent before", async () => {
    const stop = new AbortController();
    const before = agentOf("inner", [{ text: "hello", usage: { input: 50 } }]);
    const session = await before.createSession();
    await before.run("Hi", { session });
    const outer = around([inner(() => stop.abort(), "in a tool").asTool({ session })], "inner");
    expect((await outer.run("Go", { signal: stop.signal })).usage).toEqual({ input: 8 });
  });
});
