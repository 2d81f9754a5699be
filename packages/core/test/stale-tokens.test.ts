import { type Conversation, decode, encode, type FormatId, type Json, type JsonObject, type Part } from "translogue";
import { describe, expect, test } from "vitest";

const tokens = (...texts: readonly string[]): Json => texts.map(token => ({ token, logprob: -0.1, bytes: null }));
const chat = (content: string, list: Json): JsonObject => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content },
      finish_reason: "stop",
      logprobs: { content: list, refusal: null },
    },
  ],
});
const responses = (text: string, logprobs: Json): JsonObject => ({
  id: "r",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [], logprobs }],
    },
  ],
});
const edited = ({ messages }: Conversation, text: string): Conversation => ({
  messages: messages.map(message => ({
    ...message,
    parts: message.parts.map((part): Part => (part.type === "text" ? { ...part, text } : part)),
  })),
});

const formats: readonly [FormatId, (text: string, list: Json) => JsonObject][] = [
  ["openai-chat", chat],
  ["mistral", chat],
  ["openai-responses", responses],
];

describe.each(formats)("the probabilities of tokens in %s", (format, wire) => {
  const read = (value: JsonObject) => decode(value, { from: format, shape: "answer" }).conversation;
  const write = (conversation: Conversation) => encode(conversation, { to: format, shape: "answer" });

  test.each<[string, string, Json]>([
    ["of each word", "It is so.", tokens("It", " is", " so.")],
    ["of parts of characters", "Hé", tokens("H", "\\xc3", "\\xa9")],
    ["of none", "It is so.", []],
  ])("stay with their text: %s", (_, text, list) => {
    const { value, losses } = write(read(wire(text, list)));
    expect(value).toEqual(wire(text, list));
    expect(losses.map(({ code }) => code)).not.toContain("stale");
  });

  test.each<[string, string, Json]>([
    ["of each word", "It is so.", tokens("It", " is", " so.")],
    ["of parts of characters", "Hé", tokens("H", "\\xc3", "\\xa9")],
  ])("are void once it was edited: %s", (_, text, list) => {
    const { value, losses } = write(edited(read(wire(text, list)), "It is otherwise."));
    expect(JSON.stringify(value)).not.toContain('"token"');
    expect(losses.map(({ code }) => code)).toContain("stale");
  });
});
