import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { chatParts } from "./parts.ts";

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
