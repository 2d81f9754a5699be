/** Why an answer ended, in the AI SDK's words. */

import type { FinishReason, Message } from "../../model/conversation.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Generation } from "./part.ts";

type Finish = NonNullable<Message["finish"]>;

/** Our reasons in the SDK's words; `incomplete` and `aborted` have none. */
const words: { readonly [reason in Exclude<FinishReason, "aborted" | "incomplete">]: string } = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  context: "length",
  "tool-calls": "tool-calls",
  refusal: "content-filter",
  "content-filter": "content-filter",
  pause: "other",
  compaction: "other",
  "malformed-call": "error",
  error: "error",
  pending: "other",
  other: "other",
};

/** Words that mean the same in both. */
const shared: readonly string[] = ["stop", "length", "content-filter", "tool-calls", "error", "other"];

/** Words of some generations, which have no reason of ours. */
const ofGenerations: { readonly [word: string]: (generation: Generation) => boolean } = {
  unknown: generation => generation === 5,
  interrupted: generation => generation === 7,
};

export function readFinish(word: string): Finish {
  const reason = shared.find(each => each === word);
  return reason === undefined ? { reason: "other", raw: word } : { reason: reason as FinishReason }; // shared words are ours
}

/** The chunk that ends a stream. */
export function finishChunk(
  finish: Finish | undefined,
  { generation, lose }: { readonly generation: Generation; readonly lose: (detail: string) => void },
): JsonObject {
  if (!finish || finish.reason === "incomplete") return { type: "finish" };
  const { reason, raw } = finish;
  if (reason === "aborted") {
    const hasReason = raw !== undefined && generation >= 6;
    if (raw !== undefined && !hasReason) lose(raw);
    return { type: "abort", ...(hasReason && { reason: raw }) };
  }
  if (
    reason === "other" &&
    raw !== undefined &&
    Object.hasOwn(ofGenerations, raw) &&
    ofGenerations[raw]?.(generation)
  ) {
    return { type: "finish", finishReason: raw };
  }
  const finishReason = words[reason];
  if (finishReason !== reason || raw !== undefined) lose(raw ?? reason);
  return { type: "finish", finishReason };
}

/** The SDK's word for a reason; one that it does not have is none. */
export const finishWord = (reason: FinishReason): string | undefined =>
  reason === "aborted" || reason === "incomplete" ? undefined : words[reason];
