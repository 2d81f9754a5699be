import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../model/json.ts";
import type { Node } from "../model/parts.ts";
import { isBlank, wholeHint } from "./hints.ts";
import { fill, fillGaps, isEmpty, native, present } from "./reader.ts";

export { present } from "./reader.ts";

const nothing = {};

/**
 * `native` of a node: what its wire object has beside its fields, and the codec's `$hints`. Wire members that begin with
 * `$` themselves, or have a name in `reserved`, stand under `$$members`, so that no hint is taken for one.
 */
export function kept(
  family: string,
  rest: JsonObject | undefined,
  hints: JsonObject = {},
  reserved: readonly string[] = [],
): { native?: NonNullable<Node["native"]> } {
  if (rest === undefined) return native(family, hints) ?? nothing;
  const plain: MutableJsonObject = {};
  const escaped: MutableJsonObject = {};
  for (const key of Object.keys(rest ?? {})) {
    const isTaken = key.startsWith("$") || reserved.includes(key);
    setMember(isTaken ? escaped : plain, key, rest?.[key] ?? null);
  }
  return native(family, plain, hints, Object.keys(escaped).length > 0 ? { $$members: escaped } : undefined) ?? {};
}

const none: JsonObject = {};

/** How the node's fields were spelled, and its remainder, in one object. */
export const hintsOf = (node: Node, family: string): JsonObject => node.native?.[family] ?? none;

/** The remainder of a node under the wire's own names, without hints. */
export function remainderOf(node: Node, family: string, reserved: readonly string[] = []): JsonObject {
  const all = hintsOf(node, family);
  if (all === none) return none;
  const members: MutableJsonObject = {};
  for (const key of Object.keys(all)) {
    if (!key.startsWith("$") && !reserved.includes(key)) setMember(members, key, all[key] ?? null);
  }
  const { $$members: escaped } = all;
  for (const key of isJsonObject(escaped) ? Object.keys(escaped) : []) {
    setMember(members, key, (escaped as { readonly [key: string]: Json })[key] ?? null); // an object, or there were no keys
  }
  return members;
}

/** The wire object of a node: fields first, then its remainder (R3). */
export const restored = (fields: JsonObject, node: Node, family: string): JsonObject =>
  node.native?.[family] === undefined ? present(fields) : fillAll(fields, remainderOf(node, family));

/** As `fill`, but members beginning with `$` are the wire's own. */
export function fillAll(fields: JsonObject, remainder: JsonObject): JsonObject {
  if (isEmpty(remainder)) return present(fields);
  return fillGaps(fields, remainder);
}

/** Members of an object that another does not have equal, deep into objects. */
export function beside(object: JsonObject, other: JsonObject): JsonObject | undefined {
  let rest: MutableJsonObject | undefined;
  for (const key of Object.keys(object)) {
    const [own, theirs] = [object[key] ?? null, other[key]];
    if (equalJson(own, theirs)) continue;
    const left = isJsonObject(own) && isJsonObject(theirs) ? beside(own, theirs) : own;
    rest ??= {};
    setMember(rest, key, left ?? {});
  }
  return rest;
}

/** Whether a wire object says something that what we would write in its place does not. */
export const saysMore = (wire: JsonObject, written: JsonObject): boolean => !isBlank(beside(wire, written) ?? null);

/** A usage object that adds up otherwise: content where it has counts or members that what we write has not. */
export const wholeUsage = (wire: JsonObject, written: JsonObject): JsonObject =>
  wholeHint("usage", wire, saysMore(wire, written));

/** What must be kept beside a usage object to write it again: its other members, or all of it where it adds up otherwise. */
export function usageRest(wire: JsonObject, written: JsonObject): JsonObject {
  const rest = beside(wire, written);
  if (!equalJson(fill(written, rest), wire)) return wholeUsage(wire, written);
  return rest === undefined ? {} : { usage: rest };
}
