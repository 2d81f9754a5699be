/** Calls whose reasoning is left out. */

import { sideOf } from "../turns.ts";
import type { Draft, Item } from "./draft.ts";

/**
 * A stored call is refused without the reasoning that it was made with, and taken as a new one without its id
 * (TanStack/ai#1212, 2026-08-23). Which of several before it that was is not told; what comes behind a call is of the next.
 */
export function callsBehind({ messages }: Draft, left: ReadonlySet<Item>): ReadonlySet<Item> {
  const calls = new Set<Item>();
  let isLeft = false;
  let hasCall = false;
  for (const { head, items } of messages) {
    isLeft &&= sideOf(head) === "assistant";
    for (const item of items) {
      if (isItem(item)) {
        isLeft = left.has(item) || (isLeft && !hasCall);
        hasCall = false;
      } else if (item.part.type === "tool-call") {
        hasCall = true;
        if (isLeft && item.part.seal?.values["id"] !== undefined) calls.add(item);
      }
    }
  }
  return calls;
}

/** What is told of each. */
export const unreasoned = "the call goes as a new one, without its id: the reasoning that it was made with is left out";

/** Whether it is reasoning that a provider knows by an id. */
export const isItem = ({ part }: Item): boolean => part.type === "reasoning" && part.seal?.values["id"] !== undefined;
