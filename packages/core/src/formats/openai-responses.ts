export { openaiResponses } from "./openai-responses/index.ts";
