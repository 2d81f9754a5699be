import { type CountWords, readCounts, writeCounts } from "../../blocks/gemini/usage.ts";
import { wholeOf } from "../../codec/hints.ts";
import { fill, rowOf } from "../../codec/reader.ts";
import { usageRest, wholeUsage } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";

const words: CountWords = {
  members: [
    ["total", "total_tokens"],
    ["prompt", "total_input_tokens"],
    ["cacheRead", "total_cached_tokens"],
    ["output", "total_output_tokens"],
    ["reasoning", "total_thought_tokens"],
    ["tools", "total_tool_use_tokens"],
  ],
  details: [
    ["input_tokens_by_modality", "input"],
    ["cached_tokens_by_modality", "cacheRead"],
    ["output_tokens_by_modality", "output"],
    ["tool_use_tokens_by_modality", "toolUse"],
  ],
  tokens: "tokens",
  isUpper: false,
};

export const readUsage = (wire: JsonObject): Usage | undefined => readCounts(wire, words);

const writeUsage = (usage: Usage): JsonObject => writeCounts(usage, words);

/** What must be kept beside the usage to write the wire object again. */
export const usageRemainder = (wire: JsonObject, usage: Usage): JsonObject => {
  const rest = usageRest(wire, writeUsage(usage));
  return equalJson(restoredUsage(usage, rest), wire) ? rest : wholeUsage(wire, writeUsage(usage));
};

/** The usage object, with what was kept of the one it was read from (R1). */
export function restoredUsage(usage: Usage, hints: JsonObject): JsonObject {
  const raw = wholeOf(hints, "usage");
  const { usage: rest } = hints;
  if (isJsonObject(raw) && equalJson(readUsage(raw), usage)) return raw;
  const written = fill(writeUsage(usage), isJsonObject(rest) ? rest : undefined);
  // What was kept beside other counts says nothing of these.
  return equalJson(readUsage(written), usage) ? written : writeUsage(usage);
}

// finish

type Finish = NonNullable<Message["finish"]>;

const reasons: { readonly [status: string]: FinishReason } = {
  completed: "stop",
  requires_action: "tool-calls",
  incomplete: "length",
  budget_exceeded: "length",
  requires_continuation: "pause",
  failed: "error",
  cancelled: "aborted",
  in_progress: "pending",
  queued: "pending",
};

/** An answer with calls is completed on some models, and waits for their results all the same. */
const readReason = (status: string, hasCalls: boolean): FinishReason => {
  const reason = rowOf(reasons, status);
  return reason === "stop" && hasCalls ? "tool-calls" : (reason ?? "other");
};

const written: { readonly [reason in FinishReason]: string } = {
  stop: "completed",
  "stop-sequence": "completed",
  length: "incomplete",
  context: "incomplete",
  "tool-calls": "requires_action",
  refusal: "completed",
  "content-filter": "incomplete",
  pause: "requires_continuation",
  compaction: "completed",
  "malformed-call": "incomplete",
  error: "failed",
  aborted: "cancelled",
  incomplete: "incomplete",
  pending: "in_progress",
  other: "incomplete",
};

export function readFinish(status: string, hasCalls: boolean): Finish {
  const reason = readReason(status, hasCalls);
  return written[reason] === status ? { reason } : { reason, raw: status };
}

export const writeFinish = ({ reason, raw }: Finish, hasCalls: boolean): string =>
  raw !== undefined && readReason(raw, hasCalls) === reason ? raw : written[reason];

/** Whether nothing more comes of an answer of this status. */
export const isOver = (status: Json | undefined): boolean =>
  typeof status === "string" && status !== "" && rowOf(reasons, status) !== "pending";

export const hasCalls = (parts: readonly Part[]): boolean =>
  parts.some(part => part.type === "tool-call" && !part.executedBy);
