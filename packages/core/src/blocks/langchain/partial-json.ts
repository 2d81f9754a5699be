import { type Json, type MutableJsonObject, setMember } from "../../model/json.ts";
import { partialJson } from "../../stream/partial-json.ts";
import type { ChunkRules } from "./merge.ts";

/**
 * The value that a beginning of JSON has so far, as LangChain of the language reads it; undefined where that language gives
 * up (Python's `None` counts as such). `lossless`: undefined as soon as no continuation could mend the text, so that it is
 * kept as text.
 */
export function parsePartialJson(text: string, rules: ChunkRules = "lossless"): Json | undefined {
  if (rules === "js") return parseJs(text);
  return rules === "python" ? parsePython(text) : parseLossless(text);
}

// lossless

/** Both languages take raw control characters in strings. */
function parseLossless(text: string): Json | undefined {
  const reader = partialJson();
  reader.push(escapeControls(text));
  return reader.state === "invalid" ? undefined : reader.value;
}

// Python: `parse_partial_json` of langchain_core.utils.json

/** Python's `json.loads(…, strict=False)`; NaN and the infinities, which JSON has no word for, are null. */
function loads(text: string): Json | undefined {
  try {
    return JSON.parse(withoutNaN(escapeControls(text))) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

const strings = /"(?:[^"\\]|\\.)*"?/gs;
const escapeControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f]/.test(text)
    ? // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
      text.replace(strings, string => string.replace(/[\u0000-\u001f]/g, escaped))
    : text;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const withoutNaN = (text: string): string =>
  /NaN|Infinity/.test(text)
    ? text.replace(/"(?:[^"\\]|\\.)*"?|NaN|-?Infinity/gs, token => (token.startsWith('"') ? token : "null"))
    : text;

function parsePython(text: string): Json | undefined {
  const whole = loads(text);
  if (whole !== undefined) return whole;
  const repaired = repair(text);
  if (repaired === undefined) return undefined;
  const { body, closers } = repaired;
  const end = lastGoodEnd(body, closers);
  return end === undefined ? undefined : loads(body.slice(0, end) + closers);
}

/** Closes an open string, and says what would close the rest; undefined at a wrong closer. */
function repair(text: string): { readonly body: string; readonly closers: string } | undefined {
  const stack: string[] = [];
  let isInString = false;
  let isEscaped = false;
  for (const character of text) {
    if (isInString) {
      if (character === '"' && !isEscaped) isInString = false;
      else isEscaped = character === "\\" && !isEscaped;
    } else if (character === '"') isInString = true;
    else if (character === "{") stack.push("}");
    else if (character === "[") stack.push("]");
    else if ((character === "}" || character === "]") && stack.pop() !== character) return undefined;
  }
  const body = isInString ? `${isEscaped ? text.slice(0, -1) : text}"` : text;
  return { body, closers: stack.reverse().join("") };
}

/**
 * Python takes characters off the end until the rest with the closers is JSON. Here the text is read once, and the last
 * place is kept where that is so.
 */
function lastGoodEnd(body: string, closers: string): number | undefined {
  const scan = new PrefixScan(closers);
  const tokens =
    /\s+|"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN|true|false|null|./gsy;
  let last: number | undefined;
  for (const match of body.matchAll(tokens)) {
    const [token] = match;
    if (!scan.take(token)) break;
    if (scan.isClosable) last = match.index + token.length;
  }
  return last;
}

/** Where the grammar stands after a prefix of JSON. */
class PrefixScan {
  readonly #closers: string;
  readonly #stack: string[] = [];
  /** How many of the stack, from the outside, are what the closers close. */
  #alike = 0;
  #mode: "value" | "first-item" | "first-key" | "key" | "colon" | "next" | "done" = "value";

  constructor(closers: string) {
    this.#closers = closers;
  }

  /** Whether the closers would make it whole. */
  get isClosable(): boolean {
    const mayClose = ["first-item", "first-key", "next", "done"].includes(this.#mode);
    return mayClose && this.#stack.length === this.#closers.length && this.#alike === this.#stack.length;
  }

  /** False where no JSON begins like this. */
  take(token: string): boolean {
    if (/^[ \t\n\r]+$/.test(token)) return true;
    switch (this.#mode) {
      case "first-key":
        if (token === "}") return this.#close(token);
        return this.#key(token);
      case "key":
        return this.#key(token);
      case "colon":
        this.#mode = "value";
        return token === ":";
      case "next":
        if (token === ",") {
          this.#mode = this.#stack.at(-1) === "}" ? "key" : "value";
          return true;
        }
        return this.#close(token);
      case "first-item":
        return token === "]" ? this.#close(token) : this.#value(token);
      case "value":
        return this.#value(token);
      case "done":
        return false;
    }
  }

  #key(token: string): boolean {
    this.#mode = "colon";
    return isWholeString(token);
  }

  #value(token: string): boolean {
    if (token === "{" || token === "[") {
      const closer = token === "{" ? "}" : "]";
      const isAlike = this.#alike === this.#stack.length;
      this.#stack.push(closer);
      // Closers are written from the inside out.
      if (isAlike && this.#closers.at(-this.#stack.length) === closer) this.#alike++;
      this.#mode = token === "{" ? "first-key" : "first-item";
      return true;
    }
    this.#mode = this.#stack.length > 0 ? "next" : "done";
    return isWholeString(token) || /^(?:-?\d|-?Infinity|NaN|true|false|null)/.test(token);
  }

  #close(token: string): boolean {
    if (this.#stack.at(-1) !== token) return false;
    this.#stack.pop();
    this.#alike = Math.min(this.#alike, this.#stack.length);
    this.#mode = this.#stack.length > 0 ? "next" : "done";
    return true;
  }
}

const isWholeString = (token: string): boolean =>
  token.length > 1 && token.startsWith('"') && loads(token) !== undefined;

// JavaScript: `parsePartialJson` of @langchain/core/utils/json

function parseJs(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    // A beginning of JSON, or none.
  }
  try {
    return new JsReader(text.trim()).read();
  } catch (error) {
    if (error instanceof RangeError || error === notJson) return undefined;
    throw error;
  }
}

const notJson = new Error("not JSON");

const jsEscapes: { readonly [letter: string]: string } = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  b: "\b",
  f: "\f",
  "/": "/",
};

const words: readonly (readonly [string, Json])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
];

/** Its oddities are kept: half an escape is read as letters, a lone minus as 0, a piece of a word as the word. */
class JsReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Json {
    const value = this.#value();
    if (!this.#isOver()) throw notJson;
    return value;
  }

  /** Skips white space; whether nothing follows it. */
  #isOver(): boolean {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
    return this.#at >= this.#text.length;
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #value(): Json {
    if (this.#isOver()) throw notJson;
    const character = this.#text[this.#at] ?? "";
    if (character === "{") return this.#object();
    if (character === "[") return this.#array();
    if (character === '"') return this.#string();
    for (const [word, value] of words) {
      const found = this.#text.slice(this.#at, this.#at + word.length);
      if (!word.startsWith(found)) continue;
      this.#at += found.length;
      return value;
    }
    return this.#number();
  }

  #array(): Json {
    const array: Json[] = [];
    this.#at++;
    if (this.#isOver() || this.#takes("]")) return array;
    while (!this.#isOver()) {
      array.push(this.#value());
      if (this.#isOver() || this.#takes("]")) return array;
      if (!this.#takes(",")) throw notJson;
    }
    return array;
  }

  #object(): Json {
    const object: MutableJsonObject = {};
    this.#at++;
    if (this.#isOver() || this.#takes("}")) return object;
    while (!this.#isOver()) {
      const key = this.#string();
      if (this.#isOver()) return object;
      if (!this.#takes(":")) throw notJson;
      if (this.#isOver()) return object;
      setMember(object, key, this.#value());
      if (this.#isOver() || this.#takes("}")) return object;
      if (!this.#takes(",")) throw notJson;
    }
    return object;
  }

  #string(): string {
    if (!this.#takes('"')) throw notJson;
    let read = "";
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? "";
      if (character === '"') {
        this.#at++;
        return read;
      }
      if (character !== "\\") read += character;
      else if (this.#at + 1 === this.#text.length) read += "\\";
      else read += this.#escape();
    }
    return read;
  }

  #escape(): string {
    this.#at++;
    const letter = this.#text[this.#at] ?? "";
    if (letter !== "u") {
      const meant = Object.hasOwn(jsEscapes, letter) ? jsEscapes[letter] : undefined;
      if (meant === undefined) throw notJson;
      return meant;
    }
    const hex = this.#text.slice(this.#at + 1, this.#at + 5);
    if (!/^[0-9A-Fa-f]*$/.test(hex)) throw notJson;
    this.#at += hex.length;
    return hex.length === 4 ? String.fromCharCode(Number.parseInt(hex, 16)) : `u${hex}`;
  }

  #number(): number {
    const number = /-?(?:0(?!\d)|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?/y;
    number.lastIndex = this.#at;
    const text = /[-\d]/.test(this.#text[this.#at] ?? "") ? (number.exec(this.#text)?.[0] ?? "") : "";
    this.#at += text.length;
    if (text === "-") return 0;
    const value = Number.parseFloat(text);
    if (Number.isNaN(value)) throw notJson;
    return value;
  }
}
