import { bedrock, type ReadScope, type WriteScope } from "../../blocks/bedrock-converse/node.ts";
import { readBlocks } from "../../blocks/bedrock-converse/reading.ts";
import { writeBlocks } from "../../blocks/bedrock-converse/writing.ts";
import { isJoined, reportSide, sideOf, sidesOf } from "../../blocks/sides.ts";
import { pairUnnamed, unnamedIn } from "../../blocks/unnamed-calls.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { envelopeMembers, family, plainText, readScope } from "./wire.ts";

// reading

interface ReadContent {
  readonly parts: readonly Part[];
  /** How the list was spelled. */
  readonly hints: JsonObject;
}

/** Content is a list of blocks; some clients send a text. `made`: what ids are made of where a call has none (R8). */
export function readContent(
  content: Json | undefined,
  { path, made }: { readonly path: Path; readonly made: string },
  scope: ReadScope,
): ReadContent {
  if (content === undefined) return { parts: [], hints: { $content: false } };
  if (typeof content === "string") return { parts: [{ type: "text", text: content }], hints: { $content: "string" } };
  if (Array.isArray(content)) return { parts: readBlocks(content, { path, made }, scope), hints: {} };
  scope.issue("unread-content", path, "expected a list of blocks; kept as it is");
  return { parts: [{ type: "opaque", family, value: content }], hints: { $content: "value" } };
}

interface ReadMessages {
  readonly messages: readonly Message[];
  readonly carry: Json | undefined;
}

/** A message; one of a user with results of tools and other content is several, each of one side (R15). */
function readMessage(
  wire: Json,
  about: { readonly index: number; readonly path: Path },
  scope: ReadScope,
): ReadMessages {
  const { index, path } = about;
  if (Array.isArray(wire)) return readSystem(wire, about, scope);
  if (!isJsonObject(wire)) {
    scope.issue("not-a-message", path, "expected an object; kept as it is");
    const part: Part = { type: "opaque", family, value: wire };
    return {
      messages: [{ role: "user", parts: [part], ...kept(family, undefined, { $message: "value" }) }],
      carry: undefined,
    };
  }
  const reader = new Reader(wire);
  const told = reader.string("role");
  const role = told ?? "user";
  const carry = reader.json("translogue");
  const read = readContent(reader.json("content"), { path: [...path, "content"], made: `${index}` }, scope);
  const isKnown = role === "user" || role === "assistant" || role === "system";
  const isEmpty = Array.isArray(reader.value["content"]) && reader.value["content"].length === 0;
  const hints = {
    ...read.hints,
    ...(isEmpty && { $content: "empty" }),
    ...(!isKnown && { $role: role }),
    ...(told === undefined && { $role: false }),
  };
  const native = kept(family, reader.rest(), hints, envelopeMembers);
  const parts = read.parts.map(sent);
  const [first, ...others] = role === "user" ? sidesOf(parts) : [{ role, parts }];
  const messages = [
    { ...(first ?? { role, parts: [] }), ...native },
    ...others.map(side => ({ ...side, ...kept(family, undefined, { $join: true }) })),
  ];
  return { messages, carry };
}

/** A blank text that somebody sent. */
const sent = (part: Part): Part =>
  part.type === "text" && !/\S/.test(part.text)
    ? { ...part, native: { ...part.native, [family]: { ...hintsOf(part, family), $blank: true } } }
    : part;

/** The blocks of a request's `system`; the carry stands in the first. */
export function readSystem(
  wire: readonly Json[],
  { index, path }: { readonly index: number; readonly path: Path },
  scope: ReadScope,
): ReadMessages {
  const [first, ...others] = wire;
  const isCarrying = isJsonObject(first) && first["translogue"] !== undefined;
  const { translogue: carry, ...own } = isCarrying ? first : {};
  const blocks = isCarrying ? [own, ...others] : wire;
  return {
    messages: [{ role: "system", parts: readBlocks(blocks, { path, made: `${index}` }, scope).map(sent) }],
    carry,
  };
}

/** The messages of a list, the first of them of this number in the conversation. */
export function readList(
  list: readonly Json[],
  context: DecodeContext,
  about: { readonly first?: number; readonly path?: Path; readonly model?: string | undefined } = {},
): Message[] {
  const { first = 0, path = [], model } = about;
  const scope = readScope(context, model);
  const messages: Message[] = [];
  for (const [index, wire] of list.entries()) {
    const read = readMessage(wire, { index, path: [...path, index] }, scope);
    if (read.carry !== undefined) context.carried(first + messages.length, read.carry);
    messages.push(...read.messages);
  }
  return pairUnnamed(messages, unnamedIn(bedrock));
}

// writing

interface Group {
  readonly wire: Json;
  readonly first: number;
  readonly count: number;
}

/** The wire messages of messages, each from one of them, or from those that were split of one. */
export function writeList(
  messages: readonly Message[],
  context: EncodeContext,
  { scope, first = 0 }: { readonly scope: WriteScope; readonly first?: number },
): Json[] {
  const groups: Group[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!message) continue;
    if (message.role === "control") {
      context.lose("control", ["messages", first + index]);
      continue;
    }
    let count = 1;
    if (sideOf(message, family) === "user") while (isJoined(messages[index + count], family)) count++;
    const group = messages.slice(index, index + count);
    const wire = writeMessage(group, first + index, { context, scope });
    if (isRefused(wire, message, context)) context.lose("empty-message", ["messages", first + index]);
    else groups.push({ wire, first: first + index, count });
    index += count - 1;
  }
  for (const { wire, first: from, count } of groups) if (isJsonObject(wire)) context.wrote([wire], from, count);
  return groups.map(({ wire }) => wire);
}

/** The provider refuses messages without content, unless somebody sent it one. */
const isRefused = (wire: Json, message: Message, { recipient, shape }: EncodeContext): boolean =>
  recipient === "provider" &&
  shape !== "message" &&
  isJsonObject(wire) &&
  Array.isArray(wire["content"]) &&
  wire["content"].length === 0 &&
  hintsOf(message, family)["$content"] !== "empty";

function writeMessage(
  group: readonly Message[],
  first: number,
  { context, scope }: { readonly context: EncodeContext; readonly scope: WriteScope },
): Json {
  const [head] = group;
  if (!head) return null;
  const hints = hintsOf(head, family);
  const [only] = head.parts;
  if (hints["$message"] === "value" && head.parts.length === 1 && only?.type === "opaque") return only.value;
  group.forEach((message, index) => {
    const path = ["messages", first + index];
    reportSide(message, path, { context, family });
    reportEnvelope(message, path, context);
  });
  const content = writeContent(group, first, scope);
  const isUnsaid = hints["$role"] === false && head.role === "user";
  return fillAll(
    present({ role: isUnsaid ? undefined : sideOf(head, family), content }),
    remainderOf(head, family, envelopeMembers),
  );
}

/** Members of an answer that a history has no place for. */
function reportEnvelope(message: Message, path: Path, context: EncodeContext): void {
  const hints = hintsOf(message, family);
  const isTold = envelopeMembers.some(member => isJsonObject(hints[member]) && Object.keys(hints[member]).length > 0);
  if (isTold) context.lose("envelope", [...path, "native", family]);
}

/** The content of neighbours, spelled as that of the first was. */
export function writeContent(messages: readonly Message[], first: number, scope: WriteScope): Json | undefined {
  const [head] = messages;
  const { $content: told } = head ? hintsOf(head, family) : {};
  const parts = messages.length === 1 && head ? head.parts : messages.flatMap(message => message.parts);
  const [only] = parts;
  if (told === false && parts.length === 0) return undefined;
  if (told === "value" && parts.length === 1 && only?.type === "opaque") return only.value;
  const text = told === "string" ? plainText(parts) : undefined;
  return text ?? messages.flatMap((message, index) => writeParts(message, first + index, scope));
}

/** The blocks of a message's parts. */
export const writeParts = ({ parts }: Message, index: number, scope: WriteScope): Json[] =>
  parts.flatMap((part, place) => writeBlocks({ part, path: ["messages", index, "parts", place] }, scope));

/** Puts a carry where a client sends it back: into the message, or the first block of a system prompt. */
export function carryInto(wire: object, carry: Json): void {
  const holder: unknown = Array.isArray(wire) ? wire[0] : wire;
  if (isJsonObject(holder)) Object.assign(holder, { translogue: carry });
}
