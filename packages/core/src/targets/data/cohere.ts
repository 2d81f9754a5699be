import type { Target } from "../target.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const types = {
  source: "types of cohere-ai's v2 API, and accepted requests (pydantic-ai's recorded tests)",
  date: "2026-11-30",
} as const;

export const cohere: Target = {
  id: "cohere",
  title: "Cohere v2",
  turns: "messages",
  system: "among",
  counts: "results",
  format: "cohere",
  rules: {
    ...everyHost,
    ...unpackedIds,
    "calls-answered": { within: "next-turn", ...types },
    "results-called": { among: "turn-before", ...types },
    "results-once": types,
    "setting-ranges": {
      within: {
        temperature: { least: 0 },
        topP: { least: 0.01, most: 0.99 },
        topK: { least: 0, most: 500 },
        frequencyPenalty: { least: 0, most: 1 },
        presencePenalty: { least: 0, most: 1 },
        stopSequences: { most: 5 },
      },
      ...types,
    },
    roles: { allowed: ["system", "developer", "user", "assistant", "tool"], ...types },
    media: { user: ["image/"], assistant: [], result: [], ...types },
    "message-name": { ...types, severity: "warning" },
    "seals-at-home": { makers: [], ...types, severity: "warning" },
  },
};
