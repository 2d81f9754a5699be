/** APIs that know a user and an assistant: what tools found is the user's, and a message of both is several here (R15). */

import type { EncodeContext } from "../codec/codec.ts";
import { hintsOf } from "../codec/remainder.ts";
import type { Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";

/** Neighbours of one side: results of tools, and what a user says. */
export function sidesOf(parts: readonly Part[]): { role: string; parts: Part[] }[] {
  const sides: { role: string; parts: Part[] }[] = [];
  for (const part of parts) {
    const role = part.type === "tool-result" ? "tool" : "user";
    const last = sides.at(-1);
    if (last?.role === role) last.parts.push(part);
    else sides.push({ role, parts: [part] });
  }
  return sides;
}

/** The role that a message has on the wire: the one that it was read with, or one of the API's. */
export function sideOf(message: Message, family: string): string {
  const { role } = message;
  if (role === "assistant" || role === "system" || hintsOf(message, family)["$role"] === role) return role;
  return role === "developer" ? "system" : "user";
}

/** Whether a message was split of the one before it. */
export const isJoined = (message: Message | undefined, family: string): boolean =>
  message !== undefined &&
  (message.role === "user" || message.role === "tool") &&
  hintsOf(message, family)["$join"] === true;

/** Reports a message that is read otherwise than it was. */
export function reportSide(message: Message, path: Path, { context, family }: SideWriting): void {
  const { role, parts } = message;
  if (role === "assistant") return;
  const side = sideOf(message, family);
  if (role === "developer" && side !== role) context.lose("developer", [...path, "role"]);
  if (side !== "user") return;
  if (role !== "user" && role !== "tool") context.lose("role", [...path, "role"], role);
  let results = 0;
  for (const { type } of parts) if (type === "tool-result") results++;
  const isOne = role === "tool" ? results === parts.length && results > 0 : results === 0;
  if (!isOne) context.lose("side", path);
}

interface SideWriting {
  readonly context: EncodeContext;
  readonly family: string;
}
