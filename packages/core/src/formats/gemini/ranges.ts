import type { RangeRow } from "../../codec/setting-ranges.ts";

/** What Google's API takes of settings. */
export const ranges = {
  within: { temperature: { least: 0, most: 2 }, topP: { least: 0, most: 1 }, stopSequences: { most: 5 } },
  source:
    "doc comments of @google/genai 3.1.0 (temperature), reports continuedev/continue#2702 and #7849 (stops), langchain-ai/langchainjs#3008 (topP)",
  date: "2026-11-30",
} as const satisfies RangeRow;
