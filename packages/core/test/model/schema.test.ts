import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check, checkEvent } from "../../src/model/check.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { eventJsonSchema, jsonSchema } from "../../src/model/schema.ts";
import { conversationExamples, eventExamples, everyPart, messageExamples } from "./doc-examples.ts";

/** The keywords of JSON Schema that ours use, and no other. */
const keywords: {
  readonly [keyword: string]: (rule: Json, value: Json, schema: JsonObject, root: JsonObject) => boolean;
} = {
  $ref: (rule, value, _, root) => {
    const target = (root["$defs"] as JsonObject)[String(rule).replace("#/$defs/", "")];
    if (!target) throw new Error(`no ${rule}`);
    return isValid(target, value, root);
  },
  type: (rule, value) =>
    rule ===
    (value === null
      ? "null"
      : Array.isArray(value)
        ? "array"
        : Number.isInteger(value) && rule === "integer"
          ? "integer"
          : typeof value),
  const: (rule, value) => rule === value,
  enum: (rule, value) => (rule as Json[]).includes(value),
  minimum: (rule, value) => typeof value !== "number" || value >= Number(rule),
  required: (rule, value) => !isObject(value) || (rule as string[]).every(name => Object.hasOwn(value, name)),
  properties: (rule, value, _, root) =>
    !isObject(value) ||
    Object.entries(rule as JsonObject).every(
      ([name, schema]) => !Object.hasOwn(value, name) || isValid(schema, value[name] ?? null, root),
    ),
  additionalProperties: (rule, value, _, root) =>
    !isObject(value) || Object.values(value).every(member => isValid(rule, member, root)),
  items: (rule, value, _, root) => !Array.isArray(value) || value.every(item => isValid(rule, item as Json, root)),
  anyOf: (rule, value, _, root) => (rule as Json[]).some(schema => isValid(schema, value, root)),
  oneOf: (rule, value, _, root) => (rule as Json[]).filter(schema => isValid(schema, value, root)).length === 1,
};
const notes = new Set(["$schema", "$defs", "title", "description", "examples", "contentEncoding"]);

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isValid(schema: Json, value: Json, root: JsonObject): boolean {
  return Object.entries(schema as JsonObject).every(([keyword, rule]) => {
    if (notes.has(keyword)) return true;
    const test = keywords[keyword];
    if (!test) throw new Error(`unknown keyword ${keyword}`);
    return test(rule, value, schema as JsonObject, root);
  });
}

/** Issues of what the types say; what nodes say to each other no schema knows. */
const shapeCodes = new Set(["wrong-type", "missing-member", "unknown-type", "unknown-value", "not-json"]);

/** A copy of a value with one place changed: a member removed, or anything put in its place. */
const spoiled = (value: Json): fc.Arbitrary<Json> => {
  const paths: (string | number)[][] = [];
  const collect = (at: Json, path: (string | number)[]): void => {
    if (path.length > 0) paths.push(path);
    if (Array.isArray(at)) for (const [index, item] of at.entries()) collect(item as Json, [...path, index]);
    else if (isObject(at)) for (const [key, member] of Object.entries(at)) collect(member, [...path, key]);
  };
  collect(value, []);
  const junk = fc.constantFrom<Json | undefined>(
    undefined,
    null,
    true,
    false,
    0,
    1.5,
    -1,
    "",
    "text",
    [],
    [{}],
    {},
    { type: "text" },
    { name: "x" },
    { url: "u", data: 1 },
  );
  return fc.tuple(fc.constantFrom(...paths), junk).map(([path, replacement]) => {
    const copy = structuredClone(value) as Json;
    const last = path.at(-1) as string | number;
    const holder = path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (at as { [step: string | number]: unknown })[step], copy) as {
      [step: string | number]: Json;
    };
    if (replacement !== undefined) holder[last] = replacement;
    else if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
    return copy;
  });
};
const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

describe.each([
  ["jsonSchema()", jsonSchema(), check, [...conversationExamples, everyPart, { messages: messageExamples }]],
  ["eventJsonSchema()", eventJsonSchema(), checkEvent, eventExamples],
] as const)("%s", (_, schema, checked, examples) => {
  it("names its draft, and defines every shape that it refers to", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    const defined = Object.keys(schema["$defs"] as JsonObject);
    const used = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
    expect(defined).toEqual(expect.arrayContaining(used));
  });

  it("takes every example of the specification", () => {
    for (const example of examples) expect(isValid(schema, asJson(example), schema)).toBe(true);
  });

  it("refuses what check finds errors of shape in, and nothing else", () => {
    let refused = 0;
    const one = fc.constantFrom(...examples).chain(example => spoiled(asJson(example)));
    fc.assert(
      fc.property(one, value => {
        const errors = checked(value).filter(({ code }) => shapeCodes.has(code));
        if (errors.length > 0) refused++;
        expect(isValid(schema, value, schema)).toBe(errors.length === 0);
      }),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(200);
  });
});
