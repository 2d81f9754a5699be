import { arbitraryJson, arbitraryText } from "@translogue/testkit/arbitrary";
import { difference } from "@translogue/testkit/difference";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../src/model/json.ts";
import { parseJson } from "../../src/model/json-text.ts";
import { type PartialJson, partialJson } from "../../src/stream/partial-json.ts";
import { cut, cuts } from "./cuts.ts";

function read(pieces: Iterable<string>): PartialJson {
  const reader = partialJson();
  for (const piece of pieces) reader.push(piece);
  return reader;
}

const parsed = (text: string): { readonly value: Json } | undefined => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** JSON in the spellings that writers use: indented, with escapes that need not be. */
const spelled = fc.tuple(arbitraryJson, fc.nat(2), fc.boolean()).map(([value, indent, isAscii]) => {
  const text = JSON.stringify(value, undefined, indent);
  return isAscii ? text.replace(/[^ -~]/g, unit => (unit === "\n" ? unit : escaped(unit))) : text;
});
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Text that is JSON no more, mostly. */
const broken = fc
  .tuple(
    spelled,
    fc.nat(),
    fc.constantFrom("", "}", "]", ",", ":", '"', "\\", "0", "-", ".", "e", " ", "t", "\n", "\u0000"),
  )
  .map(([text, place, unit]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + unit + text.slice(at + (place % 2));
  });

test("complete JSON gives the value that parsing it whole gives, however it is cut", () => {
  fc.assert(
    fc.property(spelled, cuts, (text, places) => {
      const reader = read(cut(text, places));
      expect(reader.end()).toBe("complete");
      expect(difference(reader.value, parseJson(text).value)).toBeUndefined();
    }),
  );
});

test("at every moment `complete` means that the text so far is JSON, and the value is its own", () => {
  fc.assert(
    fc.property(fc.oneof(spelled, broken, arbitraryText), text => {
      const reader = partialJson();
      for (let end = 0; end < text.length; end++) {
        reader.push(text.charAt(end));
        const whole = parsed(text.slice(0, end + 1));
        expect(reader.state === "complete").toBe(whole !== undefined);
        if (whole) expect(difference(reader.value, whole.value)).toBeUndefined();
      }
    }),
  );
});

test("the end is `invalid` exactly where there is text and JSON.parse refuses it", () => {
  fc.assert(
    fc.property(fc.oneof(broken, arbitraryText), cuts, (text, places) => {
      const reader = read(cut(text, places));
      const expected = parsed(text) ? "complete" : /^[ \t\r\n]*$/.test(text) ? "empty" : "invalid";
      expect(reader.end()).toBe(expected);
      expect(reader.fault === undefined).toBe(expected !== "invalid");
    }),
  );
});

test("value and state after some text do not depend on how it was cut", () => {
  fc.assert(
    fc.property(fc.oneof(spelled, broken), fc.nat(), cuts, (whole, length, places) => {
      const text = whole.slice(0, length % (whole.length + 1));
      const [pieces, once] = [read(cut(text, places)), read([text])];
      expect(pieces.state).toBe(once.state);
      expect(pieces.fault).toEqual(once.fault);
      expect(difference(pieces.value, once.value)).toBeUndefined();
    }),
  );
});

const nothing = undefined;
test.each<[text: string, value: Json | undefined, state: string]>([
  ["", nothing, "empty"],
  [" \n", nothing, "empty"],
  ["{", {}, "partial"],
  ['{"a', {}, "partial"],
  ['{"a"', {}, "partial"],
  ['{"a":', {}, "partial"],
  ['{"a":"', { a: "" }, "partial"],
  ['{"a":"x', { a: "x" }, "partial"],
  ['{"a":"x\\', { a: "x" }, "partial"],
  ['{"a":"x\\u00e', { a: "x" }, "partial"],
  ['{"a":"x\\u00e9', { a: "xé" }, "partial"],
  ['{"a":-', {}, "partial"],
  ['{"a":1.', { a: 1 }, "partial"],
  ['{"a":12e', { a: 12 }, "partial"],
  ['{"a":12e+', { a: 12 }, "partial"],
  ['{"a":12e+1', { a: 120 }, "partial"],
  ['{"a":tru', {}, "partial"],
  ['{"a":true', { a: true }, "partial"],
  ['{"a":1,', { a: 1 }, "partial"],
  ['{"a":1,"a":', { a: 1 }, "partial"],
  ['{"a":1,"a":2', { a: 2 }, "partial"],
  ["[1,", [1], "partial"],
  ["[[[", [[[]]], "partial"],
  ['[{"b":1},{', [{ b: 1 }, {}], "partial"],
  ['"str', "str", "partial"],
  ["12", 12, "complete"],
  ["-0", -0, "complete"],
  ["12.", 12, "partial"],
  ["nul", nothing, "partial"],
  ["null ", null, "complete"],
  ['{"a":1} ', { a: 1 }, "complete"],
  ['{"a":1}}', { a: 1 }, "invalid"],
  ['{"a":1,}', { a: 1 }, "invalid"],
  ["[1 2", [1], "invalid"],
  ["01", 0, "invalid"],
  ["{'a'", {}, "invalid"],
  ['{"a":"x\ny"}', { a: "x" }, "invalid"],
  ['"\\x', "", "invalid"],
  ["\ufeff{}", nothing, "invalid"],
])("%j shows %j and is %s", (text, value, state) => {
  const reader = read([text]);
  expect(reader.value).toStrictEqual(value);
  expect(reader.state).toBe(state);
});

test("a fault says what was met, what was expected and where", () => {
  expect(read(['{"a"', ":1 x"]).fault).toEqual({
    message: 'unexpected "x": expected "," or the end of the array or object',
    offset: 7,
  });
  const cutOff = read(['{"a":"b']);
  cutOff.end();
  expect(cutOff.fault?.message).toMatch(/^the text ends too early: expected the rest of a string/);
  expect(cutOff.value).toEqual({ a: "b" });
});

test("text that is plain is what JSON.stringify writes of its value", () => {
  let plain = 0;
  fc.assert(
    fc.property(spelled, text => {
      const reader = read([text]);
      reader.end();
      if (reader.isPlain) expect(JSON.stringify(reader.value)).toBe(text);
      plain += Number(reader.isPlain);
    }),
  );
  expect(plain).toBeGreaterThan(20);
});

test.each([
  "{ }",
  '{"a":1.0}',
  '"\\/"',
  '"\\u0041"',
  '"\\u001F"',
  '{"a":1,"a":1}',
  '{"b":1,"1":1}',
  "-0",
  "1e999",
  '"\ud800"',
])("%s is not plain", text => {
  const reader = read([text]);
  reader.end();
  expect(reader.isPlain).toBe(false);
});

test("one object grows in place", () => {
  const reader = read(['{"a":{"b":"x']);
  const { value } = reader;
  reader.push('y"},"c":[1');
  expect(reader.value).toBe(value);
  expect(value).toEqual({ a: { b: "xy" }, c: [1] });
});

test("`__proto__` is a member like any other and pollutes nothing", () => {
  const { value } = read(['{"__proto', '__":{"polluted":tru', 'e},"a":{"__proto__":', "1}}"]);
  expect(Object.getOwnPropertyNames(value)).toEqual(["__proto__", "a"]);
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
  expect("polluted" in {}).toBe(false);
});

test("a number too large is the largest, and a very long one is shown at its end", () => {
  expect(read(["[1e999]"]).value).toEqual([Number.MAX_VALUE]);
  const long = read(["[", "1".repeat(3000)]);
  expect(long.state).toBe("partial");
  long.push("]");
  expect(long.value).toEqual([Number.MAX_VALUE]);
  const root = read(["0.", "1".repeat(3000)]);
  expect(root.end()).toBe("complete");
  expect(root.value).toBe(1 / 9);
});

test("text that is nested too deep is invalid, and never overflows the stack", () => {
  const deepest = read(["[".repeat(1000), "]".repeat(1000)]);
  expect(deepest.state).toBe("complete");
  const hostile = read(Array.from({ length: 1000 }, () => '{"a":['.repeat(1000)));
  expect(hostile.state).toBe("invalid");
  expect(hostile.fault).toEqual({ message: "nested deeper than 1000 levels", offset: 3000 });
});
