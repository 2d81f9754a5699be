/**
 * `thinking` chunks: texts, references among them, and a signature. Each piece is a part, the first opens the chunk and the
 * others go on with it; what the chunk itself says is on its last reasoning part (R12).
 */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, remainderOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { Part, PartOf, Seal } from "../../model/parts.ts";
import { readReference, referenceOf } from "./references.ts";
import { family } from "./wire.ts";

/**
 * `new`: a piece that is no text opens a chunk. `more`: the piece belongs to the chunk before. `end`: no piece, only what
 * the chunk before says of itself. `empty`: a chunk without pieces.
 */
export type ThinkingHint = "new" | "more" | "end" | "empty";

export const thinkingHint = (part: Part): Json | undefined => hintsOf(part, family)["$thinking"];

/** The text of a chunk or piece that is nothing else. */
export function plainTextOf(piece: Json): string | undefined {
  if (!isJsonObject(piece) || piece["type"] !== "text" || Object.keys(piece).length !== 2) return undefined;
  return typeof piece["text"] === "string" ? piece["text"] : undefined;
}

/** A piece that is no plain text, as a part of its chunk. */
export function readItem(piece: Json, isFirst: boolean): Part {
  const part: Part = (isJsonObject(piece) && readReference(piece)) || { type: "opaque", family, value: piece };
  return hinted(part, isFirst ? "new" : "more");
}

export const hinted = <P extends Part>(part: P, $thinking: ThinkingHint): P => ({
  ...part,
  native: { ...part.native, [family]: { ...part.native?.[family], $thinking } },
});

/** A chunk's parts; undefined where it has no pieces. Without any text, but with a signature, it is hidden. */
export function readThinking(wire: JsonObject): readonly Part[] | undefined {
  const reader = new Reader(wire);
  const pieces = reader.array("thinking");
  if (!reader.literal("type", "thinking") || !pieces) return undefined;
  const parts = pieces.map((piece, index): Part => {
    const text = plainTextOf(piece);
    if (text === undefined) return readItem(piece, index === 0);
    const part: Part = { type: "reasoning", text };
    return index === 0 ? part : hinted(part, "more");
  });
  const own = ownMembers(reader);
  const last = parts.at(-1);
  if (last?.type === "reasoning") return [...parts.slice(0, -1), withOwn(last, own)];
  const end = endOf(own, last !== undefined);
  return end ? [...parts, end] : parts;
}

/** What a chunk says of itself where its last piece is no text, or where it has none. */
function endOf(own: OwnMembers, hasPieces: boolean): Reasoning | undefined {
  if (hasPieces && Object.keys(own).length === 0) return undefined;
  const part: Reasoning = { type: "reasoning", ...(!own.seal && { text: "" }) };
  return withOwn(hasPieces ? hinted(part, "end") : own.seal ? part : hinted(part, "empty"), own);
}

/** The same of a chunk while it comes. */
export const lateEndOf = (members: JsonObject, hasPieces: boolean): Reasoning | undefined =>
  endOf(ownMembers(new Reader(members)), hasPieces);

type Reasoning = PartOf<"reasoning">;

interface OwnMembers {
  readonly seal?: Seal;
  readonly rest?: JsonObject;
}

/** What a chunk says of itself, beside its pieces. */
function ownMembers(reader: Reader): OwnMembers {
  const signature = reader.string("signature");
  const seal: Seal | undefined = signature === undefined ? undefined : { maker: "mistral", values: { signature } };
  return defined<OwnMembers>({ seal, rest: reader.rest() });
}

const withOwn = (part: Reasoning, { seal, rest }: OwnMembers): Reasoning => ({
  ...part,
  ...(seal && { seal }),
  ...kept(family, rest, part.native?.[family]),
});

/** What the members of a chunk make of its last text, while it comes. */
export const membersOf = (members: JsonObject, isFirst: boolean): Pick<Reasoning, "seal" | "native"> => {
  const { type: _, ...set } = withOwn(
    isFirst ? { type: "reasoning" } : hinted({ type: "reasoning" }, "more"),
    ownMembers(new Reader(members)),
  );
  return set;
};

export const textPiece = (text: string): JsonObject => ({ type: "text", text });

/** A piece of a chunk, and what the chunk says of itself. */
export interface ThinkingPiece {
  readonly piece: Json | undefined;
  readonly members: JsonObject;
  readonly isMore: boolean;
}

/** A signature as Mistral gave it out; no other maker's has a place here. */
export function signatureOf(seal: Seal | undefined): string | undefined {
  const { signature, ...others } = seal?.values ?? {};
  const isPlain = seal?.maker === "mistral" && seal.model === undefined && seal.route === undefined;
  return isPlain && Object.keys(others).length === 0 ? signature : undefined;
}

/** What a part gives to a chunk of thoughts; undefined where it is no part of one. */
export function pieceOf(part: Part): ThinkingPiece | undefined {
  const hint = thinkingHint(part);
  const isMore = hint === "more" || hint === "end";
  if (part.type === "reasoning") {
    const signature = signatureOf(part.seal);
    const members = { ...(signature !== undefined && { signature }), ...remainderOf(part, family) };
    const isNothing = part.text === undefined || (part.text === "" && (hint === "end" || hint === "empty"));
    return { piece: isNothing ? undefined : textPiece(part.text), members, isMore };
  }
  if (hint !== "new" && hint !== "more") return undefined;
  if (part.type === "opaque") return { piece: part.value, members: {}, isMore };
  const reference = part.type === "source" ? referenceOf(part) : undefined;
  return reference && { piece: reference, members: {}, isMore };
}

/** The chunks of neighbouring parts. */
export function thinkingChunks(pieces: readonly ThinkingPiece[]): JsonObject[] {
  const chunks: { readonly thinking: Json[]; members: MutableJsonObject }[] = [];
  for (const { piece, members, isMore } of pieces) {
    let chunk = isMore ? chunks.at(-1) : undefined;
    if (!chunk) {
      chunk = { thinking: [], members: {} };
      chunks.push(chunk);
    }
    if (piece !== undefined) chunk.thinking.push(piece);
    chunk.members = { ...chunk.members, ...members };
  }
  return chunks.map(({ thinking, members }) => ({ type: "thinking", thinking, ...members }));
}
