import type { Conversation } from "../model/conversation.ts";
import type { Part } from "../model/parts.ts";
import { refine } from "./provenance.ts";

/**
 * Codecs tell calls and results apart as objects (R9): one that stands at several places of a history, as in copies of its messages, is
 * another at each. The same conversation where none does.
 */
export function withPartsApart(conversation: Conversation): Conversation {
  const met = new Set<Part>();
  const apart = (part: Part): Part => {
    if (part.type !== "tool-call" && part.type !== "tool-result") return part;
    if (met.has(part)) return { ...part };
    met.add(part);
    return part;
  };
  const messages = refine(conversation.messages, message => {
    const parts = refine(message.parts, apart);
    return parts === message.parts ? message : { ...message, parts };
  });
  return messages === conversation.messages ? conversation : { ...conversation, messages };
}
