/** What a host has stored, which another cannot open (R14). */

import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Tool } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { dialects, family } from "./wire.ts";

const storedMembers: readonly string[] = ["cachedContent", "cached_content"];
/** Google's tools whose settings name stores. */
const storeTools: readonly string[] = ["fileSearch", "file_search", "retrieval"];

const isStored = (value: Json | undefined): boolean => typeof value === "string" && value !== "";

/** Whether a tool of Google's searches what its host stores. */
export function searchesStore(tool: Tool): boolean {
  const { $member: member } = hintsOf(tool, family);
  const { settings } = remainderOf(tool, family);
  return typeof member === "string" && storeTools.includes(member) && isJsonObject(settings);
}

/** The hint of the host whose stores a request speaks of; none for the usual one. */
export function hostHint(
  cachedContent: Json | undefined,
  tools: readonly Tool[] = [],
  dialect: string,
): { readonly $host?: string } {
  const isBound = isStored(cachedContent) || tools.some(searchesStore);
  return isBound && dialect !== dialects[0] ? { $host: dialect } : {};
}

/** Whether the stores that a conversation speaks of are another host's than the one that it goes to. */
export function isAway(conversation: Conversation, { recipient, dialect }: EncodeContext): boolean {
  const { $host: host = dialects[0] } = hintsOf(conversation, family);
  return recipient === "provider" && host !== dialect;
}

/** What was kept of a request, without what another host stores. */
export function stateOf(conversation: Conversation, context: EncodeContext): JsonObject {
  const rest = remainderOf(conversation, family);
  if (!isAway(conversation, context)) return rest;
  const kept = Object.entries(rest).filter(([name, value]) => {
    const isLost = storedMembers.includes(name) && isStored(value);
    if (isLost) context.lose("foreign-state", ["native", family, name]);
    return !isLost;
  });
  return Object.fromEntries(kept);
}
