import { decode, findFormat, type Loss, parseJson, readText, writeText } from "translogue";
import { expect, test } from "vitest";

test("a format that fixes no bytes is written as JSON, with the source text of its numbers", () => {
  const text = '[{"role":"user","content":"hi","n":1.0}]';
  const { value, exact } = readText(text, "lighter");
  expect(writeText(value, "lighter", exact && { exact })).toBe(text);
  expect(readText(text, "lighter")).toEqual(parseJson(text));
});

test("a style that the format has not is refused, naming those it has", () => {
  expect(() => writeText([], "lighter", { style: "indented" })).toThrow(
    "`lighter` has no style `indented`; it has plain",
  );
  expect(findFormat("lighter").codec.text).toBeUndefined();
});

/** What a text tells that it does not hold, each as its code and place. */
function told(value: unknown, to: "maf" | "langchain:python"): readonly string[] {
  const losses: Loss[] = [];
  writeText(value, to, { onLoss: loss => losses.push(loss) });
  return losses.map(({ code, wirePath = [] }) => `${code} ${wirePath.join(".")}`);
}

test.each([
  ["a text", [{ role: "user", contents: [{ $type: "text", text: "a\ud800b" }] }], ["half-character 0.contents.0.text"]],
  [
    "keys and values of arguments",
    [
      {
        role: "assistant",
        contents: [{ $type: "functionCall", callId: "c", name: "f", arguments: { "\udc00": ["x", "\ud83d"] } }],
      },
    ],
    ["half-character 0.contents.0.arguments.\udc00", "half-character 0.contents.0.arguments.\udc00.1"],
  ],
  [
    "keys that differ in their case",
    [{ role: "user", contents: [], additionalProperties: { B: 1, b: 2 } }],
    ["folded-key 0.additionalProperties.b"],
  ],
  ["nothing", [{ role: "user", contents: [{ $type: "text", text: "a\ud83d\ude00\ufffd" }] }], []],
])("what .NET's text does not hold as the value does is told by its place: %s", (_, value, losses) => {
  expect(told(value, "maf")).toEqual(losses);
});

test("a text that holds half characters as JSON does tells of none", () => {
  expect(told([{ type: "human", content: "a\ud800" }], "langchain:python")).toEqual([]);
});

test("of .NET's keys that differ in their case, it is told which value takes the place of which", () => {
  const value = [{ role: "user", contents: [], additionalProperties: { B: 1, b: 2 } }];
  expect(decode(value, "maf").issues.map(({ code, wirePath }) => [code, wirePath])).toEqual([
    ["folded-key", [0, "additionalProperties", "b"]],
  ]);
});
