/**
 * Items of OpenAI's Responses wire ↔ parts, without knowledge of the request or answer that they stand in: for formats that
 * embed them too. An item that is unknown or malformed becomes an opaque part in its place, with an issue (R4).
 */

import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { ChangePart, Node, Part, Seal, ToolResultPart } from "../../model/parts.ts";
import { idSpelling, readArguments } from "../chat-parts/calls.ts";
import { type CallFrom, callTypeOf, readCall } from "./calls.ts";
import { isPlainText, readContent, type Side } from "./content.ts";
import { hosted } from "./host.ts";
import {
  envelopeMembers,
  type ItemScope,
  idHint,
  itemMember,
  type Placed,
  type ReadItem,
  readId,
  readStatus,
  responses,
  type Status,
  sealOf,
} from "./node.ts";
import { type ResultType, rowOfResult } from "./outputs.ts";
import { nonEmpty, readReasoning } from "./reasoning.ts";
import { readTool } from "./tools.ts";

export interface From {
  readonly wire: JsonObject;
  readonly type: string;
  readonly index: number;
  readonly path: Path;
  readonly scope: ItemScope;
}

/** An item. `index`: its number in its list, for ids that are missing (R8). */
export function readItem(wire: Json, index: number, path: Path, scope: ItemScope): ReadItem {
  if (!isJsonObject(wire)) return unknown(wire, path, scope);
  const { translogue: carry, ...item } = wire;
  const type = typeOf(item);
  const from: From = { wire: item, type, index, path, scope };
  const row = callTypeOf(type, item);
  const result = rowOfResult(type);
  const read = row
    ? readCallItem(from, { type, row, path, scope, calls: scope.calls, made: madeId(from) })
    : result
      ? readResultItem(from, result)
      : rowOf(readers, type)?.(from);
  const known = hosted(read ?? unknown(item, path, scope), scope);
  if (known.role !== "assistant") scope.calls.endMessage();
  return carry === undefined ? known : { ...known, carry };
}

/** A message without a type is the easy form of one; an id alone refers to a stored item. */
function typeOf(wire: JsonObject): string {
  const { type } = wire;
  if (typeof type === "string") return type;
  return typeof wire["role"] === "string" ? "message" : "";
}

const madeId = ({ index, scope }: From): string => `~${scope.made === undefined ? "" : `${scope.made}.`}${index}`;

function unknown(value: Json, path: Path, scope: ItemScope): ReadItem {
  scope.issue("unknown-item", path, "this item is not known, or lacks what its type needs; kept as it is");
  const type = isJsonObject(value) ? value["type"] : undefined;
  const role = typeof type === "string" && type.endsWith("_output") ? "tool" : "assistant";
  return { role, parts: [{ place: 0, part: { type: "opaque", family: responses, value } }] };
}

const single = (role: string, part: Part): ReadItem => ({ role, parts: [{ place: 0, part }] });

const readers: { readonly [type: string]: (from: From) => ReadItem | undefined } = {
  message: readMessage,
  reasoning: readReasoning,
  compaction: readCompaction,
  compaction_summary: readCompaction,
  mcp_approval_request: readApprovalRequest,
  mcp_approval_response: readApprovalResponse,
  additional_tools: readAdditionalTools,
  configuration_update: readConfiguration,
  item_reference: ({ wire }) => single("assistant", { type: "opaque", family: responses, value: wire }),
  compaction_trigger: ({ wire }) => single("developer", { type: "opaque", family: responses, value: wire }),
};

// messages

const phases: { readonly [wire: string]: "commentary" | "final" } = { commentary: "commentary", final_answer: "final" };

function readMessage({ wire, path, scope }: From): ReadItem | undefined {
  const reader = new Reader(wire);
  const role = reader.string("role");
  const content = reader.peek("content");
  const isText = typeof content === "string";
  if (role === undefined || role === "" || (!isText && !Array.isArray(content))) return undefined;
  reader.take("content");
  const side: Side = role === "assistant" ? "assistant" : "others";
  const hasType = reader.literal("type", "message");
  const list = isText ? [] : (content as readonly Json[]); // a list, as was looked at
  // A question without content has no part that could hold its id.
  const id = side === "assistant" || isText || list.length > 0 ? readId(reader) : undefined;
  const parts: Part[] = isText
    ? [{ type: "text", text: content }]
    : list.map((each, place) => readContent(each, side, [...path, "content", place], scope));
  const status: Status = side === "assistant" ? readStatus(reader, "message", scope.form) : { hints: {} };
  const seal = sealOf({ id }, scope);
  const phase = readPhase(reader, parts);
  const isTold = parts.length === 1 && parts.every(isPlainText);
  const hints: JsonObject = {
    ...status.hints,
    ...(side === "assistant" && idHint(wire, scope)),
    ...(side === "assistant" && !hasType && { $type: false }),
    ...(side === "others" && hasType && { $type: true }),
    ...(side === "assistant" && isText && { $content: "string" }),
    ...(side === "others" && !isText && isTold && { $content: "list" }),
    ...(parts.length === 0 && { $content: "none" }),
  };
  const rest = kept(responses, reader.rest(), hints, side === "assistant" ? [] : envelopeMembers);
  const sealed = parts.map((part): Part => {
    const own = seal ? { ...part, seal } : part;
    return own.type === "text" && phase ? { ...own, phase } : own;
  });
  if (side === "assistant") return { role, parts: placed(withItem(sealed, rest, { seal, partial: status.partial })) };
  return { role, parts: placed(sealed), ...rest };
}

function readPhase(reader: Reader, parts: readonly Part[]): "commentary" | "final" | undefined {
  const wire = reader.peek("phase");
  const phase = typeof wire === "string" ? rowOf(phases, wire) : undefined;
  const hasPlace = parts.length > 0 && parts.every(part => part.type === "text");
  if (!phase || !hasPlace) return undefined;
  reader.take("phase");
  return phase;
}

const placed = (parts: readonly Part[]): Placed[] => parts.map((part, place) => ({ place, part }));

/** The parts with members on the last one. */
export const closing = (parts: readonly Part[], members: object): readonly Part[] =>
  parts.map((part, index) => (index === parts.length - 1 ? ({ ...part, ...members } as Part) : part)); // members of all parts

/** What the item says beside its parts stands on the last of them, which is there even where the item has none (R12). */
function withItem(
  parts: readonly Part[],
  rest: Pick<Node, "native">,
  { seal, partial }: { readonly seal: Seal | undefined; readonly partial: true | undefined },
): readonly Part[] {
  const all: readonly Part[] = parts.length > 0 ? parts : [defined<Part>({ type: "text", text: "", seal } as Part)]; // a text
  const item = rest.native?.[responses];
  const last = all.at(-1);
  if (!last || (!item && !partial)) return all;
  const own = last.native?.[responses];
  const native = item && { native: { [responses]: { ...own, [itemMember]: item } } };
  return closing(all, { ...(partial && { partial }), ...native });
}

// calls and results

function readCallItem({ wire }: From, from: CallFrom): ReadItem | undefined {
  const parts = readCall(wire, from);
  return parts && { role: "assistant", parts: placed(parts) };
}

function readResultItem(from: From, row: ResultType): ReadItem | undefined {
  const { wire, type, path, scope } = from;
  const reader = new Reader(wire);
  reader.take("type");
  const { calls } = scope;
  const member = pairingMember(reader, row);
  const told = reader.peek(member);
  const isTold = typeof told === "string" && told !== "";
  const byItem = isTold && member === "id" ? calls.ofItem(told) : undefined;
  const callId = byItem ?? (isTold ? told : (calls.next(row.kind) ?? madeId(from)));
  const spelling = idSpelling(told);
  if (spelling !== false || told === "") reader.take(member);
  const id = member === "id" ? undefined : readId(reader);
  const { hints: outputHints, ...result } = row.read(reader, path, scope);
  const status: Status = result.outcome ? { hints: {} } : readStatus(reader, type, scope.form);
  const call = calls.answer(callId);
  const isProviders = executes(reader, row) ?? (call ? call.executedBy === "provider" : row.side === "assistant");
  const isNamed = row.id === "call_id" && row.kind === undefined;
  const part = defined<ToolResultPart>({
    type: "tool-result",
    callId,
    name: isNamed ? reader.string("name") : undefined,
    kind: call && call.kind === row.kind ? undefined : row.kind,
    ...result,
    partial: status.partial,
    seal: sealOf({ id }, scope),
  });
  // A function's result that answers a call of another kind says so by its type alone.
  const isFunctions = call !== undefined && row.kind === undefined && call.kind !== undefined;
  const hints = {
    ...status.hints,
    ...outputHints,
    ...(result.output === undefined && row.kind !== "apply-patch" && { $output: false }),
    ...(member !== "id" && idHint(wire, scope)),
    ...(spelling !== undefined && { [`$${member}`]: spelling }),
    ...((byItem !== undefined || member !== row.id) && { $named: byItem === undefined ? member : "item" }),
    ...(isFunctions && { $type: type }),
  };
  return single(isProviders ? "assistant" : "tool", { ...part, ...kept(responses, reader.rest(), hints) });
}

/** The guide of the local shell names the call by `call_id`, the types by `id` (2026-11-30). */
function pairingMember(reader: Reader, { id }: ResultType): "call_id" | "id" {
  const told = reader.peek("call_id");
  return typeof told === "string" && told !== "" ? "call_id" : id;
}

/** A search for tools says who made it. */
function executes(reader: Reader, { kind }: ResultType): boolean | undefined {
  if (kind !== "tool-search") return undefined;
  if (reader.literal("execution", "server")) return true;
  return reader.literal("execution", "client") ? false : undefined;
}

// approvals

function readApprovalRequest({ wire, scope }: From): ReadItem | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const requestId = nonEmpty(reader, "id");
  const name = reader.string("name");
  if (requestId === undefined || name === undefined) return undefined;
  const server = reader.string("server_label");
  const { hints, ...input } = readArguments(reader);
  const status = readStatus(reader, "mcp_approval_request", scope.form);
  const call = defined<Extract<Part, { type: "tool-call" }>>({
    type: "tool-call",
    callId: requestId,
    name,
    ...input,
    kind: "mcp",
    executedBy: "provider",
    server,
    ...kept(responses, undefined, hints),
  });
  return single("assistant", {
    type: "approval-request",
    requestId,
    callId: requestId,
    call,
    ...kept(responses, reader.rest(), status.hints),
  });
}

function readApprovalResponse({ wire, scope }: From): ReadItem | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const requestId = nonEmpty(reader, "approval_request_id");
  const approved = reader.boolean("approve");
  if (requestId === undefined || approved === undefined) return undefined;
  const reason = reader.string("reason");
  const seal = sealOf({ id: readId(reader) }, scope);
  return single(
    "tool",
    defined<Extract<Part, { type: "approval-response" }>>({
      type: "approval-response",
      requestId,
      approved,
      reason,
      seal,
      ...kept(responses, reader.rest()),
    }),
  );
}

// history

function readCompaction({ wire, type, scope }: From): ReadItem | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const seal = sealOf({ id: readId(reader), encrypted_content: nonEmpty(reader, "encrypted_content") }, scope);
  if (!seal) return undefined;
  const hints = { ...idHint(wire, scope), ...(type !== "compaction" && { $type: type }) };
  // What it stands for is not in the list; what is in the list is read, also before it (R26).
  return single("assistant", { type: "compaction", replaces: null, seal, ...kept(responses, reader.rest(), hints) });
}

function readAdditionalTools({ wire, scope }: From): ReadItem | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const role = reader.string("role") ?? "developer";
  const tools = reader.array("tools");
  if (!tools?.every(isJsonObject)) return undefined;
  const seal = sealOf({ id: readId(reader) }, scope);
  const change = defined<ChangePart>({
    type: "change",
    toolsAdded: tools.map(tool => readTool(tool, scope)),
    seal,
    ...kept(responses, reader.rest(), wire["role"] === undefined ? { $role: false } : {}),
  });
  return { role, parts: [{ place: 0, part: change }] };
}

function readConfiguration({ wire, scope }: From): ReadItem | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const reasoning = reader.peek("reasoning");
  const effort = isJsonObject(reasoning) ? reasoning["effort"] : undefined;
  if (typeof effort !== "string" || !isJsonObject(reasoning)) return undefined;
  reader.take("reasoning");
  const { effort: _, ...others } = reasoning;
  const rest = Object.keys(others).length > 0 ? { reasoning: others } : {};
  const seal = sealOf({ id: readId(reader) }, scope);
  const change = defined<ChangePart>({
    type: "change",
    effort,
    seal,
    ...kept(responses, { ...reader.rest(), ...rest }),
  });
  return { role: "developer", parts: [{ place: 0, part: change }] };
}
