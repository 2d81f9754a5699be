/** Names and values of the conventions: https://github.com/open-telemetry/semantic-conventions-genai, 0.1.0, read 2026-11-30. */

import type { Message, Settings, Usage } from "translogue";
import type { Finish } from "../response.ts";

export type Attributes = Record<string, string | number | boolean | string[]>;

/** An attribute, where it has a value. */
export const attribute = (name: string, value: string | number | boolean | string[] | undefined): Attributes =>
  value === undefined ? {} : { [name]: value };

/** Providers whose name the conventions spell otherwise than we do. */
const providers: ReadonlyMap<string, string> = new Map([
  ["azure", "azure.ai.openai"],
  ["bedrock", "aws.bedrock"],
  ["google", "gcp.gemini"],
  ["google-interactions", "gcp.gemini"],
  ["mistral", "mistral_ai"],
  ["moonshot", "moonshot_ai"],
  ["openai-responses", "openai"],
  ["vertex", "gcp.vertex_ai"],
  ["xai", "x_ai"],
]);

export const providerName = (provider: string): string => providers.get(provider) ?? provider;

export function settingAttributes(settings: Settings = {}): Attributes {
  const { responseFormat, stopSequences, reasoning } = settings;
  return {
    ...attribute("gen_ai.output.type", responseFormat?.type),
    ...attribute("gen_ai.request.frequency_penalty", settings.frequencyPenalty),
    ...attribute("gen_ai.request.max_tokens", settings.maxOutputTokens),
    ...attribute("gen_ai.request.presence_penalty", settings.presencePenalty),
    ...attribute("gen_ai.request.reasoning.level", reasoning?.effort),
    ...attribute("gen_ai.request.seed", settings.seed),
    ...attribute("gen_ai.request.stop_sequences", stopSequences && [...stopSequences]),
    ...attribute("gen_ai.request.temperature", settings.temperature),
    ...attribute("gen_ai.request.top_k", settings.topK),
    ...attribute("gen_ai.request.top_p", settings.topP),
  };
}

export function answerAttributes(answer: readonly Message[]): Attributes {
  const { model, responseId, finish } = answer.at(-1) ?? {};
  return {
    ...attribute("gen_ai.response.id", responseId),
    ...attribute("gen_ai.response.model", model),
    "gen_ai.response.finish_reasons": [finish?.reason ?? "incomplete"],
  };
}

/** The conventions' counts: their input holds what was read from and written to a cache, their output the reasoning. */
export function tokenCounts(usage: Usage = {}): ReadonlyMap<string, number> {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  const sum = (...counts: readonly (number | undefined)[]): number | undefined => {
    const known = counts.filter(count => count !== undefined);
    return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
  };
  const counts: readonly (readonly [name: string, count: number | undefined])[] = [
    ["input_tokens", sum(input, cacheRead, cacheWrite)],
    ["output_tokens", sum(output, reasoning)],
    ["cache_read.input_tokens", cacheRead],
    ["cache_write.input_tokens", cacheWrite],
    ["reasoning.output_tokens", reasoning],
  ];
  return new Map(counts.flatMap(([name, count]) => (count === undefined ? [] : [[name, count] as const])));
}

export const usageAttributes = (usage: Usage | undefined): Attributes =>
  Object.fromEntries([...tokenCounts(usage)].map(([name, count]) => [`gen_ai.usage.${name}`, count]));

/** How a run ended, where that is no error: it waits for someone, was stopped or blocked, met a limit. */
export function outcomeOf(finish: Finish | undefined): string {
  switch (finish?.reason) {
    case "tool-calls":
      return "paused";
    case "aborted":
      return "aborted";
    case "content-filter":
      return "blocked";
    case "error":
      return "failed";
    case "other":
      return finish.raw ?? "other";
    default:
      return "finished";
  }
}
