import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Of how many messages is looked at: the rest of a history is of the same kind. */
const looked = 50;

/** The readings of a value as Ollama's. Plain messages are as those of other chats, so they are a guess and say so. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  if (Array.isArray(value["messages"])) return sniffRequest(value, value["messages"]);
  // One object is an answer, or the first of a stream's.
  if (isAnswer(value)) {
    const answer = found("answer", 0.97, ["message", "done"]);
    return value["done"] === false ? [answer, found("stream", 0.96, ["message", "done"])] : [answer];
  }
  if (typeof value["error"] === "string" && Object.keys(value).length === 1) return [found("error", 0.6, ["error"])];
  const { weight, keys } = weigh(value);
  return weight > 0 ? [found("message", weight - 0.02, keys)] : [];
}

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[]): Sniff => ({
  shape,
  confidence,
  keys,
});

const isAnswer = (value: Json): boolean =>
  isJsonObject(value) &&
  isJsonObject(value["message"]) &&
  typeof value["done"] === "boolean" &&
  typeof value["model"] === "string";

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const [first] = list;
  if (first !== undefined && isAnswer(first)) return [found("stream", 0.98, ["message", "done"])];
  const { weight, keys } = weighAll(list);
  return weight > 0 ? [found("messages", weight, keys)] : [];
}

/** Members that only this API's requests have. */
const own = ["options", "keep_alive", "think", "format"];

function sniffRequest(value: JsonObject, messages: readonly Json[]): readonly Sniff[] {
  const list = weighAll(messages);
  if (list.weight <= 0 && messages.length > 0) return [];
  const keys = own.filter(member => Object.hasOwn(value, member));
  const isOwn = isJsonObject(value["options"]) || keys.some(key => key !== "options");
  const weight = isOwn ? 0.95 : Math.max(0.1, list.weight - 0.05);
  return [found("request", Math.max(weight, list.weight), isOwn ? keys : [...list.keys, "messages"])];
}

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

/** How much a message looks like one of Ollama's; 0 where it is none. */
function weigh(message: JsonObject): Weight {
  const { role, content, images, tool_calls: calls, tool_name: name, thinking } = message;
  const isContent = content === undefined || content === null || typeof content === "string";
  if (typeof role !== "string" || !roles.includes(role) || !isContent) return { weight: 0, keys: [] };
  const [image] = Array.isArray(images) ? (images as readonly Json[]) : []; // a list of JSON
  const [call] = Array.isArray(calls) ? (calls as readonly Json[]) : []; // a list of JSON
  const inner = isJsonObject(call) ? call["function"] : undefined;
  if (isJsonObject(inner) && isJsonObject(inner["arguments"])) return { weight: 0.93, keys: ["tool_calls"] };
  if (isJsonObject(inner) && typeof inner["arguments"] === "string") return { weight: 0, keys: [] };
  if (role === "tool" && typeof name === "string") return { weight: 0.93, keys: ["tool_name"] };
  if (typeof image === "string") return { weight: 0.9, keys: ["images"] };
  if (role === "assistant" && typeof thinking === "string") return { weight: 0.9, keys: ["thinking"] };
  return { weight: 0.25, keys: ["role", "content"] };
}
