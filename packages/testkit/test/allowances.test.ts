import { describe, expect, test } from "vitest";
import { lostTurn } from "../src/conformance/runners/aisdk-lost-turns.ts";
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

  test("a call without an id, and a turn, are no ids in other letters", () => {
    const turn = (name: string) => ({ messages: [{ role: "assistant", tool_calls: [{ function: { name } }] }] });
    expect(missingOf(turn("weather"), turn("clock"), langchainOptions)).toEqual([
      "messages.0.tool_calls.0.function.name",
    ]);
  });

  test("a result of another call is no text in one turn", () => {
    const result = (id: string) => ({ messages: [{ role: "tool", tool_call_id: id, content: [{ text: "sunny" }] }] });
    expect(missingOf(result("call_1"), result("call_2"), langchainOptions)).toEqual(["messages.0"]);
  });

  test("a block that the API knows is compared", () => {
    const result = (text: string) => ({
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ text }] }] }],
    });
    const given = { provider: "anthropic-messages" };
    const options = (all: object) => langchainOptions({ ...all, ...given } as Parameters<typeof langchainOptions>[0]);
    expect(keeps(result("sunny"), result("rainy"), options({ ours: result("rainy") })).missing).toHaveLength(1);
  });

  test("a description has the same words, but for what strict mode does not take", () => {
    const tool = (description: string) => ({
      tools: [{ type: "function", parameters: { properties: { q: { description } } } }],
    });
    expect(missingOf(tool("a\nNote: b"), tool("a"), mafOptions)).toEqual([
      "tools.0.parameters.properties.q.description",
    ]);
    expect(missingOf(tool("a\nminLength: 2"), tool("a\n\n{minLength: 3}"), mafOptions)).toHaveLength(1);
    expect(missingOf(tool("a\nminLength: 2"), tool("a\n\n{minLength: 2}"), mafOptions)).toEqual([]);
  });

  test("reasoning without words is no raw reasoning", () => {
    const item = (summary: object[]) => ({ input: [{ type: "reasoning", id: "rs", summary }] });
    const missing = missingOf(item([{ type: "summary_text", text: "" }]), item([{ type: "other" }]), mafOptions);
    expect(missing).not.toEqual([]);
  });

  test.each([
    ["in another order", ["assistant", "user"]],
    ["of another side", ["user", "user"]],
  ])("turns %s are not lost", (_, roles) => {
    const request = (sides: readonly string[]) => ({
      messages: sides.map((role, index) => ({ role, content: [{ type: "text", text: `${role} ${index % 2}` }] })),
    });
    const [theirs, ours] = [request(roles), request(["user", "assistant"])];
    const kept = keeps(theirs, ours, { allowances: [lostTurn({}, { theirs, ours })] });
    expect(kept.missing).not.toEqual([]);
  });
});
