import type { Message } from "../model/conversation.ts";
import type { At, Event } from "../model/events.ts";
import type { Path } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";

/** Where a stream's messages and parts stand once they are accumulated, by the stream's own numbers (E4, E5). */
export class StreamPlaces {
  /** The parts of each message, in order. */
  readonly #numbers = new Map<number, number[]>();

  /** Returns whether the message starts over (E9). */
  start(message: number): boolean {
    const isAgain = this.#numbers.has(message);
    this.#numbers.set(message, []);
    return isAgain;
  }

  take(event: Event): void {
    if (event.type === "part-start" || event.type === "part") insert(this.#numbers.get(event.message), event.part);
  }

  /** Numbers of the messages, in their order. */
  get messages(): readonly number[] {
    return [...this.#numbers.keys()];
  }

  /** The parts of an accumulated message, each with its numbers. */
  partsOf(message: number, messages: readonly Message[]): readonly (At & { readonly value: Part })[] {
    const order = this.messages.indexOf(message);
    return (this.#numbers.get(message) ?? []).flatMap((part, place) => {
      const value = messages[order]?.parts[place];
      return value ? [{ message, part, value }] : [];
    });
  }

  /** One part of the accumulated messages: mostly the last. */
  partAt({ message, part }: At, messages: readonly Message[]): Part | undefined {
    const place = this.#numbers.get(message)?.lastIndexOf(part) ?? -1;
    return messages[this.messages.lastIndexOf(message)]?.parts[place];
  }

  /** The numbers of a place among the accumulated messages; undefined for what no event started. */
  numbersOf(message: number, part: number): At | undefined {
    const found = [...this.#numbers][message];
    const number = found?.[1][part];
    return found && number !== undefined ? { message: found[0], part: number } : undefined;
  }

  /** A path into the accumulated messages, in the stream's own numbers. */
  named([root = "messages", message, member, part, ...rest]: Path): Path {
    const number = typeof message === "number" ? this.messages[message] : undefined;
    if (number === undefined || message === undefined) return [root, ...(message === undefined ? [] : [message])];
    const isPart = member === "parts" && typeof part === "number";
    const named = isPart ? (this.#numbers.get(number)?.[part] ?? part) : part;
    return [root, number, ...[member, named].filter(step => step !== undefined), ...rest];
  }
}

/** Numbers sort; most come in order. */
function insert(numbers: number[] | undefined, number: number): void {
  if (!numbers) return;
  let place = numbers.length;
  while (place > 0 && (numbers[place - 1] ?? 0) > number) place--;
  if (numbers[place - 1] !== number) numbers.splice(place, 0, number);
}
