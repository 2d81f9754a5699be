import { type Event, type Json, type Message, type MutableJsonObject, setMember } from "translogue";

/**
 * What is given out, and what comes in: whoever has the one can change it in place, and the other stays. Lists and plain
 * objects are made anew; texts, however long, and all that is no JSON are shared.
 */
export function copyOf<T>(value: T): T {
  return copied(value, each => each) as T; // the same members
}

/** What several are shown: a copy that none of them can change. */
const shownCopyOf = <T>(value: T): T => copied(value, Object.freeze) as T; // the same members

function copied(value: unknown, finished: (copy: object) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return finished(value.map(each => copied(each, finished)));
  if (!isPlain(value)) return value;
  const copy: MutableJsonObject = {};
  for (const [key, member] of Object.entries(value)) setMember(copy, key, copied(member, finished) as Json); // whatever it is
  return finished(copy);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** For whoever reads a run: deltas have nothing that could be changed. */
export const copiesOf = (events: readonly Event[]): readonly Event[] =>
  events.map(event => (event.type === "part-delta" ? event : copyOf(event)));

/**
 * Messages as they are shown outside: each is copied once, so that looking again and again at a long history costs little, and
 * all who look have the same, frozen.
 */
export class ShownMessages {
  readonly #copies = new WeakMap<Message, Message>();

  of(messages: readonly Message[]): readonly Message[] {
    return messages.map(message => this.#of(message));
  }

  #of(message: Message): Message {
    const known = this.#copies.get(message);
    if (known) return known;
    const copy = shownCopyOf(message);
    this.#copies.set(message, copy);
    return copy;
  }
}
