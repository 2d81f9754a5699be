import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isErrorBody } from "./error.ts";

/** Of how many messages and chunks is looked at: the rest is of the same kind. */
const looked = 50;

/**
 * The readings of a value as Mistral's. It is told from OpenAI's Chat by members, chunks and ids of its own, and by the
 * names of its models; what has none of them may be either, and is told by its host.
 */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  const { choices, messages, object } = value;
  if (Array.isArray(choices)) return sniffBody(value, choices);
  if (object === "chat.completion") return [found("answer", 0.3, ["object"])];
  if (Array.isArray(messages)) return sniffRequest(value, messages);
  const error = sniffError(value);
  if (error) return [error];
  const signs = signsOf([value]);
  return signs ? [found("message", signs.keys.length > 0 ? 0.92 : 0.2, signs.keys)] : [];
}

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[]): Sniff => ({
  shape,
  confidence,
  keys: keys.length > 0 ? keys : ["role"],
});

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const [first] = list;
  if (first === undefined) return [];
  if (isJsonObject(first) && Array.isArray(first["choices"]) && isChunk(first, first["choices"])) {
    const chunks = list.slice(0, looked).flatMap(chunk => (isJsonObject(chunk) ? choicesOf(chunk["choices"]) : []));
    const keys = [...headKeys(first), ...messageKeys(chunks.map(choice => choice["delta"] ?? null))];
    return [found("stream", keys.length > 0 ? 0.99 : 0.6, ["choices", ...keys])];
  }
  const signs = signsOf(list);
  return signs ? [found("messages", signs.keys.length > 0 ? 0.92 : 0.25, signs.keys)] : [];
}

const choicesOf = (choices: Json | undefined): JsonObject[] =>
  Array.isArray(choices) ? (choices as readonly Json[]).filter(isJsonObject) : []; // a list of JSON

const isChunk = ({ object }: JsonObject, choices: readonly Json[]): boolean => {
  const [choice] = choices;
  return object === "chat.completion.chunk" || (isJsonObject(choice) && isJsonObject(choice["delta"]));
};

function sniffBody(value: JsonObject, choices: readonly Json[]): readonly Sniff[] {
  if (isChunk(value, choices)) return sniffList([value]);
  const list = choicesOf(choices);
  const isOthersId = typeof value["id"] === "string" && value["id"].startsWith("chatcmpl-");
  if (isOthersId || otherHosts.some(member => Object.hasOwn(value, member))) return [found("answer", 0.2, ["choices"])];
  const isAnswer = value["object"] === "chat.completion" || list.some(choice => isJsonObject(choice["message"]));
  if (!isAnswer) return [];
  const keys = [...headKeys(value), ...messageKeys(list.map(choice => choice["message"] ?? null))];
  if (list.some(choice => choice["finish_reason"] === "model_length")) keys.push("finish_reason");
  return [found("answer", keys.length > 0 ? 0.99 : 0.6, ["choices", ...keys])];
}

/** What only other hosts' answers say. */
const otherHosts = [
  "system_fingerprint",
  "x_groq",
  "provider",
  "citations",
  "prompt_filter_results",
  "kv_transfer_params",
];

/** Mistral names its models without a maker before them; who hosts them elsewhere puts one there, or spells them otherwise. */
const models =
  /^(?:open-)?(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral|labs-mistral)-[a-z0-9.-]*(?:latest|\d{4})$|^open-mi[sx]tral-/;

const isOwnModel = (model: Json | undefined): boolean => typeof model === "string" && models.test(model);

/** What an answer says of itself as only Mistral does: its ids are 32 digits of a hash, without a word before them. */
function headKeys(body: JsonObject): string[] {
  const usage = isJsonObject(body["usage"]) ? body["usage"] : {};
  const isOwnId = typeof body["id"] === "string" && /^[0-9a-f]{32}$/.test(body["id"]);
  return [
    ...(isOwnModel(body["model"]) && isOwnId ? ["model"] : []),
    ...["prompt_audio_seconds", "num_cached_tokens"].filter(member => Object.hasOwn(usage, member)),
  ];
}

// histories

/** Members that only a request to Mistral has, and those that it does not take. */
const own = ["random_seed", "safe_prompt", "prompt_mode", "guardrails"];
const foreign = [
  "max_completion_tokens",
  "stream_options",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "seed",
  "user",
  "store",
  "functions",
  "system",
];

function sniffRequest(value: JsonObject, messages: readonly Json[]): readonly Sniff[] {
  const signs = signsOf(messages);
  const [tool] = Array.isArray(value["tools"]) ? (value["tools"] as readonly Json[]) : []; // a list of JSON
  const isForeignTool = isJsonObject(tool) && (Object.hasOwn(tool, "input_schema") || Object.hasOwn(tool, "toolSpec"));
  if (!signs || isForeignTool) return [];
  const keys = own.filter(member => Object.hasOwn(value, member));
  const isForeign = foreign.some(member => Object.hasOwn(value, member));
  if (keys.length > 0) return [found("request", 0.95, [...keys, ...signs.keys])];
  if (isForeign) return [found("request", 0.2, signs.keys)];
  const all = [
    ...signs.keys,
    ...(isOwnModel(value["model"]) ? ["model"] : []),
    ...(value["tool_choice"] === "any" ? ["tool_choice"] : []),
  ];
  return [found("request", all.length > 0 ? 0.92 : 0.25, all)];
}

interface Signs {
  readonly keys: readonly string[];
}

/** What of messages is Mistral's own; undefined where they are another format's for sure. */
function signsOf(messages: readonly Json[]): Signs | undefined {
  const list = messages.slice(0, looked);
  const areMessages = list.every(message => isJsonObject(message) && isMessage(message));
  return areMessages ? { keys: messageKeys(list) } : undefined;
}

const roles = ["system", "user", "assistant", "tool"];
const otherMembers = [
  "parts",
  "toolInvocations",
  "toolCalls",
  "toolOutput",
  "reasoning_content",
  "function_call",
  "refusal",
];

function isMessage(message: JsonObject): boolean {
  const { role, content } = message;
  if (typeof role !== "string" || !roles.includes(role)) return false;
  if (otherMembers.some(member => Object.hasOwn(message, member))) return false;
  if (!Array.isArray(content)) return content === undefined || content === null || typeof content === "string";
  return (content as readonly Json[]).slice(0, looked).every(isChunkOfContent); // a list of JSON
}

const chunkTypes: { readonly [type: string]: (chunk: JsonObject) => boolean } = {
  text: ({ text }) => typeof text === "string",
  image_url: chunk => Object.hasOwn(chunk, "image_url"),
  document_url: ({ document_url: url }) => typeof url === "string",
  input_audio: chunk => Object.hasOwn(chunk, "input_audio"),
  file: ({ file_id: id }) => typeof id === "string",
  reference: ({ reference_ids: ids }) => Array.isArray(ids),
  tool_reference: ({ tool }) => typeof tool === "string",
  thinking: ({ thinking }) => Array.isArray(thinking),
};

function isChunkOfContent(chunk: Json): boolean {
  if (!isJsonObject(chunk)) return false;
  const { type } = chunk;
  const is = typeof type === "string" && Object.hasOwn(chunkTypes, type) ? chunkTypes[type] : undefined;
  return is?.(chunk) ?? false;
}

/** Chunks that only Mistral's content has. */
const ownChunks = ["document_url", "reference", "tool_reference", "thinking"];

/** What only messages of Mistral have: chunks of its own, `prefix`, and calls whose ids are nine letters and digits. */
function messageKeys(messages: readonly Json[]): string[] {
  const keys = new Set<string>();
  const ids: Json[] = [];
  for (const message of messages) {
    if (!isJsonObject(message)) continue;
    const { content, tool_calls: calls, prefix } = message;
    if (typeof prefix === "boolean") keys.add("prefix");
    for (const chunk of Array.isArray(content) ? (content as readonly Json[]).slice(0, looked) : []) {
      const key = isJsonObject(chunk) ? ownKey(chunk) : undefined; // a list of JSON
      if (key !== undefined) keys.add(key);
    }
    for (const call of Array.isArray(calls) ? (calls as readonly Json[]) : []) {
      if (isJsonObject(call)) ids.push(call["id"] ?? null); // a list of JSON
    }
  }
  const areNine = ids.every(id => typeof id === "string" && /^[A-Za-z0-9]{9}$/.test(id));
  // Groq's have nine as well, but no capitals (2026-11-30).
  return areNine && ids.some(id => typeof id === "string" && /[A-Z]/.test(id)) ? [...keys, "tool_calls"] : [...keys];
}

function ownKey(chunk: JsonObject): string | undefined {
  const { type } = chunk;
  if (typeof type !== "string" || !isChunkOfContent(chunk)) return undefined;
  if (ownChunks.includes(type)) return type;
  return type === "file" || (type === "input_audio" && typeof chunk["input_audio"] === "string") ? type : undefined;
}

function sniffError(value: JsonObject): Sniff | undefined {
  if (!isErrorBody(value)) return undefined;
  const { object, message, detail } = value;
  const isOwn = object === "error" && (typeof message === "string" || isJsonObject(message));
  if (isOwn)
    return found("error", Object.hasOwn(value, "raw_status_code") || typeof message !== "string" ? 0.95 : 0.75, [
      "object",
      "message",
    ]);
  return found("error", Array.isArray(detail) ? 0.6 : 0.2, ["message"]);
}
