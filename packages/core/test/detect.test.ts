import { detect, type Json } from "translogue";
import { expect, test } from "vitest";

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
