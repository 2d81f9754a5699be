export { anthropicMessages } from "./anthropic-messages/index.ts";
