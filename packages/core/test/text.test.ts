import { findFormat, parseJson, readText, writeText } from "translogue";
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
