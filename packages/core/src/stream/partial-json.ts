import { readNumber } from "../model/exact-text.ts";
import { type Json, type MutableJsonObject, setMember } from "../model/json.ts";
import { maxDepth } from "../model/json-reader.ts";

/**
 * `empty`: nothing but white space yet. `partial`: a beginning of JSON. `complete`: the text so far is JSON, `value` is what
 * `parseJson` would give (a number at the root may still grow). `invalid`: no continuation can mend it.
 */
export type PartialJsonState = "empty" | "partial" | "complete" | "invalid";

/** What is wrong with the text; `offset` counts UTF-16 units from its beginning. */
export interface JsonFault {
  readonly message: string;
  readonly offset: number;
}

/** JSON read piece by piece; the cost is that of its length, however it is cut. */
export interface PartialJson {
  push(delta: string): void;
  /** No more text: a beginning that stayed one becomes `invalid`. `value` stays readable. */
  end(): PartialJsonState;
  /**
   * What is certain so far. One object or array grows in place: copy it to keep a moment of it. A string shows what has come
   * (half an escape is held back), a number its longest valid prefix, a literal only when whole, a member only once its
   * value has begun. Absent while nothing is certain.
   */
  readonly value: Json | undefined;
  readonly state: PartialJsonState;
  readonly fault: JsonFault | undefined;
  /** False where `JSON.stringify(value)` may not be the text that was read. */
  readonly isPlain: boolean;
}

/** A reader of JSON that comes in pieces. Text with more than `maxDepth` arrays and objects inside one another is invalid (default 1,000). */
export const partialJson = (options: { readonly maxDepth?: number } = {}): PartialJson =>
  new Reader(options.maxDepth ?? maxDepth);

/** Longer numbers are shown only at their end: reading a long prefix again at each delta would be quadratic. */
const longNumber = 1024;

type Container = Json[] | MutableJsonObject;

/** What the next character may be. */
type Mode = "value" | "first-item" | "first-key" | "key" | "colon" | "next" | "string" | "number" | "literal" | "done";

const expectations: { readonly [mode in Mode]: string } = {
  value: "a value",
  "first-item": 'a value or "]"',
  "first-key": 'a member name or "}"',
  key: "a member name",
  colon: '":"',
  next: '"," or the end of the array or object',
  string: "the rest of a string, with control characters escaped",
  number: "a digit",
  literal: "true, false or null",
  done: "nothing more",
};

const simpleEscapes: { readonly [letter: string]: string } = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const literals: { readonly [letter: string]: { readonly word: string; readonly value: Json } } = {
  t: { word: "true", value: true },
  f: { word: "false", value: false },
  n: { word: "null", value: null },
};

const quote = 34;
const comma = 44;
const minus = 45;
const zero = 48;
const nine = 57;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
/** The high bits of half a character: halves that stand alone are written as escapes, and pairs are not told from them here. */
const surrogates = 0xd800;

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** Where a number stands; it may end in `zero`, `integer`, `fraction` and `exponent`. */
type NumberState = "minus" | "zero" | "integer" | "point" | "fraction" | "e" | "sign" | "exponent";

const afterDigit: { readonly [state in NumberState]: NumberState | undefined } = {
  minus: "integer",
  zero: undefined,
  integer: "integer",
  point: "fraction",
  fraction: "fraction",
  e: "exponent",
  sign: "exponent",
  exponent: "exponent",
};

const mayEnd = (state: NumberState): boolean =>
  state === "integer" || state === "zero" || state === "fraction" || state === "exponent";

/** The number's state after one more character; undefined where the number ends before it. */
function continueNumber(state: NumberState, code: number): NumberState | undefined {
  if (code >= zero && code <= nine) return state === "minus" && code === zero ? "zero" : afterDigit[state];
  if (code === 46) return state === "integer" || state === "zero" ? "point" : undefined;
  if (code === 101 || code === 69) {
    return state === "integer" || state === "zero" || state === "fraction" ? "e" : undefined;
  }
  return state === "e" && (code === minus || code === 43) ? "sign" : undefined;
}

class Reader implements PartialJson {
  value: Json | undefined = undefined;
  fault: JsonFault | undefined = undefined;
  isPlain = true;
  readonly #maxDepth: number;
  #mode: Mode = "value";
  /** The innermost open container; those around it are on the stack, undefined standing for the root. */
  #container: Container | undefined = undefined;
  readonly #around: (Container | undefined)[] = [];
  /** Name of the member that is being read, in an object. */
  #key = "";
  /** The value being read already has its place in the array. */
  #placed = false;
  /** The string, number or literal being read. It grows by `+=` and is never searched again. */
  #token = "";
  #isKey = false;
  /** The escape being read, from its backslash; "" = none. */
  #escape = "";
  #number: NumberState = "minus";
  /** Length of the token's longest prefix that is a number. */
  #valid = 0;
  #literal: { readonly word: string; readonly value: Json } | undefined = undefined;
  #consumed = 0;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  get state(): PartialJsonState {
    if (this.fault !== undefined) return "invalid";
    if (this.#mode === "done") return "complete";
    if (this.#container !== undefined) return "partial";
    if (this.#mode === "value") return "empty";
    const whole = this.#mode === "number" && mayEnd(this.#number) && this.#token.length <= longNumber;
    return whole ? "complete" : "partial";
  }

  push(delta: string): void {
    if (this.fault !== undefined) return;
    let at = 0;
    while (at < delta.length && this.fault === undefined) at = this.#step(delta, at);
    this.#showUnfinished();
    this.#consumed += delta.length;
  }

  end(): PartialJsonState {
    if (this.fault === undefined && this.#container === undefined && this.#mode === "number") this.#endNumber("", 0);
    if (this.state === "partial") this.#fail("", 0);
    return this.state;
  }

  #step(delta: string, at: number): number {
    switch (this.#mode) {
      case "string":
        return this.#escape === "" ? this.#readString(delta, at) : this.#readEscape(delta, at);
      case "number":
        return this.#readNumber(delta, at);
      case "literal":
        return this.#readLiteral(delta, at);
      default:
        return this.#readStructure(delta, at);
    }
  }

  #readStructure(delta: string, at: number): number {
    const code = delta.charCodeAt(at);
    if (isSpace(code)) {
      this.isPlain = false;
      return at + 1;
    }
    switch (this.#mode) {
      case "first-item":
        return code === closeBracket ? this.#close(at) : this.#beginValue(delta, at);
      case "value":
        return this.#beginValue(delta, at);
      case "first-key":
        if (code === closeBrace) return this.#close(at);
        return code === quote ? this.#beginString(at, true) : this.#fail(delta, at);
      case "key":
        return code === quote ? this.#beginString(at, true) : this.#fail(delta, at);
      case "colon":
        if (code !== colon) return this.#fail(delta, at);
        this.#mode = "value";
        return at + 1;
      case "next":
        return this.#readNext(delta, at);
      default:
        return this.#fail(delta, at);
    }
  }

  #readNext(delta: string, at: number): number {
    const code = delta.charCodeAt(at);
    const isArray = Array.isArray(this.#container);
    if (code === (isArray ? closeBracket : closeBrace)) return this.#close(at);
    if (code !== comma) return this.#fail(delta, at);
    this.#mode = isArray ? "value" : "key";
    return at + 1;
  }

  #beginValue(delta: string, at: number): number {
    const code = delta.charCodeAt(at);
    this.#placed = false;
    if (code === quote) return this.#beginString(at, false);
    if (code === openBrace) return this.#open({}, "first-key", at);
    if (code === openBracket) return this.#open([], "first-item", at);
    if (code === minus || (code >= zero && code <= nine)) {
      this.#token = delta.charAt(at);
      this.#number = code === minus ? "minus" : code === zero ? "zero" : "integer";
      this.#valid = code === minus ? 0 : 1;
      this.#mode = "number";
      return at + 1;
    }
    const letter = delta.charAt(at);
    if (letter !== "t" && letter !== "f" && letter !== "n") return this.#fail(delta, at);
    this.#literal = literals[letter];
    this.#token = "";
    this.#mode = "literal";
    return at;
  }

  #open(container: Container, mode: Mode, at: number): number {
    if (this.#around.length >= this.#maxDepth) {
      this.fault = { message: `nested deeper than ${this.#maxDepth} levels`, offset: this.#consumed + at };
      return at;
    }
    this.#place(container);
    this.#around.push(this.#container);
    this.#container = container;
    this.#mode = mode;
    return at + 1;
  }

  #close(at: number): number {
    this.#container = this.#around.pop();
    this.#endValue();
    return at + 1;
  }

  #endValue(): void {
    this.#mode = this.#container === undefined ? "done" : "next";
  }

  /** Puts the value being read where it belongs, in place of what was shown of it before. */
  #place(value: Json): void {
    const container = this.#container;
    if (container === undefined) this.value = value;
    else if (!Array.isArray(container)) setMember(container, this.#key, value);
    else if (this.#placed) container[container.length - 1] = value;
    else {
      container.push(value);
      this.#placed = true;
    }
  }

  #showUnfinished(): void {
    if (this.#mode === "string") {
      if (!this.#isKey) this.#place(this.#token);
    } else if (this.#mode === "number" && this.#valid > 0 && this.#token.length <= longNumber) {
      this.#place(readNumber(this.#token.slice(0, this.#valid)));
    }
  }

  #beginString(at: number, isKey: boolean): number {
    this.#token = "";
    this.#isKey = isKey;
    this.#mode = "string";
    return at + 1;
  }

  #readString(delta: string, at: number): number {
    let end = at;
    let code = 0;
    for (; end < delta.length; end++) {
      code = delta.charCodeAt(end);
      if (code === quote || code === backslash || code < 32) break;
      if ((code & 0xf800) === surrogates) this.isPlain = false;
    }
    if (end > at) this.#token += end - at === delta.length ? delta : delta.slice(at, end);
    if (end === delta.length) return end;
    if (code === backslash) this.#escape = "\\";
    else if (code !== quote) return this.#fail(delta, end);
    else this.#endString();
    return end + 1;
  }

  #endString(): void {
    if (this.#isKey) {
      this.#key = this.#token;
      if (!this.#isPlainKey()) this.isPlain = false;
      this.#mode = "colon";
    } else {
      this.#place(this.#token);
      this.#endValue();
    }
  }

  /** JavaScript moves keys that are integers, and holds a repeated one once. */
  #isPlainKey(): boolean {
    const first = this.#key.charCodeAt(0);
    return (
      !(first >= zero && first <= nine) && this.#container !== undefined && !Object.hasOwn(this.#container, this.#key)
    );
  }

  #readEscape(delta: string, at: number): number {
    const letter = delta.charAt(at);
    if (this.#escape.length === 1 && letter !== "u") {
      const meant = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined;
      if (meant === undefined) return this.#fail(delta, at);
      this.#token += meant;
      this.#escape = "";
      if (letter === "/") this.isPlain = false;
      return at + 1;
    }
    if (this.#escape.length > 1 && !/[0-9a-fA-F]/.test(letter)) return this.#fail(delta, at);
    this.#escape += letter;
    if (this.#escape.length === 6) {
      const unit = String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16));
      if (unit >= " " || JSON.stringify(unit) !== `"${this.#escape}"`) this.isPlain = false;
      this.#token += unit;
      this.#escape = "";
    }
    return at + 1;
  }

  #readNumber(delta: string, at: number): number {
    let end = at;
    let valid = 0;
    for (; end < delta.length; end++) {
      const next = continueNumber(this.#number, delta.charCodeAt(end));
      if (next === undefined) break;
      this.#number = next;
      if (mayEnd(next)) valid = end + 1 - at;
    }
    if (valid > 0) this.#valid = this.#token.length + valid;
    if (end > at) this.#token += delta.slice(at, end);
    return end === delta.length ? end : this.#endNumber(delta, end);
  }

  #endNumber(delta: string, at: number): number {
    if (!mayEnd(this.#number)) return this.#fail(delta, at);
    const value = readNumber(this.#token);
    if (String(value) !== this.#token) this.isPlain = false;
    this.#place(value);
    this.#endValue();
    return at;
  }

  #readLiteral(delta: string, at: number): number {
    const { word, value } = this.#literal ?? { word: "", value: null };
    if (word.charAt(this.#token.length) !== delta.charAt(at)) return this.#fail(delta, at);
    this.#token += delta.charAt(at);
    if (this.#token.length === word.length) {
      this.#place(value);
      this.#endValue();
    }
    return at + 1;
  }

  #fail(delta: string, at: number): number {
    const found = at < delta.length ? `unexpected ${JSON.stringify(delta.charAt(at))}` : "the text ends too early";
    const expected = this.#escape === "" ? expectations[this.#mode] : "an escape";
    this.fault = { message: `${found}: expected ${expected}`, offset: this.#consumed + at };
    return at;
  }
}
