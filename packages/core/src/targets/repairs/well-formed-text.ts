import { refine } from "../../codec/provenance.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Draft } from "./draft.ts";
import { faultsOf, faultyItems } from "./faults.ts";

/** Half characters become U+FFFD, in whatever of the part a provider reads; ids and seals stay. */
export function wellFormedText(draft: Draft): void {
  const broken = faultyItems(faultsOf(draft, "well-formed-text"));
  if (broken.size === 0) return;
  draft.mapItems(item => {
    if (!broken.has(item)) return item.part;
    draft.changed("well-formed-text", item.path, "half a character is replaced by U+FFFD");
    return repaired(item.part as unknown as JsonObject) as unknown as typeof item.part; // a part is JSON of the same shape
  });
}

const kept: ReadonlySet<string> = new Set(["callId", "requestId", "id", "seal", "exact"]);

function repaired(object: JsonObject): JsonObject {
  const made: MutableJsonObject = {};
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    setMember(made, name.toWellFormed(), kept.has(name) ? value : cleaned(value));
  }
  return made;
}

function cleaned(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return refine(value, (each: Json) => cleaned(each));
  return isJsonObject(value) ? repaired(value) : value;
}
