import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";

/** A block or a call: the members that came of it, and its text in pieces. */
export interface Piece {
  /** Sorts it among the parts. */
  readonly place: number;
  readonly members: MutableJsonObject;
  readonly texts: string[];
}

/** The blocks or calls of an answer, by the numbers that events have. */
export class Pieces {
  readonly #first: number;
  readonly #byIndex = new Map<number, Piece>();
  readonly #places = new Set<number>();
  readonly #list: Piece[] = [];
  #next = 0;

  constructor(first: number) {
    this.#first = first;
  }

  /** Of an event without a number it is the last one. */
  of(index: number | undefined): Piece | undefined {
    return index === undefined ? this.#list.at(-1) : this.#byIndex.get(index);
  }

  /** A number that comes again is another piece, behind all others. */
  open(index: number | undefined, members: MutableJsonObject): Piece {
    const own = index === undefined || this.#places.has(index) ? this.#next : index;
    const piece: Piece = { place: this.#first + own, members, texts: [] };
    this.#places.add(own);
    this.#next = Math.max(this.#next, own + 1);
    this.#byIndex.set(index ?? own, piece);
    this.#list.push(piece);
    return piece;
  }

  /** The text of a piece; undefined where numbers are left out, so that it is not known which it will be. */
  textAt(place: number): string | undefined {
    if (this.#next !== this.#list.length) return undefined;
    return this.#byIndex.get(place - this.#first)?.texts.join("");
  }

  sorted(): readonly Piece[] {
    return this.#list.toSorted((a, b) => a.place - b.place);
  }
}

interface BlockKind {
  readonly type: string;
  readonly of: "text" | "reasoning";
  readonly member: "text" | "thinking";
}

/** The kind of a block whose text comes in pieces; a type that is missing is told by the member. */
export function blockKind({ type, text, thinking }: JsonObject): BlockKind | undefined {
  if (type === "thinking" || (type === undefined && thinking !== undefined && text === undefined)) {
    return { type: "thinking", of: "reasoning", member: "thinking" };
  }
  return type === "text" || type === undefined ? { type: "text", of: "text", member: "text" } : undefined;
}

/** By the texts that they are of, then those that are of no text: whenever they came, they are listed alike. */
export function sortedCitations(citations: ReadonlyMap<number, Json>): readonly Json[] {
  const all = [...citations].sort(([a], [b]) => a - b).map(([, wire]) => wire);
  return all.sort((a, b) => citedBlock(a) - citedBlock(b));
}

const ofNoText = 1e15;

/** The number of the block that a citation is of; -1 where it is the first text. */
export function citedBlock(wire: Json): number {
  const { type, content_index: index } = isJsonObject(wire) ? wire : {};
  if (type === "PLAN" || type === "THINKING_CONTENT") return ofNoText;
  return typeof index === "number" ? index : -1;
}
