/**
 * Tool parts of AI SDK messages. One part of the SDK's holds the call, the question whether it may run, the answer to it
 * and the result; here they are parts of their own (R20–R23).
 */

import { defined, native, Reader } from "../../codec/reader.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  Seal,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { readCaller } from "./callers.ts";
import { unreadHint } from "./late.ts";
import { keyOfCall, noFields, ours } from "./metadata.ts";
import { decodeOutput } from "./output.ts";
import { family, metadataOf, type PartPlace } from "./part.ts";
import { partialValue } from "./partial.ts";

/** What one tool part of the SDK's says. */
export interface ToolUse {
  readonly call: ToolCallPart;
  readonly request?: ApprovalRequestPart;
  readonly response?: ApprovalResponsePart;
  readonly result?: ToolResultPart;
}

/** What the SDK says of a denied call that gives no reason. */
export const deniedText = "Tool call execution denied.";

/** The output that the error text of a denied call is read as. */
export const deniedOutput = (text: string, reason: string | undefined): ToolResultPart["output"] =>
  text === deniedText && reason === undefined ? undefined : [{ type: "text", text }];

export const isToolType = (type: string): boolean => type === "dynamic-tool" || type.startsWith(staticPrefix);

export const staticPrefix = "tool-";
const states: readonly string[] = [
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
  "output-available",
  "output-error",
  "output-denied",
];

export interface ToolPlace extends PartPlace {
  /** What a part without a hint is: static `tool-NAME`, or `dynamic-tool`. */
  readonly dynamic: boolean;
  /** The id of a call that has an empty one (R8). Absent in streams, whose events name it again. */
  readonly made?: string | undefined;
  readonly issue: (code: string, message: string) => void;
}

/** Undefined where it is no tool part: without an id or a name nothing can be said of it. */
export function decodeTool(wire: JsonObject, place: ToolPlace): ToolUse | undefined {
  const reader = new Reader(wire);
  const type = reader.string("type") ?? "";
  const isDynamic = type === "dynamic-tool";
  const id = reader.string("toolCallId");
  const isEmpty = id === "" && place.made !== undefined;
  const callId = isEmpty ? place.made : id;
  const name = isDynamic ? reader.string("toolName") : type.slice(staticPrefix.length);
  if (callId === undefined || name === undefined) return undefined;
  const state = readState(reader, place);
  const input = readArguments(reader, state, { ...place, isDynamic });
  const approval = readApproval(reader, callId, place);
  const { members, kept } = metadataOf(reader, noFields, "callProviderMetadata");
  const result = readResult(reader, callId, { state, place, approval, kept });
  const said = readCallMembers(result && !hasMetadata(reader, place) ? withoutOurs(kept) : kept, members.seal);
  const isProviders = reader.literal("providerExecuted", true);
  const isLate = place.generation < 6 && (approval.request !== undefined || state.name === "output-denied");
  const use = { ...approval, ...(result && { result }) };
  const written = stateOf({ call: input.members, ...use });
  const title = place.generation >= 6 ? reader.string("title") : undefined;
  const rest = reader.remainder();
  const hints = {
    ...(isDynamic !== place.dynamic && { $dynamic: isDynamic }),
    ...(state.name !== written && { $state: [written, state.name ?? "none"] }),
    ...(isLate && { $late: true }),
    ...(isEmpty && { $id: "" }),
    ...input.hints,
  };
  const call: ToolCallPart = {
    type: "tool-call",
    callId,
    name,
    ...input.members,
    ...said.members,
    ...defined<Partial<ToolCallPart>>({
      executedBy: isProviders ? "provider" : undefined,
      title,
    }),
    ...members,
    ...native(family, rest, said.rest, hints, unreadHint(rest, place.generation)),
  };
  return { call, ...use };
}

/** The SDK's state of what is known of a call. */
export function stateOf({
  call,
  request,
  response,
  result,
}: { readonly call: Pick<ToolCallPart, "partial"> } & Omit<ToolUse, "call">): string {
  if (result?.outcome === "denied") return "output-denied";
  if (result) return result.outcome === undefined ? "output-available" : "output-error";
  if (response) return "approval-responded";
  if (request) return "approval-requested";
  return call.partial ? "input-streaming" : "input-available";
}

interface State {
  /** One of the SDK's; undefined where the part names none that we know. */
  readonly name: string | undefined;
}

function readState(reader: Reader, { issue }: ToolPlace): State {
  const name = reader.peek("state");
  if (typeof name === "string" && states.includes(name)) {
    reader.take("state");
    return { name };
  }
  issue(
    "tool-state",
    "the part names no state of a tool that is known; it is read as a call that waits for its result",
  );
  return { name: undefined };
}

interface Arguments {
  readonly members: Pick<ToolCallPart, "input" | "inputText" | "kind" | "partial">;
  readonly hints?: JsonObject;
}

/** Whether a failed call of static tools and older generations has what is no value in a member of its own. */
export const isRawUsual = (generation: number, isDynamic: boolean): boolean => generation < 7 && !isDynamic;

interface ArgumentsPlace extends ToolPlace {
  readonly isDynamic: boolean;
}

function readArguments(reader: Reader, state: State, place: ArgumentsPlace): Arguments {
  if (state.name === "input-streaming") return readOpenArguments(reader, place);
  const input = reader.json("input");
  if (state.name === "output-error") return readFailedArguments(reader, input, place);
  return input === undefined ? { members: {}, hints: { $input: "none" } } : { members: { input } };
}

/** While it comes, the text is what counts; `input` beside it is what the SDK made of it. */
function readOpenArguments(reader: Reader, { generation }: ToolPlace): Arguments {
  const isText = generation >= 6 && reader.literal("inputEncoding", "text");
  const members = { partial: true, ...(isText && { kind: "custom" }) } as const;
  const input = reader.json("input");
  const raw = reader.string("rawInput");
  if (raw === undefined) {
    return input === undefined ? { members } : { members: { ...members, input }, hints: { $raw: false } };
  }
  const said = isText ? raw : partialValue(raw, generation);
  const hints = {
    ...(raw === "" && { $raw: "" }),
    ...(!equalJson(input, said) && (input === undefined ? { $input: "none" } : { $$input: { value: input } })),
  };
  return { members: { ...members, ...readInput(raw, members.kind) }, hints };
}

/** Arguments that failed are a value, or the text that is none. */
function readFailedArguments(
  reader: Reader,
  input: Json | undefined,
  { generation, isDynamic }: ArgumentsPlace,
): Arguments {
  const isRaw = input === undefined && reader.peek("rawInput") !== undefined;
  const given = isRaw ? reader.json("rawInput") : input;
  if (given === undefined) return { members: {} };
  const members = typeof given === "string" && !isJson(given) ? { inputText: given } : { input: given };
  const isUsual = isRaw === ("inputText" in members && isRawUsual(generation, isDynamic));
  return { members, ...(!isUsual && { hints: { $raw: isRaw } }) };
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface CallMembers {
  readonly members: Pick<ToolCallPart, "kind" | "server" | "caller">;
  /** What is left of the metadata. */
  readonly rest: JsonObject;
}

/** Fields of a call that packages tell in its metadata. */
export function readCallMembers(kept: JsonObject, seal: Seal | undefined): CallMembers {
  const mcp = readMcp(kept, seal);
  const metadata = mcp.rest["callProviderMetadata"];
  const read = isJsonObject(metadata) ? readCaller(metadata) : undefined;
  if (!read) return mcp;
  return { members: { ...mcp.members, caller: read.caller }, rest: withMetadata(mcp.rest, read.rest) };
}

/** A call of an MCP server, as Anthropic's package says it, under the key of whoever made the call. */
function readMcp(kept: JsonObject, seal: Seal | undefined): CallMembers {
  const metadata = kept["callProviderMetadata"];
  if (!isJsonObject(metadata)) return { members: {}, rest: kept };
  for (const key of Object.keys(metadata)) {
    const said = metadata[key];
    if (!isJsonObject(said)) continue;
    const { type, serverName: server, ...others } = said;
    if (type !== "mcp-tool-use" || typeof server !== "string") continue;
    const { [key]: _, ...left } = metadata;
    const rest = withMetadata(kept, Object.keys(others).length > 0 ? { ...metadata, [key]: others } : left);
    return { members: { kind: "mcp", server }, rest: key === keyOfCall(seal) ? rest : { ...rest, $mcp: key } };
  }
  return { members: {}, rest: kept };
}

/** The question and its answer. */
function readApproval(reader: Reader, callId: string, { generation }: ToolPlace): Omit<ToolUse, "call"> {
  const approval = reader.peek("approval");
  if (!isJsonObject(approval) || typeof approval["id"] !== "string") return {};
  reader.take("approval");
  return readAnswer(approval, { callId, generation });
}

/** A question whether a call may run, and the answer to it. What generation 7 added stays in native for the older ones. */
export function readAnswer(
  approval: JsonObject,
  { callId, generation }: { readonly callId: string; readonly generation: number },
): Pick<ToolUse, "request" | "response"> {
  const reader = new Reader(approval);
  const requestId = reader.string("id") ?? "";
  const approved = reader.boolean("approved");
  const answerReason = approved === undefined ? undefined : reader.string("reason");
  const isNew = generation >= 7;
  const reason = isNew ? reader.string("requestReason") : undefined;
  const automatic = isNew && reader.literal("isAutomatic", true) ? true : undefined;
  const request: ApprovalRequestPart = {
    type: "approval-request",
    requestId,
    callId,
    ...defined<Partial<ApprovalRequestPart>>({ reason, automatic }),
    ...native(family, reader.remainder()),
  };
  if (approved === undefined) return { request };
  const response: ApprovalResponsePart = {
    type: "approval-response",
    requestId,
    callId,
    approved,
    ...defined<Partial<ApprovalResponsePart>>({ reason: answerReason }),
  };
  return { request, response };
}

interface Pieces {
  readonly state: State;
  readonly place: ToolPlace;
  readonly approval: Omit<ToolUse, "call">;
  /** What is left of the call's metadata. */
  readonly kept: JsonObject;
}

function readResult(reader: Reader, callId: string, pieces: Pieces): ToolResultPart | undefined {
  const { place, approval } = pieces;
  const said = readOutcome(reader, pieces);
  if (!said) return undefined;
  const metadata = hasMetadata(reader, place)
    ? reader
    : new Reader({ resultProviderMetadata: oursOf(pieces.kept)?.["result"] ?? null });
  const { members, kept } = metadataOf(metadata, noFields, "resultProviderMetadata");
  const preliminary = reader.literal("preliminary", true) ? true : undefined;
  const { native: own, ...output } = said;
  const isAgreed = approval.response?.approved === (said.outcome !== "denied");
  const isUsual = isAgreed || (!approval.request && said.outcome !== "denied");
  return {
    type: "tool-result",
    callId,
    ...output,
    ...defined<Partial<ToolResultPart>>({ preliminary }),
    ...members,
    ...native(family, kept, own?.[family], isUsual ? undefined : { $approval: "as-is" }),
  };
}

const hasMetadata = (reader: Reader, { generation }: ToolPlace): boolean =>
  generation >= 6 && reader.peek("resultProviderMetadata") !== undefined;

/** What generation 5 has no place for stands under our key of the call's metadata. */
function oursOf(kept: JsonObject): JsonObject | undefined {
  const metadata = kept["callProviderMetadata"];
  const own = isJsonObject(metadata) ? metadata[ours] : undefined;
  return isJsonObject(own) ? own : undefined;
}

function withoutOurs(kept: JsonObject): JsonObject {
  const { result, ...own } = oursOf(kept) ?? {};
  const metadata = kept["callProviderMetadata"];
  if (!isJsonObject(result) || !isJsonObject(metadata)) return kept;
  const { [ours]: _, ...makers } = metadata;
  return withMetadata(kept, Object.keys(own).length > 0 ? { ...makers, [ours]: own } : makers);
}

function withMetadata({ callProviderMetadata: _, ...hints }: JsonObject, metadata: JsonObject): JsonObject {
  return Object.keys(metadata).length > 0 ? { ...hints, callProviderMetadata: metadata } : hints;
}

function readOutcome(
  reader: Reader,
  { state, approval }: Pieces,
): Pick<ToolResultPart, "output" | "structured" | "outcome" | "native"> | undefined {
  const reason = approval.response?.reason;
  if (state.name === "output-denied") {
    return { outcome: "denied", ...(reason !== undefined && { output: [{ type: "text", text: reason }] }) };
  }
  const failed = state.name === "output-error" || state.name === undefined ? reader.string("errorText") : undefined;
  if (failed !== undefined) return { outcome: "error", output: [{ type: "text", text: failed }] };
  if (state.name === "output-error") return { outcome: "error", ...native(family, { $output: "none" }) };
  if (state.name !== "output-available" && state.name !== undefined) return undefined;
  const output = reader.json("output");
  if (output !== undefined) return decodeOutput(output);
  return state.name === undefined ? undefined : native(family, { $output: "none" });
}

/** The name of data parts that tell of approvals where a tool part cannot. */
export const approvalType = "data-approval";

/** A data part that tells of an approval; undefined where it is an application's own. */
export function decodeApproval(wire: JsonObject): Pick<ToolUse, "request" | "response"> | undefined {
  const { data, id } = wire;
  if (wire["type"] !== approvalType || !isJsonObject(data) || typeof id !== "string" || data["id"] !== id)
    return undefined;
  const { toolCallId: callId, request: isAsked, ...approval } = data;
  if (isAsked !== false)
    return typeof callId === "string" ? readAnswer(approval, { callId, generation: 7 }) : undefined;
  const { response } = readAnswer(approval, { callId: typeof callId === "string" ? callId : "", generation: 7 });
  if (!response) return undefined;
  const { callId: _, ...answer } = response;
  return { response: typeof callId === "string" ? response : answer };
}
