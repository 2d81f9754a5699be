import { saysOpenly } from "../../codec/recipient.ts";
import { refusalCode } from "../../codec/refusals.ts";
import { contextIndexes } from "../../model/context.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { formatPath, type Loss, type Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import { piecesOf } from "../rules/said.ts";
import { type Draft, plainList } from "./draft.ts";
import { without } from "./faults.ts";

/** Messages and parts of a conversation by their places; without a part: the whole message. And tools, by theirs. */
export interface LeftOut {
  readonly parts: readonly { readonly message: number; readonly part?: number; readonly why: string }[];
  /** Calls and results that are written, but as those of a plain function: without their kind, or the seal that told them. */
  readonly kinds: readonly { readonly message: number; readonly part: number }[];
  readonly tools: ReadonlySet<number>;
}

/** What of a conversation is not in what was written of it. */
export function leftOutOf(losses: readonly Loss[], conversation: Conversation): LeftOut {
  const parts: LeftOut["parts"][number][] = [];
  const kinds: LeftOut["kinds"][number][] = [];
  const tools = new Set<number>();
  const gone: Gone = new Map();
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
    if (isGone(part, path, 4, gone)) parts.push({ message: index, part: place, why });
  }
  return { parts, kinds, tools };
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
export function withoutLeftOut(conversation: Conversation, { parts, kinds, tools }: LeftOut): Conversation {
  const gone = placesOf(parts);
  const plain = placesOf(kinds);
  const messages = contextIndexes(conversation).flatMap((index): readonly Message[] => {
    const message = conversation.messages[index];
    const places = gone.get(index) ?? none;
    const bare = plain.get(index) ?? none;
    if (!message || places === "all" || bare === "all") return [];
    if (places.size + bare.size === 0) return [message];
    const left = message.parts.map((part, place) => (bare.has(place) ? plainOf(part) : part));
    return [{ ...message, parts: left.filter((_, place) => !places.has(place)) }];
  });
  const { tools: offered, head: _, ...others } = conversation;
  const left = offered?.filter((_, index) => !tools.has(index)) ?? [];
  return { ...others, messages: plainList(messages), ...(left.length > 0 && { tools: left }) };
}

/** A result that its provider gave is known by its kind, or by its seal. */
const plainOf = (part: Part): Part =>
  part.type === "tool-result" ? without(part, "kind", "seal") : without(part, "kind");

const none: ReadonlySet<number> = new Set();

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
export function leaveOut(draft: Draft, { parts, kinds, tools }: LeftOut): void {
  const placed = draft.placed();
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
  for (const index of tools) draft.changed("leave-out", ["tools", index], "the tool has no place in the request");
  if (tools.size === 0) return;
  const left = draft.tools?.filter((_, index) => !tools.has(index)) ?? [];
  draft.tools = left.length > 0 ? left : undefined;
}
