import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** How much of a long history is looked at. */
const looked = 50;
const roles = ["system", "user", "assistant"];

const v7Parts = ["custom", "reasoning-file", "steering-message"];
const v7Members = ["citations", "providerReference"];
const v7Approvals = ["isAutomatic", "requestReason", "descriptor"];
const v6States = ["approval-requested", "approval-responded", "output-denied"];
const v6Members = ["approval", "title", "toolMetadata", "resultProviderMetadata"];
const v4Members = ["toolInvocations", "experimental_attachments", "annotations"];

/** Chunks that no other format's events are called. */
const chunkTypes = new Set([
  ...["text-start", "text-delta", "text-end", "reasoning-start", "reasoning-delta", "reasoning-end"],
  ...["tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error"],
  ...["tool-output-available", "tool-output-error", "tool-output-denied", "tool-approval-request"],
  ...["tool-approval-response", "start-step", "finish-step", "reset-step"],
  ...["message-metadata", "source-url", "source-document", "reasoning-file", "steering-message"],
]);
const v6Chunks = ["tool-approval-request", "tool-output-denied"];
const v7Chunks = ["tool-approval-response", "reset-step", ...v7Parts];

/** The readings of a value, by what its messages have: `parts` with a `type` are the SDK's alone. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  const { messages } = value;
  if (Array.isArray(messages)) return sniffRequest(value, messages);
  if (isMessage(value))
    return [{ shape: "message", dialect: dialectOf([value]), confidence: 0.88, keys: ["id", "role", "parts"] }];
  if (isOld(value)) return [{ shape: "message", dialect: "v4", confidence: 0.85, keys: ["role", "content"] }];
  return isChunk(value) ? [{ shape: "stream", ...dialectOfChunks([value]), confidence: 0.85, keys: ["type"] }] : [];
}

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const first = list.slice(0, looked);
  if (isLine(list)) return [{ shape: "stream", dialect: "v4", confidence: 0.7, keys: ["0"] }];
  if (first.length > 0 && first.every(isLine))
    return [{ shape: "stream", dialect: "v4", confidence: 0.9, keys: ["0"] }];
  const some = first.filter(isJsonObject);
  const ui = some.filter(isMessage).length / some.length;
  if (some.some(isOld)) return [{ shape: "messages", dialect: "v4", confidence: 0.85, keys: ["role", "content"] }];
  if (ui > 0)
    return [{ shape: "messages", dialect: dialectOf(some), confidence: 0.9 * ui, keys: ["id", "role", "parts"] }];
  return some.some(isChunk) ? [{ shape: "stream", ...dialectOfChunks(some), confidence: 0.9, keys: ["type"] }] : [];
}

function sniffRequest(body: JsonObject, messages: readonly Json[]): readonly Sniff[] {
  const [list] = sniffList(messages);
  const isClient = typeof body["trigger"] === "string";
  if (!isClient && list?.shape !== "messages") return [];
  // A model named in the body is an API's, not the SDK's client's.
  const confidence = isClient ? 0.95 : Object.hasOwn(body, "model") ? 0.3 : (list?.confidence ?? 0) - 0.05;
  return [
    {
      shape: "request",
      ...(list?.dialect !== undefined && { dialect: list.dialect }),
      confidence,
      keys: ["messages", "trigger"],
    },
  ];
}

const isChunk = ({ type, parts }: JsonObject): boolean =>
  typeof type === "string" && parts === undefined && (chunkTypes.has(type) || type.startsWith("data-"));

/** A line of generation 4's data stream. */
export const isLine = (line: Json): boolean =>
  Array.isArray(line) && line.length === 2 && typeof line[0] === "string" && /^[0-9a-k]$/.test(line[0]);

const isMessage = (message: JsonObject): boolean =>
  isOneOf(roles, message["role"]) &&
  Array.isArray(message["parts"]) &&
  message["parts"].every(isPart) &&
  !isOld(message);

const isPart = (part: Json): boolean => isJsonObject(part) && typeof part["type"] === "string";

/** Generation 4 has `content` beside everything, and tools in their own list. */
function isOld(message: JsonObject): boolean {
  const { role, parts, content, reasoning } = message;
  if (v4Members.some(member => Array.isArray(message[member]))) return true;
  if (role === "data" && Object.hasOwn(message, "content")) return true;
  const old = Array.isArray(parts) && parts.some(part => isJsonObject(part) && isOldPart(part));
  return old || (typeof content === "string" && (typeof reasoning === "string" || Array.isArray(parts)));
}

const isOldPart = (part: JsonObject): boolean =>
  isJsonObject(part["toolInvocation"]) ||
  (part["type"] === "reasoning" && typeof part["reasoning"] === "string") ||
  isJsonObject(part["source"]);

function dialectOf(messages: readonly JsonObject[]): string {
  const parts = messages.flatMap(({ parts: list }) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
  if (parts.some(isV7Part)) return "v7";
  return parts.some(isV6Part) ? "v6" : "v5";
}

/** Most chunks are the same in all generations. */
function dialectOfChunks(chunks: readonly JsonObject[]): { dialect?: string } {
  if (chunks.some(chunk => isOneOf(v7Chunks, chunk["type"]) || hasAny(chunk, v7Members))) return { dialect: "v7" };
  return chunks.some(({ type }) => isOneOf(v6Chunks, type)) ? { dialect: "v6" } : {};
}

const isV7Part = (part: JsonObject): boolean =>
  isOneOf(v7Parts, part["type"]) || hasAny(part, v7Members) || (isTool(part) && hasAny(part["approval"], v7Approvals));

const isV6Part = (part: JsonObject): boolean =>
  isTool(part) && (isOneOf(v6States, part["state"]) || hasAny(part, v6Members));

const isTool = ({ type }: JsonObject): boolean =>
  typeof type === "string" && (type === "dynamic-tool" || type.startsWith("tool-"));

const hasAny = (value: Json | undefined, members: readonly string[]): boolean =>
  isJsonObject(value) && members.some(member => Object.hasOwn(value, member));

const isOneOf = (words: readonly string[], word: Json | undefined): boolean =>
  typeof word === "string" && words.includes(word);
