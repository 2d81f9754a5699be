/** A conversation as a provider sees it that pairs and orders by turns. */

import type { Conversation, Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";
import type { Target } from "./target.ts";

/** A part, and where it stands in the conversation that was given. */
export interface Placed<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
  /** Its message's index in `conversation.messages`. */
  readonly message: number;
}

/** `user` speaks for people and tools. */
export type Side = "system" | "user" | "assistant";

export interface Turn {
  readonly side: Side;
  /** Indexes of its messages in `conversation.messages`. */
  readonly messages: readonly number[];
  readonly parts: readonly Placed[];
}

/** What would be sent (R26), turn by turn. */
export interface View {
  readonly conversation: Conversation;
  /** Indexes into `conversation.messages` of what would be sent, in that order. */
  readonly sent: readonly number[];
  readonly turns: readonly Turn[];
  /** How many turns of `turns` are system text at the front, which most formats keep apart from the messages. */
  readonly front: number;
}

export const sideOf = ({ role }: Pick<Message, "role">): Side => {
  if (role === "assistant") return "assistant";
  return role === "system" || role === "developer" ? "system" : "user";
};

/** The turns of what would be sent, as this target counts them. @param sent indexes of that */
export function viewOfSent(
  conversation: Conversation,
  target: Pick<Target, "turns" | "counts" | "format">,
  sent: readonly number[],
): View {
  const list: { side: Side; messages: number[]; parts: Placed[] }[] = [];
  for (const message of sent) {
    const read = conversation.messages[message] as Message; // an index of this list
    const { parts } = read;
    const side = sideOf(read);
    const placed = parts.map((part, place): Placed => ({ part, message, path: ["messages", message, "parts", place] }));
    const last = list.at(-1);
    const before = conversation.messages[last?.messages.at(-1) ?? -1];
    if (last?.side === side && before && isOneTurn(before, read, target)) {
      last.messages.push(message);
      for (const each of placed) last.parts.push(each);
    } else list.push({ side, messages: [message], parts: placed });
  }
  const first = list.findIndex(({ side }) => side !== "system");
  return { conversation, sent, turns: list, front: first === -1 ? list.length : first };
}

/** Of neighbours of one side. */
export function isOneTurn(
  before: Message,
  message: Message,
  { turns, counts, format }: Pick<Target, "turns" | "counts" | "format">,
): boolean {
  if (turns === "merged" || isJoined(message, format)) return true;
  // Where each result is a message by itself, neighbouring results answer one turn together.
  return counts === "results" && before.role === "tool" && message.role === "tool";
}

/** A message that was split of the one before it when it was read is put together with it again. */
export const isJoined = (message: Message, format: string): boolean => message.native?.[format]?.["$join"] === true;

/** A part of a kind. */
export const isPlaced = <T extends Part["type"]>(
  placed: Placed,
  type: T,
): placed is Placed<Extract<Part, { readonly type: T }>> => placed.part.type === type;
