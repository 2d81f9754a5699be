import type { Codec } from "../codec/codec.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import { aiSdkPrompt } from "./ai-sdk-prompt.ts";
import { aiSdkUi } from "./ai-sdk-ui.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { bedrockConverse } from "./bedrock-converse.ts";
import { cohere } from "./cohere.ts";
import { gemini } from "./gemini.ts";
import { geminiInteractions } from "./gemini-interactions.ts";
import { huajuan } from "./huajuan.ts";
import { langchain } from "./langchain.ts";
import { langchainEvents } from "./langchain-events.ts";
import { lighter } from "./lighter.ts";
import { maf } from "./maf.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

/** Every format, one line each, alphabetical. Being here is being supported. */
export const registry = {
  "ai-sdk-model": aiSdkModel,
  "ai-sdk-prompt": aiSdkPrompt,
  "ai-sdk-ui": aiSdkUi,
  "anthropic-messages": anthropicMessages,
  "bedrock-converse": bedrockConverse,
  cohere,
  gemini,
  "gemini-interactions": geminiInteractions,
  huajuan,
  langchain,
  "langchain-events": langchainEvents,
  lighter,
  maf,
  mistral,
  ollama,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
} as const satisfies Record<string, Codec>;
