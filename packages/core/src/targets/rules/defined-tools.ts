/** Tools that messages define. */

import type { Tool } from "../../model/conversation.ts";
import type { Part } from "../../model/parts.ts";
import type { View } from "../turns.ts";

/** What a message adds: tools, or names of such. */
export const addedBy = (part: Part): readonly (string | Tool)[] =>
  part.type === "change" ? (part.toolsAdded ?? []) : [];

/** One that a message only names is declared elsewhere, or is none. */
export const definedBy = (part: Part): readonly Tool[] => addedBy(part).filter(tool => typeof tool !== "string");

/** Tools that the request declares, and those that its messages define. */
export const toolsIn = ({ conversation, turns }: View): readonly Tool[] => [
  ...(conversation.tools ?? []),
  ...turns.flatMap(({ parts }) => parts.flatMap(({ part }) => definedBy(part))),
];
