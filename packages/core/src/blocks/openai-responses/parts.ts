/**
 * The entry for formats that embed Responses items: a list of items ↔ the parts of one message, whatever the sides of the
 * items, without knowledge of a request or an answer.
 */

import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { Calls } from "./calls.ts";
import { readItem } from "./items.ts";
import { numbered, writingOf } from "./messages.ts";
import type { Located, ReadScope, WriteScope } from "./node.ts";
import { unitsOf, writeUnit } from "./writing.ts";

/** The parts of items that stand in one message. `path`: where the list stands in the wire value. */
export function readParts(items: readonly Json[], path: Path, scope: ReadScope): Part[] {
  const calls = new Calls();
  const parts: Part[] = [];
  for (const [index, wire] of items.entries()) {
    const item = readItem(wire, index, [...path, index], { ...scope, calls });
    parts.push(...numbered(item, index, parts.at(-1)).map(({ part }) => part));
  }
  return parts;
}

/** The items of an assistant's parts. `path`: where the parts stand in the conversation. */
export function writeParts(parts: readonly Part[], path: Path, scope: WriteScope): Json[] {
  const writing = writingOf([{ role: "assistant", parts }], { scope, made: () => undefined });
  const located = parts.map((part, index): Located => ({ part, path: [...path, index] }));
  return unitsOf(located, "assistant", writing).flatMap(unit => writeUnit(unit, undefined, writing));
}
