import type { MessageHead } from "../../model/events.ts";
import { sideOf } from "../turns.ts";
import type { Draft, DraftMessage } from "./draft.ts";
import { faultsOf } from "./faults.ts";

/**
 * System text where the target has no place for it is said by the user where it stands: hoisting it would change the prefix, and
 * apply it to what came before it. Where there is no system text at all, it is folded into the user's message right behind it.
 */
export function placeSystem(draft: Draft): void {
  const misplaced = new Set(faultsOf(draft, "system-place").map(({ message }) => message));
  if (misplaced.size === 0) return;
  if (draft.policies.system === "drop") {
    for (const { path } of misplaced)
      draft.changed("place-system", path, "system text is left out: there is no place for it");
    draft.messages = draft.messages.filter(message => !misplaced.has(message));
    return;
  }
  const folds = draft.rules["system-place"]?.allowed === "none";
  const folded = new Set<DraftMessage>();
  for (let index = draft.messages.length - 1; index >= 0; index--) {
    const message = draft.messages[index];
    if (!message || !misplaced.has(message)) continue;
    const next = draft.messages[index + 1];
    if (folds && next?.head.role === "user") {
      next.items = [...message.items, ...next.items];
      draft.changed("place-system", next.path, "the message takes in the system text before it");
      folded.add(message);
    } else message.head = spokenBy("user", message.head);
  }
  for (const message of misplaced) {
    const how = folded.has(message) ? "folded into the user's message behind it" : "said by the user in its place";
    draft.changed("place-system", message.path, `system text is ${how}`);
  }
  draft.messages = draft.messages.filter(message => !folded.has(message));
}

/** Spellings of the message were those of its former role. */
export function spokenBy(role: string, { native: _, ...head }: MessageHead): MessageHead {
  return { ...head, role };
}

/** Whether the message is no turn of anybody's. */
export const isSystem = ({ head }: DraftMessage): boolean => sideOf(head) === "system";
