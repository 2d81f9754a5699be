import { asObject } from "../../blocks/bedrock-converse/node.ts";
import { wholeOf } from "../../codec/hints.ts";
import { defined, fill, rowOf } from "../../codec/reader.ts";
import { present, usageRest } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

const countOf = (wire: JsonObject, member: string): number | undefined => {
  const value = Object.hasOwn(wire, member) ? wire[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** Exclusive buckets (R24): what was cached is beside the input on this wire. What the total has more is `other`. */
export function readUsage(wire: JsonObject): Usage | undefined {
  const [input, output] = [countOf(wire, "inputTokens"), countOf(wire, "outputTokens")];
  const total = countOf(wire, "totalTokens");
  if (input === undefined && output === undefined && total === undefined) return undefined;
  const cacheRead = countOf(wire, "cacheReadInputTokens") ?? countOf(wire, "cacheReadInputTokenCount");
  const cacheWrite = countOf(wire, "cacheWriteInputTokens") ?? countOf(wire, "cacheWriteInputTokenCount");
  const rest = (total ?? 0) - (input ?? 0) - (output ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0);
  return defined<Usage>({ input, cacheRead, cacheWrite, output, other: rest > 0 ? rest : undefined });
}

/** The usage object as Bedrock writes it. */
export function writeUsage({
  input = 0,
  cacheRead,
  cacheWrite,
  output = 0,
  reasoning = 0,
  other = 0,
}: Usage): JsonObject {
  return present({
    inputTokens: input,
    outputTokens: output + reasoning,
    totalTokens: input + (cacheRead ?? 0) + (cacheWrite ?? 0) + output + reasoning + other,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  });
}

export const usageRemainder = (wire: JsonObject, usage: Usage): JsonObject => usageRest(wire, writeUsage(usage));

/** The usage object, with what was kept of the one it was read from (R1). */
export function restoredUsage(usage: Usage, hints: JsonObject): JsonObject {
  const raw = wholeOf(hints, "usage");
  const { usage: rest } = hints;
  if (isJsonObject(raw) && equalJson(readUsage(raw), usage)) return raw;
  return fill(writeUsage(usage), asObject(rest));
}

// finish

type Finish = NonNullable<Message["finish"]>;

/** Of several words for one reason, the first is the usual one. */
const reasons: { readonly [stop: string]: FinishReason } = {
  end_turn: "stop",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context",
  tool_use: "tool-calls",
  content_filtered: "content-filter",
  guardrail_intervened: "content-filter",
  malformed_tool_use: "malformed-call",
  malformed_model_output: "malformed-call",
};

const stops = new Map(
  Object.entries(reasons)
    .reverse()
    .map(([stop, reason]) => [reason, stop]),
);

export const readFinish = (stop: string): Finish => {
  const reason = rowOf(reasons, stop);
  if (reason === undefined) return { reason: "other", raw: stop };
  return stops.get(reason) === stop ? { reason } : { reason, raw: stop };
};

/** For what the wire has no word, the nearest one: no failure is said to be a success. */
const nearest: { readonly [reason in FinishReason]?: string } = {
  refusal: "content_filtered",
  error: "malformed_model_output",
  aborted: "max_tokens",
  incomplete: "max_tokens",
  pending: "max_tokens",
};

/** The word for how an answer ended. `own`: one of Bedrock's that the table does not have. */
export function writeFinish({ reason, raw }: Finish, own: Json | undefined): string {
  if (raw !== undefined && rowOf(reasons, raw) === reason) return raw;
  if (reason === "other" && raw !== undefined && raw === own) return raw;
  return stops.get(reason) ?? nearest[reason] ?? "end_turn";
}
