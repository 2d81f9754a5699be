import { describe, expect, test } from "vitest";
import { holdsLeaves } from "../src/conformance/runners/aisdk-provider-places.ts";
import { requestOptions as langchainOptions } from "../src/conformance/runners/langchain-allowances.ts";
import { requestOptions as mafOptions } from "../src/conformance/runners/maf-request-allowances.ts";
import { keeps } from "../src/keeps.ts";

const fitted = { losses: [], tools: [] };
const missingOf = (theirs: object, ours: object, options: typeof mafOptions | typeof langchainOptions, given = {}) =>
  keeps(theirs, ours, options({ theirs, ours, fitted, given, options: {} })).missing.map(({ path }) => path.join("."));

describe("a rule excuses the difference that its reason names, and no other", () => {
  test.each([
    ["a number within another", { id: 210 }, 1, false],
    ["a digit of a text", { id: "call_1" }, 1, false],
    ["a number", { counts: [1] }, 1, true],
    ["a text", { text: "one" }, "one", true],
    ["a part of a text", { text: "ones" }, "one", false],
  ])("%s", (_, whole, leaf, isHeld) => expect(holdsLeaves(whole, leaf)).toBe(isHeld));

  test("the result of the application's own call is none of a provider's", () => {
    const theirs = { input: [{ type: "function_call_output", call_id: "call_1", output: "sunny" }] };
    expect(missingOf(theirs, { input: [] }, langchainOptions)).toEqual(["input.0"]);
    const given = { messages: [{ contentBlocks: [{ type: "server_tool_call", id: "call_1" }] }] };
    expect(missingOf(theirs, { input: [] }, langchainOptions, given)).toEqual(["input.0"]); // no loss says so
  });

  test("reasoning is left out where a loss says so", () => {
    const theirs = { input: [{ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] }] };
    expect(missingOf(theirs, { input: [] }, mafOptions)).toEqual(["input.0"]);
    expect(missingOf(theirs, { input: [] }, langchainOptions)).toEqual(["input.0"]);
  });

  test("a function of Anthropic's is no hosted tool", () => {
    const tool = (properties: object) => ({ tools: [{ name: "f", input_schema: { type: "object", properties } }] });
    expect(missingOf(tool({ a: { type: "string" } }), tool({ a: { type: "number" } }), mafOptions)).toEqual([
      "tools.0.input_schema.properties.a.type",
    ]);
  });
});
