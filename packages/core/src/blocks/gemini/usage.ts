/** Counts of tokens: the APIs of the family count in the same way, under names of their own. */

import { defined } from "../../codec/reader.ts";
import type { Usage } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";

type Count = "prompt" | "cacheRead" | "output" | "reasoning" | "tools" | "total";

export interface CountWords {
  /** The member of each count, in the API's order. */
  readonly members: readonly (readonly [count: Count, member: string])[];
  /** Lists of counts by modality, and the side whose tokens they cut. */
  readonly details: readonly (readonly [member: string, side: string])[];
  /** The member of a modality's count. */
  readonly tokens: string;
  /** Whether modalities are written in capitals. */
  readonly isUpper: boolean;
}

/**
 * Exclusive buckets (R24): the prompt has the cached tokens in it, the output has no thoughts in it, and what the provider's
 * tools put into the prompt is beside both (the recorded totals add up so). What the total has more is `other`.
 */
export function readCounts(wire: JsonObject, words: CountWords): Usage | undefined {
  const { prompt, cacheRead, output, reasoning, tools, total } = countsOf(wire, words);
  if (prompt === undefined && output === undefined && total === undefined) return undefined;
  const sent = (prompt ?? 0) + (tools ?? 0);
  const sum = sent + (output ?? 0) + (reasoning ?? 0);
  const modalities = modalitiesOf(wire, words);
  return defined<Usage>({
    input: prompt === undefined && tools === undefined ? undefined : Math.max(0, sent - (cacheRead ?? 0)),
    cacheRead,
    output,
    reasoning,
    other: total !== undefined && total > sum ? total - sum : undefined,
    modalities: Object.keys(modalities).length > 0 ? modalities : undefined,
  });
}

function countsOf(wire: JsonObject, { members }: CountWords): { readonly [count in Count]?: number } {
  const counts: { [count in Count]?: number } = {};
  for (const [count, member] of members) {
    const value = Object.hasOwn(wire, member) ? wire[member] : undefined;
    if (typeof value === "number" && Number.isFinite(value)) counts[count] = value;
  }
  return counts;
}

function modalitiesOf(wire: JsonObject, { details, tokens, isUpper }: CountWords): { [name: string]: number } {
  const counts: { [name: string]: number } = {};
  for (const [member, side] of details) {
    const list = wire[member];
    for (const each of Array.isArray(list) ? (list as readonly Json[]) : []) {
      // a list of JSON
      const { modality, [tokens]: count } = isJsonObject(each) ? each : {};
      if (typeof modality !== "string" || typeof count !== "number") continue;
      const name = `${side}.${isUpper ? modality.toLowerCase() : modality}`;
      counts[name] = (counts[name] ?? 0) + count;
    }
  }
  return counts;
}

/** The usage as the API says it. */
export function writeCounts(usage: Usage, words: CountWords): JsonObject {
  const { input, cacheRead, cacheWrite, output, reasoning, other } = usage;
  const hasPrompt = input !== undefined || cacheRead !== undefined || cacheWrite !== undefined;
  const prompt = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const total = prompt + (output ?? 0) + (reasoning ?? 0) + (other ?? 0);
  const counts: { readonly [count in Count]?: number | undefined } = {
    prompt: hasPrompt ? prompt : undefined,
    cacheRead,
    output,
    reasoning,
    total,
  };
  const wire: MutableJsonObject = {};
  for (const [count, member] of words.members) {
    const value = counts[count];
    if (value !== undefined) wire[member] = value;
  }
  return Object.assign(wire, detailsOf(usage, words));
}

function detailsOf({ modalities = {} }: Usage, { details, tokens, isUpper }: CountWords): JsonObject {
  const lists: MutableJsonObject = {};
  for (const [member, side] of details) {
    const prefix = `${side}.`;
    const list = Object.entries(modalities).flatMap(([name, count]) => {
      const modality = name.slice(prefix.length);
      return name.startsWith(prefix)
        ? [{ modality: isUpper ? modality.toUpperCase() : modality, [tokens]: count }]
        : [];
    });
    if (list.length > 0) lists[member] = list;
  }
  return lists;
}
