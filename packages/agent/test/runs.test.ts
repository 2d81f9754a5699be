import { emit, type Message } from "translogue";
import { aiSdkUi } from "translogue/ai-sdk-ui";
import { streamEncoder } from "translogue/convert";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, defineTool, type Model } from "../src/index.ts";
import { collected, fixed, scripted, type Turn } from "./scripted-model.ts";

const add = defineTool({
  name: "add",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const calls = (id: string): Turn => ({ calls: [[id, "add", { a: 1, b: 2 }]], usage: { input: 10, output: 1 } });

const agentOf = (turns: Parameters<typeof scripted>[0], options: Partial<AgentOptions> = {}) => {
  const model = scripted(turns);
  return { agent: createAgent({ ...fixed(), id: "ada", model, tools: [add], ...options }), model };
};

describe("the model is asked", () => {
  test("with instructions first, then the session, then what is new; with the tools and settings", async () => {
    const { agent, model } = agentOf([{ text: "Hello" }, { text: "Fine" }], {
      instructions: "Be brief.",
      settings: { temperature: 0 },
    });
    const session = await agent.createSession({ id: "s1" });
    await agent.run("Hi", { session });
    await agent.run("How are you?", { session, instructions: "Be kind.", settings: { seed: 7 } });
    const { conversation } = model.requests[1] ?? {};
    expect(conversation?.messages.map(({ role, parts }) => [role, parts[0]])).toEqual([
      ["system", { type: "text", text: "Be brief.\nBe kind." }],
      ["user", { type: "text", text: "Hi" }],
      ["assistant", { type: "text", text: "Hello" }],
      ["user", { type: "text", text: "How are you?" }],
    ]);
    expect(conversation).toMatchObject({
      id: "s1",
      model: "script-1",
      settings: { temperature: 0, seed: 7 },
      tools: [{ name: "add", input: { type: "object" } }],
    });
    expect(session.messages.some(({ role }) => role === "system")).toBe(false);
  });

  test("with a forced choice of tools once only", async () => {
    const { agent, model } = agentOf([calls("c1"), { text: "3" }]);
    await agent.run("Go", { toolChoice: { name: "add" } });
    expect(model.requests.map(({ conversation }) => conversation.settings?.toolChoice)).toEqual([
      { name: "add" },
      undefined,
    ]);
  });

  test("once where it says that it calls a tool and does not", async () => {
    const said = await agentOf([{ text: "Hello", finish: "tool-calls" }]).agent.run("Hi");
    expect([said.finish, said.text]).toEqual([{ reason: "stop" }, "Hello"]);
    const silent = await agentOf([{ chunks: [], finish: "tool-calls" }]).agent.run("Hi");
    expect(silent).toMatchObject({ finish: { reason: "error" }, error: { code: "model/no-output" } });
  });

  test("without the messages that are for people only", async () => {
    const { agent, model } = agentOf([{ throws: new Error("down") }, { chunks: [] }, { text: "Hello" }]);
    const session = await agent.createSession();
    await agent.run("Hi", { session });
    await agent.run(undefined, { session });
    await agent.run(undefined, { session });
    expect(model.requests[2]?.conversation.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(session.messages).toHaveLength(4);
  });

  test("whichever model the run names", async () => {
    const { agent } = agentOf([]);
    const other = { ...scripted([{ text: "Bonjour" }]), id: "other", provider: "elsewhere" };
    const { messages } = await agent.run("Hi", { model: other });
    expect(messages[0]).toMatchObject({ model: "other", provider: "elsewhere" });
  });
});

describe("a run that fails", () => {
  test("keeps the question, the partial answer and why, and the next goes on from there", async () => {
    const { agent, model } = agentOf([
      { text: "It is", error: { message: "overloaded", code: "busy", retryable: true } },
      { text: "Blue." },
    ]);
    const session = await agent.createSession();
    const failed = await agent.run("Which colour?", { session });
    expect(failed).toMatchObject({
      finish: { reason: "error" },
      error: { message: "overloaded", code: "model/failed", retryable: true, details: { code: "busy" } },
    });
    expect(failed.messages[0]).toMatchObject({
      finish: { reason: "error" },
      parts: [
        { type: "text", text: "It is" },
        { type: "error", message: "overloaded", code: "model/failed" },
      ],
    });
    expect((await agent.run(undefined, { session })).text).toBe("Blue.");
    expect(model.requests[1]?.conversation.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  test("by what its model throws says what that was", async () => {
    const { agent } = agentOf([{ throws: new Error("connection refused") }]);
    const updates = await collected(agent.runStreaming("Hi"));
    expect(updates.at(-1)).toMatchObject({
      isFinal: true,
      finish: { reason: "error" },
      error: { code: "model/failed", message: "connection refused" },
    });
  });

  test.each<[string, Turn]>([
    ["without any output", { throws: undefined, chunks: [], finish: "none" }],
    ["in the middle", { text: "I beg", finish: "none" }],
  ])("where the answer ends without a finish, %s", async (_, turn) => {
    const { finish, error } = await agentOf([turn]).agent.run("Hi");
    expect(finish).toEqual({ reason: "error" });
    expect(error).toMatchObject({ code: "model/cut", retryable: true });
  });

  test("where the answer has no event at all", async () => {
    const model: Model = { id: "mute", provider: "test", async *stream() {} };
    expect(await agentOf([], { model }).agent.run("Hi")).toMatchObject({ error: { code: "model/no-output" } });
  });
});

describe("a stop", () => {
  test("in mid-answer settles at once, though the model hears nothing, and keeps what came", async () => {
    const { agent } = agentOf([
      calls("c1"),
      { chunks: ["Hel", "lo"], usage: { input: 120, output: 5 }, hangs: true },
      { text: "Again" },
    ]);
    const session = await agent.createSession();
    const stop = new AbortController();
    const updates = [];
    for await (const update of agent.runStreaming("Hi", { session, signal: stop.signal })) {
      updates.push(update);
      if (update.events.some(event => event.type === "message-set" && event.set.usage?.input === 120)) stop.abort();
    }
    expect(updates.at(-1)).toMatchObject({
      isFinal: true,
      finish: { reason: "aborted" },
      usage: { input: 130, output: 6 },
    });
    expect(session.messages.at(-1)).toMatchObject({
      finish: { reason: "aborted" },
      parts: [{ type: "text", text: "Hello" }],
    });
    expect((await agent.run("Go on", { session })).text).toBe("Again");
  });

  test("while a tool runs reaches the tool, and a stubborn one is left behind", async () => {
    const stop = new AbortController();
    let heard = false;
    const stubborn = defineTool({
      name: "stubborn",
      parameters: z.object({}),
      execute: (_, { signal }) => {
        signal.addEventListener("abort", () => (heard = true));
        stop.abort();
        return new Promise<string>(() => {});
      },
    });
    const { agent, model } = agentOf([{ calls: [["c1", "stubborn", {}], ["c2", "add", { a: 1, b: 2 }]] }], { tools: [stubborn, add] }); // biome-ignore format: one answer
    const session = await agent.createSession();
    const response = await agent.run("Go", { session, signal: stop.signal });
    expect(response.finish).toEqual({ reason: "aborted" });
    expect(heard).toBe(true);
    expect(model.requests).toHaveLength(1);
    expect(session.messages.at(-1)?.parts[0]).toMatchObject({ callId: "c1", outcome: "interrupted" });
  });

  const aborting = (stop: AbortController) =>
    defineTool({
      name: "slow",
      parameters: z.object({}),
      execute: () => {
        stop.abort();
        return new Promise<string>(() => {});
      },
    });

  test("while a tool runs is the end that a reader of the stream sees", async () => {
    const stop = new AbortController();
    const { agent } = agentOf([{ calls: [["c1", "slow", {}]] }], { tools: [aborting(stop)] });
    const session = await agent.createSession();
    const encoder = streamEncoder(aiSdkUi, { recipient: "client" });
    const chunks: unknown[] = [];
    for await (const { events } of agent.runStreaming("Go", { session, signal: stop.signal }))
      for (const event of events) chunks.push(...encoder.push(event));
    chunks.push(...encoder.end());
    expect(chunks.at(-1)).toEqual({ type: "abort" });
    expect(session.messages.map(({ finish }) => finish?.reason)).toEqual([undefined, "aborted", "aborted"]);
    expect(session.messages.at(-1)?.parts[0]).toMatchObject({ outcome: "interrupted" });
  });

  test("between the tools and the next answer is too", async () => {
    const { agent } = agentOf([calls("c1"), { hangs: true }]);
    const stop = new AbortController();
    const session = await agent.createSession();
    for await (const { events } of agent.runStreaming("Go", { session, signal: stop.signal }))
      if (events.some(event => event.type === "message-end" && event.message === 1)) stop.abort();
    expect(session.messages.at(-1)).toMatchObject({ role: "tool", finish: { reason: "aborted" } });
  });

  test("before the start asks no model, and keeps the question", async () => {
    const { agent, model } = agentOf([]);
    const session = await agent.createSession();
    const response = await agent.run("Hi", { session, signal: AbortSignal.abort() });
    expect(response.finish).toEqual({ reason: "aborted" });
    expect(model.requests).toEqual([]);
    expect(session.messages.map(({ role }) => role)).toEqual(["user"]);
  });

  test("by a reader who leaves is told to the model", async () => {
    const seen: AbortSignal[] = [];
    let isClosed = false;
    const model: Model = {
      id: "slow",
      provider: "test",
      async *stream({ signal }) {
        if (signal) seen.push(signal);
        try {
          for (const event of emit([{ role: "assistant", parts: [{ type: "text", text: "Hello" }] }])) yield [event];
        } finally {
          isClosed = true;
        }
      },
    };
    for await (const _ of agentOf([], { model }).agent.runStreaming("Hi")) break;
    await new Promise<void>(resolve => setImmediate(resolve));
    expect([seen[0]?.aborted, isClosed]).toEqual([true, true]);
  });
});

describe("limits", () => {
  test("of steps end a run that would go on for ever, with all it did", async () => {
    const { agent, model } = agentOf(({ conversation }) => calls(`c${conversation.messages.length}`), {
      limits: { maxSteps: 3 },
    });
    const session = await agent.createSession();
    const response = await agent.run("Go", { session });
    expect(response).toMatchObject({
      finish: { reason: "other", raw: "max-steps" },
      metadata: { limit: "max-steps" },
      usage: { input: 30, output: 3 },
    });
    expect(model.requests).toHaveLength(3);
    expect(session.messages.map(({ role }) => role).join(" ")).toBe(
      "user assistant tool assistant tool assistant tool",
    );
  });

  test("of 40 steps hold where none is given", async () => {
    const { agent, model } = agentOf(({ conversation }) => calls(`c${conversation.messages.length}`));
    await agent.run("Go");
    expect(model.requests).toHaveLength(40);
  });

  test("may leave the model a last answer without tools, whose calls nobody runs", async () => {
    const { agent, model } = agentOf([calls("c1"), { text: "So far 3", calls: [["c2", "add", { a: 1, b: 1 }]] }], {
      limits: { maxSteps: 1, finalAnswer: true },
    });
    const response = await agent.run("Go");
    expect(response.finish).toEqual({ reason: "other", raw: "max-steps" });
    expect(model.requests.map(({ conversation }) => conversation.tools?.length)).toEqual([1, undefined]);
    expect(response.messages.at(-1)?.parts[0]).toMatchObject({ callId: "c2", outcome: "error" });
  });

  test("of failures in a row end the run; a step without one begins anew", async () => {
    const bad = (id: string): Turn => ({ calls: [[id, "add", { a: "x" }]] });
    const turns = [bad("1"), bad("2"), calls("3"), bad("4"), bad("5"), bad("6"), { text: "never" }];
    const { agent, model } = agentOf(turns, { limits: { maxConsecutiveErrors: 2 } });
    const response = await agent.run("Go");
    expect(response.finish).toEqual({ reason: "other", raw: "max-consecutive-errors" });
    expect(model.requests).toHaveLength(6);
  });

  test.each([{ maxSteps: 0 }, { maxSteps: 1.5 }, { maxConsecutiveErrors: -1 }, { maxSteps: Number.NaN }])(
    "%j are no limits",
    limits => {
      expect(() => agentOf([], { limits })).toThrow(expect.objectContaining({ code: "agent/invalid" }));
    },
  );
});

describe("usage", () => {
  test("is that of all steps, and a bucket that nobody told is not 0", async () => {
    const { agent } = agentOf([
      calls("c1"),
      { text: "3", usage: { input: 20, cacheRead: 5, cost: { amount: 2, currency: "USD" } } },
    ]);
    expect((await agent.run("Go")).usage).toEqual({
      input: 30,
      output: 1,
      cacheRead: 5,
      cost: { amount: 2, currency: "USD" },
    });
    expect((await agentOf([{ text: "x" }]).agent.run("Go")).usage).toBeUndefined();
  });
});

describe("two runs of one session", () => {
  test("never mix: the second is told at once", async () => {
    const { agent } = agentOf([{ text: "one" }, { text: "two" }]);
    const session = await agent.createSession();
    const [first, second] = await Promise.allSettled([agent.run("1", { session }), agent.run("2", { session })]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ reason: { code: "session/busy" } });
    expect((await agent.run("3", { session })).text).toBe("two");
    expect(session.messages.map(({ parts }) => parts[0])).toMatchObject([
      { text: "1" },
      { text: "one" },
      { text: "3" },
      { text: "two" },
    ]);
  });

  test("a failing start leaves the session free", async () => {
    const { agent } = agentOf([{ text: "one" }]);
    const session = await agent.createSession();
    const lone: Message = { role: "tool", parts: [{ type: "approval-response", requestId: "r", approved: true }] };
    await expect(agent.run(lone, { session })).rejects.toMatchObject({ code: "approval/unknown" });
    expect((await agent.run("Hi", { session })).text).toBe("one");
  });
});

test("a long answer costs time in proportion to its length", async () => {
  const time = async (count: number): Promise<number> => {
    const { agent } = agentOf([{ chunks: Array.from({ length: count }, () => "word ") }]);
    const start = performance.now();
    const { text } = await agent.run("Go");
    expect(text).toHaveLength(5 * count);
    return performance.now() - start;
  };
  const best = async (count: number) => Math.min(await time(count), await time(count), await time(count));
  const [small, large] = [await best(10_000), await best(80_000)];
  // Eight times the length: quadratic would be 64.
  expect(large / small).toBeLessThan(24);
});
