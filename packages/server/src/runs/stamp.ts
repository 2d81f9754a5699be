import type { Event, MessageHead } from "translogue";

export interface Place {
  /** The answer that the run's messages belong to, where it is one that a client has begun already. */
  readonly answer?: string;
  /** What the first message of the run follows. */
  readonly parent: string | null;
  readonly newId: () => string;
}

/**
 * Gives the messages of a run their place in the session's tree: an id, and the message each one follows. An attempt that
 * starts over keeps the place of the one before.
 */
export function stamper(place: Place): (event: Event) => Event {
  const heads = new Map<number, { readonly id: string; readonly parent: string | null }>();
  const taken = new Set<string>();
  let last = place.parent;

  const placeOf = (number: number, head: MessageHead) => {
    const known = heads.get(number);
    if (known) return known;
    const id = head.id !== undefined && head.id !== "" && !taken.has(head.id) ? head.id : place.newId();
    const made = { id, parent: last };
    taken.add(id);
    heads.set(number, made);
    last = id;
    return made;
  };

  return event => {
    if (event.type === "message-start") {
      const head = { ...event.head, ...placeOf(event.message, event.head) };
      return { ...event, head: place.answer === undefined ? head : { ...head, run: place.answer } };
    }
    if (event.type !== "message-set") return event;
    // The place was told with the start: stores and clients have it already.
    const { id, parent, run, ...set } = event.set;
    return { ...event, set };
  };
}
