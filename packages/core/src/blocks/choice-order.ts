/** Choices of one answer stand in the order of their own numbers, in whichever they come: of several the first counts (R16). */

import type { Event } from "../model/events.ts";
import { isJsonObject, type Json } from "../model/json.ts";

/** The places of choices in the order of their numbers; as they stand, where those do not tell each from the others. */
export function choiceOrder(choices: readonly Json[]): readonly number[] {
  // Proto JSON leaves out 0.
  const numbers = choices.map(choice => (isJsonObject(choice) ? (choice["index"] ?? 0) : undefined));
  const places = [...choices.keys()];
  const areTold = numbers.every(number => Number.isInteger(number)) && new Set(numbers).size === numbers.length;
  return areTold ? places.sort((a, b) => Number(numbers[a]) - Number(numbers[b])) : places;
}

/**
 * Events of choices, each begun behind those of lower numbers: what comes too soon waits for them, until it goes on while
 * they have still not begun. So nothing is held that a host sends alone, and those that begin together stand in order.
 */
export class ChoiceTurns {
  /** The lowest number that has not begun. */
  #next = 0;
  readonly #waiting = new Map<number, Event[]>();

  pass(events: readonly Event[]): readonly Event[] {
    if (this.#waiting.size === 0 && events.every(event => event.type === "error" || event.message < this.#next))
      return events;
    const going = events.flatMap(event =>
      event.type !== "error" && this.#waiting.has(event.message) ? [event.message] : [],
    );
    const passed: Event[] = [];
    for (const event of events) this.#pass(event, passed);
    this.#follow(passed);
    if (going.some(number => this.#waiting.has(number))) for (const event of this.end()) passed.push(event);
    return passed;
  }

  /** Those whose turn has come. */
  #follow(passed: Event[]): void {
    for (let waited = this.#waiting.get(this.#next); waited; waited = this.#waiting.get(this.#next)) {
      for (const event of waited) passed.push(event);
      this.#waiting.delete(this.#next++);
    }
  }

  #pass(event: Event, passed: Event[]): void {
    if (event.type === "error") {
      // It ends those that have begun.
      for (const waited of this.end()) passed.push(waited);
      passed.push(event);
      return;
    }
    const { message } = event;
    const waiting = this.#waiting.get(message);
    if (waiting) waiting.push(event);
    else if (message > this.#next) this.#waiting.set(message, [event]);
    else {
      passed.push(event);
      if (message === this.#next) this.#next++;
    }
  }

  /** What waits for choices that did not come. */
  end(): readonly Event[] {
    const numbers = [...this.#waiting.keys()].sort((a, b) => a - b);
    const waited = numbers.flatMap(number => this.#waiting.get(number) ?? []);
    this.#waiting.clear();
    this.#next = Math.max(this.#next, (numbers.at(-1) ?? -1) + 1);
    return waited;
  }
}
