import {
  type Conversation,
  decode,
  encode,
  type Json,
  type JsonObject,
  type Part,
  readText,
  type Shape,
  writeText,
} from "translogue";
import { describe, expect, test } from "vitest";

const format = "maf";
const read = (value: Json, shape: Shape = "message", dialect = "chat"): Conversation =>
  decode(value, { from: format, shape, dialect }).conversation;
const _partOf = (content: Json): Part | undefined => read(content, "block").messages[0]?.parts[0];
const write = (conversation: Conversation, shape: Shape, options: { dialect?: string; carry?: boolean } = {}) =>
  encode(conversation, { to: format, shape, recipient: "store", carry: false, ...options });
const _writeBlock = (part: Part) => write({ messages: [{ role: "assistant", parts: [part] }] }, "block");

const _call = { $type: "functionCall", name: "f", arguments: { x: 1 }, informationalOnly: false, callId: "c" };
const _callPart = { type: "tool-call", callId: "c", name: "f", input: { x: 1 } } as const;

describe("an envelope", () => {
  test.each([
    ["stop", { reason: "stop" }],
    ["Tool_Calls", { reason: "tool-calls", raw: "Tool_Calls" }],
    ["content_filter", { reason: "content-filter" }],
    ["max_turns", { reason: "other", raw: "max_turns" }],
    ["pause", { reason: "pause" }],
  ])("says the finish reason %s", (finishReason, finish) => {
    const answer = { messages: [{ role: "assistant", contents: [] }], finishReason };
    const conversation = read(answer, "answer");
    expect(conversation.messages[0]?.finish).toEqual(finish);
    expect(write(conversation, "answer").value).toEqual(answer);
  });

  test("without messages is an empty message", () => {
    const answer = { messages: [], agentId: "a", finishReason: "stop" };
    const conversation = read(answer, "answer", "agent");
    expect(conversation.messages).toMatchObject([{ role: "assistant", parts: [], finish: { reason: "stop" } }]);
    expect(write(conversation, "answer", { dialect: "agent" }).value).toEqual(answer);
  });

  test("puts id and model on each of its messages", () => {
    const answer = {
      messages: [
        { role: "assistant", contents: [] },
        { role: "tool", contents: [] },
      ],
      responseId: "r",
      modelId: "m",
    };
    const { messages } = read(answer, "answer");
    expect(messages).toMatchObject([
      { responseId: "r", model: "m" },
      { responseId: "r", model: "m" },
    ]);
  });
});

describe("a session", () => {
  const history = [{ role: "user", contents: [{ $type: "text", text: "hi" }] }];
  test.each<[what: string, session: JsonObject]>([
    [
      "its history among other state",
      { conversationId: "c", stateBag: { a: null, InMemoryChatHistoryProvider: { messages: history, x: 1 }, b: [] } },
    ],
    ["no history", { stateBag: {} }],
    ["an empty history", { stateBag: { InMemoryChatHistoryProvider: { messages: [] } } }],
    ["a history that is none", { stateBag: { InMemoryChatHistoryProvider: { messages: {} } } }],
    ["members of a workflow", { stateBag: {}, sessionId: "s", pendingRequests: {} }],
  ])("keeps %s", (_, session) => {
    const conversation = read(session, "file");
    const { value } = write(conversation, "file");
    expect(JSON.stringify(value)).toBe(JSON.stringify(session));
  });

  test("of an older version is read", () => {
    const { messages } = read({ chatHistoryProviderState: { messages: history } }, "file");
    expect(messages).toEqual([{ role: "user", parts: [{ type: "text", text: "hi" }] }]);
  });
});

describe("text to text", () => {
  test.each<[shape: Shape, text: string]>([
    ["block", '{"$type":"functionResult","result":1.10,"callId":"c"}'],
    [
      "block",
      '{"$type":"functionCall","name":"f","arguments":{"z":1.0,"10":1e3,"2":12345678901234567890},"informationalOnly":false,"callId":"c"}',
    ],
    ["block", '{"$type":"hostedFile","fileId":"f","sizeInBytes":9223372036854775807}'],
    ["block", '{"$type":"usage","details":{"totalTokenCount":9223372036854775807}}'],
    [
      "message",
      '{"role":"user","contents":[{"$type":"text","text":"é🤖\\u00A0","additionalProperties":{"a":1.0}}]}'.replace(
        "🤖",
        "\\uD83E\\uDD16",
      ),
    ],
    ["answer", '{"messages":[],"usage":{"inputTokenCount":9007199254740993}}'],
    ["file", '{"stateBag":{"k":{"b":1.0,"a":1e400}}}'],
  ])("keeps every byte of a %s: %s", (shape, text) => {
    const { value, exact } = readText(text, format);
    const { conversation } = decode(value, { from: format, shape, dialect: "chat", exact });
    const written = write(conversation, shape);
    const options = { shape, dialect: "chat", ...(written.exact && { exact: written.exact }) };
    expect(writeText(written.value, format, options)).toBe(text);
  });

  test("in each style", () => {
    const value = [{ role: "user", contents: [{ $type: "text", text: "é<" }] }];
    const written = ["compact", "indented", "nulls", "web"].map(style => writeText(value, format, { style }));
    expect(written[0]).toBe('[{"role":"user","contents":[{"$type":"text","text":"é<"}]}]');
    expect(written[1]).toContain('\n    "contents": [\n      {\n        "$type": "text",');
    expect(written[2]).toContain('"authorName":null,"createdAt":null,"role":"user"');
    expect(written[3]).toContain('"text":"\\u00E9\\u003C"');
  });
});
