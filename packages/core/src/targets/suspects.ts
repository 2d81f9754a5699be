/** Rules that one sign makes suspect together: the screen does not look closer. */

import type { RuleName } from "./target.ts";

/** Answers and calls go together: who does not pair in one way may break each of these. */
export const pairing = ["calls-answered", "results-called", "results-once"] as const;

/** A file that is not looked at itself. */
export const ofFiles = [
  "media-data",
  "media-types",
  "documents-named",
  "media",
  "media-source",
  "result-media-source",
  "assistant-media-source",
] as const satisfies readonly RuleName[];

/** A denial may stand between results. */
export const ofDenials = ["answer-after-results", "results-first", "turns-alternate"] as const;

/** What a codec keeps of the wire. */
export const ofMembers = ["known-members", "legacy-functions"] as const satisfies readonly RuleName[];

/** A piece of a summary that is no text. */
export const inSummaries = [...ofFiles, "text-not-empty", "documents-introduced", "roles"] as const;
