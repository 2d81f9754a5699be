/** Parts → parts of the AI SDK's model messages and prompts. */

import type { Recipient } from "../../codec/codec.ts";
import { restored } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  OpaquePart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import { noFields, textFields } from "./metadata.ts";
import { encodeModelFile } from "./model-files.ts";
import { encodeModelOutput } from "./model-output.ts";
import {
  loseShared,
  type ModelWriting,
  modelFamily,
  type OptionsPlace,
  ownOf,
  sharedOf,
  wireNode,
} from "./model-part.ts";
import { partOptions, resultOptions } from "./model-parts.ts";
import { family as uiFamily } from "./part.ts";
import { isHidden, isUnsaidSummary } from "./texts.ts";
import { callMetadataOf } from "./tool-writing.ts";

export interface PartWriting extends ModelWriting {
  readonly recipient: Recipient;
  /** The name of the tool that a result is of, where its call says it. */
  readonly toolName: string | undefined;
  /** Whether the call that a question holds stands before it already. */
  readonly isTold: boolean;
  /** Whether an answer is about a call that the provider runs. */
  readonly isProviders: boolean;
}

/** The wire parts of a part: mostly one; none where there is no place for it. */
export function encodeModelPart(part: Part, writing: PartWriting): readonly Json[] {
  const { lose } = writing;
  switch (part.type) {
    case "refusal":
      lose("refusal");
      return encodeModelText({ ...part, type: "text" }, writing);
    case "text":
      return encodeModelText(part, writing);
    case "reasoning":
      return [encodeModelReasoning(part, writing)];
    case "file":
      return [encodeModelFile(part, { ...writing, options: partOptions })];
    case "tool-call":
      return [encodeModelCall(part, writing)];
    case "tool-result":
      return [encodeModelResult(part, writing)];
    case "approval-request":
      return encodeRequest(part, writing);
    case "approval-response":
      return encodeResponse(part, writing);
    case "opaque":
      return encodeRaw(part, writing);
    default:
      return [];
  }
}

function encodeModelText(part: Extract<Part, { type: "text" }>, { recipient, lose }: PartWriting): readonly Json[] {
  const wire = wireNode({ type: "text", text: part.text }, part, { fields: textFields, place: partOptions, lose });
  // Providers refuse an empty text, and the SDK leaves it out of their prompts.
  if (part.text !== "" || recipient !== "provider" || wire["providerOptions"] !== undefined) return [wire];
  lose("empty-text");
  return [];
}

export function encodeModelReasoning(part: ReasoningPart, { lose }: ModelWriting, options = partOptions): JsonObject {
  const text = part.text ?? "";
  if (isHidden(part, text) !== (part.text === undefined)) lose("hidden-reasoning", "text");
  if (isUnsaidSummary(part)) lose("reasoning-summary", "summary");
  return wireNode({ type: "reasoning", text }, part, { fields: noFields, place: options, lose });
}

/** A call's members but for its arguments, and its options under their name. */
export function callFields(part: ToolCallPart, writing: ModelWriting, options: OptionsPlace["wire"]): JsonObject {
  const { lose } = writing;
  const none = (): undefined => undefined;
  const metadata = callMetadataOf(
    { call: part },
    { generation: 7, lose: { call: lose, request: none, response: none, result: none } },
  );
  loseShared(part, ["callProviderMetadata"], lose);
  if (part.kind !== undefined && part.kind !== "mcp") lose("call-kind", "kind", part.kind);
  return {
    toolCallId: part.callId,
    toolName: part.name,
    ...(part.executedBy === "provider" && { providerExecuted: true }),
    ...(metadata && { [options]: metadata }),
  };
}

function encodeModelCall(part: ToolCallPart, writing: PartWriting): Json {
  const { toolCallId = "", toolName = "", ...others } = callFields(part, writing, "providerOptions");
  const input = inputOf(part, writing);
  const fields = { type: "tool-call", toolCallId, toolName, ...(input !== undefined && { input }), ...others };
  return restored(fields, part, modelFamily);
}

/** A text that is no JSON goes as it is: that is what the SDK itself sends of a call that failed. */
function inputOf(part: ToolCallPart, { recipient, lose }: PartWriting): Json | undefined {
  const { input, inputText } = part;
  if (input !== undefined) {
    if (inputText !== undefined) lose("input-text", "inputText");
    return input;
  }
  if (inputText !== undefined) {
    lose("unread-input", "inputText");
    return inputText;
  }
  // The SDK's schemas and its providers want arguments (R7).
  if (ownOf(part)["$input"] === "none" && recipient !== "provider") return undefined;
  lose("no-input");
  return {};
}

function encodeModelResult(part: ToolResultPart, writing: PartWriting): Json {
  const { lose } = writing;
  const name = part.name ?? writing.toolName;
  if (part.name === undefined) lose("result-name", "name", name ?? "unknown");
  if (part.preliminary) lose("preliminary", "preliminary");
  const isMissing = ownOf(part)["$output"] === "none" && part.output === undefined;
  const output = isMissing ? {} : { output: encodeModelOutput(part, writing) };
  return wireNode({ type: "tool-result", toolCallId: part.callId, toolName: name ?? "unknown", ...output }, part, {
    fields: noFields,
    place: resultOptions,
    lose,
  });
}

const requestShared = ["signature", "inputSchemaInput"];

function encodeRequest(part: ApprovalRequestPart, writing: PartWriting): readonly Json[] {
  const { generation, form, lose } = writing;
  const shared = sharedOf(part);
  if (form === "prompt") {
    lose("own-request");
    return part.call && !writing.isTold ? [encodeModelCall(part.call, { ...writing, lose: () => undefined })] : [];
  }
  loseShared(part, requestShared, lose);
  const fields: { [member: string]: Json } = {
    type: "tool-approval-request",
    approvalId: part.requestId,
    toolCallId: part.callId,
  };
  if (generation >= 7 && part.reason !== undefined) fields["reason"] = part.reason;
  if (generation >= 7 && part.automatic) fields["isAutomatic"] = true;
  for (const member of requestShared) {
    const value = shared[member];
    if (value !== undefined) fields[member] = value;
  }
  const wire = restored(fields, part, modelFamily);
  if (!part.call) return [wire];
  lose("held-call", "call");
  if (writing.isTold) return [wire];
  return [encodeModelCall(part.call, { ...writing, lose: (code, _, detail) => lose(code, "call", detail) }), wire];
}

function encodeResponse(part: ApprovalResponsePart, writing: PartWriting): readonly Json[] {
  const { form, isProviders, lose } = writing;
  if (form === "prompt" && !isProviders && ownOf(part)["$kept"] !== true && writing.recipient === "provider") {
    // Only the provider that runs a call waits for the answer (R23).
    lose("own-answer");
    return [];
  }
  if (part.callId !== undefined) lose("response-call", "callId");
  loseShared(part, [], lose);
  const says = form === "message" && isProviders;
  return [
    restored(
      {
        type: "tool-approval-response",
        approvalId: part.requestId,
        approved: part.approved,
        ...(part.reason !== undefined && { reason: part.reason }),
        ...(says && { providerExecuted: true }),
      },
      part,
      modelFamily,
    ),
  ];
}

/** What was read of a model message goes back as it was; of the UI's own pieces only those of providers have a place. */
function encodeRaw(part: OpaquePart, { generation, lose }: PartWriting): readonly Json[] {
  if (part.family === modelFamily) return [part.value];
  const custom = part.family === uiFamily && generation >= 7 ? customOf(part.value) : undefined;
  if (custom) return [custom];
  lose("ui-part");
  return [];
}

function customOf(value: Json): JsonObject | undefined {
  if (!isJsonObject(value) || value["type"] !== "custom" || typeof value["kind"] !== "string") return undefined;
  const { providerMetadata, ...others } = value;
  return providerMetadata === undefined ? others : { ...others, providerOptions: providerMetadata };
}
