import { type Conversation, decode, detect, encode, type Json, type Message, type Part, type Shape } from "translogue";
import { describe, expect, test } from "vitest";

const format = "maf";
const read = (value: Json, shape: Shape = "message", dialect = "chat"): Conversation =>
  decode(value, { from: format, shape, dialect }).conversation;
const _partOf = (content: Json): Part | undefined => read(content, "block").messages[0]?.parts[0];
const write = (conversation: Conversation, shape: Shape, options: { dialect?: string; carry?: boolean } = {}) =>
  encode(conversation, { to: format, shape, recipient: "store", carry: false, ...options });
const writeBlock = (part: Part) => write({ messages: [{ role: "assistant", parts: [part] }] }, "block");

const _call = { $type: "functionCall", name: "f", arguments: { x: 1 }, informationalOnly: false, callId: "c" };
const _callPart = { type: "tool-call", callId: "c", name: "f", input: { x: 1 } } as const;

describe("what MAF cannot hold", () => {
  const conversation: Conversation = {
    messages: [
      { role: "user", parts: [{ type: "text", text: "a", cache: {} }], metadata: { mine: 1 } },
      { role: "assistant", parts: [{ type: "data", name: "n", data: 1 }] },
    ],
  };
  test("travels in `additionalProperties`, beside what stands there", () => {
    const { value, losses } = write(conversation, "messages", { carry: true });
    expect(losses.every(loss => loss.carried)).toBe(true);
    expect(value).toMatchObject([{ additionalProperties: { translogue: { v: 1 } } }, {}]);
    expect(read(value as Json, "messages")).toEqual(conversation); // codecs write JSON
  });
});

test.each<[value: Json, shape: Shape, dialect: string | undefined]>([
  [{ $type: "functionCall", name: "f", callId: "c" }, "block", undefined],
  [{ role: "user", contents: [{ $type: "text", text: "a" }] }, "message", "chat"],
  [[{ role: "user", contents: [{ $type: "text", text: "a" }] }], "messages", "chat"],
  [{ messages: [{ role: "assistant", contents: [{ $type: "text", text: "a" }] }], modelId: "m" }, "answer", "chat"],
  [{ messages: [{ role: "assistant", contents: [{ $type: "text", text: "a" }] }], agentId: "m" }, "answer", "agent"],
  [{ contents: [{ $type: "text", text: "a" }], responseId: "r" }, "event", "chat"],
  [[{ contents: [{ $type: "text", text: "a" }], agentId: "r" }], "stream", "agent"],
  [{ stateBag: {} }, "file", undefined],
])("%j is known for a %s", (value, shape, dialect) => {
  const [first] = detect(value);
  expect(first).toMatchObject({ format, shape, ...(dialect && { dialect }) });
});

test.each<[code: string, part: Part]>([
  ["approval-call", { type: "approval-response", requestId: "r", approved: true }],
  ["arguments", { type: "tool-call", callId: "c", name: "f", input: [1] }],
  ["arguments", { type: "tool-call", callId: "c", name: "f", inputText: "{" }],
  ["citation-name", { type: "text", text: "a", citations: [{ name: "n" }] }],
  ["data-contents", { type: "tool-result", callId: "c", output: [{ type: "data", data: { $type: "text" } }] }],
  ["data-text", { type: "tool-result", callId: "c", output: [{ type: "data", data: "a" }] }],
  [
    "data-text",
    {
      type: "tool-result",
      callId: "c",
      output: [
        { type: "data", data: 1 },
        { type: "text", text: "a" },
      ],
    },
  ],
  ["data-uri", { type: "file", mediaType: "a/b", source: { data: "?" } }],
  ["data-url", { type: "file", mediaType: "a/b", source: { url: "data:a/b;base64,aGk=" } }],
  ["empty-output", { type: "tool-result", callId: "c", output: [] }],
  ["empty-reasoning", { type: "reasoning", text: "", seal: { values: { protectedData: "p" } } }],
  ["file-name", { type: "file", mediaType: "a/b", name: "n", source: { url: "https://e.com" } }],
  ["file-parts", { type: "file", source: { parts: [] } }],
  ["file-provider", { type: "file", source: { id: "f", provider: "p" } }],
  ["blank", { type: "file", source: { id: " " } }],
  ["handled", { type: "tool-call", callId: "c", name: "n", kind: "mcp", executedBy: "provider", handled: true }],
  [
    "hosted-input",
    {
      type: "tool-call",
      callId: "c",
      name: "web_search",
      kind: "web-search",
      executedBy: "provider",
      input: { queries: ["q"] },
    },
  ],
  ["hosted-kind", { type: "tool-call", callId: "c", name: "n", kind: "mcp", input: {} }],
  ["media-type", { type: "file", mediaType: "image", source: { id: "f" } }],
  ["no-media-type", { type: "file", source: { data: "aGk=" } }],
  ["no-reasoning", { type: "reasoning" }],
  ["refusal-code", { type: "error", message: "m", code: "Refusal" }],
  ["seal", { type: "reasoning", text: "a", seal: { maker: "anthropic", values: { signature: "s" } } }],
  ["server", { type: "tool-call", callId: "c", name: "f", server: "s" }],
  ["source-file", { type: "source", url: "https://e.com" }],
  ["source-url", { type: "source", title: "t" }],
  ["text-file", { type: "file", mediaType: "text/plain", source: { text: "a" } }],
  ["tool-kind", { type: "tool-call", callId: "c", name: "f", kind: "shell" }],
  ["tool-kind", { type: "tool-result", callId: "c", kind: "shell" }],
  ["tool-name", { type: "tool-call", callId: "c", name: "n", kind: "web-search", executedBy: "provider" }],
  ["uri", { type: "file", mediaType: "a/b", source: { url: "https://e.com:99999" } }],
])("the loss %s is said of %j", (code, part) => {
  expect(writeBlock(part).losses.map(loss => loss.code)).toContain(code);
});

test.each<[code: string, members: Partial<Message>]>([
  ["author", { author: { id: "x" } }],
  ["date", { createdAt: "2026-04-12T03:00:21+0200" }],
  ["role", { role: "USER" }],
  ["usage", { usage: { cacheRead: 1 } }],
  ["message.finish", { finish: { reason: "stop" } }],
])("the loss %s is said of a message with %j", (code, members) => {
  const { losses } = write({ messages: [{ role: "user", parts: [], ...members }] }, "messages");
  expect(losses.map(loss => loss.code)).toEqual([code]);
});

test.each<[code: string, dialect: string, first: Partial<Message>, last: Partial<Message>]>([
  ["envelope", "chat", { responseId: "a" }, { responseId: "b" }],
  ["envelope", "chat", { finish: { reason: "stop" } }, {}],
  ["finish", "chat", {}, { finish: { reason: "stop", raw: "end_turn" } }],
  ["model", "agent", { model: "m" }, { model: "m" }],
])("the loss %s is said of an answer of the dialect %s", (code, dialect, first, last) => {
  const messages = [first, last].map((members): Message => ({ role: "assistant", parts: [], ...members }));
  expect(write({ messages }, "answer", { dialect }).losses.map(loss => loss.code)).toEqual([code]);
});
