import { refineInside } from "../../codec/provenance.ts";
import { saysOpenly } from "../../codec/recipient.ts";
import type { ReadsCompaction } from "../../model/context.ts";
import type { Path } from "../../model/issue.ts";
import type { Part, Seal } from "../../model/parts.ts";
import { isSaid } from "../rules/said.ts";
import { isAtHome } from "../rules/seals.ts";
import { callsBehind, unreasoned } from "./calls-behind.ts";
import { type Draft, type Item, placeIn } from "./draft.ts";
import { faultsOf, faultyItems, without } from "./faults.ts";
import type { RepairName } from "./names.ts";

/** Seals of others, and reasoning that only they could read. The stored conversation keeps them: they go home again. */
export function dropSeals(draft: Draft): void {
  const faults = faultsOf(draft, "seals-at-home");
  const own = faultyItems(faults.filter(({ inner }) => inner.length === 1));
  const faulty = faultyItems(faults);
  if (faulty.size === 0) return;
  const isHome = (seal: Seal): boolean => {
    const home = draft.rules["seals-at-home"];
    return home === undefined || isAtHome(seal, home, draft.model);
  };
  const gone = new Set([...own].filter(({ part }) => part.type === "reasoning"));
  const alone: ReadonlySet<Item> = draft.rules["item-ids"] ? callsBehind(draft, gone) : new Set();
  draft.mapItems(given => {
    if (!faulty.has(given)) return alone.has(given) ? withoutItemId(given, draft, unreasoned) : given.part;
    const tell = (inner: Path, what: string): void => draft.changed("drop-seals", placeIn(given, inner), what);
    const item = { ...given, part: unsealedInside(given.part, [], { tell, isHome }) };
    const { seal } = item.part;
    if (item.part.type === "reasoning" && own.has(given))
      return withoutReasoning(item, { draft, repair: "drop-seals", why: `it is of ${makerOf(seal)}` });
    return unsealed({ part: item.part, was: given.part, seal: own.has(given) ? seal : undefined }, [], tell);
  });
}

/** Whether the part is a compaction that whoever is asked cannot read. */
export const isUnread = (part: Part, reads: ReadsCompaction): boolean => part.type === "compaction" && !reads(part);

/** Compactions that stand for nothing to whom is asked: the history that they stand for is read again. */
export function dropCompactions(draft: Draft, reads: ReadsCompaction): void {
  draft.mapItems(({ part, path }) => {
    if (!isUnread(part, reads)) return part;
    const what = `the compaction of ${makerOf(part.seal)} stays home, which nobody else can read`;
    draft.changed("drop-seals", path, `${what}: the history that it stands for is sent, as far as it is there`);
    return undefined;
  });
}

type Tell = (path: Path, what: string) => void;

const makerOf = (seal: Seal | undefined): string => seal?.maker ?? "an unknown maker";

/** The part without a seal that stays home; none where nothing else was in it. `was`: as it was before what is in it was unsealed. */
function unsealed(
  { part, was, seal }: { readonly part: Part; readonly was: Part; readonly seal: Seal | undefined },
  path: Path,
  tell: Tell,
): Part | undefined {
  const bare = seal ? without(part, "seal") : part;
  const isNothing = (seal !== undefined && !saysOpenly(bare)) || isHusk(bare, was);
  if (seal)
    tell([...path, "seal"], `the seal of ${makerOf(seal)} stays home${isNothing ? ", and the part with it" : ""}`);
  else if (isNothing) tell(path, "the part is left out: all that it held were seals of others");
  return isNothing ? undefined : bare;
}

/** The part with what is in it unsealed where a seal is not at home; what is for people is sent nowhere, and stays. */
function unsealedInside(
  part: Part,
  path: Path,
  to: { readonly tell: Tell; readonly isHome: (seal: Seal) => boolean },
): Part {
  const { tell, isHome } = to;
  const away = ({ seal }: { readonly seal?: Seal }): Seal | undefined => (seal && isHome(seal) ? undefined : seal);
  return refineInside(part, path, {
    part: (was, at, member) =>
      member === "display" ? was : unsealed({ part: unsealedInside(was, at, to), was, seal: away(was) }, at, tell),
    citation: (citation, at) => {
      const seal = away(citation);
      if (!seal) return citation;
      tell([...at, "seal"], `the seal of ${makerOf(seal)} stays home`);
      const { seal: _, ...bare } = citation;
      return bare;
    },
    tool: tool => tool,
  });
}

/** Whether all that was said in a part went with the seals in it. */
const isHusk = (left: Part, part: Part): boolean => left !== part && isSaid(part) && !isSaid(left);

/** Reasoning as the policy says: left out, or as text where it has any. */
export function withoutReasoning(
  { part, path }: Item,
  { draft, repair, why }: { readonly draft: Draft; readonly repair: RepairName; readonly why: string },
): Part | undefined {
  const text = part.type === "reasoning" ? part.text : undefined;
  if (draft.policies.reasoning === "text" && text !== undefined && text !== "") {
    draft.changed(repair, path, `reasoning becomes text: ${why}`);
    return { type: "text", text };
  }
  draft.changed(repair, path, `reasoning is left out: ${why}`);
  return undefined;
}

/** Ids of items that the target does not know, or not as ids of such items. */
export function dropItemIds(draft: Draft): void {
  const faults = [...faultsOf(draft, "item-ids"), ...faultsOf(draft, "stored-items")];
  const named = faultyItems(faults.filter(({ inner }) => inner.length > 1));
  const absent = faultyItems(faults.filter(({ inner }) => inner.length === 1));
  const references = faultyItems(faults.filter(({ inner }) => inner.length === 0));
  if (faults.length === 0) return;
  draft.mapItems(item => {
    if (named.has(item))
      return withoutItemId(item, draft, "the id of the item is left out: it is none that this API looks up");
    if (references.has(item)) {
      draft.changed(
        "drop-item-ids",
        item.path,
        "an item that is only named is left out: it would be there twice, or not at all",
      );
      return undefined;
    }
    if (!absent.has(item)) return item.part;
    return withoutReasoning(item, { draft, repair: "drop-item-ids", why: "it is an id of what is not stored" });
  });
}

export function withoutItemId({ part, path }: Item, draft: Draft, why: string): Part {
  draft.changed("drop-item-ids", [...path, "seal", "values", "id"], why);
  const { seal } = part;
  if (!seal) return part;
  const { id: _, ...values } = seal.values;
  const left: Seal = { ...seal, values };
  return Object.keys(values).length > 0 ? { ...part, seal: left } : without(part, "seal");
}
