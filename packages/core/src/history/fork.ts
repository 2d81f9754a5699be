import { indexById, isTree, pathToHead } from "../model/context.ts";
import type { Conversation, Message } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import { demandConversation } from "../model/given.ts";
import { demandOptions, oneOf } from "../model/options.ts";
import { spansOf } from "./spans.ts";

export interface ForkOptions {
  /**
   * `together`: where the message has calls, or questions, that later messages answer, the fork is at the end of the last of those.
   * `apart`: at the message itself; what it asks stays open. Default `together`.
   */
  readonly pairs?: "together" | "apart";
}

/**
 * A conversation of its own that goes on from one message, named by its id or its place: that message and all that lead to
 * it, with what compactions among them stand for, and the results of its calls; `origin` says where it came from. Without an
 * id of its own. Throws `history/unknown-message`.
 */
export function fork(conversation: Conversation, at: string | number, options: ForkOptions = {}): Conversation {
  demandConversation(conversation);
  demandOptions(options, { pairs: oneOf("together", "apart") }, "history/bad-option");
  const { messages } = conversation;
  const indexes = indexById(messages);
  const named = typeof at === "string" ? indexes.get(at) : at;
  const place =
    named === undefined || !messages[named] || options.pairs === "apart" ? named : endOfStep(conversation, named);
  const message = place === undefined ? undefined : messages[place];
  if (place === undefined || !message) {
    const text = `There is no message ${JSON.stringify(at)} to go on from: name one by its id, or its place from 0.`;
    throw new TranslogueError("history/unknown-message", text, { data: { message: at } });
  }
  const kept = isTree(conversation)
    ? leadingTo(conversation, place)
    : new Set(Array.from({ length: place + 1 }, (_, index) => index));
  const { id, head: _, origin: __, ...others } = conversation;
  return {
    ...others,
    messages: messages.filter((_, index) => kept.has(index)),
    ...(isTree(conversation) && message.id !== undefined && { head: message.id }),
    origin: {
      kind: "fork",
      ...(id !== undefined && { conversation: id }),
      ...(message.id !== undefined && { message: message.id }),
    },
  };
}

/** The last message that answers something of this one, along its path. */
function endOfStep(conversation: Conversation, place: number): number {
  const { messages } = conversation;
  const path = isTree(conversation) ? pathThrough(conversation, place) : [...messages.keys()];
  const own = path.indexOf(place);
  const span = spansOf(path.map(index => messages[index] as Message)).find(({ end }) => end > own); // indexes of the list
  return span === undefined ? place : (path[span.end - 1] ?? place);
}

/** The path that counts, where the message is on it; else that to the message and on by the newest of each branch. */
function pathThrough(conversation: Conversation, place: number): readonly number[] {
  const { messages } = conversation;
  const main = pathToHead(conversation);
  if (main.includes(place)) return main;
  const newest = new Map<string, number>();
  for (const [index, { parent }] of messages.entries())
    if (parent !== undefined && parent !== null) newest.set(parent, index);
  const head = messages[place]?.id;
  const path = head === undefined ? [place] : [...pathToHead({ messages, head })];
  const seen = new Set(path);
  for (let id = head; id !== undefined; ) {
    const next = newest.get(id);
    if (next === undefined || seen.has(next)) break;
    path.push(next);
    seen.add(next);
    id = messages[next]?.id;
  }
  return path;
}

/** The path to a message, and the paths that compactions on it replace. */
function leadingTo({ messages }: Conversation, place: number): ReadonlySet<number> {
  const indexes = indexById(messages);
  const kept = new Set<number>();
  const open = [place];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const head = messages[next]?.id;
    const path = head === undefined ? [next] : pathToHead({ messages, head });
    const added = path.filter(index => !kept.has(index));
    for (const index of added) kept.add(index);
    const others = added.flatMap(index => standingFor(messages[index])).map(id => indexes.get(id));
    open.push(...others.filter(index => index !== undefined && !kept.has(index)).map(Number));
  }
  return kept;
}

/** Ids of messages that its compactions stand for or keep. */
const standingFor = (message: Message | undefined): readonly string[] =>
  (message?.parts ?? []).flatMap(part =>
    part.type === "compaction" ? [...(part.replaces ? [part.replaces] : []), ...(part.keep ?? [])] : [],
  );
