export { openaiChat } from "./openai-chat/index.ts";
