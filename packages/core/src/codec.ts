/** What one writes a format with. */
export {
  type Codec,
  type DecodeContext,
  defineCodec,
  type EncodeContext,
  type Holds,
  type LossTable,
  type PartHolds,
  type Recipient,
  type Shape,
  type Sniff,
  type StreamCodec,
  type TextCodec,
  type TextOptions,
  type Unsupported,
  unsupported,
} from "./codec/codec.ts";
export { defined, fill, native, Reader } from "./codec/reader.ts";
