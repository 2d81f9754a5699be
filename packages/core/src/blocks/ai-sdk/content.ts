/**
 * The contents of answers in the AI SDK: what its models give, whole or as parts of a stream, and what `streamText` makes of
 * them. Only the members of calls, results and files differ.
 */

import type { LossTable } from "../../codec/codec.ts";
import { wholeHint } from "../../codec/hints.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { saysMore } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  Part,
  ReasoningPart,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import type { AnswerPlace } from "./answer.ts";
import { isGeneratedFile } from "./live.ts";
import { isOfSummary, noFields, textFields } from "./metadata.ts";
import { decodeModelFile } from "./model-files.ts";
import { natives, type OptionsPlace, readOptions } from "./model-part.ts";
import { rawPart } from "./model-parts.ts";
import { family as uiFamily } from "./part.ts";
import { decodeCitations, decodeSource } from "./sources.ts";
import { isHidden } from "./texts.ts";
import { readCallMembers } from "./tools.ts";

export const contentOptions: OptionsPlace = { wire: "providerMetadata", node: "providerMetadata" };
export const contentCallOptions: OptionsPlace = { wire: "providerMetadata", node: "callProviderMetadata" };
export const contentResultOptions: OptionsPlace = { wire: "providerMetadata", node: "resultProviderMetadata" };

export const contentLosses = {
  "cited-sources": { kind: "approximated", note: "what a text cites is told as sources behind it" },
  "made-id": { kind: "dropped", note: "an id that begins with `~` is read as none" },
  "source-member": { kind: "dropped", note: "this kind of source has no place for it" },
  "citation-member": { kind: "dropped", note: "this kind of citation has no place for it" },
  "answer-call": { kind: "synthesised", note: "an answer to a question shows the call that it is about" },
  "result-content": { kind: "flattened", note: "a result is one value" },
} as const satisfies LossTable;

// reading

type Read = (wire: JsonObject, place: AnswerPlace) => Part | undefined;

const readers: { readonly [type: string]: Read } = {
  text: decodeText,
  reasoning: decodeReasoning,
  file: decodeFile,
  "reasoning-file": (wire, place) => (place.generation >= 7 ? decodeFile(wire, place) : undefined),
  source: decodeAnswerSource,
  "tool-call": decodeCall,
  "tool-result": decodeResult,
  "tool-error": (wire, place) => (place.answer === "run" ? decodeFailure(wire) : undefined),
  "tool-output-denied": (wire, place) => (place.answer === "run" ? decodeDenial(wire) : undefined),
  "tool-approval-request": decodeRequest,
  "tool-approval-response": (wire, place) => (place.answer === "run" ? decodeResponse(wire) : undefined),
  custom: (wire, { generation }) =>
    generation >= 7 && typeof wire["kind"] === "string" ? { type: "opaque", family: uiFamily, value: wire } : undefined,
};

/** A piece of an answer; one that is not known stays as it is (R4). */
export function decodeContent(wire: Json, place: AnswerPlace): { readonly part: Part; readonly isKnown: boolean } {
  const type = isJsonObject(wire) ? wire["type"] : undefined;
  const read = typeof type === "string" && Object.hasOwn(readers, type) ? readers[type] : undefined;
  const part = isJsonObject(wire) ? read?.(wire, place) : undefined;
  return part ? { part, isKnown: true } : { part: rawPart(wire), isKnown: false };
}

export const isContentType = (type: string): boolean => Object.hasOwn(readers, type);

function decodeText(wire: JsonObject, { generation }: AnswerPlace): TextPart | undefined {
  const reader = new Reader(wire);
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  const citations = generation >= 7 ? decodeCitations(reader) : undefined;
  const { members, kept } = readOptions(reader, textFields, contentOptions);
  return { type: "text", text, ...(citations && { citations }), ...members, ...natives(kept, reader.rest()) };
}

function decodeReasoning(wire: JsonObject): Part | undefined {
  const reader = new Reader(wire);
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  const { members, kept } = readOptions(reader, noFields, contentOptions);
  const summary = isOfSummary(members.seal) ? ({ summary: true } as const) : {};
  const part: ReasoningPart = { type: "reasoning", text, ...summary, ...members, ...natives(kept, reader.rest()) };
  if (!isHidden(part, text)) return part;
  const { text: _, summary: __, ...hidden } = part;
  return hidden;
}

/** In a run the content is an object of the SDK's own. */
function decodeFile(wire: JsonObject, { generation, answer }: AnswerPlace): Part | undefined {
  const place = { generation, form: "prompt", options: contentOptions } as const;
  if (answer === "answer") return decodeModelFile(wire, place);
  const { file, ...others } = wire;
  if (!isGeneratedFile(file)) return undefined;
  const { mediaType, base64 } = file;
  const data = generation >= 7 ? { type: "data", data: base64 } : base64;
  return decodeModelFile({ ...others, mediaType, data }, place);
}

/** Its members are those of the UI's sources, under other names. */
function decodeAnswerSource({ sourceType, id, ...wire }: JsonObject): SourcePart | undefined {
  if ((sourceType !== "url" && sourceType !== "document") || typeof id !== "string") return undefined;
  return decodeSource({ ...wire, type: `source-${sourceType}`, sourceId: id });
}

function decodeCall(wire: JsonObject, { answer }: AnswerPlace): ToolCallPart | undefined {
  const reader = new Reader(wire);
  const given = reader.json("input");
  const isText = answer === "answer" && typeof given === "string";
  return callOf(reader, isText ? readText(given) : readValue(given, wire));
}

/** A call whose arguments are still to come. */
export function decodeOpenCall(wire: JsonObject): ToolCallPart | undefined {
  const reader = new Reader(wire);
  const title = reader.string("title");
  const isStatic = reader.literal("dynamic", false);
  const call = callOf(reader, { members: {}, ...(isStatic && { hints: { $dynamic: false } }) });
  return call && title !== undefined ? { ...call, title } : call;
}

function callOf(reader: Reader, input: Arguments): ToolCallPart | undefined {
  const callId = reader.string("toolCallId");
  const name = reader.string("toolName");
  if (callId === undefined || name === undefined) return undefined;
  reader.take("type");
  const isProviders = reader.literal("providerExecuted", true);
  // The SDK's UI tells such a call as a part of another type.
  const dynamic = reader.literal("dynamic", true) ? { $dynamic: true } : {};
  const { members, kept } = readOptions(reader, noFields, contentCallOptions);
  const mcp = readCallMembers(kept, members.seal);
  return {
    type: "tool-call",
    callId,
    name,
    ...input.members,
    ...mcp.members,
    ...(isProviders && { executedBy: "provider" as const }),
    ...members,
    ...natives({ ...mcp.rest, ...dynamic }, reader.rest(), input.hints),
  };
}

interface Arguments {
  readonly members: Pick<ToolCallPart, "input" | "inputText">;
  readonly hints?: JsonObject;
}

const readText = (text: string): Arguments => ({
  members: readInput(text),
  ...(text === "" && { hints: { $input: "" } }),
});

/** A call that the SDK could not read has the text that the model wrote. */
function readValue(input: Json | undefined, { invalid }: JsonObject): Arguments {
  if (input === undefined) return { members: {}, hints: { $input: "none" } };
  if (invalid !== true || typeof input !== "string") return { members: { input } };
  const read = readInput(input);
  return { members: read.input === undefined && read.inputText !== undefined ? read : { input } };
}

/** What tool results of both forms share. */
function decodeResult(wire: JsonObject, { answer }: AnswerPlace): ToolResultPart | undefined {
  const reader = new Reader(wire);
  const callId = reader.string("toolCallId");
  const value = reader.json(answer === "answer" ? "result" : "output");
  if (callId === undefined) return undefined;
  reader.take("type");
  const failed = answer === "answer" && reader.literal("isError", true);
  // In a run it says where the result stands.
  if (answer === "run") reader.literal("providerExecuted", true);
  const preliminary = reader.literal("preliminary", true) ? true : undefined;
  return resultOf(reader, callId, {
    ...(value !== undefined && { output: outputOf(value) }),
    ...defined<Partial<ToolResultPart>>({ outcome: failed ? "error" : undefined, preliminary }),
    hints: value === undefined ? { $output: "none" } : {},
  });
}

const outputOf = (value: Json): readonly Part[] => [
  typeof value === "string" ? { type: "text", text: value } : { type: "data", data: value },
];

function resultOf(
  reader: Reader,
  callId: string,
  { hints, ...said }: Pick<ToolResultPart, "output" | "outcome" | "preliminary"> & { readonly hints: JsonObject },
): ToolResultPart {
  const name = reader.string("toolName");
  const { members, kept } = readOptions(reader, noFields, contentResultOptions);
  return {
    type: "tool-result",
    callId,
    ...defined<Partial<ToolResultPart>>({ name }),
    ...said,
    ...members,
    ...natives(kept, reader.rest(), hints),
  };
}

/** An error says its message; a tool may throw any value. */
function decodeFailure(wire: JsonObject): ToolResultPart | undefined {
  const reader = new Reader(wire);
  const callId = reader.string("toolCallId");
  const error = reader.json("error");
  if (callId === undefined) return undefined;
  reader.take("type");
  reader.literal("providerExecuted", true);
  const message = isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : undefined;
  const output = error === undefined ? {} : { output: outputOf(message ?? error) };
  return resultOf(reader, callId, {
    ...output,
    outcome: "error",
    hints: failureHints(error, message),
  });
}

function failureHints(error: Json | undefined, message: string | undefined): JsonObject {
  if (message === undefined) return error === undefined ? { $output: "none" } : {};
  return wholeHint("error", error ?? null, isJsonObject(error) && saysMore(error, { message }));
}

function decodeDenial(wire: JsonObject): ToolResultPart | undefined {
  const reader = new Reader(wire);
  const callId = reader.string("toolCallId");
  if (callId === undefined) return undefined;
  reader.take("type");
  reader.literal("providerExecuted", true);
  return resultOf(reader, callId, { outcome: "denied", hints: {} });
}

function decodeRequest(wire: JsonObject, { answer, generation }: AnswerPlace): ApprovalRequestPart | undefined {
  const reader = new Reader(wire);
  const requestId = reader.string("approvalId");
  const call = reader.peek("toolCall");
  const callId =
    answer === "answer" ? reader.string("toolCallId") : isJsonObject(call) ? call["toolCallId"] : undefined;
  if (requestId === undefined || typeof callId !== "string" || generation < 6) return undefined;
  reader.take("type");
  if (answer === "run") reader.take("toolCall");
  const reason = generation >= 7 ? reader.string("reason") : undefined;
  const automatic = generation >= 7 && reader.literal("isAutomatic", true) ? true : undefined;
  const signature = reader.string("signature");
  const shared = signature === undefined ? {} : { signature };
  const { members, kept } = readOptions(reader, noFields, contentOptions);
  return {
    type: "approval-request",
    requestId,
    callId,
    ...defined<Partial<ApprovalRequestPart>>({ reason, automatic }),
    ...members,
    ...natives({ ...shared, ...kept }, reader.rest()),
  };
}

function decodeResponse(wire: JsonObject): ApprovalResponsePart | undefined {
  const reader = new Reader(wire);
  const requestId = reader.string("approvalId");
  const approved = reader.boolean("approved");
  const call = reader.peek("toolCall");
  const callId = isJsonObject(call) && typeof call["toolCallId"] === "string" ? call["toolCallId"] : undefined;
  if (requestId === undefined || approved === undefined) return undefined;
  reader.take("type");
  if (callId !== undefined) reader.take("toolCall");
  const reason = reader.string("reason");
  return {
    type: "approval-response",
    requestId,
    approved,
    ...defined<Partial<ApprovalResponsePart>>({ reason, callId }),
    ...natives({}, reader.rest()),
  };
}
