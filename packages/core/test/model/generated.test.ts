import { deepFreeze } from "@translogue/testkit";
import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check } from "../../src/model/check.ts";
import { context, contextIndexes } from "../../src/model/context.ts";
import type { Conversation } from "../../src/model/conversation.ts";
import type { Path } from "../../src/model/issue.ts";
import { equalJson, type Json } from "../../src/model/json.ts";
import { exactTable, parseJson, stringifyJson } from "../../src/model/json-text.ts";
import { mapNodes, mapParts, walk } from "../../src/model/walk.ts";

const each = (property: (conversation: Conversation) => void): void =>
  fc.assert(fc.property(arbitraryConversation.map(deepFreeze), property), { numRuns: 200 });

describe("Every generated conversation", () => {
  it("has no error, and is left as it is by all that reads it", () => {
    each(conversation => {
      expect(check(conversation).filter(({ severity }) => severity === "error")).toEqual([]);
    });
  });

  it("is walked along paths that lead to its nodes, and comes back itself where nothing is mapped", () => {
    each(conversation => {
      const follow = (node: unknown, path: Path): void => {
        const found = path.reduce<unknown>(
          (value, step) => (value as { [step: string | number]: unknown })[step],
          conversation,
        );
        expect(found).toBe(node);
      };
      walk(conversation, { message: follow, tool: follow, part: follow, citation: follow });
      expect(mapParts(conversation, part => part)).toBe(conversation);
      expect(mapNodes(conversation, node => node)).toBe(conversation);
    });
  });

  it("has a context that is a plain list of its messages without an error", () => {
    each(conversation => {
      const read = context(conversation);
      const indexes = contextIndexes(conversation);
      expect(read.messages.map(({ parts }) => parts)).toEqual(
        indexes.map(index => conversation.messages[index]?.parts),
      );
      expect(check(read).filter(({ severity }) => severity === "error")).toEqual([]);
    });
  });

  it("is written with its exact spelling, and read again, as the same", () => {
    each(conversation => {
      const text = stringifyJson(conversation as unknown as Json, exactTable(conversation));
      expect(equalJson(parseJson(text).value, conversation)).toBe(true);
    });
  });
});
