import { type Conversation, type EncodeOptions, encode, type Message, type Part, type Tool } from "translogue";
import { ollama } from "translogue/ollama";
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
const picture: Part = { type: "file", mediaType: "image/png", source: { data: "iVBORw0KGgo=" } };
const given = (...output: readonly Part[]): Conversation => ({
  messages: [{ role: "tool", parts: [{ type: "tool-result", callId: "c", output }] }],
});
const failed: Part = { type: "error", message: "m" };

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const error: EncodeOptions = { shape: "error" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["schema-spelling", tool({ input: { type: "OBJECT" } }), sent],
  ["schema-shape", tool({ input: {} }), sent],
  ["schema-rule", tool({ input: { type: "string" } }), sent],
  ["empty-message", said({ ...call, executedBy: "provider" } as Part), sent],
  ["media-type", heard({ type: "file", mediaType: "image/tiff", source: { data: "iVBORw0KGgo=" } }), list],
  ["media", heard({ type: "file", mediaType: "audio/wav", source: { data: "AAAA" } }), list],
  ["media", heard({ type: "file", mediaType: "image/png", source: { url: "https://a" } }), list],
  ["text-file", heard({ type: "file", mediaType: "text/plain", source: { text: "t" } }), list],
  ["refusal", heard({ type: "refusal", text: "no" }), list],
  ["misplaced", heard({ type: "reasoning", text: "r" }), list],
  ["order", said(call, text("a")), list],
  ["order", heard(picture, text("a")), list],
  ["text-joined", said(text("a"), text("b")), list],
  ["empty-text", said(text("")), list],
  ["empty-text", heard(text(""), picture), list],
  ["hidden-reasoning", said({ type: "reasoning" }), list],
  ["server-tool", said({ ...call, executedBy: "provider" } as Part), list],
  ["tool-kind", said({ ...call, kind: "custom" } as Part), list],
  ["no-arguments", said({ type: "tool-call", callId: "c", name: "f" }), list],
  ["unread-input", said({ type: "tool-call", callId: "c", name: "f", inputText: "{" }), list],
  ["input-shape", said({ ...call, input: [1] } as Part), list],
  ["made-id", said({ ...call, callId: "~0.0" } as Part), list],
  ["result-name", { messages: [...said(call).messages, ...given(text("x")).messages] }, list],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["hidden-compaction", said({ type: "compaction" }), list],
  ["control", { messages: [{ role: "control", parts: [text("a")] }] }, list],
  ["developer", { messages: [{ role: "developer", parts: [text("a")] }] }, list],
  ["split", { messages: [{ role: "user", parts: [{ type: "tool-result", callId: "c" }, text("a")] }] }, list],
  ["result-role", { messages: [{ role: "user", parts: [{ type: "tool-result", callId: "c", output: [] }] }] }, list],
  ["no-result", { messages: [{ role: "tool", parts: [] }] }, list],
  ["no-content", { messages: [{ role: "user", parts: [] }] }, list],
  ["no-output", given(), list],
  ["outcome", { messages: [{ role: "tool", parts: [{ type: "tool-result", callId: "c", outcome: "denied" }] }] }, list],
  ["data", given({ type: "data", data: { a: 1 } }), list],
  ["error-text", given(failed), list],
  ["source-text", given({ type: "source", url: "https://a" }), list],
  ["messages-joined", { messages: [...said(text("a")).messages, ...said(text("b")).messages] }, answer],
  ["not-the-answer", { messages: [...heard(text("a")).messages, ...said(text("b")).messages] }, answer],
  ["stale", told({ native: { ollama: { answer: { logprobs: [{ token: "b" }] } } } }), answer],
  ["message-id", told({ id: "m" }), answer],
  ["head", { messages: [...told({ model: "m" }).messages, ...told({}).messages] }, answer],
  ["no-envelope", told({}), answer],
  ["no-finish", told({}), answer],
  ["finish", told({ finish: { reason: "refusal" } }), answer],
  ["usage", told({ usage: { output: 1, reasoning: 2 } }), answer],
  ["error-place", said(failed, text("a")), answer],
  ["error-code", told({ parts: [{ ...failed, code: "429" } as Part], finish: { reason: "error" } }), answer],
  ["not-the-error", said(text("a"), failed), error],
  ["no-error", asked({}), error],
  ["setting", asked({ settings: { responseFormat: { type: "text" } } }), sent],
  ["setting", asked({ settings: { reasoning: { budget: 3 } } }), sent],
  ["effort", asked({ settings: { reasoning: { effort: "minimal" } } }), sent],
  ["host-tool", tool({ kind: "web-search" }), sent],
  ["custom-tool", tool({ kind: "custom" }), sent],
];

test.each(cases)("says that it loses: %s", (code, conversation, options) => {
  const { losses } = encode(conversation, { to: "ollama", ...options });
  expect(losses.map(loss => loss.code)).toContain(code);
});

test("declares no loss that is never seen, but what only a stream may meet", () => {
  const seen = new Set([...cases.map(([code]) => code), "already-sent", "open"]);
  expect(Object.keys(ollama.losses).filter(code => !seen.has(code))).toEqual([]);
});
