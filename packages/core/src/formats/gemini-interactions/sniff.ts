import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isCallType, isResultType } from "./calls.ts";
import { isContents } from "./steps.ts";
import { asObject } from "./wire.ts";

/** Steps of how many are looked at: the rest of a history is of the same kind. */
const looked = 50;

/** The readings of a value as Google's Interactions. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  if (isEvent(value)) return [found("stream", 0.98, ["event_type"])];
  if (isAnswer(value)) return [found("answer", value["object"] === "interaction" ? 1 : 0.95, ["object", "steps"])];
  if (Object.hasOwn(value, "input") && !Object.hasOwn(value, "messages")) return sniffRequest(value);
  const weight = weigh(value);
  if (weight > 0) return [found("message", weight - 0.02, ["type"])];
  const error = sniffError(value);
  return error ? [error] : [];
}

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[]): Sniff => ({
  shape,
  confidence,
  keys,
});

const isEvent = ({ event_type: type }: JsonObject): boolean =>
  typeof type === "string" && /^(?:interaction|step|content)\.|^error$/.test(type);

const isAnswer = ({ object, status, steps, outputs }: JsonObject): boolean =>
  object === "interaction" ||
  (typeof status === "string" &&
    [steps, outputs].some(list => Array.isArray(list) && list.length > 0 && weighAll(list) > 0));

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const [first] = list;
  if (isJsonObject(first) && isEvent(first)) return [found("stream", 0.98, ["event_type"])];
  const weight = weighAll(list);
  return weight > 0 ? [found("messages", weight, ["type"])] : [];
}

/** Members that only a request of this API has. */
const own = [
  "system_instruction",
  "previous_interaction_id",
  "generation_config",
  "agent",
  "agent_config",
  "response_modalities",
  "response_format",
  "response_mime_type",
];

function sniffRequest(value: JsonObject): readonly Sniff[] {
  const { input, model } = value;
  const keys = own.filter(member => Object.hasOwn(value, member));
  const list: readonly Json[] = Array.isArray(input) ? input : [];
  if (list.length > 0 && weighAll(list) > 0) return [found("request", 0.98, ["input", ...keys])];
  if (keys.length > 0) return [found("request", 0.95, ["input", ...keys])];
  const isGoogles = typeof model === "string" && /^(?:models\/)?(?:gemini|gemma|deep-research)/.test(model);
  const isInput = typeof input === "string" || isContents(Array.isArray(input) ? input : [input ?? null]);
  // A text alone is asked of many APIs, and of models that only embed it.
  if (!isInput || (typeof input === "string" && !isGoogles)) return [];
  const weight = isGoogles ? 0.8 : 0.6;
  return [found("request", weight, ["input"])];
}

/** How much a list looks like steps: the least of what its items do. */
function weighAll(list: readonly Json[]): number {
  const weights = list.slice(0, looked).map(weigh);
  return weights.length > 0 && Math.min(...weights) > 0 ? Math.max(...weights) : 0;
}

/** How much an object looks like a step. Calls and results of functions have other members in OpenAI's Responses. */
function weigh(item: Json): number {
  const { type, ...members } = asObject(item);
  if (type === "user_input" || type === "model_output") return 0.98;
  if (type === "thought") return members["thought"] === undefined ? 0.95 : 0;
  if (type === "function_call") return typeof members["arguments"] === "string" || !isText(members["name"]) ? 0 : 0.9;
  if (type === "function_result") return 0.95;
  if (isCallType(type) && !Object.hasOwn(members, "queries") && !Object.hasOwn(members, "status")) return 0.95;
  return isResultType(type) ? 0.95 : 0;
}

const isText = (value: Json | undefined): boolean => typeof value === "string";

/** The API says a word for a code, and nothing of a type, which others say. */
function sniffError({ error }: JsonObject): Sniff | undefined {
  if (!isJsonObject(error) || typeof error["message"] !== "string" || typeof error["code"] !== "string")
    return undefined;
  const isOthers = ["type", "param", "status"].some(member => Object.hasOwn(error, member));
  return isOthers ? undefined : found("error", 0.6, ["error.code", "error.message"]);
}
