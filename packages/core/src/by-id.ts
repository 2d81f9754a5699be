import type { Codec } from "./codec/codec.ts";
import { type Converted, type ConvertOptions, convertWith } from "./codec/convert.ts";
import { type Decoded, type DecodeOptions, decodeWith } from "./codec/decode.ts";
import { type DecodedAll, decodeAllWith } from "./codec/decode-all.ts";
import { type Detected, type DetectHint, detectWith } from "./codec/detect.ts";
import { type Encoded, type EncodeOptions, encodeWith } from "./codec/encode.ts";
import { readTextWith, type WriteTextOptions, writeTextWith } from "./codec/text.ts";
import {
  type ReportingMachine,
  type StreamDecodeOptions,
  type StreamEncodeOptions,
  streamDecoderWith,
  streamEncoderWith,
  type TranscodeOptions,
  transcodeWith,
} from "./codec/transcode.ts";
import { registry } from "./formats/registry.ts";
import type { Conversation } from "./model/conversation.ts";
import { TranslogueError } from "./model/error.ts";
import type { Event } from "./model/events.ts";
import type { Json } from "./model/json.ts";
import type { ParsedJson } from "./model/json-text.ts";
import { callback, demandOptions, flag, type OptionRules, text } from "./model/options.ts";
import { nearest } from "./model/spelling.ts";

export type FormatId = keyof typeof registry;
/** A format, or a format and one of its dialects: `ai-sdk-ui:v7`. */
export type FormatRef = FormatId | `${FormatId}:${string}`;

/** Every format, in the order of the alphabet. */
export const formats: readonly Codec[] = Object.values(registry);

/** The codec and dialect of a reference. Throws `format/unknown` naming the nearest, `format/unknown-dialect` naming those there are. */
export function findFormat(ref: string): { readonly codec: Codec; readonly dialect?: string } {
  if (typeof ref !== "string") throw unnamed(ref);
  const [id = "", dialect] = splitRef(ref);
  const codec = formats.find(format => format.id === id);
  if (!codec) {
    const known = formats.map(format => format.id);
    const meant = nearest(id, known);
    const hint = meant === undefined ? "." : `; did you mean \`${meant}\`?`;
    throw new TranslogueError("format/unknown", `there is no format \`${id}\`${hint} There are ${known.join(", ")}`, {
      data: { format: id, known },
    });
  }
  if (dialect === undefined) return { codec };
  if (!codec.dialects.includes(dialect)) {
    const message = `\`${id}\` has no dialect \`${dialect}\`; it has ${codec.dialects.join(", ")}`;
    throw new TranslogueError("format/unknown-dialect", message, {
      data: { format: id, dialect, known: codec.dialects },
    });
  }
  return { codec, dialect };
}

/** A call that names no format: `decode(value)`, `convert(value, {})`. */
const unnamed = (given: unknown): TranslogueError =>
  new TranslogueError(
    "format/unknown",
    `no format is named: give its id, as in \`decode(value, "openai-chat")\` and \`convert(value, { to: "openai-chat" })\`; there are ${formats.map(({ id }) => id).join(", ")}`,
    { data: { format: given } },
  );

const splitRef = (ref: string): [string, string | undefined] => {
  const colon = ref.indexOf(":");
  return colon < 0 ? [ref, undefined] : [ref.slice(0, colon), ref.slice(colon + 1)];
};

const decoding: OptionRules<DecodeOptions & { readonly from: FormatRef }> = {
  from: undefined,
  shape: text,
  dialect: text,
  newId: callback,
  carry: flag,
  exact: undefined,
};
const encoding: OptionRules<EncodeOptions & { readonly to: FormatRef }> = {
  to: undefined,
  shape: text,
  dialect: text,
  recipient: undefined,
  carry: flag,
  strictTools: flag,
};
const converting: OptionRules<ConvertOptions & { readonly from?: FormatRef; readonly to: FormatRef }> = {
  ...{ from: undefined, to: undefined, as: text, recipient: undefined, carry: flag },
  ...{ shape: text, dialect: text, toDialect: text, newId: callback, exact: undefined },
};

/** A format's name, or options with it. Throws `format/unknown`, `options/invalid`. */
function optionsOf<Options extends object, Name extends keyof Options>(
  given: FormatRef | Options,
  name: Name,
  rules: OptionRules<Options>,
): Options | { readonly [name in Name]: FormatRef } {
  if (typeof given === "string") return { [name]: given } as { readonly [name in Name]: FormatRef }; // a computed key widens to string
  if (typeof given !== "object" || given === null || given[name] === undefined) throw unnamed(given);
  demandOptions(given, rules);
  return given;
}

/** Reads a value of a format. */
export function decode(value: unknown, from: FormatRef | (DecodeOptions & { readonly from: FormatRef })): Decoded {
  const { from: ref, ...options } = optionsOf(from, "from", decoding);
  const { codec, ...dialect } = findFormat(ref);
  return decodeWith(codec, value, { ...dialect, ...options });
}

/** Reads text of one JSON value a line. */
export function decodeAll(text: string, from: FormatRef | (DecodeOptions & { readonly from: FormatRef })): DecodedAll {
  const { from: ref, ...options } = optionsOf(from, "from", decoding);
  const { codec, ...dialect } = findFormat(ref);
  return decodeAllWith(codec, text, { ...dialect, ...options });
}

/** Writes a conversation in a format. */
export function encode(
  conversation: Conversation,
  to: FormatRef | (EncodeOptions & { readonly to: FormatRef }),
): Encoded {
  const { to: ref, ...options } = optionsOf(to, "to", encoding);
  const { codec, ...dialect } = findFormat(ref);
  return encodeWith(codec, conversation, { ...dialect, ...options });
}

type ConvertByIdOptions = ConvertOptions & { readonly from?: FormatRef; readonly to: FormatRef };

/** A value of one format as one of another. Without `from` the format is detected. */
export function convert(value: unknown, options: ConvertByIdOptions): Converted {
  const { from, to, ...rest }: ConvertByIdOptions = optionsOf<ConvertByIdOptions, "to">(options, "to", converting);
  const source = findFormat(from ?? surest(value));
  const target = findFormat(to);
  return convertWith(
    value,
    { from: source.codec, to: target.codec },
    {
      ...(source.dialect !== undefined && { dialect: source.dialect }),
      ...(target.dialect !== undefined && { toDialect: target.dialect }),
      ...rest,
    },
  );
}

/** Text of a format → its wire value, with the source text of what JavaScript cannot hold. Throws `SyntaxError` where it is no such text. */
export const readText = (text: string, from: FormatRef): ParsedJson => readTextWith(findFormat(from).codec, text);

/** A wire value as the format's own text: byte for byte as its makers write it, where they fix bytes. */
export function writeText(value: unknown, to: FormatRef, options: WriteTextOptions = {}): string {
  const { codec, ...dialect } = findFormat(to);
  return writeTextWith(codec, value, { ...dialect, ...options });
}

/** The formats that a value may be, the surest first. */
export const detect = (value: unknown, hint?: DetectHint): Detected[] => detectWith(formats, value, hint);

/** Bytes of one format's stream → bytes of another's, as they arrive. */
export function transcode(
  from: FormatRef,
  to: FormatRef,
  options: TranscodeOptions = {},
): ReportingMachine<Uint8Array, Uint8Array> {
  const source = findFormat(from);
  const target = findFormat(to);
  return transcodeWith(
    { from: source.codec, to: target.codec },
    {
      ...(source.dialect !== undefined && { dialect: source.dialect }),
      ...(target.dialect !== undefined && { toDialect: target.dialect }),
      ...options,
    },
  );
}

/** Wire events of a format → events. */
export function streamDecoder(from: FormatRef, options: StreamDecodeOptions = {}): ReportingMachine<Json, Event> {
  const { codec, ...dialect } = findFormat(from);
  return streamDecoderWith(codec, { ...dialect, ...options });
}

/** Events → wire events of a format. */
export function streamEncoder(to: FormatRef, options: StreamEncodeOptions = {}): ReportingMachine<Event, Json> {
  const { codec, ...dialect } = findFormat(to);
  return streamEncoderWith(codec, { ...dialect, ...options });
}

function surest(value: unknown): FormatRef {
  const [first, ...others] = detect(value);
  const rival = others.find(({ format }) => format !== first?.format);
  if (first && first.confidence > (rival?.confidence ?? 0)) return first.format as FormatId; // detect gives registered ids
  const message = first
    ? `the value fits ${first.format} and ${rival?.format} as well; name one in \`from\``
    : "the value fits no format; name the one it is in `from`, and `decode` will say what is wrong";
  throw new TranslogueError("format/not-detected", message);
}
