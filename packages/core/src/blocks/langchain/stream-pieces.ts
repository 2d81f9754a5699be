import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { ExactText } from "../../model/json-text.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { callHints } from "./call-hints.ts";
import { collapseJs, readPython } from "./chunk-calls.ts";
import { arrange, close } from "./container.ts";
import { unwrapAll } from "./escape.ts";
import { tellDerived } from "./spelling.ts";
import { classOf, type Form, fallbackOf, family } from "./wire.ts";

/** A chunk of an answer with these members, as the form's own package writes it. */
export function answerChunk(fields: JsonObject, form: Form, exact?: ExactText): JsonObject {
  const row = classOf("AIMessageChunk");
  const pieces = listOf(fields["tool_call_chunks"]);
  const chunks = form.language === "js" ? pieces : pieces.map(nulled);
  const derived = chunks.length === 0 ? undefined : form.language === "js" ? collapseJs(chunks) : readPython(chunks);
  if (derived && exact) tellDerived(chunks, derived.tool_calls, exact);
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

/** Pieces have one list for calls of both: they come in the order of their blocks, and behind them those without one. */
export function inOrderOf(content: Json, entries: readonly Json[]): readonly Json[] {
  const blocks = listOf(content);
  const places = new Map<Json | undefined, number>();
  for (const [place, block] of blocks.entries()) places.set(membersOf(block)["id"], place);
  const placeOf = (entry: Json): number => {
    const { id } = membersOf(entry);
    return (typeof id === "string" ? places.get(id) : undefined) ?? blocks.length;
  };
  return [...entries].sort((a, b) => placeOf(a) - placeOf(b));
}

/** A function's call, whose text is JSON as it comes. */
export const isPlainCall = (part: Part): part is PartOf<"tool-call"> =>
  part.type === "tool-call" &&
  part.kind === undefined &&
  part.executedBy === undefined &&
  callHints(part).list !== false &&
  part.input === undefined &&
  part.inputText === undefined;

export const isOwnCall = (part: Part): boolean => part.type === "tool-call" && part.executedBy === undefined;

/** What stands beside the content: a call that comes behind it needs no block. */
export const standsBeside = (part: Part): boolean => isOwnCall(part) || hintsOf(part, family)["$kwarg"] !== undefined;

export const isText = (part: Part): part is PartOf<"text" | "reasoning" | "refusal"> =>
  part.type === "text" || part.type === "reasoning" || part.type === "refusal";

/** A text that is being sent: as the whole content, in a block of it, or beside it in `additional_kwargs`. */
export interface OpenText {
  readonly to: { readonly place: number } | { readonly beside: string } | "content";
  readonly member: string;
  /** The block without its text, until it is out. */
  start: JsonObject | undefined;
}

/** A text without words, of which something else is said. */
export const isEmptyText = (block: unknown): boolean =>
  isJsonObject(block) &&
  block["type"] === "text" &&
  block["text"] === "" &&
  Object.keys(block).some(key => key !== "type" && key !== "text" && key !== "index");
