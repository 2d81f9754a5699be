import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import { properties } from "@translogue/testkit/properties";
import { corpus } from "@translogue/testkit/wire-samples";
import fc from "fast-check";
import { convert, type FormatId, findFormat } from "translogue";
import { describe, expect, test } from "vitest";

const seed = Number(process.env["TRANSLOGUE_SEED"] ?? 20261130);
const share = { seed, numRuns: Number(process.env["TRANSLOGUE_RUNS"] ?? 20) };

const dialects = findFormat("langchain").codec.dialects.map(dialect => `langchain:${dialect}`);

describe.each(dialects)("%s", dialect => {
  const format = dialect as FormatId; // the properties take a dialect where they take a format
  test.each(properties)("$name", ({ holds }) => {
    for (const [, conversation] of corpus) expect(holds(format, conversation)).toBeUndefined();
    fc.assert(
      fc.property(arbitraryConversation, conversation => {
        expect(holds(format, conversation)).toBeUndefined();
      }),
      share,
    );
  });
});

test("a removal comes back from another language as it was", () => {
  const removal = { type: "remove", content: "", id: "9" };
  const there = convert([removal], { from: "langchain:python", to: "langchain:js-lc", carry: true });
  const back = convert(there.value, { from: "langchain:js-lc", to: "langchain:python", carry: true });
  expect(back.value).toEqual([removal]);
  expect(Object.keys(removal)).toEqual(Object.keys((back.value as readonly object[])[0] ?? {}));
});
