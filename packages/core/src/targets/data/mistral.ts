import { ranges } from "../../formats/mistral/ranges.ts";
import type { Target } from "../target.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const texts = { source: "error texts of Mistral's API, as reported", date } as const;
const types = { source: "types of @mistralai/mistralai 2.7.0", date } as const;

export const mistral: Target = {
  id: "mistral",
  title: "Mistral",
  turns: "messages",
  system: "among",
  counts: "results",
  format: "mistral",
  rules: {
    ...everyHost,
    ...unpackedIds,
    "calls-answered": { within: "next-turn", ...texts, says: ["Not the same number of function calls and responses"] },
    "results-called": {
      among: "turn-before",
      ...texts,
      says: ["Unexpected tool call id {id} in tool results", "Not the same number of function calls and responses"],
    },
    "setting-ranges": {
      ...ranges,
      says: [
        '"loc":["body","{setting}"],"msg":"Input should be less than or equal to {most}"',
        '"loc":["body","{setting}"],"msg":"Input should be greater than or equal to {least}"',
      ],
    },
    // Known of no error text: a choice of what is not there cannot be met.
    "tool-choice": { free: ["auto", "none"], ...types, severity: "warning" },
    "results-once": { ...texts, says: ["Not the same number of function calls and responses"] },
    "answer-after-results": { ...texts, says: ["Unexpected role '{role}' after role '{before}'"] },
    "last-turn": {
      prefill: "marked",
      mark: "prefix",
      ...texts,
      says: ["Expected last role User or Tool (or Assistant with prefix True) for serving but got {role}"],
    },
    roles: { allowed: ["system", "developer", "user", "assistant", "tool"], ...types },
    "message-not-empty": {
      roles: ["assistant"],
      ...texts,
      says: ["Assistant message must have either content or tool_calls, but not none."],
    },
    "call-ids": {
      characters: "a-zA-Z0-9",
      fewest: 9,
      most: 9,
      ...texts,
      says: ["Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9."],
    },
    "known-members": {
      refused: [
        "reasoning_content",
        "reasoning",
        "reasoning_details",
        "refusal",
        "annotations",
        "audio",
        "function_call",
      ].map(name => ({ of: "message" as const, path: [name], why: "which no message has here. Leave it out." })),
      ...texts,
      says: ["Extra inputs are not permitted"],
    },
    "call-ids-unique": { among: "message", ...texts, says: ["Duplicate tool call id in assistant message"] },
    "tool-names": {
      characters: "a-zA-Z0-9_-",
      fewest: 1,
      most: 64,
      unique: true,
      ...texts,
      says: [
        "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
      ],
    },
    media: { user: ["image/", "audio/", "application/", "text/"], assistant: [], ...types },
    "message-name": { ...types, severity: "warning" },
    "seals-at-home": { makers: ["mistral"], ...types, severity: "warning" },
  },
  // Requests of it that go on with the user were accepted (2026-08-19).
  models: [{ match: /^mistral-small/, rules: { "answer-after-results": null } }],
};
