import type { Path } from "translogue";
import { scanJson } from "./json-scan.ts";

/** Where JSON values stand in a text. Values are numbered in the order of the text: whatever is inside of one follows it. */
export interface JsonIndex {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** -1 for the outermost. */
  readonly parents: readonly number[];
  readonly keys: readonly (string | number)[];
  /** Whether the value is a list. */
  readonly lists: readonly boolean[];
  readonly leaves: readonly number[];
  /** The value at a path; of a path that leads beyond what is there, the last value on it. */
  find(path: Path): number;
}

/** A text that is one JSON value, or the regions of it that are: these are the items of a list. Linear. */
export function indexJson(text: string, regions?: readonly (readonly [number, number])[]): JsonIndex {
  const index = new Building(text);
  if (!regions) scanJson(text, index);
  else {
    index.open(0, false);
    for (const region of regions) scanJson(text, index, region);
    index.close(text.length);
  }
  return index;
}

class Building implements JsonIndex {
  readonly text: string;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly parents: number[] = [];
  readonly keys: (string | number)[] = [];
  readonly lists: boolean[] = [];
  readonly leaves: number[] = [];
  #open: { readonly id: number; next: number }[] = [];
  #key = "";
  #byStep: Map<string, number> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  open(at: number, isObject: boolean): void {
    const id = this.#add(at, at, !isObject);
    this.#open.push({ id, next: 0 });
  }

  close(at: number): void {
    const closed = this.#open.pop();
    if (closed) this.ends[closed.id] = at;
  }

  key(from: number, to: number): void {
    this.#key = stringAt(this.text, from, to);
  }

  leaf(from: number, to: number): void {
    this.leaves.push(this.#add(from, to, false));
  }

  #add(from: number, to: number, isList: boolean): number {
    const id = this.starts.length;
    const above = this.#open.at(-1);
    const key = above && this.lists[above.id] ? above.next++ : this.#key;
    this.starts.push(from);
    this.ends.push(to);
    this.parents.push(above?.id ?? -1);
    this.keys.push(above ? key : "");
    this.lists.push(isList);
    return id;
  }

  find(path: Path): number {
    this.#byStep ??= new Map(this.keys.map((key, id) => [stepName(this.parents[id] ?? -1, key), id]));
    let id = 0;
    for (const step of path) {
      const next = this.#byStep.get(stepName(id, step));
      if (next === undefined) break;
      id = next;
    }
    return id;
  }
}

const stepName = (parent: number, key: string | number): string => `${parent} ${key}`;

/** The value of a string literal. */
export function stringAt(text: string, from: number, to: number): string {
  const inside = text.slice(from + 1, to - 1);
  if (!inside.includes("\\")) return inside;
  try {
    return JSON.parse(text.slice(from, to)) as string; // a string literal
  } catch {
    return inside;
  }
}
