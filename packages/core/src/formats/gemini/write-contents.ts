import { gemini } from "../../blocks/gemini/node.ts";
import { type Writing, writePart } from "../../blocks/gemini/writing.ts";
import { fillAll, hintsOf, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { roleOf } from "./read-contents.ts";
import { envelopeMembers, family } from "./wire.ts";

/** A content that is being written, and the messages that it is written from. */
interface Open {
  readonly wire: JsonObject;
  readonly parts: Json[];
  readonly first: number;
  count: number;
  /** Contents of one message that was split stand together. */
  readonly isMore: boolean;
  readonly isUser: boolean;
}

/** The contents of a history, each message by itself (R15); what was split when it was read is put together again. */
export function writeContents(messages: readonly Message[], writing: Writing, from = 0): Json[] {
  const written: (Open | Json)[] = [];
  let last: Open | undefined;
  for (let index = from; index < messages.length; index++) {
    const message = messages[index] as Message; // index < length
    const path = ["messages", index];
    const opaque = opaqueOf(message);
    if (opaque !== undefined) {
      written.push(opaque);
      last = undefined;
      continue;
    }
    const pieces = writeMessage(message, index, writing);
    reportEnvelope(message, path, writing);
    const [piece] = pieces;
    const isJoined = hintsOf(message, family)["$join"] === true && isOfUser(message.role) && last?.isUser === true;
    if (isJoined && last && piece && pieces.length === 1 && last.first + last.count === index) {
      last.parts.push(...piece.parts);
      last.count++;
      continue;
    }
    written.push(...pieces);
    last = pieces.at(-1);
  }
  reportWritten(written, writing);
  return written.map(each => (isOpen(each) ? each.wire : each));
}

const isOpen = (each: Open | Json): each is Open =>
  isJsonObject(each) && Array.isArray(each["parts"]) && "isMore" in each;

function reportWritten(written: readonly (Open | Json)[], { context }: Writing): void {
  let group: { wires: [object, ...object[]]; first: number; count: number } | undefined;
  const groups: NonNullable<typeof group>[] = [];
  for (const each of written) {
    if (!isOpen(each)) continue;
    if (each.isMore && group) group.wires.push(each.wire);
    else {
      group = { wires: [each.wire], first: each.first, count: each.count };
      groups.push(group);
    }
  }
  for (const { wires, first, count } of groups) context.wrote(wires, first, count);
}

/** What was no content when it was read. */
function opaqueOf({ role, parts }: Message): Json | undefined {
  const [only] = parts;
  return role === "control" && parts.length === 1 && only?.type === "opaque" && only.family === gemini
    ? only.value
    : undefined;
}

/** Members of an answer that a history has no place for. */
function reportEnvelope(message: Message, path: Path, { context }: Writing): void {
  const hints = hintsOf(message, family);
  const isTold = envelopeMembers.some(member => isJsonObject(hints[member]) && Object.keys(hints[member]).length > 0);
  if (isTold) context.lose("envelope", [...path, "native", family]);
}

const isOfUser = (role: string): boolean => role === "user" || role === "tool";

/** The role on the wire: the one that was read, where it still reads as the message's. */
function wireRoleOf({ role, ...message }: Message): string | undefined | false {
  const { $role: hint } = hintsOf(message, family);
  if (hint === false) return false;
  if (hint === "function" && isOfUser(role)) return hint;
  if (typeof hint === "string" && roleOf(hint) === role) return hint;
  return undefined;
}

function writeMessage(message: Message, index: number, writing: Writing): Open[] {
  const path = ["messages", index];
  const { context } = writing;
  const { role } = message;
  const told = wireRoleOf(message);
  if (role === "control" && told === undefined) {
    context.lose("control", path);
    return [];
  }
  const isModel = role === "assistant";
  if (told === undefined && !isModel && !isOfUser(role)) context.lose("role", [...path, "role"], role);
  const usual = isModel ? "model" : "user";
  const isWhole = told !== undefined && told !== false && told !== "function";
  const groups =
    isModel || isWhole
      ? sides(message.parts, isModel, writing)
      : [{ isResult: false, places: [...message.parts.keys()] }];
  if (groups.length > 1 || groups.some(({ isResult }) => isResult)) context.lose("split", [...path, "role"]);
  else if (!isModel && !isWhole) reportSides(message, path, writing);
  const { $parts: form } = hintsOf(message, family);
  const written = groups.map(({ isResult, places }) => {
    const parts = places.flatMap(place => {
      const part = message.parts[place];
      return part ? writePart(part, [...path, "parts", place], writing) : [];
    });
    return { isResult, parts };
  });
  // The API refuses a content without parts: what is left empty is left out, what was empty is filled.
  const isLeft = context.recipient === "provider" && message.parts.length > 0;
  const said = isLeft ? written.filter(({ parts }) => parts.length > 0) : written;
  if (said.length === 0) context.lose("empty-message", path);
  return said.map(({ isResult, parts }, number) => {
    const wireRole = isResult ? "user" : told === false ? undefined : (told ?? usual);
    const content = { message, form: number === 0 ? form : undefined, isFirst: number === 0, path };
    const wire = contentOf({ role: wireRole, parts }, content, writing);
    return { wire, parts, first: index, count: 1, isMore: number > 0, isUser: isResult || !isModel };
  });
}

/** Results of functions are the user's, wherever they stand; those of the provider's own tools are the model's. */
function sides(
  parts: readonly Part[],
  isModel: boolean,
  { pairs }: Writing,
): { isResult: boolean; places: number[] }[] {
  const groups: { isResult: boolean; places: number[] }[] = [];
  for (const [place, part] of parts.entries()) {
    const isFunctions = part.type === "tool-result" && pairs.get(part)?.executedBy === undefined;
    const isResult = isModel && isFunctions && !Object.hasOwn(hintsOf(part, family), "$wire");
    const last = groups.at(-1);
    if (last?.isResult === isResult) last.places.push(place);
    else groups.push({ isResult, places: [place] });
  }
  return groups.length > 0 ? groups : [{ isResult: false, places: [] }];
}

/** Read again, results are a tool's and everything else is the user's. */
function reportSides({ role, parts }: Message, path: Path, { context }: Writing): void {
  const isResult = (part: Part): boolean =>
    part.type === "tool-result" && !Object.hasOwn(hintsOf(part, family), "$wire");
  const wanted = role === "tool";
  if (parts.length === 0 ? wanted : parts.some(part => isResult(part) !== wanted)) {
    context.lose("split", [...path, "role"], role);
  }
}

interface About {
  readonly message: Message;
  readonly form: Json | undefined;
  readonly isFirst: boolean;
  readonly path: Path;
}

function contentOf(
  { role, parts }: { readonly role: string | undefined; readonly parts: JsonObject[] },
  { message, form, isFirst, path }: About,
  { context }: Writing,
): JsonObject {
  if (parts.length === 0 && context.recipient === "provider") {
    // The API refuses a content without parts.
    context.lose("no-content", [...path, "parts"]);
    parts.push({ text: "" });
  }
  const [only] = parts;
  const isObject = form === "object" && parts.length === 1;
  const isMissing = form === false && parts.length === 0;
  const fields: MutableJsonObject = { ...present({ role }) };
  if (!isMissing) fields["parts"] = isObject && only ? only : parts;
  return fillAll(fields, isFirst ? remainderOf(message, family, envelopeMembers) : {});
}
