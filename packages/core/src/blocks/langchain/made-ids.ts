import { hintsOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { callHints, hintsOfCall } from "./call-hints.ts";
import { family } from "./wire.ts";

type Paired = PartOf<"tool-call" | "tool-result">;

const isMade = (part: Part): part is Paired =>
  (part.type === "tool-call" || part.type === "tool-result") && part.callId.startsWith("~");

/** It had none when it was read, so it is written without (R8). */
const isBare = (part: Paired): boolean =>
  callHints(part).id !== undefined || hintsOf(part, family)["$id"] !== undefined;

/**
 * Calls and results pair by id: where one of the two has to name a made one, both do, because it was not read without one
 * (R8).
 */
export function withNamedCalls(conversation: Conversation): Conversation {
  const { messages } = conversation;
  const ids = new Set(
    messages.flatMap(({ parts }) => parts.flatMap(part => (isMade(part) && !isBare(part) ? [part.callId] : []))),
  );
  if (ids.size === 0) return conversation;
  const isUnnamed = (part: Part): boolean => isMade(part) && ids.has(part.callId) && isBare(part);
  const withNames = (message: Message): Message =>
    message.parts.some(isUnnamed)
      ? { ...message, parts: message.parts.map(part => (isUnnamed(part) ? withName(part) : part)) }
      : message;
  return { ...conversation, messages: messages.map(withNames) };
}

/** The part without what says that it had no id. */
function withName<P extends Part>(part: P): P {
  if (!isMade(part) || !isBare(part)) return part;
  const { $id: _, $call: __, $$call: ___, ...members } = hintsOf(part, family);
  const { id: ____, ...call }: JsonObject = callHints(part);
  // The form from before ids has no place for one.
  const hints = { ...members, ...(call["function"] === true ? {} : hintsOfCall(call)) };
  return { ...part, native: { ...part.native, [family]: hints } };
}
