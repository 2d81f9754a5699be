import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** How much of a long history is looked at. */
const looked = 50;

const roles: readonly string[] = ["system", "user", "assistant", "tool"];
/** Parts that no other format's messages have under these names. */
const ownParts: readonly string[] = [
  "tool-approval-request",
  "tool-approval-response",
  "reasoning-file",
  "redacted-reasoning",
];

/** The readings of a value, by what its messages have: hyphenated calls and results, and options by provider. */
export function sniff(value: unknown): readonly Sniff[] {
  const isList = Array.isArray(value);
  const some = (isList ? (value as readonly unknown[]).slice(0, looked) : [value])
    .filter(isJsonObject)
    .filter(isMessage);
  if (some.length === 0) return [];
  const shape = isList ? "messages" : "message";
  const parts = some.flatMap(({ content }) =>
    Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [],
  );
  const told = keysOf(some, parts);
  const confidence = told.length > 0 ? 0.9 : 0.2;
  return [{ shape, dialect: dialectOf(parts), confidence, keys: ["role", "content", ...told] }];
}

const isMessage = ({ role, content, parts }: JsonObject): boolean =>
  typeof role === "string" &&
  roles.includes(role) &&
  parts === undefined &&
  (typeof content === "string" || Array.isArray(content));

/** What tells the SDK's messages from others that have a role and a content. */
function keysOf(messages: readonly JsonObject[], parts: readonly JsonObject[]): string[] {
  const told = new Set<string>();
  if ([...messages, ...parts].some(({ providerOptions }) => isJsonObject(providerOptions))) told.add("providerOptions");
  for (const part of parts) {
    const { type, toolCallId, mediaType, image, data } = part;
    if (typeof type !== "string") continue;
    const isTool = (type === "tool-call" || type === "tool-result") && typeof toolCallId === "string";
    const isFile = type === "file" && typeof mediaType === "string" && data !== undefined;
    if (isTool || isFile || ownParts.includes(type) || (type === "image" && image !== undefined)) told.add(type);
  }
  return [...told];
}

/** The newest reads all of the newer ones; what only an older one writes says so. */
function dialectOf(parts: readonly JsonObject[]): string {
  if (parts.some(isV4Part)) return "v4";
  return parts.some(isOldFile) && !parts.some(isNewPart) ? "v6" : "v7";
}

const isV4Part = (part: JsonObject): boolean =>
  part["type"] === "redacted-reasoning" ||
  (part["type"] === "tool-call" && Object.hasOwn(part, "args")) ||
  (part["type"] === "tool-result" && Object.hasOwn(part, "result") && !Object.hasOwn(part, "output")) ||
  (["file", "image"].includes(String(part["type"])) && Object.hasOwn(part, "mimeType"));

const isNewPart = ({ type, data, reason, isAutomatic }: JsonObject): boolean =>
  type === "custom" ||
  type === "reasoning-file" ||
  (type === "file" && isJsonObject(data)) ||
  (type === "tool-approval-request" && (reason !== undefined || isAutomatic !== undefined));

const isOldFile = ({ type, data }: JsonObject): boolean => type === "file" && typeof data === "string";
