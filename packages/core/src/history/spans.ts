import type { Message } from "../model/conversation.ts";
import { Pairing } from "../model/pairing.ts";
import type { Part } from "../model/parts.ts";

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
  const calls = new Pairing<number>();
  const requests = new Map<string, number>();
  const hold = (asked: number | undefined, index: number): void => {
    if (asked !== undefined) reach[asked] = index;
  };
  const look = (part: Part, index: number): void => {
    switch (part.type) {
      case "tool-call":
        calls.call(part.callId, index, index);
        break;
      case "tool-result":
        hold(
          part.preliminary ? calls.next(part.callId) : (calls.answer(part.callId) ?? calls.last(part.callId)),
          index,
        );
        break;
      case "approval-request":
        hold(calls.next(part.callId), index);
        requests.set(part.requestId, index);
        break;
      case "input-request":
        requests.set(part.requestId, index);
        break;
      case "approval-response":
      case "input-response":
        hold(requests.get(part.requestId), index);
    }
  };
  messages.forEach(({ parts }, index) => {
    for (const part of parts) look(part, index);
  });
  return reach;
}
