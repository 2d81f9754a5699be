import { type Conversation, convert, type EncodeOptions, encode, type Message, type Part, type Tool } from "translogue";
import { anthropicMessages } from "translogue/anthropic-messages";
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
const searched: Part = { ...call, name: "web_search", kind: "web-search", executedBy: "provider" };
const used = (by: Part, more: object): Conversation => said(by, { type: "tool-result", callId: "c", ...more } as Part);

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const stream: EncodeOptions = { shape: "stream" };
const error: EncodeOptions = { shape: "error" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["part-seal", said({ type: "reasoning", text: "r", seal: { maker: "openai", values: { id: "x" } } }), list],
  ["seal-value", said({ type: "reasoning", text: "r", seal: { maker: "anthropic", values: { id: "x" } } }), list],
  ["bare-reasoning", said({ type: "reasoning", text: "r" }), sent],
  ["unsigned", said({ type: "reasoning", text: "r" }), answer],
  ["unsigned", said({ type: "text", text: "a", citations: [{ url: "https://a" }] }), answer],
  ["unsigned", used(searched, { output: [{ type: "source", url: "https://a" }] }), answer],
  ["hidden-reasoning", said({ type: "reasoning" }), list],
  ["media-type", heard({ type: "file", mediaType: "image/png", source: { url: "https://a" } }), list],
  ["media", heard({ type: "file", mediaType: "audio/wav", source: { data: "AAAA" } }), sent],
  ["empty-text", said(text("a"), text(" ")), sent],
  ["empty-message", said(text("")), sent],
  ["foreign-state", asked({ native: { "anthropic-messages": { container: "c", $host: "compatible" } } }), sent],
  ["text-file", heard({ type: "file", mediaType: "text/csv", source: { data: "YSxi" } }), sent],
  ["data-url", heard({ type: "file", mediaType: "image/png", source: { url: "data:image/png;base64,AAAA" } }), sent],
  ["file-name", heard({ type: "file", mediaType: "image/png", name: "n", source: { data: "AAAA" } }), list],
  ["file-provider", heard({ type: "file", source: { id: "file_1" } }), list],
  ["foreign-file", heard({ type: "file", source: { id: "file_1", provider: "openai" } }), sent],
  ["citation", said({ type: "text", text: "a", citations: [{ fileId: "f" }] }), list],
  ["citation", said({ type: "text", text: "a", citations: [{ url: "https://a" }] }), sent],
  ["citation-member", said({ type: "text", text: "a", citations: [{ url: "https://a", fileId: "f" }] }), list],
  ["refusal", said({ type: "refusal", text: "no" }), list],
  ["data", used(call, { output: [{ type: "data", data: 1 }] }), list],
  ["error-text", used(call, { output: [{ type: "error", message: "m" }] }), list],
  ["error-code", used(searched, { output: [{ type: "error", message: "m" }], outcome: "error" }), list],
  ["source", said({ type: "source", url: "https://a" }), list],
  ["source-text", used(call, { output: [{ type: "source", url: "https://a" }] }), list],
  ["source-member", said({ type: "source", title: "t", parts: [] }), list],
  ["outcome", used(call, { outcome: "denied" }), list],
  ["denied-text", used(call, { outcome: "denied" }), list],
  ["outcome", used(searched, { output: [], outcome: "error" }), list],
  ["result-shape", used(searched, { output: [text("found")] }), list],
  ["tool-kind", said({ ...call, kind: "computer" } as Part), list],
  ["tool-name", said({ ...searched, name: "search" } as Part), list],
  ["tool-server", said({ ...call, server: "s" } as Part), list],
  ["foreign-call", said({ ...searched, callId: "ws_1" } as Part), sent],
  ["no-arguments", said({ type: "tool-call", callId: "c", name: "f" }), list],
  ["input-shape", said({ ...call, input: [1] } as Part), list],
  ["input-text", said({ ...call, input: { a: 1 }, inputText: '{ "a": 1 }' } as Part), list],
  ["unread-input", said({ type: "tool-call", callId: "c", name: "f", inputText: "{" }), list],
  ["made-id", said({ ...call, callId: "~0.0" } as Part), list],
  ["split", said({ type: "change", toolsAdded: ["a", "b"] }), list],
  ["change", said({ type: "change", model: "m" }), list],
  ["change-tool", said({ type: "change", toolsAdded: [{ name: "a", output: {} }] }), list],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["hidden-compaction", said({ type: "compaction" }), list],
  [
    "compaction-text",
    said({
      type: "compaction",
      summary: [text("s"), text("t")],
      seal: { maker: "anthropic", values: { signature: "x" } },
    }),
    list,
  ],
  ["host-tool", tool({ kind: "image-generation" }), sent],
  ["tool-member", tool({ kind: "web-search", description: "d" }), sent],
  ["tool-input", tool({ kind: "custom" }), sent],
  ["not-the-answer", heard(text("q")), answer],
  [
    "messages-joined",
    { messages: [...told({ responseId: "r" }).messages, ...told({ responseId: "r" }).messages] },
    answer,
  ],
  ["not-the-error", said(text("a"), { type: "error", message: "m" }), error],
  ["no-error", said(text("a")), error],
  ["error-type", said({ type: "error", message: "m" }), error],
  ["error-place", said({ type: "error", message: "m" }, text("a")), stream],
  ["finish", told({ finish: { reason: "aborted" } }), answer],
  ["finish", told({ finish: { reason: "content-filter" } }), answer],
  ["usage", told({ usage: { output: 3 } }), answer],
  ["no-envelope", told({}), answer],
  ["no-usage", told({}), answer],
  ["control", { messages: [{ role: "control", parts: [] }] }, list],
  ["role", { messages: [{ role: "critic", parts: [text("a")] }] }, list],
  ["developer", { messages: [{ role: "developer", parts: [text("a")] }] }, sent],
  ["side", { messages: [{ role: "tool", parts: [text("a")] }] }, list],
  [
    "system-joined",
    {
      messages: [...["a", "b"].map(words => ({ role: "system", parts: [text(words)] })), ...heard(text("q")).messages],
    },
    sent,
  ],
  ["setting", asked({ settings: { reasoning: { summary: "auto" } } }), sent],
  ["effort", asked({ settings: { reasoning: { effort: "minimal" } } }), sent],
  ["limit", asked({}), sent],
  ["format", asked({ settings: { responseFormat: { type: "json" } } }), sent],
  ["schema-spelling", asked({ tools: [{ name: "t", input: { type: "OBJECT" } }] }), sent],
  ["schema-shape", asked({ tools: [{ name: "t", input: {} }] }), sent],
  ["schema-rule", asked({ tools: [{ name: "t", input: { type: "string" } }] }), sent],
  ["schema-words", asked({ settings: { responseFormat: { type: "json", schema: { maximum: 1 } } } }), sent],
  ["strict-schema", asked({ tools: [{ name: "t", strict: true, input: { additionalProperties: {} } }] }), sent],
  ["choice", asked({ settings: { parallelToolCalls: false } }), sent],
  ["allowed", asked({ settings: { toolChoice: { allowed: ["a", "b"] } } }), sent],
];

test.each(cases)("the loss `%s` is seen", (code, conversation, options) => {
  const { losses } = encode(conversation, { to: "anthropic-messages", ...options });
  expect(losses.map(loss => loss.code)).toContain(code);
});

test("every loss that is declared is seen here or in streams", () => {
  const seen = new Set([...cases.map(([code]) => code), "open", "order", "already-sent"]);
  expect(Object.keys(anthropicMessages.losses).filter(code => !seen.has(code))).toEqual([]);
});

test("an answer whose host signs nothing comes back without a loss", () => {
  const citation = { type: "web_search_result_location", url: "https://a", title: "t", encrypted_index: "" };
  const hit = { type: "web_search_result", url: "https://a", title: "t", encrypted_content: "" };
  const content = [
    { type: "thinking", thinking: "r", signature: "" },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [hit] },
    { type: "text", text: "a", citations: [citation] },
  ];
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" };
  const wire = { ...head, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 }, content };
  const format = "anthropic-messages";
  expect(convert(wire, { from: format, to: format, shape: "answer" })).toMatchObject({ value: wire, losses: [] });
});
