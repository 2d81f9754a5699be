import { expect, test } from "vitest";
import { jsonIn } from "../src/result/json-in.ts";

test("of an answer that is cut in a text full of quotes nothing is given, at the cost of its length", () => {
  // Twice as long would be four times the work, where each quote were looked behind: this one would take hours.
  expect([...jsonIn(`{"html":"${'\\"'.repeat(500_000)}`)]).toEqual([]);
  expect([...jsonIn('Here: {"a":"\\\\"} and {"b":"\\')]).toEqual([{ a: "\\" }]);
});

test.each<[report: string, text: string, values: readonly unknown[]]>([
  ["DeepTutor 673, gbrain 4640", '<think>\nmaybe {"draft": true}\n</think>\n{"n": 3}', [{ n: 3 }]],
  ["langchain 32120", '<think>\n\n</think>\n\n```json\n{"n": 3}\n```', [{ n: 3 }]],
  ["several", "<think>[1]</think> <THINK>[2]</THINK> [3]", [[3]]],
  ["whose beginning the prompt has", 'so {"draft": true}\n</think>{"n": 3}', [{ n: 3 }]],
  ["that are cut", '<think>perhaps {"n": 1}', []],
  ["the last of which are cut", '<think>[1]</think><think>perhaps {"n": 1}', []],
  ["that the answer itself speaks of", '{"tags": "</think>"} {"n": 1}', [{ tags: "</think>" }, { n: 1 }]],
  ["whose beginning the prompt has, and none else", 'Hm.</think>{"n": 3}', [{ n: 3 }]],
  ["a tag that a value behind words has", 'As you asked: {"tag":"</think>","n":3}', [{ tag: "</think>", n: 3 }]],
  ["with a value and nothing behind", 'Perhaps {"n": 3}</think>', []],
])("of thoughts in the text nothing is given: %s", (_, text, values) => {
  expect([...jsonIn(text)]).toEqual(values);
});

test.each<[text: string, values: readonly unknown[]]>([
  ['Here { is it: {"n":1}', [{ n: 1 }]],
  ['With a smile :-{ {"n":1}', [{ n: 1 }]],
  ['Size {5" wide}: {"n":1}', [{ n: 1 }]],
  ['Of the interval [0, 1) it is {"n":1}', [{ n: 1 }]],
  ['A set { x | x > 0 and [, then [{"n":1}]', [[{ n: 1 }]]],
  ['Not {"a" "b", but {"n":1}', [{ n: 1 }]],
  // These are values that are cut, and what stands in them is no answer.
  ['{"a":[1,{"n":1}', []],
  ['{"a":{"n":1},', []],
  ['{"a":{"n":1},"b', []],
  ['{"a":{"n":1},"b":tr', []],
  ['{"a":{"n":1},"b":-', []],
  ['[{"n":1}, 2.5', []],
  ['{a: 1, in: {"n":1}', []],
  ["{'a': {\"n\":1}", []],
])("a bracket that begins no value, and is not closed, hides none behind it: %s", (text, values) => {
  expect([...jsonIn(text)]).toEqual(values);
});

test("brackets that are not closed may be many, at the cost of the text's length", () => {
  expect([...jsonIn(":-{ ".repeat(100_000))]).toEqual([]);
  expect([...jsonIn("[".repeat(200_000))]).toEqual([]);
  expect([...jsonIn('[0,"'.repeat(100_000))]).toEqual([]);
});

test("thoughts may be thirty thousand, at the cost of their length", () => {
  expect([...jsonIn(`${"<think></think>".repeat(30_000)}{"n":3}`)]).toEqual([{ n: 3 }]);
  expect([...jsonIn("<think>".repeat(30_000))]).toEqual([]);
});

test("fences may be many, and a line of marks long, at the cost of their length", () => {
  expect([...jsonIn("```\nx\n```\n".repeat(30_000))]).toEqual([]);
  expect([...jsonIn(`\`\`\`${" ".repeat(200_000)}\``)]).toEqual([]);
  expect([...jsonIn(`${"`".repeat(200_000)}a\``)]).toEqual([]);
});
