/** Tokens of an answer, as the AI SDK counts them: three forms of one count. */

import { wholeOf } from "../../codec/hints.ts";
import { defined, fill } from "../../codec/reader.ts";
import { present, wholeUsage } from "../../codec/remainder.ts";
import type { Usage } from "../../model/conversation.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";

/**
 * flat: `LanguageModelV2` and `ai` 5; nested: `LanguageModelV3` and `V4`; detailed: `ai` 7, and with the flat members beside
 * them `ai` 6.
 */
export type UsageForm = "flat" | "nested" | "detailed" | "both";

type Count = number | undefined;

const countOf = (holder: Json | undefined, member: string): Count => {
  const value = isJsonObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

interface Counts {
  readonly sent: Count;
  readonly made: Count;
  readonly total: Count;
  readonly fresh: Count;
  readonly cacheRead: Count;
  readonly cacheWrite: Count;
  readonly text: Count;
  readonly reasoning: Count;
}

function countsOf(wire: JsonObject, form: UsageForm): Counts {
  if (form === "nested") {
    const { inputTokens: input, outputTokens: output } = wire;
    return {
      sent: countOf(input, "total"),
      made: countOf(output, "total"),
      total: undefined,
      fresh: countOf(input, "noCache"),
      cacheRead: countOf(input, "cacheRead"),
      cacheWrite: countOf(input, "cacheWrite"),
      text: countOf(output, "text"),
      reasoning: countOf(output, "reasoning"),
    };
  }
  const { inputTokenDetails: input, outputTokenDetails: output } = wire;
  return {
    sent: countOf(wire, "inputTokens"),
    made: countOf(wire, "outputTokens"),
    total: countOf(wire, "totalTokens"),
    fresh: countOf(input, "noCacheTokens"),
    cacheRead: countOf(input, "cacheReadTokens") ?? countOf(wire, "cachedInputTokens"),
    cacheWrite: countOf(input, "cacheWriteTokens"),
    text: countOf(output, "textTokens"),
    reasoning: countOf(output, "reasoningTokens") ?? countOf(wire, "reasoningTokens"),
  };
}

/** Exclusive buckets (R24): cached tokens are inside of the input and reasoning inside of the output, unless they are more. */
export function readUsage(wire: JsonObject, form: UsageForm): Usage | undefined {
  const { sent, made, total, fresh, cacheRead, cacheWrite, text, reasoning } = countsOf(wire, form);
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const input = fresh ?? (sent === undefined ? undefined : Math.max(sent - cached, 0) + (cached > sent ? sent : 0));
  const thought = reasoning ?? 0;
  const output = text ?? (made === undefined ? undefined : thought > made ? made : made - thought);
  const known = (sent ?? (input ?? 0) + cached) + (made ?? (output ?? 0) + thought);
  const usage = defined<Usage>({
    input,
    cacheRead,
    cacheWrite,
    output,
    reasoning,
    other: total !== undefined && total > known ? total - known : undefined,
  });
  return Object.keys(usage).length > 0 ? usage : undefined;
}

const sum = (...counts: readonly Count[]): Count =>
  counts.every(count => count === undefined) ? undefined : counts.reduce<number>((all, count) => all + (count ?? 0), 0);

export function writeUsage(usage: Usage, form: UsageForm): JsonObject {
  const { input, cacheRead, cacheWrite, output, reasoning, other } = usage;
  const sent = sum(input, cacheRead, cacheWrite);
  const made = sum(output, reasoning);
  if (form === "nested") {
    return {
      inputTokens: present({ total: sent, noCache: input, cacheRead, cacheWrite }),
      outputTokens: present({ total: made, text: output, reasoning }),
    };
  }
  const flat = form === "detailed" ? {} : { reasoningTokens: reasoning, cachedInputTokens: cacheRead };
  const details = {
    inputTokenDetails: present({ noCacheTokens: input, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite }),
    outputTokenDetails: present({ textTokens: output, reasoningTokens: reasoning }),
  };
  return present({
    inputTokens: sent,
    outputTokens: made,
    totalTokens: sum(sent, made, other),
    ...flat,
    ...(form === "flat" ? {} : details),
  });
}

/** What must be kept to write the wire object again: its other members, or all of it where it adds up otherwise (R1). */
export function usageHints(wire: JsonObject, usage: Usage, form: UsageForm): JsonObject {
  const written = writeUsage(usage, form);
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(wire)) {
    if (!Object.hasOwn(written, key)) setMember(rest, key, wire[key] ?? null);
  }
  if (!equalJson(fill(written, rest), wire)) return wholeUsage(wire, written);
  return Object.keys(rest).length > 0 ? { usage: rest } : {};
}

/** The wire object, with what was kept of the one it was read from. */
export function restoredUsage(usage: Usage, own: JsonObject, form: UsageForm): JsonObject {
  const raw = wholeOf(own, "usage");
  const { usage: rest } = own;
  if (isJsonObject(raw) && equalJson(readUsage(raw, form), usage)) return raw;
  return fill(writeUsage(usage, form), isJsonObject(rest) ? rest : undefined);
}

const counts = ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other"] as const satisfies (keyof Usage)[];

/** What two answers took together. */
export function addUsage(total: Usage | undefined, usage: Usage): Usage {
  const added: { -readonly [Bucket in keyof Usage]: Usage[Bucket] } = { ...total };
  for (const bucket of counts) {
    const count = sum(total?.[bucket], usage[bucket]);
    if (count !== undefined) added[bucket] = count;
  }
  return added;
}
