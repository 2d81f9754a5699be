import type { Message } from "translogue";
import { estimate } from "translogue/history";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  createAgent,
  defineTool,
  fallbackModel,
  type Limits,
  type Model,
  retrying,
} from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

const none = z.object({});
const tools = ["t", "other"].map(name => defineTool({ name, parameters: none, execute: () => "x" }));
const calling = (...names: string[]): Turn => ({
  calls: names.map((name, index) => [`c${index}`, name, {}] as const),
  usage: { input: 10, cacheRead: 5, output: 1, reasoning: 1 },
});
const agentOf = (turns: Parameters<typeof scripted>[0], options: Partial<AgentOptions> = {}) => {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), model, tools, toolExecution: "serial", ...options }) };
};
const words = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap(part =>
      part.type === "tool-result" && part.output?.[0]?.type === "text" ? [part.output[0].text] : [],
    ),
  );

const prices = { "script-1": { input: 1_000_000, output: 2_000_000, cacheRead: 100_000 } };

describe("a limit", () => {
  test.each<[string, Limits, string, number]>([
    ["of tokens counts every one once", { maxTokens: 30 }, "max-tokens", 2],
    ["of cost counts by the prices", { maxCost: 28 }, "max-cost", 2],
    ["of tool calls counts all of a run", { maxToolCalls: 2 }, "max-tool-calls", 2],
    ["of steps is the model's calls", { maxSteps: 3 }, "max-steps", 3],
  ])("%s; the run says which, and every call has a result", async (_, limits, raw, calls) => {
    const { model, agent } = agentOf(() => calling("t", "other"), { limits, prices });
    const session = await agent.createSession();
    const { finish, usage } = await agent.run("Go", { session });
    expect([finish, model.requests.length]).toEqual([{ reason: "other", raw }, calls]);
    expect(usage?.input).toBe(10 * calls);
    expect(words(session.messages)).toHaveLength(2 * calls);
  });

  test.each<[string, Limits]>([
    ["tokens", { maxTokens: 30, finalAnswer: true }],
    ["cost", { maxCost: 28, finalAnswer: true }],
    ["tool calls", { maxToolCalls: 2, finalAnswer: true }],
  ])("of %s may have a last answer, without tools", async (_, limits) => {
    const { model, agent } = agentOf(
      ({ conversation }) => (conversation.tools ? calling("t", "other") : { text: "Partial" }),
      { limits, prices },
    );
    const { text, finish } = await agent.run("Go");
    expect([text, finish?.reason, model.requests.length]).toEqual(["Partial", "other", 3]);
    expect(model.requests.map(({ conversation }) => conversation.tools?.length)).toEqual([2, 2, undefined]);
  });

  test("of one tool leaves the others, and the model is told", async () => {
    const { model, agent } = agentOf([calling("t", "t", "other"), calling("t"), { text: "done" }], {
      limits: { maxCallsOf: { t: 1 } },
    });
    const { text, messages } = await agent.run("Go");
    const refusal = expect.stringMatching(/may make 1 calls of "t"/);
    expect([text, words(messages)]).toEqual(["done", ["x", refusal, "x", refusal]]);
    expect(model.requests).toHaveLength(3);
  });

  test("counts over the pauses of a run", async () => {
    const asks = defineTool({ name: "asks", parameters: none, needsApproval: true, execute: () => "yes" });
    const { agent } = agentOf([calling("asks"), calling("t")], { tools: [asks, ...tools], limits: { maxTokens: 30 } });
    const session = await agent.createSession();
    await agent.run("Go", { session });
    const [request] = session.pendingApprovals;
    const yes = { type: "approval-response", requestId: request?.requestId ?? "", approved: true } as const;
    const { finish } = await agent.run({ role: "user", parts: [yes] }, { session });
    expect(finish).toEqual({ reason: "other", raw: "max-tokens" });
  });

  test("of time stops what is under way, and keeps what came", async () => {
    let ring = (): void => undefined;
    const sleep = () => new Promise<void>(resolve => (ring = resolve));
    const { agent } = agentOf([{ text: "Once upon", hangs: true }], { limits: { timeoutMs: 50 }, sleep });
    const session = await agent.createSession();
    const updates = [];
    for await (const update of agent.runStreaming("Go", { session })) {
      updates.push(update);
      if (update.text === "Once upon") ring();
    }
    expect(updates.at(-1)?.finish).toEqual({ reason: "other", raw: "max-time" });
    expect(session.messages.at(-1)).toMatchObject({ parts: [{ text: "Once upon" }], finish: { reason: "aborted" } });
  });

  test.each<[Partial<AgentOptions>, RegExp]>([
    [{ limits: { maxCost: 1 } }, /give `prices` for `script-1`/],
    [{ limits: { maxCost: 1 }, prices: { other: { input: 1, output: 1 } } }, /give `prices`/],
    [{ limits: { maxTokens: 0 } }, /`limits.maxTokens` is 0/],
    [{ limits: { maxToolCalls: 1.5 } }, /`limits.maxToolCalls` is 1.5/],
    [{ limits: { maxCallsOf: { t: -1 } } }, /`limits.maxCallsOf.t` is -1/],
    [{ limits: { timeoutMs: Number.NaN } }, /`limits.timeoutMs` is NaN/],
  ])("that cannot hold is refused where the agent is made: %j", (options, message) => {
    expect(() => agentOf([], options)).toThrow(message);
  });

  test("of a run that reached it leaves all that is needed to go on (pydantic/pydantic-ai#931)", async () => {
    const { agent } = agentOf(() => ({ calls: [["c", "t", {}]], usage: { input: 10, output: 1 } }), {
      limits: { maxSteps: 3 },
    });
    const stopped = await agent.run("Go");
    expect(stopped.usage).toEqual({ input: 30, output: 3 });
    const next = agentOf([{ text: "done" }]).agent;
    const session = await next.createSession({ messages: stopped.messages });
    expect((await next.run("And now?", { session })).text).toBe("done");
  });
});

describe("usage (vercel/ai#14621)", () => {
  const steps = (second: Turn): Turn[] => [{ calls: [["1", "t", {}]], usage: { input: 100, output: 10 } }, second];
  test.each<[string, Turn[], unknown, unknown[]]>([
    [
      "with what the stopped step told",
      steps({ text: "abc", usage: { input: 120, output: 5 }, hangs: true }),
      { input: 220, output: 15 },
      [
        { input: 100, output: 10 },
        { input: 120, output: 5 },
      ],
    ],
    [
      "without what it did not tell",
      steps({ text: "abc", hangs: true }),
      { input: 100, output: 10 },
      [{ input: 100, output: 10 }, undefined],
    ],
    ["none where none told", [{ text: "abc", hangs: true }], undefined, [undefined]],
  ])("of a run that was stopped is told %s", async (_, turns, usage, each) => {
    const { agent } = agentOf(turns);
    const stop = new AbortController();
    const session = await agent.createSession();
    const updates = [];
    for await (const update of agent.runStreaming("Go", { session, signal: stop.signal })) {
      updates.push(update);
      if (update.text === "abc") setTimeout(() => stop.abort(), 20);
    }
    expect([updates.at(-1)?.finish?.reason, updates.at(-1)?.usage]).toEqual(["aborted", usage]);
    const answers = session.messages.filter(({ role }) => role === "assistant");
    expect(answers.map(message => message.usage)).toEqual(each);
  });
});

describe("a limit of cost", () => {
  const called = (id: string, cost = 1) => ({
    ...scripted(() => ({ text: "ok", usage: { input: cost } })),
    id,
  });
  const priced = { cheap: { input: 1_000_000, output: 0 }, "cheap-2": { input: 9_000_000, output: 0 } };
  const limited = { ...fixed(), limits: { maxCost: 5 }, prices: priced };

  test("is refused where a run is led by a model that has no price, before it begins", async () => {
    const agent = createAgent({ ...limited, model: called("cheap") });
    const session = await agent.createSession();
    const run = agent.run("Go", { session, model: called("dear") });
    await expect(run).rejects.toThrow("`limits.maxCost` is 5: give `prices` for `dear`");
    expect(session.messages).toEqual([]);
    expect((await agent.run("Go", { session, model: called("cheap-2") })).text).toBe("ok");
  });

  test("is refused where a model that may answer in another's place has no price", () => {
    const model = fallbackModel({ models: [called("cheap"), retrying(called("dear"))] });
    expect(() => createAgent({ ...limited, model })).toThrow("give `prices` for `dear`");
    expect(() => createAgent({ ...fixed(), model })).not.toThrow();
  });

  test.each([
    ["the model that answered, whatever its host calls it", 9, "max-cost"],
    ["the first, where it answered", 1, "stop"],
  ])("counts by the price of %s", async (_, input, reason) => {
    const calls = { calls: [["c", "t", {}] as const], usage: { input: 1 } };
    const failing = scripted(() => ({ error: { message: "busy", retryable: true } }));
    const first = input === 1 ? { ...scripted([calls, { text: "ok" }]), id: "cheap" } : { ...failing, id: "cheap" };
    const second = { ...scripted([calls, { text: "ok" }]), id: "cheap-2" };
    const named: Model = {
      ...second,
      async *stream(request) {
        for await (const events of second.stream(request))
          yield events.map(event =>
            event.type === "message-start" ? { ...event, head: { ...event.head, model: "vendor/two@2026" } } : event,
          );
      },
    };
    const agent = createAgent({ ...limited, tools, model: fallbackModel({ models: [first, named] }) });
    const { finish } = await agent.run("Go");
    expect(finish?.raw ?? finish?.reason).toBe(reason);
  });

  test.each([
    ["one level deep", 1],
    ["two levels deep", 2],
  ])("counts what agents inside of its tools cost, %s, by its own prices", async (_, depth) => {
    const asking = (name: string) => ({ calls: [["c", name, { query: "Go" }] as const], usage: { input: 1 } });
    const expensive = { ...scripted(() => ({ text: "ok", usage: { input: 1 } })), id: "cheap-2" };
    let inner = createAgent({ ...fixed(), name: "inner1", model: expensive });
    for (let level = 2; level <= depth; level++) {
      const model = { ...scripted([asking(`inner${level - 1}`), { text: "ok" }]), id: "cheap" };
      inner = createAgent({ ...fixed(), name: `inner${level}`, model, tools: [inner.asTool()] });
    }
    const model = { ...scripted([asking(`inner${depth}`), { text: "never" }]), id: "cheap" };
    const { finish, text } = await createAgent({ ...limited, model, tools: [inner.asTool()] }).run("Go");
    expect([finish?.raw, text]).toEqual(["max-cost", ""]);
  });
});

describe("a history that is too long (obra/lace#374)", () => {
  const past = Array.from(
    { length: 40 },
    (_, index): Message => ({
      role: index % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text: `${index} `.repeat(40) }],
    }),
  );
  const tokens = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + estimate(message), 0);
  const refusing = (
    most: number,
    answer: Turn = { text: "ok" },
    message = `maximum context length is ${most} tokens`,
  ) =>
    scripted(({ conversation }) =>
      tokens(conversation.messages) > most ? { error: { code: "400", message } } : answer,
    );

  test.each([
    ["that the host names", "This model's maximum context length is 1000 tokens, you sent 5,000"],
    ["that the host names behind a status", "OpenAI answered 400: This model's maximum context length is 1000 tokens."],
    [
      "that the host names beside an answer's share",
      "OpenAI answered 400: maximum context length is 1000 tokens. However, you requested 5,000 tokens (4,900 in the messages, 100 in the completion)",
    ],
    ["that the host names behind a model", "Request too large for model `gpt-4-0613`: Limit 1000, Requested 5000"],
    ["that the host names behind what was sent", "prompt is too long: 5000 tokens > 1000 maximum (request 123)"],
    ["that is larger than what we count", "This model's maximum context length is 200000 tokens"],
    ["that the host does not name", "prompt is too long"],
  ])("for a window %s is compacted once, and the model asked once more", async (_, message) => {
    const model = refusing(1000, { text: "ok" }, message);
    const agent = createAgent({ ...fixed(), model, compaction: {} });
    const session = await agent.createSession({ messages: past });
    const { text } = await agent.run("hi", { session });
    expect([text, model.requests.length, session.messages.length]).toEqual(["ok", 2, 42]);
    expect(model.requests[1]?.conversation.messages.at(-1)?.parts).toEqual([{ type: "text", text: "hi" }]);
  });

  test("is compacted before it is sent where a budget is given, by the model", async () => {
    const model = refusing(1000);
    const agent = createAgent({ ...fixed(), model, compaction: { maxTokens: { "script-1": 900 } } });
    const session = await agent.createSession({ messages: past });
    expect([(await agent.run("hi", { session })).text, model.requests.length]).toEqual(["ok", 1]);
  });

  test("because of one result is read with that result cut, beside its call", async () => {
    const big = defineTool({ name: "big", parameters: none, execute: () => "word ".repeat(5000) });
    const model = scripted(({ conversation }, call) => {
      if (call === 0) return { calls: [["b", "big", {}]] };
      const isLong = tokens(conversation.messages) > 1000;
      return isLong ? { error: { code: "context_length_exceeded", message: "too long" } } : { text: "ok" };
    });
    const agent = createAgent({ ...fixed(), model, tools: [big], compaction: {} });
    const session = await agent.createSession();
    expect([(await agent.run("Go", { session })).text, model.requests.length]).toEqual(["ok", 3]);
    const read = model.requests[2]?.conversation.messages ?? [];
    expect(read.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(words(read)[0]).toMatch(/\[\d+ characters left out\]/);
    expect(words(session.messages)[0]).toHaveLength(25_000);
  });

  test.each([
    ["that stays too long fails with one error after one retry", { compaction: {} }, 2],
    ["without compaction fails at once", {}, 1],
  ])("%s, and the session is as it was", async (_, options, calls) => {
    const model = refusing(3);
    const agent = createAgent({ ...fixed(), model, ...options });
    const session = await agent.createSession({ messages: past });
    for (const times of [1, 2]) {
      const { finish, error } = await agent.run("hi", { session });
      expect([finish?.reason, error?.code, model.requests.length]).toEqual([
        "error",
        "model/context-overflow",
        times * calls,
      ]);
    }
    expect(session.messages).toEqual(past);
  });
});
