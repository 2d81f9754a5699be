/** Lists of items of the Responses wire ↔ messages. */

import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { callsOfResults } from "../../model/result-calls.ts";
import { isAsked } from "./approvals.ts";
import type { WriteIds } from "./call-writing.ts";
import { readItem } from "./items.ts";
import {
  type ItemScope,
  itemPlaces,
  type Located,
  type Placed,
  type ReadItem,
  responses,
  type WriteScope,
} from "./node.ts";
import { joins, type Unit, unitsOf, type Writing, writeEmpty, writeUnit } from "./writing.ts";

export interface ReadMessage {
  readonly head: MessageHead;
  readonly parts: readonly Placed[];
  readonly carry: Json | undefined;
}

/** Items without borders of their own: neighbours of one side are one message (R15). A carry begins a message. */
const isJoined = (role: string): boolean => role === "assistant" || role === "tool";

/** The messages of a list of items. */
export function readItems(list: readonly Json[], scope: ItemScope, pathOf: (index: number) => Path): ReadMessage[] {
  const messages: { head: MessageHead; parts: Placed[]; carry: Json | undefined }[] = [];
  for (const [index, wire] of list.entries()) {
    const item = readItem(wire, index, pathOf(index), scope);
    const last = messages.at(-1);
    const isNeighbour = last?.head.role === item.role && isJoined(item.role) && item.carry === undefined;
    const before = isNeighbour ? last.parts.at(-1)?.part : undefined;
    const parts = numbered(item, index, before);
    if (isNeighbour) last.parts.push(...parts);
    else
      messages.push({
        head: { role: item.role, ...(item.native && { native: item.native }) },
        parts: [...parts],
        carry: item.carry,
      });
  }
  return messages;
}

/** The parts of an item, with the place of each in the list. `before`: the part of the same message that it follows. */
export function numbered(item: ReadItem, index: number, before: Part | undefined): Placed[] {
  const [first] = item.parts;
  const isNew = before !== undefined && first !== undefined && joins(before, first.part, item.role);
  return item.parts.map(({ place, part }, number) => ({
    place: index * itemPlaces + place,
    part: isNew && number === 0 ? asNew(part) : part,
  }));
}

/** A part that would be taken for one of the item before it. */
const asNew = (part: Part): Part => ({
  ...part,
  native: { ...part.native, [responses]: { ...hintsOf(part, responses), $item: "new" } },
});

// writing

/** Items, and the messages that they were written from: several where they are joined. */
export interface Group {
  readonly items: Json[];
  readonly first: number;
  count: number;
}

export interface WriteOptions {
  readonly scope: WriteScope;
  readonly made: WriteIds["made"];
}

export function writingOf(messages: readonly Message[], { scope, made }: WriteOptions): Writing {
  const asked = new Map<string, boolean>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === "approval-request") asked.set(part.requestId, isAsked(part));
  return {
    scope,
    ids: { named: idsToName(messages), made },
    callOf: callsOfResults(messages),
    asks: requestId => asked.get(requestId),
  };
}

/** Calls and results pair by id: where one of the two has to name it, both do. */
function idsToName(messages: readonly Message[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result") continue;
      const hints = hintsOf(part, responses);
      const isSpelled = Object.hasOwn(hints, "$call_id") || Object.hasOwn(hints, "$id");
      if (part.callId.startsWith("~") && !isSpelled) named.add(part.callId);
    }
  }
  return named;
}

/** The items of messages. What is written of neighbours of one side reads as one message. */
export function writeItems(messages: readonly Message[], writing: Writing, pathOf: (index: number) => Path): Group[] {
  const groups: Group[] = [];
  let side: string | undefined;
  let count = 0;
  for (const [index, message] of messages.entries()) {
    const path = pathOf(index);
    const written = writeMessage(message, path, { writing, count });
    count += written.reduce((sum, { items }) => sum + items.length, 0);
    const [first] = written;
    if (!first) continue;
    const last = groups.at(-1);
    if (last && isJoined(first.role) && first.role === side) {
      const from = last.count === 1 ? last.first : last.first + last.count; // each once
      for (let joined = from; joined <= index; joined++) writing.scope.lose("messages-joined", pathOf(joined));
      last.items.push(...written.flatMap(({ items }) => items));
      last.count = index - last.first + 1;
    } else groups.push({ items: written.flatMap(({ items }) => items), first: index, count: 1 });
    side = written.at(-1)?.role;
  }
  return groups;
}

interface Written {
  readonly role: string;
  readonly items: readonly Json[];
}

/** `count`: how many items are before it. */
function writeMessage(
  message: Message,
  path: Path,
  { writing, count }: { readonly writing: Writing; readonly count: number },
): Written[] {
  const { role, parts } = message;
  if (role === "control") {
    writing.scope.lose("control", path);
    return [];
  }
  const located = parts.map((part, index): Located => ({ part, path: [...path, "parts", index] }));
  const units = unitsOf(located, role, writing);
  let own: Message | undefined = message;
  let index = count;
  const written = units.flatMap((unit: Unit): Written[] => {
    const all = writeUnit(unit, unit.role === role ? own : undefined, numberedBy(writing, index));
    const items = writing.scope.recipient === "provider" ? all.filter(item => !isHusk(item)) : all;
    index += items.length;
    if (unit.role === role) own = undefined;
    return items.length > 0 ? [{ role: unit.role, items }] : [];
  });
  const isSplit = written.some(each => each.role !== role) || (!isJoined(role) && written.length > 1);
  if (isSplit) writing.scope.lose("split", path);
  if (written.length > 0) return written;
  const isSent = writing.scope.recipient === "provider" && message.native === undefined;
  if (!isJoined(role) && parts.length === 0 && !isSent) return [{ role, items: [writeEmpty(message, writing)] }];
  writing.scope.lose("empty-message", path);
  return [];
}

/** What is left of a message whose parts were all dropped: providers refuse it. */
const isHusk = (item: Json): boolean =>
  isJsonObject(item) &&
  item["role"] !== undefined &&
  item["role"] !== "assistant" &&
  Array.isArray(item["content"]) &&
  item["content"].length === 0;

/** Made ids tell the number of their item. */
export const numberedBy = (writing: Writing, index: number): Writing => ({
  ...writing,
  ids: { ...writing.ids, made: prefix => writing.ids.made(prefix, index) },
});

/** The items alone. */
export const itemsOf = (groups: readonly Group[]): Json[] => groups.flatMap(({ items }) => items);

/** Puts a carry into the first item of a group, where it has room for one. */
export function carryInto(group: object, carry: Json): void {
  const first: unknown = Array.isArray(group) ? group[0] : group;
  if (isJsonObject(first)) Object.assign(first, { translogue: carry });
}
