import { defined, fill } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";

const countOf = (wire: JsonObject, member: string): number | undefined => {
  const value = Object.hasOwn(wire, member) ? wire[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** Lists of counts by modality, and the side whose tokens they cut. */
const details = {
  promptTokensDetails: "input",
  candidatesTokensDetails: "output",
  cacheTokensDetails: "cacheRead",
  toolUsePromptTokensDetails: "toolUse",
} as const;
type DetailMember = keyof typeof details;
const detailMembers = Object.keys(details) as DetailMember[]; // the table has just these keys

/**
 * Exclusive buckets (R24): `promptTokenCount` has the cached tokens in it, `candidatesTokenCount` has no thoughts in it, and
 * what the provider's tools put into the prompt is beside both. What the total has more is `other`.
 */
export function readUsage(wire: JsonObject): Usage | undefined {
  const prompt = countOf(wire, "promptTokenCount");
  const output = countOf(wire, "candidatesTokenCount");
  if (prompt === undefined && output === undefined && countOf(wire, "totalTokenCount") === undefined) return undefined;
  const tools = countOf(wire, "toolUsePromptTokenCount");
  const cacheRead = countOf(wire, "cachedContentTokenCount");
  const reasoning = countOf(wire, "thoughtsTokenCount");
  const sent = (prompt ?? 0) + (tools ?? 0);
  const sum = sent + (output ?? 0) + (reasoning ?? 0);
  const total = countOf(wire, "totalTokenCount") ?? sum;
  const modalities = modalitiesOf(wire);
  return defined<Usage>({
    input: prompt === undefined && tools === undefined ? undefined : Math.max(0, sent - (cacheRead ?? 0)),
    cacheRead,
    output,
    reasoning,
    other: total > sum ? total - sum : undefined,
    modalities: Object.keys(modalities).length > 0 ? modalities : undefined,
  });
}

function modalitiesOf(wire: JsonObject): { [name: string]: number } {
  const counts: { [name: string]: number } = {};
  for (const member of detailMembers) {
    const list = wire[member];
    for (const each of Array.isArray(list) ? (list as readonly Json[]) : []) {
      // a list of JSON
      const { modality, tokenCount } = isJsonObject(each) ? each : {};
      if (typeof modality !== "string" || typeof tokenCount !== "number") continue;
      const name = `${details[member]}.${modality.toLowerCase()}`;
      counts[name] = (counts[name] ?? 0) + tokenCount;
    }
  }
  return counts;
}

/** The usage as the API says it. */
export function writeUsage(usage: Usage): JsonObject {
  const { input, cacheRead, cacheWrite, output, reasoning, other } = usage;
  const hasPrompt = input !== undefined || cacheRead !== undefined || cacheWrite !== undefined;
  const prompt = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return present({
    promptTokenCount: hasPrompt ? prompt : undefined,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    thoughtsTokenCount: reasoning,
    totalTokenCount: prompt + (output ?? 0) + (reasoning ?? 0) + (other ?? 0),
    ...detailsOf(usage),
  });
}

function detailsOf({ modalities = {} }: Usage): JsonObject {
  const lists: MutableJsonObject = {};
  for (const member of detailMembers) {
    const prefix = `${details[member]}.`;
    const list = Object.entries(modalities).flatMap(([name, tokenCount]) =>
      name.startsWith(prefix) ? [{ modality: name.slice(prefix.length).toUpperCase(), tokenCount }] : [],
    );
    if (list.length > 0) lists[member] = list;
  }
  return lists;
}

/** What must be kept beside the usage to write the wire object again: its other members, or all of it where it adds up otherwise. */
export function usageRemainder(wire: JsonObject, usage: Usage): JsonObject {
  const written = writeUsage(usage);
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(wire)) {
    if (!equalJson(wire[key], written[key])) setMember(rest, key, wire[key] ?? null);
  }
  if (!equalJson(fill(written, rest), wire)) return { $usage: wire };
  return Object.keys(rest).length > 0 ? { usage: rest } : {};
}

/** The usage object, with what was kept of the one it was read from (R1). */
export function restoredUsage(usage: Usage, { $usage: raw, usage: rest }: JsonObject): JsonObject {
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
