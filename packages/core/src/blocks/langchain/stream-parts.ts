import type { At, DeltaOf, Event, PartMembers } from "../../model/events.ts";
import { equalJson } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";

/** A part that is out, and what was said of it. */
interface Live {
  readonly number: number;
  readonly value: Part;
  text: string;
  isOpen: boolean;
}

/** The parts of a message of a stream: texts as they come, and at the end what the whole says beyond them (E3). */
export class LiveParts {
  readonly #message: number;
  readonly #live = new Map<number, Live>();
  #events: Event[] = [];

  constructor(message: number) {
    this.#message = message;
  }

  has(number: number): boolean {
    return this.#live.has(number);
  }

  /** A piece of a text, after the start of its part where it is the first. */
  say(number: number, start: Part, { of, text }: { readonly of: DeltaOf; readonly text: string }): void {
    if (text === "" && of !== "tool-call") return;
    const at = { message: this.#message, part: number };
    let live = this.#live.get(number);
    if (live && live.value.type !== start.type) return; // two kinds in one block: the whole will tell
    if (!live) {
      live = { number, value: start, text: "", isOpen: true };
      this.#live.set(number, live);
      this.#events.push({ type: "part-start", value: start, ...at });
    }
    if (text === "") return;
    live.text += text;
    this.#events.push({ type: "part-delta", of, text, ...at });
  }

  /** The part of this number, if it is out, is whole. */
  close(number: number): void {
    const live = this.#live.get(number);
    if (!live?.isOpen) return;
    live.isOpen = false;
    this.#events.push({ type: "part-end", message: this.#message, part: number });
  }

  /** What came so far is void. */
  clear(): void {
    this.#live.clear();
  }

  tell(event: Event): void {
    this.#events.push(event);
  }

  /** What is new since it was asked. */
  drain(): Event[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Sends what the parts say beyond what is out. */
  complete(parts: readonly Part[], hasEnded: boolean): void {
    const numbers = this.#numbersOf(parts);
    for (const [place, part] of parts.entries()) {
      const number = numbers[place] ?? 0;
      const live = this.#live.get(number);
      const at = { message: this.#message, part: number };
      if (!live || live.value.type !== part.type || !isSameText(live, part)) this.#put(part, at, { live, hasEnded });
      else {
        const set = changes(live.value, part, part.type === "tool-call" && live.text === "" ? textAlone : said);
        if (Object.keys(set).length > 0) this.#events.push({ type: "part-set", set: set as PartMembers, ...at }); // members of the part
        this.#live.set(number, { ...live, value: { ...live.value, ...set } as Part }); // members of the part
        if (hasEnded && live.isOpen && !part.partial) this.#events.push({ type: "part-end", ...at });
        if (hasEnded) (this.#live.get(number) ?? live).isOpen = false;
      }
    }
  }

  /** What came whole, or other than it was said. */
  #put(part: Part, at: At, { live, hasEnded }: { readonly live: Live | undefined; readonly hasEnded: boolean }): void {
    const isText = part.type === "text" || part.type === "reasoning" || part.type === "refusal";
    if (!hasEnded && isText && part.text !== undefined && !live) {
      this.#events.push({ type: "part-start", value: { ...part, text: "" }, ...at });
      if (part.text !== "") this.#events.push({ type: "part-delta", of: part.type, text: part.text, ...at });
    } else this.#events.push({ type: "part", value: part, ...at });
    const text = isText ? (part.text ?? "") : "";
    this.#live.set(at.part, { number: at.part, value: part, text, isOpen: !hasEnded && isText });
  }

  /** The number of each part of the whole: its own if it is out, else one that puts it behind the part before it. */
  #numbersOf(parts: readonly Part[]): readonly number[] {
    const own = matched(parts, this.#live.values());
    const taken = new Set(this.#live.keys());
    let last = -1;
    return own.map(number => {
      last = number ?? gapAfter(last, taken);
      taken.add(last);
      return last;
    });
  }
}

function gapAfter(last: number, taken: ReadonlySet<number>): number {
  let number = last + 1;
  while (taken.has(number)) number++;
  return number;
}

/** For each part the number of the one that is out: what says the same first, then the next of its kind. */
function matched(parts: readonly Part[], live: Iterable<Live>): readonly (number | undefined)[] {
  const sorted = [...live].sort((a, b) => a.number - b.number);
  const same = new Map<string, number[]>();
  for (const { value, text, number } of sorted) queueOf(same, keyOf(value, text)).push(number);
  const taken = new Set<number>();
  const own = parts.map(part => {
    const number = queueOf(same, keyOf(part, textOf(part))).shift();
    if (number !== undefined) taken.add(number);
    return number;
  });
  const rest = new Map<string, number[]>();
  for (const { value, number } of sorted) if (!taken.has(number)) queueOf(rest, kindOf(value)).push(number);
  return own.map((number, place) => {
    const part = parts[place] as Part; // one number a part
    if (number !== undefined) return number;
    const made = part.type === "tool-call" ? rest.get(madeCall(part.name)) : undefined;
    return rest.get(kindOf(part))?.shift() ?? made?.shift();
  });
}

function queueOf(queues: Map<string, number[]>, key: string): number[] {
  const queue = queues.get(key) ?? [];
  queues.set(key, queue);
  return queue;
}

const keyOf = (part: Part, text: string | undefined): string =>
  part.type === "tool-call"
    ? `call ${part.callId} ${part.name}`
    : `${part.type} ${textOf(part) === undefined ? "" : `"${text}`}`;

/** Calls go by their ids; one whose own had not come has one of ours (R8). */
const kindOf = (part: Part): string => {
  if (part.type !== "tool-call") return part.type;
  return part.callId.startsWith("~") ? madeCall(part.name) : `call ${part.callId}`;
};
const madeCall = (name: string): string => `call ~ ${name}`;

const isSameText = ({ text, value }: Live, part: Part): boolean =>
  value.type === "tool-call" ? true : textOf(part) === text;

const textOf = (part: Part): string | undefined =>
  part.type === "text" || part.type === "reasoning" || part.type === "refusal" ? part.text : undefined;

/** What the deltas have said. */
const said: ReadonlySet<string> = new Set(["text", "input", "inputText"]);
const textAlone: ReadonlySet<string> = new Set(["text"]);

/** Members that are new or other. */
export function changes<T extends object>(
  before: T | undefined,
  after: T,
  without: ReadonlySet<string> = new Set(),
): Partial<T> {
  const changed: Partial<T> = {};
  for (const key of Object.keys(after) as (keyof T & string)[]) {
    if (!without.has(key) && !equalJson(before?.[key], after[key])) changed[key] = after[key];
  }
  return changed;
}
