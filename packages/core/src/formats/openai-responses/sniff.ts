import { callTypes } from "../../blocks/openai-responses/calls.ts";
import { resultTypes } from "../../blocks/openai-responses/outputs.ts";
import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type DialectName, makerOf } from "./dialects.ts";
import { isText } from "./wire.ts";

/** Items of how many are looked at: the rest of a history is of the same kind. */
const looked = 50;

/** The readings of a value as Responses. Easy messages look as those of Chat do, so a list of nothing else is a guess. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  const { object, type } = value;
  if (object === "response" || object === "response.compaction") {
    return [found("answer", Array.isArray(value["output"]) ? 1 : 0.9, ["object"], value)];
  }
  if (isText(type) && isStreamed(value)) return [found("stream", 0.98, ["type"], asBody(value["response"]))];
  if (Object.hasOwn(value, "input") && !Object.hasOwn(value, "messages")) return sniffRequest(value);
  const error = sniffError(value);
  if (error) return [error];
  const { weight, keys } = weigh(value);
  return weight > 0.5 ? [found("message", weight - 0.05, keys)] : [];
}

const asBody = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** The dialect by the model's name, where it tells another host. */
function found(shape: Sniff["shape"], confidence: number, keys: readonly string[], body: JsonObject = {}): Sniff {
  const { model } = body;
  const maker = typeof model === "string" && !model.includes("/") ? makerOf(model) : undefined;
  const dialect: DialectName | undefined = maker === "xai" || maker === "deepseek" ? maker : undefined;
  return { shape, confidence, keys, ...(dialect && { dialect }) };
}

const isStreamed = ({
  type,
  response,
  output_index: index,
  item_id: item,
  sequence_number: number,
}: JsonObject): boolean =>
  typeof type === "string" &&
  type.startsWith("response.") &&
  (isJsonObject(response) || typeof index === "number" || typeof item === "string" || typeof number === "number");

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const [first] = list;
  if (isJsonObject(first) && isStreamed(first)) return [found("stream", 0.98, ["type"], asBody(first["response"]))];
  const { weight, keys } = weighAll(list);
  return weight > 0 ? [found("messages", weight - 0.05, keys)] : [];
}

/** Members that only a request of Responses has. */
const own = [
  "instructions",
  "previous_response_id",
  "max_output_tokens",
  "include",
  "store",
  "conversation",
  "text",
  "truncation",
  "context_management",
];

function sniffRequest(value: JsonObject): readonly Sniff[] {
  const { input } = value;
  const keys = own.filter(member => Object.hasOwn(value, member));
  if (typeof input === "string") {
    const weight = keys.length > 0 ? 0.9 : isOfAnotherApi(value) ? 0.1 : 0.5;
    return [found("request", weight, ["input", ...keys], value)];
  }
  if (!Array.isArray(input) || input.some(item => typeof item === "string" || typeof item === "number")) return [];
  const list = weighAll(input);
  if (list.weight <= 0 && input.length > 0) return [];
  const weight = keys.length > 0 ? 0.95 : Math.max(list.weight, typeof value["model"] === "string" ? 0.8 : 0.6);
  return [found("request", weight, ["input", ...keys, ...list.keys], value)];
}

/** Embeddings, speech and moderations ask with a model and an `input`, too. */
const otherMembers = ["encoding_format", "dimensions", "voice", "input_type"];
const isOfAnotherApi = (value: JsonObject): boolean =>
  otherMembers.some(member => Object.hasOwn(value, member)) ||
  (typeof value["model"] === "string" && /embed|moderation|(^|[-/])tts/.test(value["model"]));

interface Weight {
  readonly weight: number;
  readonly keys: readonly string[];
}

function weighAll(list: readonly Json[]): Weight {
  let weight = 0;
  const keys = new Set<string>();
  for (const item of list.slice(0, looked)) {
    const each = weigh(item);
    if (each.weight < 0) return { weight: 0, keys: [] };
    weight = Math.max(weight, each.weight);
    for (const key of each.keys) keys.add(key);
  }
  return { weight, keys: [...keys] };
}

const itemTypes: ReadonlySet<string> = new Set([
  ...Object.keys(callTypes),
  ...Object.keys(resultTypes),
  "mcp_approval_request",
  "mcp_approval_response",
  "item_reference",
  "additional_tools",
  "configuration_update",
  "compaction_trigger",
]);
/** Types that other formats have too. */
const shared: ReadonlySet<string> = new Set(["reasoning", "compaction"]);
const contentTypes: ReadonlySet<string> = new Set(["input_text", "output_text", "input_image", "input_file"]);

/** How much a value looks like an item; below zero where it is another format's for sure. */
function weigh(item: Json): Weight {
  if (!isJsonObject(item)) return { weight: -1, keys: [] };
  const { type, role, content } = item;
  if (isText(type) && itemTypes.has(type)) return { weight: 0.98, keys: ["type"] };
  if (type === "reasoning" && Array.isArray(item["summary"])) return { weight: 0.98, keys: ["type", "summary"] };
  if (isText(type) && shared.has(type)) return { weight: 0.3, keys: ["type"] };
  if (!isText(role) || (type !== undefined && type !== "message")) {
    // An item that is not known yet says nothing.
    return { weight: isText(type) && role === undefined ? 0 : -1, keys: [] };
  }
  if (["tool_calls", "tool_call_id", "parts", "toolInvocations"].some(member => Object.hasOwn(item, member))) {
    return { weight: -1, keys: [] };
  }
  if (typeof content === "string") return { weight: type === "message" ? 0.8 : 0.3, keys: ["role", "content"] };
  if (!Array.isArray(content)) return { weight: -1, keys: [] };
  const [first] = content as readonly Json[]; // a list of JSON
  const isOwn = isJsonObject(first) && isText(first["type"]) && contentTypes.has(first["type"]);
  return isOwn
    ? { weight: 0.95, keys: ["role", "content"] }
    : { weight: type === "message" ? 0.6 : -1, keys: ["role"] };
}

/** Members of this API's requests alone, by which an error names what it is about. */
const ownParams =
  /^(?:input|instructions|previous_response_id|conversation|max_output_tokens|reasoning|text|truncation|include)\b/;

/** OpenAI's error bodies are those of its other formats; a stream's error says its type. */
function sniffError(value: JsonObject): Sniff | undefined {
  const { error, type } = value;
  if (type === "error" && (isText(value["message"]) || isJsonObject(error))) {
    return typeof value["sequence_number"] === "number" ? found("stream", 0.9, ["type", "sequence_number"]) : undefined;
  }
  // xAI's: a text alone, with a code beside it (2026-11-30).
  if (isText(error) && isText(value["code"])) return found("error", 0.25, ["error", "code"]);
  if (!isJsonObject(error) || typeof error["message"] !== "string" || Object.hasOwn(value, "type")) return undefined;
  const members = ["type", "param", "code"].filter(member => Object.hasOwn(error, member));
  if (typeof error["param"] === "string" && ownParams.test(error["param"]))
    return found("error", 0.97, ["error", "param"]);
  return members.length > 0 ? found("error", 0.3 + members.length * 0.15, ["error", ...members]) : undefined;
}
