import type { Event } from "translogue";

/**
 * What a reader who heard `told` has still to hear of a run that tells everything again: a message that had ended for the
 * reader is not told twice, and one that was open starts over (E9). The events of the run go through in their order.
 */
export function untold(told: Iterable<Event>): (event: Event) => boolean {
  const ended = new Set<number>();
  for (const event of told) if (event.type === "message-end") ended.add(event.message);
  let current = -1;
  return event => {
    // An error is about the message that began last.
    if (event.type === "message-start") current = event.message;
    const message = event.type === "error" ? current : event.message;
    const isKnown = ended.has(message);
    // What is said of it after its end comes through: saying it twice changes nothing.
    if (isKnown && event.type === "message-end") ended.delete(message);
    return !isKnown;
  };
}
