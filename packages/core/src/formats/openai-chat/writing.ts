import { writeCallId } from "../../blocks/chat-parts/calls.ts";
import { idsToName } from "../../blocks/chat-parts/made-ids.ts";
import type { Lose, WriteOptions } from "../../blocks/chat-parts/parts.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { fillAll, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { type Dialect, dialectOf } from "./dialects.ts";
import { envelopeMembers, family, type Located } from "./wire.ts";

/** What the encoding of one conversation shares. */
export interface Writing {
  readonly context: EncodeContext;
  readonly dialect: Dialect;
  readonly lose: Lose;
  readonly parts: WriteOptions;
  /** Made ids whose missing spelling cannot be kept: a call or result of theirs was not read without one. */
  readonly named: ReadonlySet<string>;
}

export function writingOf(context: EncodeContext, messages: readonly Message[]): Writing {
  const dialect = dialectOf(context);
  const lose: Lose = (code, path, detail) => context.lose(code, path, detail);
  const cache = context.recipient === "provider" ? dialect.cache : "any";
  return {
    context,
    dialect,
    lose,
    parts: {
      cache,
      hasReferences: dialect.hasReferences,
      host: context.dialect,
      isForHost: context.recipient === "provider",
      lose,
    },
    named: idsToName(messages, true),
  };
}

/** A compaction is its summary, as text where it stands (R26). */
export function flattened(parts: readonly Part[], path: Path, { context }: Writing): Located[] {
  return parts.flatMap((part, index): Located[] => {
    const place = [...path, index];
    if (part.type !== "compaction") return [{ part, path: place }];
    context.lose(part.summary ? "compaction" : "hidden-compaction", place);
    return (part.summary ?? []).map((inner, at) => ({ part: inner, path: [...place, "summary", at] }));
  });
}

/** Members that a message of any role may have, and what was kept beside them. */
export function finished(fields: JsonObject, message: Message, path: Path, { context }: Writing): JsonObject {
  const { author, weight } = message;
  const isResult = fields["role"] === "tool" || fields["role"] === "function"; // their `name` is the tool's
  if (author && isResult) context.lose("result-author", [...path, "author"]);
  else if (author && Object.keys(author).some(key => key !== "name")) context.lose("author", [...path, "author"]);
  const all = { ...fields, ...present({ name: isResult ? undefined : author?.name, weight }) };
  return fillAll(all, remainderOf(message, family, envelopeMembers));
}

/** The wire id of a call or a result. Undefined = it has none. */
export function callIdOf(part: PartOf<"tool-call" | "tool-result">, path: Path, writing: Writing): Json | undefined {
  const isNamed = writing.named.has(part.callId);
  if (isNamed) writing.context.lose("made-id", [...path, "callId"]);
  return writeCallId(part, !isNamed);
}
