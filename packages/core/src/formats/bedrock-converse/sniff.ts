import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isException } from "./error.ts";

/** Messages of how many are looked at: the rest of a history is of the same kind. */
const looked = 50;

/** The readings of a value as Converse. Blocks have no type: the one member that they have tells them. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  const { output, message } = value;
  if (isJsonObject(output) && isBody(output["message"])) return sniffAnswer(value);
  if (isEvent(value)) return [found("stream", 0.98, Object.keys(value))];
  if (Array.isArray(value["messages"])) return sniffRequest(value, value["messages"]);
  const { weight, keys } = weigh(value);
  if (weight > 0.5) return [found("message", weight, keys)];
  const names = Object.keys(value).filter(name => name !== "__type" && name !== "$metadata");
  const isError = typeof (message ?? value["Message"]) === "string" && names.length === 1;
  return isError ? [found("error", Object.hasOwn(value, "__type") ? 0.8 : 0.2, ["message"])] : [];
}

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[]): Sniff => ({
  shape,
  confidence,
  keys,
});

const isBody = (message: Json | undefined): boolean =>
  message === undefined ||
  (isJsonObject(message) && (message["content"] === undefined || Array.isArray(message["content"])));

function sniffAnswer(value: JsonObject): readonly Sniff[] {
  const keys = ["stopReason", "usage", "metrics"].filter(key => Object.hasOwn(value, key));
  return keys.length > 0 ? [found("answer", 0.98, ["output", ...keys])] : [];
}

const events: ReadonlySet<string> = new Set([
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
]);

/** An event has its payload in the one member that names it. */
function isEvent(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0) return false;
  const payload = value[name];
  if (!isJsonObject(payload)) return false;
  const isMetadata = name === "metadata" && isJsonObject(payload["usage"]) && isJsonObject(payload["metrics"]);
  return events.has(name) || isMetadata || (isException(name) && typeof payload["message"] === "string");
}

function sniffList(list: readonly Json[]): readonly Sniff[] {
  if (list.slice(0, looked).some(isEvent)) return [found("stream", 0.98, ["contentBlockDelta"])];
  const { weight, keys } = weighAll(list);
  return weight > 0 ? [found("messages", weight, keys)] : [];
}

/** Members that only a request of Converse has. */
const own = [
  "modelId",
  "inferenceConfig",
  "toolConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "performanceConfig",
  "promptVariables",
  "requestMetadata",
  "outputConfig",
  "serviceTier",
];

function sniffRequest(value: JsonObject, messages: readonly Json[]): readonly Sniff[] {
  const keys = own.filter(member =>
    member === "modelId" ? typeof value[member] === "string" : isJsonObject(value[member]),
  );
  const { system } = value;
  const isSystem = Array.isArray(system) && system.length > 0 && system.every(block => weighBlock(block) > 0.5);
  const list = weighAll(messages);
  // Others name a model so too.
  const isOther = list.weight <= 0 && messages.length > 0 && keys.every(key => key === "modelId");
  const weight = isOther ? 0 : keys.length > 0 || isSystem ? 0.98 : list.weight;
  return weight > 0 ? [found("request", weight, ["messages", ...keys, ...list.keys])] : [];
}

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

/** How much a value looks like a message; below zero where it is another format's for sure. */
function weigh(message: Json): Weight {
  if (!isJsonObject(message)) return { weight: -1, keys: [] };
  const { role, content, type } = message;
  const isRole = role === "user" || role === "assistant" || role === "system";
  if (!isRole || type !== undefined || !Array.isArray(content)) return { weight: -1, keys: [] };
  const blocks = content as readonly Json[]; // a list of JSON
  let weight = 0.1;
  for (const block of blocks) {
    const each = weighBlock(block);
    if (each < 0) return { weight: -1, keys: [] };
    weight = Math.max(weight, each);
  }
  return { weight, keys: ["role", "content"] };
}

/** Members that hold an object in a block. */
const holders = [
  "toolUse",
  "toolResult",
  "reasoningContent",
  "citationsContent",
  "cachePoint",
  "guardContent",
  "searchResult",
  "toolAddition",
  "toolRemoval",
  "document",
  "image",
  "video",
  "audio",
];

/** Blocks of others have a type. */
function weighBlock(block: Json): number {
  if (!isJsonObject(block)) return -1;
  if (holders.some(member => isJsonObject(block[member]))) return 0.95;
  if (typeof block["text"] !== "string") return block["type"] === undefined ? 0.1 : -1;
  return block["type"] === undefined ? 0.9 : -1;
}
