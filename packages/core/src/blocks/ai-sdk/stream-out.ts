/** What everything that writes chunks of a stream shares. */

import type { At } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import type { LosePart } from "./part.ts";
import type { StreamWriting } from "./stream-writing.ts";

export interface PartsOptions extends StreamWriting {
  readonly put: (chunk: JsonObject) => void;
  /** Something of a message comes. Default: it says something where it stands. */
  readonly enter: (message: number, says?: boolean) => void;
  /** Whether the message is the one whose step is written. */
  readonly isOfStep: (message: number) => boolean;
  /** Whether the message is the assistant's. */
  readonly isAssistant: (message: number) => boolean;
}

/** Where the parts of messages stand. */
export interface PartOrder {
  /** The highest part of its message that was begun before it; -1 where it was the first. */
  readonly before: (at: At) => number | undefined;
  /** The last part of a message so far. */
  readonly last: (message: number) => number | undefined;
}

export const placeOf = ({ message, part }: At): string => `${message}.${part}`;

/** For what is reported elsewhere. */
export const silent: LosePart = () => undefined;

export const loseAt =
  ({ context }: PartsOptions, { message, part }: At): LosePart =>
  (code, member, detail) =>
    context.lose(code, ["messages", message, "parts", part, ...(member === undefined ? [] : [member])], detail);

/** Reports what a stored part has and its chunk has not. */
export function loseOthers(wire: JsonObject, members: readonly string[], lose: LosePart): void {
  const others = Object.keys(wire).filter(key => !members.includes(key));
  if (others.length > 0) lose("stream-member", "native", others.join(", "));
}
