export {
  type CheckedTool,
  type CheckedUIMessage,
  type CheckUIOptions,
  type CheckUISchemas,
  checkUIMessages,
  type StandardValidator,
  type UICheck,
  type UICheckCode,
  type UIVersion,
  uiCheckCodes,
  type ValidatorIssue,
  type ValidatorResult,
} from "./ai-sdk-ui/check.ts";
export {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "./ai-sdk-ui/completeness.ts";
export { aiSdkUi } from "./ai-sdk-ui/index.ts";
export { type DataStreamOptions, dataStreamLines } from "./ai-sdk-ui/v4-stream.ts";
