import type { Event, Message } from "translogue";

/**
 * Tells the events that belong to a run's own answer. A run that begins with a new turn may close calls of an answer before:
 * the session has that, but a client's reader knows no call of another message, and ends at it.
 */
export function ownEvents(answer: string | undefined): (event: Event) => boolean {
  const others = new Set<number>();
  let hasBegun = answer !== undefined;
  return event => {
    if (!("message" in event)) return true;
    if (event.type === "message-start" && !hasBegun) {
      hasBegun = event.head.role === "assistant";
      if (!hasBegun) others.add(event.message);
    }
    return !others.has(event.message);
  };
}

/** The same of messages that are whole. */
export function ownMessages(messages: readonly Message[], answer: string | undefined): readonly Message[] {
  if (answer !== undefined) return messages;
  const first = messages.findIndex(({ role }) => role === "assistant");
  return first < 0 ? [] : messages.slice(first);
}
