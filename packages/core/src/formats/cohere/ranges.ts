import type { RangeRow } from "../../codec/setting-ranges.ts";

/** What Cohere takes of settings. */
export const ranges = {
  within: {
    temperature: { least: 0 },
    topP: { least: 0.01, most: 0.99 },
    topK: { least: 0, most: 500 },
    frequencyPenalty: { least: 0, most: 1 },
    presencePenalty: { least: 0, most: 1 },
    stopSequences: { most: 5 },
  },
  source: "doc comments of cohere-ai 8.1.0; reports vertesia/llumiverse#23 (p)",
  date: "2026-11-30",
} as const satisfies RangeRow;
