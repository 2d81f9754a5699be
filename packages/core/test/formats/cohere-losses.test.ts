import { type Conversation, type EncodeOptions, encode, type Message, type Part, type Tool } from "translogue";
import { cohere } from "translogue/cohere";
import { expect, test } from "vitest";

const text = (words: string): Part => ({ type: "text", text: words });
const said = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "assistant", parts }] });
const heard = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "user", parts }] });
const told = (head: Partial<Message>): Conversation => ({
  messages: [{ role: "assistant", parts: [text("a")], ...head }],
});
const asked = (more: Partial<Conversation>): Conversation => ({ messages: [], ...more });
const tool = (more: Partial<Tool>): Conversation => asked({ tools: [{ name: "t", ...more }] });
const call: Part = { type: "tool-call", callId: "c", name: "f", input: {} };
const plan = (words: string): Part => ({
  type: "reasoning",
  text: words,
  native: { cohere: { $place: "plan" } },
});
const given = (...output: readonly Part[]): Conversation => ({
  messages: [{ role: "tool", parts: [{ type: "tool-result", callId: "c", output }] }],
});
const failed: Part = { type: "error", message: "m" };
const event: Part = {
  type: "opaque",
  family: "cohere",
  value: { type: "x" },
  native: { cohere: { $place: "events" } },
};

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const stream: EncodeOptions = { shape: "stream" };
const error: EncodeOptions = { shape: "error" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["schema-spelling", tool({ input: { type: "OBJECT" } }), sent],
  ["schema-shape", tool({ input: {} }), sent],
  ["schema-rule", tool({ input: { type: "string" } }), sent],
  ["empty-message", said({ ...call, executedBy: "provider" } as Part), sent],
  ["setting", asked({ settings: { reasoning: { budget: -1 } } }), sent],
  ["media-type", heard({ type: "file", mediaType: "image/png", source: { url: "https://a" } }), list],
  ["media", heard({ type: "file", mediaType: "audio/wav", source: { data: "AAAA" } }), list],
  ["detail", heard({ type: "file", mediaType: "image/*", source: { url: "https://a" }, detail: "original" }), list],
  ["text-file", heard({ type: "file", mediaType: "text/plain", source: { text: "t" } }), list],
  ["refusal", heard({ type: "refusal", text: "no" }), list],
  ["misplaced", heard({ type: "reasoning", text: "r" }), list],
  ["order", said(call, text("a")), list],
  ["text-joined", said(plan("a"), plan("b")), list],
  ["empty-text", said(plan("")), list],
  ["hidden-reasoning", said({ type: "reasoning" }), list],
  ["assistant-media", said({ type: "file", mediaType: "image/png", source: { data: "AAAA" } }), list],
  ["server-tool", said({ ...call, executedBy: "provider" } as Part), list],
  ["tool-kind", said({ ...call, kind: "custom", input: "x" } as Part), list],
  ["no-arguments", said({ type: "tool-call", callId: "c", name: "f" }), list],
  ["made-id", said({ ...call, callId: "~0.0" } as Part), list],
  ["no-citations", said({ type: "text", text: "a", citations: [] }), list],
  ["citation-range", said({ type: "text", text: "a", citations: [{ start: 0, end: 2 }] }), list],
  ["citation-range", said({ type: "text", text: "🐦", citations: [{ start: 1, end: 2 }] }), list],
  ["stale", told({ native: { cohere: { answer: { logprobs: [{ text: "b" }] } } } }), answer],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["hidden-compaction", said({ type: "compaction" }), list],
  ["control", { messages: [{ role: "control", parts: [text("a")] }] }, list],
  ["developer", { messages: [{ role: "developer", parts: [text("a")] }] }, list],
  ["split", { messages: [{ role: "user", parts: [{ type: "tool-result", callId: "c" }, text("a")] }] }, list],
  [
    "result-role",
    { messages: [{ role: "user", parts: [{ type: "tool-result", callId: "c", output: [text("a")] }] }] },
    list,
  ],
  ["no-result", { messages: [{ role: "tool", parts: [] }] }, list],
  ["no-content", { messages: [{ role: "user", parts: [] }] }, list],
  ["no-output", given(), list],
  ["outcome", { messages: [{ role: "tool", parts: [{ type: "tool-result", callId: "c", outcome: "denied" }] }] }, list],
  ["data", given({ type: "data", data: [1] }), list],
  ["block-id", given({ type: "text", text: "a", id: "i" }), list],
  ["error-text", given(failed), list],
  ["source-document", given({ type: "source", url: "https://a" }), list],
  ["tool-media", given({ type: "file", mediaType: "image/png", source: { data: "AAAA" } }), list],
  ["event", said(event), list],
  ["messages-joined", { messages: [...said(text("a")).messages, ...said(text("b")).messages] }, answer],
  ["not-the-answer", { messages: [...heard(text("a")).messages, ...said(text("b")).messages] }, answer],
  ["message-id", told({ id: "m" }), answer],
  ["head", { messages: [...told({ finish: { reason: "stop" } }).messages, ...told({}).messages] }, answer],
  ["no-envelope", told({}), answer],
  ["no-finish", told({}), answer],
  ["finish", told({ finish: { reason: "refusal" } }), answer],
  ["usage", told({ usage: { output: 1, reasoning: 2 } }), answer],
  ["error-place", said(failed, text("a")), answer],
  ["error-code", told({ parts: [{ ...failed, code: "429" } as Part], finish: { reason: "error" } }), answer],
  ["cut-members", told({ finish: { reason: "incomplete" }, usage: { output: 1 } }), stream],
  ["not-the-error", said(text("a"), failed), error],
  ["no-error", asked({}), error],
  ["setting", asked({ settings: { responseFormat: { type: "json", schema: {}, name: "n" } } }), sent],
  ["effort", asked({ settings: { reasoning: { effort: "high" } } }), sent],
  ["tool-choice", asked({ settings: { toolChoice: { name: "t" } } }), sent],
  ["tool-choice", asked({ settings: { toolChoice: "auto" } }), sent],
  ["strict", asked({ tools: [{ name: "a", strict: true }, { name: "b" }] }), sent],
  ["host-tool", tool({ kind: "web-search" }), sent],
  ["custom-tool", tool({ kind: "custom" }), sent],
];

test.each(cases)("says that it loses: %s", (code, conversation, options) => {
  const { losses } = encode(conversation, { to: "cohere", ...options });
  expect(losses.map(loss => loss.code)).toContain(code);
});

test("declares no loss that is never seen, but what only a stream may meet", () => {
  const seen = new Set([...cases.map(([code]) => code), "already-sent", "open"]);
  expect(Object.keys(cohere.losses).filter(code => !seen.has(code))).toEqual([]);
});
