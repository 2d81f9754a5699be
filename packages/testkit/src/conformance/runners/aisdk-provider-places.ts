import { isJsonObject, type Json, type JsonObject, type Path } from "translogue";
import { type Allowance, type KeepOptions, keeps } from "../../keeps.ts";
import type { AisdkRule } from "../rules/aisdk.ts";

/** One place where theirs is not kept, and all that it stands in. */
export interface Place<All> {
  readonly path: Path;
  /** The last step of the path, and the path with `*` for its numbers. */
  readonly key: string | number | undefined;
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
  readonly all: All;
}

export type Checks<All> = { readonly [rule in AisdkRule]?: (place: Place<All>) => boolean };

export const optionsOf = <All>(checks: Checks<All>, all: All): KeepOptions => ({
  places,
  allowances: Object.entries(checks).map(
    ([rule, check]): Allowance =>
      (path, theirs, ours) => {
        const at = path.map(step => (typeof step === "number" ? "*" : step)).join(".");
        return check?.({ path, key: path.at(-1), at, theirs, ours, all }) ? rule : undefined;
      },
  ),
});

/**
 * Items of theirs stand in ours in the same order: at the next that keeps them whole, else at the next of their kind.
 * Pieces of several calls at once may stand in any order.
 */
function places(_: Path, theirs: readonly unknown[], ours: readonly unknown[]): readonly number[] {
  const called = theirs.map(item => (isJsonObject(item) && idOf(item) !== undefined ? item : undefined));
  const found = called.map(item => {
    if (item === undefined) return -1;
    const kept = ours.findIndex(own => isKin(item, own) && keeps(item, own, { places }).missing.length === 0);
    return kept >= 0 ? kept : ours.findIndex(own => isKin(item, own));
  });
  const isFree = (place: number): boolean => !found.includes(place);
  const whole: number[] = [];
  for (const [index, item] of theirs.entries()) {
    const from = Math.max(-1, ...whole) + 1;
    const is = (own: unknown, at: number): boolean =>
      at >= from && isFree(at) && keeps(item, own, { places }).missing.length === 0;
    whole.push(called[index] === undefined && !isSilent(item) ? ours.findIndex(is) : -1);
  }
  let last = -1;
  for (const [index, item] of theirs.entries()) {
    if (called[index] !== undefined || isSilent(item)) continue;
    const end = whole.slice(index).find(later => later >= 0) ?? ours.length;
    const isNext = (own: unknown, at: number): boolean => at > last && at < end && isFree(at) && isKin(item, own);
    const place = whole[index] ?? -1;
    found[index] = place >= 0 ? place : ours.findIndex(isNext);
    last = Math.max(last, found[index] ?? -1);
  }
  return found.map((place, index) => (called[index] === undefined || isInOrder(index, { theirs, found }) ? place : -1));
}

/** What names a call stands between the same others as in theirs, and behind what came before it about that call. */
function isInOrder(
  index: number,
  { theirs, found }: { readonly theirs: readonly unknown[]; readonly found: readonly number[] },
): boolean {
  const place = found[index] ?? -1;
  const own = theirs[index];
  const isFixed = (item: unknown): boolean =>
    isJsonObject(item) && isJsonObject(own) && (idOf(item) === undefined || idOf(item) === idOf(own));
  return theirs.every((item, at) => {
    const other = found[at] ?? -1;
    return at === index || other < 0 || !isFixed(item) || other < place === at < index;
  });
}

/** A turn that says nothing, and calls nobody, would be kept by any. */
const isSilent = (item: unknown): boolean =>
  isJsonObject(item) &&
  item["role"] !== undefined &&
  isNothing(item["content"]) &&
  Object.entries(item).every(([key, inner]) => ["role", "type"].includes(key) || isEmpty(inner));

const isNothing = (content: unknown): boolean => Array.isArray(content) && content.length === 0;

const idOf = (item: JsonObject): Json | undefined => {
  const id = item["toolCallId"] ?? item["call_id"] ?? item["tool_call_id"];
  return isMasked(id) ? undefined : id;
};

const kindKeys = ["type", "role", "sourceType", "url", "toolCallId", "tool_call_id", "call_id", "approvalId"];

/** Whether two items of a list are of one kind: what theirs made up may be anything in ours. */
const isKin = (theirs: unknown, ours: unknown): boolean =>
  isJsonObject(theirs) && isJsonObject(ours)
    ? kindKeys.every(key => isMasked(theirs[key]) || member(theirs, key) === member(ours, key))
    : typeof theirs === typeof ours;

const isMasked = (value: unknown): boolean => typeof value === "string" && value.startsWith("<guid-");

export const member = (value: unknown, key: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** Whether every text, number and word of a value stands somewhere in another. */
export function holdsLeaves(whole: unknown, value: unknown): boolean {
  const text = JSON.stringify(whole) ?? ""; // nothing holds nothing
  const leaves = new Set(leavesOf(whole));
  const holds = (leaf: unknown): boolean => {
    if (Array.isArray(leaf)) return leaf.every(holds);
    if (isJsonObject(leaf)) return Object.values(leaf).every(holds);
    const said = JSON.stringify(leaf);
    if (said === undefined) return true;
    if (typeof leaf !== "string") return leaves.has(leaf); // a number stands in many a text
    if (text.includes(said) || text.includes(JSON.stringify(said).slice(1, -1))) return true;
    return said.length > 64 && text.includes(said.slice(1, -1)); // the beginning of a text that the case cut
  };
  return holds(value);
}

function leavesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isJsonObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
}

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(isEmpty));

/** What a path leads to. */
export const stepsInto = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, step) => (Array.isArray(at) ? (at as readonly unknown[])[Number(step)] : member(at, String(step))),
    value,
  );

/** How the bytes of a picture begin, in base64. */
const pictures: { readonly [start: string]: string } = {
  iVBORw0KGgo: "image/png",
  "/9j/": "image/jpeg",
  R0lGOD: "image/gif",
  UklGR: "image/webp",
};

export const pictureOf = (data: string): string | undefined =>
  Object.entries(pictures).find(([start]) => data.startsWith(start))?.[1];
