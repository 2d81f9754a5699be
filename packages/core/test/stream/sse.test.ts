import { arbitraryText } from "@translogue/testkit/arbitrary";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isError } from "../../src/model/error.ts";
import { runAll } from "../../src/stream/machine.ts";
import {
  encodeSse,
  encodeSseComment,
  type SseEvent,
  type SseOptions,
  sseDecoder,
  sseEncoder,
} from "../../src/stream/sse.ts";
import { cut, cuts } from "./cuts.ts";

const utf8 = new TextEncoder();

const read = (chunks: Iterable<Uint8Array | string>, options?: SseOptions): SseEvent[] =>
  runAll(sseDecoder(options), chunks);

const line = arbitraryText.map(text => text.toWellFormed().replace(/[\r\n\0]/g, ""));
const arbitraryEvent: fc.Arbitrary<SseEvent> = fc.record(
  {
    data: fc.array(line, { minLength: 1, maxLength: 3 }).map(lines => lines.join("\n")),
    event: line.filter(text => text !== ""),
    retry: fc.nat(),
  },
  { requiredKeys: ["data"], noNullPrototype: true },
);

/** Lines as hosts write them, and as they should not. */
const arbitraryStream = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            "",
            "",
            "data: a",
            "data:b",
            "data",
            "data: ",
            ":",
            ": ping",
            "event: e",
            "event:",
            "id: 1",
            "id",
            "id: \0",
          ),
          fc.constantFrom("retry: 5", "retry: x", " data: c", "dat", "date: d", "data : e", "x: y", "Data: f"),
          line.map(text => `data: ${text}`),
        ),
        fc.constantFrom("\n", "\n", "\r\n", "\r"),
      ),
      { maxLength: 20 },
    ),
  )
  .map(([hasMark, lines]) => (hasMark ? "\ufeff" : "") + lines.flat().join(""));

describe("decoding", () => {
  test.each<[what: string, text: string, events: SseEvent[]]>([
    ["an event a blank line", "data: a\n\ndata: b\n\n", [{ data: "a" }, { data: "b" }]],
    ["several data lines as one text", "data: a\ndata:\ndata:  b\n\n", [{ data: "a\n\n b" }]],
    [
      "CRLF and CR as line ends",
      "data: a\r\n\r\ndata: b\r\rdata: c\r\n\n",
      [{ data: "a" }, { data: "b" }, { data: "c" }],
    ],
    ["a byte order mark at the start only", "\ufeffdata: a\n\n\ufeffdata: b\n\n", [{ data: "a" }]],
    ["comments and unknown fields as nothing", ": hi\nfoo: bar\ndata: a\n:\n\n", [{ data: "a" }]],
    ["empty data as an event", "data\n\ndata:\n\n", [{ data: "" }, { data: "" }]],
    ["a block without data as no event", "event: x\n\ndata: a\n\n", [{ data: "a" }]],
    [
      "the last of several names",
      "event: x\nevent: y\ndata: a\n\ndata: b\n\n",
      [{ event: "y", data: "a" }, { data: "b" }],
    ],
    [
      "an id that stays in force until an empty one",
      "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
      [{ data: "a", id: "1" }, { data: "b", id: "1" }, { data: "c" }],
    ],
    ["an id with NUL as no id", "id: 1\0\ndata: a\n\n", [{ data: "a" }]],
    [
      "a retry of digits only",
      "retry: 10\ndata: a\n\nretry: 1s\ndata: b\n\n",
      [{ data: "a", retry: 10 }, { data: "b" }],
    ],
    ["a retry without data with the next event", "retry: 10\n\ndata: a\n\n", [{ data: "a", retry: 10 }]],
    ["fields by their exact names", "Data: a\n data: b\ndata : c\ndat\ndata: d\n\n", [{ data: "d" }]],
  ])("takes %s", (_, text, events) => {
    expect(read([text])).toEqual(events);
    expect(read([...utf8.encode(text)].map(byte => Uint8Array.of(byte)))).toEqual(events);
  });

  test("gives the same events for any chunking, as bytes and as text", () => {
    fc.assert(
      fc.property(arbitraryStream, cuts, (text, places) => {
        const expected = read([text]);
        expect(read(cut(text, places))).toEqual(expected);
        expect(read(cut(utf8.encode(text), places))).toEqual(expected);
      }),
    );
  });

  test("gives an event as soon as its blank line is there, a lone CR included", () => {
    const decoder = sseDecoder();
    expect(decoder.push("data: a\n")).toEqual([]);
    expect(decoder.push("\r")).toEqual([{ data: "a" }]);
    expect(decoder.push("\ndata: b\r")).toEqual([]);
    expect(decoder.push("\r")).toEqual([{ data: "b" }]);
  });

  test("gives the last event without its blank line, unless told not to", () => {
    expect(read(["data: a\n\ndata: b\n"])).toEqual([{ data: "a" }, { data: "b" }]);
    expect(read(["data: a\n\nevent: x\ndata: b"])).toEqual([{ data: "a" }, { event: "x", data: "b" }]);
    expect(read(["data: a\n\ndata: b\n"], { flushLast: false })).toEqual([{ data: "a" }]);
  });

  test("puts U+FFFD for bytes that are no UTF-8, also at the end", () => {
    const bytes = [...utf8.encode("data: "), 0xff, ...utf8.encode("é").slice(0, 1)];
    expect(read([Uint8Array.from(bytes)])).toEqual([{ data: "\ufffd\ufffd" }]);
  });

  test("refuses an event that is too large, after the events before it and for any chunking", () => {
    const text = `data: ok\n\n: ${"c".repeat(20)}\n\ndata: ${"x".repeat(9)}\ndata: ${"y".repeat(9)}\n\ndata: never\n\n`;
    const refusal = (places: readonly number[]): unknown => {
      const decoder = sseDecoder({ maxEventBytes: 23 });
      const events: SseEvent[] = [];
      try {
        for (const chunk of [...cut(text, places), "", ""]) events.push(...decoder.push(chunk));
      } catch (error) {
        expect(() => decoder.end()).toThrow(error as Error);
        expect(events).toEqual([{ data: "ok" }]);
        return error;
      }
      return events;
    };
    fc.assert(
      fc.property(cuts, places => {
        expect(isError(refusal(places), "stream/event-too-large")).toBe(true);
      }),
    );
    expect(read([text], { maxEventBytes: 24 })).toHaveLength(3);
  });
});

describe("encoding", () => {
  test("gives what decoding takes back", () => {
    fc.assert(
      fc.property(fc.array(arbitraryEvent, { maxLength: 4 }), events => {
        expect(read(runAll(sseEncoder(), events))).toEqual(events);
      }),
    );
  });

  test("writes the fields in order and a line for each line of data", () => {
    expect(encodeSse({ event: "e", id: "1", retry: 5, data: "a\r\nb\rc" })).toBe(
      "event: e\nid: 1\nretry: 5\ndata: a\ndata: b\ndata: c\n\n",
    );
    expect(encodeSse({ data: "" })).toBe("data: \n\n");
  });

  test("writes comments that readers skip", () => {
    expect(read([encodeSseComment("a\ndata: b"), encodeSseComment(), encodeSse({ data: "c" })])).toEqual([
      { data: "c" },
    ]);
  });

  test.each<[SseEvent]>([
    [{ data: "", event: "a\ndata: forged" }],
    [{ data: "", id: "a\rb" }],
    [{ data: "", id: "\0" }],
  ])("refuses %j, which could not come back", event => {
    expect(() => encodeSse(event)).toThrow(expect.objectContaining({ code: "stream/not-one-line" }));
  });
});
