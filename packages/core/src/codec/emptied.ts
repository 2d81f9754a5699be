/** What had something to say, and of which the format or the recipient takes nothing: it goes as a whole. */

import type { Conversation, Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { Citation, Part } from "../model/parts.ts";
import type { Report } from "./narrow.ts";
import { originalPath, refine } from "./provenance.ts";

/** A range alone says of no source that it is one. */
const says = (citation: Citation | undefined): boolean =>
  citation !== undefined && Object.keys(citation).some(member => member !== "start" && member !== "end");

/** Whether nothing is left of a citation that named its source. */
export const isHusk = (citation: Citation, before: Citation | undefined): boolean => !says(citation) && says(before);

export const huskReport = (report: Report, path: Path): void =>
  report("empty-citation", path, "nothing of this citation has a place here");

/** The conversation without citations of which only a husk is left. `whole`: what it was made of. */
export function withoutHusks(conversation: Conversation, whole: Conversation, report: Report): Conversation {
  const messages = refine(conversation.messages, (message, index) => {
    if (!message.parts.some(isCited)) return message;
    const parts = refine(message.parts, (part, place): Part => {
      if (part.type !== "text" || !part.citations) return part;
      const citations = refine(part.citations, (citation, number) => {
        if (says(citation)) return citation;
        const path = ["messages", index, "parts", place, "citations", number];
        const origin = originalPath(conversation, path);
        if (!isHusk(citation, citationAt(whole, origin))) return citation;
        huskReport(report, path);
        return undefined;
      });
      if (citations === part.citations) return part;
      const { citations: _, ...bare } = part;
      return citations.length > 0 ? { ...part, citations } : bare;
    });
    return parts === message.parts ? message : { ...message, parts };
  });
  return messages === conversation.messages ? conversation : { ...conversation, messages };
}

const isCited = (part: Part): boolean => part.type === "text" && part.citations !== undefined;

function citationAt({ messages }: Conversation, path: Path): Citation | undefined {
  const [, message, , place, , number] = path;
  const part = messages[Number(message)]?.parts[Number(place)];
  return part?.type === "text" ? part.citations?.[Number(number)] : undefined;
}

/** The messages without those that lost all of their parts: a provider refuses them empty. `before`: the same, with their parts. */
export function withoutEmptied(
  messages: readonly Message[],
  before: readonly Message[],
  report: Report,
): readonly Message[] {
  if (messages === before || messages.length !== before.length) return messages;
  return refine(messages, (message, index) => {
    const isEmptied = message.parts.length === 0 && (before[index]?.parts.length ?? 0) > 0;
    if (!isEmptied) return message;
    report("empty-message", ["messages", index], "nothing of this message has a place here");
    return undefined;
  });
}
