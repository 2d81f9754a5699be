import { arbitraryJson } from "@translogue/testkit/arbitrary";
import { difference } from "@translogue/testkit/difference";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runAll } from "../../src/stream/machine.ts";
import { type JsonLine, type NdjsonOptions, ndjsonDecoder, ndjsonEncoder } from "../../src/stream/ndjson.ts";
import { cut, cuts } from "./cuts.ts";

const utf8 = new TextEncoder();

const read = (chunks: Iterable<Uint8Array | string>, options?: NdjsonOptions): JsonLine[] =>
  runAll(ndjsonDecoder(options), chunks);

test("any values come back, however their bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(arbitraryJson, { maxLength: 5 }), cuts, (values, places) => {
      const text = runAll(ndjsonEncoder(), values).join("");
      const items = read(cut(utf8.encode(text), places));
      const expected = values.map((value, index) => ({ ok: true, line: index + 1, value }));
      expect(difference(items, expected)).toBeUndefined();
    }),
  );
});

test.each<[what: string, text: string, items: JsonLine[]]>([
  ["blank lines, which count and give nothing", "1\n\n \t\n2\n", [one(1, 1), one(4, 2)]],
  ["CRLF", '"a"\r\n\r\n"b"\r\n', [one(1, "a"), one(3, "b")]],
  ["a last line without its end", "1\n2", [one(1, 1), one(2, 2)]],
  ["a byte order mark at the start of any line", "\ufeff1\n\ufeff2\r\n\ufeff\n", [one(1, 1), one(2, 2)]],
  ["line separators of Unicode inside strings", '"\u2028\u0085"\n', [one(1, "\u2028\u0085")]],
  [
    "a broken line between whole ones",
    '1\n{"a":x}\r\n2\n',
    [
      one(1, 1),
      { ok: false, line: 2, column: 6, message: 'unexpected "x": expected a value', text: '{"a":x}' },
      one(3, 2),
    ],
  ],
  [
    "a line that is cut, counting columns from its byte order mark",
    '\ufeff{"a":',
    [{ ok: false, line: 1, column: 7, message: "the text ends too early: expected a value", text: '{"a":' }],
  ],
])("takes %s", (_, text, items) => {
  expect(read([text])).toEqual(items);
  expect(read([...utf8.encode(text)].map(byte => Uint8Array.of(byte)))).toEqual(items);
});

test("a line that is too long is an item with its beginning, for any chunking, and the next is read", () => {
  const text = `"${"x".repeat(300)}"\n${"1".repeat(100)}\n`;
  fc.assert(
    fc.property(cuts, places => {
      const [long, next, ...others] = read(cut(text, places), { maxLineBytes: 250 });
      expect(long).toMatchObject({ ok: false, line: 1, text: `"${"x".repeat(199)}` });
      expect(long).not.toHaveProperty("column");
      expect(next).toMatchObject({ ok: true, line: 2 });
      expect(others).toEqual([]);
    }),
  );
});

test("a line that is nested too deep is an item, never an exception", () => {
  const [item] = read(["[".repeat(100_000)]);
  expect(item).toMatchObject({ ok: false, line: 1, column: 1001, message: "nested deeper than 1000 levels" });
});

function one(line: number, value: string | number): JsonLine {
  return { ok: true, line, value };
}
