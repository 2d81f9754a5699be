import type { Message } from "../model/conversation.ts";
import { Pairing } from "../model/pairing.ts";
import type { Part } from "../model/parts.ts";

/** A part and the index of its message. */
export interface Linked {
  readonly part: Part;
  readonly message: number;
}

/**
 * Visits what belongs to something before it: a result, an approval or a question with its call (R9), an answer with what asked
 * for it. Linear.
 */
export function eachLink(messages: readonly Message[], visit: (linked: Linked, to: Linked) => void): void {
  const calls = new Pairing<Linked>();
  const requests = new Map<string, Linked>();
  const toOf = (linked: Linked): Linked | undefined => {
    const { part, message } = linked;
    switch (part.type) {
      case "tool-call":
        calls.call(part.callId, message, linked);
        return undefined;
      case "tool-result":
        return part.preliminary ? calls.next(part.callId) : (calls.answer(part.callId) ?? calls.last(part.callId));
      case "approval-request":
      case "input-request":
        requests.set(part.requestId, linked);
        return part.callId === undefined ? undefined : (calls.next(part.callId) ?? calls.last(part.callId));
      case "approval-response":
      case "input-response":
        return requests.get(part.requestId);
      default:
        return undefined;
    }
  };
  messages.forEach(({ parts }, message) => {
    for (const part of parts) {
      const linked = { part, message };
      const to = toOf(linked);
      if (to) visit(linked, to);
    }
  });
}
