import type { Event } from "translogue";

/** The call whose progress an event shows, or ends: its place. A later one there says all that this one did. */
export const progressAt = (event: Event): { readonly place: string; readonly isOver: boolean } | undefined =>
  event.type === "part" && event.value.type === "tool-result"
    ? { place: `${event.message}.${event.part}`, isOver: event.value.preliminary !== true }
    : undefined;

/** What a run has told, for whoever comes late: of a call's progress the last only, however much there was. */
export class Backlog {
  readonly #events: (Event | undefined)[] = [];
  /** Where the last progress of a call stands, by its place. */
  readonly #progress = new Map<string, number>();

  push(event: Event): void {
    const progress = progressAt(event);
    if (progress) {
      const before = this.#progress.get(progress.place);
      if (before !== undefined) this.#events[before] = undefined;
      if (progress.isOver) this.#progress.delete(progress.place);
      else this.#progress.set(progress.place, this.#events.length);
    }
    this.#events.push(event);
  }

  get events(): readonly Event[] {
    return this.#events.filter(event => event !== undefined);
  }
}
