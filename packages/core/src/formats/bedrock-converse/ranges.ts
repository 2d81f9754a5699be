import type { RangeRow } from "../../codec/setting-ranges.ts";

/** What Bedrock takes of settings, whichever the model. */
export const ranges = {
  within: { temperature: { least: 0, most: 1 }, topP: { least: 0, most: 1 }, stopSequences: { most: 2500 } },
  source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html",
  date: "2026-11-30",
} as const satisfies RangeRow;
