/** `UsageDetails` ↔ exclusive buckets (R24). */

import { defined } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import type { Usage } from "../../model/conversation.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";

const modalities: { readonly [name: string]: string } = {
  "input.audio": "inputAudioTokenCount",
  "input.text": "inputTextTokenCount",
  "output.audio": "outputAudioTokenCount",
  "output.text": "outputTextTokenCount",
};

/** Where .NET's OpenAI client notes what became of a prediction. */
const predictions: { readonly [name: string]: string } = {
  "output.accepted_prediction": "OutputTokenDetails.AcceptedPredictionTokenCount",
  "output.rejected_prediction": "OutputTokenDetails.RejectedPredictionTokenCount",
};

/** Where .NET's Anthropic client notes what was written to the cache; it counts it as input too. */
const cacheWriteCount = "CacheCreationInputTokens";

const countOf = (details: JsonObject, name: string): number | undefined => {
  const count = Object.hasOwn(details, name) ? details[name] : undefined;
  return typeof count === "number" ? count : undefined;
};

/** What the counts say. .NET's input holds what came from the cache, its output the reasoning. */
export function readUsage(details: JsonObject): Usage {
  const input = countOf(details, "inputTokenCount");
  const output = countOf(details, "outputTokenCount");
  const total = countOf(details, "totalTokenCount");
  const cacheRead = countOf(details, "cachedInputTokenCount");
  const reasoning = countOf(details, "reasoningTokenCount");
  const additional = isJsonObject(details["additionalCounts"]) ? details["additionalCounts"] : {};
  const cacheWrite = countOf(additional, cacheWriteCount);
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isReasoningBeside = (reasoning ?? 0) > (output ?? 0); // some hosts count it apart
  const made = isReasoningBeside ? output : output === undefined ? undefined : output - (reasoning ?? 0);
  const sum = Math.max(input ?? 0, cached) + (made ?? 0) + (reasoning ?? 0);
  const cuts = [...cutsOf(details, modalities), ...cutsOf(additional, predictions)];
  return defined<Usage>({
    input: input === undefined ? undefined : Math.max(input - cached, 0),
    cacheRead,
    cacheWrite,
    output: made,
    reasoning,
    other: total !== undefined && total > sum ? total - sum : undefined,
    modalities: cuts.length > 0 ? Object.fromEntries(cuts) : undefined,
  });
}

const cutsOf = (counts: JsonObject, table: { readonly [name: string]: string }): (readonly [string, number])[] =>
  Object.entries(table).flatMap(([name, member]) => {
    const count = countOf(counts, member);
    return count === undefined ? [] : [[name, count]];
  });

/** The counts that say this usage. */
export function writeUsage(usage: Usage): JsonObject {
  const { input, cacheRead, cacheWrite, output, reasoning, other } = usage;
  const sent = sumOf(input, cacheRead, cacheWrite);
  const made = sumOf(output, reasoning);
  const additional = present({ [cacheWriteCount]: cacheWrite, ...writeCuts(usage, predictions) });
  return present({
    inputTokenCount: sent,
    outputTokenCount: made,
    totalTokenCount: sumOf(sent, made, other),
    cachedInputTokenCount: cacheRead,
    reasoningTokenCount: reasoning,
    ...writeCuts(usage, modalities),
    additionalCounts: Object.keys(additional).length > 0 ? additional : undefined,
  });
}

const writeCuts = (usage: Usage, table: { readonly [name: string]: string }): { [name: string]: number | undefined } =>
  Object.fromEntries(Object.entries(table).map(([name, member]) => [member, usage.modalities?.[name]]));

function sumOf(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter(count => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

/** The usage of several answers, or of one whose counts came in pieces. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = (name: "input" | "cacheRead" | "cacheWrite" | "output" | "reasoning" | "other") =>
    sumOf(a[name], b[name]);
  const names = Object.keys({ ...a.modalities, ...b.modalities });
  const cuts = names.map(name => [name, (a.modalities?.[name] ?? 0) + (b.modalities?.[name] ?? 0)] as const);
  return defined<Usage>({
    input: sum("input"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
    output: sum("output"),
    reasoning: sum("reasoning"),
    other: sum("other"),
    modalities: cuts.length > 0 ? Object.fromEntries(cuts) : undefined,
  });
}
