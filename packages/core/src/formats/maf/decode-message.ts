/** Chat messages → messages. */

import { pairUnnamed } from "../../blocks/unnamed-calls.ts";
import { wholeHint } from "../../codec/hints.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, saysMore } from "../../codec/remainder.ts";
import type { Message, Usage } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { pairResults } from "../../model/pairing.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { isIsoDate } from "../../model/spelling.ts";
import { foldKey } from "./casefold.ts";
import { CallIds, readContents } from "./decode-content.ts";
import { isBlank } from "./text-blank.ts";
import { addUsage, readUsage, writeUsage } from "./usage.ts";
import { family, Properties, type Reading, rest } from "./wire.ts";

/** The key of `additionalProperties` under which what MAF cannot hold travels. */
export const carryKey = "translogue";

const knownRoles = ["system", "user", "assistant", "tool"];

export interface MessagePlace {
  /** Its number among the messages. */
  readonly index: number;
  readonly path: Path;
  /** Its envelope says the usage, so that usage among its contents stays there. */
  readonly keepsUsage?: boolean;
}

/** A message whose values are already under the names of its type. What is none is kept as it is. */
export function readMessage(value: Json, place: MessagePlace, reading: Reading): Message {
  const { index, path } = place;
  if (!isJsonObject(value)) {
    if (value !== null) reading.context.issue("not-a-message", path, "a message is an object; kept as it is");
    return { role: "control", parts: [{ type: "opaque", family, value }] };
  }
  const reader = new Reader(value);
  const { messageId } = value;
  if (typeof messageId === "string" && isMadeId(messageId)) reader.take("messageId");
  const role = reader.member("role", (word): word is string => typeof word === "string" && !isBlank(word)) ?? "user";
  const known = knownRoles.find(word => word === foldKey(role).toLowerCase());
  const properties = new Properties(reader);
  const carry = properties.member(carryKey, isJsonObject);
  if (carry) reading.context.carried(index, carry);
  const contents = reader.array("contents") ?? [];
  const ids = new CallIds(String(index));
  const read = (list: readonly Json[]) => readContents(list, [...path, "contents"], { ...reading, ids });
  const { parts, usage, places } = place.keepsUsage
    ? { parts: read(contents), usage: undefined, places: [] }
    : withoutUsage(contents, read);
  const hints: JsonObject = {
    ...properties.hints(reading.exact),
    ...(known !== undefined && known !== role && { $role: role }),
    ...placesHint(places),
  };
  return {
    role: known ?? role,
    parts: withoutKnownKinds(parts, known ?? role),
    ...readHead(reader),
    ...(usage && { usage }),
    ...rest(reader, hints, reading.exact),
  };
}

/** Ids that our streams give to messages without one, because neighbours without ids are one message there (R8). */
export const madeId = (message: number | string): string => `~${message}`;
export const isMadeId = (id: string): boolean => /^~\d+$/.test(id);

/** What a message says of itself; an empty id and a blank author are none. */
export function readHead(reader: Reader): Pick<Message, "id" | "author" | "createdAt"> {
  const isWord = (value: Json): value is string => typeof value === "string" && value !== "";
  const name = reader.member("authorName", (value): value is string => isWord(value) && !isBlank(value));
  return defined<Pick<Message, "id" | "author" | "createdAt">>({
    id: reader.member("messageId", (value): value is string => isWord(value) && !isMadeId(value)),
    author: name === undefined ? undefined : { name },
    createdAt: reader.member("createdAt", (value): value is string => typeof value === "string" && isIsoDate(value)),
  });
}

interface Split {
  readonly parts: readonly Part[];
  readonly usage: Usage | undefined;
  /** The contents taken out and where they stood. */
  readonly places: readonly JsonObject[];
}

/** Usage among the contents is the message's; the contents as such are kept for their place and what else they say. */
export function withoutUsage(contents: readonly Json[], read: (list: readonly Json[]) => readonly Part[]): Split {
  const places: JsonObject[] = [];
  let usage: Usage | undefined;
  contents.forEach((content, at) => {
    const details = usageIn(content);
    if (!details) return;
    places.push({ at, content });
    const own = readUsage(details);
    usage = usage ? addUsage(usage, own) : own;
  });
  const others = places.length === 0 ? contents : contents.filter(content => !usageIn(content));
  return { parts: read(others), usage, places };
}

/** The usage contents: more than spelling where they say what the message's usage does not, as .NET's additional counts. */
export function placesHint(places: readonly JsonObject[]): JsonObject {
  const isMore = places.some(({ content = null }) => {
    const details = usageIn(content) ?? {};
    const plain = { $type: "usage", details: writeUsage(readUsage(details)) };
    return isJsonObject(content) && saysMore(content, plain);
  });
  return places.length > 0 ? wholeHint("usage", places, isMore) : {};
}

export function usageIn(content: Json): JsonObject | undefined {
  const details = isJsonObject(content) && content["$type"] === "usage" ? content["details"] : undefined;
  return isJsonObject(details) ? details : undefined;
}

/**
 * A result says its kind only where it is not that of its call beside it. A function's result among an assistant's contents
 * is noted as such: else it would be taken for that of a hosted call in an earlier message.
 */
export function withoutKnownKinds(parts: readonly Part[], role: string): readonly Part[] {
  if (!parts.some(({ type }) => type === "tool-result")) return parts;
  const calls = pairResults([{ role, parts }]);
  return parts.map(part =>
    part.type === "tool-result" ? withKind(part, calls.get(part), role === "assistant") : part,
  );
}

/** The result as it says its kind beside its call, or without one. */
export function withKind(part: ToolResultPart, call: ToolCallPart | undefined, isAssistant: boolean): ToolResultPart {
  const { kind, ...others } = part;
  if (call) return kind === call.kind ? others : { ...part, kind: kind ?? "function" };
  if (kind !== undefined || !isAssistant) return part;
  return { ...part, native: { ...part.native, [family]: { ...hintsOf(part, family), $function: true } } };
}

/** Results that had no id answer the calls of earlier messages that had none. */
export const paired = (messages: readonly Message[]): Message[] =>
  pairUnnamed(messages, part => Object.hasOwn(hintsOf(part, family), "callId"));

/** Whether a message was made only to hold what an answer without messages says. */
export const isHolder = (message: Message): boolean =>
  message.parts.length === 0 && hintsOf(message, family)["$holder"] === true;
