import { mutated, nested, survivesBytes, survivesEvents, survivesValue } from "@translogue/testkit/hostile";
import { wireStreams, wireValues } from "@translogue/testkit/wire-samples";
import fc from "fast-check";
import {
  decode,
  decodeAll,
  encodeSse,
  type FormatId,
  formats,
  isError,
  type Json,
  parseJson,
  transcode,
} from "translogue";
import { describe, expect, test } from "vitest";

const ids = formats.map(({ id }) => id as FormatId); // formats are the registered ones
const seed = Number(process.env["TRANSLOGUE_SEED"] ?? 20261130);
const share = { seed, numRuns: Number(process.env["TRANSLOGUE_RUNS"] ?? 150) };

describe.each(ids)("%s, given anything", format => {
  test("reads values that were changed in a few places as valid conversations, or says what is wrong", () => {
    fc.assert(
      fc.property(mutated(wireValues(format)), value => {
        expect(survivesValue(format, value)).toBeUndefined();
      }),
      share,
    );
  });

  test("reads any JSON as one of its shapes, or says what is wrong", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom("request", "answer", "messages", "message" as const),
        (value, shape) => {
          expect(survivesValue(format, value as Json, shape as "request")).toBeUndefined();
        },
      ),
      share,
    );
  });

  test("reads streams with changed, missing and doubled events as valid messages", () => {
    const streams = wireStreams(format);
    if (streams.length === 0) return;
    fc.assert(
      fc.property(mutated(streams), stream => {
        expect(survivesEvents(format, Array.isArray(stream) ? (stream as Json[]) : [stream])).toBeUndefined();
      }),
      share,
    );
  });

  test("reads streams of damaged bytes to their end", () => {
    const streams = wireStreams(format).map(stream =>
      new TextEncoder().encode(stream.map(event => encodeSse({ data: JSON.stringify(event) })).join("")),
    );
    if (streams.length === 0) return;
    fc.assert(
      fc.property(
        fc.constantFrom(...streams),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }),
        fc.nat(),
        (bytes, changes, cut) => {
          const damaged = Uint8Array.from(bytes);
          for (const [place, byte] of changes) if (damaged.length > 0) damaged[place % damaged.length] = byte;
          const half = damaged.length === 0 ? 0 : cut % damaged.length;
          expect(
            survivesBytes(format, [damaged.subarray(0, half), damaged.subarray(half, damaged.length - (cut % 7))]),
          ).toBeUndefined();
        },
      ),
      share,
    );
  });

  test.each([500, 10_000, 100_000])("meets a nesting of %d with a value or a clear error", depth => {
    const text = `[{"role":"user","content":${nested(depth)}}]`;
    const read = (): unknown => decode(JSON.parse(text), { from: format, shape: "messages" });
    try {
      read();
    } catch (error) {
      expect(isError(error) || error instanceof RangeError).toBe(isError(error));
    }
    const { conversations, issues } = decodeAll(text, { from: format, shape: "messages" });
    expect(conversations.length + issues.length).toBeGreaterThan(0);
  });
});

test("a body of 10 MB is read in a time that is no trouble", () => {
  const history = Array.from({ length: 10_000 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: "x".repeat(1000),
  }));
  expect(decode(history, "openai-chat").conversation.messages).toHaveLength(10_000);
  const { value } = parseJson(JSON.stringify(history));
  expect(decode(value, "openai-chat").issues).toEqual([]);
});

test("one event of 10 MB is passed on in chunks of any size", () => {
  const chunk = {
    id: "1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content: "x".repeat(10_000_000) } }],
  };
  const bytes = new TextEncoder().encode(encodeSse({ data: JSON.stringify(chunk) }));
  const machine = transcode("openai-chat", "ai-sdk-ui");
  let written = 0;
  for (let start = 0; start < bytes.length; start += 4096) {
    for (const piece of machine.push(bytes.subarray(start, start + 4096))) written += piece.length;
  }
  expect(written).toBeGreaterThan(10_000_000);
});
