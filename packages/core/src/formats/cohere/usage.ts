import { wholeOf } from "../../codec/hints.ts";
import { defined, fill, rowOf } from "../../codec/reader.ts";
import { present, usageRest } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

const countOf = (holder: Json | undefined, member: string): number | undefined => {
  const value = isJsonObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/**
 * Exclusive buckets (R24) of `tokens`, which has what the cache gave in it; `billed_units` is another count, and only
 * counts where it is the only one.
 */
export function readUsage(wire: JsonObject): Usage | undefined {
  const counts = isJsonObject(wire["tokens"]) ? wire["tokens"] : wire["billed_units"];
  const input = countOf(counts, "input_tokens");
  const output = countOf(counts, "output_tokens");
  const cacheRead = countOf(wire, "cached_tokens");
  if (input === undefined && output === undefined && cacheRead === undefined) return undefined;
  const isInside = cacheRead !== undefined && input !== undefined && cacheRead <= input;
  return defined<Usage>({ input: isInside ? input - cacheRead : input, cacheRead, output });
}

/** The usage object as the API says it. */
export function writeUsage({ input, cacheRead, cacheWrite, output, reasoning }: Usage): JsonObject {
  const hasInput = input !== undefined || cacheRead !== undefined || cacheWrite !== undefined;
  const hasOutput = output !== undefined || reasoning !== undefined;
  const tokens = present({
    input_tokens: hasInput ? (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0) : undefined,
    output_tokens: hasOutput ? (output ?? 0) + (reasoning ?? 0) : undefined,
  });
  return present({ tokens: hasInput || hasOutput ? tokens : undefined, cached_tokens: cacheRead });
}

export const usageRemainder = (wire: JsonObject, usage: Usage): JsonObject => usageRest(wire, writeUsage(usage));

/** The usage object, with what was kept of the one it was read from (R1). */
export function restoredUsage(usage: Usage, hints: JsonObject): JsonObject {
  const raw = wholeOf(hints, "usage");
  const { usage: rest } = hints;
  if (isJsonObject(raw) && equalJson(readUsage(raw), usage)) return raw;
  return fill(writeUsage(usage), isJsonObject(rest) ? rest : undefined);
}

// finish

type Finish = NonNullable<Message["finish"]>;

/** The last three are those of the first version, which some hosts still answer with. */
const reasons: { readonly [raw: string]: FinishReason } = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop-sequence",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool-calls",
  ERROR: "error",
  TIMEOUT: "error",
  ERROR_LIMIT: "context",
  ERROR_TOXIC: "content-filter",
  USER_CANCEL: "aborted",
};

const written: { readonly [reason in FinishReason]: string | undefined } = {
  stop: "COMPLETE",
  "stop-sequence": "STOP_SEQUENCE",
  length: "MAX_TOKENS",
  context: "MAX_TOKENS",
  "tool-calls": "TOOL_CALL",
  refusal: "COMPLETE",
  "content-filter": "ERROR",
  pause: "COMPLETE",
  compaction: "COMPLETE",
  "malformed-call": "ERROR",
  error: "ERROR",
  aborted: undefined,
  incomplete: undefined,
  pending: undefined,
  other: "COMPLETE",
};

export function readFinish(raw: string): Finish {
  const reason = rowOf(reasons, raw) ?? "other";
  return written[reason] === raw ? { reason } : { reason, raw };
}

/** Undefined = no end is told, as in a stream that was cut. `own`: a word of ours that the table does not have. */
export function writeFinish({ reason, raw }: Finish, own: Json | undefined): string | undefined {
  if (raw !== undefined && rowOf(reasons, raw) === reason) return raw;
  return reason === "other" && raw !== undefined && raw === own ? raw : written[reason];
}
