import { partMembers } from "../../blocks/gemini/parts.ts";
import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Of how many contents is looked at: the rest of a history is of the same kind. */
const looked = 50;

/** The readings of a value as Google's: parts without a type are nobody else's. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  if (Object.hasOwn(value, "contents")) return sniffRequest(value);
  if (Array.isArray(value["candidates"]) || isTelling(value)) return [found("answer", 0.98, ["candidates"])];
  const error = sniffError(value);
  if (error) return [error];
  const weight = weigh(value);
  return weight > 0 ? [found("message", weight - 0.02, ["parts"])] : [];
}

const found = (shape: Sniff["shape"], confidence: number, keys: readonly string[]): Sniff => ({
  shape,
  confidence,
  keys,
});

/** What only an answer says, with or without candidates. */
const isTelling = (value: JsonObject): boolean =>
  ["usageMetadata", "promptFeedback"].some(member => isJsonObject(value[member])) && !Object.hasOwn(value, "messages");

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const [first] = list;
  if (isJsonObject(first) && (Array.isArray(first["candidates"]) || isTelling(first))) {
    return [found("stream", 0.98, ["candidates"])];
  }
  if (list.length === 1 && isJsonObject(first)) {
    const error = sniffError(first);
    if (error) return [error];
  }
  const weights = list.slice(0, looked).map(content => (isJsonObject(content) ? weigh(content) : 0));
  const weight = weights.length === 0 ? 0 : Math.min(...weights) > 0 ? Math.max(...weights) : 0;
  return weight > 0 ? [found("messages", weight, ["parts"])] : [];
}

function sniffRequest(value: JsonObject): readonly Sniff[] {
  const { contents } = value;
  const list: readonly Json[] = Array.isArray(contents) ? contents : [contents ?? null];
  const isKnown = list.slice(0, looked).some(content => isJsonObject(content) && weigh(content) > 0);
  if (isKnown) return [found("request", 0.98, ["contents"])];
  return list.length === 0 ? [found("request", 0.6, ["contents"])] : [];
}

/** How much a content looks like one of Google's. */
function weigh({ parts, role, content }: JsonObject): number {
  const list: readonly Json[] = Array.isArray(parts) ? parts : isJsonObject(parts) ? [parts] : [];
  if (content !== undefined || parts === undefined) return 0;
  const isRole = role === undefined || role === "user" || role === "model" || role === "function";
  if (list.length === 0) return isRole && role !== undefined && Array.isArray(parts) ? 0.5 : 0;
  const areKnown = list.every(
    part => isJsonObject(part) && !Object.hasOwn(part, "type") && Object.keys(part).some(key => partMembers.has(key)),
  );
  if (!areKnown) return 0;
  return role === "model" ? 0.97 : isRole ? 0.95 : 0.6;
}

function sniffError({ error }: JsonObject): Sniff | undefined {
  if (!isJsonObject(error) || typeof error["message"] !== "string") return undefined;
  const isGoogle = typeof error["code"] === "number" && typeof error["status"] === "string";
  return isGoogle ? found("error", 0.95, ["error.code", "error.status"]) : undefined;
}
