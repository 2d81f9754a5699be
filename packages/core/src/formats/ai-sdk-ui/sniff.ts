import { isNewMessage, isOldMessage, mayBeOld } from "../../blocks/ai-sdk/family.ts";
import type { Sniff } from "../../codec/codec.ts";
import { rowOf } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** How much of a long history is looked at. */
const looked = 50;
const roles = ["system", "user", "assistant"];

/** Surer than formats whose messages have a role and a content alike, which have no place for an id. */
const row = 0.52;
/** Only where the caller has named the format. */
const weak = 0.2;

const v7Parts = ["custom", "reasoning-file", "steering-message"];
const v7Members = ["citations", "providerReference"];
const v7Approvals = ["isAutomatic", "requestReason", "descriptor"];
const v6States = ["approval-requested", "approval-responded", "output-denied"];
const v6Members = ["approval", "title", "toolMetadata", "resultProviderMetadata"];

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
  if (isMessage(value) && !isOfOld([value]))
    return [{ shape: "message", dialect: dialectOf([value]), confidence: 0.88, keys: ["id", "role", "parts"] }];
  if (isOfOld([value])) return [{ shape: "message", dialect: "v4", confidence: 0.85, keys: ["role", "content"] }];
  if (isRow(value)) return [{ shape: "message", dialect: "v4", confidence: row, keys: ["id", "role", "content"] }];
  if (isChunk(value)) return [{ shape: "stream", ...dialectOfChunks([value]), confidence: 0.85, keys: ["type"] }];
  return isWeakChunk(value) ? [{ shape: "stream", confidence: weak, keys: ["type"] }] : [];
}

function sniffList(list: readonly Json[]): readonly Sniff[] {
  const first = list.slice(0, looked);
  if (isLine(list)) return [{ shape: "stream", dialect: "v4", confidence: 0.7, keys: ["0"] }];
  if (first.length > 0 && first.every(isLine))
    return [{ shape: "stream", dialect: "v4", confidence: 0.9, keys: ["0"] }];
  const some = first.filter(isJsonObject);
  const ui = some.some(isMessage) ? some.filter(one => isMessage(one) || isRow(one)).length / some.length : 0;
  if (isOfOld(some)) return [{ shape: "messages", dialect: "v4", confidence: 0.85, keys: ["role", "content"] }];
  if (ui > 0)
    return [{ shape: "messages", dialect: dialectOf(some), confidence: 0.9 * ui, keys: ["id", "role", "parts"] }];
  if (some.some(isChunk)) return [{ shape: "stream", ...dialectOfChunks(some), confidence: 0.9, keys: ["type"] }];
  if (some.length > 0 && some.every(isRow))
    return [{ shape: "messages", dialect: "v4", confidence: row, keys: ["id", "role", "content"] }];
  const isFailed = some.length > 0 && some.every(isWeakChunk);
  return isFailed ? [{ shape: "stream", ...dialectOfChunks(some), confidence: weak, keys: ["type"] }] : [];
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

/** Chunks whose types other formats have too: all that a stream has which failed before it said anything. */
const weakChunks: { readonly [type: string]: (chunk: JsonObject) => boolean } = {
  start: () => true,
  finish: () => true,
  abort: () => true,
  error: ({ errorText }) => typeof errorText === "string",
  file: ({ url }) => typeof url === "string",
  custom: ({ kind }) => typeof kind === "string",
};

function isWeakChunk(chunk: JsonObject): boolean {
  const { type, role } = chunk;
  const fits = typeof type === "string" && role === undefined ? rowOf(weakChunks, type) : undefined;
  return fits?.(chunk) ?? false;
}

/** A text with an id and no parts: generation 4's, and little says so. */
const isRow = ({ id, role, content, parts, type, ...others }: JsonObject): boolean =>
  isOneOf(roles, role) &&
  !isOfChat(others) &&
  typeof id === "string" &&
  typeof content === "string" &&
  parts === undefined &&
  type === undefined;

/** A line of generation 4's data stream. */
export const isLine = (line: Json): boolean =>
  Array.isArray(line) && line.length === 2 && typeof line[0] === "string" && /^[0-9a-k]$/.test(line[0]);

const isMessage = (message: JsonObject): boolean =>
  isOneOf(roles, message["role"]) && Array.isArray(message["parts"]) && message["parts"].every(isPart);

/** What all generations could have written is old unless something is new. */
function isOfOld(messages: readonly JsonObject[]): boolean {
  const isChat = messages.some(isOfChat);
  return (
    messages.some(message => isOnlyOld(message, isChat)) || (messages.some(mayBeOld) && !messages.some(isNewMessage))
  );
}

/**
 * Members that only OpenAI's Chat messages have, some as `null`, and its roles. Their answers have `annotations` and hosts
 * `reasoning` as generation 4 has, and applications keep them in rows with an id and a time.
 */
const chatMembers = [
  ...["refusal", "tool_calls", "tool_call_id", "function_call", "audio"],
  ...["reasoning_content", "reasoning_details"],
];
const chatRoles = ["tool", "function", "developer"];

const isOfChat = (message: JsonObject): boolean => isOneOf(chatRoles, message["role"]) || hasAny(message, chatMembers);

/** Whether generation 4 alone writes so. It gave each message an id; without one, what others have too says nothing. */
function isOnlyOld(message: JsonObject, isChat: boolean): boolean {
  if (!isOldMessage(message)) return false;
  const { annotations, reasoning: _, createdAt: __, ...own } = message;
  if (isOldMessage(own)) return true;
  const isCited = Array.isArray(annotations) && annotations.some(isCitation);
  return !isChat && !isCited && typeof message["id"] === "string";
}

/** An annotation of Chat's, which says its type and has a member of that name. */
const isCitation = (each: Json): boolean =>
  isJsonObject(each) && typeof each["type"] === "string" && isJsonObject(each[each["type"]]);

const isPart = (part: Json): boolean => isJsonObject(part) && typeof part["type"] === "string";

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
