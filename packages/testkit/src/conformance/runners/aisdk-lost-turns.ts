import { equalJson, isJsonObject, type Json, type Path } from "translogue";
import type { Allowance, KeepOptions } from "../../keeps.ts";
import { isEmpty, member, stepsInto } from "./aisdk-provider-places.ts";

interface Bodies {
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** Rules about what is said in another place or another form: a turn of such blocks is not left out. */
const saidElsewhere: ReadonlySet<string | undefined> = new Set(["sdk places", "sdk glued texts", "sdk text files"]);

/** A turn of which nothing goes to the API is left out: each of its blocks by a rule. The turn behind it joins the one before. */
export const lostTurn =
  ({ allowances = [] }: KeepOptions, all: Bodies): Allowance =>
  (path, theirs, ours) => {
    if (path.length !== 2 || ours !== undefined) return undefined;
    const isAllowed = (block: unknown, at: Path): boolean =>
      isEmpty(block) ||
      allowances.some(allowance => {
        const rule = allowance(at, block, undefined);
        return rule !== undefined && !saidElsewhere.has(rule);
      });
    const isInside = (block: unknown, at: Path): boolean =>
      isJsonObject(block) && Object.entries(block).every(([name, inner]) => isAllowed(inner, [...at, name]));
    const isLost = (turn: unknown, at: Path): boolean =>
      restOf(turn).every(([name, inner]) => isAllowed(inner, [...at, name])) &&
      (blocksIn(turn)?.every((block, index) => {
        const place = [...at, member(turn, "parts") === undefined ? "content" : "parts", index];
        return isAllowed(block, place) || isInside(block, place);
      }) ??
        false);
    const before = [path[0] ?? "", Number(path[1]) - 1];
    const isBehind =
      isLost(stepsInto(all.theirs, before), before) && isSaidBy(theirs, all.ours, placeOf(Number(path[1]) - 2, all));
    return isLost(theirs, path) || isBehind ? "sdk lost turns" : undefined;
  };

const blocksIn = (turn: unknown): readonly unknown[] | undefined => {
  const blocks = member(turn, "parts") ?? member(turn, "content");
  return Array.isArray(blocks) ? (blocks as readonly unknown[]) : undefined;
};

/** What a turn says beside its blocks: calls, reasoning, the call that it answers. */
const restOf = (turn: unknown): readonly (readonly [string, unknown])[] =>
  isJsonObject(turn)
    ? Object.entries(turn).filter(([name]) => !["role", "type", "content", "parts"].includes(name))
    : [];

const turnsOf = (request: unknown): readonly unknown[] =>
  listOf(member(request, "messages") ?? member(request, "contents"));

/** Where ours says what this turn of theirs says: none stands before the first. */
function placeOf(index: number, { theirs, ours }: Bodies): number {
  const turn = turnsOf(theirs)[index];
  if (turn === undefined) return 0;
  const place = turnsOf(ours).findIndex(each => isSaidBy(turn, { messages: [each] }));
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

/** Whether turns of the same side, from this place on, hold these blocks. */
export function isSaidBy(turn: unknown, request: unknown, from = 0): boolean {
  const turns = turnsOf(request).slice(from);
  const own = turns.filter(each => member(each, "role") === member(turn, "role")).flatMap(each => blocksIn(each) ?? []);
  const isOfBlocks = restOf(turn).every(([, inner]) => isEmpty(inner));
  return (
    (isOfBlocks && blocksIn(turn)?.every(block => own.some(each => equalJson(each as Json, block as Json)))) ?? false
  );
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
