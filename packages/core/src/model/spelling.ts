/** How texts must be spelled that stand for something else, and which known word an unknown one is nearest to. */

const isoDate =
  /^\d{4}-(\d\d)-(\d\d)(?:T([01]\d|2[0-4]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:Z|[+-][01]\d(?::?[0-5]\d)?)?)?$/;
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A date of ISO 8601, with or without a time, a fraction of any length, an offset. */
export function isIsoDate(text: string): boolean {
  const [, month, day] = isoDate.exec(text) ?? [];
  return Number(day) >= 1 && Number(day) <= (monthDays[Number(month) - 1] ?? 0);
}

/** Base64 of the standard alphabet, padded (RFC 4648, section 4). */
export function isBase64(text: string): boolean {
  const bytes = text.replace(/={1,2}$/, "");
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(bytes);
}

/** The candidate that a word was probably meant to be: `tool_call` and `toolcal` are near `tool-call`. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const plain = plainOf(word);
  let best: string | undefined;
  let least = Math.min(2, plain.length / 3) + 1;
  if (plain.length > 40) return undefined;
  for (const candidate of candidates) {
    const distance = distanceOf(plain, plainOf(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

const plainOf = (word: string): string => word.replace(/[-_\s]/g, "").toLowerCase();

/** Insertions, deletions and replacements between two words. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
