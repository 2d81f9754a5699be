/** How the AI SDK's readers put the metadata of a message together. */

import { isJsonObject, type Json, type MutableJsonObject, setMember } from "../model/json.ts";

/** Keys that could reach a prototype: never merged, though they stay where they came first. */
const unsafe: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Later metadata over earlier: objects deep, all else replaced. A list or a text at the top counts as its members. */
export function mergedMetadata(base: Json, added: Json): Json {
  const merged: MutableJsonObject = {};
  for (const [key, value] of membersOf(base)) setMember(merged, key, value);
  for (const [key, value] of membersOf(added)) {
    if (unsafe.includes(key)) continue;
    const own = Object.hasOwn(merged, key) ? merged[key] : undefined;
    setMember(merged, key, isJsonObject(own) && isJsonObject(value) ? mergedMetadata(own, value) : value);
  }
  return merged;
}

/** The value without the keys that make the SDK's readers refuse all of it. */
export function withoutUnsafe(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutUnsafe);
  if (!isJsonObject(value)) return value;
  const kept: MutableJsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const reaches = key === "constructor" && isJsonObject(member) && Object.hasOwn(member, "prototype");
    if (key !== "__proto__" && !reaches) setMember(kept, key, withoutUnsafe(member));
  }
  return kept;
}

const membersOf = (value: Json): [string, Json][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value)
    : typeof value === "string"
      ? Object.entries([...value])
      : [];
