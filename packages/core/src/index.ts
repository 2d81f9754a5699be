/** The message layer by format ids. For codec objects, so that a bundle has only the formats it uses: `translogue/convert`. */

export {
  convert,
  decode,
  decodeAll,
  detect,
  encode,
  type FormatId,
  type FormatRef,
  findFormat,
  formats,
  readText,
  streamDecoder,
  streamEncoder,
  transcode,
  writeText,
} from "./by-id.ts";
export type { Codec, Recipient, Shape } from "./codec/codec.ts";
export type { Converted, ConvertOptions } from "./codec/convert.ts";
export type { Decoded, DecodeOptions } from "./codec/decode.ts";
export type { DecodedAll } from "./codec/decode-all.ts";
export type { Detected, DetectHint } from "./codec/detect.ts";
export type { Encoded, EncodeOptions } from "./codec/encode.ts";
export type { WriteTextOptions } from "./codec/text.ts";
export type {
  ReportingMachine,
  StreamDecodeOptions,
  StreamEncodeOptions,
  TranscodeOptions,
} from "./codec/transcode.ts";
export * from "./model/build.ts";
export { check, checkEvent, checkMessage, conversationSchema } from "./model/check.ts";
export { context, type ReadsCompaction } from "./model/context.ts";
export type { Conversation, FinishReason, Message, Role, Settings, Tool, Usage } from "./model/conversation.ts";
export { type ErrorOptions, isError, TranslogueError } from "./model/error.ts";
export type { Event, EventType, MessageHead, PartMembers, StreamError } from "./model/events.ts";
export { formatPath, type Issue, type Loss, type LossKind, type Path, type Severity } from "./model/issue.ts";
export {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "./model/json.ts";
export {
  type ExactText,
  exactTable as exactTextOf,
  inputTextOf,
  type ParsedJson,
  parseJson,
  stringifyJson,
} from "./model/json-text.ts";
export { pairResults } from "./model/pairing.ts";
export type * from "./model/parts.ts";
export { eventJsonSchema, jsonSchema } from "./model/schema.ts";
export { mapParts, walk } from "./model/walk.ts";
export { type Accumulator, type AccumulatorOptions, accumulate, accumulator } from "./stream/accumulate.ts";
export { emit } from "./stream/emit.ts";
export { type Machine, pipe, run, runAll, toTransformStream } from "./stream/machine.ts";
export { encodeNdjson, type JsonLine, type NdjsonOptions, ndjsonDecoder, ndjsonEncoder } from "./stream/ndjson.ts";
export { type JsonFault, type PartialJson, type PartialJsonState, partialJson } from "./stream/partial-json.ts";
export { encodeSse, encodeSseComment, type SseEvent, type SseOptions, sseDecoder, sseEncoder } from "./stream/sse.ts";
