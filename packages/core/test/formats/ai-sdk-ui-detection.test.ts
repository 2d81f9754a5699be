import { convert, decode, detect, encode, type Json } from "translogue";
import { describe, expect, test } from "vitest";

const row = { id: "0", role: "user", content: "hi" };
const dated = { ...row, createdAt: "2025-01-01T00:00:00Z" };
const invocation = { state: "result", toolCallId: "c", toolName: "t", args: {}, result: 1 };
const old = {
  id: "1",
  role: "assistant",
  content: "",
  parts: [{ type: "tool-invocation", toolInvocation: invocation }],
};
const call = { type: "tool-t", toolCallId: "c", state: "output-available", input: {}, output: 1 };
const called = { id: "2", role: "assistant", parts: [call] };
const texts = { ...row, parts: [{ type: "text", text: "hi" }] };
const attached = { ...row, experimental_attachments: [{ url: "data:image/png;base64,AAAA" }] };

describe("messages in a database are the SDK's, and of generation 4 where only it wrote so", () => {
  test.each<[what: string, messages: Json, dialect: string]>([
    ["text, then a call as its part", [row, old], "v4"],
    ["text with an id and a time", [dated], "v4"],
    ["text with an id", [row], "v4"],
    ["texts that are said twice", [texts], "v4"],
    ["calls in their own list", [row, { ...row, role: "assistant", toolInvocations: [invocation] }], "v4"],
    ["attachments", [attached], "v4"],
    ["rows of generation 4, then of 5", [dated, called], "v4"],
    ["attachments, then rows of generation 5", [attached, called], "v4"],
    ["texts without parts, then rows of generation 5", [row, called], "v5"],
    ["rows of generation 5 that keep content", [texts, { ...called, content: "" }], "v5"],
    [
      "rows of generation 6 that keep content",
      [texts, { ...called, content: "", parts: [{ ...call, title: "T" }] }],
      "v6",
    ],
  ])("%s", (_, messages, dialect) => {
    expect(detect(messages)[0]).toMatchObject({ format: "ai-sdk-ui", shape: "messages", dialect });
    expect(detect({ id: "chat", messages })[0]).toMatchObject({ format: "ai-sdk-ui", shape: "request", dialect });
  });

  test("one message says as much as a list of it", () => {
    for (const message of [old, dated, row, texts]) {
      expect(detect(message)[0]).toMatchObject({ format: "ai-sdk-ui", shape: "message", dialect: "v4" });
    }
    expect(detect({ ...called, content: "" })[0]).toMatchObject({ format: "ai-sdk-ui", dialect: "v5" });
  });

  test("of two generations each row is read as its own", () => {
    const { conversation } = decode([dated, old, { ...called, parts: [{ ...call, toolCallId: "d" }] }], "ai-sdk-ui");
    const calls = conversation.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-call"));
    expect(calls).toMatchObject([{ callId: "c" }, { callId: "d" }]);
    expect(conversation.messages[0]).toMatchObject({ id: "0", createdAt: dated.createdAt });
  });

  test("only text without an id beside parts is Huajuan's mix", () => {
    expect(detect([{ role: "user", content: "hi" }, called])[0]?.format).toBe("huajuan");
    const file = { type: "file", data: "AAAA", mimeType: "image/png" };
    const mix = [
      { role: "user", content: "hi" },
      { id: "u", role: "user", parts: [file] },
    ];
    expect(detect(mix)[0]?.format).toBe("huajuan");
    expect(detect([{ role: "user", content: "hi" }])[0]?.format).toBe("openai-chat");
  });
});

describe("a stream that failed before it said anything is read as one where its format is named", () => {
  const error = { type: "error", errorText: "x" };
  test.each<[what: string, chunks: Json[], message: object]>([
    ["an error", [{ type: "start" }, error], { finish: { reason: "error" }, parts: [{ type: "error", message: "x" }] }],
    ["an abort", [{ type: "start" }, { type: "abort" }], { finish: { reason: "aborted" } }],
    ["nothing", [{ type: "start" }, { type: "finish" }], { parts: [] }],
    [
      "a file",
      [{ type: "start" }, { type: "file", url: "https://x.test/a", mediaType: "image/png" }, { type: "finish" }],
      { parts: [{ type: "file", mediaType: "image/png", source: { url: "https://x.test/a" } }] },
    ],
  ])("%s", (_, chunks, message) => {
    const { conversation, shape, issues } = decode(chunks, "ai-sdk-ui");
    expect([shape, issues]).toEqual(["stream", []]);
    expect(conversation.messages).toMatchObject([message]);
    expect(detect(chunks)[0]?.confidence).toBeLessThan(0.3);
  });
});

describe("one message that becomes several", () => {
  test("is written as a list, unless one was asked for", () => {
    const { value, shape } = convert(called, { from: "ai-sdk-ui", to: "openai-chat" });
    expect([shape, value]).toMatchObject(["messages", [{ role: "assistant" }, { role: "tool" }]]);
    expect(() => convert(called, { from: "ai-sdk-ui", to: "openai-chat", as: "message" })).toThrow(
      /ask for `messages`/,
    );
  });
});

describe("the media type of a file is the part's, or where that says none the data URL's", () => {
  const message = (mediaType: string, header: string): Json => ({
    id: "u",
    role: "user",
    parts: [{ type: "file", mediaType, url: `data:${header};base64,AAAA` }],
  });
  test.each([
    ["", "image/png", "image/png", []],
    ["application/octet-stream", "image/png", "image/png", []],
    ["image/*", "image/png;charset=x", "image/png", []],
    ["image/*", "", "image/*", []],
    ["image/jpeg", "image/png", "image/jpeg", ["other-media-type"]],
    ["IMAGE/PNG", "image/png", "IMAGE/PNG", []],
    ["image/png", "application/octet-stream", "image/png", []],
  ])("%j and %j", (mediaType, header, read, codes) => {
    const { conversation, issues } = decode(message(mediaType, header), "ai-sdk-ui:v6");
    expect(conversation.messages[0]?.parts).toMatchObject([{ mediaType: read, source: { data: "AAAA" } }]);
    expect(issues.map(({ code }) => code)).toEqual(codes);
    expect(encode(conversation, { to: "ai-sdk-ui:v6", shape: "message" }).value).toEqual(message(mediaType, header));
  });
});
