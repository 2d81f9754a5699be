import type { Part, Seal } from "../../model/parts.ts";
import type { Draft, Item } from "./draft.ts";
import { faultsOf, faultyItems, without } from "./faults.ts";
import type { RepairName } from "./names.ts";

/** Seals of others, and reasoning that only they could read. The stored conversation keeps them: they go home again. */
export function dropSeals(draft: Draft): void {
  const faulty = faultyItems(faultsOf(draft, "seals-at-home"));
  if (faulty.size === 0) return;
  draft.mapItems(item => {
    if (!faulty.has(item)) return item.part;
    const maker = item.part.seal?.maker ?? "an unknown maker";
    if (item.part.type === "reasoning")
      return withoutReasoning(item, { draft, repair: "drop-seals", why: `it is of ${maker}` });
    const part = without(item.part, "seal");
    const isNothing = isOnlySeal(part);
    draft.changed(
      "drop-seals",
      [...item.path, "seal"],
      `the seal of ${maker} stays home${isNothing ? ", and the part with it" : ""}`,
    );
    return isNothing ? undefined : part;
  });
}

const isOnlySeal = (part: Part): boolean =>
  (part.type === "text" && part.text === "") || (part.type === "compaction" && part.summary === undefined);

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
    if (named.has(item)) {
      draft.changed(
        "drop-item-ids",
        [...item.path, "seal", "values", "id"],
        "the id of the item is left out: it is none that this API looks up",
      );
      return withoutId(item.part);
    }
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

function withoutId(part: Part): Part {
  const { seal } = part;
  if (!seal) return part;
  const { id: _, ...values } = seal.values;
  const left: Seal = { ...seal, values };
  return Object.keys(values).length > 0 ? { ...part, seal: left } : without(part, "seal");
}
