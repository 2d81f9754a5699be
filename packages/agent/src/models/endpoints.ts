// table: the hosts. This is the one place of the agent that names a format.
import { isJsonObject, type JsonObject } from "translogue";
import { anthropicMessages } from "translogue/anthropic-messages";
import { bedrockConverse } from "translogue/bedrock-converse";
import { cohere } from "translogue/cohere";
import type { Codec } from "translogue/convert";
import { gemini } from "translogue/gemini";
import { geminiInteractions } from "translogue/gemini-interactions";
import { mistral } from "translogue/mistral";
import { ollama } from "translogue/ollama";
import { openaiChat } from "translogue/openai-chat";
import { openaiResponses } from "translogue/openai-responses";
import type { StoredAnswers } from "./stored-answers.ts";

/** Where a model is reached, and what the host wants that its format does not say. */
export interface Endpoint {
  /** The provider in `provider/model`. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  readonly codec: Codec;
  readonly dialect?: string;
  /** What it takes: the id of a target of `translogue/targets`, for which histories are repaired. Absent: nobody knows, they go as they are. */
  readonly target?: string;
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
  /** It caches prompts as far as marks in the request say; others do by themselves, or not at all. */
  readonly cacheMarks?: true;
  /** Members of every request, beside what the conversation says. */
  readonly body?: JsonObject;
  /** Names of its failures that say no more than that it is asked too much, where other hosts mean more by them. */
  readonly limitNames?: readonly string[];
  /** It keeps its answers, where it is asked to. */
  readonly stored?: StoredAnswers;
  /** Where the provider's official client takes a request. */
  readonly client?: {
    /** Path to the method: `chat.completions.create`. */
    readonly method: string;
    /** What the method is called with. Default: the body, and `{ signal }`. */
    readonly arguments?: (body: JsonObject, signal: AbortSignal | undefined) => readonly unknown[];
  };
}

const chat = {
  codec: openaiChat,
  target: "chat",
  path: "/chat/completions",
  client: { method: "chat.completions.create" },
  body: { stream: true, stream_options: { include_usage: true } },
} as const;

const working: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

/** The `openai` package 6 (`responses.create`, `responses.retrieve`), read 2026-11-30. A conversation has an id of its own, or that of its last answer. */
const responsesStore: StoredAnswers = {
  read: value => {
    const { sequence_number: position, response = "type" in value ? undefined : value } = value;
    const { id, status } = isJsonObject(response) ? response : {};
    return {
      ...(typeof id === "string" && { id }),
      ...(typeof position === "number" && { position }),
      ...(typeof status === "string" && { isOpen: working.has(status) }),
    };
  },
  background: { background: true, store: true },
  kept: { store: true },
  after: id => (id.startsWith("conv_") ? { conversation: id } : { previous_response_id: id }),
  next: (id, answer) => (id?.startsWith("conv_") ? id : answer),
  path: (answer, isStreamed) => `/responses/${encodeURIComponent(answer)}${isStreamed ? "?stream=true" : ""}`,
  // https://platform.openai.com/docs/api-reference/responses/cancel (2026-12-01): of those in the background alone; twice is once.
  cancelPath: answer => `/responses/${encodeURIComponent(answer)}/cancel`,
  retrieve: "responses.retrieve",
  cancel: "responses.cancel",
};

/** @google/genai takes the body's other members in one `config`, and those of `generationConfig` flat in it. */
function googleArguments(body: JsonObject, signal: AbortSignal | undefined): readonly unknown[] {
  const { model, contents, generationConfig, ...others } = body;
  const generation = isJsonObject(generationConfig) ? generationConfig : {};
  return [{ model, contents, config: { ...others, ...generation, ...(signal && { abortSignal: signal }) } }];
}

/** A host in the internet: its key and, for a proxy before it, its address are found under its name. */
const hosted = (id: string, title: string, variable: string) =>
  ({
    id,
    title,
    baseUrlVariable: `${variable}_BASE_URL`,
    keyVariable: `${variable}_API_KEY`,
    needsKey: true,
  }) as const;

/** A server on the user's own machine: it may have a key. */
const local = (id: string, title: string, variable: string, port: number) =>
  ({
    ...chat,
    id,
    title,
    dialect: id,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    baseUrlVariable: `${variable}_BASE_URL`,
    isLocal: true,
  }) as const;

/** Facts: the hosts' documentation, read 2026-11-30. */
export const endpoints: readonly Endpoint[] = [
  {
    ...chat,
    ...hosted("openai", "OpenAI", "OPENAI"),
    dialect: "openai",
    target: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
  },
  {
    ...hosted("openai-responses", "OpenAI Responses", "OPENAI"),
    codec: openaiResponses,
    dialect: "openai",
    target: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    path: "/responses",
    client: { method: "responses.create" },
    body: { stream: true },
    stored: responsesStore,
  },
  {
    ...hosted("anthropic", "Anthropic", "ANTHROPIC"),
    codec: anthropicMessages,
    dialect: "anthropic",
    target: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    path: "/v1/messages",
    keyHeader: "x-api-key",
    headers: { "anthropic-version": "2023-06-01" },
    cacheMarks: true,
    client: { method: "messages.create" },
    body: { stream: true },
  },
  {
    ...hosted("google", "Google Gemini", "GEMINI"),
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    codec: gemini,
    target: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com",
    // `:generateContent` answers as a whole.
    path: "/v1beta/models/{model}:streamGenerateContent?alt=sse",
    keyHeader: "x-goog-api-key",
    client: { method: "models.generateContentStream", arguments: googleArguments },
  },
  {
    ...hosted("google-interactions", "Google Gemini Interactions", "GEMINI"),
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    codec: geminiInteractions,
    baseUrl: "https://generativelanguage.googleapis.com",
    path: "/v1beta/interactions",
    keyHeader: "x-goog-api-key",
    client: { method: "interactions.create" },
    body: { stream: true },
  },
  {
    ...hosted("mistral", "Mistral", "MISTRAL"),
    codec: mistral,
    target: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    path: "/chat/completions",
    body: { stream: true },
  },
  {
    ...hosted("cohere", "Cohere", "COHERE"),
    codec: cohere,
    target: "cohere",
    baseUrl: "https://api.cohere.com",
    path: "/v2/chat",
    body: { stream: true },
  },
  {
    ...chat,
    ...hosted("openrouter", "OpenRouter", "OPENROUTER"),
    dialect: "openrouter",
    target: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
  },
  {
    ...chat,
    ...hosted("deepseek", "DeepSeek", "DEEPSEEK"),
    dialect: "deepseek",
    target: "deepseek-chat",
    baseUrl: "https://api.deepseek.com/v1",
  },
  {
    ...chat,
    ...hosted("groq", "Groq", "GROQ"),
    dialect: "groq",
    target: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
  },
  { ...chat, ...hosted("xai", "xAI", "XAI"), dialect: "xai", target: "xai", baseUrl: "https://api.x.ai/v1" },
  {
    ...chat,
    ...hosted("together", "Together", "TOGETHER"),
    dialect: "together",
    baseUrl: "https://api.together.ai/v1",
  },
  {
    ...chat,
    ...hosted("moonshot", "Moonshot", "MOONSHOT"),
    dialect: "moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
  },
  {
    ...chat,
    ...hosted("alibaba", "Alibaba Model Studio (Qwen)", "DASHSCOPE"),
    dialect: "alibaba",
    // https://help.aliyun.com/en/model-studio/error-code-start (2026-12-01): its limit of tokens a minute.
    limitNames: ["insufficient_quota"],
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  },
  {
    ...chat,
    ...hosted("cerebras", "Cerebras", "CEREBRAS"),
    dialect: "cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
  },
  { ...chat, ...hosted("perplexity", "Perplexity", "PERPLEXITY"), baseUrl: "https://api.perplexity.ai" },
  { ...local("ollama", "Ollama", "OLLAMA", 11_434), keyVariable: "OLLAMA_API_KEY" },
  {
    // Its own API, which says more than the one that it shares with OpenAI. Found under `ollama`.
    codec: ollama,
    target: "ollama",
    id: "ollama-native",
    title: "Ollama's own API",
    baseUrl: "http://127.0.0.1:11434",
    baseUrlVariable: "OLLAMA_HOST",
    keyVariable: "OLLAMA_API_KEY",
    path: "/api/chat",
    client: { method: "chat" },
    body: { stream: true },
  },
  { ...local("lmstudio", "LM Studio", "LMSTUDIO", 1234), keyVariable: "LMSTUDIO_API_KEY" },
  { ...local("llama.cpp", "llama.cpp", "LLAMA_CPP", 8080), keyVariable: "LLAMA_API_KEY" },
  { ...local("vllm", "vLLM", "VLLM", 8000), keyVariable: "VLLM_API_KEY" },
];

/** Any other host that speaks OpenAI's Chat API. */
export const compatibleEndpoint = (id: string, baseUrl: string): Endpoint => ({
  ...chat,
  id,
  title: id,
  baseUrl: baseUrl.replace(/\/+$/, ""),
});

/** OpenAI's models on Azure (API v1): the resource's name, or its whole address. A model is the name of its deployment. */
export const azureEndpoint = (resource: string): Endpoint => ({
  ...hosted("azure", "Azure OpenAI", "AZURE_OPENAI"),
  codec: openaiResponses,
  dialect: "azure",
  target: "azure-openai-responses",
  baseUrl: /^https?:/.test(resource) ? resource.replace(/\/+$/, "") : `https://${resource}.openai.azure.com/openai/v1`,
  path: "/responses",
  keyHeader: "api-key",
  client: { method: "responses.create" },
  body: { stream: true },
  stored: responsesStore,
});

/**
 * Amazon Bedrock by an API key of its own (`AWS_BEARER_TOKEN_BEDROCK`). Signed requests go by AWS's client:
 * `clientModel` with a function that sends.
 */
export const bedrockEndpoint = (region: string): Endpoint => ({
  codec: bedrockConverse,
  target: "bedrock-converse",
  id: "bedrock",
  title: "Amazon Bedrock",
  baseUrl: `https://bedrock-runtime.${region}.amazonaws.com`,
  baseUrlVariable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  needsKey: true,
  cacheMarks: true,
  path: "/model/{model}/converse-stream",
});
