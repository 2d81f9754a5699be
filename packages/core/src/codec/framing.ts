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

export interface FrameEncoder extends Machine<Json, Uint8Array> {
  /** What is known at once goes out at once: of events as text, one piece of bytes. */
  pushAll(events: readonly Json[]): readonly Uint8Array[];
}

export interface FrameDecoder extends Machine<Uint8Array | string, Json> {
  /** Frames whose content is not JSON. */
  readonly issues: readonly Issue[];
}

interface FrameOptions {
  /** Takes the spelling of numbers that JavaScript spells otherwise. */
  readonly exact?: ExactText;
  readonly maxEventBytes?: number;
  /** Some dialects are framed in a way of their own. */
  readonly dialect?: string;
}

/** Bytes ↔ wire events, by a format's framing. */
export const frames = {
  /** A frame that is no JSON becomes an issue, and the stream goes on. */
  decoder(codec: StreamCodec, options: FrameOptions = {}): FrameDecoder {
    const { dialect, maxEventBytes } = options;
    const limit = maxEventBytes === undefined ? {} : { maxLineBytes: maxEventBytes };
    const own = dialect === undefined ? undefined : codec.lines?.(dialect, limit);
    if (own) return textFrames(own);
    if (codec.binary) return bytesOrText(codec, codec.binary, options);
    return codec.framing === "sse" ? sseFrames(codec, options) : lineFrames(options);
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

function sseFrames(codec: StreamCodec, options: FrameOptions): FrameDecoder {
  const sse = sseDecoder(options);
  const issues: Issue[] = [];
  let count = 0;
  const values = (events: ReturnType<typeof sse.push>): Json[] => {
    const parsed: Json[] = [];
    for (const { data } of events) {
      if (data === codec.done || data === "") continue;
      const index = count++;
      try {
        parsed.push(parseFrame(data, options.exact));
      } catch (error) {
        issues.push(notJson(index, `${(error as Error).message}: ${clip(data)}`)); // JSON.parse throws SyntaxError
      }
    }
    return parsed;
  };
  return { push: bytes => values(sse.push(bytes)), end: () => values(sse.end()), issues };
}

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

/** Frames of bytes; or what someone recorded of them as a text of events or lines. */
function bytesOrText(codec: StreamCodec, binary: BinaryFraming, options: FrameOptions): FrameDecoder {
  let chosen: FrameDecoder | undefined;
  const choose = (first: number): FrameDecoder => {
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
function textFrames(lines: Machine<string, Json>): FrameDecoder {
  const text = new ChunkText();
  return {
    push: bytes => lines.push(text.push(bytes)),
    end: () => [...lines.push(text.end()), ...lines.end()],
    issues: [],
  };
}

function lineFrames(options: FrameOptions): FrameDecoder {
  const lines = ndjsonDecoder(options.maxEventBytes === undefined ? {} : { maxLineBytes: options.maxEventBytes });
  const issues: Issue[] = [];
  const values = (read: ReturnType<typeof lines.push>): Json[] =>
    read.flatMap(line => {
      if (line.ok) {
        takeSpelling(line.exact, options.exact);
        return [line.value];
      }
      issues.push(notJson(line.line, `${line.message}: ${clip(line.text)}`));
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
