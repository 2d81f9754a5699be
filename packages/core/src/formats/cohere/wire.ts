export { isText, type Placed } from "../../blocks/chat-parts/wire.ts";

/** Family of this format's nodes, and its id. */
export const family = "cohere";

/** Where an application's carry stands in a message. */
export const carryMember = "translogue";

/**
 * A message has a member for each kind of part, and no order among them: what was thought and said comes first, then the
 * plan, then the calls, as the API streams them. Parts sort by these numbers (E4).
 */
export const places = {
  content: 0,
  plan: 1_000_000_000,
  citations: 2_000_000_000,
  calls: 3_000_000_000,
  events: 4_000_000_000,
  error: 8_000_000_000,
} as const;

/** Members of a message's `native` that are not the message's own: of the answer, and of its usage. */
export const envelopeMembers = ["answer", "usage"] as const;
