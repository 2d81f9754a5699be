import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { chatParts } from "./parts.ts";

/** Queues of made call ids, by what a result without an id names: nothing, or in the legacy form the function. */
export class Unanswered {
  readonly #queues = new Map<string, { readonly ids: string[]; next: number }>();

  ask(key: string, callId: string): void {
    const queue = this.#queues.get(key);
    if (queue) queue.ids.push(callId);
    else this.#queues.set(key, { ids: [callId], next: 0 });
  }

  answer(key: string): string | undefined {
    const queue = this.#queues.get(key);
    return queue?.ids[queue.next++];
  }
}

/**
 * A host pairs calls and results by id: where one of the two has to name a made one, both do, because it was not read
 * without one (R8).
 */
export function idsToName(messages: readonly Message[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result") continue;
      if (part.callId.startsWith("~") && !Object.hasOwn(hintsOf(part, chatParts), "$id")) named.add(part.callId);
    }
  }
  return named;
}
