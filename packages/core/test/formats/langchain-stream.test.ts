import { langchainConcat } from "@translogue/testkit/langchain-chunks";
import {
  accumulate,
  type Conversation,
  decode,
  type Event,
  emit,
  encode,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";
import { chunk, last, piece, read } from "./langchain-chunk-wire.ts";

describe("a stream of chunks", () => {
  test("passes texts and arguments on as they come", () => {
    const decoder = streamDecoder("langchain");
    const deltas = (wire: Json): readonly Event[] => decoder.push(wire).filter(({ type }) => type !== "message-start");
    expect(deltas(chunk({ content: "Hel", id: "m" }))).toMatchObject([
      { type: "part-start", part: 1000, value: { type: "text", text: "" } },
      { type: "part-delta", part: 1000, text: "Hel" },
    ]);
    expect(deltas(chunk({ content: "lo" }))).toMatchObject([{ type: "part-delta", of: "text", text: "lo" }]);
    expect(deltas(chunk({ tool_call_chunks: [piece({ name: "f", args: "", id: "c", index: 0 })] }))).toMatchObject([
      { type: "part-start", value: { type: "tool-call", callId: "c", name: "f" } },
    ]);
    expect(deltas(chunk({ tool_call_chunks: [piece({ args: '{"a": 1}', index: 0 })] }))).toMatchObject([
      { type: "part-delta", of: "tool-call", text: '{"a": 1}' },
    ]);
  });

  test("is the message that its chunks are, with the text of its arguments", () => {
    const [message, ...others] = read(
      chunk({ content: [{ type: "reasoning", reasoning: "Let ", index: 0 }], id: "m" }),
      chunk({ content: [{ type: "reasoning", reasoning: "me", index: 0 }] }),
      chunk({
        content: [{ type: "reasoning", signature: "c2ln", index: 0 }],
        response_metadata: { model_provider: "anthropic" },
      }),
      chunk({ content: [{ type: "text", text: "So", index: 1 }] }),
      chunk({ tool_call_chunks: [piece({ name: "f", args: '{"a"', id: "c", index: 0 })] }),
      chunk({
        tool_call_chunks: [piece({ args: ": 1}", index: 0 })],
        usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      }),
      last,
    );
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      role: "assistant",
      id: "m",
      finish: { reason: "stop" },
      usage: { input: 1, output: 2 },
      parts: [
        { type: "reasoning", text: "Let me", seal: { maker: "anthropic", values: { signature: "c2ln" } } },
        { type: "text", text: "So" },
        { type: "tool-call", callId: "c", input: { a: 1 }, inputText: '{"a": 1}' },
      ],
    });
  });

  test("holds several messages: an id of the same kind, and whole messages, begin another", () => {
    const tool = chunk({ content: "7", tool_call_id: "c", name: "f" }, "ToolMessage");
    const messages = read(
      chunk({ content: "a", id: "run-1" }),
      chunk({ content: "b", id: "chatcmpl-1" }),
      last,
      tool,
      chunk({ content: "c", id: "run-2" }),
      last,
    );
    expect(messages.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["assistant", 1],
      ["tool", 1],
      ["assistant", 1],
    ]);
    expect(messages[0]).toMatchObject({ id: "chatcmpl-1", parts: [{ text: "ab" }] });
  });

  test("of a graph tells messages apart that come at once, and keeps what is said of each", () => {
    const pair = (kwargs: JsonObject, node: string): Json => [chunk(kwargs), { langgraph_node: node }];
    const wires = [
      pair({ content: "a", id: "1" }, "x"),
      pair({ content: "A", id: "2" }, "y"),
      pair({ content: "b", id: "1" }, "x"),
      pair({ content: "B", id: "2" }, "y"),
    ];
    const ends = wires
      .slice(2)
      .map(
        (wire, index) =>
          [
            chunk({ id: `${index + 1}`, response_metadata: { finish_reason: "stop" } }),
            (wire as readonly Json[])[1] ?? null,
          ] as Json,
      ); // a pair
    const messages = read(...wires, ...ends);
    expect(messages.map(({ parts }) => parts)).toMatchObject([[{ text: "ab" }], [{ text: "AB" }]]);
    const again = runAll(streamEncoder("langchain:js-lc", { recipient: "store" }), emit(messages));
    expect(new Set(again.map(wire => JSON.stringify((wire as Json[])[1])))).toEqual(
      new Set(['{"langgraph_node":"x"}', '{"langgraph_node":"y"}']),
    );
  });

  test.each<[what: string, wires: readonly Json[], finish: string | undefined]>([
    ["a reason to stop", [chunk({ content: "a" }), last], "stop"],
    ["Python's mark of the last chunk", [{ type: "AIMessageChunk", content: "a", chunk_position: "last" }], undefined],
    ["neither", [chunk({ content: "a" })], "incomplete"],
  ])("that ends with %s says so", (_, wires, finish) => {
    const [message] = read(...wires);
    expect(message?.finish?.reason).toBe(finish);
    expect(message?.parts[0]?.partial).toBe(finish === "incomplete" ? true : undefined);
  });

  test("leaves out what is no chunk, and says so", () => {
    const decoder = streamDecoder("langchain");
    expect(decoder.push(7)).toEqual([]);
    expect(decoder.issues.map(({ code, wirePath }) => [code, wirePath])).toEqual([["not-a-chunk", [0]]]);
  });
});

describe("an answer that is written as chunks", () => {
  const answers: readonly (readonly [string, Message])[] = [
    ["a text", { role: "assistant", id: "m", parts: [{ type: "text", text: "Hi" }], finish: { reason: "stop" } }],
    [
      "reasoning, text and calls",
      {
        role: "assistant",
        id: "m",
        parts: [
          { type: "reasoning", text: "r", seal: { maker: "anthropic", values: { signature: "c2ln" } } },
          { type: "text", text: "t" },
          { type: "tool-call", callId: "c1", name: "f", input: { a: 1 } },
          { type: "tool-call", callId: "c2", name: "g" },
        ],
        provider: "anthropic",
        usage: { input: 1, output: 2 },
        finish: { reason: "tool-calls" },
      },
    ],
    [
      "text after a call",
      {
        role: "assistant",
        parts: [
          { type: "text", text: "a" },
          { type: "tool-call", callId: "c", name: "f", input: {} },
          { type: "text", text: "b" },
        ],
        finish: { reason: "stop" },
      },
    ],
    [
      "a file between texts",
      {
        role: "assistant",
        parts: [
          { type: "text", text: "a" },
          { type: "file", mediaType: "image/png", source: { data: "aGk=" } },
          { type: "text", text: "b" },
        ],
        finish: { reason: "stop" },
      },
    ],
    ["nothing", { role: "assistant", parts: [], finish: { reason: "length" } }],
  ];
  test.each(answers)("is added up by the real package to what it is written whole: %s", async (_, message) => {
    const encoder = streamEncoder("langchain:js-lc");
    expect(await langchainConcat(runAll(encoder, emit([message])), [message])).toBeUndefined();
    expect(encoder.losses.map(({ code }) => code).filter(code => code !== "no-arguments")).toEqual([]);
  });

  test.each(
    answers.flatMap(([name, message]) =>
      (["python", "python-stored", "python-lc", "js-lc", "js-stored", "js-flat"] as const).map(
        dialect => [name, dialect, message] as const,
      ),
    ),
  )("is read again as it was: %s in %s", (_, dialect, message) => {
    const ref = `langchain:${dialect}` as const;
    const [again] = accumulate(
      runAll(streamDecoder(ref), runAll(streamEncoder(ref, { recipient: "store" }), emit([message]))),
    );
    const wire = (each: Message | undefined): unknown =>
      encode({ messages: each ? [each] : [] }, { to: ref, shape: "messages", recipient: "store", carry: false }).value;
    expect(wire(again)).toEqual(wire(message));
  });

  test.each<[name: string, parts: Message["parts"]]>([
    [
      "reasoning without a text before some that has one",
      [
        { type: "reasoning", text: "" },
        { type: "text", text: " " },
        { type: "reasoning", text: " " },
      ],
    ],
    [
      "an empty text before what the provider ran",
      [
        { type: "text", text: "" },
        { type: "tool-call", callId: "s", name: "web_search", kind: "web-search", executedBy: "provider", input: {} },
        { type: "tool-call", callId: "c", name: "f", input: {} },
      ],
    ],
  ])("keeps the order of its parts: %s", (_, parts) => {
    const wires = runAll(streamEncoder("langchain"), emit([{ role: "assistant", parts }]));
    const [again] = accumulate(runAll(streamDecoder("langchain"), wires));
    expect(again?.parts).toMatchObject(parts);
  });

  test("and is cut leaves its calls open, whole ones with a loss", () => {
    const call = { type: "tool-call", callId: "c", name: "f", input: {} } as const;
    const finish = { reason: "incomplete" } as const;
    for (const part of [call, { ...call, partial: true } as const]) {
      const encoder = streamEncoder("langchain");
      const wires = runAll(encoder, emit([{ role: "assistant", parts: [part], finish }]));
      const [again] = accumulate(runAll(streamDecoder("langchain"), wires));
      expect(again).toMatchObject({ finish, parts: [{ ...call, partial: true }] });
      expect(encoder.losses.map(({ code }) => code)).toEqual("partial" in part ? [] : ["open"]);
    }
  });

  test("says what came too late for a text that is out", () => {
    const encoder = streamEncoder("langchain:js-lc");
    const at = { message: 0, part: 0 };
    const events: Event[] = [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part-start", value: { type: "text", text: "" }, ...at },
      { type: "part-delta", of: "text", text: "Tides", ...at },
      { type: "citation", citation: { url: "https://e.com" }, ...at },
      { type: "part-end", ...at },
      { type: "message-end", message: 0 },
    ];
    const wires = runAll(encoder, events);
    expect(encoder.losses.map(({ code, path }) => [code, path])).toEqual([["late", ["messages", 0, "parts", 0]]]);
    expect(JSON.stringify(wires)).toContain("https://e.com");
  });

  test("passes each text on before the next event, and no growing copy of it", () => {
    const encoder = streamEncoder("langchain");
    const at = { message: 0, part: 0 };
    encoder.push({ type: "message-start", message: 0, head: { role: "assistant" } });
    encoder.push({ type: "part-start", value: { type: "text", text: "" }, ...at });
    for (const text of ["a", "bc", "d"]) {
      expect(encoder.push({ type: "part-delta", of: "text", text, ...at })).toMatchObject([
        { type: "AIMessageChunk", content: text },
      ]);
    }
  });
});

test("messages that are no answers are written whole, and read so", () => {
  const conversation: Conversation = {
    messages: [
      { role: "user", parts: [{ type: "text", text: "Hi" }] },
      { role: "tool", parts: [{ type: "tool-result", callId: "c", output: [{ type: "text", text: "7" }] }] },
    ],
  };
  const wires = runAll(streamEncoder("langchain", { recipient: "store" }), emit(conversation.messages));
  expect(wires).toEqual(
    encode(conversation, { to: "langchain", shape: "messages", recipient: "store", carry: false }).value,
  );
  expect(accumulate(runAll(streamDecoder("langchain"), wires))).toEqual(
    decode(wires, "langchain").conversation.messages,
  );
});

test("what changes an answer that is out is a loss", () => {
  const encoder = streamEncoder("langchain");
  runAll(
    { push: event => encoder.push(event), end: () => [] },
    emit([{ role: "assistant", parts: [{ type: "text", text: "a" }] }]),
  );
  encoder.push({ type: "part-set", message: 0, part: 0, set: { id: "late" } });
  expect(encoder.end()).toEqual([]);
  expect(encoder.losses.map(({ code, path }) => [code, path])).toEqual([["late", ["messages", 0, "parts", 0]]]);
});

test("JavaScript's own adding up leaves out a text without words, and so its seal: a loss says so", () => {
  const encoder = streamEncoder("langchain:js-lc", { recipient: "store" });
  const text = { type: "text", text: "" } as const;
  runAll(
    encoder,
    emit([
      {
        role: "assistant",
        parts: [
          { type: "text", text: "Hi", citations: [{ url: "https://example.com" }] },
          { ...text, seal: { maker: "google", values: { thoughtSignature: "c2ln" } } },
        ],
      },
    ]),
  );
  expect(encoder.losses.map(({ code }) => code)).toContain("empty-block");
});

test("the first chunk of a sealed text has its members in the order of a block", () => {
  const part = { type: "text", text: "", seal: { maker: "m", values: { a: "b" } } } as const;
  const chunks = runAll(
    streamEncoder("langchain", { recipient: "store" }),
    emit([{ role: "assistant", parts: [part, part] }]),
  );
  const [block] = chunks.flatMap(chunk =>
    isJsonObject(chunk) && Array.isArray(chunk["content"]) ? chunk["content"] : [],
  );
  expect(Object.keys(block as object)).toEqual(["type", "text", "extras", "index"]);
});
