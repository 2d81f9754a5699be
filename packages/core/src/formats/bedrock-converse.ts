export type { BinaryFrameDecoder as EventStreamDecoder } from "../codec/binary-frames.ts";
export { eventStreamDecoder, eventStreamEncoder } from "./bedrock-converse/event-stream.ts";
export { bedrockConverse } from "./bedrock-converse/index.ts";
export { fromSdk, type SdkValue, toSdk } from "./bedrock-converse/sdk.ts";
