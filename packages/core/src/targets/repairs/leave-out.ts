import type { Conversation } from "../../model/conversation.ts";
import type { Loss, Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import type { Draft } from "./draft.ts";

/** Messages and parts of a conversation by their places; without a part: the whole message. And tools, by theirs. */
export interface LeftOut {
  readonly parts: readonly { readonly message: number; readonly part?: number; readonly why: string }[];
  readonly tools: ReadonlySet<number>;
}

/** What of a conversation is not in what was written of it. */
export function leftOutOf(losses: readonly Loss[], conversation: Conversation): LeftOut {
  const parts: LeftOut["parts"][number][] = [];
  const tools = new Set<number>();
  for (const { kind, path, message: why } of losses) {
    const [root, index, , place] = path;
    if (kind !== "dropped" || typeof index !== "number") continue;
    if (root === "tools" && path.length === 2) tools.add(index);
    if (root !== "messages") continue;
    const message = conversation.messages[index];
    if (message?.parts.length === 0 && path.length === 2) parts.push({ message: index, why });
    const part = typeof place === "number" ? message?.parts[place] : undefined;
    if (part && typeof place === "number" && isWhole(part, path)) parts.push({ message: index, part: place, why });
  }
  return { parts, tools };
}

/** Whether nothing of the part is left where this is lost: it goes with its content, or with the seal that it is. */
function isWhole(part: Part, path: Path): boolean {
  const [, , list, , member, ...more] = path;
  if (list !== "parts" || more.length > 0) return false;
  if (member === undefined || (member === "source" && part.type === "file")) return true;
  const isBare = (part.type === "reasoning" || part.type === "text") && (part.text ?? "") === "";
  return member === "seal" && (isBare || (part.type === "compaction" && part.summary === undefined));
}

/** The conversation without that. */
export function withoutLeftOut(conversation: Conversation, { parts, tools }: LeftOut): Conversation {
  const gone = placesOf(parts);
  const messages = conversation.messages.flatMap((message, index) => {
    const places = gone.get(index);
    if (!places) return [message];
    const left = message.parts.filter((_, place) => !places.has(place));
    return left.length > 0 ? [{ ...message, parts: left }] : [];
  });
  const { tools: offered, ...others } = conversation;
  const left = offered?.filter((_, index) => !tools.has(index)) ?? [];
  return { ...others, messages, ...(left.length > 0 && { tools: left }) };
}

const placesOf = (parts: LeftOut["parts"]): ReadonlyMap<number, ReadonlySet<number>> => {
  const places = new Map<number, Set<number>>();
  for (const { message, part } of parts) {
    const known = places.get(message) ?? new Set();
    places.set(message, known);
    if (part !== undefined) known.add(part);
  }
  return places;
};

/** What the target's format has no place for, where the rest of it breaks a rule. `left` is of the draft as it is now. */
export function leaveOut(draft: Draft, { parts, tools }: LeftOut): void {
  const placed = draft.placed();
  const gone = placesOf(parts);
  const emptied = new Set<unknown>();
  for (const { message: index, part: place, why } of parts) {
    const message = placed(index);
    const path = place === undefined ? message?.path : message?.items[place]?.path;
    if (path) draft.changed("leave-out", path, `it has no place in the request: ${why}`);
  }
  for (const [index, places] of gone) {
    const message = placed(index);
    if (!message) continue;
    message.items = message.items.filter((_, place) => !places.has(place));
    if (message.items.length === 0) emptied.add(message);
  }
  draft.messages = draft.messages.filter(message => !emptied.has(message));
  for (const index of tools) draft.changed("leave-out", ["tools", index], "the tool has no place in the request");
  if (tools.size === 0) return;
  const left = draft.tools?.filter((_, index) => !tools.has(index)) ?? [];
  draft.tools = left.length > 0 ? left : undefined;
}
