/** Options of a whole message that mark a cache breakpoint: the providers' packages put it behind the message's last part. */

import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { noFields, takeCache, writeMetadata } from "./metadata.ts";
import { modelFamily } from "./model-part.ts";

interface Cached {
  readonly parts: readonly Part[];
  /** What is left of the message's options. */
  readonly options: JsonObject | undefined;
  /** Where the mark stood. */
  readonly hints: JsonObject;
}

/** The last part with the breakpoint of its message; options of the part itself count before those of the message. */
export function withMessageCache(parts: readonly Part[], options: JsonObject | undefined): Cached {
  const place = placeIn(parts);
  const last = parts[place];
  const taken = options && last && last.cache === undefined ? takeCache(options) : undefined;
  if (!taken || !last) return { parts, options, hints: {} };
  return {
    parts: parts.with(place, { ...last, cache: taken.cache }),
    options: taken.rest,
    hints: { $cache: taken.mark },
  };
}

/** A message without the breakpoint that stood in its own options when it was read, and the options that say it. */
export function withoutMessageCache(message: Message): { readonly message: Message; readonly options?: JsonObject } {
  const { $cache } = hintsOf(message, modelFamily);
  const place = placeIn(message.parts);
  const last = message.parts[place];
  if (typeof $cache !== "string" || last?.cache === undefined) return { message };
  const { cache, ...bare } = last;
  const options = writeMetadata({ cache }, noFields, { $cache });
  return { message: { ...message, parts: message.parts.with(place, bare) }, ...(options && { options }) };
}

/** The last part that goes to a model, if it can be marked; no empty text does, and no reasoning can. */
function placeIn(parts: readonly Part[]): number {
  const place = parts.findLastIndex(part => part.type !== "text" || part.text !== "");
  return marked.has(parts[place]?.type) ? place : -1;
}

const marked: ReadonlySet<Part["type"] | undefined> = new Set(["text", "file", "tool-call", "tool-result"]);
