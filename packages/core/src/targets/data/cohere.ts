import { ranges } from "../../formats/cohere/ranges.ts";
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
    "tool-choice": {
      free: ["auto", "none"],
      source: "doc comments of cohere-ai's v2 API: with REQUIRED tools must be passed",
      date: types.date,
    },
    "setting-ranges": ranges,
    roles: { allowed: ["system", "developer", "user", "assistant", "tool"], ...types },
    media: { user: ["image/"], assistant: [], result: [], ...types },
    "message-name": { ...types, severity: "warning" },
    "seals-at-home": { makers: [], ...types, severity: "warning" },
  },
};
