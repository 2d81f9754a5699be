import { anchorsOf } from "./anchors.ts";
import type { JsonIndex } from "./json-index.ts";
import type { Outline } from "./nodes.ts";

/** Where a node stands in a text: starts and ends by turns. Empty = nowhere of its own. */
export type Spans = readonly number[];

/**
 * Where the nodes of a conversation stand in a text that it was read from or written to, whatever the format: a node is
 * where its own words are. A message is the widest item that has words of it and of no other message; so is a part of its
 * message. Linear in the text.
 */
export function placesOf(outline: readonly Outline[], index: JsonIndex): readonly Spans[] {
  const anchors = anchorsOf(outline, index);
  const { roots, parts } = membership(outline);
  const byRoot = new Owners(index);
  const byPart = new Owners(index);
  const leavesOf = outline.map((): number[] => []);
  anchors.forEach((leaves, number) => {
    const [root = number, part = -1] = [roots[number], parts[number]];
    for (const leaf of leaves) {
      byRoot.claim(leaf, root);
      if (part >= 0) byPart.claim(leaf, part);
    }
    leavesOf[root]?.push(...leaves);
    if (part >= 0) leavesOf[part]?.push(...leaves);
  });
  const ids = outline.map(({ above }, number) =>
    above < 0 ? unique((leavesOf[number] ?? []).map(leaf => byRoot.widest(leaf, number))) : [],
  );
  return outline.map(({ above }, number) => {
    if (above < 0) return spansOf(ids[number] ?? [], index);
    if (parts[number] !== number) return spansOf(anchors[number] ?? [], index);
    const around = new Set(ids[above]);
    const own = unique((leavesOf[number] ?? []).map(leaf => byPart.widest(leaf, number, around)));
    return spansOf(byPart.together(own, number), index);
  });
}

/** For each node the message or tool that it is in, and the part right below that. */
function membership(outline: readonly Outline[]): { readonly roots: number[]; readonly parts: number[] } {
  const roots: number[] = [];
  const parts: number[] = [];
  outline.forEach(({ above }, number) => {
    roots.push(above < 0 ? number : (roots[above] ?? number));
    parts.push(above < 0 ? -1 : outline[above]?.above === -1 ? number : (parts[above] ?? -1));
  });
  return { roots, parts };
}

const none = -1;
const several = -2;

/** Which values of a text have words of one node alone. */
class Owners {
  readonly #index: JsonIndex;
  readonly #owners: Int32Array;

  constructor(index: JsonIndex) {
    this.#index = index;
    this.#owners = new Int32Array(index.starts.length).fill(none);
  }

  claim(leaf: number, owner: number): void {
    for (let id = leaf; id >= 0; id = this.#index.parents[id] ?? -1) {
      const before = this.#owners[id];
      if (before === owner || before === several) return;
      this.#owners[id] = before === none ? owner : several;
    }
  }

  /** The widest item of a list that has this leaf and is the owner's alone; where none is, the widest value but the whole. */
  widest(leaf: number, owner: number, around: ReadonlySet<number> = new Set()): number {
    const { parents, lists } = this.#index;
    let item: number | undefined;
    let value = leaf;
    for (let id = leaf; id > 0 && this.#owners[id] === owner && !around.has(id); id = parents[id] ?? -1) {
      value = id;
      if (lists[parents[id] ?? -1]) item = id;
    }
    return item ?? value;
  }

  /** Values beside each other that make up one which is the owner's alone, as that one. */
  together(ids: readonly number[], owner: number): readonly number[] {
    const [above = none] = ids.map(id => this.#index.parents[id] ?? none);
    const isOne = ids.length > 1 && above > 0 && ids.every(id => this.#index.parents[id] === above);
    return isOne && this.#owners[above] === owner ? [above] : ids;
  }
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];

function spansOf(ids: readonly number[], { starts, ends }: JsonIndex): Spans {
  return ids.toSorted((a, b) => a - b).flatMap(id => [starts[id] ?? 0, ends[id] ?? 0]);
}
