import { ranges } from "../../formats/gemini/ranges.ts";
import type { Rules, Target } from "../target.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const requests = { source: "requests that Google accepted and refused (pydantic-ai's recorded tests)", date } as const;
const texts = { source: "error texts of the Gemini API, as reported", date } as const;
const types = { source: "types and doc comments of @google/genai 3.3.0", date } as const;

const choices = {
  source: "reports UKGovernmentBEIS/inspect_ai#2462 (2025-09-12), AstrBotDevs/AstrBot#7406 (2026-04-07)",
  date,
  says: ["Function calling config is set without function_declarations."],
} as const;

const geminiRules = {
  ...everyHost,
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
  "results-first": { among: "messages", ...texts },
  "well-formed-text": { ...texts, says: ["Invalid JSON payload received. {rest}"] },
  "tool-choice": choices,
  "setting-ranges": {
    ...ranges,
    says: [
      "Unable to submit request because it has a {setting} value of {value} but the supported range is from {rest}",
      "{setting} must be in the range [{least}, {most}]",
      "the number of stop_sequences must not exceed {most}",
    ],
  },
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
  "history-not-empty": { system: "apart", ...texts, says: ["contents is not specified"] },
  // The message of a user with an empty text alone was accepted of the Gemini API.
  "text-not-empty": {
    blank: false,
    sealed: "allowed",
    files: "texts",
    ...texts,
    severity: "warning",
    says: [
      "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.",
    ],
  },
  "message-not-empty": {
    roles: ["assistant", "tool"],
    bare: ["user"],
    ...texts,
    says: ["GenerateContentRequest.contents[{message}].parts: contents.parts must not be empty."],
  },
  "known-members": {
    refused: [
      { of: "part", path: ["functionCall", "args"], why: "that is no object. Wrap it in one." },
      {
        of: "part",
        path: ["functionResponse", "response"],
        hints: ["$response"],
        why: "that is no object. Wrap it in one, as its member `output`.",
      },
    ],
    ...types,
    says: ["Invalid value at 'contents[{message}].parts[{part}]{rest}' (type.googleapis.com/google.protobuf.Struct)"],
  },
  // An empty id is none: results are then found by name.
  "call-ids": { fewest: 1, ...types, severity: "warning" },
  "call-ids-unique": { among: "message", ...types },
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
    unique: true,
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
      // Base64 of `skip_thought_signature_validator`, by which requests with calls of others were accepted.
      standIn: { thoughtSignature: "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=" },
      ...texts,
      says: [
        "Function call is missing a thought_signature in functionCall parts.{rest}function call `default_api:{tool}`, position {position}",
        "Function call is missing a thought_signature in functionCall parts",
      ],
    },
  },
} as const satisfies NonNullable<Target["models"]>[number];

/** These go on with the model's own last turn. */
const gemini25 = { match: /gemini-2\.5/, rules: { "last-turn": null } } as const satisfies NonNullable<
  Target["models"]
>[number];

/** Results hold media from 3 on only. */
const gemini2 = {
  match: /gemini-[12]/,
  rules: {
    media: { result: [], source: "sources of pi-ai 1.6.0", date },
    // 3 was seen to take a choice among what Google runs itself.
    "tool-choice": { ...choices, functions: true },
    // 3 was seen to take a step in two messages.
    "calls-joined": texts,
  },
} as const satisfies NonNullable<Target["models"]>[number];

const host = { turns: "merged", system: "apart", counts: "messages", format: "gemini" } as const;

export const gemini: Target = {
  ...host,
  id: "gemini",
  title: "Gemini API",
  rules: geminiRules,
  models: [gemini2, gemini25, gemini3],
};

export const vertex: Target = {
  ...host,
  id: "vertex",
  title: "Gemini on Vertex AI",
  dialect: "vertex",
  rules: {
    ...geminiRules,
    "seals-at-home": { ...geminiRules["seals-at-home"], route: "vertex", routed: true },
    "text-not-empty": {
      blank: false,
      sealed: "allowed",
      files: "texts",
      ...texts,
      says: [
        "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.",
      ],
    },
    "message-not-empty": { ...geminiRules["message-not-empty"], roles: ["user", "assistant", "tool"], bare: [] },
    "media-reachable": { ...requests, says: ["Cannot fetch content from the provided URL."] },
  },
  models: [gemini2, gemini25, gemini3],
};
