import type { Event } from "translogue";

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
