import { refineInside } from "../../codec/provenance.ts";
import { formatPath, type Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import { checks } from "../rules/index.ts";
import { isSaid } from "../rules/said.ts";
import type { RuleName } from "../target.ts";
import { type Draft, type DraftMessage, type Item, placeIn } from "./draft.ts";

/** A place that breaks a rule. Repairs ask the rule itself, so that they and the check never differ. */
export interface Fault {
  readonly message: DraftMessage;
  readonly item: Item | undefined;
  /** From the item, or else from the message. */
  readonly inner: Path;
}

/** Where the conversation at work breaks a rule of its target. Places outside of messages are not told. */
export function faultsOf<Name extends RuleName>(draft: Draft, name: Name): readonly Fault[] {
  const faults: Fault[] = [];
  const row = draft.rules[name];
  if (!row) return faults;
  checks[name](draft.view(), row, {
    asked: { target: draft.target, model: draft.model },
    report: ([list, place, ...rest]) => {
      const message = list === "messages" && typeof place === "number" ? draft.messages[place] : undefined;
      if (!message) return;
      const [member, index, ...inner] = rest;
      const item = member === "parts" && typeof index === "number" ? message.items[index] : undefined;
      faults.push({ message, item, inner: item ? inner : rest });
    },
  });
  return faults;
}

/** Whether the conversation at work breaks a rule anywhere. */
export function isBroken<Name extends RuleName>(draft: Draft, name: Name): boolean {
  let found = false;
  const row = draft.rules[name];
  const report = (): void => {
    found = true;
  };
  if (row) checks[name](draft.view(), row, { asked: { target: draft.target, model: draft.model }, report });
  return found;
}

/** The items that break a rule. */
export const faultyItems = (faults: readonly Fault[]): ReadonlySet<Item> =>
  new Set(faults.flatMap(({ item }) => (item ? [item] : [])));

/** Which entries of a list in them break a rule: by item, then by place. */
export function innerPlaces(faults: readonly Fault[], list: string): ReadonlyMap<Item, ReadonlySet<number>> {
  const inner = new Map<Item, Set<number>>();
  for (const {
    item,
    inner: [member, place],
  } of faults) {
    if (!item || member !== list || typeof place !== "number") continue;
    const places = inner.get(item);
    if (places) places.add(place);
    else inner.set(item, new Set([place]));
  }
  return inner;
}

/** The part without members that are optional in it. */
export function without<P extends Part>(part: P, ...members: readonly string[]): P {
  const left: Record<string, unknown> = { ...part };
  for (const member of members) delete left[member];
  return left as unknown as P; // only optional members are named
}

/** Pieces to leave out, by their items and their ways in these, and whom to tell of each. */
interface Pieces {
  readonly pieces: ReadonlyMap<Item, ReadonlySet<string>>;
  readonly tell: (piece: Part, path: Path) => void;
}

/** Pieces of items, by their ways as `formatPath` writes them. */
export function piecesAt(places: readonly { readonly item: Item; readonly inner: Path }[]): Pieces["pieces"] {
  const pieces = new Map<Item, Set<string>>();
  for (const { item, inner } of places) pieces.set(item, (pieces.get(item) ?? new Set()).add(formatPath(inner)));
  return pieces;
}

/** The item's part without pieces of it, or none: where it is one of them, or nothing is left of it. */
export const withoutPieces = (item: Item, gone: Pieces): Part | undefined => withoutInside(item.part, [], item, gone);

function withoutInside(part: Part, path: Path, item: Item, gone: Pieces): Part | undefined {
  if (gone.pieces.get(item)?.has(formatPath(path))) {
    gone.tell(part, placeIn(item, path));
    return undefined;
  }
  const left = refineInside(part, path, {
    part: (inner, at) => withoutInside(inner, at, item, gone),
    citation: citation => citation,
    tool: tool => tool,
  });
  if (left === part) return part;
  if (!isSaid(left)) return undefined;
  if (left.type === "compaction" && left.summary?.length === 0) return without(left, "summary");
  // A result of nothing has no content, which is how providers have it.
  return left.type === "tool-result" && left.output?.length === 0 ? without(left, "output") : left;
}
