import type { Event, Message, Part } from "translogue";

type Start = Extract<Event, { readonly type: "message-start" }>;

/**
 * Gives the events that belong to a run's own answer. A run that begins with a new turn may close calls of an answer before:
 * the session has that, but a client's reader knows no call of another message, and ends at it. What a tool goes on to ask
 * stands by itself, and is told: nobody could answer it else.
 */
export function ownEvents(answer: string | undefined): (event: Event) => readonly Event[] {
  /** Messages of the answer before; with its start, as long as nothing of it is told. */
  const others = new Map<number, Start | undefined>();
  let hasBegun = answer !== undefined;
  return event => {
    if (!("message" in event)) return [event];
    if (event.type === "message-start" && !hasBegun) {
      hasBegun = event.head.role === "assistant";
      if (!hasBegun) others.set(event.message, event);
    }
    if (!others.has(event.message)) return [event];
    const start = others.get(event.message);
    if (event.type === "part" && asks(event.value)) {
      others.set(event.message, undefined);
      return start ? [start, event] : [event];
    }
    return event.type === "message-end" && !start ? [event] : [];
  };
}

/** Also of a call that a tool's own agent holds until it is approved: the question brings the call along. */
const asks = (part: Part): boolean =>
  part.type === "input-request" || (part.type === "approval-request" && part.call !== undefined);

/** The same of messages that are whole. */
export function ownMessages(messages: readonly Message[], answer: string | undefined): readonly Message[] {
  if (answer !== undefined) return messages;
  const first = messages.findIndex(({ role }) => role === "assistant");
  const before = first < 0 ? messages : messages.slice(0, first);
  const asked = before.flatMap(message => {
    const parts = message.parts.filter(asks);
    return parts.length > 0 ? [{ ...message, parts }] : [];
  });
  return [...asked, ...messages.slice(before.length)];
}
