/** What the Python views of content blocks share. */

import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Python's own sense of what says something. */
export const isTruthy = (value: Json | undefined): value is Json => {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
};

/** A default is for what is not there: null is. */
export const orElse = (value: Json | undefined, fallback: Json): Json => (value === undefined ? fallback : value);

/** Whether the value is `{}`. */
export const isEmptyObject = (value: Json | undefined): boolean =>
  isJsonObject(value) && Object.keys(value).length === 0;

/** The block with what it does not know of another, in `extras`. */
export function addExtras(block: JsonObject, from: JsonObject, known: readonly string[]): JsonObject {
  const more = Object.keys(from).filter(key => !known.includes(key));
  if (more.length === 0) return block;
  const given = isJsonObject(block["extras"]) ? block["extras"] : {};
  return { ...block, extras: { ...given, ...Object.fromEntries(more.map(key => [key, from[key] ?? null])) } };
}

export const callBlock = ({ name, args, id }: JsonObject): JsonObject =>
  present({ type: "tool_call", name, args, id: id ?? null });

export const chunkBlock = ({ id, name, args, index }: JsonObject): JsonObject => ({
  type: "tool_call_chunk",
  id: id ?? null,
  name: name ?? null,
  args: args ?? null,
  ...(index !== undefined && index !== null && { index }),
});

/** A data URL as Python reads it: any type, any data. */
export function dataUri(url: string): { readonly mimeType: string; readonly data: string } | undefined {
  const [, mimeType, data] = /^data:([^;]+);base64,(.+)$/.exec(url) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { mimeType, data };
}

/** Types of LangChain's own blocks. */
export const knownTypes: readonly Json[] = [
  "text",
  "reasoning",
  "tool_call",
  "invalid_tool_call",
  "tool_call_chunk",
  "image",
  "audio",
  "file",
  "text-plain",
  "video",
  "server_tool_call",
  "server_tool_call_chunk",
  "server_tool_result",
  "non_standard",
];

/** `index` where the block has one. */
export const indexOf = (block: JsonObject, spelled: (index: Json) => Json = index => index): JsonObject =>
  block["index"] === undefined ? {} : { index: spelled(block["index"]) };

/** The call of a message by its id; where there is just one, that one whatever its id. */
export function callFor(calls: readonly JsonObject[], id: Json | undefined): JsonObject | undefined {
  if (calls.length === 1) return calls[0];
  return isTruthy(id) ? calls.find(call => call["id"] === id) : undefined;
}
