import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";

/** The families of message classes that have chunks. */
export type ChunkKind = "ai" | "human" | "system" | "tool" | "chat" | "function";

/** The members of a message or a chunk. */
export interface ChunkFields {
  readonly kind: ChunkKind;
  /** `AIMessageChunk`, where its form names the class. */
  readonly className: string | undefined;
  readonly fields: JsonObject;
}

/** A message or a chunk, out of the form that its dialect wraps it in. */
export interface Chunk extends ChunkFields {
  /** The same form around other fields. */
  wrap(fields: JsonObject): JsonObject;
}

const kinds: { readonly [type: string]: ChunkKind } = {
  ai: "ai",
  human: "human",
  system: "system",
  tool: "tool",
  chat: "chat",
  generic: "chat",
  function: "function",
};

/** `AIMessageChunk` and `AIMessage` → `ai`. */
const stemOf = (className: string): string =>
  className
    .replace(/Chunk$/, "")
    .replace(/Message$/, "")
    .toLowerCase();

const kindOf = (word: Json | undefined): ChunkKind | undefined => {
  if (typeof word !== "string") return undefined;
  const stem = Object.hasOwn(kinds, word) ? word : stemOf(word);
  return Object.hasOwn(kinds, stem) ? kinds[stem] : undefined;
};

/** The chunk in any of the message dialects; undefined where the value is none. A plain object of fields is an AI message's. */
export function openChunk(value: Json | undefined): Chunk | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, kwargs, type, data } = value;
  if (value["lc"] === 1 && Array.isArray(id) && isJsonObject(kwargs)) {
    const className = id.at(-1) as Json | undefined; // an item of JSON
    const kind = kindOf(className);
    if (kind === undefined || typeof className !== "string") return undefined;
    return { kind, className, fields: kwargs, wrap: fields => ({ ...value, kwargs: fields }) };
  }
  const kind = type === undefined && ("content" in value || "tool_call_chunks" in value) ? "ai" : kindOf(type);
  if (kind === undefined) return undefined;
  const className = typeof type === "string" && type.endsWith("Chunk") ? type : undefined;
  if (isJsonObject(data)) return { kind, className, fields: data, wrap: fields => ({ ...value, data: fields }) };
  return { kind, className, fields: value, wrap: fields => withTypeOf(value, fields) };
}

/** Flat forms hold the type among the fields. */
function withTypeOf({ type }: JsonObject, fields: JsonObject): JsonObject {
  if (type === undefined || "type" in fields) return fields;
  const whole: MutableJsonObject = { ...fields, type };
  return whole;
}
