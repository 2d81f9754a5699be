import type { Conversation, Message } from "./conversation.ts";
import { demandConversation } from "./given.ts";
import type { PartOf } from "./parts.ts";

/** Some message names the one before it. */
export const isTree = ({ messages }: Conversation): boolean => messages.some(({ parent }) => parent !== undefined);

/** Ids of messages → where they stand; of equal ids the first. */
export function indexById(messages: readonly Message[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  messages.forEach(({ id }, index) => {
    if (id !== undefined && !indexes.has(id)) indexes.set(id, index);
  });
  return indexes;
}

/**
 * Indexes of the messages from the root to the head, in that order. A plain list is its own path, up to its head if it names
 * one. Without a head, or with an unknown one, the last message counts; an unknown parent, or one met before, ends the path.
 */
export function pathToHead(conversation: Conversation): readonly number[] {
  const { messages, head } = conversation;
  const indexes = indexById(messages);
  const leaf = (head !== undefined ? indexes.get(head) : undefined) ?? messages.length - 1;
  return pathFrom(leaf, parentsIn(conversation, indexes), new Set());
}

/** Of each message the one that it follows: in a plain list, where no message names one, that before it. */
function parentsIn(
  conversation: Conversation,
  indexes: ReadonlyMap<string, number>,
): (index: number) => number | undefined {
  if (!isTree(conversation)) return index => index - 1;
  return index => {
    const parent = conversation.messages[index]?.parent;
    return typeof parent === "string" ? indexes.get(parent) : undefined;
  };
}

/** The path that ends at a message, from behind the nearest one that was met before. */
function pathFrom(
  leaf: number | undefined,
  parentOf: (index: number) => number | undefined,
  met: Set<number>,
): number[] {
  const path: number[] = [];
  for (let next = leaf; next !== undefined && next >= 0 && !met.has(next); next = parentOf(next)) {
    met.add(next);
    path.push(next);
  }
  return path.reverse();
}

/** Whether a model reads all messages, in their order: nothing is a tree, compacted, or not for it. */
export function isContext({ messages, head }: Conversation): boolean {
  if (head !== undefined) return false;
  for (const { parent, audience, role, parts } of messages) {
    if (parent !== undefined || audience === "user" || role === "control") return false;
    for (const { type } of parts) if (type === "compaction") return false;
  }
  return true;
}

/** Whether whoever reads the conversation can read what a compaction stands for. */
export type ReadsCompaction = (compaction: PartOf<"compaction">) => boolean;

const readsAll: ReadsCompaction = () => true;

/**
 * Indexes of the messages that a model reads, in that order (R26): see `context`. @param reads which compactions it can read: one that it
 * cannot stands for nothing, and the history is read as if it were not there
 */
export function contextIndexes(conversation: Conversation, reads: ReadsCompaction = readsAll): readonly number[] {
  const { messages } = conversation;
  if (isContext(conversation)) return [...messages.keys()];
  const path = unreplaced(pathToHead(conversation), conversation, reads);
  const isRead = (index: number): boolean => {
    const message = messages[index];
    return message?.audience !== "user" && message?.role !== "control";
  };
  const last = lastCompaction(path, messages, reads);
  if (!last) return path.filter(isRead);
  const { place, compaction } = last;
  const indexes = indexById(messages);
  const before = path.slice(0, place).filter(isRead);
  const turn = before.findIndex(index => !/^(?:system|developer)$/.test(messages[index]?.role ?? ""));
  const stays = compaction.replaces !== undefined || turn === -1 ? before : before.slice(0, turn);
  const kept = (compaction.keep ?? []).flatMap(id => indexes.get(id) ?? []);
  const order = [...stays, ...path.slice(place, place + 1), ...kept, ...path.slice(place + 1)];
  return [...new Set(order)].filter(isRead);
}

/** The path with the history before it that a compaction began a new root for, where that cannot be read. */
function unreplaced(path: readonly number[], conversation: Conversation, reads: ReadsCompaction): readonly number[] {
  if (reads === readsAll) return path;
  const { messages } = conversation;
  const indexes = indexById(messages);
  const parentOf = parentsIn(conversation, indexes);
  const met = new Set(path);
  const pieces = [path];
  for (;;) {
    const root = messages[pieces.at(-1)?.[0] ?? -1];
    const compaction = root?.parts.find(part => part.type === "compaction");
    if (compaction?.type !== "compaction" || reads(compaction) || typeof compaction.replaces !== "string") break;
    const before = pathFrom(indexes.get(compaction.replaces), parentOf, met);
    if (before.length === 0) break;
    pieces.push(before);
  }
  return pieces.length === 1 ? path : pieces.reverse().flat();
}

interface Compacted {
  readonly place: number;
  readonly compaction: PartOf<"compaction">;
}

/** The last compaction on the path. One that an earlier one keeps is history: a context is its own context. */
export function lastCompaction(
  path: readonly number[],
  messages: readonly Message[],
  reads: ReadsCompaction = readsAll,
): Compacted | undefined {
  const kept = new Set<string>();
  let last: Compacted | undefined;
  path.forEach((index, place) => {
    const message = messages[index];
    const compaction = message?.parts.findLast(part => part.type === "compaction" && reads(part)) as
      | PartOf<"compaction">
      | undefined; // found as one
    if (!compaction || kept.has(message?.id ?? "")) return;
    last = { place, compaction };
    for (const id of compaction.keep ?? []) kept.add(id);
  });
  return last;
}

/**
 * What a model reads of the conversation, as a plain list (R26): the path to the head; from its last compaction on, what that
 * one keeps; without messages for the user only and without control messages. Itself where that is all of it. @param reads which
 * compactions it can read (default: all): one that it cannot stands for nothing, and what it hides from others is read
 */
export function context(conversation: Conversation, reads: ReadsCompaction = readsAll): Conversation {
  demandConversation(conversation);
  if (isContext(conversation)) return conversation;
  const { messages, head: _, ...others } = conversation;
  const indexes = contextIndexes(conversation, reads);
  const isList = conversation.head === undefined && !isTree(conversation);
  if (isList && indexes.length === messages.length && indexes.every((index, place) => index === place)) {
    return conversation;
  }
  return { ...others, messages: indexes.map(index => unlinked(messages[index] as Message)) }; // indexes are of this list
}

function unlinked(message: Message): Message {
  if (message.parent === undefined) return message;
  const { parent: _, ...others } = message;
  return others;
}
