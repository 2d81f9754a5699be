/** Reasoning without a seal, of which some hosts take back none. */

import type { Conversation, Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import { makerOf } from "./content-seals.ts";
import { hasKeptSeal } from "./kept-seals.ts";

/** Makers whose hosts know their own reasoning by its seal, and refuse any other: LangChain would send it all the same. */
const sealing: ReadonlySet<string | undefined> = new Set(["anthropic", "openai"]);

/** Whether a provider, as LangChain names it, refuses reasoning that has no seal. */
export const refusesBare = (modelProvider: string): boolean => sealing.has(makerOf({ modelProvider }));

interface Opened {
  readonly conversation: Conversation;
  /** Where a place in it stands in the conversation given. */
  readonly home: (path: Path) => Path;
}

/** The conversation without such reasoning, and without messages of nothing else. `isOwn`: the answers of whom is asked, which may keep the seal beside. */
export function withoutBareReasoning(
  conversation: Conversation,
  isOwn: (message: Message) => boolean,
  lose: (code: "bare-reasoning", path: Path) => void,
): Opened {
  const messages: Message[] = [];
  const homes: { readonly index: number; readonly parts: readonly number[] }[] = [];
  conversation.messages.forEach((message, index) => {
    const isSealedBeside = message.parts.some(isBare) && isOwn(message) && hasKeptSeal(message);
    const parts = message.parts.flatMap((part, place) => (isBare(part) && !isSealedBeside ? [] : [place]));
    if (parts.length < message.parts.length) {
      message.parts.forEach((part, place) => {
        if (isBare(part)) lose("bare-reasoning", ["messages", index, "parts", place]);
      });
      if (parts.length === 0) return;
    }
    const isWhole = parts.length === message.parts.length;
    messages.push(isWhole ? message : { ...message, parts: message.parts.filter(part => !isBare(part)) });
    homes.push({ index, parts });
  });
  const home = (path: Path): Path => {
    const [list, message, member, part, ...rest] = path;
    const at = list === "messages" && typeof message === "number" ? homes[message] : undefined;
    if (!at) return path;
    if (member !== "parts" || typeof part !== "number") return ["messages", at.index, ...path.slice(2)];
    return ["messages", at.index, "parts", at.parts[part] ?? part, ...rest];
  };
  return { conversation: { ...conversation, messages }, home };
}

const isBare = (part: Part): boolean => part.type === "reasoning" && part.seal === undefined;
