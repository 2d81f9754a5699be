import type { Told } from "../../told.ts";
import { anthropicTold } from "./anthropic.ts";
import { bedrockTold } from "./bedrock.ts";
import { anyChatTold, cohereTold, deepseekTold, groqTold, mistralTold, ollamaTold, xaiTold } from "./chat-servers.ts";
import { geminiTold } from "./gemini.ts";
import { openaiChatTold, openaiResponsesTold } from "./openai.ts";

/** Hosts and servers of others' models pass on what those say. */
const passedOn: readonly Told[] = [
  ...anyChatTold,
  ...deepseekTold,
  ...groqTold,
  ...mistralTold,
  ...xaiTold,
  ...anthropicTold,
  ...geminiTold,
  ...bedrockTold,
];

const byTarget: { readonly [target: string]: readonly Told[] } = {
  "anthropic-messages": anthropicTold,
  "azure-openai-chat": openaiChatTold,
  "azure-openai-responses": openaiResponsesTold,
  "bedrock-converse": bedrockTold,
  chat: passedOn,
  cohere: cohereTold,
  "deepseek-chat": deepseekTold,
  "deepseek-responses": openaiResponsesTold,
  gemini: geminiTold,
  groq: groqTold,
  mistral: mistralTold,
  ollama: ollamaTold,
  "openai-chat": openaiChatTold,
  "openai-responses": openaiResponsesTold,
  openrouter: passedOn,
  responses: openaiResponsesTold,
  vertex: geminiTold,
  xai: xaiTold,
};

/** What a target's error texts say beside those of its rules. */
export const toldBy = (target: string): readonly Told[] =>
  Object.hasOwn(byTarget, target) ? (byTarget[target] ?? []) : [];
