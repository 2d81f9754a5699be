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
const gemini = (text: string, list: Json): JsonObject => ({
  candidates: [
    {
      content: { parts: [{ text }], role: "model" },
      finishReason: "STOP",
      index: 0,
      logprobsResult: { chosenCandidates: list },
    },
  ],
  responseId: "r",
});
const ollama = (content: string, logprobs: Json): JsonObject => ({
  model: "m",
  created_at: "2026-11-30T00:00:00Z",
  message: { role: "assistant", content },
  done: true,
  done_reason: "stop",
  logprobs,
});
/** Its tokens are of another shape: the text as a member of that name. */
const cohere = (text: string, list: Json): JsonObject => ({
  id: "r",
  finish_reason: "COMPLETE",
  message: { role: "assistant", content: [{ type: "text", text }] },
  logprobs: (list as readonly JsonObject[]).map(({ token = null }) => ({
    token_ids: [1],
    text: token,
    logprobs: [-0.1],
  })), // a list of tokens
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
  ["gemini", gemini],
  ["ollama", ollama],
  ["cohere", cohere],
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
    expect(JSON.stringify(value)).not.toMatch(/"token"|token_ids/);
    expect(losses.map(({ code }) => code)).toContain("stale");
  });

  test("are void once it was edited to a text of the same length", () => {
    const list = tokens("H", "\\xc3", "\\xa9");
    const { value, losses } = write(edited(read(wire("Hé", list)), "Ho"));
    expect(JSON.stringify(value)).not.toMatch(/"token"|token_ids/);
    expect(losses.map(({ code }) => code)).toContain("stale");
  });
});

describe("the probabilities of a refusal's tokens", () => {
  const list = tokens("I", " won't");
  const refused: JsonObject = {
    ...chat("", []),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: null, refusal: "I won't" },
        finish_reason: "stop",
        logprobs: { content: null, refusal: list },
      },
    ],
  };
  const read = (): Conversation => decode(refused, { from: "openai-chat", shape: "answer" }).conversation;

  test("stay with it", () => {
    const { value, losses } = encode(read(), { to: "openai-chat", shape: "answer" });
    expect(value).toEqual(refused);
    expect(losses).toEqual([]);
  });

  test("are void once it was edited", () => {
    const { messages } = read();
    const other = messages.map(message => ({
      ...message,
      parts: message.parts.map((part): Part => (part.type === "refusal" ? { ...part, text: "I can't" } : part)),
    }));
    const { value, losses } = encode({ messages: other }, { to: "openai-chat", shape: "answer" });
    expect(JSON.stringify(value)).not.toContain('"token"');
    expect(losses.map(({ code }) => code)).toEqual(["stale"]);
  });

  test("do not go with those of a text beside it", () => {
    const both = { role: "assistant", content: "Well.", refusal: "I won't" };
    const logprobs = { content: tokens("Well", "."), refusal: list };
    const wire = { ...refused, choices: [{ index: 0, message: both, finish_reason: "stop", logprobs }] };
    const { conversation } = decode(wire, { from: "openai-chat", shape: "answer" });
    const { value } = encode(edited(conversation, "So."), { to: "openai-chat", shape: "answer" });
    expect(value).toMatchObject({ choices: [{ logprobs: { content: null, refusal: list } }] });
  });
});
