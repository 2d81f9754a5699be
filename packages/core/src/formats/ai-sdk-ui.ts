export { aiSdkUi } from "./ai-sdk-ui/index.ts";
