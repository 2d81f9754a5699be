import { sdkStreamsBytes } from "@translogue/testkit/bedrock-sdk";
import {
  accumulate,
  type ExactText,
  type Json,
  parseJson,
  runAll,
  streamDecoder,
  stringifyJson,
  transcode,
} from "translogue";
import { bedrockConverse, eventStreamEncoder } from "translogue/bedrock-converse";
import { frames } from "translogue/convert";
import { openaiChat } from "translogue/openai-chat";
import { describe, expect, test } from "vitest";

const events: readonly Json[] = [
  { messageStart: { role: "assistant" } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "naïve " } } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "日本語 😀" } } },
  { contentBlockStop: { contentBlockIndex: 0 } },
  { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { toolUseId: "t", name: "add" } } } },
  { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: '{"n":1.0,' } } } },
  { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: '"m":9007199254740993}' } } } },
  { contentBlockStop: { contentBlockIndex: 1 } },
  { messageStop: { stopReason: "tool_use" } },
  { metadata: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, metrics: { latencyMs: 4 } } },
];
const binary = runAll(eventStreamEncoder(), events);
const joined = (pieces: readonly Uint8Array[]): Buffer => Buffer.concat(pieces);
const bytes = joined(binary);
const cut = (given: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(given.length / size) }, (_, index) =>
    given.subarray(index * size, (index + 1) * size),
  );
const sizes = [1, 7, 100, 100_000];

const toChat = (pieces: readonly Uint8Array[]) => {
  const machine = transcode("bedrock-converse", "openai-chat");
  const output = joined(runAll(machine, pieces));
  return { output, wire: runAll(frames.decoder(stream(openaiChat)), [output]), issues: machine.issues };
};
const stream = ({ stream: codec }: typeof openaiChat | typeof bedrockConverse) => {
  if (!codec) throw new Error("no stream");
  return codec;
};
const said = (format: "openai-chat" | "bedrock-converse", wire: readonly Json[]) =>
  accumulate(runAll(streamDecoder(format), wire)).map(({ role, parts, finish }) => ({ role, parts, finish }));

describe("Bedrock's own bytes are transcoded", () => {
  test.each(sizes)("to another format, in pieces of %i bytes", size => {
    const { wire, issues } = toChat(cut(bytes, size));
    expect(issues).toEqual([]);
    expect(said("openai-chat", wire)).toMatchObject([
      {
        role: "assistant",
        parts: [
          { type: "text", text: "naïve 日本語 😀" },
          { type: "tool-call", callId: "t", name: "add", inputText: '{"n":1.0,"m":9007199254740993}' },
        ],
        finish: { reason: "tool-calls" },
      },
    ]);
    expect(wire).toEqual(toChat([bytes]).wire);
  });

  test.each(sizes)("from another format, into what AWS's own client reads, in pieces of %i bytes", async size => {
    const chat = toChat([bytes]).output;
    const machine = transcode("openai-chat", "bedrock-converse");
    const output = runAll(machine, cut(chat, size));
    expect(machine.issues).toEqual([]);
    const read = await sdkStreamsBytes(output);
    expect(said("bedrock-converse", read as Json[])).toEqual(said("bedrock-converse", events)); // events are JSON
  });

  test.each(sizes)("to itself as they are, in pieces of %i bytes", size => {
    const machine = transcode("bedrock-converse", "bedrock-converse");
    expect(joined(runAll(machine, cut(bytes, size)))).toEqual(bytes);
    expect([machine.issues, machine.losses]).toEqual([[], []]);
  });

  test("and numbers keep their spelling in frames", () => {
    const text =
      '{"messageStop":{"stopReason":"end_turn","additionalModelResponseFields":{"n":9007199254740993,"m":1.0}}}';
    const { value, exact } = parseJson(text);
    const taken: ExactText = { numbers: new Map(), members: new Map() };
    const [read = null] = runAll(
      frames.decoder(stream(bedrockConverse), { exact: taken }),
      runAll(frames.encoder(stream(bedrockConverse), exact), [value]),
    );
    expect(stringifyJson(read, taken)).toBe(text);
  });

  test.each([
    ["server-sent events", events.map(event => `data: ${JSON.stringify(event)}\n\n`).join("")],
    ["lines", events.map(event => `${JSON.stringify(event)}\n`).join("")],
  ])("what someone recorded of them as %s is read too", (_, text) => {
    expect(toChat([new TextEncoder().encode(text)]).wire).toEqual(toChat([bytes]).wire);
  });
});

describe("bytes that were damaged or cut are an error", () => {
  const damaged = (index: number, at: number): Buffer =>
    joined(binary.map((frame, number) => (number === index ? frame.with(frame.length - at, 0x7f) : frame)));
  const cases: [what: string, given: Buffer, why: string, heard: string][] = [
    ["the end is missing", bytes.subarray(0, -20), "the stream ends within a frame", "naïve 日本語 😀"],
    ["a frame has other bytes", damaged(2, 6), "the checksum of a frame is wrong", "naïve "],
    ["a frame has another checksum", damaged(2, 1), "the checksum of a frame is wrong", "naïve "],
    [
      "a frame begins in another way",
      joined([...binary.slice(0, 2), (binary[2] ?? new Uint8Array(16)).with(9, 0x7f), ...binary.slice(3)]),
      "the checksum of a frame's beginning is wrong",
      "naïve ",
    ],
  ];

  test.each(cases)("to another format: %s", (_, given, why, heard) => {
    for (const size of sizes) {
      const { wire, issues, output } = toChat(cut(given, size));
      expect(issues.map(({ code }) => code)).toEqual(["stream/not-a-frame", "stream/cut"]);
      expect(issues.every(({ message }) => message.includes(why))).toBe(true);
      expect(said("openai-chat", wire)[0]?.parts[0]).toMatchObject({ type: "text", text: heard });
      expect(output.toString()).toContain(why);
    }
  });

  test.each(cases)(
    "to AWS's own client, which gets an exception where it would get half a frame: %s",
    async (_, given, why) => {
      for (const size of sizes) {
        const machine = transcode("bedrock-converse", "bedrock-converse");
        const output = runAll(machine, cut(given, size));
        expect(machine.issues.map(({ code }) => code)).toEqual(["stream/not-a-frame", "stream/cut"]);
        const read = await sdkStreamsBytes(output);
        expect(read.slice(0, 2)).toMatchObject(events.slice(0, 2) as object[]); // objects
        expect(JSON.stringify(read.at(-1))).toMatch(new RegExp(`Exception.*${why}`));
      }
    },
  );

  test("a frame larger than allowed is refused, once those before it are out", () => {
    const large = joined(
      runAll(eventStreamEncoder(), [...events.slice(0, 2), { messageStop: { stopReason: "x".repeat(500) } }]),
    );
    for (const size of sizes) {
      const machine = transcode("bedrock-converse", "openai-chat", { maxEventBytes: 400 });
      const output: Uint8Array[] = [];
      expect(() => {
        for (const piece of cut(large, size)) output.push(...machine.push(piece));
        output.push(...machine.end());
      }).toThrow(expect.objectContaining({ code: "stream/event-too-large" }));
      expect(joined(output).toString()).toContain("naïve");
    }
  });
});
