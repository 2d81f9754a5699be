import type { Tool } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { Citation, Node, Part } from "../model/parts.ts";
import { mapLists } from "../model/walk.ts";

/** Where the items of a list stood in the list it was filtered from. */
const origins = new WeakMap<readonly unknown[], { from: readonly unknown[]; indexes: readonly number[] }>();

/** The list with every item mapped, `undefined` removed; itself where nothing changed. Remembers where each item stood. */
export function refine<T>(list: readonly T[], map: (item: T, index: number) => T | undefined): readonly T[] {
  let kept: T[] | undefined;
  let indexes: number[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as T; // index < length
    const mapped = map(item, index);
    if (mapped === item) {
      kept?.push(item);
      indexes?.push(index);
      continue;
    }
    kept ??= list.slice(0, index);
    if (mapped === undefined) indexes ??= kept.map((_, place) => place);
    else {
      kept.push(mapped);
      indexes?.push(index);
    }
  }
  if (!kept) return list;
  origins.set(kept, { from: list, indexes: indexes ?? list.map((_, index) => index) });
  return kept;
}

/** The list with every item mapped to what stands in its place; itself where nothing changed. What is added counts as where it was added. */
export function expand<T>(list: readonly T[], map: (item: T, index: number) => readonly T[]): readonly T[] {
  const kept: T[] = [];
  const indexes: number[] = [];
  list.forEach((item, index) => {
    for (const mapped of map(item, index)) {
      kept.push(mapped);
      indexes.push(index);
    }
  });
  if (kept.length === list.length && kept.every((item, index) => item === list[index])) return list;
  origins.set(kept, { from: list, indexes });
  return kept;
}

/** The items at these places, remembering where each stood. */
export function select<T>(list: readonly T[], indexes: readonly number[]): readonly T[] {
  const kept: T[] = [];
  for (const index of indexes) kept.push(list[index] as T); // indexes are of this list
  origins.set(kept, { from: list, indexes });
  return kept;
}

/** What becomes of the nodes right below another. */
export interface InsideMap {
  /** @param member the name of the member that holds the part, or the list of it */
  part(part: Part, path: Path, member: string): Part | undefined;
  citation(citation: Citation, path: Path): Citation | undefined;
  tool(tool: Tool, path: Path): Tool;
}

/** The node with those right below it mapped, as `refine` does: in every list that holds any, whatever node it is. */
export const refineInside = <T extends Node>(node: T, path: Path, map: InsideMap): T =>
  mapLists(node, ({ kind, nodes, steps, single }) =>
    refine(nodes, (child, index) => {
      if (typeof child === "string") return child;
      const at = single ? [...path, ...steps] : [...path, ...steps, index];
      // Each is of the kind that its list is of.
      if (kind === "part") return map.part(child as Part, at, String(steps[0]));
      return kind === "tool" ? map.tool(child as Tool, at) : map.citation(child as Citation, at);
    }),
  );

/** A path into a refined value, as a path into the value it was refined from. */
export function originalPath(root: unknown, path: Path): Path {
  const original: (string | number)[] = [];
  let node: unknown = root;
  for (const step of path) {
    original.push(typeof step === "number" && Array.isArray(node) ? originalIndex(node, step) : step);
    node = memberOf(node, step);
  }
  return original;
}

function originalIndex(list: readonly unknown[], index: number): number {
  let place = index;
  for (let origin = origins.get(list); origin; origin = origins.get(origin.from))
    place = origin.indexes[place] ?? place;
  return place;
}

export const valueAt = (root: unknown, path: Path): unknown => path.reduce(memberOf, root);

const memberOf = (node: unknown, step: string | number): unknown =>
  typeof node === "object" && node !== null ? (node as Record<string | number, unknown>)[step] : undefined; // any object may be asked for a member
