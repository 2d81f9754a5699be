import type { FinishReason, Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSession, accumulateUpdates, createAgent, defineTool } from "../../src/index.ts";
import { collected, fixed, scripted, type Turn } from "../scripted-model.ts";

/** What went wrong in other runtimes with tools, models and usage, by the thread that tells it. */

const none = z.object({});
const resultsIn = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "tool-result" ? [part] : [])));
const wordsOf = (messages: readonly Message[]) =>
  resultsIn(messages).map(({ callId, outcome = "ok", output }) => {
    const [part] = output ?? [];
    return [callId, outcome, part?.type === "text" ? part.text : part?.type === "data" ? part.data : undefined];
  });
const after = <T>(ms: number, value: T) => new Promise<T>(resolve => setTimeout(resolve, ms, value));

test("of four calls at once two that fail take nothing from the others (openai/openai-agents-python#2584)", async () => {
  const tools = [
    defineTool({ name: "fast", parameters: none, execute: () => "f" }),
    defineTool({ name: "slow", parameters: none, execute: () => after(20, "s") }),
    defineTool({
      name: "bad",
      parameters: none,
      execute: async () => {
        await after(5, undefined);
        throw new Error("no disk");
      },
    }),
    defineTool({
      name: "self_cancel",
      parameters: none,
      execute: () => {
        throw new DOMException("stopped itself", "AbortError");
      },
    }),
  ];
  const calls = ["fast", "bad", "slow", "self_cancel"].map((name, index) => [`${index + 1}`, name, {}] as const);
  const model = scripted([{ calls }, { text: "Two of four worked." }]);
  const response = await createAgent({ ...fixed(), model, tools }).run("Go");
  expect([response.text, response.finish]).toEqual(["Two of four worked.", { reason: "stop" }]);
  expect(wordsOf(model.requests[1]?.conversation.messages ?? [])).toEqual([
    ["1", "ok", "f"],
    ["2", "error", "no disk"],
    ["3", "ok", "s"],
    ["4", "error", "stopped itself"],
  ]);
});

test("arguments that are no JSON, or no object, become results and never `{}` (TanStack/ai#1131)", async () => {
  const added: unknown[] = [];
  const add = defineTool({
    name: "add",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: input => added.push(input) && input.a + input.b,
  });
  const broken = `{"a": 1, "b": ${"9".repeat(5000)}`;
  const model = scripted([
    {
      calls: [
        ["1", "add", { raw: broken }],
        ["2", "add", { raw: "null" }],
        ["3", "add", { a: 1, b: 2 }],
      ],
    },
    { calls: [["4", "add", { a: 1, b: 5 }]] },
    { text: "3 and 6" },
  ]);
  const response = await createAgent({ ...fixed(), model, tools: [add] }).run("Go");
  expect([response.text, added]).toEqual([
    "3 and 6",
    [
      { a: 1, b: 2 },
      { a: 1, b: 5 },
    ],
  ]);
  const [first, second, ...rest] = wordsOf(response.messages);
  expect([first?.[1], second?.[1], rest]).toEqual([
    "error",
    "error",
    [
      ["3", "ok", 3],
      ["4", "ok", 6],
    ],
  ]);
  expect(String(first?.[2]).length).toBeLessThan(500);
});

test("what a tool throws is told in its own words, whatever it is (agentclientprotocol/claude-agent-acp#229)", async () => {
  const thrown: readonly (readonly [unknown, unknown])[] = [
    [{ code: "E42", reason: "full", request: { key: "sk-1" } }, "full (code E42)"],
    [{ message: "in an object" }, "in an object"],
    ["a text", "a text"],
    [undefined, "undefined"],
    [new Error("an error", { cause: "hidden" }), "an error"],
  ];
  const tools = thrown.map(([value], index) =>
    defineTool({
      name: `t${index}`,
      parameters: none,
      execute: () => {
        throw value;
      },
    }),
  );
  const calls = tools.map(({ name }) => [name, name, {}] as const);
  const response = await createAgent({ ...fixed(), model: scripted([{ calls }, { text: "done" }]), tools }).run("Go");
  expect(wordsOf(response.messages).map(([, outcome, words]) => [outcome, words])).toEqual(
    thrown.map(([, words]) => ["error", words]),
  );
});

describe("calls of an answer that did not end well", () => {
  const calls: Turn["calls"] = [
    ["1", "add", { n: 1 }],
    ["2", "ask", {}],
    ["3", "pick", {}],
  ];
  const setUp = (finish: FinishReason) => {
    const ran: string[] = [];
    const tools = [
      defineTool({ name: "add", parameters: z.object({ n: z.number() }), execute: () => ran.push("add") }),
      defineTool({ name: "ask", parameters: none, needsApproval: true, execute: () => ran.push("ask") }),
      defineTool({ name: "pick", parameters: none }),
    ];
    const model = scripted([{ calls, finish }, { text: "in smaller steps" }]);
    return { agent: createAgent({ ...fixed(), model, tools }), ran, model };
  };

  test.each(["length", "context"] as const)(
    "for want of tokens (%s) are not run, and the model is told why (vercel/ai#19063, jaseci-labs/jac#6766)",
    async finish => {
      const { agent, ran } = setUp(finish);
      const response = await agent.run("Go");
      expect([response.text, ran]).toEqual(["in smaller steps", []]);
      expect(wordsOf(response.messages)).toEqual(
        ["1", "2", "3"].map(id => [id, "error", expect.stringMatching(/not run: .*cut/)]),
      );
    },
  );

  test.each(["content-filter", "refusal"] as const)(
    "but in a %s are not run, and the run ends with it (vercel/ai#19063)",
    async finish => {
      const { agent, ran, model } = setUp(finish);
      const session = await agent.createSession();
      const response = await agent.run("Go", { session });
      expect([response.finish, ran, model.requests.length]).toEqual([{ reason: finish }, [], 1]);
      expect(wordsOf(session.messages).map(([id, outcome]) => [id, outcome])).toEqual(
        ["1", "2", "3"].map(id => [id, "interrupted"]),
      );
      expect([session.pendingApprovals, session.pendingCalls]).toEqual([[], []]);
      expect((await agent.run("Again", { session })).text).toBe("in smaller steps");
    },
  );

  test("again and again end the run, as tools that fail do (jaseci-labs/jac#6766)", async () => {
    const model = scripted(() => ({ calls: [["1", "add", { raw: '{"n": ' }]], finish: "length" }));
    const add = defineTool({ name: "add", parameters: z.object({ n: z.number() }), execute: () => 1 });
    const response = await createAgent({ ...fixed(), model, tools: [add] }).run("Go");
    expect([response.finish, model.requests.length]).toEqual([{ reason: "other", raw: "max-consecutive-errors" }, 4]);
  });
});

test("a call that the application runs never gets there with arguments that its tool does not take (TanStack/ai#1189)", async () => {
  const pick = defineTool({ name: "pick", parameters: z.object({ n: z.number() }) });
  const model = scripted([
    {
      calls: [
        ["1", "pick", { n: "x" }],
        ["2", "pick", { raw: '{"n": ' }],
      ],
    },
    { calls: [["3", "pick", { n: 3 }]] },
  ]);
  const agent = createAgent({ ...fixed(), model, tools: [pick] });
  const session = await agent.createSession();
  expect((await agent.run("Pick", { session })).finish).toEqual({ reason: "tool-calls" });
  expect(session.pendingCalls.map(({ callId }) => callId)).toEqual(["3"]);
  expect(wordsOf(session.messages)).toEqual([
    ["1", "error", expect.stringMatching(/"pick" are not valid: n:/)],
    ["2", "error", expect.stringMatching(/"pick" are not valid: they are no JSON/)],
  ]);
});

test.each([false, true])(
  "no arguments at all are `{}`, which is validated; streamed: %s (openai/openai-agents-js#664)",
  async streamed => {
    let found = 0;
    const ping = defineTool({ name: "ping", parameters: none, execute: () => "pong" });
    const find = defineTool({ name: "find", parameters: z.object({ q: z.string() }), execute: () => ++found });
    const calls = ["ping", "ping", "find"].map(
      (name, index) => [`${index}`, name, { raw: "  ".slice(index === 1 ? 0 : 2) }] as const,
    );
    const agent = createAgent({ ...fixed(), model: scripted([{ calls }, { text: "done" }]), tools: [ping, find] });
    const response = streamed ? accumulateUpdates(await collected(agent.runStreaming("Go"))) : await agent.run("Go");
    expect([response.text, found]).toEqual(["done", 0]);
    expect(wordsOf(response.messages).map(([, outcome, text]) => [outcome, /\bq: /.test(String(text))])).toEqual([
      ["ok", false],
      ["ok", false],
      ["error", true],
    ]);
    const inputs = response.messages.flatMap(({ parts }) =>
      parts.flatMap(part => (part.type === "tool-call" ? [part.input] : [])),
    );
    expect(inputs).toEqual([{}, {}, {}]);
  },
);

test("a tool that does not exist is named to the model, with those that do; its neighbour runs (vercel/ai#3876)", async () => {
  const rooms = defineTool({ name: "list_rooms", parameters: none, execute: () => ["r1"] });
  const calls: Turn["calls"] = [
    ["1", "batch_use.parallel", { uses: [] }],
    ["2", "list_rooms", {}],
  ];
  const lenient = createAgent({
    ...fixed(),
    model: scripted([{ calls }, { text: "There is one room." }]),
    tools: [rooms],
  });
  const updates = await collected(lenient.runStreaming("Which?"));
  expect(updates.at(-1)).toMatchObject({ isFinal: true, finish: { reason: "stop" } });
  const [first, second] = wordsOf(accumulateUpdates(updates).messages);
  expect([first?.[2], second]).toEqual([expect.stringMatching(/batch_use\.parallel.*list_rooms/), ["2", "ok", ["r1"]]]);
  const strict = createAgent({ ...fixed(), model: scripted([{ calls }]), tools: [rooms], unknownTools: "fail" });
  const failed = await collected(strict.runStreaming("Which?"));
  expect(failed.at(-1)?.error?.code).toBe("tool/unknown");
  expect(failed.flatMap(({ events }) => events).some(({ type }) => type === "error")).toBe(true);
});

describe("an answer that its provider paused", () => {
  const paused: Turn = { text: "I search.", finish: "pause", usage: { input: 10, output: 1 } };

  test("is sent back as it is, and gone on with (anthropics/anthropic-sdk-python#1170, vellum-assistant#40145, gsd-2#2869)", async () => {
    const model = scripted([paused, paused, { text: "Found.", usage: { input: 20, output: 2 } }]);
    const response = await createAgent({ ...fixed(), model }).run("Search");
    expect([response.finish, response.usage, response.text]).toEqual([
      { reason: "stop" },
      { input: 40, output: 4 },
      "I search.\nI search.\nFound.",
    ]);
    expect(model.requests[2]?.conversation.messages.map(({ role, finish }) => [role, finish?.reason])).toEqual([
      ["user", undefined],
      ["assistant", "pause"],
      ["assistant", "pause"],
    ]);
  });

  test("again and again ends at the limit of steps (laravel/ai#493)", async () => {
    const model = scripted(() => paused);
    const response = await createAgent({ ...fixed(), model, limits: { maxSteps: 3 } }).run("Search");
    expect([response.finish, model.requests.length]).toEqual([{ reason: "other", raw: "max-steps" }, 3]);
  });
});

describe("a finish that promises calls (mastra-ai/mastra#14187)", () => {
  test.each<[string, Turn, number, string]>([
    ["and an empty answer is a failure, not another try", { finish: "tool-calls" }, 1, "error"],
    ["and a text is an answer", { text: "Hello", finish: "tool-calls" }, 1, "stop"],
  ])("%s", async (_, turn, calls, reason) => {
    const model = scripted(() => turn);
    const { finish, text } = await createAgent({ ...fixed(), model, limits: { maxSteps: 20 } }).run("Go");
    expect([model.requests.length, finish?.reason, text]).toEqual([calls, reason, turn.text ?? ""]);
  });
});

test("a stream that ends with nothing is a failure that says so, once (mastra-ai/mastra#21897)", async () => {
  const requests: unknown[] = [];
  const model = {
    id: "quiet-1",
    provider: "quiet",
    async *stream(request: unknown) {
      requests.push(request);
      yield* [];
    },
  };
  const { finish, error, usage } = await createAgent({ ...fixed(), model, emptyAnswer: "retry" }).run("Go");
  expect([finish?.reason, error?.code, usage]).toEqual(["error", "model/no-output", undefined]);
  expect(requests.length).toBe(1);
});

describe("usage", () => {
  test("that a host tells several times counts as it was told last, however the stream is read (pydantic/pydantic-ai#2918)", async () => {
    const model = scripted([]);
    let call = 0;
    const telling = {
      ...model,
      async *stream() {
        const isFirst = call++ === 0;
        yield [{ type: "message-start", message: 0, head: { role: "assistant" } } as const];
        if (isFirst) {
          yield [
            {
              type: "part",
              message: 0,
              part: 0,
              value: { type: "tool-call", callId: "1", name: "t", input: {} },
            } as const,
          ];
          yield [{ type: "message-set", message: 0, set: { usage: { output: 10, reasoning: 64 } } } as const];
          yield [{ type: "message-set", message: 0, set: { usage: { output: 12, reasoning: 64 } } } as const];
        } else {
          yield [{ type: "part", message: 0, part: 0, value: { type: "text", text: "x" } } as const];
          yield [{ type: "message-set", message: 0, set: { usage: { output: 5, reasoning: 0 } } } as const];
        }
        yield [
          { type: "message-set", message: 0, set: { finish: { reason: isFirst ? "tool-calls" : "stop" } } } as const,
        ];
        yield [{ type: "message-end", message: 0 } as const];
      },
    };
    const tools = [defineTool({ name: "t", parameters: none, execute: () => 1 })];
    const agent = createAgent({ ...fixed(), model: telling, tools });
    const wanted = { output: 17, reasoning: 64 };
    expect((await agent.run("Go")).usage).toEqual(wanted);
    call = 0;
    const updates = await collected(agent.runStreaming("Go"));
    expect([updates.at(-1)?.usage, accumulateUpdates(updates).usage]).toEqual([wanted, wanted]);
  });

  test("over two hosts has every token once, cached ones apart (ag-ui-protocol/ag-ui#2728)", async () => {
    const tools = [defineTool({ name: "t", parameters: none, execute: () => 1 })];
    const turns: Turn[] = [
      { calls: [["1", "t", {}]], usage: { input: 200, cacheRead: 800, output: 10 } },
      { text: "x", usage: { input: 200, cacheRead: 800, cacheWrite: 100, output: 10 } },
    ];
    const { usage } = await createAgent({ ...fixed(), model: scripted(turns), tools }).run("Go");
    expect(usage).toEqual({ input: 400, cacheRead: 1600, cacheWrite: 100, output: 20 });
  });
});

test("an agent that works on after its caller has ended can still ask (anthropics/claude-agent-sdk-typescript#376)", async () => {
  let written = 0;
  const write = defineTool({ name: "write", parameters: none, needsApproval: true, execute: () => ++written });
  const read = defineTool({ name: "read", parameters: none, execute: () => after(5, "read") });
  const background = createAgent({
    ...fixed(),
    name: "bg",
    model: scripted([{ calls: [["k1", "read", {}]] }, { calls: [["k2", "write", {}]] }, { text: "bg done" }]),
    tools: [write, read],
  });
  let work: Promise<unknown> | undefined;
  let own: AgentSession | undefined;
  const spawn = defineTool({
    name: "spawn",
    parameters: none,
    execute: async () => {
      own = await background.createSession();
      work = background.run("Work", { session: own });
      return "started";
    },
  });
  const main = createAgent({
    ...fixed(),
    model: scripted([{ calls: [["1", "spawn", {}]] }, { text: "started" }]),
    tools: [spawn],
  });
  expect((await main.run("Go")).text).toBe("started");
  await work;
  const [request] = own?.pendingApprovals ?? [];
  expect(request?.call.callId).toBe("k2");
  const yes = { type: "approval-response", requestId: request?.requestId ?? "", approved: true } as const;
  const done = await background.run({ role: "user", parts: [yes] }, own ? { session: own } : {});
  expect([done.text, written]).toEqual(["bg done", 1]);
});
