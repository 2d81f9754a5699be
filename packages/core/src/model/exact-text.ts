import type { Json } from "./json.ts";

/** A member of an object as its source wrote it; `text` where its value is a number that JavaScript spells otherwise. */
export interface ExactMember {
  readonly key: string;
  readonly value: Json;
  readonly text?: string;
}

/**
 * What JavaScript cannot say about a JSON value, beside the value and by identity of its objects and lists (R6): so it
 * travels with every sub-object that is passed on by reference, and no edit can make it stale.
 */
export interface ExactText {
  /** Objects whose keys JavaScript orders otherwise or merges: all members in the order of the source, repeated ones too. */
  readonly members: Map<object, readonly ExactMember[]>;
  /** Spelling of numbers, by the object or list that holds them. */
  readonly numbers: Map<object, Map<string | number, string>>;
  /** A number that is the whole value. */
  root?: { readonly value: number; readonly text: string };
}

export const noExactText = (): ExactText => ({ members: new Map(), numbers: new Map() });

export const isEmptyExact = (exact: ExactText): boolean =>
  exact.members.size === 0 && exact.numbers.size === 0 && exact.root === undefined;

export function setNumberText(exact: ExactText, place: { holder: object; key: string | number }, text: string): void {
  const texts = exact.numbers.get(place.holder);
  if (texts) texts.set(place.key, text);
  else exact.numbers.set(place.holder, new Map([[place.key, text]]));
}

/** Takes the spelling of the numbers that `target` took from `source` under the same names: for objects that are copied member by member. */
export function copyExact(exact: ExactText, source: object, target: object): void {
  for (const [key, text] of exact.numbers.get(source) ?? []) {
    const value = (target as { readonly [key: string | number]: unknown })[key]; // any object may be asked for a member
    if (typeof value === "number" && value === readNumber(text)) setNumberText(exact, { holder: target, key }, text);
  }
}

/** The nearest number that is JSON: 1e400 is no infinity. */
export function readNumber(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE;
}

/** Whether a text tells the number, as an id does that was read from it: beyond exact counting the number itself is rounded. */
export const tellsNumber = (text: string, value: number): boolean =>
  String(value) === text || (Number.isInteger(value) && !Number.isSafeInteger(value) && Number(text) === value);

/** Whether JavaScript writes the number as this text. */
export const isPlainNumber = (text: string): boolean => String(Number(text)) === text;

/** An integer key as JavaScript orders them, before all others; undefined for any other key. */
export function orderedKey(key: string): number | undefined {
  const first = key.charCodeAt(0);
  if (!(first >= 48 && first <= 57) || key.length > 10) return undefined;
  const value = Number(key);
  return String(value) === key && value < 4_294_967_295 ? value : undefined;
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Whether the text is a number of JSON and nothing else. */
export const isNumberText = (text: string): boolean => numberText.test(text);
