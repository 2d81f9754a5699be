import { type Event, emit, type Message } from "translogue";

/**
 * The events of an answer that failed: an error ends its reading, and what it had cost by then is told before. `end`: what its
 * decoder says at the end of the stream; how the answer ended is known already, and no more of it is taken.
 */
export const errorLast = (failed: readonly Event[], end: readonly Event[]): readonly Event[] => [
  ...failed.filter(({ type }) => type !== "error"),
  ...end.flatMap(usageIn),
  ...failed.filter(({ type }) => type === "error"),
];

export const isFailed = (events: readonly Event[]): boolean => events.some(({ type }) => type === "error");

const usageIn = (event: Event): Event[] =>
  event.type === "message-set" && event.set.usage ? [{ ...event, set: { usage: event.set.usage } }] : [];

/** An answer that failed as whole ends in an error event, as a streamed one does. */
export function answerEvents(messages: readonly Message[]): readonly Event[] {
  const last = messages.at(-1);
  const error = last?.finish?.reason === "error" ? last.parts.find(part => part.type === "error") : undefined;
  if (!last || !error) return emit(messages);
  const { message, code } = error;
  const parts = last.parts.filter(part => part !== error);
  // What was said before, and what it had cost by then, holds all the same.
  const isTold = parts.length > 0 || messages.length > 1 || last.usage !== undefined;
  return [
    ...(isTold ? emit([...messages.slice(0, -1), { ...last, parts }]) : []),
    { type: "error", error: { message, ...(code !== undefined && { code }) } },
  ];
}
