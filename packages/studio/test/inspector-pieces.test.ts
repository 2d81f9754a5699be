import { describe, expect, test } from "vitest";
import { rowAt, rowsOfText } from "../src/inspector/text-rows.ts";
import { timesOf } from "../src/inspector/use-player.ts";
import { inspectorLanguages } from "../src/inspector/words.ts";
import { containerOf, piecesOf } from "../src/inspector/worker/container.ts";
import { indexJson } from "../src/inspector/worker/json-index.ts";
import { isCramped, tidyJson } from "../src/inspector/worker/json-tidy.ts";

describe("the places of a JSON text", () => {
  const text = '{"a": [1, {"b": "x\\"]"}, []], "a\\u0062": {}, "": -1.50}';
  const index = indexJson(text);
  test.each([
    [[], text],
    [["a"], '[1, {"b": "x\\"]"}, []]'],
    [["a", 0], "1"],
    [["a", 1, "b"], '"x\\"]"'],
    [["a", 2], "[]"],
    [["ab"], "{}"],
    [[""], "-1.50"],
    [["a", 1, "c", "d"], '{"b": "x\\"]"}'],
    [["nowhere"], text],
  ])("%j is %j", (path, piece) => {
    const id = index.find(path);
    expect(text.slice(index.starts[id], index.ends[id])).toBe(piece);
  });

  test("of several lines are the items of a list", () => {
    const lines = '{"a":1}\n\n{"a":2}';
    const places = indexJson(lines, [
      [0, 7],
      [9, 16],
    ]);
    const id = places.find([1, "a"]);
    expect(lines.slice(places.starts[id], places.ends[id])).toBe("2");
  });
});

describe("JSON laid out anew", () => {
  test.each([
    [
      '{"a":[1,2.50,{}],"b":{"c":"x, y: {"}}',
      '{\n  "a": [\n    1,\n    2.50,\n    {}\n  ],\n  "b": {\n    "c": "x, y: {"\n  }\n}',
    ],
    ["[]", "[]"],
    ['"a"', '"a"'],
    ['{ "a" :\n 1e400 }', '{\n  "a": 1e400\n}'],
  ])("%s", (text, tidy) => {
    expect(tidyJson(text)).toBe(tidy);
    expect(tidyJson(tidy)).toBe(tidy);
  });
  test("is for texts of long lines", () => {
    const value = { messages: Array.from({ length: 50 }, (_, index) => ({ role: "user", content: `${index}` })) };
    expect(isCramped(JSON.stringify(value))).toBe(true);
    expect(isCramped(JSON.stringify(value, undefined, 2))).toBe(false);
    expect(isCramped('{"a":1}')).toBe(false);
  });
});

describe("how values stand in a text", () => {
  test.each([
    ["json", '{"a":1}'],
    ["json", '{\n"a":1\n}'],
    ["json", '[\n{"a":1}\n]'],
    ["jsonl", '{"a":1}\n{"a":2}'],
    ["jsonl", '\n{"a":1}\r\n\r\n{"a":2}\r\n'],
    ["jsonl", '{"a":1 oops}\n{"a":2}'],
    ["sse", 'data: {"a":1}\n\n'],
    ["sse", ": hello\n\ndata: {}\n\n"],
    ["sse", "event: x\ndata: {}\n\n"],
    ["coded", '0:"a"\n2:[1]\n'],
    ["json", "what is this"],
  ])("%s: %j", (container, text) => {
    expect(containerOf(text)).toBe(container);
  });

  test("is found again by its places, with what is broken", () => {
    const text = 'data: {"a":1}\n\nevent: x\ndata: {"a":\ndata: 2}\n\ndata: {oops\n\ndata: [DONE]\n\n';
    const pieces = piecesOf(text, "sse");
    expect(pieces.map(({ from, to }) => text.slice(from, to))).toEqual([
      'data: {"a":1}',
      'event: x\ndata: {"a":\ndata: 2}',
      "data: {oops",
      "data: [DONE]",
    ]);
    expect(pieces.map(({ value }) => value)).toEqual([{ a: 1 }, { a: 2 }, undefined, undefined]);
    expect(pieces[2]?.problem).toMatchObject({ line: 7, column: 2 });
    expect(pieces[3]?.isEnd).toBe(true);
  });

  test("of lines behind a code are both, as a list", () => {
    expect(piecesOf('0:"a"\n', "coded").map(({ value }) => value)).toEqual([["0", "a"]]);
  });

  test.each([
    ["milliseconds", '{"t":5,"data":{"x":1}}\n{"t":125,"data":{"x":2}}', [0, 120]],
    ["seconds since 1970", '{"time":1764500000,"event":{}}\n{"time":1764500000.5,"event":{}}', [0, 500]],
    ["dates", '{"at":"2026-11-30T10:00:00Z","chunk":{}}\n{"at":"2026-11-30T10:00:01Z","chunk":{}}', [0, 1000]],
    ["no times where an event has one of its own", '{"type":"x","timestamp":1,"data":{}}', [undefined]],
  ])("has the times of a recording: %s", (_name, text, times) => {
    expect(piecesOf(text, "jsonl").map(({ time }) => time)).toEqual(times);
  });

  test("a recording of raw text is read as what it is, with the time of the chunk that ended each event", () => {
    const chunks = [
      [0, 'data: {"x"'],
      [10, ":1}\n\ndata: {}"],
      [30, "\n\ndata: [DONE]\n\n"],
    ];
    const text = chunks.map(([t, data]) => JSON.stringify({ t, data })).join("\n");
    expect(piecesOf(text, "jsonl").map(({ value, time }) => [value, time])).toEqual([
      [{ x: 1 }, 10],
      [{}, 30],
      [undefined, 30],
    ]);
  });
});

describe("rows of a text", () => {
  test("break where they are full; wide characters count two; halves of one stay together", () => {
    const text = `short\n${"x".repeat(45)}\n${"宽".repeat(11)}\n${"😀".repeat(11)}\n`;
    const rows = rowsOfText(text, 20);
    const pieces = rows.starts.map((start, index) => text.slice(start, rows.starts[index + 1]));
    expect(pieces.join("")).toBe(text);
    expect(pieces.map(piece => piece.trim())).toEqual([
      "short",
      "x".repeat(20),
      "x".repeat(20),
      "x".repeat(5),
      "宽".repeat(10),
      "宽",
      "😀".repeat(10),
      "😀",
      "",
    ]);
    expect(rows.lines).toEqual([1, 2, 0, 0, 3, 0, 4, 0, 5]);
    expect([0, 5, 6, 26, 27].map(offset => rowAt(rows, offset))).toEqual([0, 0, 1, 2, 2]);
  });
});

test("a recording without times is played evenly, and one with times never goes back", () => {
  const event = { from: 0, to: 0, name: "", text: "" };
  expect(timesOf([event, event])).toEqual([50, 100]);
  expect(timesOf([{ ...event, time: 5 }, event, { ...event, time: 3 }])).toEqual([5, 5, 5]);
});

test("the inspector says the same things in every language, and nothing is empty", () => {
  const paths = (value: object, path = ""): string[] =>
    Object.entries(value).flatMap(([key, item]) =>
      typeof item === "object" ? paths(item, `${path}.${key}`) : [`${path}.${key}`],
    );
  expect(paths(inspectorLanguages.zh).sort()).toEqual(paths(inspectorLanguages.en).sort());
  expect(JSON.stringify(inspectorLanguages)).not.toContain('""');
});
