import { describe, expect, it } from "vitest";
import { assistant, toolCall, toolMessage, toolResult } from "../../src/model/build.ts";
import type { Message } from "../../src/model/conversation.ts";
import { pairResults } from "../../src/model/pairing.ts";

/** `call x1` = a call of id x named x1; `result x1` = a result of id x named x1; `early x1` = a preliminary one. */
const messagesOf = (...lines: readonly string[]): Message[] =>
  lines.map(line => {
    const parts = line.split(", ").map(item => {
      const [what, name = ""] = item.split(" ");
      const callId = name.slice(0, 1);
      if (what === "call") return toolCall({ callId, name });
      return toolResult(callId, undefined, { name, ...(what === "early" && { preliminary: true }) });
    });
    const results = parts.filter(part => part.type === "tool-result");
    return results.length === parts.length ? toolMessage(...results) : assistant(parts);
  });
const pairsOf = (...lines: readonly string[]): string =>
  [...pairResults(messagesOf(...lines))].map(([result, call]) => `${result.name}→${call.name}`).join(" ");

describe("A result answers the nearest earlier unanswered call of its id (R9)", () => {
  it.each([
    ["in any order", ["call a1, call b1", "result b2, result a2"], "b2→b1 a2→a1"],
    ["over the whole conversation", ["call a1", "call b1", "result b2", "result a2"], "b2→b1 a2→a1"],
    ["n-th to n-th among equal ids of one message", ["call a1, call a2", "result a3, result a4"], "a3→a1 a4→a2"],
    [
      "the nearest message first among equal ids of several",
      ["call a1", "call a2", "result a3", "result a4"],
      "a3→a2 a4→a1",
    ],
    ["an id used again after its result", ["call a1", "result a2", "call a3", "result a4"], "a2→a1 a4→a3"],
    ["in one message too, as a provider's", ["call a1, result a2, call a3, result a4"], "a2→a1 a4→a3"],
    [
      "preliminary results leave the call unanswered",
      ["call a1", "early a2, early a3, result a4"],
      "a2→a1 a3→a1 a4→a1",
    ],
    [
      "nothing for a result before its call, or a second one",
      ["result a1", "call a2", "result a3, result a4"],
      "a3→a2",
    ],
  ])("%s", (_, lines, pairs) => {
    expect(pairsOf(...lines)).toBe(pairs);
  });
});
