import type { Conversation, Event, Message, Part, Tool } from "translogue";
import { bedrockConverse } from "translogue/bedrock-converse";
import { type EncodeOptions, encode, streamEncoder } from "translogue/convert";
import { describe, expect, test } from "vitest";

const text = (words: string): Part => ({ type: "text", text: words });
const said = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "assistant", parts }] });
const heard = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "user", parts }] });
const told = (head: Partial<Message>): Conversation => ({
  messages: [{ role: "assistant", parts: [text("a")], ...head }],
});
const asked = (more: Partial<Conversation>): Conversation => ({ messages: [], ...more });
const tool = (more: Partial<Tool>): Conversation => asked({ tools: [{ name: "t", ...more }] });
const call: Part = { type: "tool-call", callId: "c", name: "f", input: {} };
const searched: Part = { ...call, name: "web_search", kind: "web-search", executedBy: "provider" };
const used = (more: object, by: Part = call): Conversation =>
  said(by, { type: "tool-result", callId: "c", ...more } as Part); // members of one
const file = (more: object): Conversation => heard({ type: "file", source: { data: "AAAA" }, ...more } as Part); // as above
const sealed = (seal: object): Conversation => said({ type: "reasoning", text: "r", seal } as Part); // as above

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const stream: EncodeOptions = { shape: "stream" };
const error: EncodeOptions = { shape: "error" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["empty-message", said(), sent],
  ["empty-message", heard({ type: "text", text: "" }), sent],
  ["part-seal", sealed({ maker: "openai", values: { signature: "x" } }), list],
  ["seal-route", sealed({ maker: "anthropic", values: { signature: "x" } }), list],
  ["seal-value", sealed({ maker: "anthropic", route: "bedrock", values: { id: "x" } }), list],
  ["seal-value", sealed({ maker: "anthropic", route: "bedrock", values: { data: "é" } }), list],
  ["bare-reasoning", said({ type: "reasoning", text: "r" }), sent],
  ["hidden-reasoning", said({ type: "reasoning" }), list],
  ["media-type", file({ mediaType: "application/json", name: "n" }), sent],
  ["media-type", file({ mediaType: "image/png", source: { text: "t" } }), list],
  ["media", used({ output: [{ type: "file", mediaType: "audio/wav", source: { data: "" } }] }), sent],
  ["file-name", file({ mediaType: "image/png", name: "n" }), list],
  ["document-name", file({ mediaType: "application/pdf", name: "a.b.c" }), sent],
  ["document-unnamed", file({ mediaType: "application/pdf" }), sent],
  ["file-url", file({ source: { url: "https://a" } }), list],
  ["foreign-file", file({ source: { id: "file_1" } }), list],
  ["document-part", file({ source: { parts: [{ type: "data", data: 1 }] } }), list],
  [
    "document-piece",
    file({ source: { parts: [{ type: "file", mediaType: "audio/wav", source: { data: "" } }] } }),
    list,
  ],
  ["citation", said({ type: "text", text: "a", citations: [{ url: "https://a" }] }), sent],
  ["refusal", said({ type: "refusal", text: "no" }), list],
  ["data", used({ output: [{ type: "data", data: 1 }] }), sent],
  ["error-text", used({ output: [{ type: "error", message: "m" }] }), list],
  ["source", said({ type: "source", url: "https://a" }), list],
  ["source-text", used({ output: [{ type: "source", url: "https://a" }] }), list],
  ["source-member", said({ type: "source", title: "t", parts: [] }), list],
  ["denied-text", used({ outcome: "denied" }), list],
  ["empty-text", heard(text(" "), text("a")), sent],
  ["outcome", used({ output: [], outcome: "denied" }), list],
  ["tool-kind", said({ ...call, kind: "computer" } as Part), list],
  ["foreign-call", said({ ...searched, kind: "web-fetch", name: "web_fetch" } as Part), sent],
  ["no-arguments", said({ type: "tool-call", callId: "c", name: "f" }), list],
  ["input-shape", said({ ...call, input: [1] } as Part), list],
  ["input-text", said({ ...call, input: { a: 1 }, inputText: '{ "a": 1 }' } as Part), list],
  ["unread-input", said({ type: "tool-call", callId: "c", name: "f", inputText: "{" }), list],
  ["made-id", said({ ...call, callId: "~0.0" } as Part), list],
  ["split", said({ type: "change", toolsAdded: ["a", "b"] }), list],
  ["change", said({ type: "change" }), list],
  ["change-tool", said({ type: "change", toolsAdded: [{ name: "a" }] }), sent],
  ["change-definition", said({ type: "change", toolsAdded: [{ name: "a" }] }), list],
  ["change-description", said({ type: "change", toolsAdded: [{ name: "a", description: "" }] }), list],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["hidden-compaction", said({ type: "compaction" }), list],
  [
    "guard",
    heard({ ...text("g"), citations: [], native: { "bedrock-converse": { $$guard: true } } } as Part), // as above
    list,
  ],
  ["host-tool", tool({ kind: "file-search" }), sent],
  ["tool-member", asked({ model: "amazon.nova-2", tools: [{ name: "t", kind: "web-search", strict: true }] }), sent],
  ["tool-input", tool({ kind: "custom" }), sent],
  ["schema-spelling", tool({ input: { type: "OBJECT", nullable: true } }), sent],
  ["not-the-answer", { messages: [...heard(text("q")).messages, ...told({}).messages] }, answer],
  ["answer-id", told({ responseId: "r" }), answer],
  ["messages-joined", { messages: [...told({}).messages, ...told({}).messages] }, stream],
  ["not-the-error", { messages: [...said(text("a"), { type: "error", message: "m" }).messages] }, error],
  ["no-error", told({}), error],
  ["error-type", told({ parts: [{ type: "error", message: "m" }], finish: { reason: "error" } }), stream],
  ["error-place", told({ parts: [{ type: "error", message: "m" }, text("a")] }), stream],
  ["not-streamed", said({ type: "file", mediaType: "audio/wav", source: { data: "" } }), stream],
  ["no-citations", said({ type: "text", text: "a", citations: [] }), stream],
  ["finish", told({ finish: { reason: "pause" } }), answer],
  ["no-finish", told({}), answer],
  ["usage", told({ usage: { output: 1, reasoning: 2 } }), answer],
  ["no-usage", told({}), answer],
  ["envelope", told({ native: { "bedrock-converse": { answer: { metrics: { latencyMs: 1 } } } } }), list],
  ["control", { messages: [{ role: "control", parts: [] }] }, list],
  ["role", { messages: [{ role: "critic", parts: [text("a")] }] }, list],
  ["developer", { messages: [{ role: "developer", parts: [text("a")] }] }, sent],
  ["side", { messages: [{ role: "tool", parts: [text("a")] }] }, list],
  ["setting", asked({ model: "anthropic.claude", settings: { reasoning: { budget: -1 } } }), sent],
  ["system-joined", { messages: ["a", "b"].map(each => ({ role: "system", parts: [text(each)] })) }, sent],
  ["setting", asked({ settings: { reasoning: { summary: "auto" } } }), sent],
  ["setting", asked({ model: "amazon.nova-2", settings: { reasoning: { budget: 1 } } }), sent],
  ["effort", asked({ settings: { reasoning: { effort: "minimal" } } }), sent],
  ["format", asked({ settings: { responseFormat: { type: "json" } } }), sent],
  ["choice", asked({ settings: { toolChoice: "none" } }), sent],
  ["no-tools", asked({ tools: [{ name: "t" }], settings: { toolChoice: "none" } }), sent],
  ["allowed", asked({ tools: [{ name: "t" }], settings: { toolChoice: { allowed: ["t"] } } }), sent],
];

test.each(cases)("%s is reported where it happens", (code, conversation, options) => {
  expect(encode(bedrockConverse, conversation, options).losses.map(loss => loss.code)).toContain(code);
});

describe("a tool that a message defines is said to be declared where it is, and not to be written where it is not", () => {
  const adds = (...toolsAdded: readonly Tool[]): Conversation => heard({ type: "change", toolsAdded }, text("go"));
  const name = "f";
  const rows: readonly [what: string, conversation: Conversation, told: readonly string[], declared: object[]][] = [
    ["alone", adds({ name }), ["change-tool"], [{ name }]],
    ["as it is declared", { ...adds({ name }), tools: [{ name }] }, ["change-tool"], [{ name }]],
    ["in other words", { ...adds({ name, description: "b" }), tools: [{ name }] }, ["change-definition"], [{ name }]],
    ["twice", adds({ name }, { name }), ["change-tool", "change-tool"], [{ name }]],
    [
      "twice in two ways",
      adds({ name, description: "a" }, { name }),
      ["change-tool", "change-definition"],
      [{ name, description: "a" }],
    ],
    ["that no model here has", adds({ name, kind: "file-search" }), ["change-definition"], []],
    ["while none may be called", { ...adds({ name }), settings: { toolChoice: "none" } }, ["change-definition"], []],
  ];

  test.each(rows)("%s", (_, conversation, told, declared) => {
    const { value, losses } = encode(bedrockConverse, conversation, sent);
    const codes = losses.map(({ code }) => code).filter(code => /^change-(?:tool|definition)$/.test(code));
    expect(codes).toEqual(told);
    const { toolConfig } = value as { toolConfig?: { tools?: { toolSpec: object }[] } }; // a request
    expect(toolConfig?.tools ?? []).toEqual(
      declared.map(toolSpec => expect.objectContaining({ toolSpec: expect.objectContaining(toolSpec) })),
    );
  });
});

/** What only happens in a stream that is not told in order. */
const streamed: { readonly [code: string]: readonly Event[] } = {
  "already-sent": [{ type: "message-start", message: 0, head: { role: "assistant" } }],
  open: [
    { type: "part-start", message: 0, part: 0, value: text("") },
    { type: "message-end", message: 0 },
  ],
  order: [
    { type: "part", message: 0, part: 1, value: text("b") },
    { type: "part", message: 0, part: 0, value: text("a") },
  ],
};

test.each(Object.entries(streamed))("%s is reported in a stream", (code, events) => {
  const encoder = streamEncoder(bedrockConverse);
  for (const event of [{ type: "message-start", message: 0, head: { role: "assistant" } } as const, ...events])
    encoder.push(event);
  encoder.end();
  expect(encoder.losses.map(loss => loss.code)).toContain(code);
});

test("every code of the table is seen here, but for those of schemas, which are tested with them", () => {
  const seen = new Set([...cases.map(([code]) => code), ...Object.keys(streamed)]);
  expect(Object.keys(bedrockConverse.losses).filter(code => !seen.has(code))).toEqual([
    "schema-shape",
    "schema-rule",
    "schema-words",
    "strict-schema",
  ]);
});
