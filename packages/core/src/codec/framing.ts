import type { Issue } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import { type ExactText, stringifyJson } from "../model/json-text.ts";
import type { Machine } from "../stream/machine.ts";
import { ndjsonDecoder } from "../stream/ndjson.ts";
import { encodeSse, sseDecoder } from "../stream/sse.ts";
import { ChunkText } from "../stream/text.ts";
import { binaryDecoder } from "./binary-frames.ts";
import type { BinaryFraming, StreamCodec } from "./codec.ts";
import { parseFrame, takeSpelling } from "./frame-json.ts";
import { jsonBody } from "./json-body.ts";

export interface FrameEncoder extends Machine<Json, Uint8Array> {
  /** What is known at once goes out at once: of events as text, one piece of bytes. */
  pushAll(events: readonly Json[]): readonly Uint8Array[];
}

export interface FrameDecoder extends Machine<Uint8Array | string, Json> {
  /** Frames whose content is not JSON, bytes that are no frames, and what follows the end of the stream. */
  readonly issues: readonly Issue[];
  /** The format's own end has come: whatever follows is left out, and the connection need not be read on. */
  readonly isOver: boolean;
}

interface FrameOptions {
  /** Takes the spelling of numbers that JavaScript spells otherwise. */
  readonly exact?: ExactText;
  readonly maxEventBytes?: number;
  /** Some dialects are framed in a way of their own. */
  readonly dialect?: string;
  /** Takes the body of a host that did not stream: a whole answer, or an error. Default: it comes as a wire event. */
  readonly takeWhole?: (value: Json) => void;
}

/** Bytes ↔ wire events, by a format's framing. */
export const frames = {
  /** A frame that is no JSON becomes an issue, and the stream goes on. */
  decoder(codec: StreamCodec, options: FrameOptions = {}): FrameDecoder {
    const { dialect, maxEventBytes } = options;
    const limit = maxEventBytes === undefined ? {} : { maxLineBytes: maxEventBytes };
    const own = dialect === undefined ? undefined : codec.lines?.(dialect, limit);
    if (own) return upToEnd(codec, textFrames(own));
    if (codec.binary) return upToEnd(codec, bytesOrText(codec, codec.binary, options));
    return upToEnd(codec, codec.framing === "sse" ? eventsOrBody(codec, options) : lineFrames(options));
  },

  /** `exact`: what the decoder took; whatever of it is written on keeps its spelling. */
  encoder(codec: StreamCodec, exact?: ExactText): FrameEncoder {
    const { binary, done } = codec;
    if (binary) {
      const push = (event: Json): readonly Uint8Array[] => binary.write(event, exact);
      return { push, pushAll: events => events.flatMap(push), end: () => [] };
    }
    const utf8 = new TextEncoder();
    const isLines = codec.framing === "ndjson";
    const frame = (event: Json): string => {
      const data = stringifyJson(event, exact);
      if (isLines) return `${data}\n`;
      const name = codec.eventName?.(event);
      return encodeSse(name === undefined ? { data } : { data, event: name });
    };
    return {
      push: event => [utf8.encode(frame(event))],
      pushAll: events => {
        let text = "";
        for (const event of events) text += frame(event);
        return text === "" ? [] : [utf8.encode(text)];
      },
      end: () => (isLines || done === undefined ? [] : [utf8.encode(encodeSse({ data: done }))]),
    };
  },
};

/** Frames of one framing; `isOver` where the framing itself tells the end. */
type Frames = Omit<FrameDecoder, "isOver"> & { readonly isOver?: boolean };

/** Nothing is read behind the format's own end; what stands there is reported once. */
function upToEnd(codec: StreamCodec, inner: Frames): FrameDecoder {
  const late: Issue[] = [];
  let count = 0;
  let hasEnded = false;
  const upTo = (values: readonly Json[]): readonly Json[] => {
    if (!codec.isEnd && !hasEnded) {
      count += values.length;
      return values;
    }
    const before: Json[] = [];
    for (const value of values) {
      if (hasEnded) reportLate(late, count);
      else before.push(value);
      hasEnded ||= codec.isEnd?.(value) === true;
      count++;
    }
    return before;
  };
  return {
    push: bytes => upTo(inner.push(bytes)),
    end: () => upTo(inner.end()),
    get issues() {
      return late.length === 0 ? inner.issues : [...inner.issues, ...late];
    },
    get isOver() {
      return hasEnded || inner.isOver === true;
    },
  };
}

/** The wire event, or other content, that stands behind the end; of more the first is enough. */
export function reportLate(issues: Issue[], index: number): void {
  if (issues.some(({ code }) => code === lateCode)) return;
  const message = "the stream goes on behind its own end; what stands there is left out";
  issues.push({ code: lateCode, severity: "warning", path: [], wirePath: [index], message });
}

const lateCode = "stream/after-end";

/** Server-sent events; or the JSON that a host answers with that does not stream, or not as events. */
function eventsOrBody(codec: StreamCodec, options: FrameOptions): Frames {
  let chosen: Frames | undefined;
  let held: (Uint8Array | string)[] = [];
  const push = (bytes: Uint8Array | string): readonly Json[] => {
    if (chosen) return chosen.push(bytes);
    held.push(bytes);
    const first = beginOf(bytes);
    if (first === undefined) return [];
    const frames = first === brace || first === bracket ? bodyFrames(options) : sseFrames(codec, options);
    chosen = frames;
    const values = held.flatMap(piece => frames.push(piece));
    held = [];
    return values;
  };
  return {
    push,
    end: () => chosen?.end() ?? [],
    get issues() {
      return chosen?.issues ?? [];
    },
    get isOver() {
      return chosen?.isOver === true;
    },
  };
}

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

/** Says that a text is no stream, and how it begins. */
export const notAStream = (text: string): Issue => ({
  code: "stream/not-a-stream",
  severity: "error",
  path: [],
  wirePath: [0],
  message: `a stream was expected, and this came: ${quoted(text)}`,
});

const quoted = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** How a line of server-sent events begins. */
const sseField = /^\s*(?::|(?:data|event|id|retry)\b)/;

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
        issues.push(notJson(index, `${(error as Error).message}: ${clip(data)}`)); // JSON.parse throws SyntaxError
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
  text = "";

  add(bytes: Uint8Array | string): void {
    if (this.text.length <= most)
      this.text += this.#utf8.push(typeof bytes === "string" ? bytes : bytes.subarray(0, most));
  }
}

/** Enough for what is quoted, and to tell that there is more. */
const most = 1000;

/** The bytes as they are, up to where something of ours may follow: `end` ends the frame that was cut. */
export type WholeFrames = Machine<Uint8Array, Uint8Array>;

export function wholeFrames(codec: StreamCodec, maxEventBytes?: number): WholeFrames {
  let last: number | undefined;
  let split: Machine<Uint8Array, Uint8Array> | undefined;
  return {
    push: bytes => {
      const [first] = bytes;
      if (first === undefined) return [];
      if (codec.binary && last === undefined && !isTextBegin(first)) {
        const limit = maxEventBytes === undefined ? {} : { maxEventBytes };
        split = codec.binary.split({ report: () => undefined, ...limit });
      }
      last = bytes.at(-1);
      return split ? split.push(bytes) : [bytes];
    },
    end: () => {
      // A frame of bytes that was cut has no end that could be added: it was held back.
      if (split || last === undefined) return [];
      const isLine = last === newline;
      const border = !isLine ? "\n\n" : codec.framing === "ndjson" ? "" : "\n";
      return [new TextEncoder().encode(border)];
    },
  };
}

const newline = 10;

/** A frame begins with its length, of which the first byte is less than any character of a text. */
const isTextBegin = (byte: number): boolean => byte >= 9;
const brace = 0x7b;
const bracket = 0x5b;

/** Frames of bytes; or what someone recorded of them as a text of events or lines. */
function bytesOrText(codec: StreamCodec, binary: BinaryFraming, options: FrameOptions): Frames {
  let chosen: Frames | undefined;
  const choose = (first: number): Frames => {
    if (isTextBegin(first)) return first === brace ? lineFrames(options) : sseFrames(codec, options);
    const { push, ...decoder } = binaryDecoder(binary, options);
    return { ...decoder, push: bytes => push(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes) };
  };
  return {
    push: bytes => {
      const first = typeof bytes === "string" ? bytes.charCodeAt(0) : bytes[0];
      if (first === undefined || Number.isNaN(first)) return [];
      chosen ??= choose(first);
      return chosen.push(bytes);
    },
    end: () => chosen?.end() ?? [],
    get issues() {
      return chosen?.issues ?? [];
    },
  };
}

/** What is no frame comes as the text that it is, and the format's reader reports it. */
function textFrames(lines: Machine<string, Json>): Frames {
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
  const values = (read: ReturnType<typeof lines.push>): Json[] =>
    read.flatMap(line => {
      if (line.ok) {
        takeSpelling(line.exact, options.exact);
        return [line.value];
      }
      issues.push(notJson(line.line, `${line.message}: ${quoted(line.text)}`));
      return [];
    });
  return { push: bytes => values(lines.push(bytes)), end: () => values(lines.end()), issues };
}

const notJson = (index: number, message: string): Issue => ({
  code: "stream/not-json",
  severity: "error",
  path: [],
  wirePath: [index],
  message,
});

const clip = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
