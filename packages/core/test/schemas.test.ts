import { deepFreeze } from "@translogue/testkit";
import fc from "fast-check";
import {
  type Conversation,
  convert,
  decode,
  encode,
  type FormatId,
  type Json,
  type JsonObject,
  type Loss,
} from "translogue";
import { describe, expect, test } from "vitest";

type Target = "chat" | "chat strict" | "anthropic" | "anthropic strict" | "responses strict" | "gemini";
const targets: { readonly [target in Target]: readonly [to: FormatId, strict: boolean] } = {
  chat: ["openai-chat", false],
  "chat strict": ["openai-chat", true],
  "responses strict": ["openai-responses", true],
  anthropic: ["anthropic-messages", false],
  "anthropic strict": ["anthropic-messages", true],
  gemini: ["gemini", false],
};
const all = Object.keys(targets) as Target[]; // the table's keys

interface Sent {
  readonly input: Json | undefined;
  readonly strict: Json | undefined;
  readonly losses: readonly Loss[];
}

const asking = (input: JsonObject, isStrict: boolean): Conversation => ({
  messages: [],
  tools: [{ name: "f", input, ...(isStrict && { strict: true }) }],
  settings: { maxOutputTokens: 1 },
});

/** The tool as a provider gets it. */
function send(input: JsonObject, target: Target, dialect?: string): Sent {
  const [format, isStrict] = targets[target];
  const to = dialect === undefined ? format : `${format}:${dialect}`;
  const { value, losses } = encode(asking(input, isStrict), { to: to as FormatId, shape: "request" }); // ids may name dialects
  return { ...toolOf(value), losses };
}

function toolOf(request: unknown): Pick<Sent, "input" | "strict"> {
  const [tool] = (request as { readonly tools: readonly JsonObject[] }).tools; // one was asked for
  const declared = tool?.["functionDeclarations"];
  const inner = (Array.isArray(declared) ? declared[0] : (tool?.["function"] ?? tool)) as JsonObject; // the same
  return {
    input: inner["parameters"] ?? inner["input_schema"] ?? inner["parametersJsonSchema"],
    strict: inner["strict"],
  };
}

const told = ({ losses }: Sent): string[] =>
  losses.map(({ code, path }) => `${code} ${path.slice(3).join(".")}`.trim());

/** An object of one member, all of it said. */
const closed = (a: Json): JsonObject => ({
  type: "object",
  properties: { a },
  required: ["a"],
  additionalProperties: false,
});

describe("a schema that fits goes as it is", () => {
  const recursive = {
    ...closed({ $ref: "#/$defs/N" }),
    $defs: { N: closed({ anyOf: [{ $ref: "#/$defs/N" }, { type: "null" }] }) },
  };
  const rich = closed({ type: "integer", minimum: 1, exclusiveMaximum: 9, multipleOf: 2, title: "t", $comment: "c" });
  test.each<[what: string, schema: JsonObject, targets: readonly Target[]]>([
    ["no arguments", { type: "object", properties: {}, additionalProperties: false }, all],
    ["what strict modes want", closed({ type: ["string", "null"], enum: ["x", null], description: "d" }), all],
    [
      "definitions",
      { ...closed({ $ref: "#/$defs/D" }), $defs: { D: closed({ type: "string", format: "date" }) } },
      all,
    ],
    ["a schema of itself", recursive, all.filter(target => target !== "anthropic strict")],
    ["rules of numbers", rich, ["chat", "anthropic"]],
    ["unions of what is inside", closed({ oneOf: [{ type: "string" }, { not: {} }] }), ["chat", "anthropic", "gemini"]],
    ["members called as keywords are", closed({ ...closed({ type: "string" }), description: "minimum" }), all],
    ["values that look like schemas", closed({ const: "nullable", description: "d" }), all.filter(t => t !== "gemini")],
    ["any members", { type: "object", properties: {}, patternProperties: { x: {} } }, ["chat", "anthropic", "gemini"]],
  ])("%s", (_, schema, fitting) => {
    for (const target of fitting) {
      const sent = send(deepFreeze(schema), target);
      expect([target, told(sent), sent.input]).toEqual([target, [], schema]);
      expect(sent.input).toBe(schema);
    }
  });
});

describe("what a schema of OpenAPI's spelling says, each provider is told in JSON Schema", () => {
  const openApi = {
    type: "OBJECT",
    properties: { a: { type: "ARRAY", minItems: "2", items: { type: "STRING", nullable: true } } },
  };
  const current = {
    type: "object",
    properties: { a: { type: "array", minItems: 2, items: { type: ["string", "null"] } } },
  };
  const asked: Conversation = {
    ...asking(openApi, false),
    settings: { responseFormat: { type: "json", schema: openApi } },
  };
  const formats = ["mistral", "cohere", "ollama", "bedrock-converse"] as const;

  test.each(formats)("%s", to => {
    const { value, losses } = encode(asked, { to, shape: "request" });
    const text = JSON.stringify(value).replaceAll('\\"', '"');
    expect(text.split(JSON.stringify(current))).toHaveLength(3);
    const spelled = losses.filter(({ code }) => code === "schema-spelling").map(({ path }) => path[0]);
    expect(new Set(spelled)).toEqual(new Set(["tools", "settings"]));
    const own = encode(asked, { to, shape: "request", recipient: "store" }).value;
    const again = decode(own, { from: to, shape: "request" }).conversation;
    expect(encode(again, { to, shape: "request" })).toMatchObject({ value: own, losses: [] });
  });
});

test.each<FormatId>(["mistral", "cohere", "ollama"])("a custom tool of %s is a function of one text", to => {
  const call = { type: "tool-call", callId: "c", name: "f", kind: "custom", input: "x" } as const;
  const asked: Conversation = {
    messages: [{ role: "assistant", parts: [call] }],
    tools: [{ name: "f", kind: "custom" }],
  };
  const text = JSON.stringify(encode(asked, { to, shape: "request" }).value).replaceAll('\\"', '"');
  expect(text).toContain('"properties":{"input":{"type":"string"}}');
  expect(text).toContain('{"input":"x"}');
});

test.each<FormatId>(["anthropic-messages", "bedrock-converse", "cohere", "openai-responses"])(
  "%s gets no budget that is no count",
  to => {
    const { value, losses } = encode(
      { messages: [], settings: { reasoning: { budget: -1 } } },
      { to, shape: "request" },
    );
    expect(losses.map(({ code }) => code)).toContain("setting");
    expect(Object.keys(value as JsonObject).filter(key => key === "thinking" || key === "reasoning")).toEqual([]);
    expect(JSON.stringify(value)).not.toContain("-1");
  },
);

describe("what a provider refuses is said in another way, and reported by its place", () => {
  const limited = { type: "integer", minimum: 0, maximum: 9, description: "d" };
  const inWords = { type: "integer", description: "d\n\n{minimum: 0, maximum: 9}" };
  const ref = { $ref: "#/definitions/D" };
  const withRef = (a: Json): JsonObject => ({ ...closed(a), definitions: { D: { type: "string" } } });
  const two = { allOf: [closed({ type: "string" }), { properties: { b: { type: "null" } }, required: ["b"] }] };
  const one = {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "null" } },
    required: ["a", "b"],
    additionalProperties: false,
  };
  const optional = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
  const branch = (name: string, more: object = {}): JsonObject => ({
    type: "object",
    properties: { [name]: { type: "string" } },
    required: [name],
    ...more,
  });

  test.each<[target: Target, given: JsonObject, sent: JsonObject, told: readonly string[]]>([
    // limits
    ["anthropic strict", closed(limited), closed(inWords), ["schema-words properties.a", "schema-words properties.a"]],
    [
      "chat strict",
      closed({ type: "string", maxLength: 2, pattern: "(?=a)b" }),
      closed({ type: "string", description: '{maxLength: 2, pattern: "(?=a)b"}' }),
      ["schema-words properties.a", "schema-words properties.a"],
    ],
    [
      "responses strict",
      closed({ type: "string", default: "x", format: "uri" }),
      closed({ type: "string", description: '{default: "x", format: "uri"}' }),
      ["schema-words properties.a", "schema-words properties.a"],
    ],
    [
      "anthropic strict",
      closed({ type: "array", items: { type: "string", format: "phone" }, minItems: 2 }),
      closed({
        type: "array",
        items: { type: "string", description: '{format: "phone"}' },
        description: "{minItems: 2}",
      }),
      ["schema-words properties.a", "schema-words properties.a.items"],
    ],
    // shapes
    ["chat strict", optional, closed({ type: ["string", "null"] }), ["schema-shape properties.a"]],
    ["anthropic strict", { ...optional, additionalProperties: true }, optional, ["schema-shape"]],
    ["anthropic", {}, { type: "object" }, ["schema-shape"]],
    ["chat", { type: "object" }, { type: "object", properties: {} }, ["schema-spelling"]],
    ["chat", closed({ type: "array" }), closed({ type: "array", items: {} }), ["schema-spelling properties.a"]],
    // other words for the same
    ["gemini", closed({ const: "x" }), closed({ enum: ["x"] }), ["schema-spelling properties.a"]],
    [
      "gemini",
      closed({ type: "integer", exclusiveMinimum: 2 }),
      closed({ type: "integer", minimum: 3 }),
      ["schema-spelling properties.a"],
    ],
    [
      "gemini",
      withRef({ ...ref, minLength: 1 }),
      { ...closed({ minLength: 1, anyOf: [{ $ref: "#/$defs/D" }] }), $defs: { D: { type: "string" } } },
      ["schema-spelling", "schema-spelling properties.a"],
    ],
    [
      "chat strict",
      withRef({ ...ref, title: "t" }),
      withRef({ title: "t", anyOf: [ref] }),
      ["schema-spelling properties.a"],
    ],
    ["anthropic strict", withRef({ allOf: [ref] }), withRef(ref), ["schema-spelling properties.a.allOf"]],
    [
      "chat strict",
      closed({ oneOf: [{ type: "null" }] }),
      closed({ anyOf: [{ type: "null" }] }),
      ["schema-spelling properties.a"],
    ],
    ["chat strict", closed(two), closed(one), ["schema-spelling properties.a.allOf"]],
    // older and other spellings
    [
      "anthropic",
      closed({ type: "STRING", nullable: true }),
      closed({ type: ["string", "null"] }),
      ["schema-spelling properties.a", "schema-spelling properties.a"],
    ],
    [
      "chat",
      closed({ type: "float", minimum: 1, exclusiveMinimum: true }),
      closed({ type: "number", exclusiveMinimum: 1 }),
      ["schema-spelling properties.a", "schema-spelling properties.a"],
    ],
    [
      "anthropic",
      closed({ type: "array", items: [{}], additionalItems: false }),
      closed({ type: "array", prefixItems: [{}], items: false }),
      ["schema-spelling properties.a"],
    ],
    [
      "chat",
      { type: "object", properties: { a: { type: "string", required: true } } },
      branch("a"),
      ["schema-spelling"],
    ],
    // the root
    [
      "anthropic",
      { anyOf: [branch("a"), branch("b", { properties: { a: { type: "null" }, b: { type: "string" } } })] },
      { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] }, b: { type: "string" } } },
      ["schema-shape anyOf"],
    ],
    [
      "chat",
      { ...branch("a"), anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      branch("a"),
      ["schema-shape anyOf"],
    ],
    [
      "chat",
      { $ref: "#/$defs/A", $defs: { A: branch("a") } },
      { ...branch("a"), $defs: { A: branch("a") } },
      ["schema-spelling $ref"],
    ],
    [
      "anthropic",
      { allOf: [branch("a"), branch("b")] },
      { ...branch("a"), properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a", "b"] },
      ["schema-spelling allOf"],
    ],
    ["anthropic", { ...branch("a"), type: ["object", "null"] }, branch("a"), ["schema-shape"]],
    ["gemini", { type: "string" }, { type: "object" }, ["schema-rule"]],
  ])("%s: %j", (target, given, expected, report) => {
    const sent = send(deepFreeze(given), target);
    expect(sent.input).toEqual(expected);
    expect(told(sent)).toEqual(report);
    expect(sent.strict).toBe(targets[target][1] || undefined);
  });
});

describe("a schema that strict mode would make another of goes without it", () => {
  const map = closed({ type: "object", additionalProperties: { type: "string" } });
  test.each<[what: string, schema: JsonObject, targets: readonly Target[]]>([
    ["a map", map, ["chat strict", "responses strict", "anthropic strict"]],
    ["any object", closed({ type: "object" }), ["chat strict", "anthropic strict"]],
    ["anything", closed({}), ["chat strict", "anthropic strict"]],
    ["a tuple", closed({ type: "array", prefixItems: [{ type: "string" }] }), ["chat strict", "anthropic strict"]],
    ["a list of anything", closed({ type: "array" }), ["responses strict"]],
    ["a schema of itself", { ...closed({ $ref: "#" }) }, ["anthropic strict"]],
    ["another document's", closed({ $ref: "https://example.com/x.json" }), ["anthropic strict"]],
    ["objects as values", closed({ enum: [{ a: 1 }] }), ["anthropic strict"]],
    ["conditions", { ...closed({ type: "string" }), if: {}, else: {} }, ["chat strict", "anthropic strict"]],
    ["parts that contradict", closed({ allOf: [{ type: "string" }, { type: "number" }] }), ["chat strict"]],
  ])("%s", (_, schema, strict) => {
    for (const target of strict) {
      const sent = send(schema, target);
      expect([target, sent.strict, told(sent)[0]]).toEqual([target, false, "strict-schema"]);
      expect(sent.losses[0]?.path).toEqual(["tools", 0, "strict"]);
      expect(Object.keys(sent.input as JsonObject)).toEqual(Object.keys(schema)); // objects both
    }
  });

  test("but an answer that has to follow one follows what can be said of it", () => {
    const schema = { type: "object", properties: { t: { $ref: "#" }, m: { type: "object" } } };
    const settings = { maxOutputTokens: 1, responseFormat: { type: "json", schema } } as const;
    const { value, losses } = encode({ messages: [], settings }, { to: "anthropic-messages", shape: "request" });
    const format = { type: "object", additionalProperties: false };
    expect(value).toMatchObject({
      output_config: { format: { schema: { ...format, properties: { t: format, m: format } } } },
    });
    expect(losses.map(({ code, path }) => `${code} ${path.slice(2).join(".")}`)).toEqual([
      "schema-rule schema.properties.t",
      "schema-rule schema.properties.t",
      "schema-rule schema.properties.m",
      "schema-shape schema",
    ]);
  });
});

describe("hosts take different schemas", () => {
  const sized = closed({ type: "array", items: { type: "string" }, minItems: 1 });
  test.each<[dialect: string, given: JsonObject, codes: readonly string[]]>([
    ["openai", sized, []],
    ["deepseek", sized, ["schema-words properties.a"]],
    ["groq", sized, ["schema-words properties.a"]],
    ["vllm", closed({ type: "object" }), []],
    ["azure", closed({ type: "object" }), ["strict-schema", "additionalProperties"]],
  ])("%s", (dialect, given, codes) => {
    expect(told(send(given, "chat strict", dialect))).toEqual(codes.slice(0, 1));
  });

  test("a router's are those of the model's maker", () => {
    const open = closed({ type: "object", properties: { b: { type: "string" } } });
    const strictOf = (model: string): number =>
      encode({ ...asking(open, true), model }, { to: "openai-chat", dialect: "openrouter", shape: "request" }).losses
        .length;
    expect([strictOf("openai/gpt-5.2"), strictOf("qwen/qwen3")]).toEqual([2, 0]);
  });
});

describe("what was read as it is stays as it is", () => {
  const odd = { type: "object", anyOf: [{ required: ["a"] }], properties: { a: { type: "STRING" } } };
  const bodies: { readonly [id: string]: JsonObject } = {
    "openai-chat": {
      messages: [],
      tools: [{ type: "function", function: { name: "f", parameters: odd, strict: true } }],
    },
    "openai-responses": { input: [], tools: [{ type: "function", name: "f", parameters: odd, strict: true }] },
    "anthropic-messages": { max_tokens: 1, messages: [], tools: [{ name: "f", input_schema: odd, strict: true }] },
    gemini: { contents: [], tools: [{ functionDeclarations: [{ name: "f", parameters: { ...odd, const: 1 } }] }] },
  };
  const formats: { readonly [id: string]: JsonObject } = {
    "openai-chat": { response_format: { type: "json_schema", json_schema: { name: "n", schema: odd, strict: true } } },
    "openai-responses": { text: { format: { type: "json_schema", name: "n", schema: odd, strict: true } } },
    "anthropic-messages": { output_config: { format: { type: "json_schema", schema: odd } } },
    gemini: { generationConfig: { responseMimeType: "application/json", responseSchema: { ...odd, const: 1 } } },
  };
  test.each(Object.keys(bodies))("in %s, by the provider that refuses it", id => {
    const format = id as FormatId; // the table's keys are
    const body = { ...bodies[id], ...formats[id] };
    const { value, losses } = convert(body, { from: format, to: format, shape: "request" });
    expect([value, losses]).toEqual([body, []]);
  });

  test.each(all)("for a client of %s", target => {
    const [to, isStrict] = targets[target];
    const { value } = encode(asking(odd, isStrict), { to, shape: "request", recipient: "client" });
    expect(toolOf(value)).toEqual({ input: odd, strict: isStrict || undefined });
  });

  test("Gemini's older place keeps what fits it, and the other gets what does not", () => {
    const old = { type: "OBJECT", properties: { a: { type: "STRING", nullable: true } } };
    const body = { contents: [], tools: [{ functionDeclarations: [{ name: "f", parameters: old }] }] };
    const { conversation } = decode(body, { from: "gemini", shape: "request" });
    const again = (input: JsonObject): Json => {
      const [tool] = conversation.tools ?? [];
      const tools = tool ? [{ ...tool, input }] : [];
      return encode({ ...conversation, tools }, { to: "gemini", shape: "request" }).value as Json; // a wire value
    };
    expect(again(old)).toEqual(body);
    expect(again(closed({ const: 1 }))).toEqual({
      contents: [],
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: closed({ enum: [1] }) }] }],
    });
  });
});

describe("references", () => {
  /** Each definition holds the one before twice. */
  const doubled = (count: number, of: (inner: Json) => Json): JsonObject => ({
    type: "object",
    properties: { a: { $ref: `#/$defs/d${count}` } },
    $defs: Object.fromEntries(
      Array.from({ length: count + 1 }, (_, n) => [
        `d${n}`,
        {
          type: "object",
          properties: n === 0 ? {} : { l: of({ $ref: `#/$defs/d${n - 1}` }), r: of({ $ref: `#/$defs/d${n - 1}` }) },
        },
      ]),
    ),
  });
  const lengthOf = (schema: JsonObject, target: Target): number => JSON.stringify(send(schema, target).input).length;

  test.each(all)("cost no more than they are long (%s)", target => {
    const [short, long] = [100, 200].map(count =>
      lengthOf(
        doubled(count, ref => ref),
        target,
      ),
    );
    expect(long).toBeLessThan(2.2 * (short ?? 0));
  });

  test.each<Target>(["chat strict", "anthropic strict", "gemini"])(
    "that are merged are copied so often only (%s)",
    target => {
      const merged = (ref: Json): Json => ({ allOf: [ref, { description: "d" }] });
      expect(lengthOf(doubled(40, merged), target)).toBeLessThan(1_000_000);
    },
  );

  test.each<[what: string, a: Json]>([
    ["to themselves", { allOf: [{ $ref: "#" }, { description: "d" }] }],
    ["in a circle", { $ref: "#/properties/a" }],
    ["to nothing", { allOf: [{ $ref: "#/$defs/none" }, { type: "string" }] }],
    ["to what is no schema", { allOf: [{ $ref: "#/required/0" }, { $ref: "#/%zz" }] }],
  ])("%s come to an end", (_, a) => {
    for (const target of all) expect(send(closed(a), target).input).toBeDefined();
  });
});

test("a fitted schema fits, and says of what it cannot hold the same again", () => {
  const word = fc.constantFrom("a", "b", "minimum", "$ref", "__proto__");
  const { schema } = fc.letrec<{ schema: Json }>(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom<Json>("object", "string", "integer", "array", "STRING", ["object", "null"], "any", 1),
          properties: fc.dictionary(word, tie("schema"), { maxKeys: 2 }),
          required: fc.constantFrom<Json>(["a"], ["c"], true),
          additionalProperties: tie("schema"),
          items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
          anyOf: fc.array(tie("schema"), { maxLength: 2 }),
          oneOf: fc.array(tie("schema"), { maxLength: 2 }),
          allOf: fc.array(tie("schema"), { maxLength: 2 }),
          $ref: fc.constantFrom("#", "#/properties/a", "#/$defs/a", "x"),
          $defs: fc.dictionary(word, tie("schema"), { maxKeys: 1 }),
          enum: fc.constantFrom<Json>(["x", null], [{}]),
          const: fc.constantFrom<Json>(1, null),
          minimum: fc.integer(),
          exclusiveMinimum: fc.constantFrom<Json>(true, 2),
          nullable: fc.boolean(),
          description: fc.constant("d"),
        },
        { requiredKeys: [] },
      ),
    ) as fc.Arbitrary<Json>,
  }));
  const object = schema.filter(each => typeof each === "object" && each !== null) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(object, fc.constantFrom(...all), (given, target) => {
      const once = send(deepFreeze(given), target);
      const isStrict = once.strict === true;
      const twice = send(once.input as JsonObject, isStrict || !targets[target][1] ? target : loose(target));
      expect(twice.input).toEqual(once.input);
      if (isStrict || !targets[target][1]) expect(told(twice).filter(code => !/^schema-rule/.test(code))).toEqual([]);
    }),
    { seed: 20261130, numRuns: 300 },
  );
});

const loose = (target: Target): Target => (target === "anthropic strict" ? "anthropic" : "chat");
