import type { DecodeContext } from "../../codec/codec.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { ChunkFields, ChunkKind } from "./chunk.ts";
import { arrange, close, open } from "./container.ts";
import { type Class, classOf, dialects, type Form, fallbackOf } from "./wire.ts";

/** A chunk of a stream, or a message that comes whole in one. */
export interface ReadChunk extends ChunkFields {
  readonly isWhole: boolean;
  readonly row: Class;
  readonly form: Form;
  readonly wire: Json;
}

const kinds: { readonly [base in Exclude<Class["base"], "RemoveMessage">]: ChunkKind } = {
  AIMessage: "ai",
  HumanMessage: "human",
  SystemMessage: "system",
  ToolMessage: "tool",
  ChatMessage: "chat",
  FunctionMessage: "function",
};

/** The chunk out of its form. A plain object of fields without a type is a chunk of an answer. */
export function readChunk(wire: Json, path: Path, context: DecodeContext): ReadChunk | undefined {
  const isFields = isJsonObject(wire) && !("type" in wire) && !("role" in wire) && !("lc" in wire);
  const fields = isFields && ("content" in wire || "tool_call_chunks" in wire) ? wire : undefined;
  const opened = fields
    ? { body: { row: classOf("AIMessageChunk"), members: fields }, form: dialects["js-lc"] }
    : open(wire, path, context);
  if (!opened) return undefined;
  const { body, form } = opened;
  const { row, members } = body;
  // The forms of JavaScript without a class name have the same type for chunks, and only these have fragments of calls.
  const isUntold = form.language === "js" && form.container !== "lc" && row.base === "AIMessage";
  const isChunk = row.name !== row.base || (isUntold && Array.isArray(members["tool_call_chunks"]));
  const kind = row.base === "RemoveMessage" ? "system" : kinds[row.base];
  return { kind, className: row.name, fields: members, isWhole: !isChunk, row, form, wire };
}

/** The message that the chunks were, in the form of the first. */
export function wholeOf({ row, form }: ReadChunk, fields: JsonObject): JsonObject {
  const { tool_call_chunks: _, chunk_position: __, content = "", ...others } = fields;
  const members: JsonObject = { content: Array.isArray(content) ? content.map(withoutIndex) : content, ...others };
  const whole = classOf(row.base);
  const fallback = (member: string): Json | undefined =>
    member === "type" ? whole[form.language] : fallbackOf(member);
  return close(arrange(members, {}, { row: whole, form, hints: {}, fallback }), whole, { form, hints: {} });
}

/** The address of a block in a stream says nothing of the whole. */
function withoutIndex(block: Json): Json {
  if (!isJsonObject(block) || (typeof block["index"] !== "number" && typeof block["index"] !== "string")) return block;
  const { index: _, ...members } = block;
  return members;
}
