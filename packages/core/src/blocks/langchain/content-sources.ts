/** What a search found, as the output of LangChain's result: `{ sources: [{ type: "url", url }] }`, or `{ results: [{ file_id }] }`. */

import { defined } from "../../codec/reader.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { blockOf } from "./content-block.ts";
import {
  BlockReader,
  BlockWriter,
  type ContentAbout,
  langchainContent,
  type Report,
  reportForeign,
} from "./content-places.ts";
import { isBareText } from "./content-text.ts";

/** Reads a list of blocks; undefined where one of them is none. */
type ReadParts = (list: Json) => readonly Part[] | undefined;
type WriteParts = (parts: readonly Part[], path: Path) => readonly Json[];

/** undefined where the output is something else, or says more than its sources. */
export function readSources(output: Json, about: ContentAbout, readParts: ReadParts): readonly Part[] | undefined {
  if (!isJsonObject(output) || Object.keys(output).length !== 1) return undefined;
  const { sources, results } = output;
  const list = sources ?? results;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const read = (source: JsonObject): PartOf<"source"> | undefined =>
    sources === undefined ? readFound(source, about) : readSource(source, about, readParts);
  const parts = list.map((source: Json) => (isJsonObject(source) ? read(source) : undefined));
  return parts.every(part => part !== undefined) ? parts : undefined;
}

function readSource(source: JsonObject, about: ContentAbout, readParts: ReadParts): PartOf<"source"> | undefined {
  const reader = new BlockReader(source, about);
  const url = reader.string("url");
  const isTyped = reader.literal("type", "url");
  if (url === undefined || (!isTyped && reader.peek("type") !== undefined)) return undefined;
  const hints = isTyped ? {} : { $type: false };
  const title = reader.string("title");
  const parts = readParts(reader.peek("content") ?? null);
  if (parts) reader.take("content");
  return defined<PartOf<"source">>({ type: "source", url, title, parts, ...reader.ending(hints) });
}

/** A file that was found, with what was found in it. */
function readFound(found: JsonObject, about: ContentAbout): PartOf<"source"> | undefined {
  const reader = new BlockReader(found, about);
  const fileId = reader.string("file_id");
  const text = reader.string("text");
  if (fileId === undefined) return undefined;
  return defined<PartOf<"source">>({
    type: "source",
    fileId,
    name: reader.string("filename"),
    parts: text === undefined ? undefined : [{ type: "text", text }],
    ...reader.ending(),
  });
}

/** undefined where the output is not only sources, which no block holds. */
export function writeSources(
  output: readonly Part[],
  about: ContentAbout,
  { report, writeParts }: { readonly report: Report; readonly writeParts: WriteParts },
): JsonObject | undefined {
  const sources = output.filter(part => part.type === "source");
  const isSources = output.length > 0 && sources.length === output.length;
  const isHeld =
    isSources && sources.every(part => blockOf(part) === undefined && part.url !== undefined && isReadable(part.parts));
  const isFound = isSources && sources.every(isFile);
  if (isFound) {
    return {
      results: sources.map((part, index) => writeFound(part, about, { ...report, path: [...report.path, index] })),
    };
  }
  if (!isHeld) return undefined;
  return {
    sources: sources.map((part, index) =>
      writeSource(part, about, { report: { ...report, path: [...report.path, index] }, writeParts }),
    ),
  };
}

/** Whether a source is a file, with a text at most. */
function isFile(part: PartOf<"source">): boolean {
  const [only, ...others] = part.parts ?? [];
  const isText = only === undefined ? part.parts === undefined : isBareText(only) && others.length === 0;
  return part.fileId !== undefined && part.url === undefined && blockOf(part) === undefined && isText;
}

function writeFound(part: PartOf<"source">, about: ContentAbout, report: Report): JsonObject {
  reportOthers(part, ["seal", "cache", "id", "title"], report);
  const [text] = part.parts ?? [];
  if (text) reportForeign(text, langchainContent, { ...report, path: [...report.path, "parts", 0] });
  return new BlockWriter(part, about)
    .set("file_id", part.fileId)
    .set("filename", part.name)
    .set("text", text?.type === "text" ? text.text : undefined)
    .block();
}

function reportOthers(
  part: PartOf<"source">,
  members: readonly ("seal" | "cache" | "id" | "fileId" | "name" | "title")[],
  report: Report,
): void {
  for (const member of members) {
    if (part[member] !== undefined) report.lose("tool-member", [...report.path, member]);
  }
  reportForeign(part, langchainContent, report);
}

/** What blocks hold: texts and files. */
const isReadable = (parts: readonly Part[] = []): boolean =>
  parts.every(({ type }) => type === "text" || type === "file");

function writeSource(
  part: PartOf<"source">,
  about: ContentAbout,
  { report, writeParts }: { readonly report: Report; readonly writeParts: WriteParts },
): JsonObject {
  reportOthers(part, ["seal", "cache", "id", "fileId", "name"], report);
  const writer = new BlockWriter(part, about);
  const isTyped = part.native?.[langchainContent]?.["$type"] !== false;
  return writer
    .set("type", isTyped ? "url" : undefined)
    .set("url", part.url)
    .set("title", part.title)
    .set("content", part.parts && writeParts(part.parts, [...report.path, "parts"]))
    .block();
}
