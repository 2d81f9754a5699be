import { isJsonObject, type JsonObject, type MutableJsonObject, setMember } from "../model/json.ts";

/** The node with these members. `native` is merged deep, by family and into objects, never into arrays; the rest is replaced. */
export function mergeMembers<T extends object>(node: T, members: object): T {
  const merged = { ...(node as JsonObject) }; // a node is plain JSON
  const added = members as JsonObject; // members of a node too
  for (const key of Object.keys(added)) {
    const value = added[key];
    if (value === undefined) continue;
    const own = merged[key];
    const isMerged = key === "native" && isJsonObject(own) && isJsonObject(value);
    setMember(merged, key, isMerged ? mergeObjects(own, value) : value);
  }
  return merged as T; // members are added and replaced, none is taken away
}

/** Iterative: native members may be nested as deep as JSON goes. */
function mergeObjects(base: JsonObject, added: JsonObject): JsonObject {
  const merged: MutableJsonObject = { ...base };
  const open: [MutableJsonObject, JsonObject][] = [[merged, added]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [into, from] = next;
    for (const key of Object.keys(from)) {
      const value = from[key];
      if (value === undefined) continue;
      const own = Object.hasOwn(into, key) ? into[key] : undefined;
      if (isJsonObject(own) && isJsonObject(value)) {
        const copy = { ...own };
        setMember(into, key, copy);
        open.push([copy, value]);
      } else setMember(into, key, value);
    }
  }
  return merged;
}
