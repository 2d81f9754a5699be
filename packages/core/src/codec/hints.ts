import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/**
 * Keys of `native` that are no members of the wire. `$name` is spelling: whoever does not know it misses nothing that was
 * said. `$$name` holds content that has no field: what does not write it loses it, and the report says so (R2).
 */
const contentMark = "$$";

/** Whether whoever does not write this key of `native` loses something that was said. */
export const isContent = (key: string): boolean => !key.startsWith("$") || key.startsWith(contentMark);

/** The hint of a wire value that is kept whole: content where it says more than the fields do, else spelling. */
export const wholeHint = (name: string, value: Json, saysMore: boolean): JsonObject => ({
  [`${saysMore ? contentMark : "$"}${name}`]: value,
});

/** What `wholeHint` kept. */
export const wholeOf = (hints: JsonObject, name: string): Json | undefined =>
  hints[`${contentMark}${name}`] ?? hints[`$${name}`];

/** A member that a key of `native` holds: its name in the words of the wire, and where it stands. */
export interface HeldMember {
  readonly name: string;
  readonly steps: readonly string[];
}

/** What the members of a family say: neither spelling nor nothing. */
export const saidIn = (members: JsonObject): readonly HeldMember[] =>
  Object.keys(members).flatMap(key => (isContent(key) && !isBlank(members[key]) ? membersOf(key, members[key]) : []));

/** What a key of `native` holds. */
function membersOf(key: string, value: Json | undefined): readonly HeldMember[] {
  if (!key.startsWith(contentMark)) return [{ name: key, steps: [key] }];
  const name = key.slice(contentMark.length);
  const members = isJsonObject(value) ? Object.keys(value).filter(member => !isBlank(value[member])) : [];
  if (members.length === 0) return [{ name, steps: [key] }];
  return members.map(member => ({ name: name === "members" ? member : `${name}.${member}`, steps: [key, member] }));
}

/** Nothing is said: null, an empty list, an object that holds nothing else. A list of nulls says how many. */
export const isBlank = (value: unknown): boolean =>
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(isBlank));
