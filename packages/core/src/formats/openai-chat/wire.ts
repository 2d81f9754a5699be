export { envelopeMembers, isText, type Located, type Placed, type ReadMessage } from "../../blocks/chat-parts/wire.ts";

/** Family of the nodes that are this format's own: bodies, messages, tools, reasoning, errors. */
export const family = "openai-chat";

/**
 * Chat has a member for each kind of part and no order among them, so an assistant's parts have fixed places: they sort
 * by these numbers, whole and streamed alike (E4), and a stream needs no buffer.
 */
export const places = {
  reasoning: 0,
  details: 1_000,
  content: 1_000_000_000,
  refusal: 2_000_000_000,
  audio: 3_000_000_000,
  images: 4_000_000_000,
  annotations: 5_000_000_000,
  calls: 6_000_000_000,
  functionCall: 7_000_000_000,
  error: 8_000_000_000,
} as const;
