import type { Generation } from "@translogue/testkit/generations";
import {
  approvalRequest,
  approvalResponse,
  assistant,
  type Event,
  emit,
  encode,
  fileData,
  fileId,
  fileText,
  fileUrl,
  type Json,
  type Message,
  message,
  opaquePart,
  type Part,
  reasoning,
  refusal,
  runAll,
  sourcePart,
  streamDecoder,
  streamEncoder,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { aiSdkUi } from "translogue/ai-sdk-ui";
import { describe, expect, test } from "vitest";

const call = (callId = "c", more: object = {}): Part & { type: "tool-call" } =>
  toolCall({ callId, name: "f", input: {}, ...more });
const answered = (more: Partial<Part & { type: "tool-result" }>, output: string | Part[] = "ok"): Message[] => [
  assistant(call()),
  toolMessage(toolResult("c", output, more)),
];
const request = approvalRequest("q", "c");
const response = (more: object = {}): Part => approvalResponse("q", true, { callId: "c", ...more });
const own = { native: { "ai-sdk": { mine: 1 } } };
const link = { url: "https://x.test" };
const isSaid = (part: Part): Message[] => [assistant(part)];

const wholes: [code: string, generation: Generation, path: string, messages: Message[]][] = [
  ["message-id", "v7", "messages.1.id", [assistant("a", { id: "m" }), assistant("b", { id: "n" })]],
  ["made-id", "v7", "messages.0.id", [user("a", { id: "~1" })]],
  ["cited-sources", "v6", "messages.0.parts.0.citations", isSaid(text("a", { citations: [link] }))],
  ["run", "v7", "messages.0.run", [assistant("a", { id: "m", run: "r" })]],
  ["role", "v7", "messages.0.role", [message("developer", "a")]],
  ["control", "v7", "messages.1", [assistant("a"), message("control", []), assistant("b")]],
  ["no-parts", "v7", "messages.1", [assistant("a"), message("tool", [])]],
  ["empty-message", "v7", "messages.0.parts", [user([])]],
  ["joined-metadata", "v7", "messages.1.metadata", [assistant("a"), assistant("b", { metadata: 1 })]],
  ["joined-native", "v7", "messages.1.native.ai-sdk", [assistant("a"), assistant("b", own)]],
  ["moved", "v7", "messages.2.parts.0", [assistant(call()), assistant("a"), toolMessage(toolResult("c", "1"))]],
  [
    "results-joined",
    "v7",
    "messages.1.parts",
    [assistant([call("a"), call("b")]), toolMessage(toolResult("b", "2")), toolMessage(toolResult("a", "1"))],
  ],
  ["misplaced", "v7", "messages.1.parts.0", [assistant("a"), message("tool", [text("b")])]],
  ["made-call", "v7", "messages.0.parts.0", [toolMessage(toolResult("c", "1"))]],
  ["held-call", "v7", "messages.0.parts.0.call", isSaid({ ...request, call: call() })],
  ["retold-call", "v7", "messages.0.parts.1", [assistant([{ ...request, call: call() }, call()])]],
  [
    "refused-result",
    "v7",
    "messages.1.parts.1.outcome",
    [
      assistant([call(), request]),
      message("tool", [approvalResponse("q", false, { callId: "c" }), toolResult("c", "1")]),
    ],
  ],
  ["made-request", "v7", "messages.0.parts", answered({ outcome: "denied" })],
  [
    "denied-result",
    "v5",
    "messages.1.parts.0",
    [assistant([call(), request]), message("tool", approvalResponse("q", false, { callId: "c" }))],
  ],
  ["approval-answer", "v7", "messages.1.parts.0", [assistant([call(), request]), toolMessage(toolResult("c", "1"))]],
  ["response-call", "v7", "messages.0.parts.2.callId", [assistant([call(), request, response({ callId: "d" })])]],
  ["second-answer", "v7", "messages.0.parts.3", [assistant([call(), request, response(), response()])]],
  ["preliminary-result", "v7", "messages.1.parts.0", [...answered({ preliminary: true }), ...answered({}).slice(1)]],
  ["result-name", "v7", "messages.1.parts.0.name", answered({ name: "f" })],
  [
    "partial-call",
    "v7",
    "messages.0.parts.0.partial",
    [assistant(call("c", { partial: true })), ...answered({}).slice(1)],
  ],
  ["call-kind", "v7", "messages.0.parts.0.kind", isSaid(call("c", { kind: "custom", input: "x" }))],
  ["input-text", "v7", "messages.0.parts.0.inputText", isSaid(call("c", { inputText: "{ }" }))],
  [
    "unread-input",
    "v7",
    "messages.0.parts.0.inputText",
    isSaid({ type: "tool-call", callId: "c", name: "f", inputText: "{" }),
  ],
  ["no-input", "v7", "messages.0.parts.0", isSaid({ type: "tool-call", callId: "c", name: "f" })],
  [
    "no-output",
    "v7",
    "messages.1.parts.0",
    [assistant(call()), message("tool", [{ type: "tool-result", callId: "c" }])],
  ],
  ["error-output", "v7", "messages.1.parts.0.output", answered({ outcome: "error" }, [text("a"), text("b")])],
  ["error-output", "v7", "messages.1.parts.0.output", answered({}, [{ type: "error", message: "m" }, text("b")])],
  ["interrupted", "v7", "messages.1.parts.0.outcome", answered({ outcome: "interrupted" })],
  [
    "denied-output",
    "v7",
    "messages.1.parts.0.output",
    [assistant([call(), request]), toolMessage(toolResult("c", [text("a"), text("b")], { outcome: "denied" }))],
  ],
  ["denied-outcome", "v5", "messages.1.parts.0.outcome", answered({ outcome: "denied" })],
  ["hidden-reasoning", "v7", "messages.0.parts.0.text", isSaid(reasoning())],
  ["reasoning-summary", "v7", "messages.0.parts.0.summary", isSaid(reasoning("a", { summary: true }))],
  ["refusal", "v7", "messages.0.parts.0", isSaid(refusal("no"))],
  ["reasoning-file", "v6", "messages.0.parts.0.reasoning", isSaid(fileData("AA==", "image/png", { reasoning: true }))],
  ["file-member", "v7", "messages.0.parts.0.mediaType", isSaid(fileData("AA==", "application/octet-stream"))],
  ["file-provider", "v7", "messages.0.parts.0.source", isSaid(fileId("file_1"))],
  ["file-source", "v7", "messages.0.parts.0.source", isSaid(fileText("words", { mediaType: "text/plain" }))],
  ["file-reference", "v5", "messages.0.parts.0", isSaid(fileId("file_1"))],
  ["data-url", "v7", "messages.0.parts.0.source", isSaid(fileUrl("data:image/png;base64,AA=="))],
  [
    "unread-input",
    "v7",
    "messages.0.parts.0.input",
    [assistant(call("c", { input: "{" })), toolMessage(toolResult("c", "no", { outcome: "error" }))],
  ],
  ["data-name", "v7", "messages.0.parts.0.name", isSaid({ type: "data", name: "", data: 1 })],
  ["source-member", "v7", "messages.0.parts.0.name", isSaid(sourcePart({ ...link, name: "n" }))],
  ["citation-member", "v7", "messages.0.parts.0.citations", isSaid(text("a", { citations: [{ ...link, name: "n" }] }))],
  [
    "steering-part",
    "v7",
    "messages.1.parts.0",
    [
      assistant("a", { id: "m", run: "m" }),
      { role: "user", run: "m", parts: [{ type: "data", data: 1 }, text("b")] },
      assistant("c", { id: "m:2", run: "m" }),
    ],
  ],
  [
    "late-member",
    "v7",
    "messages.0.parts.0.native",
    isSaid(text("a", { native: { "ai-sdk": { citations: 5, $unread: true } } })),
  ],
  [
    "raw-input",
    "v7",
    "messages.0.parts.0.native",
    [
      assistant(toolCall({ callId: "c", name: "f", inputText: "{a", native: { "ai-sdk": { $raw: false } } })),
      toolMessage(toolResult("c", "no", { outcome: "error" })),
    ],
  ],
  [
    "raw-input",
    "v6",
    "messages.0.parts.0.native",
    [
      assistant(toolCall({ callId: "c", name: "f", inputText: "{a", native: { "ai-sdk": { rawInput: "{a" } } })),
      toolMessage(toolResult("c", "no", { outcome: "error" })),
    ],
  ],
  ["late-part", "v6", "messages.0.parts.0", isSaid(opaquePart("ai-sdk", { type: "custom", kind: "x" }))],
];

const start = (number: number, head: object = {}): Event => ({
  type: "message-start",
  message: number,
  head: { role: "assistant", ...head },
});
const says = (part: Part, number = 0, place = 0): Event => ({
  type: "part",
  message: number,
  part: place,
  value: part,
});
const words = (delta: string, number = 0): Event => ({
  type: "part-delta",
  message: number,
  part: 0,
  of: "text",
  text: delta,
});
const opens = (number = 0): Event => ({ type: "part-start", message: number, part: 0, value: text("") });
const ends = (number = 0): Event => ({ type: "part-end", message: number, part: 0 });
const sets = (set: object, number = 0): Event => ({ type: "message-set", message: number, set });
const retelling = [start(0), opens(), words("a"), start(0), says(text("b"))];
const known: Event[] = [start(0), says(call()), says(request, 0, 1)];

const streams: [code: string, generation: Generation, events: Event[]][] = [
  ["other-role", "v7", emit([user("a"), assistant("b")])],
  ["late-id", "v7", [start(0), says(text("a")), sets({ id: "m" })]],
  ["kept-metadata", "v7", [start(0, { metadata: { a: 1 } }), sets({ metadata: { b: 1 } }), says(text("a"))]],
  ["step-finish", "v7", emit([assistant("a", { finish: { reason: "tool-calls" } }), assistant("b")])],
  ["empty-step", "v7", emit([assistant("a"), assistant([])])],
  ["finish", "v7", emit([assistant("a", { finish: { reason: "refusal" } })])],
  ["restarted", "v6", retelling],
  ["late-text", "v6", [start(0), opens(), words("a"), start(1), says(text("b"), 1), words("c")]],
  ["late-change", "v7", [start(0), opens(), words("a"), ends(), start(1), says(text("b"))]],
  ["late-order", "v7", [start(0), says(text("a"), 0, 1), says(text("b"), 0, 0)]],
  ["answer-elsewhere", "v7", [start(0), says(response())]],
  ["denied-result", "v5", [...known, says(approvalResponse("q", false, { callId: "c" }), 0, 2)]],
  ["silent-approval", "v6", [...known, start(1), says(text("b"), 1), says(response(), 1, 1)]],
  ["moved", "v7", [start(0), says(call()), says(text("a"), 0, 1), says(request, 0, 2)]],
  [
    "moved",
    "v6",
    [start(0), says(call("c", { executedBy: "provider" })), says(text("a"), 0, 1), says(toolResult("c", "ok"), 0, 2)],
  ],
  ["result-metadata", "v5", emit(answered({ seal: { maker: "google", values: { thoughtSignature: "t" } } }))],
  ["same-call", "v7", [start(0), says(call()), says(call(), 0, 1)]],
  ["stream-member", "v7", [start(0), says(text("a", own))]],
  ["stream-member", "v7", [start(0), says(text("a", { partial: true, citations: [link] }))]],
  ["unknown-chunk", "v6", [start(0), says(opaquePart("ai-sdk", { type: "video" }))]],
  ["unsafe-key", "v7", [start(0, { metadata: JSON.parse('{"__proto__":1}') as Json }), says(text("a"))]], // JSON.parse gives JSON
];

const chunks: [code: string, generation: Generation | "v4", chunks: Json[]][] = [
  ["transient-data", "v7", [{ type: "start" }, { type: "data-progress", data: 1, transient: true }]],
  ["transient-data", "v4", [["2", ["begin"]]]],
  [
    "step-id",
    "v4",
    [
      ["f", { messageId: "a" }],
      ["f", { messageId: "b" }],
      ["0", "said"],
    ],
  ],
  [
    "empty-step",
    "v6",
    [{ type: "start-step" }, { type: "data-a", data: 1 }, { type: "finish-step" }, { type: "start-step" }],
  ],
  ["forgotten", "v5", [{ type: "start" }, { type: "file", mediaType: "a/b", url: "u", providerMetadata: { a: {} } }]],
];

describe("what a message of the SDK's cannot say is a loss that names it", () => {
  test.each(wholes)("%s, for %s, at %s", (code, generation, path, messages) => {
    const { losses } = encode(
      { messages },
      { to: `ai-sdk-ui:${generation}`, shape: "messages", recipient: "store", carry: false },
    );
    expect(losses.map(loss => `${loss.code} ${loss.path.join(".")}`)).toContain(`${code} ${path}`);
  });
});

describe("what a stream of the SDK's cannot say is a loss that names it", () => {
  test.each(streams)("%s, for %s", (code, generation, events) => {
    const encoder = streamEncoder(`ai-sdk-ui:${generation}`, { recipient: "store" });
    runAll(encoder, events);
    expect(encoder.losses.map(loss => loss.code)).toContain(code);
  });

  test.each(chunks)("%s, from %s", (code, generation, given) => {
    const decoder = streamDecoder(`ai-sdk-ui:${generation}`);
    runAll(decoder, given);
    expect(decoder.losses.map(loss => loss.code)).toEqual([code]);
  });
});

test("there is no other loss of its own", () => {
  const seen = new Set([...wholes, ...streams, ...chunks].map(([code]) => code));
  expect(Object.keys(aiSdkUi.losses).sort()).toEqual([...seen].sort());
});
