/** The value that the AI SDK's clients show of a call's arguments while their text still comes. */

import { rowOf } from "../../codec/reader.ts";
import { isJsonObject, type Json } from "../../model/json.ts";

/**
 * What the beginning of a JSON text says so far, as the SDK's readers see it: open strings, lists and objects are closed,
 * a literal that has begun counts as whole, a member without a value does not count. Undefined where nothing can be read,
 * or where a key is one that the SDK refuses. Generation 5 does not see past half a `\\u` escape.
 */
export function partialValue(text: string, generation: number): Json | undefined {
  const whole = parsed(text);
  if (whole !== undefined || (generation < 6 && /\\u[0-9a-fA-F]{0,3}$/.test(text))) return whole;
  return parsed(completed(text));
}

/** The SDK parses with a guard: a value with a key that could reach a prototype is not parsed at all. */
function parsed(text: string): Json | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
  return /__proto__|constructor|\\u/.test(text) && isUnsafe(value) ? undefined : value;
}

/** Whether some object in the value has a key that the SDK's parser refuses: the whole value then fails. */
export function isUnsafe(value: Json): boolean {
  const pending: Json[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (isJsonObject(next) && hasUnsafeKey(next)) return true;
    for (const member of Object.values(next)) if (typeof member === "object") pending.push(member);
  }
  return false;
}

const hasUnsafeKey = (object: { readonly [key: string]: Json }): boolean => {
  if (Object.hasOwn(object, "__proto__")) return true;
  const maker = rowOf(object, "constructor");
  return isJsonObject(maker) && Object.hasOwn(maker, "prototype");
};

/** What the next character may be. */
type Mode =
  | "value"
  | "first-item"
  | "key"
  | "in-key"
  | "colon"
  | "next"
  | "string"
  | "escape"
  | "number"
  | "literal"
  | "done";

const literals = ["true", "false", "null"];

/** The text up to its last character that counts, with everything closed that is open there. */
function completed(text: string): string {
  const scan = new Scan(text);
  for (let index = 0; index < text.length; index++) scan.take(text[index] ?? "", index);
  return scan.close();
}

class Scan {
  readonly #text: string;
  /** What closes the open lists and objects. */
  readonly #closers: string[] = [];
  #mode: Mode = "value";
  /** Length of the beginning that counts. */
  #kept = 0;
  #literalStart = 0;
  /** Hexadecimal digits of an escape that are still to come. */
  #digits = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(char: string, index: number): void {
    switch (this.#mode) {
      case "value":
        this.#begin(char, index);
        break;
      case "first-item":
        if (char === "]") this.#leave(index);
        else this.#begin(char, index);
        break;
      case "key":
        if (char === '"') this.#mode = "in-key";
        else if (char === "}") this.#leave(index);
        break;
      case "in-key":
        if (char === '"') this.#mode = "colon";
        break;
      case "colon":
        if (char === ":") this.#mode = "value";
        break;
      case "next":
        this.#next(char, index);
        break;
      case "string":
        this.#inString(char, index);
        break;
      case "escape":
        this.#inEscape(char, index);
        break;
      case "number":
        this.#inNumber(char, index);
        break;
      case "literal":
        this.#inLiteral(char, index);
        break;
      case "done":
        break;
    }
  }

  /** The text with all closed that is open. */
  close(): string {
    const kept = this.#text.slice(0, this.#kept);
    const closers = this.#closers.toReversed().join("");
    if (this.#mode === "string" || this.#mode === "escape") return `${kept}"${closers}`;
    if (this.#mode !== "literal") return kept + closers;
    const begun = this.#text.slice(this.#literalStart);
    const word = literals.find(literal => literal.startsWith(begun)) ?? begun;
    return kept + word.slice(begun.length) + closers;
  }

  #keep(index: number): void {
    this.#kept = index + 1;
  }

  #begin(char: string, index: number): void {
    if (char === '"') this.#mode = "string";
    else if (char === "{") this.#enter("}", "key");
    else if (char === "[") this.#enter("]", "first-item");
    else if (char === "-") {
      this.#mode = "number";
      return;
    } else if (char >= "0" && char <= "9") this.#mode = "number";
    else if (char === "t" || char === "f" || char === "n") {
      this.#mode = "literal";
      this.#literalStart = index;
    } else return;
    this.#keep(index);
  }

  #enter(closer: string, mode: Mode): void {
    this.#closers.push(closer);
    this.#mode = mode;
  }

  #leave(index: number): void {
    this.#keep(index);
    this.#closers.pop();
    this.#ended();
  }

  #ended(): void {
    this.#mode = this.#closers.length === 0 ? "done" : "next";
  }

  #next(char: string, index: number): void {
    const closer = this.#closers.at(-1);
    if (char === closer) this.#leave(index);
    else if (char === ",") this.#mode = closer === "]" ? "value" : "key";
    else if (closer === "]") this.#keep(index);
  }

  #inString(char: string, index: number): void {
    if (char === "\\") {
      this.#mode = "escape";
      this.#digits = 0;
      return;
    }
    this.#keep(index);
    if (char === '"') this.#ended();
  }

  #inEscape(char: string, index: number): void {
    if (this.#digits > 0) this.#digits--;
    else if (char === "u") this.#digits = 4;
    if (this.#digits > 0) return;
    this.#keep(index);
    this.#mode = "string";
  }

  #inNumber(char: string, index: number): void {
    if (char >= "0" && char <= "9") this.#keep(index);
    else if (!"eE-.".includes(char)) this.#after(char, index);
  }

  #inLiteral(char: string, index: number): void {
    const begun = this.#text.slice(this.#literalStart, index + 1);
    if (literals.some(literal => literal.startsWith(begun))) this.#keep(index);
    else this.#after(char, index);
  }

  /** A value without an end mark ended before this character. */
  #after(char: string, index: number): void {
    this.#ended();
    if (this.#mode === "next" && (char === "," || char === this.#closers.at(-1))) this.#next(char, index);
  }
}
