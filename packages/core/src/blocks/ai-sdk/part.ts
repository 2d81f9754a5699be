/** What all parts of AI SDK messages share: where they stand, their metadata, the ids that we made. */

import { fill, type Reader } from "../../codec/reader.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PartBase } from "../../model/parts.ts";
import { withoutRefused } from "./late.ts";
import { type FieldTable, readMetadata, type WrittenPart, writeMetadata } from "./metadata.ts";

export const family = "ai-sdk";

/** A generation of the SDK's clients: what a message may hold grew with each. */
export type Generation = 5 | 6 | 7;

/** What the reader and the writer of a part must know of where it stands. */
export interface PartPlace {
  readonly generation: Generation;
  /** The role of its message: a text of the assistant says when it is done. */
  readonly role: string;
}

/** Reports a loss about the part that is written. `member`: which of its members. */
export type LosePart = (code: string, member?: string, detail?: string) => void;

export interface PartWriting extends PartPlace {
  readonly lose: LosePart;
  /** An id for a part that has none and must have one; it is read as none (R8). */
  readonly madeId: () => string;
}

/** Members without a field, and hints how the others were spelled (R2). */
export const remainderOf = (node: PartBase): JsonObject => node.native?.[family] ?? {};

/** An id for what has none: it is read as none (R8). */
export const unnamed = "~";

export const isMadeId = (id: string): boolean => id.startsWith(unnamed);

/** Fields of a part from its metadata, and what of it native keeps. */
export function metadataOf(
  reader: Reader,
  fields: FieldTable,
  member = "providerMetadata",
): { readonly members: Pick<PartBase, "seal" | "cache">; readonly kept: JsonObject } {
  const metadata = reader.object(member);
  if (!metadata) return { members: {}, kept: {} };
  if (Object.keys(metadata).length === 0) return { members: {}, kept: { [member]: metadata } };
  const { members, rest, hints } = readMetadata(metadata, fields);
  return { members, kept: { ...(rest && { [member]: rest }), ...hints } };
}

/** A wire part: its fields, the metadata of the node, then what native keeps (R3). */
export function wirePart(
  fields: JsonObject,
  node: PartBase & WrittenPart,
  { table, writing }: { readonly table: FieldTable; readonly writing: PartWriting },
): JsonObject {
  const remainder = remainderOf(node);
  const metadata = writeMetadata(node, table, remainder);
  const wire = fill({ ...fields, ...(metadata && { providerMetadata: metadata }) }, remainder);
  return withoutRefused(wire, remainder, writing);
}
