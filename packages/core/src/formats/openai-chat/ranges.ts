import type { RangeRow } from "../../codec/setting-ranges.ts";

/** What OpenAI's Chat API takes of settings; other hosts have ranges of their own. */
export const ranges = {
  within: {
    temperature: { least: 0, most: 2 },
    topP: { least: 0, most: 1 },
    frequencyPenalty: { least: -2, most: 2 },
    presencePenalty: { least: -2, most: 2 },
    stopSequences: { most: 4 },
  },
  source: "openapi.yaml of openai/openai-openapi, 2026-08-21; report continuedev/continue#2461 (stop)",
  date: "2026-11-30",
} as const satisfies RangeRow;
