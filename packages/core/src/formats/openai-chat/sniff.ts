import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type Dialect, type DialectName, dialects } from "./dialects.ts";
import { type PlainMember, plainMembers } from "./reasoning.ts";
import { isText } from "./wire.ts";

/** A message of how many is looked at: the rest of a history is of the same kind. */
const looked = 50;
const lookedForDialect = 2000;

/** The readings of a value as Chat. The family has few members of its own, so plain messages are a guess and say so. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  const { object } = value;
  if (Array.isArray(value["choices"])) return sniffBody(value, value["choices"]);
  if (object === "chat.completion") return [found("answer", 0.9, ["object"])];
  const error = sniffError(value);
  if (error) return [error];
  if (Array.isArray(value["messages"])) return sniffRequest(value, value["messages"]);
  const message = weigh(value);
  return message && message.weight > 0.2 ? [found("message", message.weight - 0.1, message.keys, needed([value]))] : [];
}

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[], dialect?: DialectName): Sniff => ({
  shape,
  confidence,
  keys,
  ...(dialect !== undefined && dialect !== "openai" && { dialect }),
});

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const [first] = list;
  if (isJsonObject(first) && Array.isArray(first["choices"]) && isChunk(first, first["choices"])) {
    return [found("stream", 0.98, ["choices"])];
  }
  const { weight, keys } = weighAll(list);
  return weight > 0 ? [found("messages", weight - 0.05, keys, needed(list))] : [];
}

function isChunk({ object }: JsonObject, choices: readonly Json[]): boolean {
  const [choice] = choices;
  if (object === "chat.completion.chunk") return true;
  return isJsonObject(choice) && isJsonObject(choice["delta"]);
}

function sniffBody(value: JsonObject, choices: readonly Json[]): readonly Sniff[] {
  const { object } = value;
  const [choice] = choices;
  if (isChunk(value, choices)) return [found("stream", 0.98, ["choices", "object"])];
  const hasMessage = isJsonObject(choice) && isJsonObject(choice["message"]);
  if (object !== "chat.completion" && !hasMessage) return [];
  return [found("answer", object === "chat.completion" ? 0.98 : 0.8, ["object", "choices"], answerer(value, choice))];
}

function sniffError(value: JsonObject): Sniff | undefined {
  const { error } = value;
  if (value["object"] === "error" && isText(value["message"])) return found("error", 0.7, ["object", "message"]);
  if (error === undefined || error === null || Object.hasOwn(value, "messages") || Object.hasOwn(value, "type"))
    return undefined;
  if (typeof error === "string") return found("error", 0.3, ["error"]);
  if (!isJsonObject(error) || typeof error["message"] !== "string" || Object.hasOwn(error, "status")) return undefined;
  const members = ["type", "param", "code"].filter(member => Object.hasOwn(error, member));
  return found("error", 0.4 + members.length * 0.18, ["error", ...members]);
}

// histories

interface Weight {
  readonly weight: number;
  readonly keys: readonly string[];
}

/** Members that only a Chat request has, and those that speak for another format. */
const own = [
  "max_completion_tokens",
  "response_format",
  "reasoning_effort",
  "parallel_tool_calls",
  "stream_options",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "n",
];
const foreign = [
  "system",
  "anthropic_version",
  "systemPrompt",
  "options",
  "keep_alive",
  "safe_prompt",
  "random_seed",
  "contents",
];

function sniffRequest(value: JsonObject, messages: readonly Json[]): readonly Sniff[] {
  const list = weighAll(messages);
  const tools = value["tools"];
  const [tool] = Array.isArray(tools) ? (tools as readonly Json[]) : []; // a list of JSON
  if (isJsonObject(tool) && Object.hasOwn(tool, "input_schema")) return [];
  if (list.weight <= 0 && messages.length > 0) return [];
  const keys = own.filter(member => Object.hasOwn(value, member));
  if (isJsonObject(tool) && isJsonObject(tool["function"])) keys.push("tools");
  const base = messages.length === 0 ? 0.3 : list.weight;
  const weight = keys.length > 0 ? Math.max(base, 0.85) : base - (typeof value["model"] === "string" ? 0 : 0.05);
  const isForeign = foreign.some(member => Object.hasOwn(value, member));
  return [
    found("request", isForeign ? Math.min(weight, 0.3) : weight, [...keys, ...list.keys], needed(messages, value)),
  ];
}

function weighAll(list: readonly Json[]): Weight {
  let weight = 0;
  const keys = new Set<string>();
  for (const message of list.slice(0, looked)) {
    const each = weigh(message);
    if (!each) return { weight: 0, keys: [] };
    weight = Math.max(weight, each.weight);
    for (const key of each.keys) keys.add(key);
  }
  return { weight, keys: [...keys] };
}

const foreignMembers = ["parts", "toolInvocations", "toolCalls", "toolOutput"];

/** How much a message looks like one of Chat; undefined where it is another format's for sure. */
function weigh(message: Json): Weight | undefined {
  if (!isJsonObject(message)) return { weight: 0, keys: [] };
  if (foreignMembers.some(member => Object.hasOwn(message, member)) || hasForeignCall(message)) return undefined;
  const { role, content } = message;
  if (!isText(role)) return undefined;
  const parts = Array.isArray(content)
    ? weighContent(content)
    : { weight: content === undefined ? 0.2 : 0.5, keys: ["content"] };
  if (!parts) return undefined;
  const keys = [...telling.filter(member => hasMember(message, member)), ...parts.keys];
  if (role === "developer" || role === "function") keys.push("role");
  const isTelling = keys.some(key => key !== "content");
  const isUsual = ["system", "developer", "user", "assistant", "tool", "function"].includes(role);
  return {
    weight: isTelling ? Math.max(parts.weight, 0.85) : isUsual ? parts.weight : 0.2,
    keys: ["role", ...keys].slice(isTelling ? 1 : 0),
  };
}

/** A call that is no function of Chat's: `name` and `args` are LangChain's. */
function hasForeignCall({ tool_calls: calls }: JsonObject): boolean {
  const [call] = Array.isArray(calls) ? (calls as readonly Json[]) : []; // a list of JSON
  return isJsonObject(call) && !Object.hasOwn(call, "function") && isText(call["name"]) && Object.hasOwn(call, "args");
}

const telling = [
  ...["tool_calls", "tool_call_id", "refusal", "reasoning_content", "reasoning_details"],
  ...["function_call", "audio"],
];
/** The members that OpenAI's SDK says as `null` where there is none; no other format has them at all. */
const spoken = ["refusal", "function_call", "audio"];

function hasMember(message: JsonObject, member: string): boolean {
  const value = Object.hasOwn(message, member) ? message[member] : undefined;
  if (value === null && spoken.includes(member)) return true;
  if (member !== "tool_calls") return value !== undefined && value !== null;
  const [call] = Array.isArray(value) ? (value as readonly Json[]) : []; // a list of JSON
  const inner = isJsonObject(call) ? call["function"] : undefined;
  // Arguments as an object are Ollama's own API.
  return isJsonObject(inner) && typeof inner["arguments"] !== "object";
}

const mediaParts = ["image_url", "input_audio", "video_url", "refusal"];

function weighContent(content: readonly Json[]): Weight | undefined {
  let weight = 0.5;
  const keys: string[] = [];
  for (const part of content.slice(0, looked)) {
    const type = isJsonObject(part) ? part["type"] : undefined;
    if (typeof part === "string" || type === "text") continue;
    if (!isJsonObject(part) || !isText(type)) return undefined;
    if (mediaParts.includes(type) || (type === "file" && isJsonObject(part["file"]))) keys.push(type);
    else if (type === "thinking") weight = Math.min(weight, 0.3);
    else return undefined;
  }
  return { weight, keys };
}

// dialects

/** What a history needs of the host that it was sent to. */
interface Needs {
  readonly plain: Set<PlainMember>;
  details: boolean;
  extra: boolean;
  media: boolean;
  references: boolean;
  developer: boolean;
  cacheControl: boolean;
  topK: boolean;
  effort: boolean;
  limit: string | undefined;
}

/** The plainest host that takes all that the history holds. */
function needed(messages: readonly Json[], body: JsonObject = {}): DialectName {
  const needs: Needs = {
    plain: new Set(),
    details: false,
    extra: false,
    media: false,
    references: false,
    developer: false,
    cacheControl: Array.isArray(body["tools"]) && body["tools"].some(hasCacheControl),
    topK: Object.hasOwn(body, "top_k"),
    effort: isJsonObject(body["reasoning"]),
    limit: ["max_completion_tokens", "max_tokens"].find(member => typeof body[member] === "number"),
  };
  for (const message of messages.slice(0, lookedForDialect)) if (isJsonObject(message)) addNeeds(message, needs);
  return candidates.find(name => meets(dialects[name], needs)) ?? "openrouter";
}

const candidates = ["openai", "deepseek", "vllm", "gemini", "openrouter"] as const;

function addNeeds(message: JsonObject, needs: Needs): void {
  const { role, content } = message;
  if (role === "developer") needs.developer = true;
  if (Array.isArray(content)) {
    if (content.some(hasCacheControl)) needs.cacheControl = true;
    if (content.some(isReference)) needs.references = true;
    if (role === "tool" && content.some(part => isJsonObject(part) && part["type"] !== "text")) needs.media = true;
  }
  if (role !== "assistant") return;
  for (const member of plainMembers) if (isText(message[member])) needs.plain.add(member);
  if (Array.isArray(message["reasoning_details"]) && message["reasoning_details"].length > 0) needs.details = true;
  if (Array.isArray(message["images"])) needs.media = true;
  const calls = message["tool_calls"];
  const isExtra = (holder: Json): boolean => isJsonObject(holder) && Object.hasOwn(holder, "extra_content");
  if (isExtra(message) || (Array.isArray(calls) && calls.some(isExtra))) needs.extra = true;
}

function isReference(part: Json): boolean {
  const holder = isJsonObject(part) ? (part["file"] ?? part["input_audio"]) : undefined;
  const data = isJsonObject(holder) ? (holder["file_data"] ?? holder["data"]) : undefined;
  return typeof data === "string" && /^[a-z]+:\/\//i.test(data);
}

const hasCacheControl = (part: Json): boolean => isJsonObject(part) && isJsonObject(part["cache_control"]);

function meets(dialect: Dialect, needs: Needs): boolean {
  return (
    [...needs.plain].every(member => dialect.reasoning.includes(member)) &&
    (dialect.hasDetails || !needs.details) &&
    (dialect.hasExtraContent || !needs.extra) &&
    (dialect.hasMedia || !needs.media) &&
    (dialect.hasReferences || !needs.references) &&
    (dialect.hasDeveloper || !needs.developer) &&
    (dialect.hasTopK || !needs.topK) &&
    (dialect.cache === "cache_control" || !needs.cacheControl) &&
    (dialect.effort.includes("reasoning") || !needs.effort) &&
    (needs.limit === undefined || dialect.maxTokens.includes(needs.limit))
  );
}

/** The host, by members that only it writes (recorded answers, 2026-11-30). */
function answerer(body: JsonObject, choice: Json | undefined): DialectName {
  const usage = isJsonObject(body["usage"]) ? body["usage"] : {};
  const inner = isJsonObject(choice) ? choice : {};
  const message = isJsonObject(inner["message"]) ? inner["message"] : {};
  const has = (holder: JsonObject, ...members: readonly string[]): boolean =>
    members.some(member => Object.hasOwn(holder, member));
  const hosts: readonly (readonly [DialectName, boolean])[] = [
    ["openrouter", has(inner, "native_finish_reason") || has(message, "reasoning_details")],
    ["groq", has(body, "x_groq")],
    ["cerebras", has(body, "time_info")],
    ["perplexity", has(body, "citations", "search_results")],
    ["azure", has(body, "prompt_filter_results") || has(inner, "content_filter_results")],
    ["deepseek", has(usage, "prompt_cache_hit_tokens")],
    ["xai", has(usage, "num_sources_used", "cost_in_usd_ticks")],
    ["moonshot", has(usage, "cached_tokens")],
    ["ollama", body["system_fingerprint"] === "fp_ollama"],
    ["vllm", has(body, "kv_transfer_params", "prompt_token_ids")],
    ["gemini", has(message, "extra_content")],
  ];
  return hosts.find(([, isIt]) => isIt)?.[0] ?? needed([message]);
}
