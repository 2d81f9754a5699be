import type { RangeRow } from "../../codec/setting-ranges.ts";

/** What Mistral takes of settings. */
export const ranges = {
  within: {
    temperature: { least: 0, most: 1.5 },
    topP: { least: 0, most: 1 },
    frequencyPenalty: { least: -2, most: 2 },
    presencePenalty: { least: -2, most: 2 },
  },
  source: "openapi.yaml of mistralai/platform-docs-public, 2026-08-21; report scottyeager/Pal#28",
  date: "2026-11-30",
} as const satisfies RangeRow;
