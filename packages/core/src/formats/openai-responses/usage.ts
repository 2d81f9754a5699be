import { wholeOf } from "../../codec/hints.ts";
import { defined, fill, rowOf } from "../../codec/reader.ts";
import { present, usageRest } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";

const countOf = (holder: Json | undefined, member: string): number | undefined => {
  const value = isJsonObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

export const exceeded = "a part of a count is more than the whole; it is counted beside it";

/** Whether parts of a count are more than it, although nothing says that they stand beside it (R24). */
export function isExceeded(wire: JsonObject): boolean {
  const { input_tokens_details: input, output_tokens_details: output } = wire;
  const [sent, made] = [countOf(wire, "input_tokens") ?? 0, countOf(wire, "output_tokens") ?? 0];
  const cached = (countOf(input, "cached_tokens") ?? 0) + (countOf(input, "cache_write_tokens") ?? 0);
  const reasoning = countOf(output, "reasoning_tokens") ?? 0;
  const beside = (cached > sent ? cached : 0) + (reasoning > made ? reasoning : 0);
  return beside > 0 && countOf(wire, "total_tokens") !== sent + made + beside;
}

/** Exclusive buckets (R24): cached tokens are inside of the input, reasoning inside of the output, unless they are more than it. */
export function readUsage(wire: JsonObject): Usage | undefined {
  const [sent, made] = [countOf(wire, "input_tokens"), countOf(wire, "output_tokens")];
  if (sent === undefined && made === undefined) return undefined;
  const { input_tokens_details: input, output_tokens_details: output } = wire;
  const [cacheRead, cacheWrite] = [countOf(input, "cached_tokens"), countOf(input, "cache_write_tokens")];
  const reasoning = countOf(output, "reasoning_tokens");
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isCacheBeside = cached > (sent ?? 0);
  const isReasoningBeside = (reasoning ?? 0) > (made ?? 0);
  const sum = (sent ?? 0) + (isCacheBeside ? cached : 0) + (made ?? 0) + (isReasoningBeside ? (reasoning ?? 0) : 0);
  const total = countOf(wire, "total_tokens");
  const cost = countOf(wire, "cost");
  return defined<Usage>({
    input: sent === undefined ? undefined : sent - (isCacheBeside ? 0 : cached),
    cacheRead,
    cacheWrite,
    output: made === undefined ? undefined : made - (isReasoningBeside ? 0 : (reasoning ?? 0)),
    reasoning,
    other: total !== undefined && total > sum ? total - sum : undefined,
    cost: cost === undefined ? undefined : { amount: cost, currency: "USD" },
  });
}

/** The usage object as OpenAI writes it; its details are not left out there. */
export function writeUsage(usage: Usage): JsonObject {
  const { cacheRead, cacheWrite, reasoning, cost } = usage;
  const sent = (usage.input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const made = (usage.output ?? 0) + (reasoning ?? 0);
  return {
    input_tokens: sent,
    input_tokens_details: present({ cached_tokens: cacheRead ?? 0, cache_write_tokens: cacheWrite }),
    output_tokens: made,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: sent + made + (usage.other ?? 0),
    ...(cost?.currency === "USD" && { cost: cost.amount }),
  };
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

/** What else tells how an answer ended. */
export interface FinishFacts {
  readonly hasCalls: boolean;
  readonly hasRefusal: boolean;
  /** Whether it is all that the answer came to. */
  readonly isCompaction: boolean;
}

export const factsOf = (parts: readonly Part[]): FinishFacts => ({
  hasCalls: parts.some(part => part.type === "tool-call" && !part.executedBy),
  hasRefusal: parts.some(part => part.type === "refusal"),
  isCompaction: parts.at(-1)?.type === "compaction",
});

/** A status, and why an answer is incomplete. */
export interface Ending {
  readonly status: string;
  readonly why?: string | undefined;
}

const incompleteReasons: { readonly [why: string]: FinishReason } = {
  max_output_tokens: "length",
  content_filter: "content-filter",
};
const statuses: { readonly [status: string]: FinishReason } = {
  failed: "error",
  in_progress: "pending",
  queued: "pending",
  cancelled: "aborted",
};

export const isKnownStatus = (status: string): boolean =>
  status === "completed" || status === "incomplete" || Object.hasOwn(statuses, status);

/** Completed means what the output says: calls, a refusal, a compaction at its end, or an answer. */
export function readFinish({ status, why }: Ending, facts: FinishFacts): Finish {
  if (status === "completed") {
    if (facts.hasCalls) return { reason: "tool-calls" };
    return { reason: facts.hasRefusal ? "refusal" : facts.isCompaction ? "compaction" : "stop" };
  }
  if (status === "incomplete") {
    if (why === undefined) return { reason: "incomplete" };
    const reason = rowOf(incompleteReasons, why);
    return reason ? { reason } : { reason: "other", raw: why };
  }
  const reason = rowOf(statuses, status);
  if (reason) return status === "queued" ? { reason, raw: status } : { reason };
  return { reason: "other", raw: status };
}

const endings: { readonly [reason in FinishReason]: Ending } = {
  stop: { status: "completed" },
  "stop-sequence": { status: "completed" },
  length: { status: "incomplete", why: "max_output_tokens" },
  context: { status: "incomplete", why: "max_output_tokens" },
  "tool-calls": { status: "completed" },
  refusal: { status: "completed" },
  "content-filter": { status: "incomplete", why: "content_filter" },
  pause: { status: "completed" },
  compaction: { status: "completed" },
  "malformed-call": { status: "incomplete" },
  error: { status: "failed" },
  aborted: { status: "cancelled" },
  incomplete: { status: "incomplete" },
  pending: { status: "in_progress" },
  other: { status: "completed" },
};

export function writeFinish({ reason, raw }: Finish): Ending {
  if (reason === "pending" && raw === "queued") return { status: raw };
  return reason === "other" && raw !== undefined ? { status: "incomplete", why: raw } : endings[reason];
}
