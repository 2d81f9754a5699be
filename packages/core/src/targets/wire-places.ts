/** Where a provider counts the pieces of a request that it names by number. */

import type { Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { Values } from "./rules/rule.ts";
import type { Target } from "./target.ts";
import { isJoined, type View } from "./turns.ts";

export interface WirePlaces {
  /** Numbers that an error text names the piece at this path by. */
  valuesAt(path: Path): Values;
  /** The piece that an error text names by these numbers: a message, or a part of it. */
  pathAt(message: number, part?: number): Path | undefined;
}

interface Place {
  readonly message: number;
  readonly wire: number;
  /** How many blocks of its wire message stand before it. */
  readonly before: number;
}

export function wirePlaces(view: View, target: Target): WirePlaces {
  const places = placesOf(view, target);
  const byMessage = new Map(places.map(place => [place.message, place]));
  const byWire = new Map<number, Place>();
  for (const place of places) if (!byWire.has(place.wire)) byWire.set(place.wire, place);
  const { messages } = view.conversation;
  return {
    valuesAt: ([root, index, , part]) => {
      const place = root === "messages" && typeof index === "number" ? byMessage.get(index) : undefined;
      if (!place || typeof part !== "number") return place ? { message: place.wire } : {};
      const role = messages[place.message]?.role;
      if (target.counts === "results" && role === "tool") return { message: place.wire + part };
      if (target.counts === "items") return { message: place.wire + itemsBefore(messages[place.message], part) };
      const calls =
        messages[place.message]?.parts.slice(0, part).filter(({ type }) => type === "tool-call").length ?? 0;
      return { message: place.wire, part: place.before + part, call: calls };
    },
    pathAt: (wire, part) => {
      const place = byWire.get(wire) ?? nearest(places, wire);
      if (!place) return undefined;
      const path = ["messages", place.message];
      if (part === undefined) {
        const own = pieceAt(messages[place.message], wire - place.wire, target);
        return own === undefined ? path : [...path, "parts", own];
      }
      if (target.counts === "items") {
        const first = pieceAt(messages[place.message], wire - place.wire, target) ?? 0;
        return [...path, "parts", first + part];
      }
      const own = places.findLast(each => each.wire === wire && each.before <= part) ?? place;
      return ["messages", own.message, "parts", part - own.before];
    },
  };
}

/** The message that a later number of several falls into. */
const nearest = (places: readonly Place[], wire: number): Place | undefined => {
  const last = places.at(-1);
  return wire < 0 || !last || wire > last.wire + 1000 ? undefined : places.findLast(each => each.wire <= wire);
};

function placesOf(view: View, target: Target): Place[] {
  const { messages } = view.conversation;
  const front = new Set(
    target.system === "apart" ? view.turns.slice(0, view.front).flatMap(turn => turn.messages) : [],
  );
  const places: Place[] = [];
  let next = 0;
  for (const index of view.sent) {
    const message = messages[index];
    if (!message || front.has(index)) continue;
    const last = places.at(-1);
    if (last && isJoined(message, target.format)) {
      const before = last.before + (messages[last.message]?.parts.length ?? 0);
      places.push({ message: index, wire: last.wire, before });
      continue;
    }
    places.push({ message: index, wire: next, before: 0 });
    next += widthOf(message, target);
  }
  return places;
}

/** The part that is one of several pieces that a message becomes. */
function pieceAt(message: Message | undefined, piece: number, { counts }: Target): number | undefined {
  if (!message || counts === "messages") return undefined;
  const { role, parts } = message;
  if (counts === "results") return role === "tool" && parts.length > 1 && parts[piece] ? piece : undefined;
  if (itemsBefore(message, parts.length) < 2) return undefined;
  const place = parts.findIndex((_, index) => itemsBefore(message, index + 1) > piece);
  return place === -1 ? undefined : place;
}

/** How many items stand before a part: neighbouring texts and files are one, whatever else is one by itself. */
function itemsBefore(message: Message | undefined, part: number): number {
  let items = 0;
  let isOpen = false;
  for (const [place, { type }] of (message?.parts ?? []).entries()) {
    const isContent = type === "text" || type === "refusal" || type === "file" || type === "data";
    if (!isContent || !isOpen) items += 1;
    isOpen = isContent;
    if (place >= part) return items - 1;
  }
  return items;
}

/** How many pieces of the wire's list a message is. */
function widthOf(message: Message, { counts }: Target): number {
  const { role, parts } = message;
  if (counts === "items") return Math.max(1, itemsBefore(message, parts.length));
  if (counts !== "results" || role !== "tool") return 1;
  return Math.max(1, parts.filter(({ type }) => type === "tool-result").length);
}
