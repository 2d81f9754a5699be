/**
 * What all nodes of the AI SDK's model messages and prompts share: where they stand, what they say to providers, what else
 * they have. Provider options have the places that the SDK's UI messages keep theirs in, so that both forms agree on them.
 */

import type { Recipient } from "../../codec/codec.ts";
import { isContent } from "../../codec/hints.ts";
import { isEmpty, type Reader } from "../../codec/reader.ts";
import { hintsOf, kept, remainderOf, restored } from "../../codec/remainder.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Node, PartBase } from "../../model/parts.ts";
import { type FieldTable, readMetadata, type WrittenPart, writeMetadata } from "./metadata.ts";
import { type Generation, type LosePart, family as uiFamily } from "./part.ts";

export const modelFamily = "ai-sdk-model";

/** A dialect's generation, and whether it is what applications hold (`ModelMessage`) or what models get (prompts). */
export interface ModelPlace {
  readonly generation: Generation;
  readonly form: "message" | "prompt";
}

export interface ModelWriting extends ModelPlace {
  readonly lose: LosePart;
  readonly recipient?: Recipient;
}

/** Under which name an object of provider options stands on the wire, and under which in `native`. */
export interface OptionsPlace {
  readonly wire: "providerOptions" | "providerMetadata";
  readonly node: "providerMetadata" | "callProviderMetadata" | "resultProviderMetadata";
}

/** Fields from the provider options of a node, and what `native` keeps of them. */
export function readOptions(
  reader: Reader,
  fields: FieldTable,
  { wire, node }: OptionsPlace,
): { readonly members: Pick<PartBase, "seal" | "cache">; readonly kept: JsonObject } {
  const options = reader.object(wire);
  if (!options) return { members: {}, kept: {} };
  if (Object.keys(options).length === 0) return { members: {}, kept: { [node]: options } };
  const { members, rest, hints } = readMetadata(options, fields);
  return { members, kept: { ...(rest && { [node]: rest }), ...hints } };
}

/** `native` of a node: what the SDK's UI has a place for too, and what is the model message's own. */
export function natives(
  shared: JsonObject,
  rest: JsonObject | undefined,
  hints?: JsonObject,
): { native?: NonNullable<Node["native"]> } {
  const own = kept(modelFamily, rest, hints).native;
  const hasShared = Object.keys(shared).length > 0;
  if (!hasShared && !own) return {};
  return { native: { ...(hasShared && { [uiFamily]: shared }), ...own } };
}

/** What the node shares with the SDK's UI. */
export const sharedOf = (node: Node): JsonObject => hintsOf(node, uiFamily);

export const ownOf = (node: Node): JsonObject => node.native?.[modelFamily] ?? {};

interface NodeWriting {
  readonly fields: FieldTable;
  readonly place: OptionsPlace;
  /** Members shared with the UI that were written already. */
  readonly taken?: readonly string[];
  readonly lose: LosePart;
}

/** A wire node: its fields, its provider options, then what was read of a model message and has no field (R3). */
export function wireNode(
  members: JsonObject,
  node: PartBase & WrittenPart,
  { fields, place, taken = [], lose }: NodeWriting,
): JsonObject {
  const shared = sharedOf(node);
  const options = writeMetadata(node, fields, shared, place.node);
  loseShared(node, [place.node, ...taken], lose);
  return restored(options ? { ...members, [place.wire]: options } : members, node, modelFamily);
}

/** Members that only the SDK's UI has a place for. */
export function loseShared(node: Node, taken: readonly string[], lose: LosePart): void {
  const shared = sharedOf(node);
  if (isEmpty(shared)) return;
  const left = Object.keys(shared).filter(key => isContent(key) && !taken.includes(key));
  if (left.length > 0) lose("ui-member", "native", left.join(", "));
}

/** Whether a node has members of its own beside its fields. */
export const isBare = (node: PartBase): boolean =>
  node.seal === undefined &&
  node.cache === undefined &&
  Object.keys(remainderOf(node, modelFamily)).length === 0 &&
  Object.keys(sharedOf(node)).every(key => !isContent(key));
