import { refine } from "../../codec/provenance.ts";
import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import { cacheMarks } from "../rules/cache-marks.ts";
import { type Draft, placeIn } from "./draft.ts";
import { faultsOf } from "./faults.ts";

/** Of too many marks the last stay: each of them has all that is before it cached. What the wire does not have of one goes. */
export function dropCacheMarks(draft: Draft): void {
  const row = draft.rules["cache-marks"];
  if (!row) return;
  const outside: Path[] = [];
  cacheMarks(draft.view(), row, {
    asked: { target: draft.target, model: draft.model },
    report: path => void (path[0] === "messages" || outside.push(path)),
  });
  const faults = Map.groupBy(faultsOf(draft, "cache-marks"), ({ item }) => item);
  const told = `at most ${row.most} places may be marked to be cached, each in the wire's own way, and the last of them are kept`;
  const tell = (path: Path): void =>
    draft.changed("drop-cache-marks", path, path.at(-1) === "ttl" ? "the mark stays, without its lifetime" : told);
  for (const path of outside) {
    const [list, ...inner] = path;
    if (list === "tools") draft.tools = withoutEnd(draft.tools as unknown as Json, inner) as unknown as Draft["tools"];
    else draft.native = withoutEnd(draft.native ?? {}, inner) as Draft["native"];
    tell(path);
  }
  draft.mapItems(item => {
    let part = item.part as unknown as Json; // a part is JSON
    for (const { inner } of faults.get(item) ?? []) {
      tell(placeIn(item, inner));
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
