import {
  accumulate,
  check,
  decode,
  encode,
  type Json,
  type JsonObject,
  runAll,
  type StreamError,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";
import { args, calls, chunk, declared, events, first, fn, head, read, sdk, stop } from "./openai-chat-chunks.ts";
import { call, codes, format, plain, text } from "./openai-chat-values.ts";

const streams: readonly [name: string, chunks: readonly Json[], parts: readonly object[]][] = [
  [
    "a text",
    [chunk({ role: "assistant", content: "" }), chunk({ content: "a" }), chunk({ content: "b" }), stop()],
    [text("ab")],
  ],
  ["nothing but an empty text", [chunk({ role: "assistant", content: "" }), stop()], []],
  ["a refusal", [first, chunk({ refusal: "n" }), chunk({ refusal: "o" }), stop()], [{ type: "refusal", text: "no" }]],
  [
    "a call in pieces",
    [
      first,
      calls({ index: 0, id: "c", type: "function", ...fn("f", "") }),
      calls({ index: 0, ...args('{"a"') }),
      calls({ index: 0, ...args(":1}") }),
      stop("tool_calls"),
    ],
    [call("c", "f", { a: 1 })],
  ],
  [
    "a custom call",
    [
      first,
      calls({ index: 0, id: "c", type: "custom", custom: { name: "f", input: "x" } }),
      calls({ index: 0, custom: { input: "y" } }),
      stop("tool_calls"),
    ],
    [{ ...call("c", "f", "xy"), kind: "custom" }],
  ],
  [
    "a function of the old form",
    [
      first,
      chunk({ function_call: { name: "f", arguments: "{" } }),
      chunk({ function_call: { arguments: "}" } }),
      stop("function_call"),
    ],
    [call("~chatcmpl-1.0", "f", {})],
  ],
  [
    "text after a call",
    [
      first,
      calls({ index: 0, id: "c", type: "function", ...fn("f", "{}") }),
      chunk({ content: "a" }),
      stop("tool_calls"),
    ],
    [text("a"), call("c", "f", {})],
  ],
  [
    "audio, which needs no reason to end",
    [
      first,
      chunk({ audio: { id: "au", data: "AA", transcript: "h" } }),
      chunk({ audio: { data: "BB", transcript: "i" } }),
      chunk({ audio: { expires_at: 5 } }),
    ],
    [
      {
        type: "file",
        mediaType: "audio/*",
        id: "au",
        source: { data: "AABB" },
        text: "hi",
        native: { "chat-parts": { audio: { expires_at: 5 } } },
      },
    ],
  ],
  [
    "citations",
    [
      first,
      chunk({ content: "ab" }),
      chunk({
        annotations: [{ type: "url_citation", url_citation: { start_index: 0, end_index: 1, title: "t", url: "u" } }],
      }),
      stop(),
    ],
    [{ ...text("ab"), citations: [{ start: 0, end: 1, title: "t", url: "u" }] }],
  ],
  [
    "probabilities",
    [
      chunk({ role: "assistant", content: "a" }, null, {
        choices: [
          {
            index: 0,
            delta: { role: "assistant", content: "a" },
            logprobs: { content: [{ token: "a" }], refusal: null },
          },
        ],
      }),
      chunk({}, null, {
        choices: [
          { index: 0, delta: { content: "b" }, finish_reason: "stop", logprobs: { content: [{ token: "b" }] } },
        ],
      }),
    ],
    [text("ab")],
  ],
  [
    "usage at the end",
    [
      chunk({ role: "assistant", content: "a" }, null, { usage: null }),
      stop(),
      { ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
    ],
    [text("a")],
  ],
  [
    "a bare chunk before the answer (Azure)",
    [
      { id: "", object: "", created: 0, model: "", choices: [], prompt_filter_results: [] },
      chunk({ role: "assistant", content: "a" }),
      stop(),
    ],
    [text("a")],
  ],
  [
    "id, type and name in every delta (Fireworks)",
    [
      first,
      ...["{", "}"].map(piece => calls({ index: 0, id: "c", type: "function", ...fn("f", piece) })),
      stop("tool_calls"),
    ],
    [call("c", "f", {})],
  ],
  [
    "empty ids after the first (Alibaba)",
    [
      first,
      calls({ index: 0, id: "c", type: "function", ...fn("f", "") }),
      calls({ index: 0, id: "", type: "function", ...args("{}") }),
      stop("tool_calls"),
    ],
    [call("c", "f", {})],
  ],
  [
    "two deltas of one call in one chunk",
    [
      first,
      calls({ index: 0, id: "c", type: "function", ...fn("f", "") }, { index: 0, ...args("{}") }),
      stop("tool_calls"),
    ],
    [call("c", "f", {})],
  ],
];

/** What the SDK refuses or takes for something else, and hosts send all the same. */
const oddities: typeof streams = [
  [
    "indexes from 1 on",
    [
      first,
      calls({ index: 1, id: "c", type: "function", ...fn("f", "{}") }),
      calls({ index: 2, id: "d", type: "function", ...fn("g", "{}") }),
      stop("tool_calls"),
    ],
    [call("c", "f", {}), call("d", "g", {})],
  ],
  [
    "no indexes, but ids",
    [
      first,
      calls({ id: "c", ...fn("f", "{") }, { id: "d", ...fn("g", "{}") }),
      calls({ id: "c", ...args("}") }),
      stop("tool_calls"),
    ],
    [call("c", "f", {}), call("d", "g", {})],
  ],
  [
    "neither indexes nor ids",
    [first, calls(fn("f", '{"a"')), calls(args(":1}")), calls(fn("g", "{}")), stop("tool_calls")],
    [call("~chatcmpl-1.0", "f", { a: 1 }), call("~chatcmpl-1.1", "g", {})],
  ],
  [
    "all calls at index 0 (Gemini)",
    [
      first,
      calls({ index: 0, id: "c", ...fn("f", "{}") }),
      calls({ index: 0, id: "d", ...fn("g", "{}") }),
      stop("tool_calls"),
    ],
    [call("c", "f", {}), call("d", "g", {})],
  ],
  [
    "a new id in every delta",
    [
      first,
      calls({ index: 0, id: "c", ...fn("f", "{") }),
      calls({ index: 0, id: "x", ...args("}") }),
      stop("tool_calls"),
    ],
    [{ ...call("x", "f", {}) }],
  ],
  [
    "arguments that are no text",
    [first, calls({ index: 0, id: "c", ...fn("f", { a: 1 }) }), stop("tool_calls")],
    [call("c", "f", { a: 1 })],
  ],
  [
    "arguments before the name",
    [first, calls({ index: 0, id: "c", ...args("{") }), calls({ index: 0, ...fn("f", "}") }), stop("tool_calls")],
    [call("c", "f", {})],
  ],
  [
    "reasoning_content (DeepSeek)",
    [
      chunk({ role: "assistant", content: null, reasoning_content: "r" }),
      chunk({ reasoning_content: "s" }),
      chunk({ content: "a", reasoning_content: null }),
      stop(),
    ],
    [{ type: "reasoning", text: "rs" }, text("a")],
  ],
  [
    "reasoning (Groq)",
    [chunk({ role: "assistant", reasoning: "r", channel: "analysis" }), chunk({ content: "a" }), stop()],
    [{ type: "reasoning", text: "r" }, text("a")],
  ],
  [
    "details in pieces, signed at the end (OpenRouter)",
    [
      chunk({
        role: "assistant",
        reasoning: "r",
        reasoning_details: [{ type: "reasoning.text", text: "r", index: 0, format: "anthropic-claude-v1" }],
      }),
      chunk({
        reasoning: "s",
        reasoning_details: [{ type: "reasoning.text", text: "s", index: 0, format: "anthropic-claude-v1" }],
      }),
      chunk({
        reasoning_details: [
          { type: "reasoning.text", signature: "S", index: 0, format: "anthropic-claude-v1" },
          { type: "reasoning.encrypted", data: "D", index: 1, format: "anthropic-claude-v1" },
        ],
      }),
      chunk({ content: "a" }),
      stop(),
    ],
    [
      {
        type: "reasoning",
        text: "rs",
        seal: { maker: "anthropic", route: "openrouter", values: { signature: "S" } },
        native: { [format]: { index: 0 } },
      },
      {
        type: "reasoning",
        seal: { maker: "anthropic", route: "openrouter", values: { data: "D" } },
        native: { [format]: { index: 1 } },
      },
      text("a"),
    ],
  ],
  [
    "content as a list (Mistral)",
    [
      chunk({ role: "assistant", content: [{ type: "text", text: "a" }] }),
      chunk({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "t" }] },
          { type: "text", text: "b" },
        ],
      }),
      stop(),
    ],
    [text("ab"), { type: "reasoning", text: "t" }],
  ],
  ["no role", [chunk({ content: "a" }), stop()], [text("a")]],
  [
    "a whole message in one chunk",
    [{ ...head, choices: [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }] }],
    [text("a")],
  ],
  [
    "images",
    [first, chunk({ images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }] }), stop()],
    [{ type: "file", mediaType: "image/png", source: { data: "AA" } }],
  ],
];

describe("a stream", () => {
  test.each([...streams, ...oddities])("of %s is read", (_, chunks, parts) => {
    const [message, ...others] = read(chunks);
    expect(others).toEqual([]);
    expect(plain(message?.parts)).toEqual(parts);
    expect(message).toMatchObject({ role: "assistant", responseId: "chatcmpl-1", model: "m" });
  });

  test.each(streams)("of %s is what the official SDK makes of it", async (_, chunks) => {
    const { value } = encode(
      { messages: read(chunks) },
      { to: format, shape: "answer", recipient: "store", carry: false },
    );
    const expected = await sdk(chunks);
    if (typeof expected === "string") throw new Error(expected);
    // The SDK makes ids up where there are none: the old form has none in its type.
    expect(declared(value as JsonObject)).toEqual(declared(expected)); // an answer is an object
  });

  test.each([...streams, ...oddities])("of %s reads the same after it was written again", (_, chunks) => {
    const once = events(chunks);
    const encoder = streamEncoder(format, { recipient: "store" });
    expect(read(runAll(encoder, once))).toEqual(accumulate(once));
    expect(codes(encoder.losses)).toEqual([]);
  });

  test.each([...streams, ...oddities])("of %s is valid wherever it is cut, and says that it was", (_, chunks) => {
    for (let length = 0; length < chunks.length - 1; length++) {
      const messages = read(chunks.slice(0, length));
      expect(check({ messages }).filter(({ severity }) => severity === "error")).toEqual([]);
      expect(messages[0]?.finish?.reason ?? "nothing").toMatch(/incomplete|stop|tool-calls/);
    }
  });

  test("that is cut is incomplete, and its parts partial (R25)", () => {
    const [message] = read([first, chunk({ content: "a" }), calls({ index: 0, id: "c", ...fn("f", '{"a') })]);
    expect(message?.finish).toEqual({ reason: "incomplete" });
    expect(plain(message?.parts)).toEqual([
      { ...text("a"), partial: true },
      { type: "tool-call", callId: "c", name: "f", inputText: '{"a', partial: true },
    ]);
  });

  test.each<[name: string, chunks: readonly Json[], error: StreamError, parts: readonly object[]]>([
    [
      "in the middle",
      [first, chunk({ content: "a" }), { error: { message: "bad", code: "c", type: "t" } }],
      { message: "bad", code: "c" },
      [{ ...text("a"), partial: true }],
    ],
    [
      "beside a last choice (OpenRouter)",
      [first, chunk({ content: "a" }), chunk({ content: "" }, "error", { error: { message: "bad", code: 502 } })],
      { message: "bad", code: "502" },
      [{ ...text("a"), partial: true }],
    ],
    ["and nothing else", [{ error: "bad" }], { message: "bad" }, []],
  ])("with an error %s fails, and keeps what came (E1)", (_, chunks, error, said) => {
    const once = events(chunks);
    expect(once).toContainEqual({ type: "error", error });
    const [message] = accumulate(once);
    expect(message?.finish).toEqual({ reason: "error" });
    expect(plain(message?.parts)).toEqual([...said, { type: "error", ...error }]);
    const wire = runAll(streamEncoder(format, { recipient: "store" }), once);
    expect(wire.at(-1)).toHaveProperty("error");
    expect(read(wire)).toEqual(accumulate(once));
  });

  test("of several choices is several messages, siblings in the order of a whole answer, whichever comes first", () => {
    const of = (index: number, delta: JsonObject, finish: string | null = null): JsonObject => ({
      ...head,
      choices: [{ index, delta, finish_reason: finish }],
    });
    const chunks = [
      of(1, { role: "assistant", content: "b" }),
      of(0, { role: "assistant", content: "a" }),
      of(0, {}, "stop"),
      of(1, {}, "length"),
    ];
    const messages = read(chunks);
    expect(messages.map(({ id, parent, parts }) => [id, parent, plain(parts)])).toEqual([
      ["~chatcmpl-1:0", null, [text("a")]],
      ["~chatcmpl-1:1", null, [text("b")]],
    ]);
    expect(read(runAll(streamEncoder(format), events(chunks)))).toEqual(messages);
  });

  test("whose calls come out of order has them in their order", () => {
    const late = calls({ index: 1, id: "d", ...fn("g", "{}") });
    const once = events([first, late, calls({ index: 0, id: "c", ...fn("f", "{}") }), stop("tool_calls")]);
    expect(plain(accumulate(once)[0]?.parts)).toEqual([call("c", "f", {}), call("d", "g", {})]);
    const encoder = streamEncoder(format);
    runAll(encoder, once);
    expect(codes(encoder.losses)).toEqual(["already-sent"]);
  });

  test("tells what seals its reasoning as it comes", () => {
    const decoder = streamDecoder(format);
    const route = { maker: "anthropic", route: "openrouter" };
    const detail = (members: JsonObject): Json =>
      chunk({ reasoning_details: [{ index: 0, format: "anthropic-claude-v1", ...members }] });
    decoder.push(first);
    decoder.push(detail({ type: "reasoning.text", text: "r" }));
    expect(decoder.push(detail({ type: "reasoning.text", signature: "S" }))).toMatchObject([
      { type: "part-set", set: { seal: { ...route, values: { signature: "S" } } } },
    ]);
    expect(decoder.push(detail({ type: "reasoning.encrypted", index: 1, data: "D" }))).toMatchObject([
      { type: "part", value: { type: "reasoning", seal: { ...route, values: { data: "D" } } } },
    ]);
  });

  test("passes on what comes at once, and holds nothing back", () => {
    const decoder = streamDecoder(format);
    const said = [
      first,
      chunk({ content: "a" }),
      calls({ index: 0, id: "c", ...fn("f", "{}") }),
      calls({ index: 1, id: "d", ...fn("g", "") }),
    ];
    expect(said.map(each => decoder.push(each).map(({ type }) => type))).toEqual([
      ["message-start"],
      ["part-start", "part-delta"],
      ["part-start", "part-delta"],
      ["part-end", "part-start"], // the first call is whole, and another begins (E7)
    ]);
  });

  test("keeps calls open that are announced before their arguments, each until its text is whole and another begins (E7)", () => {
    const chunks = [
      first,
      calls({ index: 0, id: "c", type: "function", ...fn("f", "") }),
      calls({ index: 1, id: "d", type: "function", ...fn("g", "") }),
      calls({ index: 0, ...args('{"n"') }),
      calls({ index: 0, ...args(":1}") }),
      calls({ index: 1, ...args('{"q":2}') }),
      calls({ index: 2, id: "e", type: "function", ...fn("h", "") }),
      stop("tool_calls"),
    ];
    const order = events(chunks).flatMap(event => ("part" in event ? [`${event.type} ${event.part}`] : []));
    const [c, d, e] = [...new Set(order.map(line => line.split(" ")[1]))];
    expect(order).toEqual([
      `part-start ${c}`,
      `part-start ${d}`,
      `part-delta ${c}`,
      `part-delta ${c}`,
      `part-end ${c}`,
      `part-delta ${d}`,
      `part-end ${d}`,
      `part-start ${e}`,
      `part-set ${e}`, // its empty text
      `part-end ${e}`,
    ]);
    expect(read(chunks)[0]?.parts).toMatchObject([
      call("c", "f", { n: 1 }),
      call("d", "g", { q: 2 }),
      { callId: "e", name: "h" },
    ]);
  });

  test("of what are no chunks is an empty answer that did not end, and issues", () => {
    const decoder = streamDecoder(format);
    const messages = accumulate(
      runAll(decoder, [null, 5, "x", [], { choices: [null] }, { choices: [{ delta: 5 }] }, { id: 5 }]),
    );
    expect(messages).toMatchObject([{ role: "assistant", parts: [], finish: { reason: "incomplete" } }]);
    expect(decoder.issues.length).toBeGreaterThan(0);
  });

  test("is an array of chunks as a value of its own", () => {
    const [, chunks] = streams[0] ?? ["", []];
    const { conversation, shape } = decode(chunks, format);
    expect([shape, plain(conversation.messages[0]?.parts)]).toEqual(["stream", [text("ab")]]);
    const { value } = encode(conversation, { to: format, shape });
    expect(read(value as Json[])).toEqual(conversation.messages); // a list of chunks
  });
});
