import { writeCallId } from "../../blocks/chat-parts/calls.ts";
import { idsToName } from "../../blocks/chat-parts/made-ids.ts";
import type { Lose } from "../../blocks/chat-parts/parts.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { fillAll, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { envelopeMembers, family } from "./wire.ts";

/** What the encoding of one conversation shares. */
export interface Writing {
  readonly context: EncodeContext;
  readonly lose: Lose;
  /** Made ids whose missing spelling cannot be kept: a call or result of theirs was not read without one. */
  readonly named: ReadonlySet<string>;
}

export const writingOf = (context: EncodeContext, messages: readonly Message[]): Writing => ({
  context,
  lose: (code, path, detail) => context.lose(code, path, detail),
  named: idsToName(messages, false),
});

/** A wire message with what was kept beside its fields. */
export const finished = (fields: JsonObject, message: Message): JsonObject =>
  fillAll(fields, remainderOf(message, family, envelopeMembers));

/** The wire id of a call or a result. Undefined = it has none. */
export function callIdOf(part: PartOf<"tool-call" | "tool-result">, path: Path, writing: Writing): Json | undefined {
  const isNamed = writing.named.has(part.callId);
  if (isNamed) writing.context.lose("made-id", [...path, "callId"]);
  return writeCallId(part, !isNamed);
}
