import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { difference } from "@translogue/testkit";
import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import { properties } from "@translogue/testkit/properties";
import { corpus } from "@translogue/testkit/wire-samples";
import fc from "fast-check";
import { accumulate, check, decode, emit, encode, type FormatId, formats, runAll, streamDecoder } from "translogue";
import { describe, expect, test } from "vitest";

const fixtures = join(import.meta.dirname, "../../../fixtures");
const ids = formats.map(({ id }) => id as FormatId); // formats are the registered ones

/** The same share every time; other ones by `TRANSLOGUE_SEED` and `TRANSLOGUE_RUNS`, or by `npm run fuzz`. */
const seed = Number(process.env["TRANSLOGUE_SEED"] ?? 20261130);
const share = { seed, numRuns: Number(process.env["TRANSLOGUE_RUNS"] ?? 60) };

test.each(corpus)("the conversation `%s` of the corpus is valid", (_, conversation) => {
  expect(check(conversation).filter(({ severity }) => severity === "error")).toEqual([]);
});

describe.each(ids)("%s", format => {
  describe.each(properties)("$name", ({ holds }) => {
    test.each(corpus)("for the conversation `%s`", (_, conversation) => {
      expect(holds(format, conversation)).toBeUndefined();
    });

    test("for generated conversations", () => {
      fc.assert(
        fc.property(arbitraryConversation, conversation => {
          expect(holds(format, conversation)).toBeUndefined();
        }),
        share,
      );
    });
  });

  const folder = join(fixtures, "formats", format);
  const cases = existsSync(folder) ? readdirSync(folder) : [];
  test("has fixtures", () => expect(cases).not.toEqual([]));
  test.each(cases)("reads and writes its fixture `%s` as it is", name => {
    const path = join(folder, name);
    for (const file of readdirSync(path)) {
      if (file === "wire.json") {
        const value: unknown = JSON.parse(readFileSync(join(path, file), "utf8"));
        const { conversation, shape, dialect } = decode(value, format);
        const { value: again, losses } = encode(conversation, {
          to: format,
          shape,
          dialect,
          recipient: "store",
          carry: false,
        });
        expect(difference(JSON.parse(JSON.stringify(again)), value)).toBeUndefined();
        expect(losses).toEqual([]);
      }
      if (file === "stream.jsonl") {
        const lines = readFileSync(join(path, file), "utf8").split("\n").filter(Boolean);
        const messages = accumulate(
          runAll(
            streamDecoder(format),
            lines.map(line => JSON.parse(line)),
          ),
        );
        expect(difference(accumulate(emit(messages)), messages)).toBeUndefined();
      }
    }
  });
});
