import {
  type Event,
  type FormatId,
  type Json,
  type Loss,
  run,
  runAll,
  streamEncoder,
  toTransformStream,
  transcode,
} from "translogue";
import { describe, expect, test } from "vitest";

type Target = Parameters<typeof transcode>[1];

const sse = (event: Json): string => `data: ${JSON.stringify(event)}\n\n`;
const done = "data: [DONE]\n\n";
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (pieces: readonly Uint8Array[]): string => new TextDecoder().decode(Buffer.concat(pieces));

const chat = (delta: Json, finish: string | null = null, more: object = {}): string =>
  sse({
    id: "1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish, ...more }],
  });
const call = { index: 0, id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const response = { id: "r", object: "response", created_at: 1, model: "m", output: [] };
const gemini = (text: string, more: object = {}): string =>
  JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }] });

/** What a stream says before its end, its end, what of it must go out with the end, and how the target's own end looks. */
interface Case {
  readonly from: FormatId;
  readonly to: Target;
  readonly before: string;
  readonly last: string;
  readonly says: string;
  readonly ends: string;
}

const ends: readonly Case[] = [
  {
    from: "anthropic-messages",
    to: "openai-chat",
    before:
      sse({ type: "message_start", message: { id: "m", role: "assistant", model: "c", content: [] } }) +
      sse({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } }),
    last: sse({ type: "message_stop" }),
    says: '"completion_tokens":3',
    ends: done,
  },
  {
    from: "anthropic-messages",
    to: "openai-chat",
    before: "",
    last: sse({ type: "error", error: { type: "overloaded_error", message: "Busy" } }),
    says: "Busy",
    ends: done,
  },
  {
    from: "openai-chat",
    to: "ai-sdk-ui:v7",
    before: chat({ role: "assistant", tool_calls: [call] }) + chat({}, "tool_calls"),
    last: done,
    says: "tool-input-available",
    ends: done,
  },
  {
    from: "openai-chat",
    to: "anthropic-messages",
    before: chat({ content: "par" }),
    last: chat({ content: "tial" }, "error", { error: { code: 502, message: "Upstream idle timeout" } }),
    says: "tial",
    ends: "Upstream idle timeout",
  },
  {
    from: "openai-responses",
    to: "openai-chat",
    before: sse({ type: "response.created", response: { ...response, status: "in_progress" } }),
    last: sse({ type: "response.completed", response: { ...response, status: "completed" } }),
    says: '"finish_reason":"stop"',
    ends: done,
  },
  {
    from: "openai-responses",
    to: "openai-chat",
    before: sse({ type: "response.created", response: { ...response, status: "in_progress" } }),
    last: sse({ type: "error", code: "server_error", message: "Down" }),
    says: "Down",
    ends: done,
  },
  {
    from: "mistral",
    to: "anthropic-messages",
    before: chat({ role: "assistant", content: "Hi" }) + chat({ content: "" }, "stop"),
    last: done,
    says: "end_turn",
    ends: "message_stop",
  },
  {
    from: "cohere",
    to: "openai-chat",
    before: sse({ type: "message-start", id: "m", delta: { message: { role: "assistant" } } }),
    last: sse({ type: "message-end", delta: { finish_reason: "COMPLETE" } }),
    says: '"finish_reason":"stop"',
    ends: done,
  },
  {
    from: "ollama",
    to: "openai-chat",
    before: `${JSON.stringify({ model: "m", message: { role: "assistant", content: "Hi" }, done: false })}\n`,
    last: `${JSON.stringify({ model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" })}\n`,
    says: '"finish_reason":"stop"',
    ends: done,
  },
  {
    from: "ai-sdk-ui",
    to: "openai-chat",
    before: sse({ type: "start" }) + sse({ type: "finish", finishReason: "stop" }),
    last: done,
    says: '"finish_reason":"stop"',
    ends: done,
  },
  {
    from: "gemini",
    to: "openai-chat",
    before: `[${gemini("a", { finishReason: "STOP" })}`,
    last: "]",
    says: '"finish_reason":"stop"',
    ends: done,
  },
];

describe("a stream whose connection stays open", () => {
  test.each(ends)("of $from ends in $to with its own end: $says", ({ from, to, before, last, says, ends: end }) => {
    const machine = transcode(from, to);
    expect(textOf(machine.push(bytes(before)))).not.toContain(end);
    const output = textOf(machine.push(bytes(last)));
    expect(output).toContain(says);
    expect(output).toContain(end);
    expect(machine.isOver).toBe(true);
    expect(machine.end()).toEqual([]);
    expect(machine.issues).toEqual([]);
  });

  test("is not read on, and is closed", async () => {
    let isClosed = false;
    async function* host(): AsyncGenerator<Uint8Array> {
      try {
        yield bytes(chat({ content: "Hi" }, "stop") + done);
        await new Promise(() => undefined); // stays open
      } finally {
        isClosed = true;
      }
    }
    const output: Uint8Array[] = [];
    for await (const piece of run(transcode("openai-chat", "anthropic-messages"), host())) output.push(piece);
    expect(textOf(output)).toContain("message_stop");
    expect(isClosed).toBe(true);
  });

  test("is cancelled where it is piped", async () => {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const host = new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(bytes(chat({ content: "Hi" }, "stop") + done)),
      cancel: () => resolve(),
    });
    const output: Uint8Array[] = [];
    const piped = host.pipeThrough(toTransformStream(transcode("openai-chat", "anthropic-messages")));
    for await (const piece of piped) output.push(piece);
    expect(textOf(output)).toContain("message_stop");
    await expect(cancelled).resolves.toBeUndefined();
  });

  test("says nothing more behind its end, and an issue tells that something was left out", () => {
    const input = chat({ content: "Hi" }, "stop") + done + chat({ content: "late" }) + chat({ content: "r" });
    for (const pieces of [[input], [...input]]) {
      const machine = transcode("openai-chat", "anthropic-messages");
      const output = textOf([...pieces.flatMap(piece => machine.push(bytes(piece))), ...machine.end()]);
      expect(output).not.toContain("late");
      expect(machine.issues).toMatchObject([{ code: "stream/after-end", severity: "warning", wirePath: [1] }]);
    }
  });
});

/** Runs it in pieces of every size that could matter: whole, and character by character. */
function inPieces(from: FormatId, to: Target, input: string): { text: string; issues: readonly string[] } {
  const [whole, split] = [[input], [...input]].map(pieces => {
    const machine = transcode(from, to);
    const text = textOf([...pieces.flatMap(piece => machine.push(bytes(piece))), ...machine.end()]);
    return { text, issues: machine.issues.map(({ code }) => code) };
  });
  expect(split).toEqual(whole);
  return whole ?? { text: "", issues: [] };
}

describe("a body that is no stream", () => {
  test.each<[what: string, from: FormatId, to: Target, body: string, says: string]>([
    [
      "an error",
      "openai-chat",
      "anthropic-messages",
      '{"error":{"message":"Rate limit","code":"rate_limit_exceeded"}}',
      '"rate_limit_error","message":"Rate limit"',
    ],
    ["an error of Gemini's", "gemini", "openai-chat", '{"error":{"code":429,"message":"Quota"}}', "Quota"],
    ["an error of Gemini's in a list", "gemini", "openai-chat", '[{"error":{"code":429,"message":"Quota"}}]', "Quota"],
    ["a page", "openai-chat", "anthropic-messages", "<html>502 Bad Gateway</html>", "502 Bad Gateway"],
    ["a line", "ai-sdk-ui", "openai-chat", "upstream connect error", "upstream connect error"],
    ["another's JSON", "openai-chat", "anthropic-messages", '{"detail":"Not Found"}', "Not Found"],
    [
      "a whole answer",
      "openai-chat",
      "anthropic-messages",
      '{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}',
      '"text":"Hi"',
    ],
    [
      "a whole answer of a format of events",
      "anthropic-messages",
      "openai-chat",
      '{"id":"x","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}',
      '"content":"Hi"',
    ],
  ])("but %s is passed on as what it is", (...[, from, to, body, says]) => {
    expect(inPieces(from, to, body).text).toContain(says);
  });

  test("is quoted up to 200 characters", () => {
    const { text, issues } = inPieces("openai-chat", "anthropic-messages", `<p>${"x".repeat(500)}</p>`);
    expect(text).toContain(`<p>${"x".repeat(197)}…`);
    expect(issues).toContain("stream/not-a-stream");
  });

  test("but a list of chunks gives each as it comes", () => {
    const list = `[${gemini('a]},"')}\r\n,\r\n${gemini("b", { finishReason: "STOP" })}\n]\n`;
    const { text, issues } = inPieces("gemini", "openai-chat", list);
    expect(text.match(/"content":"(?:a\]\},\\"|b)"/g)).toHaveLength(2);
    expect(issues).toEqual([]);
    const machine = transcode("gemini", "openai-chat");
    expect(textOf(machine.push(bytes(`[${gemini("at once")}`)))).toContain("at once");
  });

  test("may not be larger than an event", () => {
    const machine = transcode("gemini", "openai-chat", { maxEventBytes: 100 });
    expect(() => machine.push(bytes(`[${gemini("x".repeat(200))}]`))).toThrow(/larger than 100/);
  });
});

describe("an answer that was cut", () => {
  const begun: Event[] = [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
    { type: "part-delta", message: 0, part: 0, of: "text", text: "Hel" },
  ];
  const ended: Event[] = [
    { type: "part-end", message: 0, part: 0 },
    { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
    { type: "message-end", message: 0 },
  ];
  const lossesOf = (to: FormatId, events: readonly Event[]): readonly Loss[] => {
    const encoder = streamEncoder(to, { recipient: "client" });
    runAll(encoder, events);
    return encoder.losses;
  };

  test.each<FormatId>([
    "anthropic-messages",
    "gemini-interactions",
    "mistral",
    "ollama",
    "openai-chat",
    "openai-responses",
  ])("tells what its beginning had to make up as a whole one does: %s", to => {
    expect(lossesOf(to, begun)).toEqual(lossesOf(to, [...begun, ...ended]));
    expect(lossesOf(to, begun)).not.toEqual([]);
  });

  test("of Responses has no place for its counts, and says so", () => {
    const counted: Event = { type: "message-set", message: 0, set: { usage: { input: 1, output: 2 } } };
    expect(lossesOf("openai-responses", [...begun, counted])).toContainEqual(
      expect.objectContaining({ code: "not-over", path: ["messages", 0, "usage"] }),
    );
  });
});
