import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/model/conversation.ts";
import { isError } from "../../src/model/error.ts";
import { equalJson } from "../../src/model/json.ts";
import {
  copyExact,
  exactPointers,
  exactTable,
  inputTextOf,
  jsonTextOf,
  maxDepth,
  parseJson,
  stringifyJson,
} from "../../src/model/json-text.ts";
import type { ToolCallPart } from "../../src/model/parts.ts";

const numberText = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,2})?$/),
  fc.constantFrom(
    "-0",
    "0.0",
    "1.0",
    "1e2",
    "1E+2",
    "18446744073709551616",
    "9007199254740993",
    "0.000001",
    "1e-7",
    "1e21",
  ),
);
const key = fc.oneof(
  fc.constantFrom("a", "b", "", "0", "1", "2", "10", "01", "4294967295", "__proto__", "a/b", "~"),
  fc.string(),
);

/** JSON without white space, as JavaScript spells strings, with numbers and members as it would not. */
const { jsonText, objectText } = fc.letrec<{ jsonText: string; objectText: string; scalarText: string }>(tie => ({
  scalarText: fc.oneof(
    numberText,
    fc.string().map(text => JSON.stringify(text)),
    fc.constantFrom("true", "false", "null"),
  ),
  objectText: fc
    .array(fc.tuple(key, tie("jsonText")), { maxLength: 5 })
    .map(members => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`),
  jsonText: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("scalarText"),
    tie("objectText"),
    fc.array(tie("jsonText"), { maxLength: 5 }).map(texts => `[${texts.join(",")}]`),
  ),
}));

const written = (text: string, indent?: number): string => {
  const { value, exact } = parseJson(text);
  return stringifyJson(value, exact, indent);
};

const faultOf = (text: string, options?: { maxDepth: number }): { code?: string; message: string; data: object } => {
  try {
    parseJson(text, options);
  } catch (error) {
    if (isError(error)) return error;
  }
  return { message: "no error", data: {} };
};

describe("JSON read and written exactly", () => {
  it.each([
    "1.0",
    "[1.0,2]",
    '{"a":1e2,"b":-0,"c":18446744073709551616}',
    '{"10":1,"2":2}',
    '{"a":1,"1":2}',
    '{"a":{"x":1.0},"a":2.0}',
    '{"a":[1.50],"b":{"a":1,"a":[{"2":1,"1":1.0}]}}',
    '{"__proto__":{"polluted":true}}',
    '{"a":": not a key","b":"3.10, 1.0"}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"\\":":1,"\\":":1}',
    '"1.0"',
    "1e400",
  ])("gives back %s", text => {
    expect(written(text)).toBe(text);
  });

  it("gives back every text without white space", () => {
    fc.assert(fc.property(jsonText, text => written(text) === text));
  });

  it("keeps nothing where JavaScript writes the same by itself", () => {
    for (const text of [
      '{"a":[1,-2.5,1e+21,1e-7,0.000001,123456789012345680000],"1a":{"01":0}}',
      '{"1":1,"2":2,"a":3}',
      '{"a":1,"__proto__":2}',
    ]) {
      const { value, exact } = parseJson(text);
      expect([JSON.stringify(value), exact.members.size, exact.numbers.size]).toEqual([text, 0, 0]);
    }
  });

  it("reads the values that JSON.parse reads, and refuses what it refuses", () => {
    const mutated = fc.tuple(
      jsonText,
      fc.nat(),
      fc.constantFrom("", " ", ",", '"', "\\", "}", "]", ":", "0", ".", "e", "\n", "\u0001"),
    );
    fc.assert(
      fc.property(mutated, ([text, at, insert]) => {
        const place = at % (text.length + 1);
        const other = text.slice(0, place) + insert + text.slice(place + (insert === "" ? 1 : 0));
        let native: unknown;
        try {
          native = JSON.parse(other);
        } catch {
          expect(faultOf(other).code).toBe("json/syntax");
          return;
        }
        const { value } = parseJson(other);
        if (/[eE]\+?\d{3}/.test(other)) return; // too large for a number: the next test but one
        expect(equalJson(value, native)).toBe(true);
        expect(JSON.stringify(value)).toBe(JSON.stringify(native));
      }),
      { numRuns: 500 },
    );
  });

  it("says of a syntax error where it is, what was found and what was expected", () => {
    expect(faultOf('{\n  "a": 1,\n  b: 2}')).toMatchObject({
      code: "json/syntax",
      message: 'found "b" at line 3, column 3 (offset 14); expected a member name',
      data: { line: 3, column: 3, offset: 14, expected: "a member name" },
    });
    const messages: readonly (readonly [string, string])[] = [
      ["", "the text ends at line 1, column 1 (offset 0); expected a value"],
      ["[1", 'the text ends at line 1, column 3 (offset 2); expected "," or "]"'],
      ['{"a" 1}', 'found "1" at line 1, column 6 (offset 5); expected ":"'],
      ["[nul]", 'found "nul" at line 1, column 2 (offset 1); expected a value'],
      ["1 2", 'found "2" at line 1, column 3 (offset 2); expected the end of the text'],
      ['"a\nb"', 'found "\\n" at line 1, column 3 (offset 2); expected an escape (\\n, \\t, \\u…) in its place'],
      [
        '["\\x"]',
        'found "\\\\" at line 1, column 3 (offset 2); expected an escape of JSON (\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX)',
      ],
      ['"abc', 'the text ends at line 1, column 5 (offset 4); expected the closing "'],
      ["\ufeff1", "a byte order mark at line 1, column 1 (offset 0); expected a value"],
    ];
    for (const [text, message] of messages) expect(faultOf(text).message).toBe(message);
  });

  it("refuses depth above its limit, and writes and reads any depth below it", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(written(nested(maxDepth))).toBe(nested(maxDepth));
    for (const depth of [maxDepth + 1, 100_000]) {
      expect(faultOf(nested(depth))).toMatchObject({
        code: "json/too-deep",
        data: { limit: maxDepth, offset: maxDepth },
      });
    }
    const deep = `${"[1.0,".repeat(100_000)}0${"]".repeat(100_000)}`;
    const { value, exact } = parseJson(deep, { maxDepth: 100_000 });
    expect(stringifyJson(value, exact) === deep).toBe(true);
    expect(stringifyJson(value)?.length).toBe(deep.length - 2 * 100_000);
  });

  it("leaves every prototype as it was", () => {
    const { value } = parseJson('{"__proto__":{"polluted":1.0},"constructor":{"prototype":{"polluted":true}}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect("polluted" in {}).toBe(false);
  });

  it("reads a number too large as the largest, which is JSON", () => {
    expect(parseJson("[1e400,-1e400]").value).toEqual([Number.MAX_VALUE, -Number.MAX_VALUE]);
  });

  it("writes what it knows nothing of as JSON.stringify does, also with an indent", () => {
    const { exact } = parseJson("[1.0]");
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom({ a: undefined, b: [undefined, () => 1], d: new Date(0), n: Number.NaN }, {}, []),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2, 4), (json, indent) => {
        expect(stringifyJson(json as unknown, exact, indent)).toBe(JSON.stringify(json, undefined, indent));
      }),
    );
    expect(stringifyJson(undefined as unknown, exact)).toBe(undefined);
  });

  it("keeps spellings when it indents", () => {
    expect(written('{"b":1,"1":[1.0,{}],"b":[]}', 2)).toBe(
      '{\n  "b": 1,\n  "1": [\n    1.0,\n    {}\n  ],\n  "b": []\n}',
    );
    fc.assert(fc.property(jsonText, text => equalJson(JSON.parse(written(text, 2)), JSON.parse(text))));
  });

  it("says so when a value has no end, or is no JSON", () => {
    const cycle: unknown[] = [];
    cycle.push({ a: cycle });
    expect(() => stringifyJson(cycle)).toThrow("a value contains itself at `0/a`");
    expect(() => stringifyJson({ n: 1n })).toThrow("`n` is a bigint");
  });

  it("follows a value that is passed on, and forgets one that was changed", () => {
    const { value, exact } = parseJson('{"keep":{"2":1.0,"1":2},"edit":{"x":1.0,"y":2.0}}');
    const { keep, edit } = value as { keep: object; edit: { x: number; y: number } };
    expect(stringifyJson({ wrapped: [keep] }, exact)).toBe('{"wrapped":[{"2":1.0,"1":2}]}');
    edit.x = 3;
    expect(stringifyJson(edit, exact)).toBe('{"x":3,"y":2.0}');
    Object.assign(keep, { "1": 5 });
    expect(stringifyJson(keep, exact)).toBe('{"1":5,"2":1.0}');
    const copied = { y: 2, z: 3 };
    copyExact(exact, edit, copied);
    expect(stringifyJson(copied, exact)).toBe('{"y":2.0,"z":3}');
  });
});

describe("Spelling kept by the nodes of a conversation", () => {
  const call = (text: string): ToolCallPart => {
    const { value, exact } = parseJson(text);
    const part: ToolCallPart = { type: "tool-call", callId: "c", name: "f", input: value };
    const pointers = exactPointers(part, exact);
    return pointers ? { ...part, exact: pointers } : part;
  };
  const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const around = (...parts: ToolCallPart[]): Conversation => ({ messages: [{ role: "assistant", parts }] });

  it("is a pointer and a text for each number and each object that JavaScript cannot write back", () => {
    expect(call('{"a":{"b/c":[1.0,2],"~":-0},"o":{"2":1,"1":1.50}}').exact).toEqual({
      "/input/a/b~1c/0": "1.0",
      "/input/a/~0": "-0",
      "/input/o": '{"2":1,"1":1.50}',
      "/input/o/1": "1.50",
    });
    expect(call('{"a":1}').exact).toBe(undefined);
  });

  it("brings the text back after it was stored as plain JSON", () => {
    fc.assert(
      fc.property(objectText, text => {
        const part = stored(call(text));
        const table = exactTable(around(part));
        expect(stringifyJson({ args: part.input }, table)).toBe(`{"args":${text}}`);
        expect(jsonTextOf(part, "input")).toBe(text);
        expect(inputTextOf(part)).toBe(text);
      }),
    );
  });

  it("does not count where it no longer reads as the value, and the rest still does", () => {
    const part = call('{"a":1.0,"b":2.0,"o":{"2":1,"1":1.0}}');
    const edited = { ...part, input: { ...(part.input as object), a: 7, o: { 2: 1, 1: 5 } } };
    expect(jsonTextOf(edited, "input")).toBe('{"a":7,"b":2.0,"o":{"1":5,"2":1}}');
    const hostile = {
      ...part,
      exact: { "/input/a": "1 , 2", "/input/b": " 2", "/input/none/x": "1.0", "/input/o": "{", "": "1" },
    };
    expect(jsonTextOf(hostile, "input")).toBe('{"a":1,"b":2,"o":{"1":1,"2":1}}');
  });

  it("does not enter child nodes: each keeps its own", () => {
    const { value, exact } = parseJson(
      '{"type":"tool-result","callId":"c","structured":[1.0],"output":[{"type":"data","data":[2.0]}]}',
    );
    expect(exactPointers(value as object, exact)).toEqual({ "/structured/0": "1.0" });
  });

  it("stays linear however objects of such a kind are nested", () => {
    let text = "1";
    for (let depth = 0; depth < 900; depth++) text = `{"b":0,"1":${text}}`;
    const part = call(text);
    expect(JSON.stringify(part.exact).length).toBeLessThan(12 * text.length);
    expect(jsonTextOf(part, "input")).toBe(text);
  });

  it("stays linear however long the pointers would be", () => {
    const key = "k".repeat(2000);
    let text = "1";
    for (let depth = 0; depth < 900; depth++) text = `{"${key}":${text},"n":1.0}`;
    const part = call(text);
    expect(JSON.stringify(part.exact).length).toBeLessThan(2 * text.length);
    expect(jsonTextOf(part, "input") === text).toBe(true);
  });

  it("is taken from a call's text too, where that reads as the input", () => {
    const part: ToolCallPart = {
      type: "tool-call",
      callId: "c",
      name: "f",
      input: { a: 1 },
      inputText: '{ "a": 1.0 }',
    };
    expect(stringifyJson(part.input, exactTable(around(part)))).toBe('{"a":1.0}');
    expect(exactTable(around({ ...part, input: { a: 2 } }))).toBe(undefined);
  });

  it.each([
    ["as sent", { input: { a: 1 }, inputText: '{ "a": 1 }' }, '{ "a": 1 }'],
    ["as sent though it does not parse", { inputText: '{"a":' }, '{"a":'],
    ["as the input once that was edited", { input: { a: 2 }, inputText: '{ "a": 1 }' }, '{"a":2}'],
    ["as the input alone", { input: [1, "x"] }, '[1,"x"]'],
    ["not at all when nothing was given", {}, undefined],
  ])("writes a call's arguments %s", (_, members, text) => {
    expect(inputTextOf({ type: "tool-call", callId: "c", name: "f", ...members })).toBe(text);
  });
});
