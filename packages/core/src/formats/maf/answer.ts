/** `ChatResponse`, `AgentResponse` and their updates ↔ messages. */

import type { EncodeContext } from "../../codec/codec.ts";
import { wholeHint, wholeOf } from "../../codec/hints.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, present, saysMore } from "../../codec/remainder.ts";
import type { Conversation, FinishReason, Message } from "../../model/conversation.ts";
import { copyExact } from "../../model/exact-text.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import { foldKey } from "./casefold.ts";
import { isHolder, paired, readMessage } from "./decode-message.ts";
import { freshUsage, surroundings, writeMessage, writeMessages } from "./encode-message.ts";
import { spell } from "./spelling.ts";
import { dotnetDate } from "./text-dates.ts";
import { typeRow } from "./type-rows.ts";
import { readUsage, writeUsage } from "./usage.ts";
import { family, inOrder, type Reading } from "./wire.ts";

const reasons: { readonly [word: string]: FinishReason } = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
};

/** Reasons that .NET has no word for come back as they were. */
const ownReasons: readonly FinishReason[] = [
  "stop-sequence",
  "context",
  "refusal",
  "pause",
  "compaction",
  "malformed-call",
  "error",
  "aborted",
  "incomplete",
  "pending",
];

type Finish = NonNullable<Message["finish"]>;

export function readFinish(word: string): Finish {
  const name = Object.keys(reasons).find(each => foldKey(each) === foldKey(word));
  const reason = (name === undefined ? undefined : reasons[name]) ?? ownReasons.find(each => each === word);
  if (reason === undefined) return { reason: "other", raw: word };
  return name === undefined || name === word ? { reason } : { reason, raw: word };
}

export function writeFinish(finish: Finish, lose: () => void): string {
  const { reason, raw } = finish;
  if (raw !== undefined && equalJson(readFinish(raw), finish)) return raw;
  if (raw !== undefined || reason === "other") lose();
  return Object.keys(reasons).find(word => reasons[word] === reason) ?? reason;
}

/** What an envelope says, on the last of its messages; ids and model on each (R16). */
export interface Envelope {
  readonly each: Pick<Message, "responseId" | "model">;
  readonly last: Pick<Message, "finish" | "usage">;
  readonly response: JsonObject | undefined;
  readonly hints: JsonObject;
}

const isWord = (value: Json): value is string => typeof value === "string" && value !== "";

export function readEnvelope(reader: Reader, reading: Reading): Envelope {
  const word = reader.string("finishReason");
  const details = reader.object("usage");
  const usage = details && readUsage(details);
  const each = defined<Envelope["each"]>({
    responseId: reader.member("responseId", isWord),
    model: reading.context.dialect === "agent" ? undefined : reader.member("modelId", isWord),
  });
  const response = reader.rest();
  if (reading.exact && response) copyExact(reading.exact, reader.value, response);
  return {
    each,
    last: { ...(word !== undefined && { finish: readFinish(word) }), ...(usage && { usage }) },
    response,
    hints: details && usage ? wholeHint("details", details, saysMore(details, writeUsage(usage))) : {},
  };
}

/** An answer's messages, with what the envelope says. */
export function readAnswer(value: JsonObject, reading: Reading): readonly Message[] {
  const reader = new Reader(value);
  const list = reader.array("messages") ?? [];
  const hasUsage = isJsonObject(value["usage"]);
  const read = list.map((message, index) => {
    const keepsUsage = hasUsage && index === list.length - 1;
    return readMessage(message, { index, path: ["messages", index], keepsUsage }, reading);
  });
  const messages = paired(read);
  const date = dateOf(messages);
  const isUndated = date !== undefined && reader.peek("createdAt") === undefined;
  if (date !== undefined) reader.literal("createdAt", date);
  const own = readEnvelope(reader, reading);
  const envelope = isUndated ? { ...own, hints: { ...own.hints, $dated: false } } : own;
  const holder: Message = { role: "assistant", parts: [], native: { [family]: { $holder: true } } };
  return withEnvelope(messages.length > 0 ? messages : [holder], envelope);
}

/** Whether an envelope has the date of its messages: not where it was read without one, or with another. */
function isDated(last: Message): boolean {
  const { $dated: told, response } = hintsOf(last, family);
  return told !== false && !(isJsonObject(response) && Object.hasOwn(response, "createdAt"));
}

/** The date of the first message that has one that .NET reads: what it gives the response of updates. */
const dateOf = (messages: readonly Message[]): string | undefined =>
  messages.find(({ createdAt }) => createdAt !== undefined && dotnetDate(createdAt) !== undefined)?.createdAt;

function withEnvelope(messages: readonly Message[], envelope: Envelope): readonly Message[] {
  return messages.map((message, index) => {
    const own = { ...message, ...envelope.each };
    return index === messages.length - 1 ? withLast(own, envelope) : own;
  });
}

export function withLast(message: Message, { last, response, hints }: Envelope): Message {
  const members = { ...hintsOf(message, family), ...hints, ...(response && { response }) };
  // Usage among the contents stays theirs unless the envelope has its own: that is the sum.
  const native = Object.keys(members).length > 0 && { native: { ...message.native, [family]: members } };
  return { ...message, ...last, ...native };
}

/** The messages of a conversation in one envelope. */
export function writeAnswer(conversation: Conversation, context: EncodeContext): JsonObject {
  const isEmpty = conversation.messages.length === 1 && conversation.messages.every(isHolder);
  const last = conversation.messages.at(-1);
  const inEnvelope = last?.usage && hasOwnUsage(last) ? undefined : last;
  const messages = isEmpty ? [] : writeMessages(conversation, context, inEnvelope);
  const fields = { messages, ...writeEnvelope(conversation.messages, context) };
  return ordered(fields, last, context.dialect === "agent" ? "AgentResponse" : "ChatResponse");
}

/** Usage contents that still say the message's usage, and no details of an envelope. */
const hasOwnUsage = (message: Message): boolean => {
  const hints = hintsOf(message, family);
  return Array.isArray(wholeOf(hints, "usage")) && wholeOf(hints, "details") === undefined;
};

function writeEnvelope(messages: readonly Message[], context: EncodeContext): JsonObject {
  const last = messages.at(-1);
  const path = ["messages", messages.length - 1];
  const lose = (code: string, index: number, member: string) => context.lose(code, ["messages", index, member]);
  messages.forEach((message, index) => {
    if (message.responseId !== last?.responseId) lose("envelope", index, "responseId");
    if (message.model !== last?.model) lose("envelope", index, "model");
    if (message !== last && message.finish) lose("envelope", index, "finish");
    if (message !== last && isJsonObject(hintsOf(message, family)["response"])) lose("envelope", index, "native");
  });
  const isAgent = context.dialect === "agent";
  if (isAgent && last?.model !== undefined) context.lose("model", [...path, "model"]);
  const finish = last?.finish;
  const usage = last?.usage && !hasOwnUsage(last) ? last.usage : undefined;
  return present({
    responseId: last?.responseId,
    modelId: isAgent ? undefined : last?.model,
    createdAt: last && isDated(last) ? dateOf(messages) : undefined,
    finishReason: finish && writeFinish(finish, () => context.lose("finish", [...path, "finish"])),
    usage: usage && last && (keptDetails(last) ?? freshUsage(usage, { path, context })),
  });
}

/** The counts that an envelope was read with, if they still say the usage (R1). */
function keptDetails(message: Message): JsonObject | undefined {
  const details = wholeOf(hintsOf(message, family), "details");
  return isJsonObject(details) && equalJson(readUsage(details), message.usage) ? details : undefined;
}

/** Fields and the remainder of the envelope, in the order of its type. */
function ordered(fields: JsonObject, last: Message | undefined, type: string): JsonObject {
  const response = last && hintsOf(last, family)["response"];
  const wire = inOrder({ ...(isJsonObject(response) ? response : {}), ...fields }, typeRow(type));
  for (const [pointer, text] of Object.entries(last?.exact ?? {})) {
    const [, key] = /^\/native\/maf\/response\/([^/]+)$/.exec(pointer) ?? [];
    if (key !== undefined) spell(wire, key, text);
  }
  return wire;
}

/** One update as a message with the envelope's words. */
export function readUpdate(value: JsonObject, reading: Reading): Message {
  const reader = new Reader(value);
  const isOwn = typeof value["messageId"] === "string" && value["messageId"] !== "";
  const names = [
    "authorName",
    "role",
    "contents",
    "messageId",
    "createdAt",
    ...(isOwn ? ["additionalProperties"] : []),
  ];
  const own: MutableJsonObject = {};
  for (const key of names) {
    const member = reader.json(key);
    if (member !== undefined) setMember(own, key, member);
  }
  const isRoleless = (value["role"] ?? null) === null;
  const { role: _, ...roleless } = own;
  const message = readMessage(
    { ...(isRoleless ? roleless : own), ...(isRoleless && { role: "assistant" }) },
    { index: 0, path: [] },
    reading,
  );
  const envelope = readEnvelope(reader, reading);
  const hints = { ...envelope.hints, ...(isRoleless && { $roleless: true }) };
  return withLast({ ...message, ...envelope.each }, { ...envelope, hints });
}

/** The update that says one message. */
export function writeUpdate(message: Message, context: EncodeContext): JsonObject {
  const around = surroundings([message]);
  const written = writeMessage(message, { path: ["messages", 0], context, around, hasUsage: true });
  const { role, ...others } = written;
  const isRoleless = role === "assistant" && hintsOf(message, family)["$roleless"] === true;
  const { usage: _, ...envelope } = writeEnvelope([message], context);
  const type = context.dialect === "agent" ? "AgentResponseUpdate" : "ChatResponseUpdate";
  return ordered({ ...(!isRoleless && { role: role ?? "assistant" }), ...others, ...envelope }, message, type);
}
