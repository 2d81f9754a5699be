import { type Generation, generations, readChunks, refusedChunk } from "@translogue/testkit/generations";
import {
  accumulate,
  approvalRequest,
  approvalResponse,
  assistant,
  decode,
  type Event,
  emit,
  encode,
  type FormatRef,
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
} from "translogue";
import { describe, expect, test } from "vitest";

const chunksOf = (messages: readonly Message[], generation: Generation): Json[] =>
  runAll(streamEncoder(`ai-sdk-ui:${generation}`), emit(messages));
const read = (chunks: readonly Json[], generation: Generation): Message[] =>
  accumulate(runAll(streamDecoder(`ai-sdk-ui:${generation}`), chunks));
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json; // JSON.parse gives JSON

/** The messages without what a stream says and a stored message does not. */
const stored = (messages: readonly Message[]): Message[] => messages.map(({ finish: _, ...message }) => message);

/** One line a chunk: what its reader looks at first. */
const told = (chunks: readonly Json[]): string[] =>
  chunks.map(chunk => {
    const { type, id, delta, toolCallId, inputTextDelta, messageId, finishReason, output } = chunk as {
      [member: string]: Json;
    }; // a chunk
    return [type, id ?? toolCallId ?? messageId, delta ?? inputTextDelta, output, finishReason]
      .filter(each => each !== undefined)
      .map(String)
      .join(" ");
  });

const call = toolCall({ callId: "c", name: "weather", input: { city: "Rome" } });
const run: Message[] = [
  assistant([reasoning("Look it up.", { id: "r" }), text("Let me look."), call], { id: "m", run: "m" }),
  { ...toolMessage(toolResult("c", "21°")), id: "m:1", run: "m" },
  assistant("It has 21°.", { id: "m:2", run: "m", finish: { reason: "stop" } }),
];

describe("a run is written as one message", () => {
  test("its chunks come in the order of the SDK's own server", () => {
    expect(told(chunksOf(run, "v5"))).toEqual([
      "start m",
      "start-step",
      "reasoning-start r",
      "reasoning-delta r Look it up.",
      "reasoning-end r",
      "text-start 0",
      "text-delta 0 Let me look.",
      "text-end 0",
      "tool-input-start c",
      'tool-input-delta c {"city":"Rome"}',
      "tool-input-available c",
      "tool-output-available c 21°",
      "finish-step",
      "start-step",
      "text-start 1",
      "text-delta 1 It has 21°.",
      "text-end 1",
      "finish-step",
      "finish stop",
    ]);
  });

  test.each(generations)("which the reader of %s makes of it, and we of its chunks", async generation => {
    const chunks = chunksOf(run, generation);
    expect(await refusedChunk(generation, chunks)).toBeUndefined();
    const { message, errors } = await readChunks(generation, chunks);
    expect(errors).toEqual([]);
    const [wanted] = encode({ messages: run }, { to: `ai-sdk-ui:${generation}`, shape: "messages" }).value as Json[]; // a list
    // A part of the SDK's own readers has no id before generation 7.
    expect(plain(message)).toMatchObject(generation === "v7" ? (wanted as object) : { id: "m" });
    expect(read(chunks, generation)).toEqual(expect.arrayContaining(stored(run).slice(1, 2)));
    expect(stored(read(chunks, generation))).toEqual(
      decode([plain(message)], { from: `ai-sdk-ui:${generation}`, shape: "messages" }).conversation.messages,
    );
  });

  test("for the Huajuan API's clients its tools are dynamic", () => {
    const chunks = runAll(streamEncoder("huajuan"), emit(run));
    expect(chunks.filter(chunk => (chunk as { dynamic?: true }).dynamic)).toHaveLength(3); // of a call: start, whole, result
  });

  test("two runs are two messages", () => {
    const chunks = chunksOf([...run, assistant("b", { id: "n" })], "v7");
    expect(told(chunks).filter(line => line.startsWith("start "))).toEqual(["start m", "start n"]);
    expect(read(chunks, "v7").map(({ id }) => id)).toEqual(["m", "m:1", "m:2", "n"]);
  });
});

describe("a whole stream is a shape", () => {
  test("of its own, read and written", () => {
    const { value, losses } = encode({ messages: run }, { to: "ai-sdk-ui:v7", shape: "stream" });
    expect(losses).toEqual([]);
    expect(value).toEqual(chunksOf(run, "v7"));
    expect(decode(value, "ai-sdk-ui:v7").conversation.messages).toEqual(read(value as Json[], "v7")); // a list
  });
});

describe("how an answer ended", () => {
  test.each<[finish: Message["finish"] | undefined, last: string]>([
    [{ reason: "stop" }, "finish stop"],
    [{ reason: "tool-calls" }, "finish tool-calls"],
    [{ reason: "refusal" }, "finish content-filter"],
    [{ reason: "aborted" }, "abort"],
    [undefined, "finish"],
  ])("%j is told as %s", (finish, last) => {
    const message = assistant("a", finish && { finish });
    expect(told(chunksOf([message], "v7")).at(-1)).toBe(last);
  });

  test("an answer that was cut off has no end", () => {
    const message = assistant("a", { finish: { reason: "incomplete" } });
    expect(told(chunksOf([message], "v7")).at(-1)).toBe("text-end 0");
  });

  test("an error is told, and read as the reason", () => {
    const events: Event[] = [...emit([assistant("a")]), { type: "error", error: { message: "overloaded" } }];
    const chunks = runAll(streamEncoder("ai-sdk-ui"), events);
    expect(chunks).toContainEqual({ type: "error", errorText: "overloaded" });
    const [message] = read(chunks, "v7");
    expect(message).toMatchObject({ finish: { reason: "error" }, parts: [{ text: "a" }, { message: "overloaded" }] });
  });
});

describe("questions and answers", () => {
  const asked = [assistant([call, approvalRequest("q", "c", { reason: "costly" })])];
  const answered = [
    ...asked,
    { role: "tool", parts: [approvalResponse("q", true, { callId: "c" }), toolResult("c", "21°")] },
  ];

  test.each<[generation: Generation, chunks: string[]]>([
    ["v5", ["tool-input-available c", "data-approval q", "data-approval q", "tool-output-available c 21°"]],
    ["v6", ["tool-input-available c", "tool-output-available c 21°"]],
    [
      "v7",
      ["tool-input-available c", "tool-approval-request c", "tool-approval-response", "tool-output-available c 21°"],
    ],
  ])("%s has its own chunks for them", async (generation, wanted) => {
    const chunks = chunksOf(answered, generation);
    expect(told(chunks).filter(line => wanted.includes(line))).toEqual(wanted);
    expect((await readChunks(generation, chunks)).errors).toEqual([]);
  });

  test("v6 is asked at the end of the step, when no answer came", () => {
    expect(told(chunksOf(asked, "v6")).slice(-3)).toEqual(["tool-approval-request c", "finish-step", "finish"]);
  });

  test("a result that answers an earlier message is told without its call", () => {
    const chunks = chunksOf([{ ...toolMessage(toolResult("c", "21°")), id: "t", run: "m" }], "v7");
    expect(told(chunks)).toEqual(["start m", "tool-output-available c 21°", "finish"]);
  });
});

describe("an attempt that starts over", () => {
  const again: Event[] = [
    { type: "message-start", message: 0, head: { role: "assistant", id: "m" } },
    { type: "part", message: 0, part: 0, value: text("Hel") },
    { type: "message-start", message: 0, head: { role: "assistant", id: "m" } },
    { type: "part", message: 0, part: 0, value: text("Bye") },
    { type: "message-end", message: 0 },
  ];
  const heard = async (generation: Generation): Promise<unknown> => {
    const { message } = await readChunks(generation, runAll(streamEncoder(`ai-sdk-ui:${generation}`), again));
    return (message as { parts: { text?: string }[] }).parts.flatMap(part => part.text ?? []); // a UI message
  };

  test("takes back what was said where the SDK can, and follows it where it cannot", async () => {
    expect(await heard("v7")).toEqual(["Bye"]);
    expect(await heard("v6")).toEqual(["Hel", "Bye"]);
  });
});

describe("arguments that are no JSON", () => {
  const failed = [
    assistant({ type: "tool-call", callId: "c", name: "weather", inputText: "{ city" }),
    toolMessage(toolResult("c", "not JSON", { outcome: "error" })),
  ];
  test.each(generations)("are told to %s with the error that they lead to", async generation => {
    const { message, errors } = await readChunks(generation, chunksOf(failed, generation));
    expect(errors).toEqual([]);
    const raw = generation === "v7" ? { input: "{ city" } : { rawInput: "{ city" };
    expect(message).toMatchObject({ parts: [{}, { state: "output-error", errorText: "not JSON", ...raw }] });
  });
});

describe("what its readers would die of is reported and read over", () => {
  const start = { type: "start" };
  test.each<[code: string, chunks: Json[]]>([
    ["not-a-chunk", [5]],
    ["unknown-chunk", [{ type: "video" }]],
    ["unknown-text", [{ type: "text-delta", id: "0", delta: "a" }]],
    ["unknown-call", [{ type: "tool-input-delta", toolCallId: "c", inputTextDelta: "{" }]],
    ["unknown-call", [{ type: "tool-output-available", toolCallId: "c", output: 1 }]],
    ["not-a-chunk", [{ type: "text-start" }]],
    ["not-a-chunk", [{ type: "tool-input-available", toolCallId: 5 }]],
  ])("%s", (code, chunks) => {
    const decoder = streamDecoder("ai-sdk-ui:v7");
    const messages = accumulate(runAll(decoder, [start, ...chunks, { type: "source-url", sourceId: "s", url: "u" }]));
    expect(decoder.issues.map(issue => issue.code)).toEqual([code]);
    expect(messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "source")).toHaveLength(1);
  });

  test("a name that could reach a prototype is left out, and the rest is read", async () => {
    const input = JSON.parse('{"a":1,"__proto__":{"b":2}}') as Json; // JSON.parse gives JSON
    const encoder = streamEncoder("ai-sdk-ui:v7");
    const chunks = runAll(encoder, emit([assistant({ type: "data", name: "x", data: input })]));
    expect(JSON.stringify(chunks)).not.toContain("__proto__");
    expect(encoder.losses.map(({ code }) => code)).toContain("unsafe-key");
    expect((await readChunks("v7", chunks)).message).toMatchObject({ parts: [{}, { data: { a: 1 } }] });
  });
});

describe("a stream of many pieces is read and written in time that grows with it", () => {
  const many = 40_000;
  const pieces = (count: number, piece: (index: number) => Json[]): Json[] => [
    { type: "start" },
    ...Array.from({ length: count }, (_, index) => piece(index)).flat(),
  ];
  test.each<[what: string, piece: (index: number) => Json[]]>([
    [
      "texts",
      index => [
        { type: "text-start", id: `${index}` },
        { type: "text-end", id: `${index}` },
      ],
    ],
    ["steps", index => [{ type: "start-step" }, { type: "data-x", data: index }, { type: "finish-step" }]],
    [
      "reasoning",
      index => [
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-end", id: `r${index}` },
      ],
    ],
    ["calls", index => [{ type: "tool-input-available", toolCallId: `${index}`, toolName: "f", input: {} }]],
    ["results", () => [{ type: "tool-output-available", toolCallId: "c", output: 1, preliminary: true }]],
    [
      "arguments",
      index =>
        index === 0
          ? [
              { type: "tool-input-start", toolCallId: "c", toolName: "f" },
              { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"a":"' },
            ]
          : [{ type: "tool-input-delta", toolCallId: "c", inputTextDelta: index % 2 === 0 ? "" : "0123456789" }],
    ],
    ["metadata", index => [{ type: "message-metadata", messageMetadata: { at: index } }]],
    ["metadata that grows", index => [{ type: "message-metadata", messageMetadata: { [`at ${index}`]: index } }]],
    [
      "metadata that grows inside",
      index => [{ type: "message-metadata", messageMetadata: { all: { [`at ${index}`]: index } } }],
    ],
  ])("%s", (_, piece) => {
    const passed = (count: number): number => {
      const begin = performance.now();
      const decoder = streamDecoder("ai-sdk-ui:v6");
      const encoder = streamEncoder("ai-sdk-ui:v6" as FormatRef);
      for (const chunk of pieces(count, piece)) for (const event of decoder.push(chunk)) encoder.push(event);
      for (const event of decoder.end()) encoder.push(event);
      encoder.end();
      return performance.now() - begin;
    };
    passed(many / 20);
    const [some, all] = [passed(many / 8), passed(many)];
    expect(all / Math.max(some, 10)).toBeLessThan(40); // eight times the work; squared it would be sixty-four
  });
});

test("metadata that is large is told as it grows, and whole at the end; what was told never changes", () => {
  const decoder = streamDecoder("ai-sdk-ui:v6");
  const count = 1000;
  const pieces = Array.from({ length: count }, (_, index): Json => {
    return { type: "message-metadata", messageMetadata: { [`k${index}`]: index } };
  });
  const events = [{ type: "start", messageId: "m" }, ...pieces].flatMap(chunk => decoder.push(chunk));
  const sizes = (list: readonly Event[]): number[] =>
    list.flatMap(event =>
      event.type === "message-set" && event.set.metadata !== undefined
        ? [Object.keys(event.set.metadata as object).length]
        : [],
    );
  const told = sizes(events);
  expect(told.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
  expect(told.length).toBeLessThan(200);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect(sizes([...events, ...decoder.end()]).at(-1)).toBe(count);
});

test("of metadata only what is new is sent again", () => {
  const chunks: Json[] = [
    { type: "start", messageId: "m", messageMetadata: { a: 1, b: { c: 1 } } },
    { type: "data-x", data: 1 },
    { type: "message-metadata", messageMetadata: { b: { d: 2 } } },
  ];
  const decoder = streamDecoder("ai-sdk-ui:v6");
  const events = [...chunks.flatMap(chunk => decoder.push(chunk)), ...decoder.end()];
  const sent = runAll(streamEncoder("ai-sdk-ui:v6"), events);
  expect(sent.slice(0, 3)).toEqual(chunks);
});

test.each(generations)("a step that fails before it says anything is not begun behind its error (%s)", generation => {
  const error: Event = { type: "error", error: { message: "bad" } };
  const begin: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
  const end: Event = { type: "message-end", message: 0 };
  const types = (events: readonly Event[]): Json[] =>
    runAll(streamEncoder(`ai-sdk-ui:${generation}`), events).map(chunk => (chunk as { type: Json }).type); // a chunk
  expect(types([begin, error])).toEqual(["start", "error"]);
  expect(types([error])).not.toContain("start-step");
  const [, ...said] = emit([{ role: "assistant", parts: [text("a")] }]).slice(0, -1);
  expect(types([begin, ...said, error, end]).indexOf("start-step")).toBe(1);
});

describe("what only shows by what comes after it is written so that each reader shows it again", () => {
  const begun: Json[] = [{ type: "start", messageId: "m" }, { type: "start-step" }];
  const said: Json[] = [
    ...begun,
    { type: "data-x", id: "d", data: 1 },
    { type: "finish-step" },
    { type: "start-step" },
  ];
  const named = { toolCallId: "c", toolName: "f" };
  const itemId = { providerMetadata: { openai: { itemId: "fc" } } };
  const refused: Json[] = [
    { type: "tool-input-start", ...named, ...itemId },
    { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"a":5}' },
    { type: "tool-input-error", ...named, input: { a: 5 }, errorText: "bad", ...itemId },
  ];
  const thought: Json = { type: "reasoning-start", id: "r" };
  const signed: Json = {
    type: "reasoning-delta",
    id: "r",
    delta: "",
    providerMetadata: { anthropic: { signature: "s" } },
  };
  const cases: [what: string, chunks: Json[]][] = [
    ["a step in which only metadata came", [...begun, { type: "message-metadata", messageMetadata: { a: 1 } }]],
    ["a later one", [...said, { type: "message-metadata", messageMetadata: { a: 1 } }]],
    ["a step in which only earlier data changed", [...said, { type: "data-x", id: "d", data: 2 }]],
    ["arguments that a tool does not take, with the ids of their call", [...begun, ...refused]],
    [
      "the seal of reasoning that was cut",
      [...begun, thought, { type: "reasoning-delta", id: "r", delta: "Hm" }, signed],
    ],
  ];
  test.each(generations.flatMap(generation => cases.map(each => [...each, generation] as const)))(
    "%s",
    async (_, chunks, generation) => {
      const format = `ai-sdk-ui:${generation}` as const;
      const encoder = streamEncoder(format, { recipient: "store" });
      const again = runAll(encoder, runAll(streamDecoder(format), chunks));
      const { message } = await readChunks(generation, chunks);
      expect(plain((await readChunks(generation, again)).message)).toEqual(plain(message));
      expect(encoder.losses.map(({ code }) => code).filter(code => code !== "message-id")).toEqual([]);
    },
  );
});

describe("as the SDK's readers have it", () => {
  const begin = [{ type: "start", messageId: "m" }, { type: "start-step" }];
  const dynamic = { type: "tool-input-start", toolCallId: "c", toolName: "f", dynamic: true };
  const fixed = { type: "tool-input-start", toolCallId: "c", toolName: "f" };
  const failed = { type: "tool-input-error", toolCallId: "c", toolName: "f", input: "{", errorText: "x" };
  const ready = { type: "tool-input-available", toolCallId: "c", toolName: "f", input: {} };
  const output = { type: "tool-output-available", toolCallId: "c", output: 1 };
  const late = [...begin, ready, { type: "finish-step" }, { type: "start-step" }, output];
  const stringMetadata = { type: "message-metadata", messageMetadata: "s" };
  test.each<[what: string, chunks: Json[], generation: Generation]>([
    ["an error of a fixed tool is not that of a dynamic one", [...begin, dynamic, failed], "v5"],
    ["an error is that of the call that began", [...begin, dynamic, failed], "v6"],
    ["an error of a dynamic tool is not that of a fixed one", [...begin, fixed, { ...failed, dynamic: true }], "v5"],
    ["of two calls of one id the first is answered", [...begin, dynamic, ready, { ...output, dynamic: true }], "v7"],
    ["generation 5 answers the one of the kind", [...begin, dynamic, ready, output], "v5"],
    ["an answer shows the mark of the step that it came in", late, "v7"],
    ["a step that was only marked has nothing to start over", [...late.slice(0, 5), { type: "reset-step" }], "v7"],
    ["a text as metadata", [...begin, { type: "finish-step" }, { type: "start-step" }, stringMetadata], "v7"],
  ])("%s (%#)", async (_, chunks, generation) => {
    const { message, errors } = await readChunks(generation, chunks);
    expect(errors).toEqual([]);
    const to = `ai-sdk-ui:${generation}` as const;
    const options = { to, shape: "messages", recipient: "store", carry: false } as const;
    expect(plain(encode({ messages: read(chunks, generation) }, options).value)).toEqual([plain(message)]);
  });

  test("metadata that is a text is told once", async () => {
    const chunks = [...begin, { type: "finish-step" }, { type: "start-step" }, stringMetadata, { type: "finish" }];
    const again = runAll(streamEncoder("ai-sdk-ui:v7"), runAll(streamDecoder("ai-sdk-ui:v7"), chunks));
    const { message, errors } = await readChunks("v7", again);
    expect(errors).toEqual([]);
    expect(message).toMatchObject({ metadata: "s", parts: [{ type: "step-start" }, { type: "step-start" }] });
  });
});
