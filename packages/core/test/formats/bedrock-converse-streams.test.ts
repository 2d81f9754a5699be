import { accumulate, type Event, emit, type Json, type JsonObject, type Message, runAll } from "translogue";
import { bedrockConverse, eventStreamDecoder, eventStreamEncoder } from "translogue/bedrock-converse";
import { streamDecoder, streamEncoder } from "translogue/convert";
import { describe, expect, test } from "vitest";

const decoded = (...wire: readonly Json[]): Event[] => runAll(streamDecoder(bedrockConverse), wire);
const read = (...wire: readonly Json[]): readonly Message[] => accumulate(decoded(...wire));
const start = (contentBlockIndex: number, begun: Json): JsonObject => ({
  contentBlockStart: { contentBlockIndex, start: begun },
});
const delta = (contentBlockIndex: number, piece: JsonObject): JsonObject => ({
  contentBlockDelta: { contentBlockIndex, delta: piece },
});
const stop = (contentBlockIndex: number): JsonObject => ({ contentBlockStop: { contentBlockIndex } });
const begin: JsonObject = { messageStart: { role: "assistant" } };
const over = (stopReason = "end_turn"): JsonObject => ({ messageStop: { stopReason } });
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
const metadata: JsonObject = { metadata: { usage, metrics: { latencyMs: 4 } } };

const written = (events: readonly Event[]) => {
  const encoder = streamEncoder(bedrockConverse, { recipient: "client" });
  return { wire: runAll(encoder, events), losses: encoder.losses.map(({ code }) => code) };
};

describe("a stream is read as it comes", () => {
  test("a text is there from its first delta on, and over with its message", () => {
    expect(decoded(begin, delta(0, { text: "a" }), delta(0, { text: "b" }), stop(0), over(), metadata)).toMatchObject([
      { type: "message-start", head: { role: "assistant" } },
      { type: "part-start", value: { type: "text", text: "" } },
      { type: "part-delta", text: "a" },
      { type: "part-delta", text: "b" },
      { type: "part-end" },
      { type: "message-set", set: { finish: { reason: "stop" } } },
      { type: "message-set", set: { usage: { input: 1, output: 2 } } },
      { type: "message-end" },
    ]);
  });

  test.each<[name: string, wire: readonly Json[], part: object]>([
    [
      "arguments",
      [start(0, { toolUse: { toolUseId: "t", name: "f" } }), delta(0, { toolUse: { input: '{"a": 1}' } })],
      { type: "tool-call", callId: "t", name: "f", input: { a: 1 }, inputText: '{"a": 1}' },
    ],
    [
      "a call without arguments",
      [start(0, { toolUse: { toolUseId: "t", name: "f" } }), delta(0, { toolUse: { input: "" } })],
      { type: "tool-call", callId: "t", name: "f" },
    ],
    [
      "reasoning and its signature",
      [delta(0, { reasoningContent: { text: "r" } }), delta(0, { reasoningContent: { signature: "s" } })],
      { type: "reasoning", text: "r", seal: { maker: "anthropic", route: "bedrock", values: { signature: "s" } } },
    ],
    [
      "redacted reasoning in pieces of bytes",
      [
        delta(0, { reasoningContent: { redactedContent: "AA==" } }),
        delta(0, { reasoningContent: { redactedContent: "/w==" } }),
      ],
      { type: "reasoning", seal: { maker: "anthropic", route: "bedrock", values: { redactedContent: "AP8=" } } },
    ],
    [
      "an image in pieces",
      [
        start(0, { image: { format: "png" } }),
        delta(0, { image: { source: { bytes: "iVBO" } } }),
        delta(0, { image: { source: { bytes: "Rw==" } } }),
      ],
      { type: "file", mediaType: "image/png", source: { data: "iVBORw==" } },
    ],
    [
      "a result whose text goes on",
      [
        start(0, { toolResult: { toolUseId: "t", status: "error" } }),
        delta(0, { toolResult: [{ text: "a" }] }),
        delta(0, { toolResult: [{ text: "b" }, { json: { c: 1 } }, { text: "d" }] }),
      ],
      {
        type: "tool-result",
        callId: "t",
        outcome: "error",
        output: [
          { type: "text", text: "ab" },
          { type: "data", data: { c: 1 } },
          { type: "text", text: "d" },
        ],
      },
    ],
    [
      "a cited text",
      [delta(0, { text: "a" }), delta(0, { citation: { title: "t", location: { documentPage: { start: 1 } } } })],
      { type: "text", text: "a", citations: [{ title: "t", at: { unit: "page", start: 1 } }] },
    ],
    ["a text with a start", [start(0, { type: "text" }), delta(0, { text: "a" })], { type: "text", text: "a" }],
    ["an empty start", [start(0, {}), delta(0, { text: "a" })], { type: "text", text: "a" }],
    [
      "a block that is new",
      [start(0, { hologram: {} }), delta(0, { hologram: { a: 1 } })],
      { type: "opaque", value: { hologram: {}, deltas: [{ hologram: { a: 1 } }] } },
    ],
  ])("%s", (_, wire, part) => {
    const messages = read(begin, ...wire, stop(0), over(), metadata);
    expect(messages).toEqual([expect.objectContaining({ parts: [expect.objectContaining(part)] })]);
    expect(read(...written(emit(messages)).wire)).toEqual(messages);
  });

  test.each<[name: string, wire: readonly Json[]]>([
    ["without its announcement", [delta(0, { text: "a" }), stop(0), over(), metadata]],
    ["with the counts before the end", [begin, delta(0, { text: "a" }), stop(0), metadata, over()]],
    ["without the end of its blocks", [begin, delta(0, { text: "a" }), over(), metadata]],
    ["with padding", [{ messageStart: { role: "assistant", p: "ab" } }, delta(0, { text: "a" }), over(), metadata]],
  ])("%s", (_, wire) => {
    expect(read(...wire)).toEqual([
      {
        role: "assistant",
        parts: [{ type: "text", text: "a" }],
        finish: { reason: "stop" },
        usage: { input: 1, output: 2 },
        native: { "bedrock-converse": { answer: { metrics: { latencyMs: 4 } } } },
      },
    ]);
  });

  test("one that breaks off is unfinished, whatever was said of its counts", () => {
    for (const wire of [
      [begin],
      [begin, delta(0, { text: "a" })],
      [begin, delta(0, { text: "a" }), stop(0), metadata],
    ]) {
      expect(read(...wire)).toMatchObject([{ finish: { reason: "incomplete" } }]);
    }
  });

  test.each([
    ["throttlingException", true],
    ["modelStreamErrorException", true],
    ["validationException", false],
    ["somethingNewException", undefined],
  ])("%s is an error, and the same one again", (name, retryable) => {
    const wire = [begin, delta(0, { text: "a" }), { [name]: { message: "m" } }];
    const events = decoded(...wire);
    expect(events.at(-1)).toEqual({
      type: "error",
      error: { message: "m", code: name, ...(retryable !== undefined && { retryable }) },
    });
    expect(written(events).wire.at(-1)).toEqual({ [name]: { message: "m" } });
    expect(written(emit(accumulate(events))).wire.at(-1)).toEqual({ [name]: { message: "m" } });
  });

  test("an event that is new is kept with the answer, and reported", () => {
    const decoder = streamDecoder(bedrockConverse);
    const messages = accumulate(runAll(decoder, [begin, { weather: { rain: true } }, over(), metadata]));
    expect(messages[0]?.native).toMatchObject({ "bedrock-converse": { answer: { weather: { rain: true } } } });
    expect(decoder.issues.map(({ code }) => code)).toEqual(["unknown-event"]);
  });
});

describe("a stream is written block after block", () => {
  const opened = (part: number, value: object): Event => ({ type: "part-start", message: 0, part, value }) as Event; // parts of the tests
  const piece = (part: number, of: "text" | "tool-call" | "reasoning", text: string): Event => ({
    type: "part-delta",
    message: 0,
    part,
    of,
    text,
  });
  const ended = (part: number): Event => ({ type: "part-end", message: 0, part });
  const head: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
  const tail: readonly Event[] = [
    { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
    { type: "message-end", message: 0 },
  ];
  const text = { type: "text", text: "" };
  const call = { type: "tool-call", callId: "t", name: "f" };

  test("and what comes beside a call that is half told waits for it", () => {
    const { wire } = written([
      head,
      opened(0, call),
      piece(0, "tool-call", '{"a"'),
      opened(1, text),
      piece(1, "text", "b"),
      piece(0, "tool-call", ":1}"),
      ended(0),
      ended(1),
      ...tail,
    ]);
    expect(wire).toEqual([
      begin,
      start(0, { toolUse: { toolUseId: "t", name: "f" } }),
      delta(0, { toolUse: { input: '{"a"' } }),
      delta(0, { toolUse: { input: ":1}" } }),
      stop(0),
      delta(1, { text: "b" }),
      stop(1),
      over(),
    ]);
  });

  test("a text that goes on after another begins a new block, which is reported", () => {
    const { wire, losses } = written([
      head,
      opened(0, text),
      piece(0, "text", "a"),
      opened(1, text),
      piece(1, "text", "b"),
      piece(0, "text", "c"),
      ended(0),
      ended(1),
      ...tail,
    ]);
    expect(read(...wire)[0]?.parts).toMatchObject([{ text: "a" }, { text: "b" }, { text: "c" }]);
    expect(losses).toEqual(["order", "split"]);
  });

  test("citations that follow a text are in its block, and late ones are reported", () => {
    const citation: Event = { type: "citation", message: 0, part: 0, citation: { title: "t" } };
    const early = written([head, opened(0, text), piece(0, "text", "a"), ended(0), citation, ...tail]);
    expect(early).toEqual({
      wire: [begin, delta(0, { text: "a" }), delta(0, { citation: { title: "t" } }), stop(0), over()],
      losses: [],
    });
    const other = [opened(1, text), piece(1, "text", "b"), ended(1)];
    expect(
      written([head, opened(0, text), piece(0, "text", "a"), ended(0), ...other, citation, ...tail]).losses,
    ).toEqual(["already-sent"]);
  });

  test("a seal that comes after its reasoning was left is not put on a piece of it", () => {
    const seal = { maker: "anthropic", route: "bedrock", values: { signature: "s" } };
    const sealed = { type: "part-set", message: 0, part: 0, set: { seal } } as Event; // of reasoning
    const thought = [opened(0, { type: "reasoning", text: "" }), piece(0, "reasoning", "r")];
    const late = written([
      head,
      ...thought,
      opened(1, text),
      piece(1, "text", "b"),
      ended(0),
      sealed,
      ended(1),
      ...tail,
    ]);
    expect(JSON.stringify(late.wire)).not.toContain("signature");
    expect(late.losses).toEqual(["already-sent"]);
    expect(JSON.stringify(written([head, ...thought, ended(0), sealed, ...tail]).wire)).toContain("signature");
  });

  test.each([
    ["[1]", '{"input":[1]}'],
    [' "a"', '{"input": "a"}'],
    [' {"a":1}', ' {"a":1}'],
  ])("arguments %s are an object", (given, expected) => {
    const { wire } = written([head, opened(0, call), piece(0, "tool-call", given), ended(0), ...tail]);
    const pieces = JSON.stringify(wire).matchAll(/"input":("(?:[^"\\]|\\.)*")/g);
    expect([...pieces].map(([, text]) => JSON.parse(text ?? "")).join("")).toBe(expected);
  });

  test("what breaks off has no end, and what has no events is reported", () => {
    const document = { type: "file", mediaType: "application/pdf", source: { data: "" } };
    const { wire, losses } = written([
      head,
      { type: "part", message: 0, part: 0, value: document } as Event, // a file
      opened(1, text),
      piece(1, "text", "a"),
    ]);
    expect(wire).toEqual([begin, delta(0, { text: "a" })]);
    expect(losses).toEqual(["not-streamed"]);
  });
});

describe("Bedrock's binary frames", () => {
  const events = [
    begin,
    delta(0, { text: "é😀" }),
    stop(0),
    over(),
    metadata,
    { throttlingException: { message: "m" } },
  ];
  const bytes = new Uint8Array(runAll(eventStreamEncoder(), events).flatMap(frame => [...frame]));

  test.each([1, 7, 64, 100_000])("are read in chunks of %i bytes", size => {
    const decoder = eventStreamDecoder();
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(runAll(decoder, chunks)).toEqual(events);
    expect(decoder.issues).toEqual([]);
  });

  test("end where one was damaged: nobody knows what is missing behind it", () => {
    const [first = new Uint8Array(), second = new Uint8Array(), ...others] = runAll(eventStreamEncoder(), events);
    const damaged = second.with(second.length - 6, 0);
    const decoder = eventStreamDecoder();
    expect(runAll(decoder, [first, damaged, ...others])).toEqual([events[0]]);
    expect(decoder.issues).toMatchObject([{ code: "stream/not-a-frame", wirePath: [1] }]);
  });

  test.each([
    ["no frames", new TextEncoder().encode("data: {}\n\ndata: {}\n\n")],
    ["half a frame", bytes.subarray(0, 20)],
  ])("that are %s end in an issue", (_, given) => {
    const decoder = eventStreamDecoder();
    expect(runAll(decoder, [given, given.subarray(0, 0)])).toEqual([]);
    expect(decoder.issues).toMatchObject([{ code: "stream/not-a-frame" }]);
  });
});
