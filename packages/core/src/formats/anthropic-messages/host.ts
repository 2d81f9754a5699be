/** What of a request is for one host alone (R14): what it has stored, and the servers that it is given tokens for. */

import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { JsonObject } from "../../model/json.ts";
import { family } from "./wire.ts";

const members: readonly string[] = ["container", "mcp_servers"];
const usualHost = "anthropic";

/** The hint of the host that a request was for; none for the usual one. */
export const hostHint = (rest: JsonObject | undefined, dialect: string): { readonly $host?: string } =>
  dialect !== usualHost && members.some(member => Object.hasOwn(rest ?? {}, member)) ? { $host: dialect } : {};

/** What was kept of a request, without what is for another host. */
export function stateOf(conversation: Conversation, { recipient, dialect, lose }: EncodeContext): JsonObject {
  const rest = remainderOf(conversation, family);
  const { $host: host = usualHost } = hintsOf(conversation, family);
  if (recipient !== "provider" || host === dialect) return rest;
  const kept = Object.entries(rest).filter(([name]) => {
    const isLost = members.includes(name);
    if (isLost) lose("foreign-state", ["native", family, name]);
    return !isLost;
  });
  return Object.fromEntries(kept);
}
