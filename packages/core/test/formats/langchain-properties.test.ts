import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import { properties } from "@translogue/testkit/properties";
import { corpus } from "@translogue/testkit/wire-samples";
import fc from "fast-check";
import { type FormatRef, findFormat } from "translogue";
import { describe, expect, test } from "vitest";

/** As for the formats themselves, which are tested in their first dialects. */
const seed = Number(process.env["TRANSLOGUE_SEED"] ?? 20261130);
const share = { seed, numRuns: Number(process.env["TRANSLOGUE_RUNS"] ?? 20) };

const refs = ["langchain", "langchain-events"].flatMap(id =>
  findFormat(id)
    .codec.dialects.slice(1)
    .map(dialect => `${id}:${dialect}` as FormatRef),
); // of a format's own dialects

describe.each(refs)("%s", ref => {
  describe.each(properties)("$name", ({ holds }) => {
    test.each(corpus)("for the conversation `%s`", (_, conversation) => {
      expect(holds(ref, conversation)).toBeUndefined();
    });

    test("for generated conversations", () => {
      fc.assert(
        fc.property(arbitraryConversation, conversation => {
          expect(holds(ref, conversation)).toBeUndefined();
        }),
        share,
      );
    });
  });
});
