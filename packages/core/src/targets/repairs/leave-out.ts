import { saysOpenly } from "../../codec/recipient.ts";
import { refusalCode } from "../../codec/refusals.ts";
import { contextIndexes } from "../../model/context.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { formatPath, type Loss, type Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import { piecesOf } from "../rules/said.ts";
import { type Draft, type Item, placeIn, plainList } from "./draft.ts";
import { piecesAt, without, withoutPieces } from "./faults.ts";

/** Messages and parts of a conversation by their places; without a part: the whole message. And tools, by theirs. */
export interface LeftOut {
  readonly parts: readonly { readonly message: number; readonly part?: number; readonly why: string }[];
  /** Pieces of documents and summaries of which others are written, by their ways in their parts. */
  readonly pieces: readonly {
    readonly message: number;
    readonly part: number;
    readonly inner: Path;
    readonly why: string;
  }[];
  /** Calls and results that are written, but as those of a plain function: without their kind, or the seal that told them. */
  readonly kinds: readonly { readonly message: number; readonly part: number }[];
  readonly tools: ReadonlySet<number>;
}

/** What of a conversation is not in what was written of it. */
export function leftOutOf(losses: readonly Loss[], conversation: Conversation): LeftOut {
  const parts: LeftOut["parts"][number][] = [];
  const pieces: LeftOut["pieces"][number][] = [];
  const kinds: LeftOut["kinds"][number][] = [];
  const tools = new Set<number>();
  const lost: Gone = new Map();
  const told = toldOf(losses, conversation);
  for (const { kind, path, message: why } of losses) {
    const [root, index, list, place, member] = path;
    if (typeof index !== "number") continue;
    const isPlain = member === "kind" || (member === "seal" && isResultAt(conversation, index, place));
    if (root === "messages" && isPlain && path.length === 5 && typeof place === "number")
      kinds.push({ message: index, part: place });
    if (kind !== "dropped") continue;
    if (root === "tools" && path.length === 2) tools.add(index);
    if (root !== "messages" || told.has(formatPath(path))) continue;
    if (path.length === 2) parts.push({ message: index, why });
    const part = list === "parts" && typeof place === "number" ? conversation.messages[index]?.parts[place] : undefined;
    if (!part || typeof place !== "number") continue;
    if (isGone(part, path, 4, lost)) parts.push({ message: index, part: place, why });
    else if (isPiece(part, path.slice(4))) pieces.push({ message: index, part: place, inner: path.slice(4), why });
  }
  const gone = placesOf(parts);
  return { parts, pieces: pieces.filter(({ message, part }) => !has(gone, message, part)), kinds, tools };
}

/** Whether the path leads to a piece of the part, or of a piece of it, and no deeper. */
function isPiece(part: Part, path: Path): boolean {
  const { pieces, steps } = piecesOf(part) ?? { pieces: [], steps: [] };
  const piece = steps.every((step, index) => step === path[index]) ? pieces[Number(path[steps.length])] : undefined;
  if (!piece || part.seal !== undefined) return false;
  const inner = path.slice(steps.length + 1);
  return inner.length === 0 || isPiece(piece, inner);
}

/**
 * Answers that deny a call, and their messages: they are in what was written, as results (R23). So are the requests that lead
 * from such an answer to its call, where it does not name the call itself.
 */
function toldOf(losses: readonly Loss[], { messages }: Conversation): ReadonlySet<string> {
  const paths = losses.flatMap(({ code, path }) => (code === refusalCode ? [path] : []));
  const requests = new Set<string>();
  for (const [, message, , place] of paths) {
    const answer = messages[Number(message)]?.parts[Number(place)];
    if (answer?.type === "approval-response" && answer.callId === undefined) requests.add(answer.requestId);
  }
  const asking =
    requests.size === 0 ? [] : messages.flatMap(({ parts }, message) => placesIn(parts, message, requests));
  return new Set([...paths, ...asking].flatMap(path => [formatPath(path), formatPath(path.slice(0, 2))]));
}

const placesIn = (parts: readonly Part[], message: number, requests: ReadonlySet<string>): readonly Path[] =>
  parts.flatMap((part, place) =>
    part.type === "approval-request" && requests.has(part.requestId) ? [["messages", message, "parts", place]] : [],
  );

const isResultAt = ({ messages }: Conversation, index: number, place: Path[number] | undefined): boolean =>
  messages[index]?.parts[Number(place)]?.type === "tool-result";

/** What of a list, or of the values of a seal, is lost so far: by the way to these. */
type Gone = Map<string, Set<Path[number]>>;

/** Whether the last of them is lost with this one. */
function isLast(path: Path, count: number, gone: Gone): boolean {
  const list = formatPath(path.slice(0, -1));
  const lost = gone.get(list) ?? new Set();
  gone.set(list, lost);
  return lost.size < count && lost.add(path.at(-1) ?? "").size === count;
}

/**
 * Whether nothing of the part is left now that this is lost: it goes with its content, with its last piece, or with the seal that it is.
 * @param depth how many steps of the path lead to the part
 */
function isGone(part: Part, path: Path, depth: number, gone: Gone): boolean {
  const [member, ...more] = path.slice(depth);
  if (member === undefined) return true;
  if (part.type === "file" && member === "source" && more.length === 0) return true;
  if (member === "seal") {
    const values = Object.keys(part.seal?.values ?? {}).length;
    return !saysOpenly(part) && (more.length === 0 || (more.length === 2 && isLast(path, values, gone)));
  }
  const { pieces, steps } = piecesOf(part) ?? { pieces: [], steps: [] };
  const end = depth + steps.length;
  const place = path[end];
  const piece = steps.every((step, index) => step === path[depth + index]) ? pieces[Number(place)] : undefined;
  if (!piece || place === undefined || part.seal !== undefined) return false;
  return isGone(piece, path, end + 1, gone) && isLast(path.slice(0, end + 1), pieces.length, gone);
}

/** What a model reads of the conversation without that. A message that is not written says so itself: one without parts may be. */
export function withoutLeftOut(conversation: Conversation, { parts, pieces, kinds, tools }: LeftOut): Conversation {
  const gone = placesOf(parts);
  const plain = placesOf(kinds);
  const cut = waysOf(pieces);
  const messages = contextIndexes(conversation).flatMap((index): readonly Message[] => {
    const message = conversation.messages[index];
    const places = gone.get(index) ?? none;
    const bare = plain.get(index) ?? none;
    if (!message || places === "all" || bare === "all") return [];
    const ways = cut.get(index);
    if (places.size + bare.size === 0 && !ways) return [message];
    const left = message.parts.flatMap((part, place): readonly Part[] => {
      if (places.has(place)) return [];
      const kept = cutOf({ part: bare.has(place) ? plainOf(part) : part, path: [] }, ways?.get(place));
      return kept ? [kept] : [];
    });
    return [{ ...message, parts: left }];
  });
  const { tools: offered, head: _, ...others } = conversation;
  const left = offered?.filter((_, index) => !tools.has(index)) ?? [];
  return { ...others, messages: plainList(messages), ...(left.length > 0 && { tools: left }) };
}

/** A result that its provider gave is known by its kind, or by its seal. */
const plainOf = (part: Part): Part =>
  part.type === "tool-result" ? without(part, "kind", "seal") : without(part, "kind");

/** Ways to pieces, by messages and their parts. */
type Ways = ReadonlyMap<number, ReadonlyMap<number, readonly Way[]>>;
type Way = Pick<LeftOut["pieces"][number], "inner" | "why">;

function waysOf(pieces: LeftOut["pieces"]): Ways {
  const ways = new Map<number, Map<number, Way[]>>();
  for (const { message, part, inner, why } of pieces) {
    const places = ways.get(message) ?? new Map<number, Way[]>();
    ways.set(message, places);
    const known = places.get(part);
    if (known) known.push({ inner, why });
    else places.set(part, [{ inner, why }]);
  }
  return ways;
}

/** The part without these pieces; none where nothing is left of it. */
function cutOf(item: Item, ways: readonly Way[] | undefined): Part | undefined {
  if (!ways) return item.part;
  return withoutPieces(item, { pieces: piecesAt(ways.map(({ inner }) => ({ item, inner }))), tell: () => {} });
}

const none: ReadonlySet<number> = new Set();

const has = (places: ReturnType<typeof placesOf>, message: number, part: number): boolean => {
  const known = places.get(message);
  return known === "all" || known?.has(part) === true;
};

const placesOf = (
  parts: readonly { readonly message: number; readonly part?: number }[],
): ReadonlyMap<number, ReadonlySet<number> | "all"> => {
  const places = new Map<number, Set<number> | "all">();
  for (const { message, part } of parts) {
    const known = places.get(message) ?? new Set();
    if (part === undefined || known === "all") places.set(message, "all");
    else places.set(message, known.add(part));
  }
  return places;
};

/** What the target's format has no place for, where the rest of it breaks a rule. `left` is of the draft as it is now. */
export function leaveOut(draft: Draft, { parts, pieces, kinds, tools }: LeftOut): void {
  const placed = draft.placed();
  const bare = cutPieces(draft, pieces, placed);
  for (const [index, places] of placesOf(kinds)) {
    const message = placed(index);
    if (!message || places === "all") continue;
    message.items = message.items.map((item, place) => {
      if (!places.has(place)) return item;
      draft.changed("leave-out", item.path, "what tells it from a function's has no place in the request");
      return { part: plainOf(item.part), path: item.path };
    });
  }
  const gone = placesOf(parts);
  const emptied = new Set<unknown>();
  const told = placesOf(parts.filter(({ part }) => part !== undefined));
  for (const { message: index, part: place, why } of parts) {
    const message = placed(index);
    const own = told.get(index);
    // A message of which each part is told is told.
    if (place === undefined && own && own !== "all" && own.size > 0 && own.size === message?.items.length) continue;
    const path = place === undefined ? message?.path : message?.items[place]?.path;
    if (path) draft.changed("leave-out", path, `it has no place in the request: ${why}`);
  }
  for (const [index, places] of gone) {
    const message = placed(index);
    if (!message) continue;
    if (places !== "all") message.items = message.items.filter((_, place) => !places.has(place));
    if (places === "all" || message.items.length === 0) emptied.add(message);
  }
  draft.messages = draft.messages.filter(message => !emptied.has(message));
  if (bare.size > 0) draft.mapItems(item => (bare.has(item) ? undefined : item.part));
  for (const index of tools) draft.changed("leave-out", ["tools", index], "the tool has no place in the request");
  if (tools.size === 0) return;
  const left = draft.tools?.filter((_, index) => !tools.has(index)) ?? [];
  draft.tools = left.length > 0 ? left : undefined;
}

/** Before any part goes, so that the places are those of all. Items of which nothing is left stay for now. */
function cutPieces(draft: Draft, pieces: LeftOut["pieces"], placed: ReturnType<Draft["placed"]>): ReadonlySet<Item> {
  const bare = new Set<Item>();
  for (const [index, ways] of waysOf(pieces)) {
    const message = placed(index);
    if (!message) continue;
    message.items = message.items.map((item, place) => {
      const cut = ways.get(place);
      const part = cutOf(item, cut);
      for (const { inner, why } of cut ?? [])
        draft.changed("leave-out", placeIn(item, inner), `it has no place in the request: ${why}`);
      if (part !== undefined) return part === item.part ? item : { part, path: item.path };
      bare.add(item);
      return item;
    });
  }
  return bare;
}
