/** Parts → items of the Responses wire: which parts one item is made of, and the item of each. */

import { hintsOf, present, restored } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { mayBeAsked, writeRequest, writeResponse } from "./approvals.ts";
import { pairingId, typeOfCall, type WriteIds, writeCall } from "./call-writing.ts";
import { callTypes, typesByKind } from "./calls.ts";
import { isContent, isPlainText, type Side, writeContent } from "./content.ts";
import { isElsewhere } from "./host.ts";
import {
  hasOwnId,
  idOf,
  isOf,
  itemOf,
  type Located,
  responses,
  sealValues,
  type WriteScope,
  writeStatus,
} from "./node.ts";
import { hasResult, resultTypes, typeOfResult } from "./outputs.ts";
import { entryPlace, isEntry, isSameReasoning, writeReasoning } from "./reasoning.ts";
import { embeddedResults } from "./results.ts";
import { writeTool } from "./tools.ts";

/** What the writing of a list of items shares. */
export interface Writing {
  readonly scope: WriteScope;
  readonly ids: WriteIds;
  /** Whose result each one is, over all messages (R9). */
  readonly callOf: (result: ToolResultPart) => ToolCallPart | undefined;
  /** Requests for an approval that have an item; undefined = it is not known of this one. */
  readonly asks: (requestId: string) => boolean | undefined;
}

/** The parts of one item, and whose turn it is. */
export interface Unit {
  readonly role: string;
  readonly parts: readonly Located[];
  /** Of a provider's tool, where it is a member of the call's item. */
  readonly result?: Located<ToolResultPart>;
}

/** Whether a part belongs to the item of the one before it. */
export function joins(before: Part, next: Part, role: string): boolean {
  if (isContent(before) && isContent(next)) return role !== "assistant" || isSameMessage(before, next);
  if (isEntry(before) && isEntry(next)) return isSameReasoning(before, next);
  return false;
}

function isSameMessage(before: Part, next: Part): boolean {
  const isSame = hintsOf(next, responses)["$item"] !== "new" && idOf(before) === idOf(next);
  return isSame && phaseOf(before) === phaseOf(next);
}

const phaseOf = (part: Part): string | undefined => (part.type === "text" ? part.phase : undefined);

/** The items that a message's parts make, in their order. */
export function unitsOf(parts: readonly Located[], role: string, writing: Writing): Unit[] {
  const units: { role: string; parts: Located[]; result?: Located<ToolResultPart> }[] = [];
  const calls = new Map<ToolCallPart, (typeof units)[number]>();
  for (const place of flattened(parts, writing)) {
    const { part } = place;
    const side = sideOf(part, role, writing);
    if (side === undefined) {
      writing.scope.lose("misplaced", place.path, part.type);
      continue;
    }
    const last = units.at(-1);
    const before = last?.parts.at(-1)?.part;
    if (part.type === "tool-result" && addToCall({ part, path: place.path }, calls, { role, last, writing })) continue; // just looked at
    if (last && before && last.role === side && !last.result && joins(before, part, side)) {
      last.parts.push(place);
      continue;
    }
    const unit = { role: side, parts: [place] };
    units.push(unit);
    if (part.type === "tool-call") calls.set(part, unit);
  }
  return units;
}

/** Whether the result of a call is a member of its item. */
export function holdsResult(call: ToolCallPart): boolean {
  const type = typeOfCall(call);
  return type !== undefined && Object.hasOwn(embeddedResults, type);
}

/** A result that was an item of its own, although its call's item has a place for one. */
export const isOwnItem = (result: ToolResultPart): boolean =>
  hintsOf(result, responses)["$type"] === "function_call_output";

/** A result that its call's item holds goes there; true where the result is dealt with. */
function addToCall(
  place: Located<ToolResultPart>,
  calls: ReadonlyMap<ToolCallPart, { result?: Located<ToolResultPart> }>,
  { role, last, writing }: { readonly role: string; readonly last: object | undefined; readonly writing: Writing },
): boolean {
  const { part, path } = place;
  if (isOwnItem(part)) return false;
  const call = writing.callOf(part);
  // APIs refuse the result of a provider's tool without its call.
  const isKind = role === "assistant" || writing.scope.recipient === "provider";
  const type = call ? typeOfCall(call) : isKind ? typesByKind.get(part.kind) : undefined;
  if (call && call.executedBy === "provider" && type === undefined) {
    writing.scope.lose("foreign-call", path, call.name);
    return true;
  }
  if (type === undefined || !Object.hasOwn(embeddedResults, type)) return false; // by its kind, where its call is not there
  const unit = call && calls.get(call);
  if (!unit || unit.result) {
    writing.scope.lose("lone-result", path);
    return true;
  }
  unit.result = place;
  if (unit !== last) writing.scope.lose("order", path.slice(0, 3));
  return true;
}

/** Whether a compaction is an item of its own: one that its maker reads. */
export const isSealed = ({ seal }: PartOf<"compaction">, scope: WriteScope): boolean =>
  seal?.values["encrypted_content"] !== undefined && (scope.recipient === "provider" || isOf(seal, scope)); // a provider gets its own only

/** A compaction that is no secret is written as its summary where it stands (R26). */
function flattened(parts: readonly Located[], { scope }: Writing): Located[] {
  return parts.flatMap((place): Located[] => {
    const { part, path } = place;
    if (part.type !== "compaction") return [place];
    if (isSealed(part, scope)) {
      if (part.summary) scope.lose("compaction-text", [...path, "summary"]);
      return [place];
    }
    scope.lose(part.summary ? "compaction" : "compaction-text", path);
    return (part.summary ?? []).map((inner, index) => ({ part: inner, path: [...path, "summary", index] }));
  });
}

/** Whose turn the item of a part is; undefined = it has none. */
export function sideOf(part: Part, role: string, { callOf, asks }: Writing): string | undefined {
  if (isContent(part)) {
    const hasPlace = role !== "tool" && role !== "control" && (role !== "assistant" || part.type !== "file");
    return hasPlace ? role : undefined;
  }
  switch (part.type) {
    case "reasoning":
    case "tool-call":
    case "compaction":
      return "assistant";
    case "tool-result":
      return resultSide(part, callOf(part));
    case "approval-request":
      return asks(part.requestId) === true ? "assistant" : undefined;
    case "approval-response":
      return (asks(part.requestId) ?? mayBeAsked(part)) ? "tool" : undefined;
    case "change":
      return isWrittenChange(part) ? changeRole(role) : undefined;
    case "opaque":
      return entryPlace(part) ? "assistant" : opaqueSide(part.value);
    default:
      return undefined;
  }
}

const isWrittenChange = ({ toolsAdded, effort }: PartOf<"change">): boolean =>
  effort !== undefined || toolsAdded?.length === 0 || toolsAdded?.some(tool => typeof tool !== "string") === true;

const changeRole = (role: string): string => (role === "assistant" || role === "tool" ? "developer" : role);

function resultSide(result: ToolResultPart, call: ToolCallPart | undefined): string {
  if (call) return call.executedBy === "provider" ? "assistant" : "tool";
  const type = typeOfResult(result.kind);
  const { execution } = hintsOf(result, responses);
  return resultTypes[type]?.side === "assistant" || execution === "server" ? "assistant" : "tool";
}

/** As `readItem` takes an item that it does not know. */
function opaqueSide(value: Json): string {
  const type = isJsonObject(value) ? value["type"] : undefined;
  if (type === "compaction_trigger") return "developer";
  return typeof type === "string" && type.endsWith("_output") ? "tool" : "assistant";
}

// items

/** `message`: whose own members the item has, where a message is one item. */
export function writeUnit(unit: Unit, message: Message | undefined, writing: Writing): Json[] {
  const [first] = unit.parts;
  if (!first) return [];
  const { part, path } = first;
  if (isContent(part)) {
    return [
      unit.role === "assistant" ? writeSaid(unit.parts, writing) : writeAsked(unit.parts, unit.role, message, writing),
    ];
  }
  if (isEntry(part)) return listOf(writeReasoning(unit.parts, writing));
  switch (part.type) {
    case "tool-call":
      if (unit.result) reportHeld(unit.result, writing.scope);
      return listOf(writeCall({ part, path }, unit.result, writing));
    case "tool-result":
      return [writeResult({ part, path }, writing)];
    case "compaction":
      return [writeCompaction({ part, path }, writing)];
    case "approval-request":
      return [writeRequest({ part, path }, writing.scope)];
    case "approval-response":
      return [writeResponse({ part, path }, writing.scope)];
    case "change":
      return writeChange({ part, path }, unit.role, writing);
    case "opaque":
      if (isElsewhere(part, writing.scope)) {
        writing.scope.lose("foreign-state", path);
        return [];
      }
      return [isJsonObject(part.value) ? { ...part.value } : part.value]; // a copy: what is written may get a carry
    default:
      return [];
  }
}

/** What a result cannot say inside of its call's item. */
function reportHeld({ part, path }: Located<ToolResultPart>, scope: WriteScope): void {
  if (part.kind !== undefined) scope.lose("result-kind", [...path, "kind"], part.kind);
  if (part.name !== undefined) scope.lose("result-name", [...path, "name"]);
  if (part.seal) scope.lose("part-seal", [...path, "seal"]);
  if (part.partial) scope.lose("open", [...path, "partial"]);
}

const listOf = (item: JsonObject | undefined): Json[] => (item === undefined ? [] : [item]);

function contentOf(parts: readonly Located[], side: Side, scope: WriteScope): Json[] {
  return parts.flatMap(place => {
    const wire = writeContent(place, side, scope);
    return wire === undefined ? [] : [wire];
  });
}

/** An item is whole, or its last part is not. */
export function reportOpen(parts: readonly Located[], scope: WriteScope): void {
  for (const { part, path } of parts) if (part.partial) scope.lose("open", [...path, "partial"]);
}

/** The id that the parts of an item share. */
export function sharedId(parts: readonly Located[], names: readonly string[], scope: WriteScope): string | undefined {
  let id: string | undefined;
  for (const { part, path } of parts) id = sealValues(part, path, names, scope)["id"] ?? id;
  return id;
}

function writeSaid(parts: readonly Located[], { scope, ids }: Writing): JsonObject {
  const last = parts.at(-1)?.part;
  const item = last ? itemOf(last) : {};
  const { $type: typed, $content: told } = item;
  reportOpen(parts.slice(0, -1), scope);
  const [only] = parts;
  const isPlain = parts.length === 1 && only !== undefined && isPlainText(only.part);
  const isEmpty = told === "none" && isPlain && only.part.type === "text" && only.part.text === "";
  const text = told === "string" && isPlain && only.part.type === "text" ? only.part.text : undefined;
  const phase = parts.map(({ part }) => phaseOf(part)).find(each => each !== undefined);
  const id = sharedId(parts, ["id"], scope);
  const fields = present({
    id: id ?? (hasOwnId(item) ? undefined : ids.made("msg")),
    type: typed === false ? undefined : "message",
    role: "assistant",
    status: last && writeStatus(last, "message", scope.form, item),
    content: isEmpty ? [] : (text ?? contentOf(parts, "assistant", scope)),
    phase: phase === "final" ? "final_answer" : phase,
  });
  return restored(fields, { native: { [responses]: item } }, responses);
}

function writeAsked(
  parts: readonly Located[],
  role: string,
  message: Message | undefined,
  { scope, ids }: Writing,
): JsonObject {
  const { response: _, usage: __, ...hints } = message ? hintsOf(message, responses) : {};
  const { $type: typed, $content: told } = hints;
  reportOpen(parts, scope);
  for (const { part, path } of parts) {
    if (part.type === "text" && part.phase) scope.lose("phase", [...path, "phase"]);
  }
  const [only] = parts;
  const isPlain = parts.length === 1 && only !== undefined && isPlainText(only.part) && told !== "list";
  const id = sharedId(parts, ["id"], scope);
  const isAnswer = scope.form === "answer";
  const content =
    isPlain && only.part.type === "text" && !isAnswer ? only.part.text : contentOf(parts, "others", scope);
  const fields = present({
    id: id ?? (Object.hasOwn(hints, "id") ? undefined : ids.made("msg")),
    type: typed === true || isAnswer ? "message" : undefined,
    role,
    content: told === "none" && parts.length === 0 ? [] : content,
  });
  return restored(fields, { native: { [responses]: hints } }, responses);
}

/** A message of a role that is not joined, and has no parts. */
export const writeEmpty = (message: Message, writing: Writing): JsonObject =>
  writeAsked([], message.role, message, writing);

function writeResult(place: Located<ToolResultPart>, { scope, ids, callOf }: Writing): JsonObject {
  const { part, path } = place;
  const hints = hintsOf(part, responses);
  const call = callOf(part);
  const written = call && callTypes[typeOfCall(call) ?? ""];
  const type = isOwnItem(part)
    ? "function_call_output"
    : typeOfResult(hasResult(part.kind) ? part.kind : written ? written.kind : call?.kind);
  const row = resultTypes[type] ?? resultTypes["function_call_output"];
  if (!row) return {};
  const read = call && written?.kind === row.kind ? undefined : row.kind;
  if (part.kind !== read) scope.lose("result-kind", [...path, "kind"], part.kind);
  const isNamed = row.id === "call_id" && row.kind === undefined;
  if (part.name !== undefined && !isNamed) scope.lose("result-name", [...path, "name"]);
  const member = hints["$named"] === "call_id" ? "call_id" : row.id;
  const item = hints["$named"] === "item" ? call?.seal?.values["id"] : undefined;
  const { id } = sealValues(part, path, member === "id" ? [] : ["id"], scope);
  const isNothing = part.output === undefined && hints["$output"] === false && part.outcome === undefined;
  const fields = isNothing ? {} : row.write(place, scope);
  const isServers = call ? call.executedBy === "provider" : hints["execution"] === "server";
  const whole = present({
    id: id ?? (row.id === "id" || hasOwnId(hints) ? undefined : ids.made("out")),
    [member]: item ?? pairingId(member === "id" ? withId(part) : part, path, { scope, ids }),
    type,
    name: isNamed ? part.name : undefined,
    execution:
      row.kind === "tool-search" && !Object.hasOwn(hints, "execution") ? (isServers ? "server" : "client") : undefined,
    status: writeStatus(part, type, scope.form, hints),
    ...fields,
  });
  return restored(whole, part, responses);
}

/** Its pairing member has another name. */
function withId(part: ToolResultPart): ToolResultPart {
  const { $id: spelling, ...hints } = hintsOf(part, responses);
  if (spelling === undefined) return part;
  return { ...part, native: { [responses]: { ...hints, $call_id: spelling } } };
}

function writeCompaction({ part, path }: Located<PartOf<"compaction">>, { scope, ids }: Writing): JsonObject {
  const { $type: told } = hintsOf(part, responses);
  // A provider has got what stays of the history, and nothing else.
  if (part.replaces !== null && scope.recipient !== "provider") scope.lose("compaction-place", [...path, "replaces"]);
  const { id, encrypted_content: sealed } = sealValues(part, path, ["id", "encrypted_content"], scope);
  const hasId = id !== undefined || hasOwnId(hintsOf(part, responses));
  const fields = present({
    type: typeof told === "string" ? told : "compaction",
    id: hasId ? id : ids.made("cmp"),
    encrypted_content: sealed,
  });
  return restored(fields, part, responses);
}

function writeChange({ part, path }: Located<PartOf<"change">>, role: string, { scope }: Writing): Json[] {
  const { toolsAdded, effort } = part;
  const { id } = sealValues(part, path, ["id"], scope);
  const items: Json[] = [];
  if (toolsAdded) {
    const hints = hintsOf(part, responses);
    const tools = toolsAdded.flatMap((tool, index): JsonObject[] => {
      const place = [...path, "toolsAdded", index];
      if (typeof tool === "string") scope.lose("tool-by-name", place, tool);
      return typeof tool === "string" ? [] : listOf(writeTool(tool, place, scope)).filter(isJsonObject);
    });
    const said = hints["$role"] === false ? undefined : role;
    items.push(restored(present({ type: "additional_tools", id, role: said, tools }), part, responses));
  }
  if (effort !== undefined) {
    if (toolsAdded || role !== "developer") scope.lose("split", path);
    items.push(
      restored(present({ type: "configuration_update", id, reasoning: { effort } }), toolsAdded ? {} : part, responses),
    );
  }
  return items;
}
