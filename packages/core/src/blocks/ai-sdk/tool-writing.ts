/** Tool parts as a generation of the AI SDK takes them. */

import { wholeOf } from "../../codec/hints.ts";
import { fill } from "../../codec/reader.ts";
import { equalJson, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { ApprovalRequestPart, ApprovalResponsePart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { writeCaller } from "./callers.ts";
import { withoutRefused } from "./late.ts";
import { keyOfCall, noFields, ours, writeMetadata } from "./metadata.ts";
import { encodeErrorText, encodeOutput } from "./output.ts";
import { family, type LosePart, type PartPlace, remainderOf } from "./part.ts";
import { partialValue } from "./partial.ts";
import {
  approvalType,
  deniedOutput,
  deniedText,
  isJson,
  isRawUsual,
  stateOf,
  staticPrefix,
  type ToolUse,
} from "./tools.ts";

export interface ToolWriting extends PartPlace {
  /** What a call without a hint becomes: static `tool-NAME`, or `dynamic-tool`. */
  readonly dynamic: boolean;
  /** Losses by the piece that they are about. */
  readonly lose: { readonly [piece in "call" | "request" | "response" | "result"]: LosePart };
}

/** Whether the generation, or what was read of it, has states for approvals. */
export const hasApprovals = (call: ToolCallPart, generation: number): boolean =>
  generation >= 6 || remainderOf(call)["$late"] === true;

/** The tool part of a call with all that is known of it. */
export function encodeTool(given: ToolUse, writing: ToolWriting): JsonObject {
  const use = refused(asTaken(given, writing), writing);
  const { call, result } = use;
  const own = remainderOf(call);
  const approval = hasApprovals(call, writing.generation) ? writeApproval(use, writing) : undefined;
  const outcome = result ? writeOutcome(use, { approval, writing }) : writeRefusal(use, writing);
  const state = outcome?.state ?? stateOf(approval ? use : { call });
  const told = writtenState(state, own["$state"]);
  const isOpen = call.partial && told.state === "input-streaming";
  if (call.partial && state !== "input-streaming" && !isOpen) writing.lose.call("partial-call", "partial");
  const isDynamic = typeof own["$dynamic"] === "boolean" ? own["$dynamic"] : writing.dynamic;
  const named = isDynamic ? { type: "dynamic-tool", toolName: call.name } : { type: `${staticPrefix}${call.name}` };
  const callMetadata = callMetadataOf(use, writing);
  const resultMetadata = result && writing.generation >= 6 ? resultMetadataOf(result) : undefined;
  const fields: JsonObject = {
    ...named,
    toolCallId: call.callId.startsWith("~") && own["$id"] === "" ? "" : call.callId,
    ...told,
    ...(call.title !== undefined && { title: call.title }),
    ...writeArguments(call, isOpen ? "input-streaming" : state, { ...writing, dynamic: isDynamic }),
    ...outcome?.members,
    ...(result?.preliminary && { preliminary: true }),
    ...(call.executedBy === "provider" && { providerExecuted: true }),
    ...(approval && { approval }),
    ...(callMetadata && { callProviderMetadata: callMetadata }),
    ...(resultMetadata && { resultProviderMetadata: resultMetadata }),
  };
  return withoutRefused(fill(fields, own), own, { generation: writing.generation, lose: writing.lose.call });
}

/** Generation 5 looks at no approval, and takes states beside one that the newer ones refuse. */
function asTaken(use: ToolUse, { generation }: ToolWriting): ToolUse {
  if (generation < 6 || remainderOf(use.call)["$late"] !== true) return use;
  const { $approval: _, ...ofResult } = use.result ? remainderOf(use.result) : {};
  const { $state: __, ...ofCall } = remainderOf(use.call);
  return {
    ...use,
    call: { ...use.call, native: { ...use.call.native, [family]: ofCall } },
    ...(use.result && { result: { ...use.result, native: { ...use.result.native, [family]: ofResult } } }),
  };
}

/** A refusal counts, whatever is told of the call after it: it never becomes an approval. */
function refused(use: ToolUse, { generation, lose }: ToolWriting): ToolUse {
  const { call, result } = use;
  if (!result || !contradicts(use) || !hasApprovals(call, generation)) return use;
  lose.result("refused-result", "outcome");
  if (result.preliminary) lose.result("refused-result", "preliminary");
  const { preliminary: _, ...whole } = result;
  return { ...use, result: { ...whole, outcome: "denied" } };
}

/** Whether a call that was refused has another result than a denial, which was not read so from the SDK's own part. */
export const contradicts = ({ response, result }: Pick<ToolUse, "response" | "result">): boolean =>
  response?.approved === false &&
  result !== undefined &&
  result.outcome !== "denied" &&
  remainderOf(result)["$approval"] !== "as-is";

/** A part that named another state goes back so while nothing about it has changed (R1). */
function writtenState(state: string, hint: Json | undefined): { state?: string } {
  if (!Array.isArray(hint) || hint[0] !== state) return { state };
  return hint[1] === "none" || typeof hint[1] !== "string" ? {} : { state: hint[1] };
}

// arguments

function writeArguments(call: ToolCallPart, state: string, writing: ToolWriting): JsonObject {
  const lose = writing.lose.call;
  if (state === "input-streaming") return writeOpenArguments(call, writing);
  if (call.kind !== undefined && call.kind !== "mcp") lose("call-kind", "kind", call.kind);
  const own = remainderOf(call);
  const { input, inputText } = call;
  if (input !== undefined) {
    if (inputText !== undefined) lose("input-text", "inputText");
    // Of a failed call a text that is no JSON is read as what could not be read.
    if (state === "output-error" && typeof input === "string" && !isJson(input)) lose("unread-input", "input");
    return own["$raw"] === true && state === "output-error" ? { rawInput: input } : { input };
  }
  if (inputText === undefined) {
    if (state === "output-error" || own["$input"] === "none") return {};
    lose("no-input");
    return { input: {} };
  }
  if (state !== "output-error") {
    lose("unread-input", "inputText");
    return { input: inputText };
  }
  const usual = isRawUsual(writing.generation, writing.dynamic);
  const hint = own["$raw"];
  // What stood beside its usual place in another generation stands here in the usual one.
  if (hint === usual) lose("raw-input", "native");
  const isRaw = typeof hint === "boolean" ? hint : usual;
  if (isRaw && own["rawInput"] !== undefined) lose("raw-input", "native");
  return isRaw ? { rawInput: inputText } : { input: inputText };
}

function writeOpenArguments(call: ToolCallPart, { generation, lose }: ToolWriting): JsonObject {
  const own = remainderOf(call);
  const isText = call.kind === "custom" && (call.input === undefined || typeof call.input === "string");
  if (call.kind !== undefined && call.kind !== "mcp" && (!isText || generation < 6))
    lose.call("call-kind", "kind", call.kind);
  if (own["$raw"] === false && call.input !== undefined) return { input: call.input };
  const given = isText ? (call.input as string | undefined) : inputTextOf(call); // isText says so
  const text = given ?? (own["$raw"] === "" ? "" : undefined);
  const encoding = isText && generation >= 6 ? { inputEncoding: "text" } : {};
  if (text === undefined) return encoding;
  const hint = wholeOf(own, "input");
  const said = isText && generation >= 6 ? text : partialValue(text, generation);
  const input = hint === "none" ? undefined : isValue(hint) ? hint["value"] : said;
  return { ...(input !== undefined && { input }), rawInput: text, ...encoding };
}

const isValue = (hint: Json | undefined): hint is { readonly value: Json } =>
  typeof hint === "object" && hint !== null && "value" in hint;

export function callMetadataOf(
  { call, result }: ToolUse,
  { generation, lose }: Pick<ToolWriting, "generation" | "lose">,
): JsonObject | undefined {
  const metadata = writeMetadata(call, noFields, remainderOf(call), "callProviderMetadata");
  const isMcp = call.kind === "mcp" && call.server !== undefined;
  if (call.kind === "mcp" && !isMcp) lose.call("call-kind", "kind", "mcp");
  if (call.server !== undefined && !isMcp) lose.call("call-kind", "server");
  const told = remainderOf(call)["$mcp"];
  const key = typeof told === "string" ? told : keyOfCall(call.seal);
  const mcp = isMcp ? { [key]: { type: "mcp-tool-use", serverName: call.server } } : {};
  const program = writeCaller(call.caller, remainderOf(call)["callProviderMetadata"]);
  // Generation 5 has no metadata of results: theirs travels under our key of the call's (R14).
  const ofResult = result && generation < 6 ? resultMetadataOf(result) : undefined;
  const added = fill({ ...merged(mcp, program), ...(ofResult && { [ours]: { result: ofResult } }) }, metadata);
  return metadata || Object.keys(added).length > 0 ? added : undefined;
}

/** What both say of one maker. */
const merged = (first: JsonObject, second: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.keys({ ...first, ...second }).map(maker => [maker, { ...Object(first[maker]), ...Object(second[maker]) }]),
  );

const resultMetadataOf = (result: ToolResultPart): JsonObject | undefined =>
  writeMetadata(result, noFields, remainderOf(result), "resultProviderMetadata");

// results

interface Outcome {
  readonly state: string;
  readonly members: JsonObject;
}

function writeOutcome(
  use: ToolUse,
  { approval, writing }: { readonly approval: JsonObject | undefined; readonly writing: ToolWriting },
): Outcome {
  const result = use.result as ToolResultPart; // only called with one
  const lose = writing.lose.result;
  const isMissing = remainderOf(result)["$output"] === "none" && result.output === undefined;
  switch (result.outcome) {
    case undefined:
      return { state: "output-available", members: isMissing ? {} : { output: encodeOutput(result, lose) } };
    case "denied":
      return approval || hasApprovals(use.call, writing.generation)
        ? { state: "output-denied", members: deniedMembers(use, approval, lose) }
        : { state: "output-error", members: { errorText: deniedErrorText(use, lose) } };
    default:
      if (result.outcome === "interrupted") lose("interrupted", "outcome");
      return { state: "output-error", members: isMissing ? {} : { errorText: encodeErrorText(result, lose) } };
  }
}

/** Generation 5 has no state for a refused call: told as one that still waits, its client would wait for ever. */
function writeRefusal({ call, response }: ToolUse, { generation, lose }: ToolWriting): Outcome | undefined {
  if (response?.approved !== false || hasApprovals(call, generation)) return undefined;
  lose.response("denied-result");
  return { state: "output-error", members: { errorText: response.reason ?? deniedText } };
}

/** A denial says its reason in the answer; more of an output has no place. */
function deniedMembers({ result }: ToolUse, approval: JsonObject | undefined, lose: LosePart): JsonObject {
  const reason = approval?.["approved"] === false ? approval["reason"] : undefined;
  const read = typeof reason === "string" ? [{ type: "text", text: reason }] : undefined;
  if (!equalJson(result?.output, read)) lose("denied-output", "output");
  if (result?.structured !== undefined) lose("denied-output", "structured");
  return {};
}

/** Where there is no denial it is an error that says why. */
export function deniedErrorText({ response, result }: Omit<ToolUse, "call">, lose: LosePart): string {
  if (response?.approved !== false) lose("denied-outcome", "outcome");
  const reason = response?.approved === false ? response.reason : undefined;
  const text = result?.output === undefined ? (reason ?? deniedText) : encodeErrorText(result, lose);
  if (!equalJson(result?.output, deniedOutput(text, reason))) lose("denied-output", "output");
  return text;
}

// approvals

function writeApproval(use: ToolUse, { lose }: ToolWriting): JsonObject | undefined {
  const { call, request, response, result } = use;
  const isAsIs = result !== undefined && remainderOf(result)["$approval"] === "as-is";
  const isDenied = result?.outcome === "denied";
  if (!request && !response && (!isDenied || isAsIs)) return undefined;
  if (!request) (response ? lose.response : lose.result)("made-request");
  const id = request?.requestId ?? response?.requestId ?? call.callId;
  if (response && response.callId !== call.callId) lose.response("response-call", "callId");
  const said = writeAnswer({ request, response });
  const answered = result && !isAsIs ? agreed(said, { isDenied, lose: response ? lose.response : lose.result }) : {};
  const made = isDenied && !response && !isAsIs ? firstText(result) : undefined;
  return fill(
    { id, ...said, ...answered, ...(made !== undefined && { reason: made }) },
    request && remainderOf(request),
  );
}

/** A question and its answer, or one of them. */
interface Exchange {
  readonly request: ApprovalRequestPart | undefined;
  readonly response: ApprovalResponsePart | undefined;
}

/** Their members in the newest generation's words; the narrower ones never get what they do not know. */
function writeAnswer({ request, response }: Exchange): JsonObject {
  return {
    ...(response && { approved: response.approved }),
    ...(request?.reason !== undefined && { requestReason: request.reason }),
    ...(response?.reason !== undefined && { reason: response.reason }),
    ...(request?.automatic && { isAutomatic: true }),
  };
}

/** The SDK takes a result only beside the answer that led to it. */
function agreed(
  said: JsonObject,
  { isDenied, lose }: { readonly isDenied: boolean; readonly lose: LosePart },
): { approved?: boolean } {
  if (said["approved"] === !isDenied) return {};
  lose("approval-answer", said["approved"] === undefined ? undefined : "approved");
  return { approved: !isDenied };
}

const firstText = (result: ToolResultPart | undefined): string | undefined => {
  const [first] = result?.output ?? [];
  return first?.type === "text" ? first.text : undefined;
};

/** A question, its answer or both as data: for generation 5, and for calls that the conversation does not show. */
export function encodeApproval({ request, response }: Exchange, loseResponse: LosePart): JsonObject {
  const id = request?.requestId ?? response?.requestId ?? "";
  const callId = request ? request.callId : response?.callId;
  if (response && response.callId !== callId) loseResponse("response-call", "callId");
  const data = fill(
    {
      id,
      ...(callId !== undefined && { toolCallId: callId }),
      ...writeAnswer({ request, response }),
      ...(!request && { request: false }),
    },
    request && remainderOf(request),
  );
  return { type: approvalType, id, data };
}
