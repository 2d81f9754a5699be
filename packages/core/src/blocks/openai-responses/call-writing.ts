/** Writes tools' calls as items of the Responses wire. */

import { Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { writeCallId } from "../chat-parts/calls.ts";
import { type CallType, callTypes, otherCall, runner, typesByKind } from "./calls.ts";
import { hostOf } from "./host.ts";
import { hasOwnId, isMadeId, type Located, responses, sealValues, type WriteScope, writeStatus } from "./node.ts";
import { type Embedded, embeddedResults, writeOutcome } from "./results.ts";

/** The type of item for a call. Undefined = there is none. */
export function typeOfCall(call: ToolCallPart): string | undefined {
  const { $type: told } = hintsOf(call, responses);
  const isProvider = call.executedBy === "provider";
  if (typeof told === "string" && isProvider && otherCall(told).kind === call.kind) return told;
  const type = typesByKind.get(call.kind);
  const runs = type === undefined ? undefined : callTypes[type]?.runs;
  if (runs === "told" || runs === (isProvider ? "provider" : "client")) return type;
  return isProvider ? undefined : "function_call";
}

export interface WriteIds {
  /** Made ids whose missing spelling cannot be kept: a call or result of theirs was not read without one. */
  readonly named: ReadonlySet<string>;
  /** The id of an item that needs one and has none, by its number in the list. */
  readonly made: (prefix: string, index?: number) => string | undefined;
}

/** A call's item, with its result where that is a member of it. */
export function writeCall(
  { part: call, path }: Located<ToolCallPart>,
  result: Located<ToolResultPart> | undefined,
  { scope, ids }: { readonly scope: WriteScope; readonly ids: WriteIds },
): JsonObject | undefined {
  const type = typeOfCall(call);
  if (type === undefined || isForeign(call, type, scope)) {
    scope.lose("foreign-call", path, call.name);
    if (result) scope.lose("foreign-call", result.path, call.name);
    return undefined;
  }
  const row = rowOf(callTypes, type) ?? otherCall(type);
  const hints = hintsOf(call, responses);
  const isFunction = hints["$form"] === "function";
  reportCall(call, { type, row, path, scope, isFunction });
  const embedded: Embedded | undefined = rowOf(embeddedResults, type);
  const fields = present({
    ...idFields(call, { row, path, scope, ids }),
    type,
    name: row.name === undefined || isFunction ? call.name : undefined,
    ...(isFunction ? { arguments: inputTextOf(call) ?? "" } : inputFields(call, row, path, scope)),
    server_label: row.kind?.startsWith("mcp") ? call.server : undefined,
    caller: call.caller === undefined || !isFunctions(type) ? undefined : { type: "program", caller_id: call.caller },
    execution: executionOf(call, hints),
    status: writeStatus(call, type, scope.form, hints),
    ...writeOutcome(result?.part, type),
  });
  const whole = embedded?.write(fields, result, scope) ?? fields;
  return restored(whole, call, responses);
}

const isFunctions = (type: string): boolean => type === "function_call" || type === "custom_tool_call";

function executionOf({ kind, executedBy }: ToolCallPart, hints: JsonObject): string | undefined {
  if (kind !== "tool-search" || Object.hasOwn(hints, "execution")) return undefined;
  return executedBy === "provider" ? "server" : "client";
}

/** Ids of other providers' calls are refused, and so are those that we made. */
function isForeign(call: ToolCallPart, type: string, scope: WriteScope): boolean {
  const { callId, executedBy } = call;
  if (scope.recipient !== "provider" || executedBy !== "provider") return false;
  const row = rowOf(callTypes, type);
  // Without a hint it is unknown, unless it has an id as OpenAI makes them.
  const isTold = Object.hasOwn(hintsOf(call, responses), "$host") || callId.startsWith(`${row?.prefix}_`);
  if (scope.host !== undefined && isTold && hostOf(call) !== scope.host) return true;
  if (isMadeId(callId)) return row?.id !== "call_id";
  if (/^(?:srv)?toolu(?:se)?_/.test(callId)) return true;
  const isStrict = scope.maker === "openai" && row?.id === "id";
  return isStrict && !callId.startsWith(`${row.prefix}_`);
}

interface Reported {
  readonly type: string;
  readonly row: CallType;
  readonly path: Path;
  readonly scope: WriteScope;
  readonly isFunction: boolean;
}

function reportCall(call: ToolCallPart, { type, row, path, scope, isFunction }: Reported): void {
  if (type === "function_call" && call.kind !== undefined) scope.lose("tool-kind", [...path, "kind"], call.kind);
  if (row.name !== undefined && call.name !== row.name && !isFunction) {
    scope.lose("tool-name", [...path, "name"], call.name);
  }
  if (call.server !== undefined && !row.kind?.startsWith("mcp")) scope.lose("tool-server", [...path, "server"]);
  if (call.caller !== undefined && !isFunctions(type)) scope.lose("caller", [...path, "caller"]);
  const isContained = runner(new Reader(hintsOf(call, responses)), row) === "provider";
  if (row.kind === "shell" && (call.executedBy === "provider") !== isContained) {
    scope.lose("tool-kind", [...path, "executedBy"], "where a shell runs is said by its environment");
  }
}

function idFields(
  call: ToolCallPart,
  { row, path, scope, ids }: { row: CallType; path: Path; scope: WriteScope; ids: WriteIds },
): JsonObject {
  const { callId } = call;
  const hints = hintsOf(call, responses);
  if (row.id === "id") {
    sealValues(call, path, [], scope);
    const { $id: spelling } = hints;
    if (isMadeId(callId) && (spelling === false || typeof spelling === "string" || spelling === null)) {
      return spelling === false ? {} : { id: spelling };
    }
    return { id: callId };
  }
  const { $call_id: spelling } = hints;
  const isSpelled = spelling !== undefined && !ids.named.has(callId);
  if (isSpelled && call.executedBy === "provider" && !callId.startsWith("~")) {
    return present({ id: callId, call_id: spelling === false ? undefined : spelling });
  }
  const { id } = sealValues(call, path, ["id"], scope);
  return present({
    id: id ?? (hasOwnId(hints) ? undefined : ids.made(row.prefix)),
    call_id: pairingId(call, path, { scope, ids }),
  });
}

/** The id that pairs a call and its result: native ones as they are, missing ones as they were missing (R8). */
export function pairingId(
  part: ToolCallPart | ToolResultPart,
  path: Path,
  { scope, ids }: { readonly scope: WriteScope; readonly ids: WriteIds },
): Json | undefined {
  const { callId } = part;
  const { $call_id: spelling } = hintsOf(part, responses);
  if (spelling !== undefined && !ids.named.has(callId)) return spelling === false ? undefined : spelling;
  if (!callId.startsWith("~")) return callId;
  scope.lose("made-id", [...path, "callId"]);
  return writeCallId({ callId });
}

function inputFields(call: ToolCallPart, row: CallType, path: Path, scope: WriteScope): JsonObject {
  if (row.text) return textFields(call, row.text, path, scope);
  const { input, inputText } = call;
  if (input === undefined) {
    if (inputText !== undefined) scope.lose("input-shape", [...path, "inputText"]);
    return {};
  }
  const { $member: told } = hintsOf(call, responses);
  if (row.whole) {
    const member = typeof told === "string" && row.whole.includes(told) ? told : row.whole[0];
    const written = wholeInput(input, row);
    if (!equalJson(written, input)) scope.lose("input-shape", [...path, "input"]);
    return { [member]: written };
  }
  const names = row.members ?? [];
  const members = isJsonObject(input)
    ? Object.entries(input).filter(([name, value]) => names.includes(name) && value !== null)
    : [];
  if (!isJsonObject(input) || members.length < Object.keys(input).length || members.length === 0)
    scope.lose("input-shape", [...path, "input"]);
  return Object.fromEntries(members);
}

/** A search says which action it is. */
function wholeInput(input: Json, { kind }: CallType): Json {
  if (kind === "tool-search") return input;
  const action = isJsonObject(input) ? input : { input };
  if (kind !== "web-search") return Array.isArray(input) ? input : action;
  return typeof action["type"] === "string" ? action : { type: "search", ...action };
}

function textFields(call: ToolCallPart, member: "arguments" | "input", path: Path, scope: WriteScope): JsonObject {
  const { $arguments: told } = hintsOf(call, responses);
  const { input, inputText } = call;
  if (input === undefined && inputText === undefined) {
    if (told === false) return {};
    if (told === "" || told === null) return { [member]: told };
    if (member === "input") return { input: "" };
    scope.lose("no-arguments", path);
    return { arguments: "{}" };
  }
  if (told === "json" && input !== undefined) return { [member]: input };
  if (member === "input" && typeof input === "string") return { input };
  if (member === "input") scope.lose("custom-input", [...path, "input"]);
  return { [member]: inputTextOf(call) ?? "" };
}
