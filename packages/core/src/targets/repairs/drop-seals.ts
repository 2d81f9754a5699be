import { refineInside } from "../../codec/provenance.ts";
import type { Path } from "../../model/issue.ts";
import type { Node, Part, Seal } from "../../model/parts.ts";
import { isAtHome } from "../rules/seals.ts";
import type { Draft, Item } from "./draft.ts";
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
  draft.mapItems(given => {
    if (!faulty.has(given)) return given.part;
    const item = { ...given, part: unsealedInside(given.part, given.path, { draft, isHome }) };
    if (!own.has(given)) return item.part;
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

/** The part with what is in it unsealed where a seal is not at home; what is for people is sent nowhere, and stays. */
function unsealedInside(
  part: Part,
  path: Path,
  to: { readonly draft: Draft; readonly isHome: (seal: Seal) => boolean },
): Part {
  const { draft, isHome } = to;
  const unsealed = <T extends Node & { readonly seal?: Seal }>(node: T, at: Path): T => {
    if (!node.seal || isHome(node.seal)) return node;
    const { seal, ...bare } = node;
    draft.changed("drop-seals", [...at, "seal"], `the seal of ${seal.maker ?? "an unknown maker"} stays home`);
    return bare as T; // a seal is optional wherever there is one
  };
  return refineInside(part, path, {
    part: (inner, at, member) => {
      if (member === "display") return inner;
      const bare = unsealed(unsealedInside(inner, at, to), at);
      return bare.seal !== inner.seal && isOnlySeal(bare) ? undefined : bare;
    },
    citation: unsealed,
    tool: tool => tool,
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
