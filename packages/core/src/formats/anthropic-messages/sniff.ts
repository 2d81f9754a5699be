import { callTypes } from "../../blocks/anthropic/calls.ts";
import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Messages of how many are looked at: the rest of a history is of the same kind. */
const looked = 50;

/** The readings of a value as Messages. Plain messages look as those of Chat do, so a list of nothing else is a guess. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  const { type, error } = value;
  if (type === "message" && value["role"] === "assistant") return sniffAnswer(value);
  if (typeof type === "string" && isEvent(type, value))
    return [found("stream", type === "ping" ? 0.6 : 0.98, ["type"])];
  if (
    type === "error" &&
    isJsonObject(error) &&
    typeof error["type"] === "string" &&
    typeof error["message"] === "string"
  ) {
    return typeof value["sequence_number"] === "number" ? [] : [found("error", 0.95, ["type", "error"])];
  }
  if (type === undefined && isJsonObject(error) && isPlainError(error)) return [found("error", 0.25, ["error"])];
  if (Array.isArray(value["messages"])) return sniffRequest(value, value["messages"]);
  if (isUntyped(value)) return [found("answer", 0.9, ["role", "stop_reason"])];
  const { weight, keys } = weigh(value);
  return weight > 0.5 ? [found("message", weight - 0.05, keys)] : [];
}

/** An answer of which little was kept: nobody else has this member beside blocks. */
const isUntyped = ({ type, role, content, ...others }: JsonObject): boolean =>
  type === undefined && role === "assistant" && Array.isArray(content) && Object.hasOwn(others, "stop_reason");

/** As compatible hosts send it, and others too. */
const isPlainError = ({ type, message }: JsonObject): boolean =>
  typeof type === "string" && typeof message === "string";

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[]): Sniff => ({
  shape,
  confidence,
  keys,
});

function sniffAnswer(value: JsonObject): readonly Sniff[] {
  const { content, usage } = value;
  const isOwn = Object.hasOwn(value, "stop_reason") || (isJsonObject(usage) && Object.hasOwn(usage, "input_tokens"));
  const { id: _, ...message } = value;
  // Content of Responses' messages is of other types.
  const isBare = !isOwn && Array.isArray(content) && content.length > 0 && weigh(message).weight > 0;
  if (isBare) return [found("answer", 0.7, ["type", "role"])];
  if (!isOwn || (content !== undefined && !Array.isArray(content) && typeof content !== "string")) return [];
  return [found("answer", 0.98, ["type", "role", "stop_reason"])];
}

const blockEvents: ReadonlySet<string> = new Set(["content_block_start", "content_block_delta", "content_block_stop"]);

function isEvent(type: string, { index, message, delta }: JsonObject): boolean {
  if (blockEvents.has(type)) return typeof index === "number";
  if (type === "message_start") return isJsonObject(message);
  if (type === "message_delta") return isJsonObject(delta);
  return type === "message_stop" || type === "ping";
}

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const events = list.slice(0, looked).filter(isJsonObject);
  const isStream = events.some(event => {
    const { type } = event;
    return typeof type === "string" && type !== "ping" && isEvent(type, event);
  });
  if (isStream) return [found("stream", 0.98, ["type"])];
  const { weight, keys } = weighAll(list);
  return weight > 0 ? [found("messages", weight - 0.05, keys)] : [];
}

/** Members that only a request of Messages has. */
const own = [
  "system",
  "anthropic_version",
  "thinking",
  "mcp_servers",
  "container",
  "context_management",
  "output_config",
  "top_k",
];

function sniffRequest(value: JsonObject, messages: readonly Json[]): readonly Sniff[] {
  const list = weighAll(messages);
  if (list.weight <= 0 && messages.length > 0) return [];
  const keys = own.filter(member => Object.hasOwn(value, member));
  const { tools, tool_choice: choice } = value;
  const first: Json | undefined = Array.isArray(tools) ? tools[0] : undefined;
  if (isJsonObject(first) && isJsonObject(first["function"])) return [];
  if (isJsonObject(first) && (isJsonObject(first["input_schema"]) || isDated(first["type"]))) keys.push("tools");
  if (isJsonObject(choice) && /^(?:auto|any|tool|none)$/.test(String(choice["type"]))) keys.push("tool_choice");
  const isLimited = typeof value["max_tokens"] === "number";
  const isLikely = isLimited && !isChats(value, messages);
  if (isLikely && isOwnModel(value["model"])) keys.push("model", "max_tokens");
  const hints = isLikely ? hintsIn(value, messages) : [];
  const weight = keys.length > 0 ? 0.95 : Math.max(list.weight, hints.length > 0 ? 0.75 : isLimited ? 0.45 : 0);
  return weight > 0 ? [found("request", weight, ["messages", ...keys, ...hints, ...list.keys])] : [];
}

/** Anthropic's own tools have the date of their release in their type. */
const isDated = (type: Json | undefined): boolean => typeof type === "string" && /_\d{8}$/.test(type);

/** What a request of Messages has beside its limit, and others seldom: routers of Chat name the maker of a model. */
function hintsIn(value: JsonObject, messages: readonly Json[]): readonly string[] {
  const { metadata, model, stop_sequences: stop } = value;
  const isRouted = typeof model === "string" && (model.includes("/") || /^(?:command|c4ai)\b/.test(model));
  return [
    ...(isJsonObject(metadata) && typeof metadata["user_id"] === "string" ? ["metadata"] : []),
    ...(Array.isArray(stop) && !isRouted ? ["stop_sequences"] : []),
    ...(!isRouted && messages.slice(0, looked).some(hasBreakpoint) ? ["cache_control"] : []),
  ];
}

function hasBreakpoint(message: Json): boolean {
  const content = isJsonObject(message) ? message["content"] : undefined;
  const blocks = Array.isArray(content) ? (content as readonly Json[]) : []; // a list of JSON
  return blocks.slice(0, looked).some(block => isJsonObject(block) && isJsonObject(block["cache_control"]));
}

/** Anthropic names its models without a maker before them; routers put one there. */
const isOwnModel = (model: Json | undefined): boolean => typeof model === "string" && model.startsWith("claude-");

/** Members that only a Chat request has: some hosts of Chat know the models by the same names. */
const chats = [
  "frequency_penalty",
  "logit_bias",
  "n",
  "parallel_tool_calls",
  "presence_penalty",
  "response_format",
  "stream_options",
];

const isChats = (value: JsonObject, [first]: readonly Json[]): boolean =>
  chats.some(member => Object.hasOwn(value, member)) || (isJsonObject(first) && first["role"] === "system");

interface Weight {
  readonly weight: number;
  readonly keys: readonly string[];
}

function weighAll(list: readonly Json[]): Weight {
  let weight = 0;
  const keys = new Set<string>();
  for (const message of list.slice(0, looked)) {
    const each = weigh(message);
    if (each.weight < 0) return { weight: 0, keys: [] };
    weight = Math.max(weight, each.weight);
    for (const key of each.keys) keys.add(key);
  }
  return { weight, keys: [...keys] };
}

/** Members of other formats' messages. */
const foreign = ["tool_calls", "tool_call_id", "parts", "toolInvocations", "id", "contents", "additional_kwargs"];

/** How much a value looks like a message; below zero where it is another format's for sure. */
function weigh(message: Json): Weight {
  if (!isJsonObject(message)) return { weight: -1, keys: [] };
  const { role, content, type } = message;
  const isRole = role === "user" || role === "assistant" || role === "system";
  const isOther = foreign.some(member => Object.hasOwn(message, member));
  if (!isRole || (type !== undefined && type !== "message") || isOther) return { weight: -1, keys: [] };
  if (typeof content === "string") return { weight: 0.25, keys: ["role", "content"] };
  if (!Array.isArray(content)) return { weight: -1, keys: [] };
  const blocks = content as readonly Json[]; // a list of JSON
  let weight = 0.3;
  for (const block of blocks) {
    const each = weighBlock(block);
    if (each < 0) return { weight: -1, keys: [] };
    weight = Math.max(weight, each);
  }
  return { weight, keys: ["role", "content"] };
}

/** Blocks that other formats have too, in other forms. */
const others = /^(?:image_url|input_\w+|output_\w+|tool-\w+|reasoning|file|tool_call|audio|video)$/;

function weighBlock(block: Json): number {
  if (!isJsonObject(block)) return -1;
  const { type, source } = block;
  if (typeof type !== "string" || others.test(type)) return -1;
  if (type === "image" || type === "document") return isJsonObject(source) ? 0.9 : -1;
  if (callTypes.has(type)) return isJsonObject(block["input"]) ? 0.95 : -1;
  if (type === "tool_result" || type.endsWith("_tool_result"))
    return typeof block["tool_use_id"] === "string" ? 0.95 : -1;
  if (type === "thinking") return typeof block["thinking"] === "string" ? 0.95 : -1;
  if (type === "redacted_thinking") return 0.95;
  return 0.3;
}
