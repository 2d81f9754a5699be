export { isText, type Placed } from "../../blocks/chat-parts/wire.ts";

/** Family of this format's nodes, and its id. */
export const family = "ollama";

/** Where an application's carry stands in a message. */
export const carryMember = "translogue";

/**
 * A message has a member for each kind of part, and no order among them: a model thinks, then speaks, then calls. Parts sort
 * by these numbers (E4).
 */
export const places = {
  thinking: 0,
  content: 1,
  images: 1_000_000,
  calls: 2_000_000_000,
  error: 8_000_000_000,
} as const;

/** Member of a message's `native` that is not the message's own, but of its answer. */
export const envelopeMembers = ["answer"] as const;
