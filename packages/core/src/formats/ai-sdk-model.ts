export { plain as asJson, withUrls } from "../blocks/ai-sdk/live.ts";
export { aiSdkModel } from "./ai-sdk-model/codec.ts";
export { type ModelMessages, type ModelTool, type ToModelOptions, toModelMessages } from "./ai-sdk-model/from-ui.ts";
export { type ToUIOptions, toUIMessages, type UIMessages } from "./ai-sdk-model/to-ui.ts";
export type { ModelVersion } from "./ai-sdk-model/ui.ts";
