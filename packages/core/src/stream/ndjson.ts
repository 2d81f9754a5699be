import { type ExactText, isEmptyExact } from "../model/exact-text.ts";
import type { Json } from "../model/json.ts";
import { parseJson } from "../model/json-reader.ts";
import type { Machine } from "./machine.ts";
import { partialJson } from "./partial-json.ts";
import { byteOrderMark, ChunkText, maxFrame } from "./text.ts";

/** A line that is JSON, or says what is wrong with it. `line` and `column` count from 1; blank lines count and give nothing. */
export type JsonLine =
  | {
      readonly ok: true;
      readonly line: number;
      readonly value: Json;
      /** What JavaScript cannot say about the value (R6); absent where it says all. */
      readonly exact?: ExactText;
    }
  | {
      readonly ok: false;
      readonly line: number;
      /** Absent where the line is too long to be read. */
      readonly column?: number;
      readonly message: string;
      /** The line; of one that is too long, its beginning. */
      readonly text: string;
    };

export interface NdjsonOptions {
  /** The most one line may take, as decoded text: a UTF-16 unit counts as one byte. Default 64 MiB. */
  readonly maxLineBytes?: number;
}

/** Bytes or text → one item a line, as the lines end. Never throws, and holds no more than one line. */
export function ndjsonDecoder(options: NdjsonOptions = {}): Machine<Uint8Array | string, JsonLine> {
  const decoder = new Decoder(options.maxLineBytes ?? maxFrame);
  return { push: chunk => decoder.push(chunk), end: () => decoder.end() };
}

/** How much is shown of a line that is too long. */
const shown = 200;

class Decoder {
  readonly #max: number;
  readonly #text = new ChunkText();
  /** A line without its end yet. It grows by `+=` and is read once; of one that is too long only the beginning is kept. */
  #pending = "";
  #tooLong = false;
  #line = 0;

  constructor(max: number) {
    this.#max = max;
  }

  push(chunk: Uint8Array | string): readonly JsonLine[] {
    return this.#read(this.#text.push(chunk));
  }

  end(): readonly JsonLine[] {
    const items = this.#read(this.#text.end());
    if (this.#pending !== "") this.#endLine(items, "");
    return items;
  }

  #read(text: string): JsonLine[] {
    const items: JsonLine[] = [];
    let at = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", at)) {
      this.#endLine(items, text.slice(at, end));
      at = end + 1;
    }
    if (at < text.length) this.#add(at === 0 ? text : text.slice(at));
    return items;
  }

  #add(text: string): void {
    if (this.#tooLong) return;
    this.#pending += text;
    if (this.#pending.length <= this.#max) return;
    this.#tooLong = true;
    this.#pending = this.#pending.slice(0, shown);
  }

  #endLine(items: JsonLine[], rest: string): void {
    if (this.#pending === "" && rest.length <= this.#max) this.#pending = rest;
    else this.#add(rest);
    const text = this.#pending;
    const tooLong = this.#tooLong;
    this.#pending = "";
    this.#tooLong = false;
    this.#line++;
    if (tooLong) {
      const message = `the line is longer than ${this.#max} bytes; raise \`maxLineBytes\` if that is meant`;
      items.push({ ok: false, line: this.#line, message, text });
      return;
    }
    const item = readLine(this.#line, text);
    if (item !== undefined) items.push(item);
  }
}

/** A byte order mark may begin any line: files are joined by appending one to another. */
function readLine(line: number, text: string): JsonLine | undefined {
  const from = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  const content = text.slice(from, text.endsWith("\r") ? -1 : undefined);
  if (content.trim() === "") return undefined;
  try {
    const { value, exact } = parseJson(content);
    return { ok: true, line, value, ...(!isEmptyExact(exact) && { exact }) };
  } catch {
    return { ok: false, line, ...faultOf(content, from), text: content };
  }
}

/** `parseJson` speaks of lines within the value; here the line is known and the place is in it. */
function faultOf(content: string, from: number): { readonly column: number; readonly message: string } {
  const reader = partialJson();
  reader.push(content);
  reader.end();
  const { offset = 0, message = "the line is not JSON" } = reader.fault ?? {};
  return { column: from + offset + 1, message };
}

export const encodeNdjson = (value: Json): string => `${JSON.stringify(value)}\n`;

export const ndjsonEncoder = (): Machine<Json, string> => ({ push: value => [encodeNdjson(value)], end: () => [] });
