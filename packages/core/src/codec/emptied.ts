/** What had something to say, and of which the format or the recipient takes nothing: it goes as a whole. */

import type { Conversation, Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { Citation, Part } from "../model/parts.ts";
import { everyChild } from "../model/walk.ts";
import type { Report } from "./narrow.ts";
import { originalPath, refine, refineInside, valueAt } from "./provenance.ts";

/** A range alone says of no source that it is one. */
const says = (citation: Citation | undefined): boolean =>
  citation !== undefined && Object.keys(citation).some(member => member !== "start" && member !== "end");

/** Whether nothing is left of a citation that named its source. */
export const isHusk = (citation: Citation, before: Citation | undefined): boolean => !says(citation) && says(before);

export const huskReport = (report: Report, path: Path): void =>
  report("empty-citation", path, "nothing of this citation has a place here");

/** The conversation without citations of which only a husk is left, wherever they stand. `whole`: what it was made of. */
export function withoutHusks(conversation: Conversation, whole: Conversation, report: Report): Conversation {
  const given = (path: Path): unknown => valueAt(whole, originalPath(conversation, path));
  const messages = refine(conversation.messages, (message, index) => {
    if (!message.parts.some(hasHusk)) return message;
    const parts = refine(message.parts, (part, place) =>
      withoutHusksIn(part, ["messages", index, "parts", place], { given, report }),
    );
    return parts === message.parts ? message : { ...message, parts };
  });
  return messages === conversation.messages ? conversation : { ...conversation, messages };
}

/** The same of a part. `given`: what stood at a place of what the part was made of. */
export function withoutHusksIn(
  part: Part,
  path: Path,
  about: { readonly given: (path: Path) => unknown; readonly report: Report },
): Part {
  if (!hasHusk(part)) return part;
  const left = refineInside(part, path, {
    part: (inner, at) => withoutHusksIn(inner, at, about),
    citation: (citation, at) => {
      const before = about.given(at) as Citation | undefined; // it was made of one
      if (!isHusk(citation, before)) return citation;
      huskReport(about.report, at);
      return undefined;
    },
    tool: tool => tool,
  });
  if (left === part || left.type !== "text" || left.citations?.length !== 0) return left;
  const { citations: _, ...bare } = left;
  return bare;
}

/** Whether a citation in the part, or in what stands in it, says nothing; of almost every part not, so that it costs no path and no copy. */
const hasHusk = (part: Part): boolean =>
  part.type === "text"
    ? part.citations?.some(citation => !says(citation)) === true
    : !everyChild(part, child => !("type" in child) || !hasHusk(child));

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
