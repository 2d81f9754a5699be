import type { Conversation, Event, Message, Part, Tool } from "translogue";
import { runAll } from "translogue";
import { decode, type EncodeOptions, encode, streamEncoder } from "translogue/convert";
import { geminiInteractions } from "translogue/gemini-interactions";
import { expect, test } from "vitest";

const text = (words: string, more: object = {}): Part => ({ type: "text", text: words, ...more });
const said = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "assistant", parts }] });
const heard = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "user", parts }] });
const told = (head: Partial<Message>): Conversation => ({
  messages: [{ role: "assistant", parts: [text("a")], ...head }],
});
const asked = (more: Partial<Conversation>): Conversation => ({ messages: [], ...more });
const tool = (more: Partial<Tool>): Conversation => asked({ tools: [{ name: "t", ...more }] });
const call: Part = { type: "tool-call", callId: "c", name: "f", input: {} };
const result = (more: object): Conversation => ({
  messages: [
    { role: "assistant", parts: [call] },
    { role: "tool", parts: [{ type: "tool-result", callId: "c", output: [text("x")], ...more }] },
  ],
});
const gave = (...output: readonly Part[]): Conversation => result({ output });
const found = (...output: readonly Part[]): Conversation =>
  said(
    { ...call, name: "url_context", kind: "web-fetch", executedBy: "provider" } as Part, // a call
    { type: "tool-result", callId: "c", output },
  );
const cited = (citation: object): Conversation => said(text("abc", { citations: [citation] }));
const file = (more: object): Part => ({ type: "file", mediaType: "image/png", source: { data: "AAAA" }, ...more });
const thoughtSignature = "c2ln";
const two = (more: Partial<Message>): Conversation => ({
  messages: [
    { role: "assistant", parts: [text("a")], ...more },
    { role: "assistant", parts: [text("b")], finish: { reason: "stop" } },
  ],
});
const stored = decode(
  geminiInteractions,
  { model: "m", input: "a", previous_interaction_id: "v1_x" },
  { shape: "request", dialect: "vertex" },
).conversation;

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const failed: EncodeOptions = { shape: "error" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["refusal", said({ type: "refusal", text: "no" }), list],
  ["misplaced", heard({ type: "error", message: "m" }), list],
  ["as-summary", said({ type: "reasoning", text: "t" }), list],
  ["hidden-reasoning", said({ type: "reasoning" }), sent],
  ["foreign-seal", said({ type: "reasoning", seal: { maker: "openai", values: { id: "x" } } }), list],
  ["seal-value", said({ type: "reasoning", seal: { maker: "google", values: { thoughtSignature, id: "x" } } }), list],
  [
    "seal-origin",
    said({ type: "reasoning", seal: { maker: "google", model: "m", values: { thoughtSignature } } }),
    list,
  ],
  ["seal-place", said(text("a", { seal: { maker: "google", values: { thoughtSignature } } })), list],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["hidden-compaction", said({ type: "compaction" }), list],
  ["file-text", heard(file({ source: { text: "t" } })), list],
  ["file-parts", heard(file({ source: { parts: [text("t")] } })), list],
  ["file-id", heard(file({ source: { id: "x", provider: "openai" } })), list],
  ["file-by-id", heard(file({ source: { id: "x", provider: "google" } })), list],
  ["file-member", heard(file({ name: "n.png" })), list],
  ["citation-member", cited({ url: "u", title: "t", name: "n" }), list],
  ["citation-range", cited({ url: "u", start: 2, end: 9 }), list],
  ["call-kind", said({ ...call, kind: "custom" } as Part), list],
  ["arguments", said({ ...call, input: "words" } as Part), list],
  ["arguments-text", said({ type: "tool-call", callId: "c", name: "f", inputText: "{" }), list],
  ["no-arguments", said({ type: "tool-call", callId: "c", name: "f" }), list],
  [
    "tool-name",
    said({
      ...call,
      name: "search",
      kind: "web-search",
      executedBy: "provider",
      native: { "gemini-interactions": { $type: "google_search_call" } },
    } as Part), // a call
    list,
  ],
  ["server-tool", said({ ...call, kind: "web-search", executedBy: "provider", input: { query: "q" } } as Part), list],
  [
    "result-name",
    said(...(found(text("x")).messages[0]?.parts ?? []).map(part => ({ ...part, name: "url_context" }) as Part)),
    list,
  ],
  ["result-kind", result({ kind: "custom" }), list],
  ["outcome", result({ outcome: "denied" }), list],
  ["no-output", result({ output: undefined }), list],
  ["data-text", gave({ type: "data", data: 7 }), list],
  ["data-shape", found({ type: "data", data: { url: "u" } }), list],
  ["error-text", gave({ type: "error", message: "m" }), list],
  ["source-text", gave({ type: "source", title: "t" }), list],
  ["source-member", found({ type: "source", url: "u", name: "n" }), list],
  ["role", { messages: [{ role: "system", parts: [text("a")] }] }, list],
  ["control", { messages: [{ role: "control", parts: [] }] }, list],
  ["split", { messages: [{ role: "tool", parts: [text("a")] }] }, list],
  ["empty-message", said(), list],
  ["envelope", told({ native: { "gemini-interactions": { response: { service_tier: "flex" } } } }), list],
  ["messages-joined", two({}), list],
  ["system-joined", { messages: [{ role: "system", parts: [text("a"), text("b")] }] }, sent],
  ["not-the-answer", { messages: [{ role: "user", parts: [] }, ...said(text("a")).messages] }, answer],
  ["not-the-error", said(text("a"), { type: "error", message: "m" }), failed],
  ["no-error", said(), failed],
  ["error-place", said({ type: "error", message: "m" }, text("a")), answer],
  ["head", two({ model: "m" }), answer],
  ["finish", told({ finish: { reason: "compaction" } }), answer],
  ["no-finish", told({}), answer],
  ["no-envelope", told({}), answer],
  ["usage", told({ usage: { cacheWrite: 3 } }), answer],
  ["setting", asked({ settings: { reasoning: { budget: 5 } } }), sent],
  ["effort", asked({ settings: { reasoning: { effort: "max" } } }), sent],
  ["host-tool", tool({ kind: "shell" }), sent],
  ["host-tool-name", tool({ kind: "web-search" }), sent],
  ["custom-tool", tool({ kind: "custom" }), sent],
  ["tool-member", tool({ kind: "web-search", description: "d" }), sent],
  ["schema-spelling", tool({ input: { type: "object", properties: { a: { const: 1 } } } }), sent],
  ["schema-shape", tool({ input: {} }), sent],
  ["schema-rule", tool({ input: { type: "string" } }), sent],
  ["foreign-state", stored, sent],
];

test.each(cases)("what the wire cannot say is a loss: %s", (loss, conversation, options) => {
  const codes = encode(geminiInteractions, conversation, options).losses.map(each => each.code);
  expect(codes).toContain(loss);
});

test("more tokens than the counts tell are a loss where they are read", () => {
  const usage = { total_tokens: 9, total_input_tokens: 1 };
  const { losses } = decode(geminiInteractions, { id: "a", status: "completed", object: "interaction", usage });
  expect(losses).toMatchObject([{ code: "usage-other" }]);
});

const at = { message: 0, part: 0 };
const begun: readonly Event[] = [
  { type: "message-start", message: 0, head: { role: "assistant" } },
  { type: "part-start", ...at, value: text("") },
  { type: "part-delta", ...at, of: "text", text: "a" },
];
const later: Event = { type: "part", message: 0, part: 1, value: call };
const over: readonly Event[] = [
  { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
  { type: "message-end", message: 0 },
];

test.each<[code: string, events: readonly Event[]]>([
  ["already-sent", [...begun, { type: "message-start", message: 0, head: { role: "assistant" } }]],
  [
    "already-sent",
    [...begun, { type: "part-end", ...at }, { type: "citation", ...at, citation: { url: "u" } }, ...over],
  ],
  ["order", [...begun.slice(0, 1), later, ...begun.slice(1)]],
  ["open", [...begun, ...over]],
  [
    "messages-joined",
    [...begun, ...over, { type: "message-start", message: 1, head: { role: "assistant" } }, { ...later, message: 1 }],
  ],
  [
    "head",
    [
      ...begun,
      { type: "part-end", ...at },
      { type: "message-end", message: 0 },
      { type: "message-start", message: 1, head: { role: "assistant" } },
      { type: "message-end", message: 1 },
    ],
  ],
  ["not-the-answer", [{ type: "message-start", message: 0, head: { role: "system" } }]],
])("what a stream can say no more is a loss: %s", (loss, events) => {
  const encoder = streamEncoder(geminiInteractions, { recipient: "client" });
  runAll(encoder, events);
  expect(encoder.losses.map(each => each.code)).toContain(loss);
});

test("every declared loss is one of these", () => {
  const fired = new Set([...cases.map(([code]) => code), "usage-other", "already-sent", "order", "open"]);
  expect(Object.keys(geminiInteractions.losses).filter(code => !fired.has(code))).toEqual([]);
});
