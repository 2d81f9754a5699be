import type { Event, Usage } from "translogue";

/** Whatever a reader would have to be told to forget, should another answer take its place. */
export const isOutput = (event: Event): boolean =>
  event.type !== "message-start" && event.type !== "message-set" && event.type !== "error";

/** The end of a stream's decoder, which is made once, whoever asks; nothing of one that has read nothing. */
export function endOnce(
  decoder: { readonly end: () => readonly Event[] },
  hasRead: () => boolean,
): () => readonly Event[] {
  let ended: readonly Event[] | undefined;
  return () => {
    if (!hasRead()) return [];
    ended ??= decoder.end();
    return ended;
  };
}

/** What events tell of the tokens of their last message. */
export function usageIn(events: readonly Event[]): Usage | undefined {
  const told = events.findLast(event => event.type === "message-set" && event.set.usage);
  return told?.type === "message-set" ? told.set.usage : undefined;
}
