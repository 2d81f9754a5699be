import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";

/** A part and the number that it sorts by in its message, whole and streamed alike (E4). */
export interface Placed {
  readonly place: number;
  readonly part: Part;
}

/** Where something stands in the value given to an encoder. */
export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

export interface ReadMessage {
  readonly head: MessageHead;
  readonly parts: readonly Placed[];
  readonly carry: Json | undefined;
}

export const isText = (value: Json | undefined): value is string => typeof value === "string" && value !== "";

/** Members of a message's `native` that are not the message's own: of its choice, of the body, and of the usage. */
export const envelopeMembers = ["choice", "completion", "usage"] as const;
