import type { Part } from "translogue";
import type { Piece } from "./paired.ts";

/**
 * The results of each answer in the order of its calls: those of calls that waited for somebody came later than those of their
 * neighbours, in messages of their own.
 */
export function resultsInOrder(read: readonly Piece[]): readonly Piece[] {
  const ordered: Piece[] = [];
  let places = new Map<string, number>();
  let results: Piece[] = [];
  const close = (): void => {
    ordered.push(...inOrder(results, places));
    results = [];
  };
  for (const piece of read) {
    const { role, parts } = piece.message;
    if (role === "tool") {
      results.push(piece);
      continue;
    }
    close();
    const isSameAnswer = role === "assistant" && ordered.at(-1)?.message.role === "assistant";
    if (!isSameAnswer) places = new Map();
    for (const part of parts) if (part.type === "tool-call") places.set(part.callId, places.size);
    ordered.push(piece);
  }
  close();
  return ordered;
}

function inOrder(results: readonly Piece[], places: ReadonlyMap<string, number>): readonly Piece[] {
  const [first] = results;
  if (!first || results.length === 1) return results;
  const placeOf = (part: Part): number =>
    (part.type === "tool-result" ? places.get(part.callId) : undefined) ?? places.size;
  const parts = results.flatMap(({ message }) => message.parts);
  const sorted = parts.toSorted((a, b) => placeOf(a) - placeOf(b));
  if (sorted.every((part, place) => part === parts[place])) return results;
  return [{ ...first, message: { ...first.message, parts: sorted } }];
}
