import { defined, fill, rowOf } from "../../codec/reader.ts";
import { present, usageRest } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";

const countOf = (wire: JsonObject, member: string): number | undefined => {
  const value = Object.hasOwn(wire, member) ? wire[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** Lists of counts by modality, and the side whose tokens they cut. */
const details = {
  input_tokens_by_modality: "input",
  cached_tokens_by_modality: "cacheRead",
  output_tokens_by_modality: "output",
  tool_use_tokens_by_modality: "toolUse",
} as const;
type DetailMember = keyof typeof details;
const detailMembers = Object.keys(details) as DetailMember[]; // the table has just these keys

/**
 * Exclusive buckets (R24): the input has the cached tokens in it, the output has no thoughts in it, and what tools put into
 * the prompt is beside both (the recorded totals add up so). What the total has more is `other`.
 */
export function readUsage(wire: JsonObject): Usage | undefined {
  const prompt = countOf(wire, "total_input_tokens");
  const output = countOf(wire, "total_output_tokens");
  if (prompt === undefined && output === undefined && countOf(wire, "total_tokens") === undefined) return undefined;
  const tools = countOf(wire, "total_tool_use_tokens");
  const cacheRead = countOf(wire, "total_cached_tokens");
  const reasoning = countOf(wire, "total_thought_tokens");
  const sent = (prompt ?? 0) + (tools ?? 0);
  const sum = sent + (output ?? 0) + (reasoning ?? 0);
  const total = countOf(wire, "total_tokens") ?? sum;
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
      const { modality, tokens } = isJsonObject(each) ? each : {};
      if (typeof modality !== "string" || typeof tokens !== "number") continue;
      const name = `${details[member]}.${modality}`;
      counts[name] = (counts[name] ?? 0) + tokens;
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
    total_tokens: prompt + (output ?? 0) + (reasoning ?? 0) + (other ?? 0),
    total_input_tokens: hasPrompt ? prompt : undefined,
    total_cached_tokens: cacheRead,
    total_output_tokens: output,
    total_thought_tokens: reasoning,
    ...detailsOf(usage),
  });
}

function detailsOf({ modalities = {} }: Usage): JsonObject {
  const lists: MutableJsonObject = {};
  for (const member of detailMembers) {
    const prefix = `${details[member]}.`;
    const list = Object.entries(modalities).flatMap(([name, tokens]) =>
      name.startsWith(prefix) ? [{ modality: name.slice(prefix.length), tokens }] : [],
    );
    if (list.length > 0) lists[member] = list;
  }
  return lists;
}

/** What must be kept beside the usage to write the wire object again. */
export const usageRemainder = (wire: JsonObject, usage: Usage): JsonObject => {
  const rest = usageRest(wire, writeUsage(usage));
  return equalJson(restoredUsage(usage, rest), wire) ? rest : { $usage: wire };
};

/** The usage object, with what was kept of the one it was read from (R1). */
export function restoredUsage(usage: Usage, { $usage: raw, usage: rest }: JsonObject): JsonObject {
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
