import * as fc from "fast-check";

/** Where to cut, as numbers that `cut` takes for places in any text. */
export const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** The pieces of a text or of bytes, empty ones among them. */
export function cut<Whole extends { readonly length: number; slice(start: number, end: number): Whole }>(
  whole: Whole,
  places: readonly number[],
): Whole[] {
  const ends = places.map(place => place % (whole.length + 1)).sort((a, b) => a - b);
  return [...ends, whole.length].map((end, index) => whole.slice(ends[index - 1] ?? 0, end));
}
