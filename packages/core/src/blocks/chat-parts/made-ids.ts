import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { chatParts } from "./parts.ts";

/**
 * A host pairs calls and results by id: where one of the two has to name a made one, both do, because it was not read
 * without one (R8). `hasOldForm`: the wire has the form of calls from before ids, whose calls need none there.
 */
export function idsToName(messages: readonly Message[], hasOldForm: boolean): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result") continue;
      const hints = hintsOf(part, chatParts);
      const isBare = Object.hasOwn(hints, "$id") && (hasOldForm || hints["$place"] !== "function_call");
      if (part.callId.startsWith("~") && !isBare) named.add(part.callId);
    }
  }
  return named;
}
