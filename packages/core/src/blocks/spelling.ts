import type { EncodeContext } from "../codec/codec.ts";
import type { Message } from "../model/conversation.ts";
import { type ExactText, exactTable } from "../model/json-text.ts";
import type { Part } from "../model/parts.ts";

/** Tells whoever writes the bytes of a stream how the values of a message are spelled that is written in it (R6). */
export function tellSpelling(message: Message, { exact }: Pick<EncodeContext, "exact">): void {
  if (exact) addSpelling(exactTable({ messages: [message] }), exact);
}

/** The same for one part of an answer. */
export function tellPart(part: Part, context: Pick<EncodeContext, "exact">): void {
  if (context.exact) tellSpelling({ role: "assistant", parts: [part] }, context);
}

export function addSpelling(from: ExactText | undefined, to: ExactText): void {
  for (const [holder, members] of from?.members ?? []) to.members.set(holder, members);
  for (const [holder, texts] of from?.numbers ?? []) to.numbers.set(holder, texts);
}
