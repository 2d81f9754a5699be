import { convert, decode, detect, encode, type FormatId, type FormatRef, type Json, type JsonObject } from "translogue";
import { describe, expect, test } from "vitest";

const messages = [{ role: "user", content: "hi" }];

test.each<[body: JsonObject, format: FormatId]>([
  [{ model: "claude-sonnet-4-5", max_tokens: 10, messages }, "anthropic-messages"],
  [{ model: "claude-sonnet-4-5", max_tokens: 10, messages, stream: true, temperature: 0 }, "anthropic-messages"],
  [{ model: "claude-sonnet-4-5", max_tokens: 10, messages, n: 1 }, "openai-chat"],
  [
    { model: "claude-sonnet-4-5", max_tokens: 10, messages: [{ role: "system", content: "s" }, ...messages] },
    "openai-chat",
  ],
  [{ model: "anthropic/claude-sonnet-4.5", max_tokens: 10, messages }, "openai-chat"],
  [{ model: "command-a-03-2025", messages }, "cohere"],
  [{ model: "command-r7b-12-2024", messages, stream: true }, "cohere"],
  [{ model: "command-a-03-2025", messages, stream_options: { include_usage: true } }, "openai-chat"],
  [{ model: "mistral-large-latest", messages }, "mistral"],
  [{ model: "gpt-5", max_tokens: 10, messages }, "openai-chat"],
])("the model tells whose plain request this is: %j", (body, format) => {
  expect(detect(body)[0]).toMatchObject({ format, shape: "request" });
});

describe("a request to Mistral", () => {
  const ending = (...more: Json[]): JsonObject => ({ model: "m", messages: [...messages, ...more] });
  const begun = { role: "assistant", content: "Once" };

  test("that ends with the assistant's words says that they are to be gone on with", () => {
    const { value, losses } = convert(ending(begun), { from: "openai-chat", to: "mistral", shape: "request" });
    expect(value).toEqual(ending({ ...begun, prefix: true }));
    expect(losses).toMatchObject([{ kind: "synthesised", code: "prefix", path: ["messages", 1] }]);
  });

  test.each<[what: string, wire: JsonObject]>([
    ["without a mark", ending(begun)],
    ["with one", ending({ ...begun, prefix: true })],
    ["in the middle", ending(begun, { role: "user", content: "go on" })],
  ])("of its own stays as it was, %s", (_, wire) => {
    expect(convert(wire, { from: "mistral", to: "mistral", shape: "request" })).toMatchObject({
      value: wire,
      losses: [],
    });
  });

  test.each<[FormatId, id: RegExp]>([
    ["mistral", /^[a-zA-Z0-9]{9}$/],
    ["cohere", /^call_/],
  ])("and others of the kind get ids for calls of the time before ids: %s", (to, id) => {
    const wire = ending(
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "1" },
    );
    const written = convert(wire, { from: "openai-chat", to, shape: "request" }).value as JsonObject; // a request
    const [, call, result] = written["messages"] as readonly JsonObject[]; // as it is written
    expect(call).toMatchObject({ tool_calls: [{ id: expect.stringMatching(id) }] });
    const [called] = (call?.["tool_calls"] ?? []) as readonly JsonObject[]; // as was looked at
    expect(result).toMatchObject({ role: "tool", tool_call_id: called?.["id"] });
  });
});

describe("what a host has stored stays with it", () => {
  test.each<[FormatRef, FormatRef]>([
    ["gemini-interactions", "gemini-interactions:vertex"],
    ["gemini-interactions:vertex", "gemini-interactions"],
  ])("stores that are searched: %s to %s", (from, to) => {
    const tools = [{ type: "file_search", file_search_store_names: ["fileSearchStores/y"] }, { type: "google_search" }];
    const wire = { model: "m", input: "q", tools };
    const { conversation } = decode(wire, { from, shape: "request" });
    expect(encode(conversation, { to: from, shape: "request" })).toMatchObject({ value: wire, losses: [] });
    const away = encode(conversation, { to, shape: "request" });
    expect(away.value).toMatchObject({ tools: [{ type: "google_search" }] });
    expect(away.losses.map(({ code }) => code)).toContain("foreign-state");
  });

  test("files that an answer cites", () => {
    const annotations = [{ type: "file_citation", file_id: "assistant-1", filename: "n", index: 0 }];
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "a", annotations }] };
    const sent = (to: FormatRef): string =>
      JSON.stringify(convert({ model: "m", input: [said] }, { from: "openai-responses", to, shape: "request" }).value);
    expect(sent("openai-responses")).toContain("assistant-1");
    expect(sent("openai-responses:azure")).not.toContain("assistant-1");
  });
});
