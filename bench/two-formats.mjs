export { convert } from "../packages/core/dist/convert.js";
export { anthropicMessages } from "../packages/core/dist/formats/anthropic-messages.js";
export { openaiChat } from "../packages/core/dist/formats/openai-chat.js";
