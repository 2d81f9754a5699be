import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";

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

export interface Placed {
  readonly place: number;
  readonly part: Part;
}

/** Where something stands in the value given to an encoder. */
export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

export const isText = (value: Json | undefined): value is string => typeof value === "string" && value !== "";

/** Members of a message's `native` that are not the message's own: of its choice, of the body, and of the usage. */
export const envelopeMembers = ["choice", "completion", "usage"] as const;
