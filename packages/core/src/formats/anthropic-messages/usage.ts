import { wholeOf } from "../../codec/hints.ts";
import { defined, fill, rowOf } from "../../codec/reader.ts";
import { present, usageRest } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

const countOf = (holder: Json | undefined, member: string): number | undefined => {
  const value = isJsonObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** Exclusive buckets (R24): what was cached is beside the input on this wire, thinking inside of the output. */
export function readUsage(wire: JsonObject): Usage | undefined {
  const [input, made] = [countOf(wire, "input_tokens"), countOf(wire, "output_tokens")];
  if (input === undefined && made === undefined) return undefined;
  const thought = countOf(wire["output_tokens_details"], "thinking_tokens");
  const reasoning = thought !== undefined && thought <= (made ?? 0) ? thought : undefined;
  return defined<Usage>({
    input,
    cacheRead: countOf(wire, "cache_read_input_tokens"),
    cacheWrite: countOf(wire, "cache_creation_input_tokens"),
    output: made === undefined ? undefined : made - (reasoning ?? 0),
    reasoning,
  });
}

/** The usage object as Anthropic writes it. */
export function writeUsage(usage: Usage): JsonObject {
  const { input, cacheRead, cacheWrite, output, reasoning } = usage;
  return present({
    input_tokens: input ?? 0,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: (output ?? 0) + (reasoning ?? 0),
    output_tokens_details: reasoning === undefined ? undefined : { thinking_tokens: reasoning },
  });
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

const reasons: { readonly [stop: string]: FinishReason } = {
  end_turn: "stop",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context",
  tool_use: "tool-calls",
  refusal: "refusal",
  pause_turn: "pause",
  compaction: "compaction",
};

export const readFinish = (stop: string): Finish => {
  const reason = rowOf(reasons, stop);
  return reason ? { reason } : { reason: "other", raw: stop };
};

const stops = new Map(Object.entries(reasons).map(([stop, reason]) => [reason, stop]));

/** The word for how an answer ended; null = the wire has none. */
export function writeFinish({ reason, raw }: Finish): string | null {
  if (reason === "content-filter") return "refusal";
  if (reason === "other" && raw !== undefined) return raw;
  return stops.get(reason) ?? null;
}
