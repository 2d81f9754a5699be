/** The order of the keys of a block, where it is not the one that it is written in: bytes and hashes depend on it. */

import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";

/** Orders of the objects in a block that differ from what was written, by path; undefined where none does. */
export function keyOrder(read: JsonObject, written: JsonObject): JsonObject | undefined {
  const orders: MutableJsonObject = {};
  const pending: { read: Json; written: Json; path: string }[] = [{ read, written, path: "" }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { read: from, written: to, path } = next;
    if (from === to) continue;
    if (Array.isArray(from) && Array.isArray(to)) {
      from.forEach((item: Json, index) => {
        pending.push({ read: item, written: (to as readonly Json[])[index] ?? null, path: `${path}/${index}` });
      });
    } else if (isJsonObject(from) && isJsonObject(to)) {
      const keys = Object.keys(from);
      if (keys.join("\n") !== Object.keys(to).join("\n")) setMember(orders, path, keys);
      for (const key of keys)
        pending.push({ read: from[key] ?? null, written: to[key] ?? null, path: `${path}/${pointerStep(key)}` });
    }
  }
  return Object.keys(orders).length > 0 ? orders : undefined;
}

const pointerStep = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** The block with its objects in these orders; members that an order does not know stand behind. */
export function ordered(block: JsonObject, orders: Json): JsonObject {
  if (!isJsonObject(orders)) return block;
  const inside = new Set<string>();
  for (const path of Object.keys(orders)) {
    for (let end = path.length; end >= 0; end = end === 0 ? -1 : Math.max(path.lastIndexOf("/", end - 1), 0)) {
      inside.add(path.slice(0, end));
    }
  }
  return inOrder(block, "", { orders, inside }) as JsonObject; // an object gives an object
}

interface Orders {
  readonly orders: JsonObject;
  /** Paths at which, or below which, an order is known. */
  readonly inside: ReadonlySet<string>;
}

/** Values without an order keep their identity, on which their exact spelling depends. */
function inOrder(value: Json, path: string, from: Orders): Json {
  if (!from.inside.has(path)) return value;
  if (Array.isArray(value)) return value.map((item: Json, index) => inOrder(item, `${path}/${index}`, from));
  if (!isJsonObject(value)) return value;
  const order = Object.hasOwn(from.orders, path) ? from.orders[path] : undefined;
  const known = Array.isArray(order) ? order.filter(key => typeof key === "string") : [];
  const result: MutableJsonObject = {};
  for (const key of [...known, ...Object.keys(value)]) {
    if (!Object.hasOwn(value, key) || Object.hasOwn(result, key)) continue;
    setMember(result, key, inOrder(value[key] ?? null, `${path}/${pointerStep(key)}`, from));
  }
  return result;
}
