import {
  type Conversation,
  check,
  decode,
  encode,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type Shape,
} from "translogue";
import { describe, expect, test } from "vitest";

const format = "maf";
const read = (value: Json, shape: Shape = "message", dialect = "chat"): Conversation =>
  decode(value, { from: format, shape, dialect }).conversation;
const partOf = (content: Json): Part | undefined => read(content, "block").messages[0]?.parts[0];
const write = (conversation: Conversation, shape: Shape, options: { dialect?: string; carry?: boolean } = {}) =>
  encode(conversation, { to: format, shape, recipient: "store", carry: false, ...options });
const writeBlock = (part: Part) => write({ messages: [{ role: "assistant", parts: [part] }] }, "block");

const call = { $type: "functionCall", name: "f", arguments: { x: 1 }, informationalOnly: false, callId: "c" };
const callPart = { type: "tool-call", callId: "c", name: "f", input: { x: 1 } } as const;

describe("a content is a part and back", () => {
  test.each<[content: JsonObject, part: Part]>([
    [
      { $type: "text", text: "a" },
      { type: "text", text: "a" },
    ],
    [
      { $type: "reasoning", text: "why" },
      { type: "reasoning", text: "why" },
    ],
    [
      { $type: "reasoning", text: "why", protectedData: "p" },
      { type: "reasoning", text: "why", seal: { values: { signature: "p" } } },
    ],
    [
      { $type: "reasoning", text: "", protectedData: "p", additionalProperties: { reasoningItemId: "rs" } },
      { type: "reasoning", seal: { maker: "openai", values: { encrypted_content: "p", id: "rs" } } },
    ],
    [
      {
        $type: "reasoning",
        text: "",
        protectedData: "p",
        additionalProperties: { "anthropic:redacted_thinking": true },
      },
      { type: "reasoning", seal: { maker: "anthropic", values: { data: "p" } } },
    ],
    [
      { $type: "data", uri: "data:image/png;base64,aGk=", name: "a.png" },
      { type: "file", mediaType: "image/png", name: "a.png", source: { data: "aGk=" } },
    ],
    [
      { $type: "data", uri: "data:text/plain,hi" },
      { type: "file", mediaType: "text/plain", source: { url: "data:text/plain,hi" } },
    ],
    [
      {
        $type: "uri",
        uri: "https://example.com/a.png",
        mediaType: "image/png",
        additionalProperties: { detail: "low" },
      },
      { type: "file", mediaType: "image/png", detail: "low", source: { url: "https://example.com/a.png" } },
    ],
    [
      { $type: "hostedFile", fileId: "f", mediaType: "a/b", name: "n" },
      { type: "file", mediaType: "a/b", name: "n", source: { id: "f" } },
    ],
    [
      { $type: "error", message: "m", errorCode: "e", details: "d" },
      { type: "error", message: "m", code: "e", details: "d" },
    ],
    [
      { $type: "error", message: "no", errorCode: "Refusal" },
      { type: "refusal", text: "no" },
    ],
    [call, callPart],
    [
      { ...call, informationalOnly: true },
      { ...callPart, handled: true },
    ],
    [
      { $type: "mcpServerToolCall", name: "n", serverName: "s", arguments: {}, callId: "c" },
      { type: "tool-call", callId: "c", name: "n", server: "s", input: {}, kind: "mcp", executedBy: "provider" },
    ],
    [
      { $type: "webSearchToolCall", queries: ["q"], callId: "c" },
      {
        type: "tool-call",
        callId: "c",
        name: "web_search",
        input: { query: "q" },
        kind: "web-search",
        executedBy: "provider",
      },
    ],
    [
      { $type: "webSearchToolCall", queries: ["q", "r"], callId: "c" },
      {
        type: "tool-call",
        callId: "c",
        name: "web_search",
        input: { queries: ["q", "r"] },
        kind: "web-search",
        executedBy: "provider",
      },
    ],
    [
      {
        $type: "codeInterpreterToolCall",
        inputs: [{ $type: "data", uri: "data:text/x-python;base64,MSsx" }],
        callId: "c",
      },
      {
        type: "tool-call",
        callId: "c",
        name: "code_interpreter",
        input: { code: "1+1" },
        kind: "code-interpreter",
        executedBy: "provider",
      },
    ],
    [
      { $type: "imageGenerationToolCall", callId: "c" },
      { type: "tool-call", callId: "c", name: "image_generation", kind: "image-generation", executedBy: "provider" },
    ],
    [
      {
        $type: "webSearchToolResult",
        outputs: [{ $type: "uri", uri: "https://e.com", mediaType: "text/html", additionalProperties: { title: "E" } }],
        callId: "c",
      },
      {
        type: "tool-result",
        callId: "c",
        kind: "web-search",
        output: [{ type: "source", url: "https://e.com", title: "E" }],
      },
    ],
    [
      { $type: "codeInterpreterToolResult", outputs: [{ $type: "text", text: "1" }], callId: "c" },
      { type: "tool-result", callId: "c", kind: "code-interpreter", output: [{ type: "text", text: "1" }] },
    ],
    [
      { $type: "toolApprovalRequest", toolCall: call, requiresConfirmation: false, requestId: "r" },
      { type: "approval-request", requestId: "r", callId: "c", call: callPart, automatic: true },
    ],
    [
      { $type: "toolApprovalResponse", approved: false, toolCall: { callId: "c" }, reason: "no", requestId: "r" },
      { type: "approval-response", requestId: "r", callId: "c", approved: false, reason: "no" },
    ],
    ...["toolCall", "toolResult", "hostedVectorStore", "hologram"].map((word): [JsonObject, Part] => {
      const value = { $type: word, ...(word === "hostedVectorStore" ? { vectorStoreId: "v" } : { callId: "c" }) };
      return [value, { type: "opaque", family: format, value }];
    }),
  ])("%j", (content, part) => {
    expect(partOf(content)).toEqual(part);
    const { value, losses } = writeBlock(part);
    expect([value, losses]).toEqual([content, []]);
  });

  test("members without a field stay beside it, in their order", () => {
    const content = {
      $type: "data",
      uri: "Data: image/png ;BASE64,aGk=",
      annotations: [{ $type: "citation", fileId: "f" }],
      additionalProperties: { a: 1, detail: "low", b: 2 },
      other: null,
    };
    const part = partOf(content);
    expect(part).toMatchObject({ mediaType: "image/png", detail: "low", source: { data: "aGk=" } });
    expect(JSON.stringify(part && writeBlock(part).value)).toBe(JSON.stringify(content));
  });

  test("a `data` content whose address is no data URI is a file by its address, and written as one", () => {
    const part = partOf({ $type: "data", uri: "/files/a.png" });
    expect(part).toEqual({ type: "file", source: { url: "/files/a.png" } });
    expect(part && writeBlock(part).value).toEqual({ $type: "uri", uri: "/files/a.png" });
  });

  const redacted = { additionalProperties: { "anthropic:redacted_thinking": true } };
  test.each<JsonObject>([
    { $type: "reasoning", text: "why", protectedData: "p", ...redacted },
    { $type: "reasoning", text: "why", protectedData: "", ...redacted },
    { $type: "reasoning", text: "", protectedData: "", ...redacted },
  ])("what is marked as hidden and is not comes back as it was: %j", content => {
    const part = partOf(content);
    const { value, losses } = part ? writeBlock(part) : { value: null, losses: [] };
    expect([value, losses]).toEqual([content, []]);
  });

  test("a picture that a search found is none of its pages, as its address tells", () => {
    const [found, page] = [
      { $type: "uri", uri: "https://e.com/a.png" },
      { $type: "uri", uri: "https://e.com/a" },
    ];
    const part = partOf({ $type: "webSearchToolResult", outputs: [found, page], callId: "w" });
    expect(part).toMatchObject({ output: [{ type: "source", mediaType: "image/png" }, { type: "source" }] });
    expect(part && writeBlock(part).value).toMatchObject({
      outputs: [{ mediaType: "image/png" }, { mediaType: "text/html" }],
    });
  });
});

describe("what a function gave", () => {
  const contents = [
    { $type: "text", text: "a" },
    { $type: "data", uri: "data:image/png;base64,aGk=" },
  ];
  const png = { type: "file", mediaType: "image/png", source: { data: "aGk=" } };
  test.each<[what: string, result: Json, output: Json]>([
    ["a text", "ok", [{ type: "text", text: "ok" }]],
    ["JSON", { a: [1, null] }, [{ type: "data", data: { a: [1, null] } }]],
    ["an empty list", [], [{ type: "data", data: [] }]],
    ["contents", contents, [{ type: "text", text: "a" }, png]],
    ["one content", contents[1] ?? null, [png]],
    [
      "JSON that only looks like contents",
      [{ $type: "text", text: "a", other: 1.5 }, { $type: "x" }],
      [{ type: "data", data: [{ $type: "text", text: "a", other: 1.5 }, { $type: "x" }] }],
    ],
    [
      "contents that would be written otherwise",
      [{ text: "a", $type: "text" }],
      [{ type: "data", data: [{ text: "a", $type: "text" }] }],
    ],
  ])("%s", (_, result, output) => {
    const message = { role: "tool", contents: [{ $type: "functionResult", result, callId: "c" }] };
    const conversation = read(message);
    expect(conversation.messages[0]?.parts[0]).toMatchObject({ output });
    const { value } = write(conversation, "message");
    expect(JSON.stringify(value)).toBe(JSON.stringify(message));
  });

  test.each([null, undefined])("%s is nothing", result => {
    const content = { $type: "functionResult", ...(result === null && { result }), callId: "c" };
    expect(partOf(content)).not.toHaveProperty("output");
  });
});

describe("citations", () => {
  const spans = [
    { $type: "textSpan", start: 0, end: 2 },
    { $type: "textSpan", start: 4 },
  ];
  const source = { $type: "citation", title: "T", url: "https://e.com", snippet: "s", toolName: "t" };
  test("stand one a range, and go back into the regions of one annotation", () => {
    const content = { $type: "text", text: "abcdef", annotations: [{ ...source, annotatedRegions: spans }, {}] };
    const part = partOf(content);
    expect(part).toMatchObject({
      citations: [
        { title: "T", url: "https://e.com", quote: "s", start: 0, end: 2 },
        { title: "T", url: "https://e.com", quote: "s", start: 4 },
        {},
      ],
    });
    expect(part && writeBlock(part).value).toEqual(content);
  });

  test("that were streamed after a text are the text's", () => {
    const contents = [{ $type: "text", text: "ab" }, { annotations: [source] }, { annotations: [source, source] }];
    const conversation = read({ role: "assistant", contents });
    expect(conversation.messages[0]?.parts).toMatchObject([{ text: "ab", citations: [{ title: "T" }, {}, {}] }]);
    expect(write(conversation, "message").value).toEqual({ role: "assistant", contents });
  });
});

describe("usage", () => {
  const details = {
    inputTokenCount: 20,
    outputTokenCount: 9,
    totalTokenCount: 30,
    cachedInputTokenCount: 5,
    reasoningTokenCount: 2,
    additionalCounts: { CacheCreationInputTokens: 3 },
  };
  const usage = { input: 12, cacheRead: 5, cacheWrite: 3, output: 7, reasoning: 2, other: 1 };

  test("among the contents is the message's, and returns to its place", () => {
    const message = {
      role: "assistant",
      contents: [
        { $type: "usage", details, additionalProperties: { tier: "x" } },
        { $type: "text", text: "a" },
      ],
    };
    const conversation = read(message);
    expect(conversation.messages[0]).toMatchObject({ usage, parts: [{ text: "a" }] });
    expect(write(conversation, "message").value).toEqual(message);
  });

  test("of pieces is their sum; once it is edited they are void", () => {
    const piece = (inputTokenCount: number) => ({ $type: "usage", details: { inputTokenCount } });
    const message = { role: "assistant", contents: [piece(1), { $type: "text", text: "a" }, piece(2)] };
    const { messages } = read(message);
    expect(messages[0]).toMatchObject({ usage: { input: 3 } });
    expect(write({ messages }, "message").value).toEqual(message);
    const edited = messages.map((each): Message => ({ ...each, usage: { input: 5 } }));
    expect(write({ messages: edited }, "message").value).toMatchObject({
      contents: [{ text: "a" }, { details: { inputTokenCount: 5, totalTokenCount: 5 } }],
    });
  });

  test("of an envelope is that of its last message, beside usage among the contents", () => {
    const answer = {
      messages: [
        { role: "assistant", contents: [{ $type: "usage", details: { inputTokenCount: 1 } }] },
        { role: "assistant", contents: [{ $type: "usage", details: { inputTokenCount: 2 } }] },
      ],
      usage: details,
    };
    const conversation = read(answer, "answer");
    expect(conversation.messages.map(message => message.usage)).toEqual([{ input: 1 }, usage]);
    expect(write(conversation, "answer").value).toEqual(answer);
  });
});

describe("a message", () => {
  test.each<[wire: JsonObject, message: Partial<Message>]>([
    [{ role: "Assistant", contents: [] }, { role: "assistant" }],
    [{ role: "with space", contents: [] }, { role: "with space" }],
    [
      { authorName: "Ana", role: "user", contents: [], messageId: "m" },
      { author: { name: "Ana" }, id: "m" },
    ],
    [
      { authorName: " ", role: "user", contents: [], messageId: "" },
      { role: "user", parts: [] },
    ],
    [{ createdAt: "2026-04-12T03:00Z", role: "user", contents: [] }, { createdAt: "2026-04-12T03:00Z" }],
    [
      { createdAt: "yesterday", role: "user", contents: [] },
      { role: "user", parts: [] },
    ],
  ])("%j", (wire, message) => {
    const conversation = read(wire);
    expect(conversation.messages[0]).toMatchObject(message);
    expect(write(conversation, "message").value).toEqual(wire);
    expect(check(conversation).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("that is none is kept in its place", () => {
    const list = [{ role: "user", contents: [] }, null, 5];
    const { conversation, issues } = decode(list, { from: format, shape: "messages", dialect: "chat" });
    expect(issues.map(({ wirePath }) => wirePath?.[0])).toContain(2);
    expect(write(conversation, "messages").value).toEqual(list);
  });

  test("a result says its kind where it is not that of the call beside it", () => {
    const web = { $type: "webSearchToolCall", callId: "w" };
    const found = { $type: "webSearchToolResult", outputs: [], callId: "w" };
    const beside = read({ role: "assistant", contents: [web, found] });
    expect(beside.messages[0]?.parts[1]).not.toHaveProperty("kind");
    const apart = read(
      [
        { role: "assistant", contents: [web] },
        { role: "assistant", contents: [found] },
      ],
      "messages",
    );
    expect(apart.messages[1]?.parts[0]).toMatchObject({ kind: "web-search" });
    expect([write(beside, "message").losses, write(apart, "messages").losses]).toEqual([[], []]);
  });

  test("a provider's call of a function is marked, so that no loop of .NET's runs it", () => {
    const part: Part = { type: "tool-call", callId: "c", name: "f", input: {}, executedBy: "provider" };
    expect(writeBlock(part).value).toMatchObject({ $type: "functionCall", informationalOnly: true });
  });

  test("a call without an id gets one, and its result finds it", () => {
    const contents = [
      { ...call, callId: "" },
      { $type: "functionResult", result: "r", callId: "" },
    ];
    const conversation = read({ role: "assistant", contents });
    const ids = conversation.messages[0]?.parts.map(part => ("callId" in part ? part.callId : ""));
    expect(ids?.[0]).toMatch(/^~/);
    expect(ids?.[1]).toBe(ids?.[0]);
    expect(write(conversation, "message").value).toEqual({ role: "assistant", contents });
  });

  test("a call without an id is named where somebody else's result names it", () => {
    const read1 = read([{ role: "assistant", contents: [{ ...call, callId: "" }] }], "messages");
    const [part] = read1.messages[0]?.parts ?? [];
    const callId = part?.type === "tool-call" ? part.callId : "";
    const result: Part = { type: "tool-result", callId, output: [{ type: "text", text: "r" }] };
    const messages = [...read1.messages, { role: "tool", parts: [result] }, { role: "user", parts: [] }] as const;
    const list = write({ messages: [...messages, ...messages] }, "messages").value as Json;
    const parts = read(list, "messages").messages.flatMap(message => message.parts);
    expect(parts.map(each => "callId" in each && each.callId)).toEqual([callId, callId, callId, callId]);
  });
});
