import type { RangeRow } from "../../codec/setting-ranges.ts";

/** What Anthropic's API takes of settings. */
export const ranges = {
  within: { temperature: { least: 0, most: 1 }, topP: { least: 0, most: 1 } },
  source: "the maker's answers in anthropics/anthropic-sdk-python#893 (temperature), -typescript#484 (top_p)",
  date: "2026-11-30",
} as const satisfies RangeRow;
