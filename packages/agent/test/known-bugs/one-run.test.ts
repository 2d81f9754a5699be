import { emit, type Message, type Usage } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  type AgentResponseUpdate,
  accumulateUpdates,
  approve,
  createAgent,
  DelegatingAgent,
  defineTool,
  type Limits,
  type ModelAgent,
} from "../../src/index.ts";
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

  test.each(["at once", "ours", "maf"] as const)("is that of all its pieces (%s)", async as => {
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

  const leading = (options: Partial<AgentOptions> = {}) => {
    const inner = createAgent({
      ...fixed(),
      id: "inner",
      name: "inner",
      model: scripted([...turns("p1"), { text: "later", usage: { input: 400 } }]),
      tools: [pay],
    });
    const model = scripted([
      { calls: [["i", "inner", { query: "Pay" }]], usage: { input: 1 } },
      { text: "done", usage: { input: 2 } },
      { text: "again", usage: { input: 4 } },
    ]);
    return createAgent({ ...fixed(), id: "lead", name: "lead", model, tools: [inner.asTool()], ...options });
  };
  const prices = { "script-1": { input: 1_000_000, output: 0 } };

  test.each([
    ["at once", 302, undefined],
    ["ours", 302, undefined],
    ["ours", 301, "max-cost"],
  ] as const)(
    "counts the cost and the models of an agent inside over its pauses (%s, at most %s)",
    async (as, maxCost, raw) => {
      const lead = leading({ limits: { maxCost }, prices });
      let session = await lead.createSession();
      await lead.run("Go", { session });
      if (as === "ours") session = await lead.deserializeSession(await lead.serializeSession(session));
      const parts = session.pendingApprovals.map(pending => approve(pending));
      const { usageTree, finish } = await lead.run({ role: "user", parts }, { session });
      expect(finish?.raw).toBe(raw);
      const models = [{ model: "script-1", usage: { input: 300 } }];
      expect(usageTree?.inner).toMatchObject([{ agentId: "inner", callId: "i", models, total: { input: 300 } }]);
    },
  );

  test("of an agent inside is not told again by a run that begins with the answer and a new message", async () => {
    const lead = leading({ limits: { maxCost: 202 }, prices });
    const session = await lead.createSession();
    const first = await lead.run("Go", { session });
    const parts = session.pendingApprovals.map(pending => approve(pending));
    const next = await lead.run([{ role: "user", parts }, "And hello"].map(asMessage), { session });
    expect([first.usage, next.usage, next.finish]).toEqual([{ input: 101 }, { input: 202 }, { reason: "stop" }]);
    expect(next.usageTree?.inner).toMatchObject([
      { usage: { input: 200 }, models: [{ usage: { input: 200 } }], total: { input: 200 } },
    ]);
  });

  const asMessage = (given: Message | string): Message =>
    typeof given === "string" ? { role: "user", parts: [{ type: "text", text: given }] } : given;

  test.each(["at once", "ours"] as const)(
    "has those that handed the session on in its tree, over a pause of the last (%s)",
    async as => {
      const inner = createAgent({ ...fixed(), id: "inner", name: "inner", model: scripted([{ usage: { input: 9 } }]) });
      const desk = createAgent({ ...fixed(), id: "desk", name: "desk", model: scripted(turns("p")), tools: [pay] });
      const front = createAgent({
        ...fixed(),
        id: "front",
        name: "front",
        model: scripted([
          {
            calls: [
              ["i", "inner", { query: "Look" }],
              ["h", "transfer_to_desk", {}],
            ],
            usage: { input: 1 },
          },
        ]),
        tools: [inner.asTool(), desk.asHandOff()],
      });
      let session = await front.createSession();
      const first = await front.run("Go", { session });
      if (as === "ours") session = await front.deserializeSession(await front.serializeSession(session));
      const parts = session.pendingApprovals.map(pending => approve(pending));
      const { usage, usageTree } = await front.run({ role: "user", parts }, { session });
      expect([first.usage, first.usageTree?.total, usage, usageTree?.total]).toEqual([
        ...[{ input: 110 }, { input: 110 }, { input: 310 }, { input: 310 }],
      ]);
      expect(usageTree).toMatchObject({
        ...{ agentId: "desk", usage: { input: 300 }, inner: [] },
        before: [{ agentId: "front", usage: { input: 1 }, inner: [{ agentId: "inner", usage: { input: 9 } }] }],
      });
    },
  );

  test("has an agent that no model drives, and was handed the session, beside the others", async () => {
    class Fixed extends DelegatingAgent {
      protected override async *runCoreStreaming(): AsyncGenerator<AgentResponseUpdate> {
        const message: Message = { role: "assistant", parts: [{ type: "text", text: "fixed" }] };
        const response = accumulateUpdates([]);
        yield {
          ...{ ...response, agentId: "fixed", responseId: "r", text: "fixed", isFinal: true },
          ...{ events: emit([message]), usage: { input: 7 }, finish: { reason: "stop" } },
        };
      }
    }
    const desk = new Fixed(createAgent({ ...fixed(), id: "desk", name: "desk", model: scripted([]) }));
    const model = scripted([{ calls: [["h", "transfer_to_desk", {}]], usage: { input: 1 } }]);
    const front = createAgent({ ...fixed(), id: "front", model, tools: [desk.asHandOff()] });
    const { text, usage, usageTree } = await front.run("Go");
    expect([text, usage]).toEqual(["fixed", { input: 8 }]);
    expect(usageTree).toMatchObject({ agentId: "fixed", usage: { input: 7 }, before: [{ agentId: "front" }] });
  });
});

describe("a limit of cost, and a model that it has no price of", () => {
  const other = (turns: readonly Turn[]) => ({ ...scripted(turns), id: "other" });
  const own = { limits: { maxCost: 5 }, prices: { "script-1": { input: 1_000_000, output: 0 } } };

  test("refuses to begin the run of an agent that is handed the session", async () => {
    const desk = createAgent({ ...fixed(), id: "desk", name: "desk", model: other([{ text: "desk here" }]) });
    const model = scripted([{ calls: [["h", "transfer_to_desk", {}]] }]);
    const front = createAgent({ ...fixed(), id: "front", model, tools: [desk.asHandOff()], ...own });
    await expect(front.run("Go")).rejects.toMatchObject({
      code: "agent/invalid",
      message: expect.stringMatching(/give `prices` for `other`/),
    });
  });

  test.each<[string, Usage, unknown]>([
    ["is reached where its host tells no cost, which it says", { input: 3 }, ["other"]],
    ["counts what its host says", { input: 3, cost: { amount: 9, currency: "USD" } }, undefined],
  ])("of an agent inside %s", async (_, usage, unpriced) => {
    const inner = createAgent({ ...fixed(), name: "inner", model: other([{ text: "x", usage }]) });
    const model = scripted([{ calls: [["i", "inner", { query: "Go" }]] }, { text: "done" }]);
    const { metadata, finish } = await createAgent({ ...fixed(), model, tools: [inner.asTool()], ...own }).run("Go");
    expect([metadata?.["unpriced"], finish?.raw]).toEqual([unpriced, "max-cost"]);
  });
});

describe("runs that are one, cut between two of them", () => {
  const cutAfter = async (agent: ModelAgent, times: number) => {
    const session = await agent.createSession();
    for await (const { usage, events } of agent.runStreaming("Go", { session })) {
      const isEnd = usage === undefined && events.some(({ type }) => type === "message-end");
      if (isEnd && session.messages.at(-1)?.finish && --times === 0) break;
    }
    return agent.deserializeSession(await agent.serializeSession(session));
  };

  test("go on with the next try of a result, as often as was left, and count on", async () => {
    const make = (turns: readonly Turn[]) => {
      const model = scripted(turns);
      const responseFormat = z.object({ n: z.number() });
      return { model, agent: createAgent({ ...fixed(), model, resultRetries: 2, responseFormat }) };
    };
    const wrong: Turn = { text: "no JSON", usage: { input: 100 } };
    const first = make([wrong]);
    const session = await cutAfter(first.agent, 1);
    expect([session.hasOpenRun, first.model.requests.length]).toEqual([true, 1]);
    const second = make([wrong, { text: '{"n":1}', usage: { input: 5 } }]);
    const { result, usage } = await second.agent.run(undefined, { session });
    expect([result, usage, session.hasOpenRun]).toEqual([{ n: 1 }, { input: 205 }, false]);
    expect(second.model.requests[0]?.conversation.messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "user"],
    ]);
    const third = make([wrong, wrong, wrong]);
    await third.agent.run(undefined, { session: await cutAfter(make([wrong]).agent, 1) });
    expect(third.model.requests).toHaveLength(2);
  });
});
