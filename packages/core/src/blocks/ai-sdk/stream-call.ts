/** A call of a stream, and what the AI SDK's chunks say of it. */

import type { At } from "../../model/events.ts";
import { equalJson, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { PartOf, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { family, remainderOf } from "./part.ts";

/** A call that goes out as it comes, and what is known of it. */
export interface CallOut {
  readonly at: At;
  value: ToolCallPart;
  /** The text of its arguments so far. */
  readonly text: string[];
  isStarted: boolean;
  isOpen: boolean;
  isAvailable: boolean;
  hasOutput: boolean;
  /** Its arguments went out with their error: its readers have no value of them. */
  isFailed?: boolean;
  /** What was sent of it beside its arguments. */
  sent: JsonObject;
  /** `sent`: as a question of the SDK's, or as data. */
  request?: { readonly at: At; readonly part: PartOf<"approval-request">; sent?: "chunk" | "data" };
  response?: { readonly at: At; readonly part: PartOf<"approval-response"> };
}

export const newCall = (at: At, value: ToolCallPart): CallOut => ({
  at,
  value,
  text: [],
  isStarted: false,
  isOpen: true,
  isAvailable: false,
  hasOutput: false,
  sent: {},
});

/** The call with the arguments that its text says, where none were given as such (R7). */
export function withInput(call: ToolCallPart, text: string): ToolCallPart {
  if (call.input !== undefined || text === "") return call;
  const { inputText = text, ...others } = call;
  return { ...others, ...readInput(inputText, call.kind) };
}

/** The call as a stream has it: what an older generation stored in later words goes out in its own. */
export function plain(call: ToolCallPart): ToolCallPart {
  const own = call.native?.[family];
  if (own?.["$late"] === undefined) return call;
  const { $late: _, ...others } = own;
  return { ...call, native: { ...call.native, [family]: others } };
}

/** What chunks say of a call. */
export const callMembers = [
  "type",
  "toolName",
  "toolCallId",
  "state",
  "input",
  "rawInput",
  "inputEncoding",
  "title",
  "toolMetadata",
  "providerExecuted",
  "callProviderMetadata",
  "errorText",
];

export const openMembersOfOld = ["type", "toolName", "toolCallId", "state", "input", "rawInput", "providerExecuted"];

/** The text that stands for the arguments of an open call. */
export function openText(call: ToolCallPart): string | undefined {
  if (call.inputText !== undefined) return call.inputText;
  if (call.input === undefined) return undefined;
  return call.kind === "custom" && typeof call.input === "string" ? call.input : jsonTextOf(call, "input");
}

/** Whether nothing but what a result can still bring is new. */
export const isSameBut = (before: ToolCallPart, { native: _, ...now }: ToolCallPart): boolean => {
  const { native: __, ...then } = before;
  return equalJson(then, now);
};

export const isDynamic = (call: ToolCallPart): boolean => remainderOf(call)["$dynamic"] === true;

export function named(wire: JsonObject, toolName: string): JsonObject {
  return { toolName, ...(wire["type"] === "dynamic-tool" && { dynamic: true }) };
}

/** What chunks say of a call beside its name and arguments. */
export function about(wire: JsonObject): JsonObject {
  const { providerExecuted, callProviderMetadata: providerMetadata, title, toolMetadata } = wire;
  return {
    ...(providerExecuted !== undefined && { providerExecuted }),
    ...(providerMetadata !== undefined && { providerMetadata }),
    ...(title !== undefined && { title }),
    ...(toolMetadata !== undefined && { toolMetadata }),
  };
}
