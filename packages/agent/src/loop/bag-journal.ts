import { equalJson, type Json, type JsonObject } from "translogue";
import type { StateBag } from "../state-bag.ts";

/** What had changed in a session's state bag when an operation ended. */
export interface BagChange {
  /** Operations that ended before it, and changed something, are those of smaller numbers. */
  readonly order: number;
  /** By key; of a value that is gone the list is empty. */
  readonly values: { readonly [key: string]: readonly [] | readonly [value: Json] };
}

/**
 * The changes of a session's state bag, in the order in which the operations of a run ended. Operations go on beside each
 * other, and replayed ones end in another order: of two that changed a key, the one that ended last counts, as it did then.
 */
export class BagJournal {
  readonly #bag: StateBag;
  /** What the bag held when something was last told. */
  readonly #told: Map<string, Json>;
  readonly #writers = new Map<string, number>();
  #order = 0;

  constructor(bag: StateBag) {
    this.#bag = bag;
    this.#told = new Map(Object.entries(copyOf(bag)));
  }

  /** What has changed since this was last asked. */
  changed(): BagChange | undefined {
    const now = copyOf(this.#bag);
    const keys = new Set([...this.#told.keys(), ...Object.keys(now)]);
    const changed = [...keys].filter(key => !equalJson(this.#told.get(key), now[key]));
    if (changed.length === 0) return undefined;
    const order = this.#order + 1;
    const values = Object.fromEntries(
      changed.map(key => {
        const value = now[key];
        this.#note(key, value, order);
        return [key, value === undefined ? ([] as const) : ([value] as const)];
      }),
    );
    return { order, values };
  }

  /** Makes the change of an operation that an earlier execution did. */
  replay(change: BagChange | undefined): void {
    if (!change) return;
    const { order, values } = change;
    for (const [key, [value]] of Object.entries(values)) {
      if ((this.#writers.get(key) ?? 0) > order) continue;
      this.#note(key, value, order);
      this.#write(key, value);
    }
  }

  /** Takes back what nobody has told. */
  reset(): void {
    const now = copyOf(this.#bag);
    for (const key of Object.keys(now)) if (!this.#told.has(key)) this.#bag.remove(key);
    for (const [key, value] of this.#told) if (!equalJson(now[key], value)) this.#bag.set(key, value);
  }

  #note(key: string, value: Json | undefined, order: number): void {
    this.#order = Math.max(this.#order, order);
    this.#writers.set(key, order);
    if (value === undefined) this.#told.delete(key);
    else this.#told.set(key, value);
  }

  #write(key: string, value: Json | undefined): void {
    if (value === undefined) this.#bag.remove(key);
    else this.#bag.set(key, value);
  }
}

/** Values in the bag may be changed in place. */
const copyOf = (bag: StateBag): JsonObject => structuredClone(bag.toJSON());
