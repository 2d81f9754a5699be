/** What a host of the Responses wire stores: its ids mean nothing to another host, which refuses them, or finds what is not meant (R14). */

import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Citation, Node, Part } from "../../model/parts.ts";
import { hasState } from "../host-state.ts";
import { type ReadItem, type ReadScope, responses, usualHost, type WriteScope } from "./node.ts";

/** An item that is not known has its id in it. */
const isStored = (value: Json): boolean =>
  isJsonObject(value) && ((typeof value["id"] === "string" && value["id"] !== "") || hasState(value));

/** Says of each part of an item whose host it is, where something of it means nothing to another. */
export function hosted(item: ReadItem, { host }: ReadScope): ReadItem {
  if (host === undefined) return item;
  const parts = item.parts.map(place => (isBound(place.part) ? { ...place, part: marked(place.part, host) } : place));
  const isOwn = hasState(item.native?.[responses]);
  return { ...item, parts, ...(isOwn && { native: marked({ native: item.native ?? {} }, host).native }) };
}

function isBound(part: Part): boolean {
  if (part.type === "tool-call" && part.executedBy === "provider") return true;
  if (part.type === "opaque" && part.family === responses) return isStored(part.value);
  const cited = part.type === "text" ? (part.citations ?? []) : [];
  return hasState(part.native?.[responses]) || cited.some(citesStored);
}

/** Whether a node was read with ids of what its host stores. */
export const speaksOfState = (node: Node): boolean => hasState(node.native?.[responses]);

/** Ids of files as OpenAI and Azure make them, those of containers among them. */
export const ownId = /^(?:(?:file|assistant)-|cfile_)/;

/** Whether a citation is of something that only its host has. */
export const citesStored = (citation: Citation): boolean => citation.fileId !== undefined || speaksOfState(citation);

/** The node with the hint of its host, which is absent where it is the usual one. */
const marked = <N extends Node>(node: N, $host: string): N & Required<Pick<Node, "native">> => ({
  ...node,
  native: { ...node.native, [responses]: { ...hintsOf(node, responses), $host } },
});

/** The host that a node was read from. */
export function hostOf(node: Node): string {
  const { $host: host } = hintsOf(node, responses);
  return typeof host === "string" ? host : usualHost;
}

/** Whether the part is an item that only another host has stored. */
export const isElsewhere = (part: Part, { recipient, host }: WriteScope): boolean =>
  recipient === "provider" &&
  host !== undefined &&
  part.type === "opaque" &&
  hostOf(part) !== host &&
  isStored(part.value);
