import type { Conversation, Event, Message, Part, Settings, Tool } from "translogue";
import { runAll } from "translogue";
import { decode, type EncodeOptions, encode, streamEncoder } from "translogue/convert";
import { mistral } from "translogue/mistral";
import { expect, test } from "vitest";

const text = (words: string, more: object = {}): Part => ({ type: "text", text: words, ...more });
const said = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "assistant", parts }] });
const heard = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "user", parts }] });
const told = (head: Partial<Message>): Conversation => ({
  messages: [{ role: "assistant", parts: [text("a")], ...head }],
});
const of = (role: string, ...parts: readonly Part[]): Conversation => ({ messages: [{ role, parts }] });
const file = (more: object): Conversation => heard({ type: "file", source: { url: "https://a" }, ...more });
const tool = (more: Partial<Tool>): Conversation => ({ messages: [], tools: [{ name: "t", ...more }] });
const settings = (more: Settings): Conversation => ({ messages: [], settings: more });
const call: Part = { type: "tool-call", callId: "c", name: "f", input: {} };
const result = (more: object): Conversation =>
  of("tool", { type: "tool-result", callId: "c", output: [text("x")], ...more });
const gave = (...output: readonly Part[]): Conversation => result({ output });
const seal = { maker: "openai", values: { id: "x" } };
const two = (more: Partial<Message>): Conversation => ({
  messages: [
    { role: "assistant", parts: [text("a")], ...more },
    { role: "assistant", parts: [text("b")], finish: { reason: "stop" } },
  ],
});

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const failed: EncodeOptions = { shape: "error" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["schema-spelling", tool({ input: { type: "OBJECT" } }), sent],
  ["schema-shape", tool({ input: {} }), sent],
  ["schema-rule", tool({ input: { type: "string" } }), sent],
  ["prefix", said(text("a")), sent],
  ["empty-message", said({ ...call, executedBy: "provider" } as Part), sent],
  ["tool-kind", said({ ...call, kind: "custom", input: "a" } as Part), list],
  ["no-arguments", said({ type: "tool-call", callId: "c", name: "f" }), list],
  ["made-id", said({ ...call, callId: "~0.0" } as Part), list],
  ["file-source", file({ source: { parts: [] } }), list],
  ["file-source", file({ source: { id: "x", provider: "openai" } }), list],
  ["file-member", file({ mediaType: "image/*", name: "n" }), list],
  ["file-member", file({ source: { id: "x" } }), list],
  ["media-type", file({ mediaType: "application/pdf" }), list],
  ["media-type", file({ mediaType: "audio/wav", source: { data: "AAAA" } }), list],
  ["text-file", file({ source: { text: "t" } }), list],
  ["order", said(call, text("a")), list],
  ["empty-text", said(text("")), list],
  ["hidden-reasoning", said({ type: "reasoning" }), list],
  ["part-seal", said(text("a", { seal })), list],
  ["part-seal", said({ type: "reasoning", text: "a", seal }), list],
  ["part-seal", said({ ...call, seal } as Part), list],
  ["reference", said(text("a", { citations: [{ url: "u" }] })), sent],
  ["reference", said(text("a", { citations: [{ start: 0 }] })), list],
  ["reference-tool", said(text("a", { citations: [{ url: "u" }] })), list],
  ["reference-place", said(text("a"), { type: "source", url: "u" }), list],
  ["reference-member", said({ type: "source", url: "u", name: "n" }), list],
  ["citations", said(text("a", { citations: [] })), list],
  ["messages-joined", two({}), answer],
  ["not-the-answer", { messages: [{ role: "user", parts: [] }, ...said(text("a")).messages] }, answer],
  ["not-the-error", said(text("a"), { type: "error", message: "m" }), failed],
  ["no-error", said(), failed],
  ["message-id", told({ id: "m1" }), answer],
  ["head", two({ model: "m" }), answer],
  ["control", of("control"), list],
  ["split", of("user", text("a"), { type: "tool-result", callId: "c" }), list],
  ["no-content", heard(), list],
  ["result-role", of("user", { type: "tool-result", callId: "c", output: [text("a")] }), list],
  ["no-result", of("tool"), list],
  ["misplaced", heard(call), list],
  ["server-tool", said({ ...call, executedBy: "provider" } as Part), list],
  ["outcome", result({ outcome: "error" }), list],
  ["no-output", gave(), list],
  ["data", gave({ type: "data", data: 1 }), list],
  ["error-text", gave({ type: "error", message: "m" }), list],
  ["source-text", gave({ type: "source", title: "t" }), list],
  ["refusal", said({ type: "refusal", text: "no" }), list],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["hidden-compaction", said({ type: "compaction" }), list],
  ["developer", of("developer", text("a")), sent],
  ["finish", told({ finish: { reason: "compaction" } }), answer],
  ["no-finish", told({}), answer],
  ["no-envelope", told({}), answer],
  ["time", told({ createdAt: "2026-11-30T10:00:00.5Z" }), answer],
  ["usage", told({ usage: { cost: { amount: 1, currency: "EUR" } } }), answer],
  ["setting", settings({ reasoning: { budget: 1 } }), sent],
  ["tool-choice", settings({ toolChoice: { allowed: ["t"] } }), sent],
  ["format-name", settings({ responseFormat: { type: "json", schema: {} } }), sent],
  ["host-tool", tool({ kind: "shell" }), sent],
  ["host-tool-name", tool({ kind: "web-search" }), sent],
  ["host-tool-member", tool({ kind: "web-search", description: "d" }), sent],
  ["custom-tool", tool({ kind: "custom" }), sent],
];

test.each(cases)("what the wire cannot say is a loss: %s", (loss, conversation, options) => {
  const codes = encode(mistral, conversation, options).losses.map(each => each.code);
  expect(codes).toContain(loss);
});

const at = { message: 0, part: 0 };
const start: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
const begun: readonly Event[] = [
  start,
  { type: "part-start", ...at, value: text("") },
  { type: "part-delta", ...at, of: "text", text: "a" },
];
const thought: Event = { type: "part-start", message: 0, part: 1, value: { type: "reasoning", text: "" } };
const thinks: Event = { type: "part-delta", message: 0, part: 1, of: "reasoning", text: "b" };
const over: readonly Event[] = [
  { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
  { type: "message-end", message: 0 },
];

const streamed: readonly [code: string, events: readonly Event[]][] = [
  ["already-sent", [...begun, start]],
  ["joined", [...begun, { type: "part", message: 0, part: 1, value: text("b") }]],
  ["resumed", [...begun, thought, thinks, { type: "part-delta", ...at, of: "text", text: "c" }]],
  [
    "late-reference",
    [...begun, { type: "part-end", ...at }, thought, thinks, { type: "citation", ...at, citation: { url: "u" } }],
  ],
  ["order", [start, thought, thinks, ...begun.slice(1)]],
  ["open", [...begun, ...over]],
];

test.each(streamed)("what a stream can say no more is a loss: %s", (loss, events) => {
  const encoder = streamEncoder(mistral, { recipient: "client" });
  runAll(encoder, events);
  expect(encoder.losses.map(each => each.code)).toContain(loss);
});

test("tokens that the counts leave out are a loss of the conversation", () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 5 };
  const { losses } = decode(mistral, { choices: [], usage }, { shape: "answer" });
  expect(losses.map(({ code }) => code)).toEqual(["usage-other"]);
});

test("each declared loss is seen", () => {
  const seen = new Set([...cases, ...streamed].map(([loss]) => loss).concat("usage-other", "stale"));
  expect(Object.keys(mistral.losses).filter(loss => !seen.has(loss))).toEqual([]);
});
