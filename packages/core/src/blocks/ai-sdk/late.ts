/**
 * What later generations of the AI SDK added. An older one takes it for a member of somebody else and lets it through
 * unchecked; the newer ones check it, so what is malformed must not reach them.
 */

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Generation, LosePart } from "./part.ts";

interface Late {
  readonly since: Generation;
  readonly isTaken: (value: Json) => boolean;
}

const isText = (value: Json | undefined): boolean => typeof value === "string";
const isRecord = (value: Json, isMember: (member: Json) => boolean): boolean =>
  isJsonObject(value) && Object.values(value).every(isMember);
const isMetadata = (value: Json): boolean => isRecord(value, isJsonObject);

/** Whether generation 7 takes it for a citation. */
export const isCitation = (value: Json): boolean => {
  const source = isJsonObject(value) ? value["source"] : undefined;
  if (!isJsonObject(source) || source["type"] !== "source" || !isText(source["id"])) return false;
  return source["sourceType"] === "url"
    ? isText(source["url"])
    : source["sourceType"] === "document" && isText(source["mediaType"]) && isText(source["title"]);
};

const lateMembers: { readonly [member: string]: Late } = {
  title: { since: 6, isTaken: isText },
  toolMetadata: { since: 6, isTaken: isJsonObject },
  inputEncoding: { since: 6, isTaken: value => value === "json" || value === "text" },
  callProviderMetadata: { since: 6, isTaken: isMetadata },
  resultProviderMetadata: { since: 6, isTaken: isMetadata },
  citations: { since: 7, isTaken: value => Array.isArray(value) && value.every(isCitation) },
  providerReference: { since: 7, isTaken: value => isRecord(value, isText) },
};

/** Says that members were left that a later generation knows. */
export function unreadHint(rest: JsonObject | undefined, generation: Generation): JsonObject | undefined {
  const isUnread = Object.keys(rest ?? {}).some(key => (lateMembers[key]?.since ?? 0) > generation);
  return isUnread ? { $unread: true } : undefined;
}

/** The part without members that an older generation let through and this one refuses. */
export function withoutRefused(
  wire: JsonObject,
  remainder: JsonObject,
  { generation, lose }: { readonly generation: Generation; readonly lose: LosePart },
): JsonObject {
  if (remainder["$unread"] !== true) return wire;
  const refused = Object.keys(remainder).filter(key => {
    const late = Object.hasOwn(lateMembers, key) ? lateMembers[key] : undefined;
    return late !== undefined && late.since <= generation && !late.isTaken(remainder[key] ?? null);
  });
  if (refused.length === 0) return wire;
  lose("late-member", "native", refused.join(", "));
  return Object.fromEntries(Object.entries(wire).filter(([key]) => !refused.includes(key)));
}
