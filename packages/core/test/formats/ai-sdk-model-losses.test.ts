import {
  approvalRequest,
  approvalResponse,
  assistant,
  type Conversation,
  decode,
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
  type Shape,
  sourcePart,
  streamDecoder,
  streamEncoder,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { aiSdkModel } from "translogue/ai-sdk-model";
import { aiSdkPrompt } from "translogue/ai-sdk-prompt";
import { describe, expect, test } from "vitest";

const call = (more: object = {}): Part & { type: "tool-call" } =>
  toolCall({ callId: "c", name: "f", input: {}, ...more });
const result = (output: string | Part[] = "ok", more: object = {}): Message[] => [
  toolMessage(toolResult("c", output, { name: "f", ...more })),
];
const isSaid = (part: Part): Message[] => [assistant(part)];
const own = { native: { "ai-sdk": { mine: 1 } } };
const png = fileData("AAAA", "image/png");

type Format =
  | "ai-sdk-model"
  | "ai-sdk-model:v6"
  | "ai-sdk-model:v5"
  | "ai-sdk-prompt"
  | "ai-sdk-prompt:v3"
  | "ai-sdk-prompt:v2";

const messages: [code: string, format: Format, path: string, messages: Message[]][] = [
  ["role", "ai-sdk-model", "messages.0.role", [message("developer", "a")]],
  ["control", "ai-sdk-model", "messages.0", [message("control", [])]],
  ["system-text", "ai-sdk-model", "messages.0.parts", [message("system", [text("a"), text("b")])]],
  ["misplaced", "ai-sdk-model", "messages.0.parts", [user([call()])]],
  ["ui-member", "ai-sdk-model", "messages.0.parts.0.native", isSaid(text("a", own))],
  ["ui-part", "ai-sdk-model", "messages.0.parts.0", isSaid(opaquePart("ai-sdk", { type: "video" }))],
  ["ui-part", "ai-sdk-model:v6", "messages.0.parts.0", isSaid(opaquePart("ai-sdk", { type: "custom", kind: "a.b" }))],
  ["hidden-reasoning", "ai-sdk-model", "messages.0.parts.0.text", isSaid({ type: "reasoning" })],
  [
    "reasoning-summary",
    "ai-sdk-model",
    "messages.0.parts.0.summary",
    isSaid({ type: "reasoning", text: "a", summary: true }),
  ],
  ["refusal", "ai-sdk-model", "messages.0.parts.0", isSaid(refusal("a"))],
  ["reasoning-file", "ai-sdk-model:v6", "messages.0.parts.0.reasoning", isSaid({ ...png, reasoning: true })],
  ["file-member", "ai-sdk-model", "messages.0.parts.0.name", isSaid({ ...png, name: "a", reasoning: true })],
  ["file-url", "ai-sdk-model:v5", "messages.0.parts.0.source", [user([fileUrl("abcd", { mediaType: "image/png" })])]],
  ["file-provider", "ai-sdk-model", "messages.0.parts.0.source", [user([fileId("f")])]],
  ["file-reference", "ai-sdk-model:v5", "messages.0.parts.0.source", [user([fileId("f")])]],
  ["file-source", "ai-sdk-model:v6", "messages.0.parts.0.source", [user([fileText("a")])]],
  [
    "file-source",
    "ai-sdk-model:v5",
    "messages.0.parts.0.output",
    result([fileUrl("https://x.test", { mediaType: "image/png" }), text("a")]),
  ],
  ["call-kind", "ai-sdk-model", "messages.0.parts.0.kind", isSaid(call({ kind: "shell" }))],
  ["input-text", "ai-sdk-model", "messages.0.parts.0.inputText", isSaid(call({ inputText: "{ }" }))],
  [
    "unread-input",
    "ai-sdk-model",
    "messages.0.parts.0.inputText",
    isSaid(toolCall({ callId: "c", name: "f", inputText: "{" })),
  ],
  ["no-input", "ai-sdk-model", "messages.0.parts.0", isSaid(toolCall({ callId: "c", name: "f" }))],
  ["result-name", "ai-sdk-model", "messages.0.parts.0.name", [toolMessage(toolResult("c", "a"))]],
  ["preliminary", "ai-sdk-model", "messages.0.parts.0.preliminary", result("a", { preliminary: true })],
  ["preliminary-result", "ai-sdk-model", "messages.0.parts.0", [...result("a", { preliminary: true }), ...result("b")]],
  [
    "no-output",
    "ai-sdk-model",
    "messages.0.parts.0.output",
    [toolMessage({ type: "tool-result", callId: "c", name: "f" })],
  ],
  ["output-part", "ai-sdk-model", "messages.0.parts.0.output", result([text("a"), { type: "data", data: 1 }])],
  ["error-output", "ai-sdk-model", "messages.0.parts.0.output", result([text("a"), text("b")], { outcome: "error" })],
  ["interrupted", "ai-sdk-model", "messages.0.parts.0.outcome", result("a", { outcome: "interrupted" })],
  ["denied-outcome", "ai-sdk-model:v5", "messages.0.parts.0.outcome", result("a", { outcome: "denied" })],
  ["denied-output", "ai-sdk-model", "messages.0.parts.0.output", result([text("a"), text("b")], { outcome: "denied" })],
  ["held-call", "ai-sdk-model", "messages.0.parts.0.call", isSaid(approvalRequest("q", "c", { call: call() }))],
  [
    "retold-call",
    "ai-sdk-model",
    "messages.0.parts.1",
    [assistant([approvalRequest("q", "c", { call: call() }), call()])],
  ],
  [
    "response-call",
    "ai-sdk-model",
    "messages.0.parts.0.callId",
    [message("tool", [approvalResponse("q", true, { callId: "c" })])],
  ],
  ["own-request", "ai-sdk-prompt", "messages.0.parts.0", isSaid(approvalRequest("q", "c"))],
];

const answers: [code: string, format: Format, path: string, messages: Message[]][] = [
  ["not-answer", "ai-sdk-prompt", "messages.0", [user("a"), assistant("b")]],
  ["answers-joined", "ai-sdk-prompt", "messages.0", [assistant("a"), assistant("b")]],
  ["finish", "ai-sdk-prompt:v2", "messages.0.finish", [assistant("a", { finish: { reason: "refusal" } })]],
  ["no-finish", "ai-sdk-prompt", "messages.0.finish", [assistant("a")]],
  ["usage", "ai-sdk-prompt:v2", "messages.0.usage", [assistant("a", { usage: { input: 1, cacheWrite: 2 } })]],
  ["time", "ai-sdk-prompt", "messages.0.createdAt", [assistant("a", { createdAt: "yesterday" })]],
  ["made-id", "ai-sdk-prompt", "messages.0.parts.0.id", isSaid(sourcePart({ id: "~1", url: "https://x.test" }))],
  [
    "source-member",
    "ai-sdk-prompt",
    "messages.0.parts.0.name",
    isSaid(sourcePart({ id: "s", url: "https://x.test", name: "a" })),
  ],
  [
    "cited-sources",
    "ai-sdk-prompt:v3",
    "messages.0.parts.0.citations",
    isSaid(text("a", { citations: [{ url: "https://x.test" }] })),
  ],
  [
    "citation-member",
    "ai-sdk-prompt",
    "messages.0.parts.0.citations",
    isSaid(text("a", { citations: [{ url: "https://x.test", name: "a" }] })),
  ],
  [
    "result-content",
    "ai-sdk-prompt",
    "messages.0.parts.0.output",
    isSaid(toolResult("c", [text("a"), png], { name: "f" })),
  ],
];

const start = (number: number): Event => ({ type: "message-start", message: number, head: { role: "assistant" } });
const says = (value: Part, part = 0): Event => ({ type: "part", message: 0, part, value });
const ends: Event = { type: "message-end", message: 0 };

const streams: [code: string, format: Format, events: Event[]][] = [
  [
    "answer-call",
    "ai-sdk-model",
    emit([assistant([call(), approvalRequest("q", "c")]), message("tool", [approvalResponse("q", true)])]),
  ],
  ["not-answer", "ai-sdk-model:v6", emit([user("a")])],
  ["started-over", "ai-sdk-model", [start(0), says(text("a")), start(0), ends]],
  ["replaced", "ai-sdk-model", [start(0), says(text("a")), says(text("b")), ends]],
  [
    "late-member",
    "ai-sdk-prompt",
    [
      start(0),
      says(text("a")),
      { type: "part-set", message: 0, part: 0, set: { seal: { maker: "google", values: { signature: "s" } } } },
      ends,
    ],
  ],
  ["aborted", "ai-sdk-prompt", emit([assistant("a", { finish: { reason: "aborted" } })])],
  [
    "hidden-reasoning",
    "ai-sdk-model",
    emit([assistant(reasoning("", { seal: { maker: "anthropic", values: { data: "d" } } }))]),
  ],
];

const calls: [code: string, path: string, conversation: Conversation][] = [
  ["setting", "settings.reasoning.budget", { messages: [], settings: { reasoning: { budget: 1 } } }],
  ["tool", "tools.0.kind", { messages: [], tools: [{ name: "f", kind: "shell", input: {} }] }],
];

const named = (conversation: Conversation, format: Format, shape: Shape, recipient: "store" | "provider" = "store") =>
  encode(conversation, { to: format, shape, recipient, carry: false }).losses.map(
    loss => `${loss.code} ${loss.path.join(".")}`,
  );

describe("what cannot be said is a loss that names it", () => {
  test.each(messages)("%s, for %s, at %s", (code, format, path, given) => {
    expect(named({ messages: given }, format, "messages")).toContain(`${code} ${path}`);
  });

  test.each(answers)("%s of an answer, for %s, at %s", (code, format, path, given) => {
    expect(named({ messages: given }, format, "answer")).toContain(`${code} ${path}`);
  });

  test.each(calls)("%s of a call, at %s", (code, path, conversation) => {
    expect(named(conversation, "ai-sdk-prompt", "request")).toContain(`${code} ${path}`);
  });

  test("an empty text and an answer of our own, for a provider", () => {
    const given = [user(""), assistant(call()), message("tool", [approvalResponse("q", true)])];
    expect(named({ messages: given }, "ai-sdk-prompt", "messages", "provider")).toEqual([
      "empty-text messages.0.parts.0",
      "own-answer messages.2.parts.0",
    ]);
  });

  test("another media type than that of its data URL, for a provider", () => {
    const part: Json = { type: "file", mediaType: "image/jpeg", data: "data:image/png;base64,AAAA" };
    const wire = [{ role: "user", content: [part] }];
    const { conversation } = decode(wire, { from: "ai-sdk-model", shape: "messages" });
    expect(named(conversation, "ai-sdk-prompt", "messages", "provider")).toEqual([
      "media-type messages.0.parts.0.mediaType",
    ]);
  });

  test.each(streams)("%s of a stream, for %s", (code, format, events) => {
    const encoder = streamEncoder(format, { recipient: "store" });
    runAll(encoder, events);
    expect(encoder.losses.map(loss => loss.code)).toContain(code);
  });

  test("raw, of a stream that is read", () => {
    const decoder = streamDecoder("ai-sdk-prompt");
    runAll(decoder, [{ type: "raw", rawValue: 1 }]);
    expect(decoder.losses.map(loss => loss.code)).toEqual(["raw"]);
  });
});

test("there is no other loss of their own", () => {
  const seen = new Set([...messages, ...answers, ...streams, ...calls].map(([code]) => code));
  const declared = new Set(Object.keys({ ...aiSdkModel.losses, ...aiSdkPrompt.losses }));
  expect([...declared].sort()).toEqual([...seen, "empty-text", "media-type", "own-answer", "raw"].sort());
});
