import type { Conversation, Event, Message, Part, Tool } from "translogue";
import { runAll } from "translogue";
import { decode, type EncodeOptions, encode, streamEncoder } from "translogue/convert";
import { gemini } from "translogue/gemini";
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
    { role: "tool", parts: [{ type: "tool-result", callId: "c", name: "f", output: [text("x")], ...more }] },
  ],
});
const gave = (...output: readonly Part[]): Conversation => result({ output });
const code = { kind: "code-interpreter", executedBy: "provider", input: { code: "1" } } as const;
const png: Part = { type: "file", mediaType: "image/png", source: { data: "AAAA" } };
const sealed = (seal: object): Conversation => said(text("a", { seal }));
const thoughtSignature = "c2ln";
const two = (more: Partial<Message>): Conversation => ({
  messages: [
    { role: "assistant", parts: [text("a")], ...more },
    { role: "assistant", parts: [text("b")], finish: { reason: "stop" } },
  ],
});

const stored = decode(
  gemini,
  { contents: [], cachedContent: "cachedContents/x" },
  { shape: "request", dialect: "vertex" },
).conversation;

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const failed: EncodeOptions = { shape: "error" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["refusal", said({ type: "refusal", text: "no" }), list],
  ["error-type", said({ type: "error", message: "a" }), failed],
  ["misplaced", said({ type: "error", message: "a" }, { type: "error", message: "b" }), answer],
  ["hidden-reasoning", said({ type: "reasoning", seal: { maker: "google", values: { thoughtSignature } } }), sent],
  ["foreign-seal", sealed({ maker: "openai", values: { id: "x" } }), list],
  ["seal-value", sealed({ maker: "google", values: { thoughtSignature, id: "x" } }), list],
  ["seal-origin", sealed({ maker: "google", model: "m", values: { thoughtSignature } }), list],
  ["seal-spelling", sealed({ maker: "google", values: { thoughtSignature: "_".repeat(24) } }), list],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["hidden-compaction", said({ type: "compaction" }), list],
  ["media-type", heard({ type: "file", mediaType: "image/*", source: { data: "AAAA" } }), sent],
  ["data-url", heard({ type: "file", mediaType: "image/png", source: { url: "data:image/png;base64,AAAA" } }), sent],
  ["file-text", heard({ type: "file", source: { text: "t" } }), list],
  ["file-parts", heard({ type: "file", source: { parts: [text("t")] } }), list],
  ["file-id", heard({ type: "file", source: { id: "x", provider: "openai" } }), list],
  ["file-by-id", heard({ type: "file", source: { id: "x", provider: "google" } }), list],
  ["call-kind", said({ ...call, kind: "custom" } as Part), list],
  ["arguments", said({ ...call, input: "words" } as Part), list],
  ["arguments-text", said({ type: "tool-call", callId: "c", name: "f", inputText: "{" }), list],
  ["tool-name", said({ type: "tool-call", callId: "c", name: "python", ...code }), list],
  ["code-language", said({ type: "tool-call", callId: "c", name: "code_execution", ...code }), list],
  ["code-id", said({ type: "tool-call", callId: "c", name: "code_execution", ...code }), answer],
  ["server-tool", said({ ...call, kind: "web-search", executedBy: "provider" } as Part), list],
  ["result-name", { messages: [{ role: "tool", parts: [{ type: "tool-result", callId: "c" }] }] }, list],
  ["outcome", result({ outcome: "denied" }), list],
  ["schema-spelling", tool({ input: { type: "OBJECT" } }), sent],
  ["schema-shape", tool({ input: {} }), sent],
  ["schema-rule", tool({ input: { type: "string" } }), sent],
  ["order", gave(png, text("x")), list],
  ["output-joined", gave(text("x"), text("y")), list],
  ["no-output", gave(), list],
  ["data-text", gave({ type: "data", data: "x" }), list],
  ["error-text", gave({ type: "error", message: "m" }), list],
  ["source-text", gave({ type: "source", title: "t" }), list],
  ["role", { messages: [{ role: "system", parts: [text("a")] }] }, list],
  ["control", { messages: [{ role: "control", parts: [] }] }, list],
  ["split", { messages: [{ role: "tool", parts: [text("a")] }] }, list],
  ["no-content", heard(), sent],
  ["empty-message", said({ type: "compaction" }), sent],
  ["envelope", told({ native: { gemini: { candidate: { avgLogprobs: -1 } } } }), list],
  [
    "system-joined",
    {
      messages: [
        { role: "system", parts: [text("a")] },
        { role: "system", parts: [text("b")] },
      ],
    },
    sent,
  ],
  [
    "stale",
    told({ native: { gemini: { candidate: { logprobsResult: { chosenCandidates: [{ token: "b" }] } } } } }),
    answer,
  ],
  ["messages-joined", two({}), answer],
  ["not-the-answer", { messages: [{ role: "user", parts: [] }, ...said(text("a")).messages] }, answer],
  ["not-the-error", said(text("a"), { type: "error", message: "m" }), failed],
  ["no-error", said(), failed],
  ["error-place", said({ type: "error", message: "m" }), answer],
  ["message-id", told({ id: "m1" }), answer],
  ["head", two({ model: "m" }), answer],
  ["citations", said(text("abc", { citations: [{ url: "u", start: 1 }] })), answer],
  ["finish", told({ finish: { reason: "compaction" } }), answer],
  ["no-finish", told({}), answer],
  ["usage", told({ usage: { cacheWrite: 3 } }), answer],
  ["foreign-state", stored, sent],
  ["setting", asked({ settings: { reasoning: { summary: "auto" } } }), sent],
  ["effort", asked({ settings: { reasoning: { effort: "max" } } }), sent],
  ["host-tool", tool({ kind: "shell" }), sent],
  ["host-tool-name", tool({ kind: "web-search" }), sent],
  ["custom-tool", tool({ kind: "custom" }), sent],
];

test.each(cases)("what the wire cannot say is a loss: %s", (loss, conversation, options) => {
  const codes = encode(gemini, conversation, options).losses.map(each => each.code);
  expect(codes).toContain(loss);
});

const at = { message: 0, part: 0 };
const begun: readonly Event[] = [
  { type: "message-start", message: 0, head: { role: "assistant" } },
  { type: "part-start", ...at, value: text("") },
  { type: "part-delta", ...at, of: "text", text: "a" },
];
const later: Event = { type: "part-start", message: 0, part: 1, value: text("") };
const more: Event = { type: "part-delta", message: 0, part: 1, of: "text", text: "b" };
const ended = (reason: "stop" | "aborted"): readonly Event[] => [
  { type: "message-set", message: 0, set: { finish: { reason } } },
  { type: "message-end", message: 0 },
];
const over = ended("stop");

test.each<[code: string, events: readonly Event[]]>([
  ["already-sent", [...begun, { type: "message-start", message: 0, head: { role: "assistant" } }]],
  ["resumed", [...begun, later, more, { type: "part-delta", ...at, of: "text", text: "c" }]],
  [
    "seal-place",
    [
      ...begun,
      { type: "part-set", ...at, set: { seal: { maker: "google", values: { thoughtSignature } } } },
      { type: "part-end", ...at },
    ],
  ],
  ["order", [...begun.slice(0, 1), later, more, ...begun.slice(1)]],
  ["open", [...begun, ...over]],
  ["open", [...begun, { type: "part-end", ...at }, ...ended("aborted")]],
])("what a stream can say no more is a loss: %s", (loss, events) => {
  const encoder = streamEncoder(gemini, { recipient: "client" });
  runAll(encoder, events);
  expect(encoder.losses.map(each => each.code)).toContain(loss);
});

test("each declared loss is seen", () => {
  // Of a decoder, in the test of answers; of a stream, above.
  const elsewhere = ["usage-other", "already-sent", "resumed", "seal-place", "open"];
  const seen = new Set([...cases.map(([loss]) => loss), ...elsewhere]);
  expect(Object.keys(gemini.losses).filter(loss => !seen.has(loss))).toEqual([]);
});
