import { expect, test } from "vitest";
import { impurities } from "./purity.ts";

const found = (text: string) => impurities({ path: "packages/core/src/model/x.ts", text });

test.each([
  ["Date.now()", "a clock"],
  ["new Date()", "a clock"],
  ["globalThis.performance.now()", "a clock"],
  ["Math.random()", "chance"],
  ["crypto.randomUUID()", "chance"],
  ["await fetch(url)", "the network"],
  ["setTimeout(run, 0)", "a timer"],
])("%s is %s", (text, what) => {
  expect(found(`\n${text};`)).toEqual([expect.stringMatching(new RegExp(`x\\.ts:2 uses .*, ${what}: `))]);
});

test.each(["new Date(text)", "Date.parse(text)", "Math.max(1, 2)", "api.fetch(url)", "options.newId()", "toString()"])(
  "%s is the same every time",
  text => {
    expect(found(text)).toEqual([]);
  },
);
