/** Words for how an answer ended, of the formats whose answers are OpenAI's Chat completions. */

import { rowOf } from "../../codec/reader.ts";
import type { FinishReason, Message } from "../../model/conversation.ts";
import type { Json, JsonObject } from "../../model/json.ts";

/** What else tells how an answer ended. */
export interface FinishFacts {
  readonly hasCalls: boolean;
  readonly hasRefusal: boolean;
}

type Finish = NonNullable<Message["finish"]>;

/** What of a format's words means which reason, and back. null = no end is told, as in a stream that was cut. */
export interface FinishWords {
  readonly read: { readonly [raw: string]: FinishReason };
  readonly written: { readonly [reason in FinishReason]: string | null };
}

/** The reason of a wire string; `stop` beside calls or a refusal says less than they do (Gemini's endpoint, proxies). */
function readReason(raw: string, facts: FinishFacts, words: FinishWords): FinishReason {
  const reason = rowOf(words.read, raw);
  if (reason !== "stop") return reason ?? "other";
  return facts.hasCalls ? "tool-calls" : facts.hasRefusal ? "refusal" : "stop";
}

const writeReason = (reason: FinishReason, facts: FinishFacts, words: FinishWords): string | null =>
  reason === "refusal" && facts.hasRefusal ? "stop" : words.written[reason];

export function readFinish(raw: string, facts: FinishFacts, words: FinishWords): Finish {
  const reason = readReason(raw, facts, words);
  return writeReason(reason, facts, words) === raw ? { reason } : { reason, raw };
}

/** The hint of a word that no table has: only the family that it was read of has a place for it. */
export const wordHint = ({ reason, raw }: Finish): JsonObject =>
  reason === "other" && raw !== undefined ? { $word: raw } : {};

/** null = no end is told, as in a stream that was cut. `own`: a word of the format that no table has. */
export function writeFinish(
  finish: Finish,
  facts: FinishFacts,
  { words, own }: { readonly words: FinishWords; readonly own: Json | undefined },
): string | null {
  const { reason, raw } = finish;
  const isKnown = raw !== undefined && (raw === own || rowOf(words.read, raw) !== undefined);
  return isKnown && readReason(raw, facts, words) === reason ? raw : writeReason(reason, facts, words);
}
