import {
  accumulate,
  decode,
  type Event,
  emit,
  encode,
  type JsonObject,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";
import { declared, read, sdk, write } from "./openai-chat-chunks.ts";
import { call, codes, format, plain, result, text } from "./openai-chat-values.ts";

describe("a stream that is written", () => {
  const usage = { input: 3, cacheRead: 2, output: 4, reasoning: 1 };
  const said = { responseId: "r", model: "m", createdAt: "2025-11-30T10:53:20Z", usage } as const;
  const signed = { maker: "anthropic", values: { signature: "S" } } as const;
  const messages: readonly [name: string, message: Message][] = [
    ["text", { role: "assistant", ...said, finish: { reason: "stop" }, parts: [text("a"), text("b")] }],
    [
      "calls",
      {
        role: "assistant",
        ...said,
        finish: { reason: "tool-calls" },
        parts: [text("a"), call("c", "f", { a: 1 }), call("d", "g", {})],
      },
    ],
    [
      "a refusal",
      { role: "assistant", ...said, finish: { reason: "refusal" }, parts: [{ type: "refusal", text: "no" }] },
    ],
    [
      "sealed reasoning",
      {
        role: "assistant",
        ...said,
        finish: { reason: "stop" },
        parts: [{ type: "reasoning", text: "r", seal: signed }, { type: "reasoning", seal: signed }, text("a")],
      },
    ],
    [
      "citations in the second text",
      {
        role: "assistant",
        finish: { reason: "stop" },
        parts: [text("ab"), { type: "text", text: "c", citations: [{ url: "u", title: "t", start: 0, end: 1 }] }],
      },
    ],
    [
      "a call of a provider's own",
      {
        role: "assistant",
        finish: { reason: "stop" },
        parts: [
          { type: "tool-call", callId: "s", name: "w", executedBy: "provider", input: {} },
          result("s", text("1")),
          text("a"),
          call("c", "f", {}),
        ],
      },
    ],
    ["no reason", { role: "assistant", parts: [text("a")] }],
    [
      "no id, whose usage the SDK would drop",
      { role: "assistant", usage, finish: { reason: "stop" }, parts: [text("a")] },
    ],
  ];

  test.each(messages)("of %s is, for the official SDK, the answer written whole", async (_, message) => {
    const { value } = encode(
      { messages: [message] },
      { to: format, shape: "answer", recipient: "client", carry: false },
    );
    const received = await sdk(write(message));
    if (typeof received === "string") throw new Error(received);
    expect(declared(received)).toEqual(declared(value as JsonObject)); // an answer is an object
  });

  test.each(messages)("of %s reads as the answer written whole reads", (_, message) => {
    const { value } = encode(
      { messages: [message] },
      { to: format, shape: "answer", recipient: "client", carry: false },
    );
    const { conversation } = decode(value, { from: format, shape: "answer" });
    expect(plain(read(write(message)))).toEqual(plain(conversation.messages));
  });

  test("says its head in every chunk, calls from 0 on, the reason, then the usage", () => {
    const [, message] = messages[1] ?? ["", { role: "assistant", parts: [] }];
    const chunks = write(message) as JsonObject[]; // chunks are objects
    expect(chunks.every(({ id, model, created }) => id === "r" && model === "m" && created === 1_764_500_000)).toBe(
      true,
    );
    expect(JSON.stringify(chunks).match(/"index":\d,"id":"."/g)).toEqual(['"index":0,"id":"c"', '"index":1,"id":"d"']);
    expect(chunks.slice(-2)).toMatchObject([
      { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 } },
    ]);
  });

  test("sends text and arguments as they come, the later text of two open ones behind the other", () => {
    const encoder = streamEncoder(format);
    const at = { message: 0 } as const;
    const stream: Event[] = [
      { type: "message-start", ...at, head: { role: "assistant" } },
      { type: "part-start", ...at, part: 0, value: text("") },
      { type: "part-start", ...at, part: 1, value: text("") },
      { type: "part-delta", ...at, part: 1, of: "text", text: "b" },
      { type: "part-delta", ...at, part: 0, of: "text", text: "a" },
      { type: "part-end", ...at, part: 0 },
    ];
    expect(stream.map(event => JSON.stringify(encoder.push(event)).match(/"content":"(\w)"/)?.[1])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "a",
      "b",
    ]);
  });

  test("keeps the id that is out: another would be another answer to the official SDK", async () => {
    const encoder = streamEncoder(format);
    const [start, ...rest] = emit([{ role: "assistant", responseId: "r", parts: [text("a")] }]);
    const known: Event = { type: "message-set", message: 0, set: { responseId: "s", finish: { reason: "stop" } } };
    const chunks = runAll(encoder, [start as Event, ...rest.slice(0, -1), known, rest.at(-1) as Event]); // five events
    expect(await sdk(chunks)).toMatchObject({ id: "r", choices: [{ finish_reason: "stop" }] });
    expect(encoder.losses).toMatchObject([
      { code: "no-envelope" },
      { code: "already-sent", path: ["messages", 0, "responseId"] },
    ]);
  });

  test("keeps what is out when its answer starts over, and says so (E9)", () => {
    const encoder = streamEncoder(format);
    const attempt = (words: string): Event[] => emit([{ role: "assistant", parts: [text(words)] }]).slice(0, 3);
    const done: Event[] = [
      { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
      { type: "message-end", message: 0 },
    ];
    const [message] = read(runAll(encoder, [...attempt("a"), ...attempt("b"), ...done]));
    expect(plain(message?.parts)).toEqual([text("ab")]);
    expect(codes(encoder.losses)).toContain("already-sent");
  });

  test("never ends well for the official SDK where its answer did not", async () => {
    expect(await sdk(write({ role: "assistant", parts: [text("a")], finish: { reason: "incomplete" } }))).toMatch(
      /finish_reason/,
    );
    expect(typeof (await sdk(write({ role: "assistant", parts: [{ type: "error", message: "bad" }] })))).toBe("string");
  });

  /** A message whose parts come in this way. */
  const streamed = (...parts: readonly Event[]): readonly Event[] => [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    ...parts,
    { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
    { type: "message-end", message: 0 },
  ];
  const words: readonly Event[] = [
    { type: "part-start", message: 0, part: 1, value: text("") },
    { type: "part-delta", message: 0, part: 1, of: "text", text: "b" },
    { type: "part-end", message: 0, part: 1 },
  ];

  test.each<[what: string, value: Part]>([
    ["a text", text("a")],
    ["a compaction (R26)", { type: "compaction", summary: [text("a")] }],
    ["a compaction of several texts", { type: "compaction", summary: [text(""), text("a")] }],
  ])("has %s that comes at once before what is streamed behind it", (_, value) => {
    for (const to of [format, "ollama", "mistral"] as const) {
      const encoder = streamEncoder(to);
      const wire = runAll(encoder, streamed({ type: "part", message: 0, part: 0, value }, ...words));
      const [message] = accumulate(runAll(streamDecoder(to), wire));
      expect(message?.parts.map(part => ("text" in part ? part.text : "")).join("")).toBe("ab");
      expect(codes(encoder.losses)).not.toContain("already-sent");
    }
  });

  test("says reasoning that comes at once, and a text that is told again whole, once", () => {
    const again: Event = { type: "part", message: 0, part: 1, value: text("b") };
    const thought: Event = { type: "part", message: 0, part: 0, value: { type: "reasoning", text: "r" } };
    const [message] = read(runAll(streamEncoder(format), streamed(thought, ...words, again)));
    expect(plain(message?.parts)).toEqual([{ type: "reasoning", text: "r" }, text("b")]);
  });

  test.each<[when: string, events: readonly Event[], id: string]>([
    ["is never known", streamed(...words), "chatcmpl-~"],
    [
      "is known before the first word",
      streamed({ type: "message-set", message: 0, set: { responseId: "r" } }, ...words),
      "r",
    ],
    [
      "is known when words are out",
      streamed(...words, { type: "message-set", message: 0, set: { responseId: "r" } }),
      "chatcmpl-~",
    ],
  ])("has one id in all of its chunks, where it %s", (_, events, id) => {
    const chunks = runAll(streamEncoder(format), events) as readonly JsonObject[]; // chunks are objects
    expect(chunks.length).toBeGreaterThan(2);
    expect(new Set(chunks.map(chunk => chunk["id"]))).toEqual(new Set([id]));
  });
});
