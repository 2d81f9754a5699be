import { detect, type Json, type JsonObject } from "translogue";
import { describe, expect, test } from "vitest";

const answer = {
  index: 0,
  message: { role: "assistant", content: [{ type: "text", text: "Hi" }] },
  finish_reason: "stop",
};

test.each<[name: string, value: Json, format: string, shape: string]>([
  [
    "one object of Ollama's that is not done",
    { model: "llama3", created_at: "2026", message: { role: "assistant", content: "Hi" }, done: false },
    "ollama",
    "answer",
  ],
  [
    "an answer of Claude's of which little was kept",
    { role: "assistant", model: "c", content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" },
    "anthropic-messages",
    "answer",
  ],
  [
    "an error of the Responses API, by what it is about",
    { error: { message: "Bad.", type: "invalid_request_error", param: "input[0].content", code: null } },
    "openai-responses",
    "error",
  ],
  [
    "an error of the Chat API, by what it is about",
    { error: { message: "Bad.", type: "invalid_request_error", param: "messages[0].content", code: null } },
    "openai-chat",
    "error",
  ],
  [
    "an answer by OpenAI's id, in blocks as Mistral has them",
    { id: "chatcmpl-1", object: "chat.completion", model: "m", choices: [answer] },
    "openai-chat",
    "answer",
  ],
  [
    "an answer by Mistral's id, in blocks",
    {
      id: "0123456789abcdef0123456789abcdef",
      object: "chat.completion",
      model: "mistral-large-latest",
      choices: [answer],
    },
    "mistral",
    "answer",
  ],
  ...[
    { metadata: { user_id: "u" } },
    { stop_sequences: ["x"] },
    { messages: [{ role: "user", content: [{ type: "text", text: "q", cache_control: { type: "ephemeral" } }] }] },
    { tools: [{ type: "web_search_20250305", name: "web_search" }] },
  ].map((more): [string, Json, string, string] => [
    `a request of Messages by its limit and ${Object.keys(more)[0]}`,
    { model: "m", max_tokens: 9, messages: [{ role: "user", content: "q" }], ...more },
    "anthropic-messages",
    "request",
  ]),
  [
    "a request of a router, which names the maker of the model",
    {
      model: "anthropic/claude",
      max_tokens: 9,
      messages: [{ role: "user", content: [{ type: "text", text: "q", cache_control: { type: "ephemeral" } }] }],
    },
    "openai-chat",
    "request",
  ],
  [
    "an answer of Messages that says nothing but its content",
    { id: "msg_1", type: "message", role: "assistant", content: [{ type: "text", text: "Hi" }] },
    "anthropic-messages",
    "answer",
  ],
])("%s is told apart", (_, value, format, shape) => {
  expect(detect(value)[0]).toMatchObject({ format, shape });
});

const asked = { role: "user", content: "hi" };
const said = { role: "assistant", content: "x" };
const calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
const called = { role: "assistant", content: null, refusal: null, annotations: [], tool_calls: calls };
const turn = [called, { role: "tool", tool_call_id: "c", content: "1" }];
const cited = {
  type: "url_citation",
  url_citation: { url: "https://x.test", title: "t", start_index: 0, end_index: 1 },
};
const recording = { id: "a", data: "AA==", transcript: "x", expires_at: 1 };
const dated = { id: "m", createdAt: "2026-01-01T00:00:00Z" };

describe("a history of the Chat API is its, whatever OpenAI's and other hosts' answers have beside their text", () => {
  test.each<[what: string, answer: JsonObject]>([
    ["no refusal and no annotations", { ...said, refusal: null, annotations: [] }],
    ["no annotations", { ...said, annotations: [] }],
    ["citations", { ...said, annotations: [cited] }],
    ["audio", { ...said, content: null, refusal: null, annotations: [], audio: recording }],
    ["a function's call", { ...said, refusal: null, annotations: [], function_call: { name: "f", arguments: "{}" } }],
    ["a name", { ...said, name: "n", annotations: [] }],
    ["a call", called],
    [
      "all members as null",
      { ...said, refusal: null, annotations: [], audio: null, function_call: null, tool_calls: null },
    ],
    ["reasoning", { ...said, reasoning: "r" }],
    ["reasoning and no refusal", { ...said, refusal: null, reasoning: "r" }],
    ["an id that the application gave", { ...said, id: "m", refusal: null, annotations: [] }],
    ["an id and a time that the application gave", { ...said, ...dated, refusal: null, annotations: [] }],
  ])("%s", (_, answer) => {
    for (const messages of [
      [asked, answer],
      [asked, answer, ...turn],
      [asked, ...turn, answer],
    ]) {
      expect(detect(messages)[0]).toMatchObject({ format: "openai-chat", shape: "messages" });
      expect(detect({ messages })[0]).toMatchObject({ format: "openai-chat", shape: "request" });
    }
    expect(detect(answer)[0]).toMatchObject({ format: "openai-chat", shape: "message" });
  });

  test.each<[what: string, rows: readonly JsonObject[]]>([
    ["annotations", [{ ...said, id: "m", annotations: [] }]],
    ["a time", [{ ...said, ...dated }]],
    ["reasoning", [{ ...said, id: "m", reasoning: "r" }]],
  ])("rows with an id and %s are the AI SDK's alone, and Chat's beside calls of Chat's", (_, rows) => {
    expect(detect(rows)[0]?.format).toBe("ai-sdk-ui");
    expect(detect([...rows, ...turn])[0]?.format).toBe("openai-chat");
  });
});
