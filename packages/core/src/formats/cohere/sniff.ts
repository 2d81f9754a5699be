import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isText } from "./wire.ts";

/** Of how many messages is looked at: the rest of a history is of the same kind. */
const looked = 50;

/** The readings of a value as Cohere's. Plain messages are as those of other chats, so they are a guess and say so. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  if (isEvent(value)) return [found("stream", 0.97, ["type"])];
  if (Array.isArray(value["messages"])) return sniffRequest(value, value["messages"]);
  const answer = sniffAnswer(value);
  if (answer) return [answer];
  if (isErrorBody(value)) return [found("error", 0.4, ["message"])];
  const { weight, keys } = weigh(value);
  return weight > 0 ? [found("message", weight - 0.02, keys)] : [];
}

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[]): Sniff => ({
  shape,
  confidence,
  keys,
});

const eventTypes: readonly string[] = [
  "message-start",
  "content-start",
  "content-delta",
  "content-end",
  "tool-plan-delta",
  "tool-call-start",
  "tool-call-delta",
  "tool-call-end",
  "citation-start",
  "citation-end",
  "message-end",
];

const isEvent = (value: Json): boolean => {
  if (!isJsonObject(value) || typeof value["type"] !== "string" || !eventTypes.includes(value["type"])) return false;
  return isJsonObject(value["delta"]) || value["type"].endsWith("-end");
};

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const [first] = list;
  if (first !== undefined && isEvent(first)) return [found("stream", 0.97, ["type"])];
  const { weight, keys } = weighAll(list);
  return weight > 0 ? [found("messages", weight, keys)] : [];
}

/** Words of how an answer ended, in the API's capitals. */
const isFinish = (value: Json | undefined): boolean => typeof value === "string" && /^[A-Z]+(?:_[A-Z]+)*$/.test(value);

function sniffAnswer({ message, finish_reason: finish, usage }: JsonObject): Sniff | undefined {
  if (!isJsonObject(message)) return undefined;
  const isCounted = isJsonObject(usage) && ["tokens", "billed_units"].some(member => isJsonObject(usage[member]));
  if (isFinish(finish)) return found("answer", 0.97, ["message", "finish_reason"]);
  return isCounted ? found("answer", 0.9, ["message", "usage"]) : undefined;
}

const isErrorBody = (value: JsonObject): boolean =>
  isText(value["message"]) && Object.keys(value).every(key => key === "message" || key === "id");

/** Members that only this API's requests have; the last ones are words that others have too. */
const own = ["documents", "citation_options", "safety_mode", "strict_tools"];
const others = ["p", "k", "stop_sequences"];

function sniffRequest(value: JsonObject, messages: readonly Json[]): readonly Sniff[] {
  const list = weighAll(messages);
  if (list.weight <= 0 && messages.length > 0) return [];
  const keys = [...own, ...others].filter(member => Object.hasOwn(value, member));
  if (value["tool_choice"] === "REQUIRED" || value["tool_choice"] === "NONE") keys.push("tool_choice");
  if (isOwnModel(value["model"]) && !chats.some(member => Object.hasOwn(value, member))) keys.push("model");
  const isOwn = keys.some(key => own.includes(key) || key === "tool_choice" || key === "model");
  const isForeign = ["system", "contents", "options", "max_completion_tokens"].some(key => Object.hasOwn(value, key));
  if (isForeign) return [];
  const weight = isOwn ? 0.95 : keys.length > 0 ? 0.7 : Math.max(0.1, list.weight - 0.05);
  return [found("request", Math.max(weight, list.weight), keys.length > 0 ? keys : [...list.keys, "messages"])];
}

/** Cohere's models by the names that it gives them. */
const isOwnModel = (model: Json | undefined): boolean => typeof model === "string" && /^(?:command|c4ai)-/.test(model);

/** Members that only a Chat request has: Cohere has an endpoint for these too. */
const chats = ["logit_bias", "n", "parallel_tool_calls", "reasoning_effort", "stop", "stream_options", "top_p"];

interface Weight {
  readonly weight: number;
  readonly keys: readonly string[];
}

function weighAll(list: readonly Json[]): Weight {
  let weight = 0;
  const keys = new Set<string>();
  for (const message of list.slice(0, looked)) {
    const each = isJsonObject(message) ? weigh(message) : { weight: 0, keys: [] };
    if (each.weight === 0) return { weight: 0, keys: [] };
    weight = Math.max(weight, each.weight);
    for (const key of each.keys) keys.add(key);
  }
  return { weight, keys: [...keys] };
}

const roles: readonly string[] = ["system", "user", "assistant", "tool"];
const blocks: readonly string[] = ["text", "image_url", "thinking", "document"];

/** How much a message looks like one of Cohere's; 0 where it is none. */
function weigh(message: JsonObject): Weight {
  const { role, content, tool_plan: plan, citations } = message;
  if (typeof role !== "string" || !roles.includes(role)) return { weight: 0, keys: [] };
  const list: readonly Json[] = Array.isArray(content) ? content : [];
  const isOther = list.slice(0, looked).some(block => !isJsonObject(block) || !isBlock(block));
  const isContent = content === undefined || content === null || typeof content === "string" || Array.isArray(content);
  if (isOther || !isContent) return { weight: 0, keys: [] };
  if (typeof plan === "string") return { weight: 0.95, keys: ["tool_plan"] };
  if (Array.isArray(citations) && citations.some(each => isJsonObject(each) && Array.isArray(each["sources"]))) {
    return { weight: 0.95, keys: ["citations"] };
  }
  const isDocument = list.some(block => isJsonObject(block) && isJsonObject(block["document"]));
  if (role === "tool" && isDocument) return { weight: 0.95, keys: ["content"] };
  return { weight: 0.3, keys: ["role", "content"] };
}

const isBlock = ({ type, ...members }: JsonObject): boolean =>
  typeof type === "string" && blocks.includes(type) && members[type] !== undefined;
