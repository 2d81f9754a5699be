import * as fc from "fast-check";
import { check, type PartType } from "translogue";
import { expect, test } from "vitest";
import { arbitraryConversation, arbitraryJson, arbitraryMessage, arbitraryPart } from "../src/arbitrary.ts";
import { difference } from "../src/difference.ts";

/** What an odd conversation may be warned of without being wrong. */
const harmless = new Set(["lone-surrogate", "partial-in-finished"]);

test("a generated conversation is valid, its results answer calls and its responses requests", () => {
  fc.assert(
    fc.property(arbitraryConversation, conversation => {
      const issues = check(conversation).filter(({ code }) => !harmless.has(code));
      expect(issues).toEqual([]);
    }),
  );
});

test("a generated message has no error", () => {
  fc.assert(
    fc.property(arbitraryMessage, message => {
      const issues = check({ messages: [message] });
      expect(issues.filter(({ severity }) => severity === "error")).toEqual([]);
    }),
  );
});

test("every type of part is generated, and every odd spelling of a call", () => {
  const parts = fc.sample(arbitraryPart, { numRuns: 2000, seed: 1 });
  const types = new Set<PartType>(parts.map(({ type }) => type));
  expect(types.size).toBe(16);
  const calls = parts.filter(part => part.type === "tool-call");
  const spellings = calls.map(call =>
    [call.input !== undefined, call.inputText !== undefined, call.exact !== undefined].join(),
  );
  expect(new Set(spellings)).toEqual(
    new Set(["false,false,false", "true,false,false", "true,true,false", "false,true,false", "true,false,true"]),
  );
});

test("a generated value is what JSON gives back", () => {
  fc.assert(
    fc.property(arbitraryJson, value => {
      expect(difference(JSON.parse(JSON.stringify(value)), value)).toBeUndefined();
    }),
  );
});
