/** What a search found, as the output of LangChain's result: `{ sources: [{ type: "url", url }] }`. */

import { defined } from "../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Part, PartOf } from "../model/parts.ts";
import { blockOf } from "./langchain-content-block.ts";
import {
  BlockReader,
  BlockWriter,
  type ContentAbout,
  langchainContent,
  type Report,
  reportForeign,
} from "./langchain-content-places.ts";

/** undefined where the output is something else, or says more than its sources. */
export function readSources(output: Json, about: ContentAbout): readonly Part[] | undefined {
  if (!isJsonObject(output) || Object.keys(output).length !== 1) return undefined;
  const { sources } = output;
  if (!Array.isArray(sources) || sources.length === 0) return undefined;
  const parts = sources.map((source: Json) => (isJsonObject(source) ? readSource(source, about) : undefined));
  return parts.every(part => part !== undefined) ? parts : undefined;
}

function readSource(source: JsonObject, about: ContentAbout): PartOf<"source"> | undefined {
  const reader = new BlockReader(source, about);
  const url = reader.string("url");
  const isTyped = reader.literal("type", "url");
  if (url === undefined || (!isTyped && reader.peek("type") !== undefined)) return undefined;
  const hints = isTyped ? {} : { $type: false };
  return defined<PartOf<"source">>({ type: "source", url, title: reader.string("title"), ...reader.ending(hints) });
}

/** undefined where the output is not only sources, which no block holds. */
export function writeSources(output: readonly Part[], about: ContentAbout, report: Report): JsonObject | undefined {
  const sources = output.filter(part => part.type === "source");
  const isSources = output.length > 0 && sources.length === output.length;
  const isHeld =
    isSources && sources.every(part => blockOf(part) === undefined && part.url !== undefined && !part.parts);
  if (!isHeld) return undefined;
  return {
    sources: sources.map((part, index) => writeSource(part, about, { ...report, path: [...report.path, index] })),
  };
}

function writeSource(part: PartOf<"source">, about: ContentAbout, report: Report): JsonObject {
  for (const member of ["seal", "cache", "id"] as const) {
    if (part[member] !== undefined) report.lose("tool-member", [...report.path, member]);
  }
  reportForeign(part, langchainContent, report);
  const writer = new BlockWriter(part, about);
  const isTyped = part.native?.[langchainContent]?.["$type"] !== false;
  return writer
    .set("type", isTyped ? "url" : undefined)
    .set("url", part.url)
    .set("title", part.title)
    .block();
}
