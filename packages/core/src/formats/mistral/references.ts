/** Chunks that say what a text rests on: `tool_reference` is a citation of the text before it, or a source where there is none. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Citation, PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";
import type { Writing } from "./writing.ts";

type Source = PartOf<"source">;

/** A chunk as a source; undefined where it is no `tool_reference`, or lacks its title. */
export function readReference(wire: JsonObject): Source | undefined {
  const reader = new Reader(wire);
  const title = reader.literal("type", "tool_reference") ? reader.string("title") : undefined;
  if (title === undefined) return undefined;
  return defined<Source>({ type: "source", url: reader.string("url"), title, ...kept(family, reader.rest()) });
}

/** As a citation of the text that it stands behind. */
export const citationOf = ({ type: _, ...reference }: Source): Citation => reference;

/** A reference that Mistral made, as it was; undefined for one that it did not. */
export function referenceOf(node: Citation | Source): JsonObject | undefined {
  const { url, title } = node;
  if (!Object.hasOwn(hintsOf(node, family), "tool") || title === undefined) return undefined;
  return restored({ type: "tool_reference", title, ...(url !== undefined && { url }) }, node, family);
}

/** The tool whose find it was, where a reader gets no reference without one. */
const usualTool = "web_search";

/** A citation or a source as a chunk. Mistral takes its own back only. */
export function writeReference(
  node: Citation | Source,
  path: Path,
  { context, lose }: Writing,
): JsonObject | undefined {
  const own = referenceOf(node);
  if (own) return own;
  const { url, title = url } = node;
  if (context.recipient === "provider" || title === undefined) {
    lose("reference", path);
    return undefined;
  }
  lose("reference-tool", path);
  const fields = { type: "tool_reference", tool: usualTool, title, ...(url !== undefined && { url }) };
  return restored(fields, node, family);
}
