/** Messages → chat messages. */

import type { EncodeContext } from "../../codec/codec.ts";
import { wholeOf } from "../../codec/hints.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Conversation, Message, Usage } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { pairResults } from "../../model/pairing.ts";
import type { ApprovalRequestPart, Part, ToolCallPart } from "../../model/parts.ts";
import { idsToName } from "./calls.ts";
import { foldKey } from "./casefold.ts";
import { usageIn } from "./decode-message.ts";
import { refusedResults } from "./denials.ts";
import { type Surroundings, writeContents } from "./encode-content.ts";
import { isBlank } from "./text-blank.ts";
import { dotnetDate } from "./text-dates.ts";
import { addUsage, readUsage, writeUsage } from "./usage.ts";
import { family, type Writing, wireOf } from "./wire.ts";

/** The chat messages of a conversation, each noted as written. `envelope`: the message whose usage its envelope says. */
export function writeMessages(conversation: Conversation, context: EncodeContext, envelope?: Message): readonly Json[] {
  const around = surroundings(conversation.messages);
  return conversation.messages.map((message, index) => {
    const path = ["messages", index];
    const [only] = message.parts;
    if (
      message.role === "control" &&
      message.parts.length === 1 &&
      only?.type === "opaque" &&
      !isJsonObject(only.value)
    ) {
      return only.value; // it was no message when it was read
    }
    const written = writeMessage(message, { path, context, around, hasUsage: message !== envelope });
    context.wrote([written], index, 1);
    return written;
  });
}

/** Calls by the results and approvals that are about them, along the list. */
export function surroundings(messages: readonly Message[]): Surroundings {
  const results = pairResults(messages);
  const beside = new Set(messages.flatMap(message => [...pairResults([message]).keys()]));
  const assistants = new Set(messages.flatMap(({ role, parts }) => (role === "assistant" ? parts : [])));
  const calls = new Map<string, ToolCallPart>();
  const requests = new Map<string, ApprovalRequestPart>();
  const refused = refusedResults(messages);
  const held = new Set<ToolCallPart>();
  const named = idsToName(messages);
  const about = new Map<unknown, { callId?: string; call?: ToolCallPart }>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.callId, part);
      if (part.type === "approval-request") requests.set(part.requestId, part);
      if (part.type !== "approval-request" && part.type !== "approval-response") continue;
      const request = requests.get(part.requestId);
      const callId = part.callId ?? request?.callId;
      const call = request?.call ?? (callId === undefined ? undefined : calls.get(callId));
      if (part.type === "approval-request" && isHolding(part) && call) held.add(call);
      about.set(part, { ...(callId !== undefined && { callId }), ...(call && { call }) });
    }
  }
  // What has its result is told for that, as MAF's loop does once it has run a call: it rebuilds only those without.
  for (const call of results.values()) held.delete(call);
  return {
    // A provider's own result stands among the assistant's parts (R20).
    callOf: result =>
      beside.has(result) || (assistants.has(result) && !isFunction(result)) ? results.get(result) : undefined,
    isBeside: result => beside.has(result),
    isRefused: result => refused.has(result),
    isHeld: call => held.has(call),
    asked: approval => about.get(approval) ?? {},
    isNamed: callId => named.has(callId),
  };
}

/** A question that the call is put into: one that held it when it was read stands beside what it let through. */
export const isHolding = (part: ApprovalRequestPart): boolean =>
  !part.call && !Object.hasOwn(hintsOf(part, family), "toolCall");

const isFunction = (result: Part): boolean => hintsOf(result, family)["$function"] === true;

export interface MessageWriting extends Writing {
  readonly around: Surroundings;
  /** Whether its usage stands among its contents. */
  readonly hasUsage: boolean;
}

export function writeMessage(message: Message, writing: MessageWriting): JsonObject {
  const { parts } = message;
  const contents = writeContents(parts, { ...writing, path: [...writing.path, "parts"] }, writing.around);
  const fields: JsonObject = {
    ...writeHead(message, writing),
    contents: writing.hasUsage ? withUsage(message, contents, writing) : contents,
  };
  return wireOf("ChatMessage", fields, message);
}

/** What a message says of itself. */
export function writeHead(message: Message, writing: Writing): JsonObject {
  const { author, createdAt, id } = message;
  const { lose } = writing.context;
  if (author && (author.id !== undefined || author.kind !== undefined || isBlank(author.name ?? ""))) {
    lose("author", [...writing.path, "author"]);
  }
  return present({
    authorName: author?.name !== undefined && !isBlank(author.name) ? author.name : undefined,
    createdAt: createdAt === undefined ? undefined : writeDate(createdAt, [...writing.path, "createdAt"], writing),
    role: writeRole(message, writing),
    messageId: id,
  });
}

/** A date that .NET can read; others are put into its form, or left out. */
export function writeDate(date: string, path: Path, { context }: Pick<Writing, "context">): string | undefined {
  if (dotnetDate(date) !== undefined) return date;
  context.lose("date", path, date);
  return dotnetDate(
    date
      .replace(",", ".")
      .replace(/([+-]\d\d)(\d\d)$/, "$1:$2")
      .replace(/(\.\d{16})\d+/, "$1"),
  );
}

function writeRole(message: Message, { path, context }: Writing): string {
  const { role } = message;
  const { $role: spelled } = hintsOf(message, family);
  if (typeof spelled === "string" && foldKey(spelled) === foldKey(role)) return spelled;
  const isOther = ["system", "user", "assistant", "tool"].some(
    word => word !== role && foldKey(word) === foldKey(role),
  );
  if (isOther || isBlank(role)) context.lose("role", [...path, "role"], role);
  return isBlank(role) ? "user" : role;
}

/** The contents with the message's usage in its place: as it was read, while that still says it (R1). */
export function withUsage(message: Message, contents: readonly Json[], writing: Writing): readonly Json[] {
  const { usage } = message;
  if (!usage) return contents;
  const kept = keptUsage(message);
  const places = kept ?? [{ at: contents.length, content: { $type: "usage", details: freshUsage(usage, writing) } }];
  const all = [...contents];
  for (const { at, content } of places) all.splice(Math.min(at, all.length), 0, content);
  return all;
}

interface UsagePlace {
  readonly at: number;
  readonly content: Json;
}

/** The usage contents that a message was read with, if they still say its usage. */
export function keptUsage(message: Message): readonly UsagePlace[] | undefined {
  const kept = wholeOf(hintsOf(message, family), "usage");
  const places = Array.isArray(kept) ? kept.flatMap(placeOf) : [];
  let sum: Usage | undefined;
  for (const { content } of places) {
    const own = readUsage(usageIn(content) ?? {});
    sum = sum ? addUsage(sum, own) : own;
  }
  return sum && equalJson(sum, message.usage) ? places : undefined;
}

const placeOf = (value: Json): UsagePlace[] =>
  isJsonObject(value) && typeof value["at"] === "number" && usageIn(value["content"] ?? null)
    ? [{ at: value["at"], content: value["content"] ?? null }]
    : [];

/** Counts for a usage that was not read from MAF. */
export function freshUsage(usage: Usage, { path, context }: Writing): JsonObject {
  const details = writeUsage(usage);
  if (!equalJson(readUsage(details), usage)) context.lose("usage", [...path, "usage"]);
  return details;
}
