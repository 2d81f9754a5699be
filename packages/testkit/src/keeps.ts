import { formatPath, isJsonObject, type Path } from "translogue";

/** The name of the rule that allows ours to differ from theirs at this place; undefined where none does. Absent is undefined. */
export type Allowance = (path: Path, theirs: unknown, ours: unknown) => string | undefined;

export interface KeepOptions {
  /**
   * Rules for deliberate differences, asked in order at each place that is not kept: first at the leaf, then at each
   * object or array around it, whose answer covers everything below that is still missing. So the narrowest rule speaks first.
   */
  readonly allowances?: readonly Allowance[];
  /** For an array of theirs: the index in ours that stands for each of its items (-1 = none). By position where it says nothing. */
  readonly places?: (path: Path, theirs: readonly unknown[], ours: readonly unknown[]) => readonly number[] | undefined;
}

/** A place of theirs that ours has not, or has otherwise. The path is the one in theirs. */
export interface Missing {
  readonly path: Path;
  readonly theirs: unknown;
  readonly ours: unknown;
}

export interface Kept {
  readonly missing: readonly Missing[];
  /** The names of the rules that allowed a difference, each once. */
  readonly rules: readonly string[];
}

/**
 * Whether ours keeps all that theirs holds: every member and leaf of theirs stands in ours at the same place with an equal
 * value, arrays by position. Ours may hold more: members beside theirs, and items after theirs.
 *
 * `<now>` and `<guid-1>` in a string of theirs stand for what was made in that run: ours may have any text there, or nothing,
 * but the same number stands for the same text wherever it occurs, and another number for another text.
 */
export function keeps(theirs: unknown, ours: unknown, options: KeepOptions = {}): Kept {
  const rules = new Set<string>();
  const masks = new Masks();
  const compare = (path: Path, theirs: unknown, ours: unknown): Missing[] => {
    const missing = [...unkept(path, theirs, ours)];
    if (missing.length === 0) return missing;
    const rule = firstRule(options.allowances ?? [], { path, theirs, ours });
    if (rule === undefined) return missing;
    rules.add(rule);
    return [];
  };
  function* unkept(path: Path, theirs: unknown, ours: unknown): Iterable<Missing> {
    if (Array.isArray(theirs) && Array.isArray(ours)) {
      const places = options.places?.(path, theirs, ours);
      for (const [index, item] of theirs.entries()) {
        yield* compare([...path, index], item, ours[places === undefined ? index : (places[index] ?? -1)]);
      }
    } else if (isJsonObject(theirs) && isJsonObject(ours)) {
      for (const [key, member] of Object.entries(theirs)) {
        yield* compare([...path, key], member, Object.hasOwn(ours, key) ? ours[key] : undefined);
      }
    } else if (!Object.is(theirs, ours) && theirs !== ours && !masks.match(theirs, ours)) {
      yield { path, theirs, ours };
    }
  }
  return { missing: compare([], theirs, ours), rules: [...rules] };
}

/** What is missing, as a sentence about the first place and the number of the others; undefined where all is kept. */
export function lacks({ missing }: Kept): string | undefined {
  const [first] = missing;
  if (!first) return undefined;
  const others = missing.length > 1 ? ` (and ${missing.length - 1} more)` : "";
  return `at ${formatPath(first.path) || "the top"}: got ${clip(first.ours)}, theirs has ${clip(first.theirs)}${others}`;
}

/** Places by a key: each item of theirs stands where ours has the next item of an equal key; -1 where there is none left. */
export function placesByKey(
  theirs: readonly unknown[],
  ours: readonly unknown[],
  key: (item: unknown) => unknown,
): readonly number[] {
  const keys = ours.map(key);
  let from = 0;
  return theirs.map(item => {
    const place = keys.indexOf(key(item), from);
    if (place >= 0) from = place + 1;
    return place;
  });
}

const firstRule = (allowances: readonly Allowance[], { path, theirs, ours }: Missing): string | undefined => {
  for (const allowance of allowances) {
    const rule = allowance(path, theirs, ours);
    if (rule !== undefined) return rule;
  }
  return undefined;
};

/** What stands in ours for each mask of theirs: one text for one mask. */
class Masks {
  readonly #texts = new Map<string, string>();
  readonly #masks = new Map<string, string>();

  match(theirs: unknown, ours: unknown): boolean {
    if (typeof theirs !== "string") return false;
    const names = theirs.match(/<guid-\d+>|<now>/g);
    if (!names) return false;
    if (ours === undefined) return true;
    if (typeof ours !== "string") return false;
    const pattern = theirs
      .split(/<guid-\d+>|<now>/)
      .map(escaped)
      .join("(.+?)");
    const found = new RegExp(`^${pattern}$`, "s").exec(ours);
    return found !== null && names.every((name, index) => name === "<now>" || this.#bind(name, found[index + 1] ?? ""));
  }

  #bind(mask: string, text: string): boolean {
    if (this.#texts.has(mask)) return this.#texts.get(mask) === text;
    if (this.#masks.has(text)) return false;
    this.#texts.set(mask, text);
    this.#masks.set(text, mask);
    return true;
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function clip(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
