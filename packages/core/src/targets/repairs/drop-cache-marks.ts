import { refine } from "../../codec/provenance.ts";
import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import { cacheMarks } from "../rules/cache-marks.ts";
import { type Draft, placeIn } from "./draft.ts";
import { faultsOf } from "./faults.ts";

/** Of too many marks the last stay: each of them has all that is before it cached. */
export function dropCacheMarks(draft: Draft): void {
  const row = draft.rules["cache-marks"];
  if (!row) return;
  const tools = new Set<Path[number] | undefined>();
  cacheMarks(draft.view(), row, {
    asked: { target: draft.target, model: draft.model },
    report: ([list, place]) => list === "tools" && tools.add(place),
  });
  const faults = Map.groupBy(faultsOf(draft, "cache-marks"), ({ item }) => item);
  const told = `only ${row.most} places may be marked to be cached, and the last are kept`;
  draft.tools = draft.tools?.map((tool, place) => {
    if (!tools.has(place)) return tool;
    draft.changed("drop-cache-marks", ["tools", place, "cache"], told);
    const { cache: _, ...others } = tool;
    return others;
  });
  draft.mapItems(item => {
    let part = item.part as unknown as Json; // a part is JSON
    for (const { inner } of faults.get(item) ?? []) {
      draft.changed("drop-cache-marks", placeIn(item, inner), told);
      part = withoutEnd(part, inner);
    }
    return part as unknown as typeof item.part; // one member fewer, which is optional
  });
}

/** The value without the member at the end of the way. */
function withoutEnd(value: Json, [step = "", ...more]: Path): Json {
  if (Array.isArray(value))
    return refine(value, (each: Json, place) => (place === step ? withoutEnd(each, more) : each));
  const { [step]: inner = null, ...others } = value as { readonly [member: string]: Json }; // a step leads into it
  return more.length === 0 ? others : { ...others, [step]: withoutEnd(inner, more) };
}
