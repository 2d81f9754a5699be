/** Token counts of OpenAI's Chat Completions wire and of the hosts that speak it. */

import { wholeOf } from "../../codec/hints.ts";
import { defined, fill } from "../../codec/reader.ts";
import { present, usageRest } from "../../codec/remainder.ts";
import type { Usage } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

type Count = number | undefined;

const countOf = (holder: JsonObject, member: string): Count => {
  const value = Object.hasOwn(holder, member) ? holder[member] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

const detailsOf = (usage: JsonObject, member: string): JsonObject => {
  const details = usage[member];
  return isJsonObject(details) ? details : {};
};

/** Where hosts count the tokens that a cache gave, beside the details: DeepSeek, Moonshot, Mistral (2026-11-30). */
const hitMembers = ["prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"] as const;

function firstCount(holder: JsonObject, members: readonly string[]): Count {
  for (const member of members) {
    const count = countOf(holder, member);
    if (count !== undefined) return count;
  }
  return undefined;
}

/** The counts, and which of them stand beside the sums. */
function sumsOf(wire: JsonObject) {
  const [prompt, completion] = [countOf(wire, "prompt_tokens"), countOf(wire, "completion_tokens")];
  const [input, output] = [detailsOf(wire, "prompt_tokens_details"), detailsOf(wire, "completion_tokens_details")];
  const cacheRead = countOf(input, "cached_tokens") ?? firstCount(wire, hitMembers);
  const cacheWrite = countOf(input, "cache_write_tokens");
  const reasoning = countOf(output, "reasoning_tokens") ?? countOf(wire, "reasoning_tokens");
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const [sent, made, thought] = [prompt ?? 0, completion ?? 0, reasoning ?? 0];
  const total = countOf(wire, "total_tokens");
  const isPlain = total === undefined || total === sent + made;
  const isCacheBeside = cached > sent || (!isPlain && cached > 0 && total === sent + cached + made);
  const isReasoningBeside = thought > made || (!isPlain && thought > 0 && total === sent + made + thought);
  const sum = sent + (isCacheBeside ? cached : 0) + made + (isReasoningBeside ? thought : 0);
  return {
    ...{ prompt, completion, input, output, cacheRead, cacheWrite, reasoning },
    ...{ cached, sent, made, thought, total, isCacheBeside, isReasoningBeside, sum },
  };
}

/**
 * Exclusive buckets (R24). The counts say themselves how a host adds up: cached tokens are inside of `prompt_tokens` and
 * reasoning inside of `completion_tokens`, unless the total comes out only with them beside (xAI's reasoning, 2026-11-30;
 * Portkey's cache). What then is still missing to the total is `other` (Gemini's thoughts).
 */
export function readUsage(wire: JsonObject): Usage | undefined {
  const sums = sumsOf(wire);
  const { prompt, completion } = sums;
  if (prompt === undefined && completion === undefined) return undefined;
  const { input, output, cacheRead, cacheWrite, reasoning, cached, thought, sent, made } = sums;
  const { total, isCacheBeside, isReasoningBeside, sum } = sums;
  const modalities = { ...modalitiesOf(input, "input"), ...modalitiesOf(output, "output") };
  const cost = countOf(wire, "cost");
  return defined<Usage>({
    input: prompt === undefined ? undefined : sent - (isCacheBeside ? 0 : cached),
    cacheRead,
    cacheWrite,
    output: completion === undefined ? undefined : made - (isReasoningBeside ? 0 : thought),
    reasoning,
    other: total !== undefined && total > sum ? total - sum : undefined,
    modalities: Object.keys(modalities).length > 0 ? modalities : undefined,
    cost: cost === undefined ? undefined : { amount: cost, currency: "USD" },
  });
}

export const exceeded = "a part of a count is more than the whole; it is counted beside it";

/** Whether parts of a count are more than it, although no total says that they stand beside it (R24). */
export function isExceeded(wire: JsonObject): boolean {
  const { total, cached, thought, isCacheBeside, isReasoningBeside, sum, sent, made } = sumsOf(wire);
  return total !== sum && ((isCacheBeside && cached > sent) || (isReasoningBeside && thought > made));
}

/** Cuts through the tokens of one side: by what they are of, and by what became of a prediction. */
const modalityMembers = ["audio", "image", "text", "video", "accepted_prediction", "rejected_prediction"] as const;

function modalitiesOf(details: JsonObject, side: string): { [name: string]: number } {
  const found = modalityMembers.flatMap(name => {
    const count = countOf(details, `${name}_tokens`);
    return count ? [[`${side}.${name}`, count] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The usage object as OpenAI writes it. */
export function writeUsage(usage: Usage): JsonObject {
  const { cacheRead, cacheWrite, reasoning, cost } = usage;
  const prompt = (usage.input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const completion = (usage.output ?? 0) + (reasoning ?? 0);
  const input = present({ cached_tokens: cacheRead, cache_write_tokens: cacheWrite, ...sideOf(usage, "input") });
  const output = present({ reasoning_tokens: reasoning, ...sideOf(usage, "output") });
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion + (usage.other ?? 0),
    ...(Object.keys(input).length > 0 && { prompt_tokens_details: input }),
    ...(Object.keys(output).length > 0 && { completion_tokens_details: output }),
    ...(cost?.currency === "USD" && { cost: cost.amount }),
  };
}

function sideOf({ modalities = {} }: Usage, side: string): { [member: string]: number } {
  const counts: { [member: string]: number } = {};
  for (const name of modalityMembers) {
    const count = modalities[`${side}.${name}`];
    if (count !== undefined) counts[`${name}_tokens`] = count;
  }
  return counts;
}

export const usageRemainder = (wire: JsonObject, usage: Usage): JsonObject => usageRest(wire, writeUsage(usage));

/** The usage object, with what was kept of the one it was read from (R1). */
export function restoredUsage(usage: Usage, remainder: { readonly [name: string]: Json }): JsonObject {
  const raw = wholeOf(remainder, "usage");
  const { usage: rest } = remainder;
  if (isJsonObject(raw) && equalJson(readUsage(raw), usage)) return raw;
  return fill(writeUsage(usage), isJsonObject(rest) ? rest : undefined);
}
