import { type ExactText, noExactText, readNumber, setNumberText } from "../model/exact-text.ts";
import { type Json, type MutableJsonObject, setMember } from "../model/json.ts";

/** What a conversion made of a value, and how to run it again for a copy of the value. */
interface Conversion {
  readonly from: unknown;
  readonly made: unknown;
  readonly again: (copy: unknown) => unknown;
}

/**
 * Where the numbers that `exact` spells have come in what a conversion made, under whatever name. Objects that are passed
 * on keep their spelling by themselves; for numbers that were copied out of their objects the conversion is run once more
 * with numbers in their places that stand nowhere else: where one comes out, the number came from there. So no codec needs
 * code for it. A number that a codec calculates with or decides by comes out nowhere, and has no spelling from there on.
 */
export function traceNumbers(exact: ExactText, conversion: Conversion): ExactText {
  return trace(exact, conversion, { inTexts: true, visit: () => {} });
}

/** The same for a decoder; ids that are read from integers beyond exact counting are set right in what it made. */
export function traceReadNumbers(exact: ExactText, conversion: Conversion): ExactText {
  return trace(exact, conversion, {
    inTexts: false,
    visit: (holder, key, [value, text]) => {
      const isRounded = value === String(readNumber(text)) && wholeNumber.test(text);
      if (isRounded) (holder as MutableJsonObject)[key] = text; // the decoder's own: in an object of the source no number has become a text
    },
  });
}

const wholeNumber = /^-?\d+$/;

type Visit<T> = (holder: object, key: string | number, members: readonly [value: unknown, other: T]) => void;

/** `inTexts`: whether texts that tell a number are marked as well; `visit`: told of each text that was made of one, with the number's. */
function trace(
  exact: ExactText,
  { from, made, again }: Conversion,
  { inTexts, visit }: { readonly inTexts: boolean; readonly visit: Visit<string> },
): ExactText {
  const numbers = leftNumbers(exact, from, made);
  if (numbers.size === 0) return exact;
  const marks = marksFor(numbers);
  const words = inTexts ? wordsOf(marks) : new Map<string, string>();
  const texts = new Map([...marks].map(([text, mark]) => [mark, text]));
  const found = noExactText();
  eachPair(made, tryAgain(again, markedCopy(from, { numbers, marks, words })), (holder, key, [value, mark]) => {
    const text = texts.get(Number(mark));
    if (text === undefined) return;
    if (typeof mark === "string") visit(holder, key, [value, text]);
    else if (readNumber(text) === value) setNumberText(found, { holder, key }, text);
  });
  return { ...exact, numbers: new Map([...exact.numbers, ...found.numbers]) };
}

type Numbers = ReadonlyMap<object, ReadonlyMap<string | number, string>>;

/** The spelled numbers of the value whose objects are not in what was made. */
function leftNumbers({ numbers }: ExactText, from: unknown, made: unknown): Numbers {
  if (numbers.size === 0) return numbers;
  const passedOn = objectsIn(made);
  const left = [...numbers].filter(([holder]) => !passedOn.has(holder));
  if (left.length === 0) return new Map();
  const given = objectsIn(from); // texts of arguments have objects of their own
  return new Map(left.filter(([holder]) => given.has(holder)));
}

/** A number to stand for each text; one for all of a text, so that what was equal stays equal. */
function marksFor(numbers: Numbers): ReadonlyMap<string, number> {
  const marks = new Map<string, number>();
  for (const texts of numbers.values()) {
    for (const text of texts.values()) if (!marks.has(text)) marks.set(text, markLike(readNumber(text), marks.size));
  }
  return marks;
}

/** A number that is as whole as the other, on its side of zero, and beyond exact counting if it is: so that it is read alike. */
function markLike(value: number, count: number): number {
  const whole = Number.isSafeInteger(value) ? 4_611_686_018_427 + 7 * count : 2 ** 60 + 1024 * count;
  const mark = Number.isInteger(value) ? whole : 1_073_741_823.5 + count;
  return value < 0 ? -mark : mark;
}

const longDigits = /\d{16,}/g;

/** What stands for the digits of integers beyond exact counting, which texts tell in full or rounded. */
function wordsOf(marks: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const [text, mark] of marks) {
    const value = readNumber(text);
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) continue;
    for (const word of [text, String(value)]) words.set(word.replace("-", ""), String(Math.abs(mark)));
  }
  return words;
}

/** A word of the format may be a number (`"lc": 1.0`): then the copy is no value of the format. */
function tryAgain(again: Conversion["again"], copy: unknown): unknown {
  try {
    return again(copy);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function objectsIn(value: unknown): ReadonlySet<object> {
  const found = new Set<object>();
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    for (const member of Object.values(next)) if (isObject(member)) pending.push(member);
  }
  return found;
}

interface Marking {
  readonly numbers: Numbers;
  readonly marks: ReadonlyMap<string, number>;
  readonly words: ReadonlyMap<string, string>;
}

function markedCopy(value: unknown, { numbers, marks, words }: Marking): unknown {
  const copies = new Map<object, object>();
  const pending: object[] = [];
  const copyOf = (held: unknown): unknown => {
    if (typeof held === "string" && words.size > 0) return held.replace(longDigits, word => words.get(word) ?? word);
    if (!isObject(held)) return held;
    const known = copies.get(held);
    if (known) return known;
    const copy = Array.isArray(held) ? [] : {};
    copies.set(held, copy);
    pending.push(held);
    return copy;
  };
  const copied = copyOf(value);
  for (let holder = pending.pop(); holder; holder = pending.pop()) {
    const copy = copies.get(holder) as MutableJsonObject; // set before it was pending; a list takes members as well
    const texts = numbers.get(holder);
    for (const [key, member] of Object.entries(holder)) {
      const text = texts?.get(Array.isArray(holder) ? Number(key) : key);
      const mark = text !== undefined && readNumber(text) === member ? marks.get(text) : undefined;
      setMember(copy, key, mark ?? (copyOf(member) as Json)); // a copy of JSON
    }
  }
  return copied;
}

/** Visits the members that have the same place in both values. */
function eachPair(left: unknown, right: unknown, visit: Visit<unknown>): void {
  const seen = new Set<object>();
  const pending: [unknown, unknown][] = [[left, right]];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const [one, other] = pair;
    if (!isObject(one) || !isObject(other) || one === other || seen.has(one)) continue;
    seen.add(one);
    for (const [key, member] of Object.entries(one)) {
      if (!Object.hasOwn(other, key)) continue;
      const beside = (other as { readonly [key: string]: unknown })[key]; // it has the member
      if (isObject(member)) pending.push([member, beside]);
      else visit(one, Array.isArray(one) ? Number(key) : key, [member, beside]);
    }
  }
}
