import type { Issue } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import { type ExactText, stringifyJson } from "../model/json-text.ts";
import type { Machine } from "../stream/machine.ts";
import { encodeSse } from "../stream/sse.ts";
import { binaryDecoder } from "./binary-frames.ts";
import type { BinaryFraming, StreamCodec } from "./codec.ts";
import { reportLate } from "./stream-issues.ts";
import { chosenFrames, type FrameOptions, type Frames, textFrames } from "./text-frames.ts";

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

/** Bytes ↔ wire events, by a format's framing. */
export const frames = {
  /** A frame that is no JSON becomes an issue, and the stream goes on. */
  decoder(codec: StreamCodec, options: FrameOptions = {}): FrameDecoder {
    return upToEnd(codec, codec.binary ? bytesOrText(codec, codec.binary, options) : textFrames(codec, options));
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

/** Frames of bytes; or what someone recorded of them as text. */
const bytesOrText = (codec: StreamCodec, binary: BinaryFraming, options: FrameOptions): Frames =>
  chosenFrames((bytes = "") => {
    const first = typeof bytes === "string" ? bytes.charCodeAt(0) : bytes[0];
    if (first === undefined || Number.isNaN(first)) return undefined;
    if (isTextBegin(first)) return textFrames(codec, options);
    const { push, ...decoder } = binaryDecoder(binary, options);
    return { ...decoder, push: piece => push(typeof piece === "string" ? new TextEncoder().encode(piece) : piece) };
  });
