/** Members whose values are known to the host alone that gave them out: ids of what it has stored, and what it has sealed (R14). */

import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../model/json.ts";

const stored: ReadonlySet<string> = new Set([
  "previous_response_id",
  "conversation",
  "prompt",
  "container",
  "container_id",
  "vector_store_ids",
  "session_id",
  "file_id",
  "file_ids",
]);
/** Settings under the name of an id: what is inside of them is looked at. */
const settings: ReadonlySet<string> = new Set(["container"]);

function isState(name: string, value: Json): boolean {
  const isNothing = value === null || value === "" || typeof value === "boolean" || typeof value === "number";
  if (isNothing || (settings.has(name) && typeof value !== "string")) return false;
  return stored.has(name) || /encrypted|signature|ciphertext/.test(name);
}

/** Whether something in the value is known to its host alone. */
export function hasState(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasState);
  if (!isJsonObject(value)) return false;
  return Object.keys(value).some(name => isState(name, value[name] ?? null) || hasState(value[name]));
}

/** The object without what is known to its host alone; `drop` is told each. */
export function withoutState(object: JsonObject, drop: (name: string) => void): JsonObject {
  const left: MutableJsonObject = {};
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    if (isState(name, value)) drop(name);
    else setMember(left, name, cleaned(value, drop));
  }
  return left;
}

function cleaned(value: Json, drop: (name: string) => void): Json {
  if (isJsonObject(value)) return withoutState(value, drop);
  return Array.isArray(value) ? value.map((each: Json) => cleaned(each, drop)) : value;
}
