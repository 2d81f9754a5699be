import { TranslogueError } from "./error.ts";
import { type ExactMember, type ExactText, noExactText, orderedKey, readNumber, setNumberText } from "./exact-text.ts";
import { type Json, type MutableJsonObject, setMember } from "./json.ts";
import { isPlainText } from "./plain-text.ts";

/** Containers within one another: deeper values are refused by every reader here. Others overflow their stack at a few thousand. */
export const maxDepth = 1000;

export interface ParsedJson {
  readonly value: Json;
  /** Where `JSON.stringify(value)` is not the text that was read. Empty for most texts. */
  readonly exact: ExactText;
}

/**
 * Reads JSON with its exact spelling. The value is that of `JSON.parse`, but a number too large is the largest, not infinity.
 * Throws `json/syntax` with line, column and offset, `json/too-deep` above `maxDepth` containers within one another.
 */
export function parseJson(text: string, options: { readonly maxDepth?: number } = {}): ParsedJson {
  const limit = options.maxDepth ?? maxDepth;
  const value = tryNative(text);
  if (value !== undefined && isPlainText(text, value, limit)) return { value, exact: noExactText() };
  return new Reader(text, limit).read();
}

/** The engine's reader is several times faster; what it refuses, ours explains. */
function tryNative(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

const quote = 34;
const comma = 44;
const colon = 58;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literals: readonly (readonly [string, Json])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

interface ListFrame {
  readonly list: Json[];
}
interface ObjectFrame {
  readonly object: MutableJsonObject;
  key: string;
  /** Highest integer key so far; infinite once another key has come, after which none may. */
  highest: number;
  /** All members in source order, once JavaScript's order is another. */
  members?: ExactMember[];
}
type Frame = ListFrame | ObjectFrame;

/** A reader with its own stack: one step a token, no recursion. */
class Reader {
  private at = 0;
  private readonly frames: Frame[] = [];
  private readonly exact = noExactText();
  /** Of the number just read, where JavaScript would write another. */
  private spelling: string | undefined;
  private readonly text: string;
  private readonly limit: number;

  constructor(text: string, limit: number) {
    this.text = text;
    this.limit = limit;
  }

  read(): ParsedJson {
    let value = this.begin();
    while (value === undefined || this.frames.length > 0) value = value === undefined ? this.first() : this.next();
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected("the end of the text");
    return { value, exact: this.exact };
  }

  /** A scalar, or undefined after opening a list or object. */
  private begin(): Json | undefined {
    this.skipSpace();
    const code = this.text.charCodeAt(this.at);
    if (code === openList || code === openObject) {
      if (this.frames.length >= this.limit) throw this.tooDeep();
      this.at++;
      this.frames.push(code === openList ? { list: [] } : { object: {}, key: "", highest: -1 });
      return undefined;
    }
    const value = this.scalar(code);
    this.add(value);
    return value;
  }

  /** Of the list or object just opened: its first value, or itself if it is empty. */
  private first(): Json | undefined {
    const frame = this.frames.at(-1) as Frame; // one was just opened
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === ("list" in frame ? closeList : closeObject)) return this.close();
    if ("object" in frame) this.readKey(frame, 'a member name or "}"');
    return this.begin();
  }

  /** After a value in a list or object: its next value, or itself at its end. */
  private next(): Json | undefined {
    const frame = this.frames.at(-1) as Frame; // only called with one open
    this.skipSpace();
    const code = this.text.charCodeAt(this.at);
    if (code === ("list" in frame ? closeList : closeObject)) return this.close();
    if (code !== comma) throw this.unexpected("list" in frame ? '"," or "]"' : '"," or "}"');
    this.at++;
    if ("object" in frame) this.readKey(frame, "a member name");
    return this.begin();
  }

  private close(): Json {
    this.at++;
    const frame = this.frames.pop() as Frame; // only called with one open
    const value = "list" in frame ? frame.list : frame.object;
    if ("members" in frame && frame.members) this.exact.members.set(frame.object, frame.members);
    this.add(value);
    return value;
  }

  private readKey(frame: ObjectFrame, expected: string): void {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== quote) throw this.unexpected(expected);
    const key = this.string();
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== colon) throw this.unexpected('":"');
    this.at++;
    const order = orderedKey(key);
    const misplaced = order !== undefined && order <= frame.highest;
    if (misplaced || Object.hasOwn(frame.object, key)) frame.members ??= this.membersOf(frame);
    frame.highest = order === undefined ? Number.POSITIVE_INFINITY : Math.max(order, frame.highest);
    frame.key = key;
  }

  /** So far the order of JavaScript was that of the source. */
  private membersOf({ object }: ObjectFrame): ExactMember[] {
    const texts = this.exact.numbers.get(object);
    return Object.entries(object).map(([key, value]) => member(key, value, texts?.get(key)));
  }

  /** Adds a value to the list or object that is open. */
  private add(value: Json): void {
    const frame = this.frames.at(-1);
    const text = this.spelling;
    this.spelling = undefined;
    if (!frame) {
      if (text !== undefined) this.exact.root = { value: value as number, text }; // only numbers have a spelling
    } else if ("list" in frame) {
      if (text !== undefined) setNumberText(this.exact, { holder: frame.list, key: frame.list.length }, text);
      frame.list.push(value);
    } else {
      if (text !== undefined) setNumberText(this.exact, { holder: frame.object, key: frame.key }, text);
      else this.exact.numbers.get(frame.object)?.delete(frame.key); // of an earlier member of this name
      setMember(frame.object, frame.key, value);
      frame.members?.push(member(frame.key, value, text));
    }
  }

  private scalar(code: number): Json {
    if (code === quote) return this.string();
    numberPattern.lastIndex = this.at;
    const text = numberPattern.exec(this.text)?.[0];
    if (text !== undefined) {
      const value = readNumber(text);
      if (String(value) !== text) this.spelling = text;
      this.at += text.length;
      return value;
    }
    for (const [word, value] of literals) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    throw this.unexpected("a value");
  }

  private string(): string {
    const start = this.at;
    let at = start + 1;
    let escaped = false;
    for (let code = this.text.charCodeAt(at); code !== quote; code = this.text.charCodeAt(at)) {
      if (code === backslash) {
        escaped = true;
        at += 2;
      } else if (code >= 32) at++;
      else {
        this.at = at;
        throw this.unexpected(at < this.text.length ? "an escape (\\n, \\t, \\u…) in its place" : 'the closing "');
      }
    }
    this.at = at + 1;
    if (!escaped) return this.text.slice(start + 1, at);
    return this.unescape(start);
  }

  private unescape(start: number): string {
    const text = this.text.slice(start, this.at);
    try {
      return JSON.parse(text) as string; // a string literal
    } catch {
      const bad = /^"(?:[^\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/.exec(text)?.[0].length ?? 0;
      this.at = start + bad;
      throw this.unexpected('an escape of JSON (\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX)');
    }
  }

  private skipSpace(): void {
    for (let code = this.text.charCodeAt(this.at); isSpace(code); code = this.text.charCodeAt(++this.at)) {}
  }

  private unexpected(expected: string): TranslogueError {
    const place = placeOf(this.text, this.at);
    const found = foundAt(this.text, this.at);
    return new TranslogueError("json/syntax", `${found} at ${place.words}; expected ${expected}`, {
      data: { line: place.line, column: place.column, offset: this.at, expected },
    });
  }

  private tooDeep(): TranslogueError {
    const place = placeOf(this.text, this.at);
    return new TranslogueError(
      "json/too-deep",
      `more than ${this.limit} lists and objects within one another at ${place.words}; flatten the value, or raise \`maxDepth\``,
      { data: { line: place.line, column: place.column, offset: this.at, limit: this.limit } },
    );
  }
}

const member = (key: string, value: Json, text: string | undefined): ExactMember =>
  text === undefined ? { key, value } : { key, value, text };

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

function placeOf(text: string, offset: number): { line: number; column: number; words: string } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  const column = offset - start + 1;
  return { line, column, words: `line ${line}, column ${column} (offset ${offset})` };
}

function foundAt(text: string, offset: number): string {
  if (offset >= text.length) return "the text ends";
  const code = text.charCodeAt(offset);
  if (code === 0xfeff) return "a byte order mark";
  const shown =
    text.slice(offset, offset + 12).match(/^[\w.+-]{2,}/)?.[0] ?? String.fromCodePoint(text.codePointAt(offset) ?? 0);
  return `found ${JSON.stringify(shown)}`;
}
