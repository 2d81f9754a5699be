import { isPacked, misspelled, packMark } from "../rules/names.ts";
import type { Spelling } from "../target.ts";

/** Whether an id or a name is spelled as the target wants it. */
export const fitter =
  (spelling: Spelling) =>
  (word: string): boolean =>
    misspelled(word, spelling) === undefined && !isPacked(word);

const packed = new RegExp(`${packMark}.*$`, "s");

/**
 * Other spellings for words that do not fit: what fits of the word, then `_` and a hash of all of it. The same word has the
 * same spelling in every request; two words never have one.
 */
export class Speller {
  readonly #spelling: Spelling;
  readonly #taken: Set<string>;
  readonly #table = new Map<string, string>();
  readonly fits: (word: string) => boolean;

  /** `taken`: words that are used as they are. */
  constructor(spelling: Spelling, taken: Iterable<string>) {
    this.#spelling = spelling;
    this.fits = fitter(spelling);
    this.#taken = new Set(taken);
  }

  /** `salt` tells uses of one word apart. */
  spell(word: string, salt = 0): string {
    const key = salt === 0 ? word : `${word}\n${salt}`;
    const known = this.#table.get(key);
    if (known !== undefined) return known;
    let spelled = this.#candidate(word, key);
    for (let again = 1; this.#taken.has(spelled); again++) spelled = this.#candidate(word, `${key}\n\n${again}`);
    this.#taken.add(spelled);
    this.#table.set(key, spelled);
    return spelled;
  }

  #candidate(word: string, key: string): string {
    const { characters = "a-zA-Z0-9_-", first, most = 64, fewest = 1 } = this.#spelling;
    const hash = base62(key, Math.max(fewest, Math.min(hashLength, most)));
    const separator = ["_", "-"].find(each => new RegExp(`[${characters}]`).test(each));
    const room = most - hash.length - 1;
    const stem = word
      .replace(packed, "")
      .replace(new RegExp(`[^${characters}]`, "g"), separator ?? "")
      .slice(0, Math.max(0, Math.min(room, stemLength)));
    if (separator === undefined || stem === "" || room < 1) return begun(hash, first);
    return begun(`${stem}${separator}${hash}`, first).slice(0, most);
  }
}

const hashLength = 9;
const stemLength = 40;

/** A word that begins as it must; letters begin anything. */
const begun = (word: string, first: string | undefined): string =>
  first === undefined || new RegExp(`^[${first}]`).test(word) ? word : `x${word.slice(1)}`;

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A hash of the text in letters and digits (53 bits, which nine of them hold); longer ones are filled up. */
function base62(text: string, length: number): string {
  let value = hash53(text);
  let word = "";
  for (let index = 0; index < length; index++) {
    word += digits[value % 62];
    value = index === hashLength - 1 ? hash53(word + text) : Math.floor(value / 62);
  }
  return word;
}

/** cyrb53: two 32-bit multiply-xorshift hashes with different seeds, 53 bits of them. Public domain (bryc). */
function hash53(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
