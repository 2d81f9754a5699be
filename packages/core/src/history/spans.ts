import type { Message } from "../model/conversation.ts";
import { eachLink } from "./links.ts";

/** Messages that stay or go together: `start` to `end`, half open. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The messages cut into the smallest runs of which none has a call without its result, or a question without its answer,
 * that another has. A call without any result, or a result without its call, holds nothing together. Linear.
 */
export function spansOf(messages: readonly Message[]): readonly Span[] {
  const reach = reachOf(messages);
  const spans: Span[] = [];
  let start = 0;
  let end = 0;
  reach.forEach((last, index) => {
    end = Math.max(end, last);
    if (end > index) return;
    spans.push({ start, end: index + 1 });
    start = end = index + 1;
  });
  return spans;
}

/** For each message the last one that answers something of it; itself where none does. */
function reachOf(messages: readonly Message[]): readonly number[] {
  const reach = messages.map((_, index) => index);
  eachLink(messages, ({ message }, to) => {
    reach[to.message] = message;
  });
  return reach;
}
