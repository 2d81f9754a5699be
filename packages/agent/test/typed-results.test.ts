import type { Message } from "translogue";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { accumulateUpdates, createAgent, defineTool, PartialResult, type ResponseFormat, typed } from "../src/index.ts";
import { collected, fixed, scripted, type Turn } from "./scripted-model.ts";

const city = z.object({ name: z.string(), people: z.number().int() });
const agentOf = (...turns: Turn[]) => {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), model }) };
};
const answer = (text: string) => agentOf({ text }).agent;

describe("a response format", () => {
  const number = { type: "number" };
  const inData = (schema: object) => ({
    type: "object",
    properties: { data: schema },
    additionalProperties: false,
    required: ["data"],
  });
  test.each<[string, ResponseFormat, unknown]>([
    ["of words alone", "json", { type: "json" }],
    ["that is text", "text", { type: "text" }],
    [
      "that is a schema is its JSON Schema",
      z.object({ n: z.number() }),
      { type: "json", schema: expect.objectContaining({ type: "object", properties: { n: { type: "number" } } }) },
    ],
    ["that is a JSON Schema is sent", { type: "object" }, { type: "json", schema: { type: "object" } }],
    ["whose root is no object is sent in one", number, { type: "json", schema: inData(number) }],
    ["of any kind is sent in one", {}, { type: "json", schema: inData({}) }],
    [
      "says its name and description",
      { schema: { type: "object" }, name: "n", description: "d", strict: true },
      { type: "json", schema: { type: "object" }, name: "n", description: "d", strict: true },
    ],
    [
      "whose schema makes other values of those it takes asks for those that it takes",
      z.object({ day: z.string().transform(day => new Date(day)), n: z.number().default(3) }),
      {
        type: "json",
        schema: {
          type: "object",
          properties: { day: { type: "string" }, n: { type: "number", default: 3 } },
          required: ["day"],
        },
      },
    ],
    [
      "whose schema makes other values, and can say both, asks for those that it takes",
      z.object({ n: z.string().transform(Number).pipe(z.number()) }),
      { type: "json", schema: { type: "object", properties: { n: { type: "string" } }, required: ["n"] } },
    ],
    [
      "whose schema fills in what is missing asks for all",
      z.object({ default: z.number().default(3) }),
      {
        type: "json",
        schema: {
          type: "object",
          properties: { default: { type: "number", default: 3 } },
          required: ["default"],
          additionalProperties: false,
        },
      },
    ],
    [
      "of a provider's form is sent as it is",
      { type: "json", schema: { type: "array" }, name: "n" },
      { type: "json", schema: { type: "array" }, name: "n" },
    ],
    [
      "keeps its definitions where references find them",
      { type: "array", items: { $ref: "#/$defs/a" }, not: { $ref: "#/items" }, $defs: { a: { $ref: "#" } } },
      {
        type: "json",
        schema: {
          ...inData({ type: "array", items: { $ref: "#/$defs/a" }, not: { $ref: "#/properties/data/items" } }),
          $defs: { a: { $ref: "#/properties/data" } },
        },
      },
    ],
  ])("%s", async (_, responseFormat, settings) => {
    const { model, agent } = agentOf({ text: "1" });
    await agent.run("Go", { responseFormat });
    expect(model.requests[0]?.conversation.settings?.responseFormat).toEqual(settings);
  });

  test("of the run goes before the agent's, which goes before its settings", async () => {
    const model = scripted([{ text: "{}" }, { text: "{}" }]);
    const settings = { responseFormat: { type: "text" }, topK: 3 } as const;
    const agent = createAgent({ ...fixed(), model, settings, responseFormat: "json" });
    await agent.run("Go");
    await agent.run("Go", { responseFormat: { type: "object" } });
    expect(model.requests.map(({ conversation }) => conversation.settings)).toEqual([
      { topK: 3, responseFormat: { type: "json" } },
      { topK: 3, responseFormat: { type: "json", schema: { type: "object" } } },
    ]);
  });

  test("that is none is refused before the run", async () => {
    const { model, agent } = agentOf();
    for (const responseFormat of [5, null, z.date(), { schema: 5, type: "odd" }] as never[]) {
      const thrown = await agent.run("Go", { responseFormat }).catch((error: unknown) => error);
      if (responseFormat === null || typeof responseFormat === "number")
        expect(thrown).toMatchObject({ code: "options/invalid" });
    }
    expect(() => createAgent({ model, responseFormat: z.date() as never })).toThrow(/cannot be said as JSON Schema/);
  });
});

describe("a result", () => {
  test("has the schema's type", async () => {
    const { result } = await answer('{"name":"Oslo","people":7}').run("Go", { responseFormat: city });
    expectTypeOf(result).toEqualTypeOf<{ name: string; people: number }>();
    expect(result).toEqual({ name: "Oslo", people: 7 });
  });

  test.each<[string, string, ResponseFormat, unknown]>([
    ["stands among white space", ' \r\n{ "name": "x", "people": 1 }\n', city, { name: "x", people: 1 }],
    ["is the first of several", '{"name":"}","people":1}{"name":"y"}', city, { name: "}", people: 1 }],
    ["may be followed by words", '{"data":[1]} as you asked', z.array(z.number()), [1]],
    ["is taken out of its object", '{"data":5}', z.number(), 5],
    ["may come without the object", "5", z.number(), 5],
    ["may be a bare text in quotes", '"a\\"b"', z.string(), 'a"b'],
    ["is the words of an answer, where a text was asked for", " Just so [1]: 5.\n", z.string(), "Just so [1]: 5."],
    ["is the words, where they look like another value", "5", z.string(), "5"],
    ["is the words behind thoughts", "<think>Hm, {x}</think>\nBlue", z.enum(["Blue", "Red"]), "Blue"],
    ["is the words, where a text is one of what may be", "none", z.union([z.number(), z.literal("none")]), "none"],
    ["is the words, by a JSON Schema alone", "so", { type: ["string", "null"] }, "so"],
    ["is the words, by a reference", "b", { $ref: "#/$defs/k", $defs: { k: { enum: ["a", "b"] } } }, "b"],
    ["is in `data` as it is spelt, the last of them", '{"data":1,"data":2}', z.number(), 2],
    ["is null where the schema says so", '{"data":null}', z.number().nullable(), null],
    ["keeps a member `data` of its own", '{"data":"x"}', z.object({ data: z.string() }), { data: "x" }],
    ["stands behind words", 'Sure, here it is: {"n":3}', z.object({ n: z.number() }), { n: 3 }],
    ["is fenced", 'Here:\n```json\n{"n":3}\n```\nAnything else?', z.object({ n: z.number() }), { n: 3 }],
    ["stands behind brackets that are none", 'As {you} said [1]: {"n":3}', z.object({ n: z.number() }), { n: 3 }],
    ["stands behind a number", '1 value: {"n":3}', z.object({ n: z.number() }), { n: 3 }],
    ["is the first of several that fit", 'Either {"n":3} or {"n":4}.', z.object({ n: z.number() }), { n: 3 }],
    ["is JSON of any kind", '{"a":1}', "json", { a: 1 }],
    ["is the text", "just so", "text", "just so"],
    ["is what the schema makes of it", '{"data":"7"}', z.string().transform(Number).pipe(z.number()), 7],
    ["is what a transform makes of it", '{"data":"7"}', z.string().transform(Number), 7],
    ["is all of the answer, fenced: a text in quotes", '```json\n"Oslo"\n```', z.string(), "Oslo"],
    ["is all of the answer, fenced: words", " ```\nOslo\n```\n", z.string(), "Oslo"],
    ["is all of the answer, fenced: a page", "~~~~markdown\n# A\n~~~\nb\n~~~\n~~~~", z.string(), "# A\n~~~\nb\n~~~"],
    ["is all of the answer, fenced: one of some words", "```text\nred\n```", z.enum(["red", "blue"]), "red"],
    ["is all of the answer, fenced behind thoughts", "<think>Hm</think>```\nred\n```", z.enum(["red"]), "red"],
    ["is all of the answer, fenced: a number", "```json\n5\n```", z.number(), 5],
    ["is all of the answer, fenced: null", "```\nnull\n```", z.number().nullable(), null],
    ["is fenced among words: a number", "It is:\n```json\n5\n```\nAll right?", z.number(), 5],
    ["is fenced among words: yes or no", "First:\n~~~\nmaybe\n~~~\nSo:\n```\ntrue\n```", z.boolean(), true],
    ["keeps a fence that says a language", "```python\nprint(1)\n```", z.string(), "```python\nprint(1)\n```"],
    ["keeps fences among its words", "Do:\n```\nx\n```", z.string(), "Do:\n```\nx\n```"],
    ["keeps a fenced text among its words", 'Do:\n```json\n"x"\n```', z.string(), 'Do:\n```json\n"x"\n```'],
    ["keeps two fences", "```\na\n```\n```\nb\n```", z.string(), "```\na\n```\n```\nb\n```"],
    ["keeps a fence that the schema asks for", "```\na\n```", z.string().startsWith("```"), "```\na\n```"],
  ])("%s", async (_, text, format, value) => {
    const response = await answer(text).run("Go");
    expect((await typed(response, format)).result).toEqual(value);
  });

  test.each<[string, string, ResponseFormat, string, RegExp]>([
    ["is cut", '{"name":"x","peo', city, "result/invalid", /no JSON/],
    ["is cut behind words", 'Here: {"name":"x","in":{"name":"y","people":1}', city, "result/invalid", /no JSON/],
    ["does not fit, nor what follows", '{"name":"x"} or {"people":1}', city, "result/invalid", /people: /],
    ["is a text that is cut short in its object", '{"data":"just', z.string(), "result/invalid", /no JSON/],
    ["is words where a number was asked for", "just text", z.number(), "result/invalid", /no JSON/],
    ["is another word than the schema's", "purple", z.enum(["red", "blue"]), "result/invalid", /red/],
    [
      "is words beside the tool that gives it",
      "just text",
      { schema: z.string(), by: "tool" },
      "result/invalid",
      /no JSON/,
    ],
    ["is another word than the JSON Schema's", "I cannot say.", { enum: ["red", "blue"] }, "result/invalid", /red/],
    ["is an object where a text was asked for", '{"value":"x"}', z.string(), "result/invalid", /string/],
    ["is blank", " \n ", city, "result/none", /no text/],
    ["is null", "null", city, "result/invalid", /object/],
    ["is null, and the JSON Schema has it not", '{"data":null}', { type: "integer" }, "result/invalid", /null is not/],
    [
      "is another kind than the JSON Schema's",
      '{"value":4}',
      { type: ["integer", "null"] },
      "result/invalid",
      /or null/,
    ],
    ["is spelt otherwise", '{"Data":4}', z.number(), "result/invalid", /number/],
    ["does not fit", '{"name":"x","people":1.5}', city, "result/invalid", /people: /],
  ])("that %s throws when it is read, and not before", async (...[, text, format, code, words]) => {
    const response = await answer(text).run("Go", { responseFormat: format });
    expect(() => response.result).toThrow(words);
    expect(response.tryResult()).toMatchObject({ ok: false, error: { code, data: { text, finish: "stop" } } });
    expect(JSON.stringify(response)).not.toContain("result");
  });

  test("is read from the last answer, not from what was said on the way (vercel/ai#20961)", async () => {
    const check = defineTool({ name: "check", parameters: z.object({}), execute: () => 1 });
    const model = scripted([
      { text: "I look it up first.", calls: [["c1", "check", {}]] },
      { chunks: ['{"sha', 'de":"mau', 've"}'] },
    ]);
    const agent = createAgent({ ...fixed(), model, tools: [check] });
    const responseFormat = z.object({ shade: z.string() });
    expect((await agent.run("Go", { responseFormat })).result).toEqual({ shade: "mauve" });
  });

  test("of words is none where they were cut", async () => {
    const { agent } = agentOf({ text: "Once upon a", finish: "length" });
    const response = await agent.run("Go", { responseFormat: z.string() });
    expect(response.tryResult()).toMatchObject({ ok: false, error: { code: "result/invalid" } });
  });

  test("of a run that ended otherwise says how it ended", async () => {
    const { agent } = agentOf({ text: '{"name":', error: { message: "broken" } });
    const { error } = (await agent.run("Go", { responseFormat: city })).tryResult() as { error?: Error };
    expect(error?.message).toContain("the run ended with `error`");
  });

  test("of a stream is read from its updates", async () => {
    const updates = await collected(answer('{"name":"x","people":1}').runStreaming("Go", { responseFormat: city }));
    const response = accumulateUpdates(updates);
    expect(() => response.result).toThrow(/no `responseFormat`/);
    expect((await typed(response, city)).result.people).toBe(1);
  });
});

describe("a result by a tool", () => {
  const n = z.object({ n: z.number() });
  const logging = () => {
    let logged = 0;
    const log = defineTool({ name: "log_it", parameters: z.object({}), execute: () => ++logged });
    return { log, count: () => logged };
  };
  const outcomes = (messages: readonly Message[]) =>
    messages.flatMap(({ parts }) =>
      parts.flatMap(part => (part.type === "tool-result" ? [`${part.callId} ${part.outcome ?? "ok"}`] : [])),
    );

  test.each([
    ["skip", 0, ["1 interrupted", "2 ok", "3 interrupted", "4 interrupted"]],
    ["run", 2, ["1 ok", "2 ok", "3 ok", "4 interrupted"]],
  ] as const)(
    "is its first call's; `%s` says of the calls beside it (pydantic/pydantic-ai#184)",
    async (otherCalls, runs, results) => {
      const { log, count } = logging();
      const model = scripted([
        {
          calls: [
            ["1", "log_it", {}],
            ["2", "give_answer", { n: 3 }],
            ["3", "log_it", {}],
            ["4", "give_answer", { n: 4 }],
          ],
        },
        { text: "next" },
      ]);
      const agent = createAgent({ ...fixed(), model, tools: [log] });
      const session = await agent.createSession();
      const responseFormat = { schema: n, by: "tool", name: "give_answer", otherCalls } as const;
      const response = await agent.run("Go", { session, responseFormat });
      expect([response.result, response.finish, count()]).toEqual([{ n: 3 }, { reason: "stop" }, runs]);
      expect(outcomes(response.messages)).toEqual(results);
      expect(model.requests[0]?.conversation.settings?.responseFormat).toBeUndefined();
      expect((await agent.run("And?", { session })).text).toBe("next");
    },
  );

  test("has its closing result in the stream too (pydantic/pydantic-ai#2640)", async () => {
    const model = scripted([{ calls: [["o1", "final_answer", { data: 7 }]] }]);
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    const responseFormat = { schema: z.number(), by: "tool" } as const;
    const response = accumulateUpdates(await collected(agent.runStreaming("Go", { session, responseFormat })));
    expect([outcomes(response.messages), response.messages]).toEqual([["o1 ok"], session.messages.slice(1)]);
    expect((await typed(response, responseFormat)).result).toBe(7);
  });

  test("that does not fit is told to the model, which may give another", async () => {
    const model = scripted([
      { calls: [["1", "final_answer", { n: "x" }]] },
      { calls: [["2", "final_answer", { n: 1 }]] },
    ]);
    const response = await createAgent({ ...fixed(), model }).run("Go", { responseFormat: { schema: n, by: "tool" } });
    expect([response.result, model.requests.length]).toEqual([{ n: 1 }, 2]);
  });

  test.each([
    [1, 3, { ok: true, value: { name: "Ola" } }],
    [
      0,
      2,
      {
        ok: false,
        error: expect.objectContaining({
          code: "result/invalid",
          data: expect.objectContaining({ text: "The name is Ola." }),
        }),
      },
    ],
  ])(
    "that does not come is asked for %i times more (langchain-ai/langchain#36349)",
    async (resultRetries, calls, outcome) => {
      const search = defineTool({ name: "search", parameters: z.object({}), execute: () => "Ola" });
      const model = scripted([
        { calls: [["1", "search", {}]], usage: { input: 1 } },
        { text: "The name is Ola.", usage: { input: 2 } },
        { calls: [["2", "final_answer", { name: "Ola" }]], usage: { input: 4 } },
      ]);
      const agent = createAgent({ ...fixed(), model, tools: [search], resultRetries });
      const session = await agent.createSession();
      const response = await agent.run("Who?", {
        session,
        responseFormat: { schema: z.object({ name: z.string() }), by: "tool" },
      });
      expect([response.tryResult(), model.requests.length, response.usage]).toEqual([
        outcome,
        calls,
        { input: resultRetries ? 7 : 3 },
      ]);
      expect(response.messages).toEqual(session.messages.filter(({ role }) => role !== "user"));
    },
  );
});

describe("a partial result", () => {
  const shade = z.object({ shade: z.string() });
  test("grows with the last answer alone (vercel/ai#20961)", async () => {
    const check = defineTool({ name: "check", parameters: z.object({}), execute: () => 1 });
    const model = scripted([
      { text: "I look it up first.", calls: [["c1", "check", {}]] },
      { chunks: ['{"sha', 'de":"mau', 've"}'] },
    ]);
    const agent = createAgent({ ...fixed(), model, tools: [check] });
    const partial = new PartialResult(shade);
    const seen: string[] = [];
    for await (const update of agent.runStreaming("Go", { responseFormat: shade })) {
      const value = JSON.stringify(partial.push(update));
      if (value !== undefined && value !== seen.at(-1)) seen.push(value);
    }
    expect(seen).toEqual(["{}", '{"shade":"mau"}', '{"shade":"mauve"}']);
  });

  test.each<[string, ResponseFormat, Turn, string[]]>([
    ["a list", z.array(z.number()), { chunks: ['{"data":[1', ",2,", "3]}"] }, ["[1]", "[1,2]", "[1,2,3]"]],
    ["words", "text", { chunks: ["Blue", " as sky"] }, ['"Blue"', '"Blue as sky"']],
    ["words, where a text was asked for", z.string(), { chunks: ["5 bl", "ue"] }, ['"5 bl"', '"5 blue"']],
    ["fenced words", z.string(), { chunks: ["\n`", "``te", "xt\nBl", "ue\n", "``", "`\n"] }, ['"Bl"', '"Blue"']],
    ["a fenced text", z.string(), { chunks: ["```json\n", '"Bl', 'ue"\n```'] }, ['"Bl"', '"Blue"']],
    [
      "a fenced object",
      shade,
      { chunks: ["```json\n", '{"shade":"r', 'ed"}\n```'] },
      ['{"shade":"r"}', '{"shade":"red"}'],
    ],
    ["a fence with a language", z.string(), { chunks: ["```", "js\nx\n```"] }, ['"```js\\nx\\n```"']],
    ["words in ticks", z.string(), { chunks: ["`", "x`"] }, ['"`x`"']],
    [
      "what a tool is given",
      { schema: shade, by: "tool" },
      { calls: [["1", "final_answer", { shade: "red" }]] },
      ['{"shade":"red"}'],
    ],
  ])("may be that of %s", async (_, responseFormat, turn, values) => {
    const agent = createAgent({ ...fixed(), model: scripted([turn]) });
    const partial = new PartialResult(responseFormat);
    const seen: string[] = [];
    for await (const update of agent.runStreaming("Go", { responseFormat })) {
      const value = JSON.stringify(partial.push(update));
      if (value !== undefined && value !== seen.at(-1)) seen.push(value);
    }
    expect(seen).toEqual(values);
  });
});
