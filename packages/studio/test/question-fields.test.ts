import type { Json } from "translogue";
import { describe, expect, test } from "vitest";
import { fieldsOf, filledIn } from "../src/parts/question-fields.ts";

const one = (schema: Json | undefined) => fieldsOf(schema)[0];
const filled = (schema: Json | undefined, ...texts: string[]) => filledIn(fieldsOf(schema), texts);
const form = (properties: Json, ...required: string[]): Json => ({ type: "object", properties, required });

describe("the form of a schema", () => {
  test.each<[string, Json | undefined, object]>([
    ["none is a text", undefined, { kind: "text", isRequired: true }],
    ["a number", { type: "integer", default: 3 }, { kind: "number", initial: "3" }],
    ["a truth", { type: "boolean" }, { kind: "boolean" }],
    [
      "values",
      { enum: ["a", 1] },
      {
        kind: "choice",
        choices: [
          { label: "a", value: "a" },
          { label: "1", value: 1 },
        ],
      },
    ],
    ["values with names", { enum: ["a"], enumNames: ["An A"] }, { choices: [{ label: "An A", value: "a" }] }],
    ["constants with titles", { oneOf: [{ const: "a", title: "An A" }] }, { choices: [{ label: "An A", value: "a" }] }],
    [
      "alternatives that are no constants",
      { anyOf: [{ type: "string" }, { const: 1 }] },
      { kind: "json", choices: [] },
    ],
    ["a list", { type: "array" }, { kind: "json" }],
    ["a choice that is made", { enum: ["a", "b"], default: "b" }, { kind: "choice", initial: "1" }],
  ])("of %s", (_, schema, expected) => {
    expect(one(schema)).toMatchObject(expected);
  });

  test("has a field for each member, by its title and description", () => {
    expect(fieldsOf(form({ a: { type: "string", title: "A", description: "The first." }, b: {} }, "a"))).toMatchObject([
      { name: "a", label: "A", help: "The first.", isRequired: true, kind: "text" },
      { name: "b", label: "b", isRequired: false, kind: "json" },
    ]);
  });

  test.each<[string, Json | undefined, string[], object]>([
    ["a text", undefined, ["Sea"], { value: "Sea" }],
    [
      "members, without those left empty",
      form({ a: { type: "number" }, b: { type: "number" } }),
      ["2.5", ""],
      { value: { a: 2.5 } },
    ],
    ["a truth", { type: "boolean" }, ["false"], { value: false }],
    ["a choice that is no text", { enum: [null, 7] }, ["1"], { value: 7 }],
    ["JSON", { type: "array" }, ["[1]"], { value: [1] }],
    ["no number", form({ a: {}, b: { type: "number" } }), ["1", "x"], { wrong: 1 }],
    ["no JSON", { type: "array" }, ["[1"], { wrong: 0 }],
    ["nothing where something has to be", form({ a: { type: "number" } }, "a"), [""], { wrong: 0 }],
  ])("reads %s", (_, schema, texts, expected) => {
    expect(filled(schema, ...texts)).toEqual(expected);
  });
});
