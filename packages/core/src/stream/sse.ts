import { TranslogueError } from "../model/error.ts";
import type { Machine } from "./machine.ts";
import { byteOrderMark, ChunkText, maxFrame } from "./text.ts";

/** One server-sent event. https://html.spec.whatwg.org/multipage/server-sent-events.html (read 2026-11-30) */
export interface SseEvent {
  /** Absent = `message`. */
  readonly event?: string;
  readonly data: string;
  /** The last event id in force, which an event without its own inherits. */
  readonly id?: string;
  /** Reconnection time in milliseconds; from a block without data it comes with the next event. */
  readonly retry?: number;
}

export interface SseOptions {
  /** The most one event may take, as decoded text: a UTF-16 unit counts as one byte. Default 64 MiB. */
  readonly maxEventBytes?: number;
  /**
   * Whether the last event counts without the blank line that ends it (default true). Browsers drop it, but real hosts and
   * proxies cut that line, and the event is the one with finish and usage. Where a line itself was cut, its data is no JSON
   * and the reader above reports it.
   */
  readonly flushLast?: boolean;
}

/**
 * Bytes or text → events. Throws `stream/event-too-large` once the events before the large one are out; the same events and
 * the same error for any chunking.
 */
export function sseDecoder(options: SseOptions = {}): Machine<Uint8Array | string, SseEvent> {
  const decoder = new Decoder(options);
  return { push: chunk => decoder.push(chunk), end: () => decoder.end() };
}

const newline = 10;
const space = 32;
const colon = 58;
const letterD = 100;

class Decoder {
  readonly #max: number;
  readonly #flushLast: boolean;
  readonly #text = new ChunkText();
  /** A line without its end yet. It grows by `+=` and is read once. */
  #pending = "";
  #atStart = true;
  /** The last chunk ended in CR: an LF that follows belongs to it. */
  #afterCr = false;
  #failure: TranslogueError | undefined;
  #events: SseEvent[] = [];
  // The block being read.
  #data = "";
  #hasData = false;
  #event = "";
  // What outlives a block.
  #id = "";
  #retry: number | undefined;

  constructor(options: SseOptions) {
    this.#max = options.maxEventBytes ?? maxFrame;
    this.#flushLast = options.flushLast ?? true;
  }

  push(chunk: Uint8Array | string): readonly SseEvent[] {
    if (this.#failure === undefined) this.#read(this.#text.push(chunk));
    return this.#take();
  }

  end(): readonly SseEvent[] {
    if (this.#failure === undefined) {
      this.#read(this.#text.end());
      if (this.#flushLast) this.#flush();
    }
    return this.#take();
  }

  /** Events that came before a failure are handed out first. */
  #take(): readonly SseEvent[] {
    const events = this.#events;
    if (events.length === 0 && this.#failure !== undefined) throw this.#failure;
    this.#events = [];
    return events;
  }

  #flush(): void {
    const line = this.#pending;
    this.#pending = "";
    if (line !== "") this.#line(line, 0, line.length);
    if (this.#failure === undefined) this.#dispatch();
  }

  #read(text: string): void {
    if (text === "") return;
    let at = 0;
    if (this.#atStart) {
      this.#atStart = false;
      if (text.charCodeAt(0) === byteOrderMark) at = 1;
    }
    if (this.#afterCr) {
      this.#afterCr = false;
      if (text.charCodeAt(at) === newline) at++;
    }
    this.#lines(text, at);
  }

  /** Each of the two searches goes on from where it was: a chunk is searched once for each kind of line end. */
  #lines(text: string, from: number): void {
    let at = from;
    let lf = text.indexOf("\n", at);
    let cr = text.indexOf("\r", at);
    while (lf !== -1 || cr !== -1) {
      const isCr = cr !== -1 && (lf === -1 || cr < lf);
      const end = isCr ? cr : lf;
      this.#lineEnds(text, at, end);
      if (this.#failure !== undefined) return;
      at = end + 1;
      if (isCr) {
        if (at === text.length) this.#afterCr = true;
        else if (at === lf) at++;
        cr = text.indexOf("\r", at);
      }
      if (lf !== -1 && lf < at) lf = text.indexOf("\n", at);
    }
    if (at === text.length) return;
    this.#pending += at === 0 ? text : text.slice(at);
    this.#guard(this.#pending.length);
  }

  #lineEnds(text: string, start: number, end: number): void {
    if (this.#pending === "") this.#line(text, start, end);
    else {
      const line = this.#pending + text.slice(start, end);
      this.#pending = "";
      this.#line(line, 0, line.length);
    }
  }

  #guard(length: number): void {
    if (this.#data.length + length <= this.#max) return;
    this.#failure = new TranslogueError(
      "stream/event-too-large",
      `a server-sent event is larger than ${this.#max} bytes; raise \`maxEventBytes\` if that is meant`,
      { data: { maxEventBytes: this.#max } },
    );
    this.#pending = "";
    this.#data = "";
  }

  #line(text: string, start: number, end: number): void {
    this.#guard(end - start);
    if (this.#failure !== undefined) return;
    if (start === end) this.#dispatch();
    else if (isData(text, start)) this.#addData(text.slice(afterColon(text, start + 4, end), end));
    else this.#field(text.slice(start, end));
  }

  #addData(value: string): void {
    this.#data = this.#hasData ? `${this.#data}\n${value}` : value;
    this.#hasData = true;
  }

  #field(line: string): void {
    const at = line.indexOf(":");
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? "" : line.slice(afterColon(line, at, line.length));
    if (name === "data") this.#addData(value);
    else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.#retry = Number(value);
  }

  #dispatch(): void {
    if (this.#hasData) {
      const event: { -readonly [member in keyof SseEvent]: SseEvent[member] } = { data: this.#data };
      if (this.#event !== "") event.event = this.#event;
      if (this.#id !== "") event.id = this.#id;
      if (this.#retry !== undefined) event.retry = this.#retry;
      this.#events.push(event);
      this.#retry = undefined;
      this.#data = "";
      this.#hasData = false;
    }
    this.#event = "";
  }
}

const isData = (text: string, start: number): boolean =>
  text.charCodeAt(start) === letterD && text.charCodeAt(start + 4) === colon && text.startsWith("data", start);

/** Where a value begins: one space after the colon is not its own. `end` is the line's: what follows belongs to the next. */
const afterColon = (text: string, at: number, end: number): number =>
  at + 1 < end && text.charCodeAt(at + 1) === space ? at + 2 : at + 1;

const lineEnd = /\r\n|\r|\n/;
const hasLineEnd = /[\r\n]/;

/**
 * An event as text. Line ends inside `data` all arrive as LF: the framing has no other. Throws `stream/not-one-line` where
 * `event` or `id` could not come back, because it holds a line end (or `id` a NUL).
 */
export function encodeSse(event: SseEvent): string {
  let text = "";
  if (event.event !== undefined) text += `event: ${oneLine("event", event.event)}\n`;
  if (event.id !== undefined) text += `id: ${oneLine("id", event.id)}\n`;
  if (event.retry !== undefined) text += `retry: ${event.retry}\n`;
  if (!hasLineEnd.test(event.data)) return `${text}data: ${event.data}\n\n`;
  return `${text}data: ${event.data.split(lineEnd).join("\ndata: ")}\n\n`;
}

/** A comment, which readers skip: keeps an idle connection open. */
export const encodeSseComment = (comment = ""): string => `: ${comment.split(lineEnd).join("\n: ")}\n\n`;

export const sseEncoder = (): Machine<SseEvent, string> => ({ push: event => [encodeSse(event)], end: () => [] });

function oneLine(member: "event" | "id", value: string): string {
  const broken = hasLineEnd.test(value) || (member === "id" && value.includes("\0"));
  if (!broken) return value;
  throw new TranslogueError("stream/not-one-line", `\`${member}\` of a server-sent event must be one line`, {
    data: { [member]: value },
  });
}
