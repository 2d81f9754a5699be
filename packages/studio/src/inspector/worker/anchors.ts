import { type JsonIndex, stringAt } from "./json-index.ts";
import { type Outline, ownStrings } from "./nodes.ts";

/** Members whose words are everywhere. */
const labels: ReadonlySet<string | number> = new Set("type role object status finish_reason stop_reason".split(" "));

/** The strings of a text by which each node is known again: of the nth node that says it, the nth place. */
export function anchorsOf(outline: readonly Outline[], index: JsonIndex): readonly (readonly number[])[] {
  const words = new Words(index);
  /** Where the messages so far reach to: what follows is looked for behind it first. */
  let floor = 0;
  let reached = 0;
  return outline.map(placed => {
    if (placed.above < 0) {
      floor = placed.kind === "message" ? reached : 0;
      if (placed.kind === "tool") reached = 0;
    }
    const found = words.find(ownStrings(placed), floor);
    if (found.length > 0) reached = placed.kind === "tool" ? 0 : reachOf(found, reached, floor);
    return found;
  });
}

/** What was found before the floor sets it back. */
const reachOf = (found: readonly number[], reached: number, floor: number): number => {
  const last = Math.max(...found) + 1;
  return last <= floor ? last : Math.max(last, reached);
};

class Words {
  readonly #index: JsonIndex;
  readonly #places = new Map<string, number[]>();
  readonly #used = new Set<number>();

  constructor(index: JsonIndex) {
    this.#index = index;
    const { text, starts, ends, keys } = index;
    for (const leaf of index.leaves) {
      const from = starts[leaf] ?? 0;
      if (text[from] !== '"' || labels.has(keys[leaf] ?? "")) continue;
      const word = stringAt(text, from, ends[leaf] ?? from);
      const places = this.#places.get(word);
      if (places) places.push(leaf);
      else this.#places.set(word, [leaf]);
    }
  }

  /** The place of the rarest of the words, and of the others those that stand with it. */
  find(words: readonly string[], floor: number): readonly number[] {
    const known = [...new Set(words)].flatMap(word => {
      const places = this.#places.get(word);
      return places ? [{ word, places }] : [];
    });
    known.sort((a, b) => a.places.length - b.places.length || b.word.length - a.word.length);
    const first = known.findIndex(({ places }) => this.#free(places, floor) !== undefined);
    const leaf = this.#free(known[first]?.places ?? [], floor);
    if (leaf === undefined) return [];
    this.#used.add(leaf);
    const item = this.#itemOf(leaf);
    const others = known.flatMap(({ places }, place) => {
      const other = place === first ? undefined : this.#free(places, item, false);
      return other !== undefined && this.#isWithin(other, item) ? [other] : [];
    });
    for (const other of others) this.#used.add(other);
    return [leaf, ...others];
  }

  /** The first place from `floor` on that nothing else was found at; else the first of all. */
  #free(places: readonly number[], floor: number, orBefore = true): number | undefined {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] ?? 0) < floor) low = middle + 1;
      else high = middle;
    }
    while (low < places.length && this.#used.has(places[low] ?? -1)) low++;
    if (low < places.length) return places[low];
    return orBefore && floor > 0 ? this.#free(places, 0, false) : undefined;
  }

  /** The item of a list around it; the whole where there is none. */
  #itemOf(leaf: number): number {
    const { parents, lists } = this.#index;
    let id = leaf;
    for (let above = parents[id] ?? -1; above >= 0; above = parents[above] ?? -1) {
      if (lists[above]) return id;
      id = above;
    }
    return id;
  }

  #isWithin(id: number, around: number): boolean {
    const { starts, ends } = this.#index;
    return (starts[id] ?? 0) >= (starts[around] ?? 0) && (ends[id] ?? 0) <= (ends[around] ?? 0);
  }
}
