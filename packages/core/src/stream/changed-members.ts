import type { PartMembers } from "../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../model/json.ts";
import type { Part } from "../model/parts.ts";

/** Members that are new or other: what an event says of what is out already (E3). */
export function changedMembers<T extends object>(
  before: T,
  after: T,
  without: ReadonlySet<string> = new Set(),
): Partial<T> {
  const changed: Partial<T> = {};
  for (const key of Object.keys(after) as (keyof T & string)[]) {
    if (!without.has(key) && !equalJson(before[key], after[key])) changed[key] = after[key];
  }
  return changed;
}

/** The same of parts; undefined where something is gone, which no event can say. */
export function changedPart(before: Part, after: Part, without: ReadonlySet<string>): PartMembers | undefined {
  const from = before as unknown as JsonObject; // parts are JSON
  const to = after as unknown as JsonObject; // as above
  if (from["type"] !== to["type"] || Object.keys(from).some(key => to[key] === undefined)) return undefined;
  if (!keeps(from["native"], to["native"])) return undefined;
  const changed: MutableJsonObject = {};
  for (const key of Object.keys(to)) {
    if (!without.has(key) && !equalJson(from[key], to[key])) changed[key] = to[key] ?? null;
  }
  return changed as PartMembers; // members of the part, as they were compared
}

/** Members are added to native, and none is taken away. */
function keeps(before: Json | undefined, after: Json | undefined): boolean {
  if (!isJsonObject(before)) return true;
  if (!isJsonObject(after)) return false;
  return Object.keys(before).every(key => after[key] !== undefined && keeps(before[key], after[key]));
}
