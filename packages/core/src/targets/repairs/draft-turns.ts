import type { Target } from "../target.ts";
import { isJoined, type Side, sideOf } from "../turns.ts";
import type { Draft, DraftMessage, Item } from "./draft.ts";

/** What the provider counts as one turn, as `viewOf` does for what is checked. */
export interface DraftTurn {
  readonly side: Side;
  readonly messages: DraftMessage[];
}

export function turnsOf({ messages, target }: Draft): DraftTurn[] {
  const turns: DraftTurn[] = [];
  for (const message of messages) {
    const side = sideOf(message.head);
    const last = turns.at(-1);
    const before = last?.messages.at(-1);
    if (last?.side === side && before && isOneTurn(before, message, target)) last.messages.push(message);
    else turns.push({ side, messages: [message] });
  }
  return turns;
}

/** Of neighbours of one side. */
function isOneTurn(before: DraftMessage, { head }: DraftMessage, { turns, counts, format }: Target): boolean {
  if (turns === "merged" || isJoined({ ...head, parts: [] }, format)) return true;
  return counts === "results" && before.head.role === "tool" && head.role === "tool";
}

export const isResult = ({ part }: Item): boolean => part.type === "tool-result";
