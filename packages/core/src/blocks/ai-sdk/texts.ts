/** Texts and reasoning of AI SDK messages. */

import { native, Reader } from "../../codec/reader.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PartBase, ReasoningPart, TextPart } from "../../model/parts.ts";
import { unreadHint } from "./late.ts";
import { isOfSummary, noFields, textFields } from "./metadata.ts";
import { family, isMadeId, metadataOf, type PartPlace, type PartWriting, remainderOf, wirePart } from "./part.ts";
import { decodeCitations, encodeCitation } from "./sources.ts";

/** Undefined where it is no text part. */
export function decodeText(wire: JsonObject, place: PartPlace): TextPart | undefined {
  const reader = new Reader(wire);
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  const citations = place.generation >= 7 ? decodeCitations(reader) : undefined;
  const state = readState(reader, place);
  const { members, kept } = metadataOf(reader, textFields);
  const rest = reader.remainder();
  return {
    type: "text",
    text,
    ...(citations && { citations }),
    ...state.members,
    ...members,
    ...native(family, rest, kept, state.hint, unreadHint(rest, place.generation)),
  };
}

export function encodeText(part: TextPart, writing: PartWriting): JsonObject {
  if (part.citations && writing.generation < 7) writing.lose("cited-sources", "citations");
  const citations =
    writing.generation < 7 ? undefined : part.citations?.map(citation => encodeCitation(citation, writing));
  const fields = { type: "text", text: part.text, ...(citations && { citations }), ...writeState(part, writing) };
  return wirePart(fields, part, { table: textFields, writing });
}

/** Undefined where it is no reasoning part. */
export function decodeReasoning(wire: JsonObject, place: PartPlace): ReasoningPart | undefined {
  const reader = new Reader(wire);
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  const id = reader.string("id");
  const state = readState(reader, place);
  const { members, kept } = metadataOf(reader, noFields);
  const part: ReasoningPart = {
    type: "reasoning",
    text,
    ...(id !== undefined && !isMadeId(id) && { id }),
    ...(isOfSummary(members.seal) && { summary: true }),
    ...state.members,
    ...members,
    ...native(family, reader.remainder(), kept, state.hint, id === undefined ? { $id: "none" } : undefined),
  };
  if (!isHidden(part, text)) return part;
  const { text: _, summary: __, ...hidden } = part;
  return hidden;
}

/** A text that nobody may see is sent as an empty one, beside what only its maker can read. */
export const isHidden = ({ seal }: PartBase, text: string): boolean =>
  text === "" && (seal?.values["data"] !== undefined || seal?.values["encrypted_content"] !== undefined);

export function encodeReasoning(part: ReasoningPart, writing: PartWriting): JsonObject {
  const text = part.text ?? "";
  if (isHidden(part, text) !== (part.text === undefined)) writing.lose("hidden-reasoning", "text");
  if (isUnsaidSummary(part)) writing.lose("reasoning-summary", "summary");
  if (part.id !== undefined && isMadeId(part.id)) writing.lose("made-id", "id");
  const named = part.id === undefined && remainderOf(part)["$id"] === "none" ? {} : { id: part.id ?? writing.madeId() };
  return wirePart({ type: "reasoning", ...named, text, ...writeState(part, writing) }, part, {
    table: noFields,
    writing,
  });
}

/** Whether it is read as a summary and is none, or the other way round: the maker's seal alone says it. */
export const isUnsaidSummary = (part: ReasoningPart): boolean =>
  (part.summary === true) !== (part.text !== undefined && isOfSummary(part.seal));

/** Texts of the assistant end in `done`; others have no state. */
const endState = (role: string): string | undefined => (role === "assistant" ? "done" : undefined);

function readState(
  reader: Reader,
  { role }: PartPlace,
): { readonly members: { partial?: true }; readonly hint?: JsonObject } {
  if (reader.literal("state", "streaming")) return { members: { partial: true } };
  const state = reader.literal("state", "done") ? "done" : undefined;
  return { members: {}, ...(state !== endState(role) && { hint: { $state: state ?? "none" } }) };
}

function writeState(part: PartBase, { role }: PartPlace): { state?: string } {
  if (part.partial) return { state: "streaming" };
  const hint = remainderOf(part)["$state"];
  const state = hint === "done" ? hint : hint === "none" ? undefined : endState(role);
  return state === undefined ? {} : { state };
}
