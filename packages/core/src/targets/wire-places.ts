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
      const calls =
        messages[place.message]?.parts.slice(0, part).filter(({ type }) => type === "tool-call").length ?? 0;
      return { message: place.wire, part: place.before + part, call: calls };
    },
    pathAt: (wire, part) => {
      const place = byWire.get(wire) ?? nearest(places, wire);
      if (!place) return undefined;
      const path = ["messages", place.message];
      if (part === undefined) return path;
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

/** How many pieces of the wire's list a message is. */
function widthOf({ role, parts }: Message, { counts }: Target): number {
  if (counts === "items") return Math.max(1, parts.length);
  if (counts !== "results" || role !== "tool") return 1;
  return Math.max(1, parts.filter(({ type }) => type === "tool-result").length);
}
