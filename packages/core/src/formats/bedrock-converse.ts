export { type EventStreamDecoder, eventStreamDecoder, eventStreamEncoder } from "./bedrock-converse/event-stream.ts";
export { bedrockConverse } from "./bedrock-converse/index.ts";
export { fromSdk, type SdkValue, toSdk } from "./bedrock-converse/sdk.ts";
