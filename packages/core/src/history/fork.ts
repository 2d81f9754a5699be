import { indexById, isTree, pathToHead } from "../model/context.ts";
import type { Conversation, Message } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";

/**
 * A conversation of its own that goes on from one message, named by its id or its place: that message and all that lead to
 * it, with what compactions among them stand for; `origin` says where it came from. Without an id of its own. Throws
 * `history/unknown-message`.
 */
export function fork(conversation: Conversation, at: string | number): Conversation {
  const { messages } = conversation;
  const indexes = indexById(messages);
  const place = typeof at === "string" ? indexes.get(at) : at;
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
