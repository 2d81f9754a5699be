import { type CountWords, readCounts, writeCounts } from "../../blocks/gemini/usage.ts";
import { wholeOf } from "../../codec/hints.ts";
import { fill } from "../../codec/reader.ts";
import { wholeUsage } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";

const words: CountWords = {
  members: [
    ["prompt", "promptTokenCount"],
    ["cacheRead", "cachedContentTokenCount"],
    ["output", "candidatesTokenCount"],
    ["reasoning", "thoughtsTokenCount"],
    ["tools", "toolUsePromptTokenCount"],
    ["total", "totalTokenCount"],
  ],
  details: [
    ["promptTokensDetails", "input"],
    ["candidatesTokensDetails", "output"],
    ["cacheTokensDetails", "cacheRead"],
    ["toolUsePromptTokensDetails", "toolUse"],
  ],
  tokens: "tokenCount",
  isUpper: true,
};

export const readUsage = (wire: JsonObject): Usage | undefined => readCounts(wire, words);

const writeUsage = (usage: Usage): JsonObject => writeCounts(usage, words);

/** What must be kept beside the usage to write the wire object again: its other members, or all of it where it adds up otherwise. */
export function usageRemainder(wire: JsonObject, usage: Usage): JsonObject {
  const written = writeUsage(usage);
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(wire)) {
    if (!equalJson(wire[key], written[key])) setMember(rest, key, wire[key] ?? null);
  }
  if (!equalJson(fill(written, rest), wire)) return wholeUsage(wire, written);
  return Object.keys(rest).length > 0 ? { usage: rest } : {};
}

/** The usage object, with what was kept of the one it was read from (R1). */
export function restoredUsage(usage: Usage, hints: JsonObject): JsonObject {
  const raw = wholeOf(hints, "usage");
  const { usage: rest } = hints;
  if (isJsonObject(raw) && equalJson(readUsage(raw), usage)) return raw;
  return fill(writeUsage(usage), isJsonObject(rest) ? rest : undefined);
}

// finish

const reasons: { readonly [raw: string]: FinishReason } = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "pause",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  MODEL_ARMOR: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
  MALFORMED_FUNCTION_CALL: "malformed-call",
  UNEXPECTED_TOOL_CALL: "malformed-call",
  MISSING_THOUGHT_SIGNATURE: "malformed-call",
};

/** Calls end with STOP too. */
export function readReason(raw: string, hasCalls: boolean): FinishReason {
  const reason = Object.hasOwn(reasons, raw) ? reasons[raw] : undefined;
  return reason === "stop" && hasCalls ? "tool-calls" : (reason ?? "other");
}

const written: { readonly [reason in FinishReason]: string | undefined } = {
  stop: "STOP",
  "stop-sequence": "STOP",
  length: "MAX_TOKENS",
  context: "MAX_TOKENS",
  "tool-calls": "STOP",
  refusal: "SAFETY",
  "content-filter": "SAFETY",
  pause: "CONTINUATION",
  compaction: "STOP",
  "malformed-call": "MALFORMED_FUNCTION_CALL",
  error: "OTHER",
  aborted: undefined,
  incomplete: undefined,
  pending: undefined,
  other: "OTHER",
};

type Finish = NonNullable<Message["finish"]>;

export function readFinish(raw: string, hasCalls: boolean): Finish {
  const reason = readReason(raw, hasCalls);
  return written[reason] === raw ? { reason } : { reason, raw };
}

/** Undefined = no end is told, as in a stream that was cut. */
export const writeFinish = ({ reason, raw }: Finish, hasCalls: boolean): string | undefined =>
  raw !== undefined && readReason(raw, hasCalls) === reason ? raw : written[reason];
