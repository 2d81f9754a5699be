import { clipped, headOf } from "../cut-text.ts";

const longest = 200;

const secrets: readonly [pattern: RegExp, shown: string][] = [
  [/\b(?:sk|pk|rk|gsk|xai|hf|gh[opsu]|xox[abprs])[-_][\w*-]{6,}/g, "[masked]"],
  [/\bAIza[\w-]{10,}/g, "[masked]"],
  [/\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, "[masked]"],
  [/\b(Bearer|Basic)\s+(?=[^\s]{6})[\w.~+/*-]+=*/gi, "$1 [masked]"],
  [/\b((?:api[-_ ]?key|token|secret|password)["']?\s*[:=]\s*["']?)[^\s"',;}&]{6,}/gi, "$1[masked]"],
];

/**
 * What a host said, for people: one short line, without what looks like a key, and without the page of whatever stands in
 * front of the host.
 */
export function excerpt(text: string, key?: string): string {
  const head = headOf(text, 4000);
  if (/<(?:!doctype|html|head|body|h1)\b/i.test(head) || /^\s*<\w+[\s>]/.test(head)) return "an HTML page";
  const own = key ? head.replaceAll(key, "[key]") : head;
  const named = secrets.reduce((said, [pattern, shown]) => said.replace(pattern, shown), own);
  const masked = named.replace(/[A-Za-z0-9+/_-]{20,}={0,2}/g, run => (isRandom(run) ? "[masked]" : run));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a host may send any character, and a terminal may obey it
  const line = masked.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return clipped(line, longest);
}

/** Long names are made of words, and their numbers are dates and versions; keys and bytes change from sort to sort of character. */
const isRandom = (run: string): boolean =>
  /^[0-9a-f]{20,}$/i.test(run) || run.split(/[-_+/]/).some(piece => piece.length >= 10 && isMixed(piece));

function isMixed(piece: string): boolean {
  const turns = piece.match(/[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/g)?.length ?? 0;
  const digits = piece.match(/\d/g)?.length ?? 0;
  return digits > 0 ? turns >= 3 : piece.length >= 20 && turns >= 5;
}
