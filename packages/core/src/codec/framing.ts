import type { Issue } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import { type ExactText, parseJson, stringifyJson } from "../model/json-text.ts";
import type { Machine } from "../stream/machine.ts";
import { ndjsonDecoder } from "../stream/ndjson.ts";
import { encodeSse, sseDecoder } from "../stream/sse.ts";
import { ChunkText } from "../stream/text.ts";
import type { StreamCodec } from "./codec.ts";

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
    return codec.framing === "sse" ? sseFrames(codec, options) : lineFrames(options);
  },

  /** `exact`: what the decoder took; whatever of it is written on keeps its spelling. */
  encoder(codec: StreamCodec, exact?: ExactText): Machine<Json, Uint8Array> {
    const utf8 = new TextEncoder();
    if (codec.framing === "ndjson") {
      return { push: event => [utf8.encode(`${stringifyJson(event, exact)}\n`)], end: () => [] };
    }
    const frame = (event: Json): Uint8Array => {
      const name = codec.eventName?.(event);
      return utf8.encode(encodeSse({ data: stringifyJson(event, exact), ...(name !== undefined && { event: name }) }));
    };
    const { done } = codec;
    return {
      push: event => [frame(event)],
      end: () => (done === undefined ? [] : [utf8.encode(encodeSse({ data: done }))]),
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
        parsed.push(read(data, options.exact));
      } catch (error) {
        issues.push(notJson(index, `${(error as Error).message}: ${clip(data)}`)); // JSON.parse throws SyntaxError
      }
    }
    return parsed;
  };
  return { push: bytes => values(sse.push(bytes)), end: () => values(sse.end()), issues };
}

/** Numbers that JavaScript may spell otherwise: long ones, with an exponent, with a zero at the end, less than nothing. */
const oddNumber = /\d{16}|\d[eE][+\-\d]|\d\.\d*0(?!\d)|-0(?![.\d])/;

/** A frame's JSON. Only where a number may be odd is it read slowly. Throws `SyntaxError`. */
function read(text: string, exact: ExactText | undefined): Json {
  const value = JSON.parse(text) as Json; // JSON.parse gives JSON
  if (!exact || !oddNumber.test(text)) return value;
  const parsed = parseJson(text);
  take(parsed.exact, exact);
  return parsed.value;
}

function take(from: ExactText | undefined, to: ExactText | undefined): void {
  if (!from || !to) return;
  for (const [holder, texts] of from.numbers) to.numbers.set(holder, texts);
  for (const [holder, members] of from.members) to.members.set(holder, members);
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
        take(line.exact, options.exact);
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
