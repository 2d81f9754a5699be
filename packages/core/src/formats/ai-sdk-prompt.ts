export { plain as asJson, withUrls } from "../blocks/ai-sdk/live.ts";
export { aiSdkPrompt } from "./ai-sdk-prompt/index.ts";
