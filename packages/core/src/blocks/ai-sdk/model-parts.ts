/** Parts of the AI SDK's model messages and prompts → parts. */

import { defined, Reader } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  OpaquePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import { isOfSummary, noFields, textFields } from "./metadata.ts";
import { decodeModelFile } from "./model-files.ts";
import { decodeModelOutput, type ReadOutput } from "./model-output.ts";
import { type ModelPlace, modelFamily, natives, type OptionsPlace, readOptions } from "./model-part.ts";
import { family as uiFamily } from "./part.ts";
import { isHidden } from "./texts.ts";
import { deniedOutput, readCallMembers } from "./tools.ts";

export const partOptions: OptionsPlace = { wire: "providerOptions", node: "providerMetadata" };
export const callOptions: OptionsPlace = { wire: "providerOptions", node: "callProviderMetadata" };
export const resultOptions: OptionsPlace = { wire: "providerOptions", node: "resultProviderMetadata" };

/** The calls and questions before a part: an answer does not say all that is known of them. */
export interface Known {
  /** Who runs a call, by its id. */
  readonly calls: Map<string, ToolCallPart["executedBy"]>;
  /** The call that a question is about, by the question's id. */
  readonly requests: Map<string, string>;
  /** Why a call was denied, by its id. */
  readonly denials: Map<string, string | undefined>;
  /** Answers that say of the call, against what is known of it, whether the provider runs it; by the question's id. */
  readonly unlike: Map<string, boolean>;
}

export const nothingKnown = (): Known => ({
  calls: new Map(),
  requests: new Map(),
  denials: new Map(),
  unlike: new Map(),
});

export interface PartReading extends ModelPlace {
  readonly known: Known;
}

type Read = (wire: JsonObject, reading: PartReading) => Part | undefined;

const readers: { readonly [type: string]: Read } = {
  text: decodeModelText,
  reasoning: decodeModelReasoning,
  image: (wire, reading) =>
    reading.form === "message" ? decodeModelFile(wire, { ...reading, options: partOptions }) : undefined,
  file: (wire, reading) => decodeModelFile(wire, { ...reading, options: partOptions }),
  "reasoning-file": (wire, reading) =>
    reading.generation >= 7 ? decodeModelFile(wire, { ...reading, options: partOptions }) : undefined,
  "tool-call": decodeModelCall,
  "tool-result": decodeModelResult,
  "tool-approval-request": decodeRequest,
  "tool-approval-response": decodeResponse,
  custom: (wire, { generation }) => (generation >= 7 ? decodeCustom(wire) : undefined),
};

/** Undefined where it is no part that is known, or lacks what the part needs. */
export function decodeModelPart(wire: Json, reading: PartReading): Part | undefined {
  const type = isJsonObject(wire) ? wire["type"] : undefined;
  if (!isJsonObject(wire) || typeof type !== "string" || !Object.hasOwn(readers, type)) return undefined;
  return readers[type]?.(wire, reading);
}

export const isModelPartType = (type: string): boolean => Object.hasOwn(readers, type);

/** What is not understood stays (R4). */
export const rawPart = (value: Json): OpaquePart => ({ type: "opaque", family: modelFamily, value });

function decodeModelText(wire: JsonObject): TextPart | undefined {
  const reader = new Reader(wire);
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  const { members, kept } = readOptions(reader, textFields, partOptions);
  return { type: "text", text, ...members, ...natives(kept, reader.rest()) };
}

function decodeModelReasoning(wire: JsonObject): ReasoningPart | undefined {
  const reader = new Reader(wire);
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  const { members, kept } = readOptions(reader, noFields, partOptions);
  const summary = isOfSummary(members.seal) ? ({ summary: true } as const) : {};
  const part: ReasoningPart = { type: "reasoning", text, ...summary, ...members, ...natives(kept, reader.rest()) };
  if (!isHidden(part, text)) return part;
  const { text: _, summary: __, ...hidden } = part;
  return hidden;
}

function decodeModelCall(wire: JsonObject, { known }: PartReading): ToolCallPart | undefined {
  const reader = new Reader(wire);
  const callId = reader.string("toolCallId");
  const name = reader.string("toolName");
  if (callId === undefined || name === undefined) return undefined;
  reader.take("type");
  const input = reader.json("input");
  const isProviders = reader.literal("providerExecuted", true);
  const { members, kept } = readOptions(reader, noFields, callOptions);
  const mcp = readCallMembers(kept, members.seal);
  const executedBy = isProviders ? "provider" : undefined;
  known.calls.set(callId, executedBy);
  return {
    type: "tool-call",
    callId,
    name,
    ...(input !== undefined && { input }),
    ...mcp.members,
    ...defined<Partial<ToolCallPart>>({ executedBy }),
    ...members,
    ...natives(mcp.rest, reader.rest(), input === undefined ? { $input: "none" } : {}),
  };
}

function decodeModelResult(wire: JsonObject, reading: PartReading): ToolResultPart | undefined {
  const reader = new Reader(wire);
  const callId = reader.string("toolCallId");
  const name = reader.string("toolName");
  if (callId === undefined) return undefined;
  reader.take("type");
  const read = denied(decodeModelOutput(reader.peek("output"), reading), callId, reading.known);
  if (read) reader.take("output");
  const { members, kept } = readOptions(reader, noFields, resultOptions);
  const rest = { ...reader.rest(), ...(read?.rest && { output: read.rest }) };
  return {
    type: "tool-result",
    callId,
    ...defined<Partial<ToolResultPart>>({ name }),
    ...read?.members,
    ...members,
    ...natives(kept, Object.keys(rest).length > 0 ? rest : undefined, {
      ...(read ? read.hints : { $output: "none" }),
    }),
  };
}

/** The SDK tells a denied call as a failed one beside the answer. */
function denied(read: ReadOutput | undefined, callId: string, { denials }: Known): ReadOutput | undefined {
  const [text] = read?.members.output ?? [];
  if (read?.members.outcome !== "error" || text?.type !== "text" || !denials.has(callId)) return read;
  const output = deniedOutput(text.text, denials.get(callId));
  return {
    ...read,
    members: { outcome: "denied", ...(output && { output }) },
    hints: { ...read.hints, $output: "error-text" },
  };
}

/** What the SDK's UI keeps of a question too. */
const sharedMembers = ["signature", "inputSchemaInput"];

function decodeRequest(wire: JsonObject, { generation, known }: PartReading): ApprovalRequestPart | undefined {
  const reader = new Reader(wire);
  const requestId = reader.string("approvalId");
  const callId = reader.string("toolCallId");
  if (requestId === undefined || callId === undefined) return undefined;
  reader.take("type");
  known.requests.set(requestId, callId);
  const isNew = generation >= 7;
  const reason = isNew ? reader.string("reason") : undefined;
  const automatic = isNew && reader.literal("isAutomatic", true) ? true : undefined;
  const shared: { [member: string]: Json } = {};
  for (const member of sharedMembers) {
    const value = reader.json(member);
    if (value !== undefined) shared[member] = value;
  }
  return {
    type: "approval-request",
    requestId,
    callId,
    ...defined<Partial<ApprovalRequestPart>>({ reason, automatic }),
    ...natives(shared, reader.rest()),
  };
}

function decodeResponse(wire: JsonObject, { known, form }: PartReading): ApprovalResponsePart | undefined {
  const reader = new Reader(wire);
  const requestId = reader.string("approvalId");
  const approved = reader.boolean("approved");
  if (requestId === undefined || approved === undefined) return undefined;
  reader.take("type");
  const reason = reader.string("reason");
  const callId = known.requests.get(requestId);
  if (!approved && callId !== undefined) known.denials.set(callId, reason);
  if (form === "message") {
    const isSaid = reader.literal("providerExecuted", true);
    if (isSaid !== isProvidersRequest(requestId, known)) known.unlike.set(requestId, isSaid);
  } else reader.literal("providerExecuted", isProvidersRequest(requestId, known));
  return {
    type: "approval-response",
    requestId,
    approved,
    ...defined<Partial<ApprovalResponsePart>>({ reason }),
    ...natives({}, reader.rest()),
  };
}

/** A hint of the message, not of the answer: read alone the answer is the same as among the others. */
export function unlikeHint(known: Known): JsonObject {
  if (known.unlike.size === 0) return {};
  const hint = Object.fromEntries(known.unlike);
  known.unlike.clear();
  return { $providerExecuted: hint };
}

/** Whether a question is about a call that the provider runs. */
export function isProvidersRequest(requestId: string, { calls, requests }: Pick<Known, "calls" | "requests">): boolean {
  const callId = requests.get(requestId);
  return callId !== undefined && calls.get(callId) === "provider";
}

/** A provider's own piece has the form that the SDK's UI gives it. */
function decodeCustom({ providerOptions, ...wire }: JsonObject): OpaquePart | undefined {
  if (typeof wire["kind"] !== "string" || Object.hasOwn(wire, "providerMetadata")) return undefined;
  const value = providerOptions === undefined ? wire : { ...wire, providerMetadata: providerOptions };
  return { type: "opaque", family: uiFamily, value };
}
