import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { equalJson } from "../model/json.ts";

/** What became of a message. `from` is its place before, `at` its place after. */
export type Change =
  | { readonly kind: "removed"; readonly from: number; readonly message: Message }
  | { readonly kind: "added"; readonly at: number; readonly message: Message }
  | { readonly kind: "moved"; readonly from: number; readonly at: number; readonly message: Message }
  | {
      readonly kind: "changed";
      readonly from: number;
      readonly at: number;
      readonly before: Message;
      readonly message: Message;
    };

/**
 * What makes one history of another: nothing where both say the same. Messages are the same by their ids, those without one by what they
 * are. Removed ones come first, by their place before, then the others by their place after.
 */
export function diff(before: readonly Message[], after: readonly Message[]): readonly Change[] {
  demandMessages(before, "before");
  demandMessages(after, "after");
  const pairs = pairsOf(before, after);
  const stays = longestRising(pairs);
  const taken = new Set(pairs.map(({ from }) => from));
  const removed = before.flatMap((message, from): readonly Change[] =>
    taken.has(from) ? [] : [{ kind: "removed", from, message }],
  );
  const byPlace = new Map(pairs.map(pair => [pair.at, pair.from]));
  const others = after.flatMap((message, at): readonly Change[] => {
    const from = byPlace.get(at);
    const old = from === undefined ? undefined : before[from];
    if (from === undefined || old === undefined) return [{ kind: "added", at, message }];
    if (!equalJson(old, message)) return [{ kind: "changed", from, at, before: old, message }];
    return stays.has(at) ? [] : [{ kind: "moved", from, at, message }];
  });
  return [...removed, ...others];
}

/** The history after, of the one before and what `diff` says. */
export function applyDiff(before: readonly Message[], changes: readonly Change[]): readonly Message[] {
  demandMessages(before, "before");
  if (changes.length === 0) return before;
  const gone = new Set(changes.flatMap(change => (change.kind === "added" ? [] : [change.from])));
  const placed = new Map(changes.flatMap(change => (change.kind === "removed" ? [] : [[change.at, change.message]])));
  const rest = before.filter((_, from) => !gone.has(from));
  const length = rest.length + placed.size;
  let next = 0;
  return Array.from({ length }, (_, at) => placed.get(at) ?? (rest[next++] as Message)); // as many as there are places left
}

interface Pair {
  readonly from: number;
  readonly at: number;
}

/** Each message after with the first one before that is the same and not yet taken, by places after. */
function pairsOf(before: readonly Message[], after: readonly Message[]): readonly Pair[] {
  const places = new Map<string, number[]>();
  for (let from = before.length - 1; from >= 0; from--) {
    const key = keyOf(before[from]);
    const list = places.get(key) ?? [];
    places.set(key, list);
    list.push(from);
  }
  return after.flatMap((message, at) => {
    const from = places.get(keyOf(message))?.pop();
    return from === undefined ? [] : [{ from, at }];
  });
}

const keyOf = (message: Message | undefined): string =>
  message?.id === undefined ? `=${JSON.stringify(message)}` : `#${message.id}`;

/** Places after of the most pairs that keep their order. n log n. */
function longestRising(pairs: readonly Pair[]): ReadonlySet<number> {
  const ends: number[] = [];
  const previous: number[] = [];
  pairs.forEach(({ from }, index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.from ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  });
  const stays = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair) stays.add(pair.at);
  }
  return stays;
}
