import type { JsonObject } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { within } from "../src/engine.ts";
import {
  type Agent,
  type AgentOptions,
  type ContextProvider,
  createAgent,
  DelegatingAgent,
  defineTool,
  type Operations,
  surrounded,
  type ToolCallContext,
  type ToolReturn,
} from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

/** Keeps outcomes as JSON by their names; those of an earlier execution are there already. */
const keeping = (kept: Map<string, string>): Operations => ({
  run: "r",
  operation: async (name, work) => {
    const found = kept.get(name);
    if (found !== undefined) return JSON.parse(found);
    const operations = within(keeping(kept), name);
    const outcome = await work({ number: 1, signal: new AbortController().signal, operations });
    kept.set(name, JSON.stringify(outcome));
    return outcome;
  },
  result: async () => null,
  continueFrom: async () => {},
});

/** One execution of a run; a second one with the same outcomes is a replay. */
async function executed(kept: Map<string, string>, turns: readonly Turn[], options: Partial<AgentOptions>) {
  const model = scripted(turns);
  const agent = createAgent({ ...fixed(), model, ...options });
  const session = await agent.createSession({ id: "s" });
  const response = await agent.run("Go", { session, operations: keeping(kept), toolChoice: "required" });
  return { response, session, model };
}

test("an answer that is asked for again is an operation of its own", async () => {
  const kept = new Map<string, string>();
  const options = { responseFormat: z.object({ a: z.number() }), resultRetries: 2 };
  const turns: Turn[] = [{ text: "one" }, { text: "two" }, { text: '{"a":1}' }];
  const first = await executed(kept, turns, options);
  expect([first.response.tryResult(), first.model.requests.length]).toEqual([{ ok: true, value: { a: 1 } }, 3]);
  const again = await executed(kept, [], options);
  expect(again.model.requests).toEqual([]);
  expect(again.session.messages).toEqual(first.session.messages);
});

test("an agent that a layer calls twice as a tool runs twice, and each run is kept", async () => {
  const kept = new Map<string, string>();
  const inner = (turns: readonly Turn[]) =>
    createAgent({ ...fixed(), id: "inner", name: "inner", model: scripted(turns) }).asTool();
  const middleware = [
    {
      tool: async (call: ToolCallContext, next: (call: ToolCallContext) => Promise<ToolReturn>) =>
        `${JSON.stringify(await next(call))} then ${JSON.stringify(await next(call))}`,
    },
  ];
  const turns: Turn[] = [{ calls: [["c1", "inner", { query: "Go" }]] }, { text: "ok" }];
  const first = await executed(kept, turns, { tools: [inner([{ text: "one" }, { text: "two" }])], middleware });
  expect(JSON.stringify(first.session.messages)).toContain(String.raw`\"one\" then \"two\"`);
  // As if the process had ended just before the outcome of the whole call was kept.
  for (const name of [...kept.keys()]) if (/^tool-[^/]*$/.test(name)) kept.delete(name);
  const again = await executed(kept, [], { tools: [inner([])], middleware });
  expect(again.session.messages).toEqual(first.session.messages);
});

test.each<[string, (inner: Agent) => Agent]>([
  ["middleware around it", inner => surrounded(inner, [{ run: (_, next) => next() }])],
  ["another around it", inner => new DelegatingAgent(inner)],
])("an agent that is a tool keeps what it has done, with %s too", async (_, around) => {
  const kept = new Map<string, string>();
  const inner = (turns: readonly Turn[]) =>
    around(createAgent({ ...fixed(), id: "inner", name: "inner", model: scripted(turns) })).asTool();
  const turns: Turn[] = [{ calls: [["c1", "inner", { query: "Go" }]] }, { text: "ok" }];
  const first = await executed(kept, turns, { tools: [inner([{ text: "one" }])] });
  // As if the process had ended just before the outcome of the whole call was kept.
  for (const name of [...kept.keys()]) if (/^tool-[^/]*$/.test(name)) kept.delete(name);
  const again = await executed(kept, [], { tools: [inner([])] });
  expect(again.session.messages).toEqual(first.session.messages);
});

describe("the state bag of a run that is replayed is what it was", () => {
  const none = z.object({});
  const both: Turn[] = [
    {
      calls: [
        ["a", "slow", {}],
        ["b", "fast", {}],
      ],
    },
    { text: "ok" },
  ];

  /** Tools that both write: the first that is called ends last, or ends while the other works on. */
  function tools(change: { slow: (bag: Bag) => void; fast: (bag: Bag) => void; fastAfter?: (bag: Bag) => void }) {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const later = () => new Promise(resolve => setImmediate(resolve));
    const slow = defineTool({
      name: "slow",
      parameters: none,
      execute: async (_, { session }) => {
        await begun.promise;
        if (!change.fastAfter) await later();
        change.slow(session.stateBag);
        ended.resolve();
        return "slow";
      },
    });
    const fast = defineTool({
      name: "fast",
      parameters: none,
      execute: async (_, { session }) => {
        change.fast(session.stateBag);
        begun.resolve();
        if (change.fastAfter) await ended.promise.then(later);
        change.fastAfter?.(session.stateBag);
        return "fast";
      },
    });
    return [slow, fast];
  }
  type Bag = { set(key: string, value: string): void; remove(key: string): boolean };

  test.each<[string, Parameters<typeof tools>[0], JsonObject]>([
    [
      "where the tool that began first wrote last",
      { slow: bag => bag.set("x", "slow"), fast: bag => bag.set("x", "fast") },
      { x: "slow" },
    ],
    [
      "where one tool took back what it had written while the other ended",
      { slow: () => {}, fast: bag => bag.set("x", "fast"), fastAfter: bag => bag.remove("x") },
      {},
    ],
  ])("%s", async (_, change, expected) => {
    const kept = new Map<string, string>();
    const first = await executed(kept, both, { tools: tools(change) });
    expect(first.session.stateBag.toJSON()).toEqual(expected);
    const again = await executed(kept, [], { tools: tools(change) });
    expect(again.session.stateBag.toJSON()).toEqual(expected);
  });

  test("with what providers wrote before and after it", async () => {
    let asked = 0;
    const memory: ContextProvider = {
      name: "memory",
      before: ({ session }) => {
        session.stateBag.set("before", `asked ${++asked}`);
        return undefined;
      },
      after: ({ session }) => session.stateBag.set("after", "stored"),
    };
    const kept = new Map<string, string>();
    for (const turns of [[{ text: "ok" }], []]) {
      const { session } = await executed(kept, turns, { context: [memory] });
      expect(session.stateBag.toJSON()).toEqual({ before: "asked 1", after: "stored" });
    }
  });
});
