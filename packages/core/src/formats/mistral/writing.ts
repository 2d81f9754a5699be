import { idsToName } from "../../blocks/chat-parts/made-ids.ts";
import type { Located } from "../../blocks/chat-parts/wire.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import type { Lose } from "./wire.ts";

/** What the encoding of one conversation shares. */
export interface Writing {
  readonly context: EncodeContext;
  readonly lose: Lose;
  /** Made ids that have to be written. */
  readonly named: ReadonlySet<string>;
}

export const writingOf = (context: EncodeContext, messages: readonly Message[]): Writing => ({
  context,
  lose: (code, path, detail) => context.lose(code, path, detail),
  named: idsToName(messages, false),
});

/** A compaction is its summary, as text where it stands (R26). */
export function flattened(parts: readonly Part[], path: Path, { context }: Writing): Located[] {
  return parts.flatMap((part, index): Located[] => {
    const place = [...path, index];
    if (part.type !== "compaction") return [{ part, path: place }];
    context.lose(part.summary ? "compaction" : "hidden-compaction", place);
    return (part.summary ?? []).map((inner, at) => ({ part: inner, path: [...place, "summary", at] }));
  });
}
