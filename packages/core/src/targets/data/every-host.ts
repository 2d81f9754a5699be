import type { Rules } from "../target.ts";

/** No API has a place for what is replaced later. */
export const finalResults = {
  "results-final": { source: "types of the providers' SDKs: a call has one result", date: "2026-11-30" },
} as const satisfies Rules;

/** For hosts that pack nothing themselves: a proxy that does wants its own ids back. */
export const unpackedIds = {
  "ids-unpacked": {
    source: "reports BerriAI/litellm#38337, earendil-works/pi#2328",
    date: "2026-11-30",
    severity: "warning",
  },
} as const satisfies Rules;
