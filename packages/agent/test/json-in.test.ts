import { expect, test } from "vitest";
import { jsonIn } from "../src/result/json-in.ts";

test("of an answer that is cut in a text full of quotes nothing is given, at the cost of its length", () => {
  // Twice as long would be four times the work, where each quote were looked behind: this one would take hours.
  expect([...jsonIn(`{"html":"${'\\"'.repeat(500_000)}`)]).toEqual([]);
  expect([...jsonIn('Here: {"a":"\\\\"} and {"b":"\\')]).toEqual([{ a: "\\" }]);
});
