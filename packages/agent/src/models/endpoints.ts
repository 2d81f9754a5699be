// table: the hosts. This is the one place of the agent that names a format.
import type { JsonObject } from "translogue";
import { anthropicMessages } from "translogue/anthropic-messages";
import type { Codec } from "translogue/convert";
import { gemini } from "translogue/gemini";
import { openaiChat } from "translogue/openai-chat";
import { openaiResponses } from "translogue/openai-responses";

/** Where a model is reached, and what the host wants that its format does not say. */
export interface Endpoint {
  /** The provider in `provider/model`. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  readonly codec: Codec;
  readonly dialect?: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** `{model}` stands for the model; a body does not name it then. */
  readonly path: string;
  /** Environment variable that may hold another base URL. */
  readonly baseUrlVariable?: string;
  /** Environment variable that may hold the key. */
  readonly keyVariable?: string;
  /** The header that takes the key. Absent: it is sent as `Authorization: Bearer`. */
  readonly keyHeader?: string;
  readonly needsKey?: true;
  /** A server on the user's own machine. */
  readonly isLocal?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of every request, beside what the conversation says. */
  readonly body?: JsonObject;
}

const chat = {
  codec: openaiChat,
  path: "/chat/completions",
  body: { stream: true, stream_options: { include_usage: true } },
} as const;

/** Facts: the hosts' documentation, read 2026-11-30. */
export const endpoints: readonly Endpoint[] = [
  {
    ...chat,
    id: "openai",
    title: "OpenAI",
    dialect: "openai",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariable: "OPENAI_API_KEY",
    needsKey: true,
  },
  {
    codec: openaiResponses,
    path: "/responses",
    body: { stream: true },
    id: "openai-responses",
    title: "OpenAI Responses",
    dialect: "openai",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariable: "OPENAI_API_KEY",
    needsKey: true,
  },
  {
    codec: anthropicMessages,
    path: "/v1/messages",
    body: { stream: true },
    headers: { "anthropic-version": "2023-06-01" },
    id: "anthropic",
    title: "Anthropic",
    dialect: "anthropic",
    baseUrl: "https://api.anthropic.com",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariable: "ANTHROPIC_API_KEY",
    keyHeader: "x-api-key",
    needsKey: true,
  },
  {
    codec: gemini,
    // `:generateContent` answers as a whole.
    path: "/v1beta/models/{model}:streamGenerateContent?alt=sse",
    id: "google",
    title: "Google Gemini",
    baseUrl: "https://generativelanguage.googleapis.com",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    keyVariable: "GEMINI_API_KEY",
    keyHeader: "x-goog-api-key",
    needsKey: true,
  },
  {
    ...chat,
    id: "openrouter",
    title: "OpenRouter",
    dialect: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    baseUrlVariable: "OPENROUTER_BASE_URL",
    keyVariable: "OPENROUTER_API_KEY",
    needsKey: true,
  },
  {
    ...chat,
    id: "ollama",
    title: "Ollama",
    dialect: "ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    baseUrlVariable: "OLLAMA_BASE_URL",
    keyVariable: "OLLAMA_API_KEY",
    isLocal: true,
  },
  {
    ...chat,
    id: "lmstudio",
    title: "LM Studio",
    dialect: "lmstudio",
    baseUrl: "http://127.0.0.1:1234/v1",
    baseUrlVariable: "LMSTUDIO_BASE_URL",
    keyVariable: "LMSTUDIO_API_KEY",
    isLocal: true,
  },
  {
    ...chat,
    id: "llama.cpp",
    title: "llama.cpp",
    dialect: "llama.cpp",
    baseUrl: "http://127.0.0.1:8080/v1",
    baseUrlVariable: "LLAMA_CPP_BASE_URL",
    keyVariable: "LLAMA_API_KEY",
    isLocal: true,
  },
  {
    ...chat,
    id: "vllm",
    title: "vLLM",
    dialect: "vllm",
    baseUrl: "http://127.0.0.1:8000/v1",
    baseUrlVariable: "VLLM_BASE_URL",
    keyVariable: "VLLM_API_KEY",
    isLocal: true,
  },
];

/** Any other host that speaks OpenAI's Chat API. */
export const compatibleEndpoint = (id: string, baseUrl: string): Endpoint => ({
  ...chat,
  id,
  title: id,
  baseUrl: baseUrl.replace(/\/+$/, ""),
});
