import { convert, decode, type FormatId, type Json, type JsonObject } from "translogue";
import { prepare } from "translogue/targets";
import { describe, expect, test } from "vitest";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, unit: { type: "string" } },
  required: ["city"],
};
const chat = (more: JsonObject = {}): JsonObject => ({
  model: "m",
  messages: [{ role: "user", content: "Hi" }],
  tools: [{ type: "function", function: { name: "weather", parameters: schema, ...more } }],
});
const responses = (more: JsonObject = {}): JsonObject => ({
  model: "m",
  input: [{ role: "user", content: "Hi" }],
  tools: [{ type: "function", name: "weather", parameters: schema, ...more }],
});
const toolOf = (value: unknown): Json => (value as { tools: Json[] }).tools[0] ?? null; // a request with a tool

describe("a tool that does not say whether it is strict", () => {
  const request = { shape: "request" } as const;

  test("is loose in Chat, and says so to Responses, where it would be strict", () => {
    const { value, losses } = convert(chat(), { from: "openai-chat", to: "openai-responses", ...request });
    expect(toolOf(value)).toEqual({ type: "function", name: "weather", parameters: schema, strict: false });
    expect(losses).toEqual([]);
  });

  test("is strict in Responses where it can be, which Chat is not told", () => {
    const { value, losses } = convert(responses(), { from: "openai-responses", to: "openai-chat", ...request });
    expect(toolOf(value)).toEqual({ type: "function", function: { name: "weather", parameters: schema } });
    expect(losses).toMatchObject([{ kind: "approximated", code: "strict-default", path: ["tools", 0] }]);
  });

  test.each<[FormatId, FormatId, JsonObject]>([
    ["openai-chat", "openai-chat", chat()],
    ["openai-responses", "openai-responses", responses()],
    ["openai-chat", "openai-responses", chat({ strict: true })],
    ["openai-responses", "openai-chat", responses({ strict: false })],
    ["openai-chat", "anthropic-messages", chat()],
    ["openai-responses", "maf", responses()],
  ])("stays as it is from %s to %s", (from, to, wire) => {
    const { losses } = convert(wire, { from, to, ...request });
    expect(losses.map(({ code }) => code)).not.toContain("strict-default");
  });

  test("means the same in a history that is prepared", () => {
    const { conversation, strictTools = true } = decode(chat(), { from: "openai-chat", ...request });
    const { value } = prepare(conversation, "openai-responses", { strictTools });
    expect(toolOf(value)).toMatchObject({ strict: false });
  });

  test("says nothing of itself to a store, so that it comes home as it was", () => {
    const there = { from: "openai-chat", to: "openai-responses", recipient: "store", ...request } as const;
    const { value } = convert(chat(), there);
    expect(toolOf(value)).not.toHaveProperty("strict");
  });
});
