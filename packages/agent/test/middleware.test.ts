import type { Event } from "translogue";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  Agent,
  type AgentOptions,
  type AgentResponseUpdate,
  accumulateUpdates,
  createAgent,
  defineTool,
  type Middleware,
  type Model,
  surrounded,
} from "../src/index.ts";
import { collected, fixed, scripted } from "./scripted-model.ts";

const add = defineTool({
  name: "add",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const turns = [{ calls: [["c1", "add", { a: 19, b: 23 }]] as const }, { text: "42." }];

function setup(...middleware: Middleware[]) {
  const model = scripted(turns);
  // However long a layer may do nothing is over at once.
  const sleep = async () => {};
  return { model, agent: createAgent({ ...fixed(), id: "ada", model, tools: [add], middleware, sleep }) };
}

/** Notes when it is entered and left. */
const noting = (log: string[], name: string): Middleware => ({
  async *run(context, next) {
    log.push(`${name} run`);
    yield* next(context);
    log.push(`${name} run over`);
  },
  async *model(context, next) {
    log.push(`${name} model ${context.step}`);
    yield* next();
  },
  async tool({ call, input }, next) {
    log.push(`${name} tool ${call.name} ${JSON.stringify(input)}`);
    return next();
  },
});

describe("middleware", () => {
  test.each(["run", "runStreaming"] as const)("stands around every level of %s, the first outermost", async way => {
    const log: string[] = [];
    const { agent } = setup(noting(log, "outer"), noting(log, "inner"));
    if (way === "run") expect((await agent.run("Add")).text).toBe("42.");
    else expect((await collected(agent.runStreaming("Add"))).at(-1)?.isFinal).toBe(true);
    expect(log).toEqual([
      "outer run",
      "inner run",
      "outer model 1",
      "inner model 1",
      'outer tool add {"a":19,"b":23}',
      'inner tool add {"a":19,"b":23}',
      "outer model 2",
      "inner model 2",
      "inner run over",
      "outer run over",
    ]);
  });

  test("says the same with and without", async () => {
    const facts = ({ messages, usage, finish, responseId }: Awaited<ReturnType<Agent["run"]>>) => ({
      messages,
      usage,
      finish,
      responseId,
    });
    const [plain, around] = [setup(), setup(noting([], "one"))];
    expect(facts(await around.agent.run("Add"))).toEqual(facts(await plain.agent.run("Add")));
  });

  test("around a run leaves the provider's own object of its answer", async () => {
    const model = scripted([{ text: "Hi." }]);
    const telling: Model = {
      ...model,
      stream: request => {
        request.report?.({ raw: { whole: true } });
        return model.stream(request);
      },
    };
    const agent = createAgent({ ...fixed(), model: telling, middleware: [noting([], "one")] });
    expect((await agent.run("Hi")).raw).toEqual({ whole: true });
  });

  test("may change what goes in and what comes out", async () => {
    const { agent, model } = setup({
      run: ({ messages, ...context }, next) =>
        next({ ...context, messages: [...messages, { role: "user", parts: [{ type: "text", text: "quickly" }] }] }),
      model: (context, next) => {
        const { conversation } = context.request;
        const settings = { ...conversation.settings, temperature: 0 };
        return next({ ...context, request: { ...context.request, conversation: { ...conversation, settings } } });
      },
      tool: async (context, next) => `${JSON.stringify(await next({ ...context, input: { a: 1, b: 1 } }))} or so`,
    });
    const { messages } = await agent.run("Add");
    expect(model.requests[0]?.conversation).toMatchObject({ messages: [{}, {}], settings: { temperature: 0 } });
    expect(messages[1]?.parts[0]).toMatchObject({ output: [{ type: "text", text: "2 or so" }] });
  });

  test("may answer without going on", async () => {
    const answer: readonly Event[] = [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part", message: 0, part: 0, value: { type: "text", text: "From the cache." } },
      { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
    ];
    const { agent, model } = setup({
      async *model() {
        yield answer;
      },
    });
    expect((await agent.run("Add")).text).toBe("From the cache.");
    expect(model.requests).toEqual([]);
  });

  test("may go on twice, or with another model", async () => {
    const broken: Model = {
      id: "broken",
      provider: "test",
      stream: () => {
        throw new Error("down");
      },
    };
    const spare = scripted([{ text: "Spare." }]);
    const middleware: Middleware = {
      async *model(context, next) {
        try {
          yield* next();
        } catch {
          yield* next({ ...context, model: spare });
        }
      },
    };
    const agent = createAgent({ ...fixed(), model: broken, middleware: [middleware] });
    expect((await agent.run("Hi")).text).toBe("Spare.");
  });

  test("of a tool that throws is a failure of the tool; of a model, of the run", async () => {
    const refuse = () => {
      throw new Error("not today");
    };
    const { messages } = await setup({ tool: refuse }).agent.run("Add");
    expect(messages[1]?.parts[0]).toMatchObject({
      outcome: "error",
      output: [{ text: "not today" }],
    });
    expect((await setup({ model: refuse }).agent.run("Add")).error?.message).toBe("not today");
    await expect(setup({ run: refuse }).agent.run("Add")).rejects.toThrow("not today");
  });

  test("runs in the context of its run", async () => {
    const seen: unknown[] = [];
    const note = (): void => void seen.push(Agent.currentRunContext?.agent.name);
    const model = scripted(turns);
    const middleware: Middleware = {
      tool: async (_, next) => {
        note();
        return next();
      },
      async *model(_, next) {
        note();
        yield* next();
      },
    };
    await createAgent({ ...fixed(), name: "Ada", model, tools: [add], middleware: [middleware] }).run("Add");
    expect(seen).toEqual(["Ada", "Ada", "Ada"]);
  });
});

describe("a middleware around a run that holds it back", () => {
  type Layer = NonNullable<Middleware["run"]>;
  type Held = (hold: () => Promise<never>) => Layer;
  /** `text`: what the reader has seen by then. */
  const layers: readonly (readonly [string, Held, text: string, roles: readonly string[]])[] = [
    [
      "before it begins",
      hold =>
        async function* (_, next) {
          await hold();
          yield* next();
        },
      "",
      [],
    ],
    [
      "with a piece of its answer",
      hold =>
        async function* (_, next) {
          for await (const update of next()) {
            if (update.text === "42.") await hold();
            yield update;
          }
        },
      "",
      ["user", "assistant", "tool", "assistant"],
    ],
    [
      "once it is over",
      hold =>
        async function* (_, next) {
          for await (const update of next()) if (!update.isFinal) yield update;
          await hold();
        },
      "42.",
      ["user", "assistant", "tool", "assistant"],
    ],
  ];

  /** `reached`: resolves once the layer holds. */
  function holding(layer: Held) {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const hold = () => {
      resolve();
      return new Promise<never>(() => {});
    };
    return { run: layer(hold), reached };
  }

  for (const [when, layer, text, roles] of layers) {
    test(`${when} is not waited for once the run is stopped, and the session is free`, async () => {
      const { run, reached } = holding(layer);
      const { agent, model } = setup({ run });
      const session = await agent.createSession();
      const stop = new AbortController();
      const running = agent.run("Add", { session, signal: stop.signal });
      await reached;
      stop.abort();
      const response = await running;
      const isOver = when === "once it is over";
      expect([response.finish?.reason, response.text]).toEqual([isOver ? "stop" : "aborted", text]);
      expect(session.messages.map(({ role }) => role)).toEqual(roles);
      expect(session.hasOpenRun).toBe(false);
      expect(model.requests).toHaveLength(when === "before it begins" ? 0 : 2);
      const again = createAgent({ ...fixed(), model: scripted([{ text: "Free." }]) });
      expect((await again.run("And?", { session })).text).toBe("Free.");
    });

    test(`${when} is not waited for once the time of the run is up, streamed`, async () => {
      const time = Promise.withResolvers<void>();
      const model = scripted(turns);
      const { run, reached } = holding(layer);
      const options = { limits: { timeoutMs: 5 }, sleep: () => time.promise, middleware: [{ run }] };
      const agent = createAgent({ ...fixed(), model, tools: [add], ...options });
      const updates = collected(agent.runStreaming("Add"));
      await reached;
      time.resolve();
      const last = (await updates).at(-1);
      const raw = when === "once it is over" ? undefined : "max-time";
      expect([last?.isFinal, last?.finish?.raw]).toEqual([true, raw]);
    });
  }

  test("and wakes up later runs nothing", async () => {
    const wake = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const { agent, model } = setup({
      async *run(_, next) {
        try {
          await wake.promise;
          yield* next();
        } finally {
          left.resolve();
        }
      },
    });
    const stop = new AbortController();
    const running = agent.run("Add", { signal: stop.signal });
    stop.abort();
    expect((await running).finish).toEqual({ reason: "aborted" });
    wake.resolve();
    await left.promise;
    expect(model.requests).toEqual([]);
  });

  test("has what it would have changed nowhere: neither the session nor the store is given it", async () => {
    const stored: unknown[] = [];
    const stop = new AbortController();
    const agent = createAgent({
      ...fixed(),
      id: "ada",
      model: scripted([]),
      history: { load: () => [], store: (_, news) => void stored.push(news) },
      sleep: async () => {},
      middleware: [
        {
          async *run(context, next) {
            stop.abort();
            await new Promise<never>(() => {});
            yield* next({ ...context, messages: [] });
          },
        },
      ],
    });
    const session = await agent.createSession();
    const { finish, agentId } = await agent.run("My card is 4111 1111 1111 1111.", { session, signal: stop.signal });
    expect([finish, agentId, session.messages, stored]).toEqual([{ reason: "aborted" }, "ada", [], []]);
  });

  /** Of the fake clock nothing is over by itself. */
  const standing = (options: Partial<AgentOptions>) =>
    createAgent({
      ...fixed(),
      id: "ada",
      model: scripted(turns),
      tools: [add],
      sleep: () => new Promise(() => {}),
      ...options,
    });

  test("for a while with each update has all passed on that came of a stopped run", async () => {
    const agent = standing({
      model: scripted([{ chunks: ["One ", "two ", "three"], hangs: true }]),
      middleware: [
        {
          async *run(_, next) {
            for await (const update of next()) {
              for (let turn = 0; turn < 9; turn++) await new Promise(resolve => setTimeout(resolve));
              yield update;
            }
          },
        },
      ],
    });
    const session = await agent.createSession();
    const stop = new AbortController();
    const updates: AgentResponseUpdate[] = [];
    for await (const update of agent.runStreaming("Count", { session, signal: stop.signal })) {
      updates.push(update);
      if (update.text === "One ") stop.abort();
    }
    expect(accumulateUpdates(updates).messages).toEqual(session.messages.slice(1));
    expect(updates.at(-1)).toMatchObject({ finish: { reason: "aborted" }, isFinal: true });
  });

  test("is given a second anew whenever it asks for more of the run", async () => {
    const waits: { readonly ms: number; readonly over: () => void }[] = [];
    const stop = new AbortController();
    const agent = standing({
      sleep: ms => new Promise(over => waits.push({ ms, over })),
      middleware: [
        {
          async *run(_, next) {
            for await (const update of next()) {
              for (const { over } of waits) over();
              stop.abort();
              await new Promise(resolve => setTimeout(resolve));
              if (update.isFinal) yield { ...update, metadata: { seen: true } };
            }
          },
        },
      ],
      model: scripted([{ chunks: ["One "], hangs: true }]),
    });
    const { finish, metadata } = await agent.run("Count", { signal: stop.signal });
    expect([finish, metadata, waits.length > 1]).toEqual([{ reason: "aborted" }, { seen: true }, true]);
    expect(new Set(waits.map(({ ms }) => ms))).toEqual(new Set([1000]));
  });

  test("may see to what it has to do once the run was stopped", async () => {
    const log: string[] = [];
    const agent = standing({
      middleware: [
        noting(log, "outer"),
        {
          async *run(_, next) {
            for await (const update of next()) {
              if (update.text === "42.") stop.abort();
              if (update.isFinal) await new Promise(resolve => setTimeout(resolve));
              yield update;
            }
            log.push("seen to");
          },
        },
      ],
    });
    const stop = new AbortController();
    const { finish, text } = await agent.run("Add", { signal: stop.signal });
    expect([finish, text]).toEqual([{ reason: "aborted" }, "42."]);
    expect(log.slice(-2)).toEqual(["seen to", "outer run over"]);
  });

  test("around an agent that no model drives is not waited for either", async () => {
    const { agent } = setup();
    const { run, reached } = holding(layers[0]?.[1] ?? (() => () => agent.runStreaming()));
    const stop = new AbortController();
    vi.useFakeTimers();
    try {
      const running = surrounded(agent, [{ run }]).run("Add", { signal: stop.signal });
      await reached;
      stop.abort();
      await vi.advanceTimersByTimeAsync(1000);
      expect((await running).finish).toEqual({ reason: "aborted" });
    } finally {
      vi.useRealTimers();
    }
  });
});
