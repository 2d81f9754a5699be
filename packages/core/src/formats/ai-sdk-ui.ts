export { aiSdkUi } from "./ai-sdk-ui/index.ts";
export { dataStreamLines } from "./ai-sdk-ui/v4-stream.ts";
