import { type Generation, generations } from "@translogue/testkit/generations";
import * as v5 from "ai-v5";
import * as v6 from "ai-v6";
import * as v7 from "ai-v7";
import fc from "fast-check";
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "translogue/ai-sdk-ui";
import { describe, expect, test } from "vitest";

type Predicate = (options: { messages: unknown }) => boolean;
interface Sdk {
  readonly lastAssistantMessageIsCompleteWithToolCalls: Predicate;
  readonly lastAssistantMessageIsCompleteWithApprovalResponses?: Predicate;
}
const sdks = { v5, v6, v7 } as unknown as Record<Generation, Sdk>; // three generations of one API, typed apart

const states = [
  ...["input-streaming", "input-available", "approval-requested", "approval-responded", "output-available"],
  ...["output-error", "output-denied"],
];
const part = fc.oneof(
  fc.record({
    type: fc.constantFrom("tool-weather", "dynamic-tool"),
    state: fc.constantFrom(...states),
    preliminary: fc.constantFrom(undefined, true, false),
    providerExecuted: fc.constantFrom(undefined, undefined, true),
  }),
  fc.record({ type: fc.constant("text"), state: fc.constantFrom(undefined, "streaming", "done") }),
  fc.constantFrom({ type: "step-start" }, { type: "reasoning" }, { type: "data-x" }),
);
/** Mostly such as are complete, so that both answers are seen. */
const done = fc.constantFrom(
  { type: "tool-a", state: "output-available" },
  { type: "dynamic-tool", state: "output-error" },
  { type: "tool-b", state: "approval-responded" },
  { type: "text", state: "done" },
);
const messages = fc
  .tuple(
    fc.constantFrom("assistant", "assistant", "assistant", "user"),
    fc.array(fc.oneof({ weight: 3, arbitrary: done }, { weight: 1, arbitrary: part }), { maxLength: 4 }),
  )
  .map(([role, parts]) => [
    { role: "user", parts: [] },
    { role, parts },
  ]);

describe.each(generations)("whether a chat can be sent on, as %s says", version => {
  test("all calls of the last step have results", () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(messages, chat => {
        const theirs = sdks[version].lastAssistantMessageIsCompleteWithToolCalls({ messages: chat });
        seen.add(theirs);
        expect(lastAssistantMessageIsCompleteWithToolCalls({ messages: chat, version })).toBe(theirs);
      }),
      { seed: 7, numRuns: 500 },
    );
    expect(seen.size).toBe(2);
  });
});

test.each(["v6", "v7"] as const)("approvals of the last step are answered, as %s says", version => {
  const seen = new Set<boolean | undefined>();
  fc.assert(
    fc.property(messages, chat => {
      const theirs = sdks[version].lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages: chat });
      seen.add(theirs);
      expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: chat })).toBe(theirs);
    }),
    { seed: 7, numRuns: 500 },
  );
  expect(seen).toEqual(new Set([true, false]));
});

test("a chat without messages is not complete", () => {
  expect(lastAssistantMessageIsCompleteWithToolCalls({ messages: [] })).toBe(false);
  expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [] })).toBe(false);
});
