/** The conversions over codec objects, each from its own subpath, so that a browser bundles only the formats it uses. */
export type { BinaryFraming, Codec, Recipient, Shape } from "./codec/codec.ts";
export { type Converted, type ConvertOptions, convertWith as convert } from "./codec/convert.ts";
export { type Decoded, type DecodeOptions, decodeWith as decode } from "./codec/decode.ts";
export { type DecodedAll, decodeAllWith as decodeAll } from "./codec/decode-all.ts";
export { type Detected, type DetectHint, detectWith as detect } from "./codec/detect.ts";
export { type Encoded, type EncodeOptions, encodeAs, encodeWith as encode } from "./codec/encode.ts";
export { type FrameDecoder, frames } from "./codec/framing.ts";
export { type ReadsOptions, readsWith as reads } from "./codec/recipient.ts";
export { readTextWith as readText, type WriteTextOptions, writeTextWith as writeText } from "./codec/text.ts";
export {
  type ReportingMachine,
  streamDecoderWith as streamDecoder,
  streamEncoderWith as streamEncoder,
  transcodeWith as transcode,
} from "./codec/transcode.ts";
