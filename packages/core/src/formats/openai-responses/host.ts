import { hasState, withoutState } from "../../blocks/host-state.ts";
import { citesStored, hostOf, ownId } from "../../blocks/openai-responses/host.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Node, Part } from "../../model/parts.ts";
import { family } from "./wire.ts";

/** What a host may get of members that no field was made of: no ids of what another host has stored (R14). Clients and stores get everything. */
export function forHost(conversation: Conversation, context: EncodeContext): Conversation {
  if (context.recipient !== "provider") return conversation;
  const isOther = hostOf(conversation) !== context.dialect;
  const clean = <N extends Node>(node: N, path: Path, isKnown = false): N => cleaned(node, path, { context, isKnown });
  const messages = conversation.messages.map((message, index): Message => {
    const path = ["messages", index];
    const parts = message.parts.map((part, place) =>
      clean(withoutCitations(part, [...path, "parts", place], context), [...path, "parts", place]),
    );
    const own = clean(message, path);
    return parts.every((part, place) => part === message.parts[place]) ? own : { ...own, parts };
  });
  const tools =
    isOther && conversation.tools
      ? conversation.tools.map((tool, index) => clean(tool, ["tools", index], true))
      : undefined;
  return { ...clean(conversation, []), messages, ...(tools && { tools }) };
}

/** A citation of a file that only another host has is refused without it. */
function withoutCitations(part: Part, path: Path, context: EncodeContext): Part {
  if (part.type !== "text" || !part.citations?.some(citesStored)) return part;
  const isOwn = hostOf(part) === context.dialect;
  const { citations, ...uncited } = part;
  const left = citations.filter((citation, index) => {
    const isRead = citation.native?.[family] !== undefined || ownId.test(citation.fileId ?? "");
    if (!citesStored(citation) || (isOwn && isRead)) return true;
    context.lose("foreign-state", [...path, "citations", index]);
    return false;
  });
  if (left.length === citations.length) return part;
  return left.length > 0 ? { ...uncited, citations: left } : uncited;
}

interface Cleaning {
  readonly context: EncodeContext;
  /** Whether its host is known to be another: tools say none, but stand in the body that does. */
  readonly isKnown: boolean;
}

function cleaned<N extends Node>(node: N, path: Path, { context, isKnown }: Cleaning): N {
  const members = node.native?.[family];
  if (!members || (!isKnown && hostOf(node) === context.dialect) || !hasState(members)) return node;
  const drop = (name: string): void => context.lose("foreign-state", [...path, "native", family, name]);
  return { ...node, native: { ...node.native, [family]: withoutState(members, drop) } };
}
