import type { Rules } from "../target.ts";

const date = "2026-11-30";

/** No API has a place for what is replaced later, and all but Ollama want something said. */
export const everyHost = {
  "results-final": { source: "types of the providers' SDKs: a call has one result", date },
  "well-formed-text": { source: "RFC 8259, 8.2: receivers differ", date, severity: "warning" },
  "media-data": { source: "references of the providers' APIs: data is base64", date },
  "history-not-empty": { system: "counts", source: "references of the providers' APIs: at least one message", date },
} as const satisfies Rules;

/** For hosts that pack nothing themselves: a proxy that does wants its own ids back. */
export const unpackedIds = {
  "ids-unpacked": {
    source: "reports BerriAI/litellm#38337, earendil-works/pi#2328",
    date,
    severity: "warning",
  },
} as const satisfies Rules;
