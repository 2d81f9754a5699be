import type { Json, JsonObject } from "translogue";
import { describe, expect, test } from "vitest";
import { problemWith } from "../src/loop/answer-schema.ts";

/** By https://json-schema.org/draft/2020-12/json-schema-validation. */

const person: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 2 },
  },
  required: ["name"],
  additionalProperties: false,
};
const tree: JsonObject = {
  type: "object",
  properties: { next: { $ref: "#" }, value: { $ref: "#/$defs/v" } },
  $defs: { v: { type: "number" } },
};

describe("an answer", () => {
  test.each<[JsonObject, Json, string]>([
    [{ type: "string" }, 1, "expected string"],
    [{ type: ["string", "null"] }, 1, "expected string or null"],
    [{ type: "integer" }, 1.5, "expected integer"],
    [{ type: "object" }, [], "expected object"],
    [{ const: true }, false, "expected one of true"],
    [{ enum: ["x", { a: 1 }] }, "y", 'expected one of "x", {"a":1}'],
    [{ maxLength: 1 }, "ab", "expected at most 1 characters"],
    [{ pattern: "^a" }, "b", "expected what matches ^a"],
    [{ format: "email" }, "ada", "expected a text of the format email"],
    [{ format: "date" }, "2026-13-01", "expected a text of the format date"],
    [{ minimum: 1 }, 0, "expected at least 1"],
    [{ exclusiveMaximum: 1 }, 1, "expected less than 1"],
    [person, {}, "name: it is missing"],
    [person, { name: "" }, "name: expected at least 1 characters"],
    [person, { name: "Ada", age: 1 }, "age: nothing may be given here"],
    [person, { name: "Ada", tags: ["a", "c"] }, 'tags.1: expected one of "a", "b"'],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "expected string"],
    [{ oneOf: [{ type: "number" }, { minimum: 0 }] }, 1, "it fits 2 choices, of which it may fit one"],
    [{ allOf: [{ type: "number" }, { minimum: 0 }] }, -1, "expected at least 0"],
    [{ not: { const: 0 } }, 0, "it is what may not be given"],
    [tree, { next: { next: { value: "x" } } }, "next.next.value: expected number"],
  ])("to %j that is %j is told: %s", (schema, value, problem) => {
    expect(problemWith(value, schema)).toBe(problem);
  });

  test.each<[JsonObject, Json]>([
    [{}, null],
    [{ type: "number" }, 1.5],
    [{ type: "integer" }, 2],
    [{ maxLength: 1 }, "😀"],
    [{ format: "uri" }, "https://example.com"],
    [{ format: "of its own" }, "x"],
    [{ pattern: "(" }, "x"],
    [{ type: "of its own" }, "x"],
    [{ enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 }],
    [{ $ref: "#" }, "x"],
    [{ $ref: "https://elsewhere" }, "x"],
    [person, { name: "Ada", tags: ["a"] }],
    [{ type: "object" }, { any: "thing" }],
    [tree, { next: { value: 1 } }],
  ])("to %j may be %j", (schema, value) => {
    expect(problemWith(value, schema)).toBeUndefined();
  });
});
