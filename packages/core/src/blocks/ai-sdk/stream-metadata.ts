/** How the AI SDK's readers put the metadata of a message together. */

import { equalJson, isJsonObject, type Json, type MutableJsonObject, setMember } from "../../model/json.ts";

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

/** Telling it again at each piece would be quadratic: a large one is told once as much has come as a share of its size. */
const small = 64;
const share = 8;

/** The metadata of a message while its pieces come. What was told is never changed. */
export class GrowingMetadata {
  #value: Json | undefined;
  /** Objects made since it was told: only they may be changed. */
  #made = new Set<object>();
  /** Members that were copied, and that were added, since it was told. */
  #copied = 0;
  #added = 0;

  constructor(value: Json | undefined) {
    this.#value = value;
  }

  merge(added: Json): void {
    this.#value = this.#value === undefined ? added : this.#into(this.#value, added);
  }

  get isDue(): boolean {
    return this.#copied <= small || this.#added * share >= this.#copied;
  }

  tell(): Json | undefined {
    this.#made = new Set();
    this.#copied = 0;
    this.#added = 0;
    return this.#value;
  }

  #into(base: Json, added: Json): Json {
    const merged = this.#own(base);
    for (const [key, value] of membersOf(added)) {
      if (unsafe.includes(key)) continue;
      this.#added++;
      const own = Object.hasOwn(merged, key) ? merged[key] : undefined;
      setMember(merged, key, isJsonObject(own) && isJsonObject(value) ? this.#into(own, value) : value);
    }
    return merged;
  }

  #own(base: Json): MutableJsonObject {
    if (isJsonObject(base) && this.#made.has(base)) return base;
    const copy: MutableJsonObject = {};
    for (const [key, value] of membersOf(base)) {
      this.#copied++;
      setMember(copy, key, value);
    }
    this.#made.add(copy);
    return copy;
  }
}

/** What is to be sent so that a reader of `before` reads `after`: the members that differ, where that suffices. */
export function changedMetadata(before: Json | undefined, after: Json): Json {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const changed: MutableJsonObject = {};
  for (const [key, value] of Object.entries(after)) {
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (known !== undefined && equalJson(known, value)) continue;
    setMember(changed, key, isJsonObject(known) && isJsonObject(value) ? changedMetadata(known, value) : value);
  }
  return changed;
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
