/** What only its maker reads, among what is kept of LangChain's messages under the names that it had (R2). */

import type { Conversation, Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Node, Part } from "../../model/parts.ts";
import { mapNodes } from "../../model/walk.ts";

/** Signatures, encrypted contents, and the ids that OpenAI gave the items of calls. */
const sealNames = /signature|encrypted|redacted|^__openai_\w+_ids__$|^item_?id$/i;
/** Ids that OpenAI's Responses gave items. */
const itemId = /^(?:rs|msg|fc|fs|ws|ci|ig|cu|ctc|lsh|mcp|mcpl|mcpr|tsc|tso|cmp)_/;
/** Blocks whose data are sealed. */
const sealedTypes = /encrypted|redacted|compaction/;

type Lose = (code: "kept-seal", path: Path, detail?: string) => void;

/**
 * The conversation as a provider may get it: seals of parts are taken out before, those that were kept here. `isOwn`: whose
 * messages are the provider's own, which gets back what it gave.
 */
export function withoutKeptSeals(
  conversation: Conversation,
  lose: Lose,
  isOwn: (message: Message) => boolean = () => false,
): Conversation {
  const own = new Set(conversation.messages.flatMap((message, index) => (isOwn(message) ? [index] : [])));
  return mapNodes(conversation, <T extends Node>(node: T, path: Path): T => {
    if (path[0] === "messages" && own.has(Number(path[1]))) return node;
    const native = node.native && (scrub(node.native, [...path, "native"], lose) as NonNullable<Node["native"]>); // an object gives one
    const open = native === node.native ? node : { ...node, native };
    return isOpaque(open) ? withValue(open, path, lose) : open;
  });
}

/** Whether a node keeps something that only its maker reads. */
export const hasKeptSeal = ({ native }: Node): boolean =>
  native !== undefined && scrub(native, [], () => undefined) !== native;

const isOpaque = (node: Node): node is Node & Part & { readonly type: "opaque" } =>
  "type" in node && node.type === "opaque";

function withValue<T extends Node & { readonly value: Json }>(part: T, path: Path, lose: Lose): T {
  const value = scrub(part.value, [...path, "value"], lose);
  return value === part.value ? part : { ...part, value };
}

/** The value without seals; itself where it has none. */
function scrub(value: Json, path: Path, lose: Lose): Json {
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) => scrub(item, [...path, index], lose));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const kept: MutableJsonObject = {};
  let isSame = true;
  for (const [key, member] of Object.entries(value)) {
    const at = [...path, key];
    if (isSeal(key, member, value)) {
      lose("kept-seal", at);
      isSame = false;
      continue;
    }
    const rest = scrub(member, at, lose);
    if (rest !== member) isSame = false;
    setMember(kept, key, rest);
  }
  return isSame ? value : kept;
}

function isSeal(key: string, value: Json, { type }: JsonObject): boolean {
  if (value === null || value === "" || typeof value === "boolean" || typeof value === "number") return false;
  if (sealNames.test(key)) return !isNothing(value);
  if (typeof value !== "string") return false;
  return (key === "id" && itemId.test(value)) || (key === "data" && typeof type === "string" && sealedTypes.test(type));
}

const isNothing = (value: Json): boolean =>
  typeof value === "object" && value !== null && Object.values(value).every(inner => inner === null || inner === "");
