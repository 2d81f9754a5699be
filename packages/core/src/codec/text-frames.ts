/** Frames of text: server-sent events, lines of JSON, lines of a format's own; or a body in JSON of a host that does not stream. */

import type { Issue } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import type { ExactText } from "../model/json-text.ts";
import type { Machine } from "../stream/machine.ts";
import { ndjsonDecoder } from "../stream/ndjson.ts";
import { sseDecoder } from "../stream/sse.ts";
import { ChunkText } from "../stream/text.ts";
import type { StreamCodec } from "./codec.ts";
import { parseFrame, takeSpelling } from "./frame-json.ts";
import { jsonBody } from "./json-body.ts";
import { notAStream, notJson, quoted, reportLate } from "./stream-issues.ts";

export interface FrameOptions {
  /** Takes the spelling of numbers that JavaScript spells otherwise. */
  readonly exact?: ExactText;
  readonly maxEventBytes?: number;
  /** Some dialects are framed in a way of their own. */
  readonly dialect?: string;
  /** For the body of a host that did not stream: a whole answer, or an error. Default: it comes as a wire event. */
  readonly whole?: WholeTaker;
}

export interface WholeTaker {
  /** Whether a line that could be an event is such a body: `alone` where it is one unless another follows. */
  judge(value: Json): "whole" | "alone" | "event";
  take(value: Json): void;
}

/** Frames of one framing; `isOver` where the framing itself tells the end. */
export interface Frames extends Machine<Uint8Array | string, Json> {
  readonly issues: readonly Issue[];
  readonly isOver?: boolean;
}

/** Frames that the beginning tells: what comes before it is known is held. @param choose undefined = more is needed; at the end without bytes */
export function chosenFrames(choose: (bytes?: Uint8Array | string) => Frames | undefined): Frames {
  let chosen: Frames | undefined;
  let held: (Uint8Array | string)[] = [];
  const read = (): readonly Json[] => {
    const frames = chosen;
    if (!frames) return [];
    const values = held.flatMap(piece => frames.push(piece));
    held = [];
    return values;
  };
  return {
    push: bytes => {
      if (chosen) return chosen.push(bytes);
      held.push(bytes);
      chosen = choose(bytes);
      return read();
    },
    end: () => {
      chosen ??= choose();
      return [...read(), ...(chosen?.end() ?? [])];
    },
    get issues() {
      return chosen?.issues ?? [];
    },
    get isOver() {
      return chosen?.isOver === true;
    },
  };
}

/** The frames that the format is in, or the JSON that came in their place: its first character tells. */
export const textFrames = (codec: StreamCodec, options: FrameOptions): Frames =>
  chosenFrames((bytes = "") => {
    const first = beginOf(bytes);
    return first === undefined ? undefined : framesFrom(first, codec, options);
  });

function framesFrom(first: number, codec: StreamCodec, options: FrameOptions): Frames {
  const { dialect, maxEventBytes } = options;
  if (first === bracket) return bodyFrames(options);
  const limit = maxEventBytes === undefined ? {} : { maxLineBytes: maxEventBytes };
  const own = dialect === undefined ? undefined : codec.lines?.(dialect, limit);
  const hasLines = own === undefined && codec.framing !== "sse";
  // What is recorded of frames of bytes is either.
  if (first === brace) return hasLines ? linesOrBody(options) : bodyFrames(options);
  if (own) return ownLines(own);
  return codec.framing === "ndjson" ? lineFrames(options) : sseFrames(codec, options);
}

const brace = 0x7b;
const bracket = 0x5b;

/** The first character that is no white space and no byte order mark. */
function beginOf(bytes: Uint8Array | string): number | undefined {
  for (let at = 0; at < bytes.length; at++) {
    const code = typeof bytes === "string" ? bytes.charCodeAt(at) : bytes[at];
    if (code !== undefined && code > 32 && !marks.has(code)) return code;
  }
  return undefined;
}

/** A byte order mark, as a character and as bytes: no JSON and no field begins with one of them. */
const marks: ReadonlySet<number> = new Set([0xfeff, 0xef, 0xbb, 0xbf]);

function bodyFrames(options: FrameOptions): Frames {
  const issues: Issue[] = [];
  const body = jsonBody({
    ...options,
    ...(options.whole && { takeWhole: options.whole.take }),
    report: (message, text) => void issues.push({ ...notAStream(text), message: `${message}: ${quoted(text)}` }),
    reportLate: index => reportLate(issues, index),
  });
  return {
    push: bytes => body.push(bytes),
    end: () => body.end(),
    issues,
    get isOver() {
      return body.isOver;
    },
  };
}

/** How a server-sent event begins: with a comment or a field, and not with a word that is also the name of one. */
const sseField = /^\s*(?::|(?:data|event|id|retry)\s*(?:[:\r\n]|$))/;

function sseFrames(codec: StreamCodec, options: FrameOptions): Frames {
  const sse = sseDecoder(options);
  const issues: Issue[] = [];
  let count = 0;
  let isOver = false;
  const opening = new Opening();
  const values = (events: ReturnType<typeof sse.push>): Json[] => {
    const parsed: Json[] = [];
    for (const { data } of events) {
      if (data === codec.done) isOver = true;
      if (data === codec.done || data === "") continue;
      const index = count++;
      if (isOver) {
        reportLate(issues, index);
        continue;
      }
      try {
        parsed.push(parseFrame(data, options.exact));
      } catch (error) {
        issues.push(notJson(index, `${(error as Error).message}: ${quoted(data, 80)}`)); // JSON.parse throws SyntaxError
      }
    }
    return parsed;
  };
  return {
    push: bytes => {
      if (count === 0) opening.add(bytes);
      return values(sse.push(bytes));
    },
    end: () => {
      const last = values(sse.end());
      const text = opening.text.trim();
      if (count === 0 && !isOver && text !== "" && !sseField.test(text)) issues.push(notAStream(text));
      return last;
    },
    issues,
    get isOver() {
      return isOver;
    },
  };
}

/** The first letters of a text. */
class Opening {
  readonly #utf8 = new ChunkText();
  #length = 0;
  text = "";

  /** There may be more than is kept. */
  get isFull(): boolean {
    return this.#length > most;
  }

  add(bytes: Uint8Array | string): void {
    this.#length += bytes.length;
    if (this.text.length <= most)
      this.text += this.#utf8.push(typeof bytes === "string" ? bytes : bytes.subarray(0, most));
  }
}

/** Enough for what is quoted, and to tell that there is more. */
const most = 1000;

/** Lines of JSON; or one value over several lines: then the first ends in the middle of it, as printers break them. */
function linesOrBody(options: FrameOptions): Frames {
  const opening = new Opening();
  return chosenFrames(bytes => {
    if (bytes !== undefined) opening.add(bytes);
    const [line = "", ...more] = opening.text.trimStart().split(/[\r\n]/, 2);
    if (more.length === 0) return bytes === undefined || opening.isFull ? lineFrames(options) : undefined;
    return /[{[,]\s*$/.test(line) ? bodyFrames(options) : lineFrames(options);
  });
}

/** What is no frame comes as the text that it is, and the format's reader reports it. */
function ownLines(lines: Machine<string, Json>): Frames {
  const text = new ChunkText();
  return {
    push: bytes => lines.push(text.push(bytes)),
    end: () => [...lines.push(text.end()), ...lines.end()],
    issues: [],
  };
}

function lineFrames(options: FrameOptions): Frames {
  const lines = ndjsonDecoder(options.maxEventBytes === undefined ? {} : { maxLineBytes: options.maxEventBytes });
  const issues: Issue[] = [];
  const { whole } = options;
  let count = 0;
  let isOver = false;
  /** The first value, which is a body if nothing follows. */
  let first: Json | undefined;
  const taken = (value: Json): readonly Json[] => {
    const index = count++;
    if (isOver) {
      reportLate(issues, index);
      return [];
    }
    const judged = index === 0 ? (whole?.judge(value) ?? "event") : "event";
    if (judged === "whole") {
      whole?.take(value);
      isOver = true;
      return [];
    }
    const before = first === undefined ? [] : [first];
    first = judged === "alone" ? value : undefined;
    return judged === "alone" ? before : [...before, value];
  };
  const values = (read: ReturnType<typeof lines.push>): Json[] =>
    read.flatMap(line => {
      if (line.ok) {
        takeSpelling(line.exact, options.exact);
        return taken(line.value);
      }
      issues.push(notJson(line.line, `${line.message}: ${quoted(line.text)}`));
      return [];
    });
  return {
    push: bytes => values(lines.push(bytes)),
    end: () => {
      const last = values(lines.end());
      if (first !== undefined) whole?.take(first);
      return last;
    },
    issues,
    get isOver() {
      return isOver;
    },
  };
}
