import { TranslogueError } from "../model/error.ts";
import type { Json } from "../model/json.ts";
import type { ExactText } from "../model/json-text.ts";
import type { Machine } from "../stream/machine.ts";
import { byteOrderMark, ChunkText, maxFrame } from "../stream/text.ts";
import { parseFrame } from "./frame-json.ts";

export interface JsonBodyOptions {
  readonly exact?: ExactText;
  readonly maxEventBytes?: number;
  /** Takes a body that is one value. Default: it comes as the others do. */
  readonly takeWhole?: (value: Json) => void;
  /** Says what is no JSON. */
  readonly report: (message: string, text: string) => void;
  /** Says that a value follows the list, by its number. */
  readonly reportLate: (index: number) => void;
}

export interface JsonBody extends Machine<Uint8Array | string, Json> {
  /** The list has ended. */
  readonly isOver: boolean;
}

/**
 * A body that is JSON where a stream was asked for: a list gives its items as they come, values one after another come
 * each, and one value alone is a whole. Each character is read once.
 */
export const jsonBody = (options: JsonBodyOptions): JsonBody => new BodyReader(options);

const [quote, comma, openList, backslash, closeList, openObject, closeObject] = [34, 44, 91, 92, 93, 123, 125];

class BodyReader implements JsonBody {
  readonly #options: JsonBodyOptions;
  readonly #max: number;
  readonly #text = new ChunkText();
  #isList: boolean | undefined;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** What has come of the value that is open, and its length. */
  #pieces: string[] = [];
  #length = 0;
  /** The first value of a body that is no list: a whole, unless another follows. */
  #first: Json | undefined;
  #count = 0;
  #failure: TranslogueError | undefined;
  isOver = false;

  constructor(options: JsonBodyOptions) {
    this.#options = options;
    this.#max = options.maxEventBytes ?? maxFrame;
  }

  push(chunk: Uint8Array | string): readonly Json[] {
    return this.#read(this.#text.push(chunk));
  }

  end(): readonly Json[] {
    const values: Json[] = [...this.#read(this.#text.end())];
    if (this.#length > 0) this.#close(values);
    const first = this.#first;
    this.#first = undefined;
    if (first === undefined) return values;
    if (!this.#options.takeWhole) return [...values, first];
    this.#options.takeWhole(first);
    return values;
  }

  #read(text: string): readonly Json[] {
    const values: Json[] = [];
    if (this.#failure) throw this.#failure;
    let from = this.#length > 0 ? 0 : -1;
    for (let at = 0; at < text.length; at++) {
      if (this.#inString) {
        this.#inText(text.charCodeAt(at));
        continue;
      }
      const code = text.charCodeAt(at);
      if (this.#isBetween(code, from)) continue;
      const isEnd = this.#step(code);
      if (from === -1 && (isEnd === undefined || isEnd === "with")) from = at;
      if (!isEnd) continue;
      if (from !== -1) this.#add(text.slice(from, isEnd === "with" ? at + 1 : at));
      this.#close(values);
      this.isOver ||= isEnd === "last";
      from = -1;
    }
    if (from !== -1) this.#add(text.slice(from));
    if (this.#failure && values.length === 0) throw this.#failure;
    return values;
  }

  #inText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === backslash) this.#isEscaped = true;
    else if (code === quote) this.#inString = false;
  }

  /** White space between values, a byte order mark before them, and the bracket that a list begins with. */
  #isBetween(code: number, from: number): boolean {
    if (this.#isList === undefined && code === byteOrderMark) return true;
    if (this.#isList === undefined && code > 32) {
      this.#isList = code === openList;
      if (this.#isList) {
        this.#depth = 1;
        return true;
      }
    }
    return from === -1 && code <= 32;
  }

  /** Whether the value that is open ends with this character, or before it, and there the list too. */
  #step(code: number): "with" | "before" | "last" | undefined {
    const base = this.#isList ? 1 : 0;
    if (code === quote) this.#inString = true;
    else if (code === openObject || code === openList) this.#depth++;
    else if (code === closeObject || code === closeList) {
      this.#depth--;
      if (this.#depth === base) return "with";
      if (this.#depth < base) {
        this.#depth = base;
        if (this.#isList && !this.isOver && code === closeList) return "last";
        this.#stray(code);
        return "before";
      }
    } else if (this.#depth === base && (code === comma || (!this.#isList && code <= 32))) return "before";
    return undefined;
  }

  /** A bracket that closes nothing. */
  #stray(code: number): void {
    if (this.isOver) this.#options.reportLate(this.#count);
    else this.#options.report("a bracket closes what was not opened", String.fromCharCode(code));
  }

  #add(text: string): void {
    if (this.#failure) return;
    this.#length += text.length;
    if (this.#length <= this.#max) this.#pieces.push(text);
    else {
      this.#failure = new TranslogueError(
        "stream/event-too-large",
        `a value of the body is larger than ${this.#max} bytes; raise \`maxEventBytes\` if that is meant`,
        { data: { maxEventBytes: this.#max } },
      );
    }
  }

  #close(values: Json[]): void {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    if (text.trim() === "" || this.#failure) return;
    try {
      this.#give(parseFrame(text, this.#options.exact), values);
    } catch (error) {
      this.#options.report(error instanceof Error ? error.message : String(error), text);
    }
  }

  #give(value: Json, values: Json[]): void {
    const index = this.#count++;
    if (this.isOver) this.#options.reportLate(index);
    else if (index === 0 && !this.#isList) this.#first = value;
    else {
      if (this.#first !== undefined) values.push(this.#first);
      this.#first = undefined;
      values.push(value);
    }
  }
}
