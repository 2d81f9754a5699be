import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { collapseJs, readPython } from "./chunk-calls.ts";
import { arrange, close } from "./container.ts";
import { unwrapAll } from "./escape.ts";
import { classOf, type Form, fallbackOf } from "./wire.ts";

/** A chunk of an answer with these members, as the form's own package writes it. */
export function answerChunk(fields: JsonObject, form: Form): JsonObject {
  const row = classOf("AIMessageChunk");
  const pieces = listOf(fields["tool_call_chunks"]);
  const chunks = form.language === "js" ? pieces : pieces.map(nulled);
  const derived = chunks.length === 0 ? {} : form.language === "js" ? collapseJs(chunks) : readPython(chunks);
  const all = { content: "", ...fields, ...derived };
  const fallback = (member: string): Json | undefined => (member === "type" ? row[form.language] : fallbackOf(member));
  return close(arrange(all, all, { row, form, hints: {}, fallback }), row, { form, hints: {} });
}

/** A piece of a call, of the members that are told. */
export const callPiece = (of: {
  readonly name?: Json | undefined;
  readonly args?: Json | undefined;
  readonly id?: Json | undefined;
  readonly index: number;
}): JsonObject => ({
  ...(of.name !== undefined && { name: of.name }),
  args: of.args ?? null,
  ...(of.id !== undefined && { id: of.id }),
  index: of.index,
  type: "tool_call_chunk",
});

/** Python has all members of a piece. */
const nulled = (piece: Json): Json => ({ name: null, id: null, ...(isJsonObject(piece) && piece) });

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** The members of a message in any of the forms, nothing escaped. */
export function membersOf(wire: Json | undefined): JsonObject {
  if (!isJsonObject(wire)) return {};
  const { kwargs, data } = wire;
  if (wire["lc"] === 1 && isJsonObject(kwargs)) return unwrapAll(kwargs).value as JsonObject; // an object gives an object
  return isJsonObject(data) && !Object.hasOwn(wire, "content") ? data : wire;
}

/** Whether the metadata of an answer tell why it ended. */
export const hasFinish = (metadata: Json | undefined): boolean =>
  isJsonObject(metadata) &&
  ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"].some(
    key => typeof metadata[key] === "string",
  );
