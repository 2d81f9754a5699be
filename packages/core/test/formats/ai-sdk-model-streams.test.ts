import {
  accumulate,
  assistant,
  emit,
  type Json,
  type Message,
  reasoning,
  runAll,
  streamDecoder,
  streamEncoder,
  text,
  toolCall,
  toolMessage,
  toolResult,
  transcode,
  user,
} from "translogue";
import { describe, expect, test } from "vitest";

const reader = (format: string) => streamDecoder(format as "ai-sdk-model");
const read = (stream: readonly Json[], format = "ai-sdk-model") => accumulate(runAll(reader(format), stream));
const write = (messages: readonly Message[], format = "ai-sdk-model") => {
  const encoder = streamEncoder(format as "ai-sdk-model", { recipient: "store" });
  return { stream: runAll(encoder, emit(messages)), losses: encoder.losses.map(({ code }) => code) };
};
const plain = (messages: readonly Message[]) =>
  messages.map(({ native: _, ...message }) => ({
    ...message,
    parts: message.parts.map(({ native: __, ...part }) => part),
  }));

const usage = {
  inputTokens: 10,
  inputTokenDetails: { noCacheTokens: 10 },
  outputTokens: 5,
  outputTokenDetails: { textTokens: 5 },
  totalTokens: 15,
};
const end = { finishReason: "stop", rawFinishReason: "stop", usage };
const start = { type: "start-step", request: {}, warnings: [] };

describe("a run", () => {
  const run: Json[] = [
    { type: "start" },
    start,
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", text: "Hm" },
    { type: "reasoning-end", id: "r", providerMetadata: { anthropic: { signature: "s" } } },
    { type: "tool-input-start", id: "c", toolName: "f", dynamic: false },
    { type: "tool-input-delta", id: "c", delta: '{"a":1}' },
    { type: "tool-input-end", id: "c" },
    { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } },
    { type: "tool-result", toolCallId: "c", toolName: "f", input: { a: 1 }, output: 7, preliminary: true },
    { type: "tool-result", toolCallId: "c", toolName: "f", input: { a: 1 }, output: 8 },
    {
      type: "finish-step",
      ...end,
      finishReason: "tool-calls",
      rawFinishReason: "tool-calls",
      response: { id: "r1", modelId: "m", timestamp: "2026-11-30T10:00:00.000Z" },
    },
    start,
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", text: "8" },
    { type: "text-end", id: "t" },
    { type: "finish-step", ...end, response: { id: "r2" } },
    {
      type: "finish",
      finishReason: "stop",
      rawFinishReason: "stop",
      totalUsage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
    },
  ];

  test("is a message a step, and one for the results of its tools", () => {
    const counted = { input: 10, output: 5 };
    expect(plain(read(run))).toEqual([
      {
        role: "assistant",
        responseId: "r1",
        model: "m",
        createdAt: "2026-11-30T10:00:00.000Z",
        finish: { reason: "tool-calls" },
        usage: counted,
        parts: [
          reasoning("Hm", { seal: { maker: "anthropic", values: { signature: "s" } } }),
          toolCall({ callId: "c", name: "f", input: { a: 1 } }),
        ],
      },
      toolMessage(toolResult("c", [{ type: "data", data: 8 }], { name: "f" })),
      { ...assistant(text("8")), responseId: "r2", finish: { reason: "stop" }, usage: counted },
    ]);
  });

  test("is written again with its steps, its results and the sum of its tokens", () => {
    const { stream, losses } = write(read(run));
    expect(losses).toEqual([]);
    const types = (parts: readonly Json[]): unknown[] => parts.map(part => (part as { type: string }).type);
    const [, ...final] = run.filter(part => !JSON.stringify(part).includes("preliminary"));
    expect(types(stream).slice(1)).toEqual(types(final));
    expect(stream.at(-1)).toMatchObject({
      type: "finish",
      totalUsage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
    });
  });

  test.each(Array.from(run, (_, length) => length))("cut after %i parts is valid, and unfinished", length => {
    const messages = read(run.slice(0, length));
    const last = messages.findLast(({ role }) => role === "assistant");
    const isWhole = length > 16;
    if (last) expect(last.finish?.reason === "incomplete").toBe(!isWhole && !(length === 12));
  });

  test("keeps what is no step's: answers to questions before the first, words of the user between two", () => {
    const messages = read([
      { type: "start" },
      { type: "tool-output-denied", toolCallId: "c", toolName: "f" },
      start,
      { type: "finish-step", ...end, response: {} },
      { type: "steering-message", id: "s", message: { role: "user", content: "stop" }, stepNumber: 1 },
      start,
      { type: "abort", reason: "AbortError" },
    ]);
    expect(plain(messages)).toEqual([
      toolMessage({ type: "tool-result", callId: "c", name: "f", outcome: "denied" }),
      { ...assistant([]), finish: { reason: "stop" }, usage: { input: 10, output: 5 } },
      user("stop"),
      { ...assistant([]), finish: { reason: "aborted", raw: "AbortError" } },
    ]);
    const again = write(messages).stream.map(part => (part as { type: string }).type);
    expect(again).toEqual([
      "start",
      "tool-output-denied",
      "start-step",
      "finish-step",
      "steering-message",
      "start-step",
      "abort",
    ]);
  });

  test("tells of errors: of a tool as its result, of the stream as the stream's", () => {
    const messages = read([
      start,
      { type: "tool-call", toolCallId: "c", toolName: "f", input: "{", invalid: true },
      { type: "tool-error", toolCallId: "c", toolName: "f", input: "{", error: new Error("bad") as unknown as Json },
      { type: "error", error: { message: "gone", code: "e1" } },
    ]);
    expect(plain(messages)).toMatchObject([
      { role: "assistant", parts: [{ inputText: "{" }], finish: { reason: "error" } },
      {
        role: "tool",
        parts: [
          { outcome: "error", output: [text("bad")] },
          { type: "error", message: "gone", code: "e1" },
        ],
      },
    ]);
  });

  test.each<[what: string, stream: Json[]]>([
    ["that was stopped before its first step", [{ type: "start" }, { type: "abort", reason: "stopped" }]],
    [
      "that was stopped between two steps",
      [{ type: "start" }, start, { type: "finish-step", ...end, response: {} }, { type: "abort" }],
    ],
    ["that was stopped in its first step", [{ type: "start" }, start, { type: "abort" }]],
  ])("%s is one that was stopped", (_, stream) => {
    const events = runAll(reader("ai-sdk-model:v7"), stream);
    expect(accumulate(events).at(-1)?.finish?.reason).toBe("aborted");
    expect(runAll(streamEncoder("ai-sdk-model:v7", { recipient: "store" }), events)).toEqual(stream);
  });

  test("ends reasoning that nobody may see as hidden", () => {
    const [message] = read([
      start,
      { type: "reasoning-start", id: "r", providerMetadata: { anthropic: { redactedData: "d" } } },
      { type: "reasoning-end", id: "r" },
      { type: "finish-step", ...end, response: {} },
    ]);
    expect(message?.parts[0]).not.toHaveProperty("text");
    expect(write(message ? [message] : []).stream).toMatchObject([
      {},
      {},
      { type: "reasoning-start" },
      { type: "reasoning-end" },
      {},
      {},
    ]);
  });
});

describe("a model's stream", () => {
  const parts: Json[] = [
    { type: "stream-start", warnings: [{ type: "other", message: "w" }] },
    { type: "response-metadata", id: "r", modelId: "m" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "a" },
    {
      type: "text-end",
      id: "1",
      citations: [
        { source: { type: "source", sourceType: "url", id: "s", url: "https://x.test" }, startIndex: 0, endIndex: 1 },
      ],
    },
    { type: "tool-input-start", id: "c", toolName: "f", providerExecuted: true, title: "F" },
    { type: "tool-input-delta", id: "c", delta: '{ "a": 1 }' },
    { type: "tool-input-end", id: "c" },
    { type: "tool-call", toolCallId: "c", toolName: "f", input: '{ "a": 1 }', providerExecuted: true },
    { type: "tool-result", toolCallId: "c", toolName: "f", result: "done" },
    { type: "ping" },
    {
      type: "finish",
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 2, text: 2 } },
    },
  ];

  test("is one message with what the provider did in it, and is written as it was", () => {
    const [message, ...others] = read(parts, "ai-sdk-prompt");
    expect(others).toEqual([]);
    expect(message?.parts).toMatchObject([
      { type: "text", text: "a", citations: [{ url: "https://x.test", start: 0, end: 1 }] },
      { type: "tool-call", executedBy: "provider", title: "F", input: { a: 1 }, inputText: '{ "a": 1 }' },
      { type: "tool-result", output: [text("done")] },
    ]);
    const { stream, losses } = write(message ? [message] : [], "ai-sdk-prompt");
    expect(losses).toEqual([]);
    const named = JSON.parse(JSON.stringify(stream).replaceAll('"id":"0"', '"id":"1"')) as Json[]; // ids of texts are the stream's own
    expect(named).toEqual(parts.filter(part => (part as { type: string }).type !== "ping"));
  });

  test("becomes the UI's stream as it comes", () => {
    const machine = transcode("ai-sdk-prompt", "ai-sdk-ui:v7");
    const bytes = new TextEncoder().encode(parts.map(part => `${JSON.stringify(part)}\n`).join(""));
    const decoder = new TextDecoder();
    const out = runAll(machine, [bytes])
      .map(piece => decoder.decode(piece))
      .join("");
    expect(out).toContain('"type":"text-delta"');
    expect(out).toContain('"type":"tool-output-available"');
  });
});

describe("what only pieces of a call say comes back", () => {
  const step = [{ type: "start" }, start];
  const begin = { type: "tool-input-start", id: "c", toolName: "f" };
  const typed = { type: "tool-input-end", id: "c" };
  const call = { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } };
  const pieces = [{ type: "tool-input-delta", id: "c", delta: '{"a":1}' }, typed];
  const finish = [
    { type: "finish-step", ...end, response: {} },
    { type: "finish", finishReason: "stop", rawFinishReason: "stop", totalUsage: usage },
  ];
  test.each<[what: string, stream: Json[]]>([
    ["that it is dynamic, at its start alone", [...step, { ...begin, dynamic: true }, ...pieces, call, ...finish]],
    ["that its arguments ended, where the run stopped", [...step, begin, ...pieces, { type: "abort", reason: "a" }]],
    [
      "that its arguments ended before another call",
      [...step, begin, ...pieces, { ...call, toolCallId: "d" }, call, ...finish],
    ],
    [
      "its title once, where its arguments are not what their text said",
      [...step, { ...begin, title: "F" }, typed, { ...call, input: {}, title: "F" }, ...finish],
    ],
  ])("%s", (_, stream) => {
    const encoder = streamEncoder("ai-sdk-model", { recipient: "store" });
    const written = runAll(encoder, runAll(reader("ai-sdk-model"), stream));
    expect(written).toEqual(stream);
    expect(encoder.losses).toEqual([]);
    const [message] = read(stream);
    const borders: unknown[] = stream.filter(part => /^tool-input-(start|end)$/.test((part as { type: string }).type));
    expect(write(message ? [message] : []).stream).toEqual(expect.arrayContaining(borders));
  });
});
