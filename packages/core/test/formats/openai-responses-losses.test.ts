import type { Conversation, Message, Part, Tool } from "translogue";
import { type EncodeOptions, encode } from "translogue/convert";
import { openaiResponses } from "translogue/openai-responses";
import { expect, test } from "vitest";
import { codes, seal, text } from "./openai-responses-values.ts";

const said = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "assistant", parts }] });
const heard = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "user", parts }] });
const told = (head: Partial<Message>): Conversation => ({
  messages: [{ role: "assistant", parts: [text("a")], ...head }],
});
const asked = (more: Partial<Conversation>): Conversation => ({ messages: [], ...more });
const used = (call: Part, ...output: readonly Part[]): Conversation => ({
  messages: [
    { role: "assistant", parts: [call] },
    { role: "tool", parts: [{ type: "tool-result", callId: "c", output }] },
  ],
});

const png: Part = { type: "file", mediaType: "image/png", source: { data: "AAAA" } };
const call: Part = { type: "tool-call", callId: "c", name: "f", input: {} };
const patch: Part = { ...call, name: "apply_patch", kind: "apply-patch", input: { type: "delete_file", path: "a" } };
const searched: Part = {
  type: "tool-call",
  callId: "ws_1",
  name: "web_search",
  kind: "web-search",
  executedBy: "provider",
  input: { type: "search", query: "q" },
};
const found = (more: object = {}): Part => ({ type: "tool-result", callId: "ws_1", output: [], ...more });
const tool = (more: Partial<Tool>): Conversation => asked({ tools: [{ name: "t", ...more }] });

const list: EncodeOptions = { shape: "messages", recipient: "store", carry: false };
const sent: EncodeOptions = { shape: "request" };
const answer: EncodeOptions = { shape: "answer" };
const stream: EncodeOptions = { shape: "stream" };

const cases: readonly [code: string, conversation: Conversation, options: EncodeOptions][] = [
  ["part-seal", said({ ...text("a"), seal: seal({ id: "x" }, "anthropic") } as Part), list],
  ["seal-value", said({ ...text("a"), seal: seal({ signature: "S" }) } as Part), list],
  ["bare-reasoning", said({ type: "reasoning", text: "r" }), sent],
  ["reasoning-seal", said({ type: "reasoning", text: "r", id: "p" }), list],
  ["hidden-reasoning", said({ type: "reasoning", summary: true }), list],
  ["media-type", heard({ type: "file", mediaType: "application/pdf", source: { url: "https://a" } }), list],
  ["file-source", heard({ type: "file", source: { parts: [] } }), list],
  ["file-source", heard({ type: "file", source: { id: "x", provider: "anthropic" } }), sent],
  ["file-member", heard({ ...png, text: "t" } as Part), list],
  ["text-file", heard({ type: "file", source: { text: "t" } }), list],
  ["cache-ttl", heard({ ...text("a"), cache: { ttl: "5m" } } as Part), sent],
  ["cache-place", said({ ...text("a"), cache: {} } as Part), sent],
  ["citation", said({ type: "text", text: "a", citations: [{ url: "u", name: "n" }] }), sent],
  ["foreign-state", said({ type: "text", text: "a", citations: [{ fileId: "f" }] }), sent],
  ["citations", heard({ type: "text", text: "a", citations: [{ url: "u" }] }), list],
  ["phase", heard({ ...text("a"), phase: "final" } as Part), list],
  ["refusal", heard({ type: "refusal", text: "no" }), list],
  ["data", used(call, { type: "data", data: 1 }), list],
  ["error-text", used(call, { type: "error", message: "m" }), list],
  ["source-text", used(call, { type: "source", title: "t" }), list],
  [
    "outcome",
    {
      messages: [
        { role: "tool", parts: [{ type: "tool-result", callId: "c", outcome: "error", output: [text("a")] }] },
      ],
    },
    list,
  ],
  ["no-output", { messages: [{ role: "tool", parts: [{ type: "tool-result", callId: "c" }] }] }, list],
  ["output-part", used(patch, png), list],
  ["output-joined", used(patch, text("a"), text("b")), list],
  ["result-kind", said(searched, found({ kind: "web-search" })), list],
  ["result-name", said(searched, found({ name: "web_search" })), list],
  ["lone-result", said(found({ kind: "web-search" })), list],
  ["tool-kind", said({ ...call, kind: "web-search" } as Part), list],
  ["tool-name", said({ ...searched, name: "look" } as Part), list],
  ["tool-server", said({ ...call, server: "s" } as Part), list],
  ["foreign-call", said({ ...searched, callId: "srvtoolu_1" } as Part), sent],
  ["caller", said({ ...patch, caller: "p" } as Part), list],
  ["no-arguments", said({ type: "tool-call", callId: "c", name: "f" }), list],
  ["custom-input", said({ ...call, kind: "custom" } as Part), list],
  ["input-shape", said({ ...searched, input: { query: "q" } } as Part), list],
  ["made-id", said({ ...call, callId: "~0" } as Part), list],
  ["open", said({ ...text("a"), partial: true } as Part, text("b")), list],
  ["order", said(searched, text("a"), found()), list],
  ["misplaced", said(png), list],
  ["control", { messages: [{ role: "control", parts: [] }] }, list],
  [
    "messages-joined",
    {
      messages: [
        { role: "assistant", parts: [text("a")] },
        { role: "assistant", parts: [text("b")] },
      ],
    },
    list,
  ],
  ["empty-message", said(), list],
  ["split", heard(call, text("a")), list],
  [
    "approval-call",
    said({
      type: "approval-request",
      requestId: "r",
      callId: "x",
      call: { ...call, kind: "mcp", executedBy: "provider" } as Part & { type: "tool-call" },
    }),
    list,
  ],
  ["answer-call", said({ type: "approval-response", requestId: "r", callId: "r", approved: true }), list],
  ["tool-by-name", heard({ type: "change", toolsAdded: ["f", { name: "g" }] }), list],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), list],
  ["compaction-place", said({ type: "compaction", seal: seal({ encrypted_content: "E" }) }), list],
  ["compaction-text", said({ type: "compaction", summary: [text("s")], seal: seal({ encrypted_content: "E" }) }), list],
  ["host-tool", tool({ kind: "file-search" }), sent],
  ["tool-member", tool({ cache: {} }), sent],
  [
    "not-the-answer",
    {
      messages: [
        { role: "user", parts: [] },
        { role: "assistant", parts: [] },
      ],
    },
    answer,
  ],
  ["not-the-error", said(text("a"), { type: "error", message: "m" }), { shape: "error" }],
  ["no-error", said(), { shape: "error" }],
  ["error-place", said({ type: "error", message: "m" }, text("a")), answer],
  [
    "head",
    {
      messages: [
        { role: "assistant", parts: [text("a")], model: "m" },
        { role: "assistant", parts: [text("b")] },
      ],
    },
    answer,
  ],
  ["finish", told({ finish: { reason: "pause" } }), answer],
  ["no-finish", told({}), answer],
  ["no-envelope", told({}), answer],
  ["time", told({ createdAt: "yesterday" }), answer],
  ["usage", told({ usage: { input: 1 } }), answer],
  ["setting", asked({ settings: { reasoning: { budget: 1 } } }), sent],
  ["schema-spelling", asked({ tools: [{ name: "t", input: { type: "OBJECT" } }] }), sent],
  ["schema-shape", asked({ tools: [{ name: "t", input: {} }] }), sent],
  ["schema-rule", asked({ tools: [{ name: "t", input: { type: "string" } }] }), sent],
  ["schema-words", asked({ tools: [{ name: "t", strict: true, input: { type: "object", minProperties: 1 } }] }), sent],
  ["strict-schema", asked({ tools: [{ name: "t", strict: true, input: { additionalProperties: true } }] }), sent],
  ["format-name", asked({ settings: { responseFormat: { type: "json", schema: {} } } }), sent],
  [
    "messages-joined",
    {
      messages: [
        { role: "assistant", parts: [text("a")] },
        { role: "assistant", parts: [text("b")] },
      ],
    },
    stream,
  ],
  ["order", said(searched, text("a"), found()), stream],
  ["compaction", said({ type: "compaction", summary: [text("s")] }), stream],
];

test.each(cases)("what the wire cannot say is a loss: %s", (code, conversation, options) => {
  const { losses } = encode(openaiResponses, conversation, options);
  expect(codes(losses)).toContain(code);
});

test("each declared loss is seen", () => {
  // Of a decoder, of a stream that starts over, of one that was cut and of an edited answer: in tests of their own.
  const elsewhere = ["usage-other", "already-sent", "not-over", "stale", "foreign-state"];
  const seen = new Set([...cases.map(([code]) => code), ...elsewhere]);
  expect(Object.keys(openaiResponses.losses).filter(code => !seen.has(code))).toEqual([]);
});
