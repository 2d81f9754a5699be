import type { EncodeContext } from "../codec/codec.ts";
import type { Conversation, Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { PartOf } from "../model/parts.ts";

export interface LastError {
  readonly part: PartOf<"error">;
  readonly message: Message;
  readonly path: Path;
}

/** The last error of a conversation, for a body that says one and nothing else; what that leaves out is reported. */
export function lastError({ messages }: Conversation, context: EncodeContext): LastError | undefined {
  const all = messages.flatMap((message, index) =>
    message.parts.map((part, place) => ({ part, message, path: ["messages", index, "parts", place] })),
  );
  const last = all.findLast(({ part }) => part.type === "error");
  for (const each of all) if (each !== last) context.lose("not-the-error", each.path, each.part.type);
  if (last?.part.type === "error") return { ...last, part: last.part };
  context.lose("no-error", ["messages"]);
  return undefined;
}
