import type { RunError } from "../errors.ts";

/** The hosts' words for a history that is longer than their model reads. */
const words: readonly RegExp[] = [
  /context[_ -]?(?:length|window|size|overflow|limit)/i,
  /prompt is too long|input is too long|too many (?:input )?tokens|request too large for model/i,
  /(?:token count|input tokens?|prompt tokens?)\b.*\b(?:exceed|maximum)/i,
  /string_above_max_length|model_max_prompt_tokens_exceeded/i,
];

export function isOverflow({ code, message, details }: RunError): boolean {
  if (code === "model/context-overflow") return true;
  const isRefusal = code === "model/refused" || code === "model/failed" || code === "model/unavailable";
  return isRefusal && words.some(pattern => pattern.test(details?.code ?? "") || pattern.test(message));
}

export const overflowed = ({ retryable: _, ...error }: RunError): RunError => ({
  ...error,
  code: "model/context-overflow",
});

/** The window in the hosts' words; the other numbers there are statuses, models' names, what was sent, what an answer may take. */
const windows: readonly RegExp[] = [
  /(?:>|<=|≤)\s*(\d[\d,]{2,})/,
  /\b(\d[\d,]{2,})\s+(?:tokens?\s+)?(?:maximum|available)\b/i,
  /\[\d+,\s*(\d{3,})\]/,
  /(?:maximum|limit|window|context (?:length|size)|(?:cannot|must not) exceed)[^.;]{0,60}?(?<![\w-])(\d[\d,]{2,})/i,
];

/** The tokens that the host takes, where it names them. */
export function windowIn({ message }: RunError): number | undefined {
  for (const pattern of windows) {
    const found = pattern.exec(message)?.[1];
    if (found !== undefined) return Number(found.replaceAll(",", ""));
  }
  return undefined;
}
