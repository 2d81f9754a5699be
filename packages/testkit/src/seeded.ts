/** The seed of this run's random choices: `TRANSLOGUE_SEED`, or a new one. */
export const seed: number = Number(process.env["TRANSLOGUE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Whether everything is run, and not a seeded share of it. */
export const isSoak: boolean = process.env["TRANSLOGUE_SOAK"] === "1";

/** Numbers from 0 up to (not with) a bound, the same for the same seed and name: mulberry32. */
export function chooser(name: string): (below: number) => number {
  let state = [...name].reduce((hash, char) => Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193), seed);
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
