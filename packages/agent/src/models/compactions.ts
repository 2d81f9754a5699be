import type { Conversation, Loss, Message, PartOf } from "translogue";
import type { Model } from "../model.ts";

export type Compaction = PartOf<"compaction">;

/** The compactions that a model cannot read. */
export async function unreadBy(model: Model, messages: readonly Message[]): Promise<ReadonlySet<Compaction>> {
  const unread = new Set<Compaction>();
  if (!model.reads) return unread;
  for (const { parts } of messages)
    for (const part of parts) if (part.type === "compaction" && !(await model.reads(part))) unread.add(part);
  return unread;
}

/** Whether each of them reads it: any of them may be the one that answers. */
export async function areReading(models: readonly Model[], compaction: Compaction): Promise<boolean> {
  for (const model of models) if (model.reads && !(await model.reads(compaction))) return false;
  return true;
}

/** Whether a compaction says in words what it stands for, or that it stands for nothing. */
export const isInWords = (compaction: Compaction): boolean =>
  compaction.seal === undefined || wordsOf(compaction) !== "";

const wordsOf = ({ summary = [] }: Compaction): string =>
  summary.flatMap(part => (part.type === "text" && part.text.trim() !== "" ? [part.text] : [])).join("\n\n");

/** For formats that have no compactions: what those in words say is a text in their place. */
export function withSummaries(conversation: Conversation): {
  readonly conversation: Conversation;
  readonly losses: readonly Loss[];
} {
  const losses: Loss[] = [];
  const messages = conversation.messages.map((message, index): Message => {
    if (!message.parts.some(({ type }) => type === "compaction")) return message;
    const parts = message.parts.map((part, place) => {
      const text = part.type === "compaction" ? wordsOf(part) : "";
      if (text === "") return part;
      const path = ["messages", index, "parts", place];
      losses.push({ kind: "flattened", code: "compaction", path, message: "a compaction is written as its summary" });
      return { type: "text" as const, text };
    });
    return { ...message, parts };
  });
  return losses.length > 0 ? { conversation: { ...conversation, messages }, losses } : { conversation, losses };
}
