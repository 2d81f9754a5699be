import type { Loss } from "translogue";
import { nearestNode, type Outline } from "./nodes.ts";
import type { Spans } from "./places.ts";
import type { LitLoss } from "./protocol.ts";

interface Side {
  readonly text: string;
  readonly places: readonly Spans[];
}

/** In a longer node a member is not looked for. */
const mostSearched = 20_000;

/** Where what was lost is in the source, and where it would be in what was written. */
export class LossLight {
  readonly #outline: readonly Outline[];
  readonly #names: ReadonlyMap<string, number>;
  readonly #sides: readonly [source: Side, written: Side];

  constructor(outline: readonly Outline[], names: ReadonlyMap<string, number>, sides: readonly [Side, Side]) {
    this.#outline = outline;
    this.#names = names;
    this.#sides = sides;
  }

  of({ path }: Loss): LitLoss {
    const row = nearestNode(path, this.#names);
    if (row === undefined) return { source: [], spans: [] };
    const [source, spans] = this.#sides.map(side => this.#on(side, row, path));
    return { row, source: source ?? [], spans: spans ?? [] };
  }

  /** The node, or the nearest around it that stands somewhere; of a node that lost a member, that member or the first lines. */
  #on({ text, places }: Side, row: number, path: Loss["path"]): Spans {
    let at = row;
    while (at >= 0 && (places[at]?.length ?? 0) === 0) at = this.#outline[at]?.above ?? -1;
    const spans = places[at] ?? [];
    const [from, to] = spans;
    const node = this.#outline[row];
    const isWhole = at === row && path.length === node?.path.length;
    if (isWhole || from === undefined || to === undefined) return spans;
    const member = valueAt(node?.node, path.slice(node?.path.length));
    const found =
      typeof member === "string" && to - from <= mostSearched ? placeOf(member, text.slice(from, to)) : undefined;
    if (found) return [from + found[0], from + found[1]];
    const end = text.indexOf("\n", text.indexOf("\n", from) + 1);
    return [from, end <= from ? to : Math.min(to, end)];
  }
}

function valueAt(node: unknown, path: Loss["path"]): unknown {
  let value = node;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === String(step))?.[1];
  }
  return value;
}

function placeOf(word: string, text: string): readonly [number, number] | undefined {
  const literal = JSON.stringify(word);
  const at = text.indexOf(literal);
  return at === -1 ? undefined : [at, at + literal.length];
}
