import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type Agent,
  type AgentOptions,
  type AgentResponse,
  createAgent,
  DelegatingAgent,
  defineTool,
  fallbackModel,
  type Middleware,
  type Model,
  retrying,
  sessionHistory,
} from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** Functions that an agent is given may give what they are not to give: whoever wrote them is told what, where, and what to do. */

const add = defineTool({ name: "add", parameters: z.object({}), execute: () => 42 });
const turns = () => scripted([{ calls: [["c1", "add", {}]] }, { text: "Done." }]);
const agentWith = (options: Partial<AgentOptions>) =>
  createAgent({ ...fixed(), model: turns(), tools: [add], ...options });
/** Of another type than the one that is asked for. */
const odd = (value: unknown): never => value as never;
const yields = (value: unknown) =>
  odd(async function* () {
    yield value;
  });

/** What was thrown, or what the run says that it failed by. */
async function failureOf(make: () => Agent, options: object = {}): Promise<unknown> {
  try {
    const agent = make();
    return (await agent.run("Go", { session: await agent.createSession(), ...options })).error;
  } catch (error) {
    return error;
  }
}

const modelOf = (stream: unknown): Model => ({ id: "m", provider: "p", stream: odd(stream) });

describe("a function that gives what it is not to give is named", () => {
  type Case = readonly [what: string, make: () => Agent, code: string, words: string];
  const layer = (given: Middleware) => () => agentWith({ middleware: [{ run: (_, next) => next() }, given] });
  const cases: readonly Case[] = [
    [
      "a run layer that gives nothing",
      layer({ run: odd(() => undefined) }),
      "agent/invalid",
      "`middleware[1].run` gave nothing",
    ],
    ["an async run layer", layer({ run: odd(async () => []) }), "agent/invalid", "`middleware[1].run` gave a promise"],
    [
      "a run layer that yields texts",
      layer({ run: yields("x") }),
      "agent/invalid",
      "`middleware[1].run` yielded a text",
    ],
    [
      "a model layer that gives nothing",
      layer({ model: odd(() => undefined) }),
      "agent/invalid",
      "`middleware[1].model` gave nothing",
    ],
    [
      "an async model layer",
      layer({ model: odd(async () => []) }),
      "agent/invalid",
      "`middleware[1].model` gave a promise",
    ],
    [
      "a model layer that yields single events",
      layer({ model: yields({}) }),
      "model/failed",
      "in place of a list of events",
    ],
    [
      "a model that gives nothing",
      () => agentWith({ model: modelOf(() => undefined) }),
      "model/failed",
      "`stream` of the model `p/m` gave nothing",
    ],
    [
      "a model that gives a promise",
      () => agentWith({ model: modelOf(async () => []) }),
      "model/failed",
      "write it as `async *stream`",
    ],
    [
      "a model that yields texts",
      () => agentWith({ model: modelOf(yields("x")) }),
      "model/failed",
      "gave a text in place of a list of events",
    ],
    [
      "a model that yields lists of texts",
      () => agentWith({ model: modelOf(yields(["x"])) }),
      "model/failed",
      "gave a list with a text",
    ],
    [
      "a model that is asked again",
      () => agentWith({ model: retrying(modelOf(() => 5)) }),
      "model/failed",
      "`p/m` gave a number",
    ],
    [
      "a context provider that gives a text",
      () => agentWith({ context: [{ name: "c", before: () => odd("x") }] }),
      "context/failed",
      "`before` of the context provider `c` gave a text",
    ],
    [
      "its messages",
      () => agentWith({ context: [{ name: "c", before: () => ({ messages: odd("x") }) }] }),
      "context/failed",
      "as `messages`, gave a text",
    ],
    [
      "one of its messages",
      () => agentWith({ context: [{ name: "c", before: () => ({ messages: odd([{}]) }) }] }),
      "context/failed",
      "item 0 is no message",
    ],
    [
      "its tools",
      () => agentWith({ context: [{ name: "c", before: () => ({ tools: odd([5]) }) }] }),
      "context/failed",
      "as `tools`, gave a list",
    ],
    [
      "its instructions",
      () => agentWith({ context: [{ name: "c", before: () => ({ instructions: odd({}) }) }] }),
      "context/failed",
      "as `instructions`, gave an object",
    ],
    [
      "a misspelt member of it",
      () => agentWith({ context: [{ name: "c", before: () => odd({ instruction: "x" }) }] }),
      "context/failed",
      "gave `instruction`, which nothing comes of",
    ],
    [
      "a store that gives nothing",
      () => agentWith({ history: { load: () => odd(undefined), store: () => {} } }),
      "history/failed",
      "`load` of the history gave nothing",
    ],
    [
      "a store that gives texts",
      () => agentWith({ history: { load: () => odd(["x"]), store: () => {} } }),
      "history/failed",
      "item 0 is no message",
    ],
    [
      "what reduces before",
      () => agentWith({ history: sessionHistory({ reduce: () => odd(undefined) }) }),
      "history/failed",
      "`reduce` of the session's history gave nothing",
    ],
    [
      "what reduces after",
      () => agentWith({ history: sessionHistory({ reduce: () => odd("x"), reduceAt: "store" }) }),
      "history/failed",
      "`reduce` of the session's history gave a text",
    ],
    [
      "what provides",
      () => agentWith({ history: sessionHistory({ provide: () => odd(undefined) }) }),
      "history/failed",
      "`provide` of the session's history gave nothing",
    ],
    [
      "what keeps",
      () => agentWith({ history: sessionHistory({ keep: () => odd(async () => []) }) }),
      "history/failed",
      "`keep` of the session's history gave a function",
    ],
    [
      "what it begins with",
      () => agentWith({ history: sessionHistory({ initial: odd({}) }) }),
      "agent/invalid",
      "`initial` of the session's history is an object",
    ],
    [
      "what compacts",
      () => agentWith({ compaction: { maxTokens: 1, strategy: () => odd(undefined) } }),
      "agent/invalid",
      "`compaction.strategy` gave nothing",
    ],
    [
      "groups that it makes",
      () => agentWith({ compaction: { maxTokens: 1, strategy: () => odd([{}]) } }),
      "agent/invalid",
      "as `messages` of a group, gave nothing",
    ],
    [
      "what is no function",
      () => agentWith({ compaction: { strategy: odd({}) } }),
      "agent/invalid",
      "`compaction.strategy` is an object",
    ],
    [
      "what counts",
      () => agentWith({ compaction: { maxTokens: 1, tokenCounter: () => odd("9") } }),
      "agent/invalid",
      "`compaction.tokenCounter` gave a text",
    ],
    ["what gives tools", () => agentWith({ tools: () => odd(undefined) }), "agent/invalid", "`tools` gave nothing"],
    ["what gives models", () => agentWith({ modelFor: () => odd("gpt") }), "agent/invalid", "`modelFor` gave no model"],
    ["what makes ids", () => agentWith({ newId: () => odd(5) }), "agent/invalid", "`newId` gave a number"],
    ["a clock", () => agentWith({ clock: () => odd(Date.now()) }), "agent/invalid", "`clock` gave a number"],
  ];
  test.each(cases)("%s", async (_, make, code, words) => {
    expect(await failureOf(make)).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  test("the view of a run", async () => {
    const told = await failureOf(() => agentWith({}), { view: () => undefined });
    expect(told).toMatchObject({ code: "options/invalid", message: expect.stringContaining("`view` gave nothing") });
  });

  test.each(["runCore", "runCoreStreaming"])("%s of a class", async name => {
    class Own extends DelegatingAgent {
      protected override runCore = async () => odd(undefined) as Promise<AgentResponse>;
      protected override runCoreStreaming = () => odd(undefined);
    }
    const own = new Own(agentWith({}));
    const run = name === "runCore" ? own.run("Go") : own.runStreaming("Go").next();
    await expect(run).rejects.toMatchObject({
      code: "agent/invalid",
      message: expect.stringContaining(`\`${name}\` of the agent`),
    });
  });
});

test("a layer that only gives on what it was given need not be looked at", async () => {
  const run = await agentWith({ middleware: [{ run: (_, next) => next(), model: (_, next) => next() }] }).run("Go");
  expect(run.text).toBe("Done.");
});

test("a model that gives nothing is one that failed: the next is asked", async () => {
  const model = fallbackModel({ models: [modelOf(() => undefined), scripted([{ text: "Hello." }])] });
  expect((await agentWith({ model }).run("Go")).text).toBe("Hello.");
});

const resultIn = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts).find(part => part.type === "tool-result");

test("a tool's layer that forgets what the tool gave does not say that the tool gave nothing", async () => {
  const forgets: Middleware = {
    tool: async (_, next) => {
      await next();
    },
  };
  const { messages } = await agentWith({ middleware: [forgets] }).run("Go");
  expect(resultIn(messages)).toMatchObject({
    outcome: "error",
    output: [
      {
        type: "text",
        text: expect.stringMatching(/`middleware\[0\].tool` gave nothing.*return what `next\(\)` gives/),
      },
    ],
  });
});

test.each<[string, Middleware["tool"], unknown]>([
  ["does not run the tool", () => undefined, "Success: Function completed."],
  [
    "hides what it gave",
    async (_, next) => {
      await next();
      return "Hidden.";
    },
    "Hidden.",
  ],
])("a tool's layer that %s may do so", async (_, tool, text) => {
  const { messages } = await agentWith({ middleware: [{ ...(tool && { tool }) }] }).run("Go");
  expect(resultIn(messages)?.output).toEqual([{ type: "text", text }]);
});

test.each([undefined, null, 0, ""])("a rule of approval that gives %j lets nothing through", async given => {
  const run = await agentWith({ tools: [{ ...add, needsApproval: () => odd(given) }] }).run("Go");
  expect(run.finish).toEqual({ reason: "tool-calls" });
});

test.each<[unknown, string]>([
  [undefined, "gave nothing"],
  [5, "gave a number"],
])("arguments whose validator gives %j are not valid, and it is told why", async (given, words) => {
  const { messages } = await agentWith({ tools: [{ ...add, validate: () => odd(given) }] }).run("Go");
  expect(resultIn(messages)?.output).toEqual([{ type: "text", text: expect.stringContaining(words) }]);
});

test.each<[string, () => unknown, RegExp]>([
  ["gives nothing", () => undefined, /its schema \(mine\) gave nothing/],
  ["throws", () => JSON.parse("{"), /its schema failed: .*JSON/],
])("a response whose schema %s is there all the same, without a result", async (_, validate, words) => {
  const schema = { "~standard": { version: 1 as const, vendor: "mine", validate: odd(validate) } };
  const model = scripted([{ text: "5" }]);
  const response = await agentWith({ model }).run("Go", { responseFormat: { schema, jsonSchema: { type: "number" } } });
  expect(response.text).toBe("5");
  expect(() => response.result).toThrow(words);
});
