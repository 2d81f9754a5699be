import type { At, DeltaOf, Event, PartMembers } from "../../model/events.ts";
import { equalJson, type Json } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { argumentsOf, isBeginning, jsonKey } from "./call-sayings.ts";
import { parsePartialJson } from "./partial-json.ts";

type Call = PartOf<"tool-call">;

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
      if (!live || live.value.type !== part.type || !isSaid(live, part)) this.#put(part, at, { live, hasEnded });
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

/**
 * For each part the number of the one that is out: what says the same first, then the next of its kind. Calls whose own id
 * had not come go by what they say, so that none takes the place of another.
 */
function matched(parts: readonly Part[], live: Iterable<Live>): readonly (number | undefined)[] {
  const sorted = [...live].sort((a, b) => a.number - b.number);
  const own: (number | undefined)[] = parts.map(() => undefined);
  const taken = new Set<number>();
  const match = (
    keyOfLive: (live: Live) => string | undefined,
    keyOfPart: (part: Part) => string | undefined,
  ): void => {
    const queues = new Map<string, number[]>();
    for (const each of sorted) {
      const key = taken.has(each.number) ? undefined : keyOfLive(each);
      if (key !== undefined) queueOf(queues, key).push(each.number);
    }
    for (const queue of queues.values()) queue.reverse();
    for (const [place, part] of parts.entries()) {
      const key = own[place] === undefined ? keyOfPart(part) : undefined;
      const number = key === undefined ? undefined : queues.get(key)?.pop();
      if (number === undefined) continue;
      own[place] = number;
      taken.add(number);
    }
  };
  match(
    ({ value, text }) => (value.type === "tool-call" ? callKey(value, jsonKey(inputRead(text))) : saidKey(value, text)),
    part => (part.type === "tool-call" ? callKey(part, jsonKey(inputOf(part))) : saidKey(part, textOf(part))),
  );
  const idKey = (part: Part): string => (part.type === "tool-call" ? callKey(part, "") : part.type);
  match(({ value }) => (isMade(value) ? undefined : idKey(value)), idKey);
  match(({ value }) => kindOf(value), kindOf);
  // The whole has an id that the pieces had not.
  match(
    ({ value, text }) => (isMade(value) ? madeKey(value, inputRead(text)) : undefined),
    part => (part.type === "tool-call" ? madeKey(part, inputOf(part)) : undefined),
  );
  matchBeginnings(
    parts,
    sorted.filter(each => !taken.has(each.number) && isMade(each.value)),
    own,
  );
  return own;
}

/** Of calls without an id whose text or name was cut, each is the next that it is the beginning of. */
function matchBeginnings(parts: readonly Part[], live: readonly Live[], own: (number | undefined)[]): void {
  const byName = new Map<string, Live[]>();
  const byInput = new Map<string, Live[]>();
  for (const each of live) {
    if (each.value.type !== "tool-call") continue;
    queueOf(byName, each.value.name).push(each);
    queueOf(byInput, jsonKey(inputRead(each.text))).push(each);
  }
  const taken = new Set<Live>();
  for (const [place, part] of parts.entries()) {
    if (own[place] !== undefined || part.type !== "tool-call") continue;
    const isStart = ({ value }: Live): boolean => value.type === "tool-call" && part.name.startsWith(value.name);
    const found =
      next(byName.get(part.name), taken, ({ text }) => isBegun(text, part)) ??
      next(byInput.get(jsonKey(inputOf(part))), taken, isStart);
    if (!found) continue;
    taken.add(found);
    own[place] = found.number;
  }
}

/** The first that is not taken, where it fits. */
function next(queue: Live[] | undefined, taken: ReadonlySet<Live>, fits: (live: Live) => boolean): Live | undefined {
  while (queue?.[0] && taken.has(queue[0])) queue.shift();
  return queue?.[0] && fits(queue[0]) ? queue[0] : undefined;
}

function queueOf<T>(queues: Map<string, T[]>, key: string): T[] {
  const queue = queues.get(key) ?? [];
  queues.set(key, queue);
  return queue;
}

const saidKey = (part: Part, text: string | undefined): string =>
  `${part.type} ${textOf(part) === undefined ? "" : `"${text}`}`;
const callKey = ({ callId, name }: Call, input: string): string => `call ${callId} ${name} ${input}`;
const madeKey = (part: Part, input: Json): string | undefined =>
  part.type === "tool-call" ? `${part.name} ${jsonKey(input)}` : undefined;

const isMade = (part: Part): boolean => part.type === "tool-call" && part.callId.startsWith("~");

/** Calls go by their ids; a made one says nothing. */
const kindOf = (part: Part): string | undefined => {
  if (part.type !== "tool-call") return part.type;
  return isMade(part) ? undefined : `call ${part.callId}`;
};

/** What the text of a call's arguments says: nothing is an empty object, and text that does not parse itself. */
const inputRead = (text: string): Json => argumentsOf({ args: text });
const inputOf = ({ input, inputText = "" }: Call): Json => (input === undefined ? inputRead(inputText) : input);

/** What languages read of a text that broke off. */
const partialReadings = (text: string): readonly Json[] =>
  (["lossless", "python", "js"] as const)
    .map(rules => parsePartialJson(text, rules))
    .filter(each => each !== undefined);

/** Whether the text may be the beginning of what the call says, or the call says nothing. */
const isBegun = (text: string, part: Call): boolean =>
  text.trim() === "" || isSilent(part) || partialReadings(text).some(each => isBeginning(each, inputOf(part)));

const isSilent = ({ input, inputText }: Call): boolean => input === undefined && inputText === undefined;

/** Whether what is out says what the part does: of a call no text yet is no other text. */
function isSaid({ text, value }: Live, part: Part): boolean {
  if (part.type !== "tool-call" || value.type !== "tool-call") return textOf(part) === text;
  if (text === "" || isSilent(part) || part.inputText === text || part.input === text) return true;
  const said = jsonKey(inputOf(part));
  return jsonKey(inputRead(text)) === said || partialReadings(text).some(each => jsonKey(each) === said);
}

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
