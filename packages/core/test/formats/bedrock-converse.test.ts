import type { Conversation, Json, JsonObject, Message, Part } from "translogue";
import { anthropicMessages } from "translogue/anthropic-messages";
import { bedrockConverse, fromSdk, toSdk } from "translogue/bedrock-converse";
import { convert, decode, encode } from "translogue/convert";
import { describe, expect, test } from "vitest";

type ShapeName = "request" | "answer" | "messages" | "error";
const read = (value: unknown, shape: ShapeName): Conversation => decode(bedrockConverse, value, { shape }).conversation;
const blocks = (...content: readonly Json[]): readonly Part[] =>
  read([{ role: "assistant", content }], "messages").messages[0]?.parts ?? [];
const written = (conversation: Conversation, shape: ShapeName): Json =>
  encode(bedrockConverse, conversation, { shape, recipient: "store", carry: false }).value;
const sent = (conversation: Conversation) => encode(bedrockConverse, conversation, { shape: "request" });
const codes = (losses: readonly { readonly code: string }[]): string[] => losses.map(({ code }) => code);

const signed = (values: { [name: string]: string }) => ({ maker: "anthropic", route: "bedrock", values });
const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

describe("a block is read as its part, and written as it was", () => {
  const file = (mediaType: string | undefined, source: object, more: object = {}): object => ({
    type: "file",
    ...(mediaType !== undefined && { mediaType }),
    source,
    ...more,
  });
  test.each<[name: string, block: JsonObject, part: object]>([
    ["text", { text: "a" }, { type: "text", text: "a" }],
    ["a text with a type", { type: "text", text: "a" }, { type: "text", text: "a" }],
    ["an image", { image: { format: "jpeg", source: { bytes: "/9j/" } } }, file("image/jpeg", { data: "/9j/" })],
    [
      "a document",
      { document: { format: "xlsx", name: "n", source: { bytes: "AA==" } } },
      file("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", { data: "AA==" }, { name: "n" }),
    ],
    ["a text document", { document: { name: "n", source: { text: "t" } } }, file(undefined, { text: "t" })],
    [
      "a document of texts",
      { document: { name: "n", source: { content: [{ text: "t" }] } } },
      file(undefined, { parts: [{ type: "text", text: "t" }] }),
    ],
    [
      "a film in S3",
      { video: { format: "three_gp", source: { s3Location: { uri: "s3://b/k", bucketOwner: "1" } } } },
      file("video/3gpp", { url: "s3://b/k" }),
    ],
    ["a format that is new", { audio: { format: "x-new", source: { bytes: "" } } }, file("audio/x-new", { data: "" })],
    [
      "the second format of a type",
      { video: { format: "mpg", source: { bytes: "" } } },
      file("video/mpeg", { data: "" }),
    ],
    [
      "signed reasoning",
      { reasoningContent: { reasoningText: { text: "r", signature: "s" } } },
      { type: "reasoning", text: "r", seal: signed({ signature: "s" }) },
    ],
    [
      "Claude's redacted reasoning, whose bytes are its text",
      { reasoningContent: { redactedContent: btoa("EmPr4a8Q==") } },
      { type: "reasoning", seal: signed({ data: "EmPr4a8Q==" }) },
    ],
    [
      "bytes that only Bedrock knows",
      { reasoningContent: { redactedContent: "AAEC/w==" } },
      { type: "reasoning", seal: signed({ redactedContent: "AAEC/w==" }) },
    ],
    [
      "a call",
      { toolUse: { toolUseId: "t", name: "f", input: { a: 1 } } },
      { type: "tool-call", callId: "t", name: "f", input: { a: 1 } },
    ],
    [
      "a call of the provider's tool",
      { toolUse: { toolUseId: "t", name: "nova_grounding", input: {}, type: "server_tool_use" } },
      { type: "tool-call", name: "nova_grounding", kind: "web-search", executedBy: "provider" },
    ],
    [
      "a failed result",
      { toolResult: { toolUseId: "t", content: [{ text: "no" }, { json: [1] }], status: "error" } },
      { type: "tool-result", callId: "t", output: [{ type: "text" }, { type: "data", data: [1] }], outcome: "error" },
    ],
    ["a result that says so", { toolResult: { toolUseId: "t", content: [], status: "success" } }, { output: [] }],
    [
      "a search result",
      { searchResult: { source: "s", title: "t", content: [{ text: "c" }], citations: { enabled: true } } },
      { type: "source", url: "s", title: "t", parts: [{ type: "text", text: "c" }] },
    ],
    ["what a guardrail looks at", { guardContent: { text: { text: "g", qualifiers: ["query"] } } }, { text: "g" }],
    ["a text a guardrail looks at", { guardContent: { text: { text: "g" } } }, { type: "text", text: "g" }],
    [
      "an image a guardrail looks at",
      { guardContent: { image: { format: "png", source: { bytes: "AAAA" } } } },
      { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
    ],
    ["a tool that comes", { toolAddition: { tool: { name: "f" } } }, { type: "change", toolsAdded: ["f"] }],
    ["a tool that goes", { toolRemoval: { tool: { name: "f" } } }, { type: "change", toolsRemoved: ["f"] }],
    ["a block that is new", { hologram: { a: 1 } }, { type: "opaque", value: { hologram: { a: 1 } } }],
    ["a block of another form", { toolUse: { input: {} } }, { type: "opaque" }],
  ])("%s", (_, block, part) => {
    const messages = read([{ role: "assistant", content: [block] }], "messages").messages;
    expect(messages[0]?.parts[0]).toMatchObject(part);
    expect(written({ messages }, "messages")).toEqual([{ role: "assistant", content: [block] }]);
  });

  test("a cache point is of the block before it, wherever there is one", () => {
    const wire = [{ cachePoint: { type: "default" } }, { text: "a" }, { cachePoint: { type: "default", ttl: "1h" } }];
    const [first, second] = blocks(...wire);
    expect([first?.type, second]).toEqual(["opaque", { type: "text", text: "a", cache: { ttl: "1h" } }]);
    expect(written(read([{ role: "user", content: wire }], "messages"), "messages")).toEqual([
      { role: "user", content: wire },
    ]);
  });

  test.each<[location: JsonObject | undefined, source: string | undefined, read: object]>([
    [
      { documentChar: { documentIndex: 1, start: 0, end: 4 } },
      undefined,
      { at: { unit: "char", document: 1, start: 0, end: 4 } },
    ],
    [{ documentPage: { documentIndex: 0, start: 2 } }, undefined, { at: { unit: "page", document: 0, start: 2 } }],
    [{ documentChunk: { start: 2 } }, "s", { url: "s", at: { unit: "block", start: 2 } }],
    [{ searchResultLocation: { searchResultIndex: 3 } }, "s", { url: "s", at: { unit: "block", document: 3 } }],
    [{ web: { url: "https://a", domain: "a" } }, undefined, { url: "https://a" }],
    [undefined, "s", { url: "s" }],
    [{ moon: { crater: 1 } }, undefined, {}],
  ])("a citation of %j says where", (location, source, expected) => {
    const citation = { title: "t", ...(source !== undefined && { source }), ...(location && { location }) };
    const wire = { citationsContent: { content: [{ text: "a" }, { text: "b" }], citations: [citation] } };
    const [part] = blocks(wire);
    expect(part).toMatchObject({ type: "text", text: "ab", citations: [{ title: "t", ...expected }] });
    expect(written({ messages: [{ role: "assistant", parts: part ? [part] : [] }] }, "messages")).toEqual([
      { role: "assistant", content: [wire] },
    ]);
  });

  test("a text of another format that rests on nothing is a text, and Converse's own stays what it was", () => {
    const parts = [{ type: "text", text: "ok", citations: [] }] as const;
    expect(sent({ messages: [{ role: "assistant", parts }] }).value).toMatchObject({
      messages: [{ content: [{ text: "ok" }] }],
    });
    const wire = { citationsContent: { content: [{ text: "ok" }], citations: [] } };
    expect(sent({ messages: [{ role: "assistant", parts: blocks(wire) }] }).value).toMatchObject({
      messages: [{ content: [wire] }],
    });
  });
});

describe("a request", () => {
  test("has its settings in the fields of the model that is asked", () => {
    const settings = { topK: 5, reasoning: { effort: "high" }, maxOutputTokens: 9, toolChoice: "auto" } as const;
    const fieldsFor = (model: string): Json => sent({ messages: [], model, settings, tools: [{ name: "f" }] }).value;
    expect(fieldsFor(claude)).toMatchObject({
      inferenceConfig: { maxTokens: 9 },
      outputConfig: { effort: "high" },
      additionalModelRequestFields: { top_k: 5 },
      toolConfig: { toolChoice: { auto: {} }, tools: [{ toolSpec: { inputSchema: { json: { type: "object" } } } }] },
    });
    expect(fieldsFor("amazon.nova-2-lite-v1:0")).toMatchObject({
      additionalModelRequestFields: {
        inferenceConfig: { topK: 5 },
        reasoningConfig: { type: "enabled", maxReasoningEffort: "high" },
      },
    });
    expect(fieldsFor("openai.gpt-oss-120b-1:0")).toMatchObject({
      additionalModelRequestFields: { reasoning_effort: "high" },
    });
  });

  test("gives no tools to a model that must not call, unless calls are in the history", () => {
    const asked = { settings: { toolChoice: "none" }, tools: [{ name: "f" }] } as const;
    const called: Message = { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "f", input: {} }] };
    const [without, with_] = [sent({ messages: [], ...asked }), sent({ messages: [called], ...asked })];
    expect(without.value).not.toHaveProperty("toolConfig");
    expect(codes(without.losses)).toEqual(["choice", "no-tools"]);
    expect(with_.value).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: "f" } }] } });
    expect(with_.value).not.toHaveProperty("toolConfig.toolChoice");
  });

  test("fits the names of documents, which are unique, and says so", () => {
    const names = ["report.v2.pdf", "a  b/c.pdf", "a b c", "отчёт.pdf", undefined, "x".repeat(300)];
    const parts = names.map(
      (name): Part => ({ type: "file", mediaType: "application/pdf", source: { data: "" }, ...(name && { name }) }),
    );
    const { value, losses } = sent({ messages: [{ role: "user", parts }] });
    const content = (value as { messages: { content: { document: { name: string } }[] }[] }).messages[0]?.content; // as asked
    expect(content?.map(({ document }) => document.name)).toEqual([
      "report v2",
      "a b c",
      "a b c 2",
      "document-0-3",
      "document-0-4",
      "x".repeat(200),
    ]);
    expect(codes(losses)).toEqual([...Array(4).fill("document-name"), "document-unnamed", "document-name"]);
  });

  test("is not told what a schema cannot say to Claude", () => {
    const schema = { type: "object", properties: { a: { type: "integer", minimum: 1 } } };
    const { value, losses } = sent({
      messages: [],
      model: claude,
      settings: { responseFormat: { type: "json", schema } },
    });
    expect(JSON.stringify(value)).not.toContain('minimum\\":1');
    expect(losses.length).toBeGreaterThan(0);
  });

  test.each(["text", "json"] as const)(
    "leaves blank texts out for the provider, unless somebody sent one (%s)",
    kind => {
      const wire = { messages: [{ role: "user", content: [{ text: kind }, { text: " " }] }] };
      expect(convert(wire, { from: bedrockConverse, to: bedrockConverse }, { as: "request" }).value).toEqual(wire);
      const made: Message = {
        role: "user",
        parts: [
          { type: "text", text: kind },
          { type: "text", text: "" },
        ],
      };
      expect(sent({ messages: [made] })).toMatchObject({
        value: { messages: [{ content: [{ text: kind }] }] },
        losses: [{ code: "empty-text" }],
      });
    },
  );
});

describe("seals go to the model that made them", () => {
  const part = (seal: object): Part => ({ type: "reasoning", text: "r", seal }) as Part; // a seal is given
  test.each<[seal: object, model: string | undefined, isHome: boolean]>([
    [signed({ signature: "SECRET" }), claude, true],
    [signed({ signature: "SECRET" }), undefined, true],
    [signed({ signature: "SECRET" }), "arn:aws:bedrock:eu:1:inference-profile/eu.anthropic.claude-4", true],
    [signed({ signature: "SECRET" }), "amazon.nova-pro-v1:0", false],
    [{ maker: "anthropic", values: { signature: "SECRET" } }, claude, true],
    [{ maker: "anthropic", values: { signature: "SECRET" } }, undefined, false],
    [{ maker: "anthropic", values: { data: "SECRET" } }, "amazon.nova-pro-v1:0", false],
    [{ maker: "anthropic", route: "vertex", values: { id: "SECRET" } }, claude, false],
    [{ maker: "openai", values: { signature: "SECRET" } }, claude, false],
    [{ values: { signature: "SECRET" } }, claude, false],
  ])("%j to %s: %s", (seal, model, isHome) => {
    const conversation = {
      ...(model !== undefined && { model }),
      messages: [{ role: "assistant", parts: [part(seal)] }],
    };
    const text = JSON.stringify(sent(conversation).value);
    expect(text.includes("SECRET") || text.includes(btoa("SECRET"))).toBe(isHome);
  });

  test("thinking of Claude's comes from Bedrock to Anthropic and back as its maker wrote it", () => {
    const thinking = [
      { type: "thinking", thinking: "t", signature: "c2ln" },
      { type: "redacted_thinking", data: "EmPr4a8Q==" },
      { type: "text", text: "a" },
    ];
    const body = { model: claude, max_tokens: 1, messages: [{ role: "assistant", content: thinking }] };
    const there = convert(body, { from: anthropicMessages, to: bedrockConverse }, { as: "request" });
    expect(there.losses).toEqual([]);
    const back = convert(there.value, { from: bedrockConverse, to: anthropicMessages }, { as: "request" });
    expect(back.value).toEqual(body);
  });
});

describe("an answer", () => {
  test.each<[stop: string, finish: object]>([
    ["end_turn", { reason: "stop" }],
    ["tool_use", { reason: "tool-calls" }],
    ["max_tokens", { reason: "length" }],
    ["stop_sequence", { reason: "stop-sequence" }],
    ["content_filtered", { reason: "content-filter" }],
    ["guardrail_intervened", { reason: "content-filter", raw: "guardrail_intervened" }],
    ["malformed_tool_use", { reason: "malformed-call" }],
    ["malformed_model_output", { reason: "malformed-call", raw: "malformed_model_output" }],
    ["model_context_window_exceeded", { reason: "context" }],
    ["some_new_reason", { reason: "other", raw: "some_new_reason" }],
  ])("that ended by %s", (stopReason, finish) => {
    const wire = { output: { message: { role: "assistant", content: [{ text: "a" }] } }, stopReason };
    const conversation = read(wire, "answer");
    expect(conversation.messages[0]?.finish).toEqual(finish);
    expect(written(conversation, "answer")).toEqual(wire);
  });

  test.each<[wire: JsonObject, usage: object]>([
    [
      { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      { input: 1, output: 2 },
    ],
    [
      { inputTokens: 3, outputTokens: 121, totalTokens: 2072, cacheReadInputTokens: 1712, cacheWriteInputTokens: 236 },
      { input: 3, output: 121, cacheRead: 1712, cacheWrite: 236 },
    ],
    [
      { inputTokens: 1, outputTokens: 2, totalTokens: 9 },
      { input: 1, output: 2, other: 6 },
    ],
    [
      { inputTokens: 9, outputTokens: 2, totalTokens: 3 },
      { input: 9, output: 2 },
    ],
    [
      { inputTokens: 1, outputTokens: 2, totalTokens: 7, cacheReadInputTokenCount: 4 },
      { input: 1, output: 2, cacheRead: 4 },
    ],
  ])("counts %j, and what adds up to no bucket is other", (usage, expected) => {
    const wire = { output: { message: { role: "assistant", content: [] } }, stopReason: "end_turn", usage };
    const conversation = read(wire, "answer");
    expect(conversation.messages[0]?.usage).toEqual(expected);
    expect(written(conversation, "answer")).toEqual(wire);
  });

  test("of several messages is one, with all that they say", () => {
    const head = { role: "assistant", responseId: "r" } as const;
    const messages: Message[] = ["a", "b"].map(text => ({ ...head, parts: [{ type: "text", text }] }));
    expect(written({ messages }, "answer")).toMatchObject({
      output: { message: { content: [{ text: "a" }, { text: "b" }] } },
    });
  });
});

test.each<[body: JsonObject, error: object]>([
  [{ message: "no" }, { message: "no" }],
  [{ Message: "no" }, { message: "no" }],
  [
    { message: "no", __type: "com.amazon.coral#ThrottlingException" },
    { message: "no", code: "ThrottlingException" },
  ],
  [{ Reason: "x" }, { message: '{"Reason":"x"}' }],
])("an error body %j is a failed answer, and the same body again", (body, error) => {
  const conversation = read(body, "error");
  expect(conversation.messages).toMatchObject([{ finish: { reason: "error" }, parts: [{ type: "error", ...error }] }]);
  expect(written(conversation, "error")).toEqual(body);
});

describe("bytes", () => {
  const image = { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } };
  const redacted = { reasoningContent: { redactedContent: "AAEC/w==" } };
  const tool = { toolUse: { toolUseId: "t", name: "f", input: { source: { bytes: "AAAA" } } } };
  const wire = [{ role: "user", content: [image, redacted, tool] }];

  test("are what AWS's SDK has for base64, but not in the arguments of tools", () => {
    expect(toSdk(wire)).toEqual([
      {
        role: "user",
        content: [
          { image: { format: "png", source: { bytes: Uint8Array.from(atob("iVBORw0KGgo="), c => c.charCodeAt(0)) } } },
          { reasoningContent: { redactedContent: new Uint8Array([0, 1, 2, 255]) } },
          tool,
        ],
      },
    ]);
    expect(fromSdk(toSdk(wire))).toEqual(wire);
  });

  test("of the SDK are read as base64", () => {
    expect(read(toSdk(wire), "messages")).toEqual(read(wire, "messages"));
  });
});

describe("that a guardrail is to look at something", () => {
  test.each<[what: string, block: JsonObject]>([
    ["a text", { guardContent: { text: { text: "g" } } }],
    ["a text with a use", { guardContent: { text: { text: "g", qualifiers: ["query"] } } }],
    ["an image", { guardContent: { image: { format: "png", source: { bytes: "AAAA" } } } }],
  ])("is a loss elsewhere: %s", (_, block) => {
    const { conversation } = decode(bedrockConverse, [{ role: "user", content: [block] }], { shape: "messages" });
    const { losses } = encode(anthropicMessages, conversation, { shape: "messages" });
    expect(losses.map(({ path }) => path.join("."))).toContain("messages.0.parts.0.native.bedrock-converse.$$guard");
  });

  test("is still said where the text got citations", () => {
    const wire = [{ role: "user", content: [{ guardContent: { text: { text: "g", qualifiers: ["query"] } } }] }];
    const { conversation } = decode(bedrockConverse, wire, { shape: "messages" });
    const messages = conversation.messages.map(message => ({
      ...message,
      parts: message.parts.map(part => ({ ...part, citations: [{ url: "https://a" }] }) as Part), // texts
    }));
    const { value, losses } = encode(bedrockConverse, { messages }, { shape: "messages" });
    expect(value).toEqual(wire);
    expect(losses.map(({ code, path }) => [code, path.join(".")])).toEqual([["guard", "messages.0.parts.0.citations"]]);
  });
});
