import type { Rules, Target } from "../target.ts";
import { finalResults, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const requests = { source: "requests that Google accepted and refused (pydantic-ai's recorded tests)", date } as const;
const texts = { source: "error texts of the Gemini API, as reported", date } as const;
const types = { source: "types and doc comments of @google/genai 3.3.0", date } as const;

const geminiRules = {
  ...finalResults,
  ...unpackedIds,
  "calls-answered": {
    within: "next-turn",
    ...texts,
    says: [
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ],
  },
  "results-called": {
    among: "turn-before",
    ...texts,
    says: ["Please ensure that function response turn comes immediately after a function call turn."],
  },
  "results-once": texts,
  "results-together": { source: "report earendil-works/pi#5528", date, severity: "warning" },
  "first-turn": {
    roles: ["user"],
    ...texts,
    says: [
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ],
  },
  "last-turn": {
    prefill: "never",
    source: "reports microsoft/semantic-kernel#13262, songquanpeng/one-api#836",
    date,
    says: [
      "Please ensure that single turn requests end with a user role or the role field is empty.",
      "Please ensure that multiturn requests ends with a user role or a function response.",
    ],
  },
  "system-place": { allowed: "first", ...types, says: ["Please use a valid role: user, model."] },
  roles: {
    allowed: ["system", "developer", "user", "assistant", "tool"],
    ...types,
    says: ["Please use a valid role: user, model."],
  },
  "tool-names": {
    characters: "a-zA-Z0-9_.:-",
    first: "a-zA-Z_",
    fewest: 1,
    most: 128,
    ...types,
    says: ["Invalid function name. Must start with a letter or an underscore."],
  },
  arguments: { shape: "object", ...types },
  "message-name": { ...types, severity: "warning" },
  "seals-at-home": {
    makers: ["google"],
    route: "ai-studio",
    ...texts,
    severity: "warning",
    says: ["Thought signature is not valid", "Corrupted thought signature"],
  },
} as const satisfies Rules;

const gemini3 = {
  match: /gemini-(?:[3-9]|\d\d)/,
  rules: {
    "calls-sealed": {
      maker: "google",
      ...texts,
      says: [
        "Function call is missing a thought_signature in functionCall parts.{rest}function call `default_api:{tool}`, position {position}",
        "Function call is missing a thought_signature in functionCall parts",
      ],
    },
  },
} as const satisfies NonNullable<Target["models"]>[number];

/** Results hold media from 3 on only. */
const gemini2 = {
  match: /gemini-[12]/,
  rules: { media: { result: [], source: "sources of pi-ai 1.6.0", date } },
} as const satisfies NonNullable<Target["models"]>[number];

const host = { turns: "merged", system: "apart", counts: "messages", format: "gemini" } as const;

export const gemini: Target = {
  ...host,
  id: "gemini",
  title: "Gemini API",
  rules: geminiRules,
  models: [gemini2, gemini3],
};

export const vertex: Target = {
  ...host,
  id: "vertex",
  title: "Gemini on Vertex AI",
  dialect: "vertex",
  rules: {
    ...geminiRules,
    "seals-at-home": { ...geminiRules["seals-at-home"], route: "vertex" },
    "media-reachable": { ...requests, says: ["Cannot fetch content from the provided URL."] },
  },
  models: [gemini2, gemini3],
};
