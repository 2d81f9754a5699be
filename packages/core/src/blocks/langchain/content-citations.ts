/** What LangChain's texts rest on: its own annotations, OpenAI's as they come, and Anthropic's `citations`. */

import { defined, rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, PartOf, Seal } from "../../model/parts.ts";
import { isSeal } from "../chat-parts/calls.ts";
import {
  BlockReader,
  BlockWriter,
  type ContentAbout,
  langchainContent,
  type Report,
  reportForeign,
} from "./content-places.ts";

type Unit = "char" | "page" | "block";

/** The annotations or citations, where every one is an object; else they stay as they are. */
export function readCitations(reader: BlockReader): readonly Citation[] | undefined {
  for (const member of ["annotations", "citations"] as const) {
    const list = reader.member(member, isList);
    if (!list) continue;
    const citations = list.map(item => readCitation(item, reader.about));
    // Streams of the protocol have Anthropic's among the annotations.
    if (member === "citations" || isAllAnthropic(citations)) reader.note(member);
    return citations;
  }
  return undefined;
}

const isList = (value: Json): value is readonly JsonObject[] & Json =>
  Array.isArray(value) && value.every(isJsonObject);

export function writeCitations(part: PartOf<"text">, writer: BlockWriter, report: Report): void {
  if (!part.citations) return;
  const isOfAnthropic = isAllAnthropic(part.citations) && !writer.had("annotations");
  const member = isOfAnthropic || writer.had("citations") ? "citations" : "annotations";
  writer.set(
    member,
    part.citations.map((citation, index) =>
      writeCitation(citation, writer.about, { ...report, path: [...report.path, "citations", index] }),
    ),
  );
}

function isAllAnthropic(citations: readonly Citation[]): boolean {
  const kinds = citations.map(kindOf);
  return kinds.includes("anthropic") && kinds.every(kind => kind === "anthropic" || kind === "other");
}

/** What each wire's citations can say: one that says more is written as LangChain's own. */
const wires: { readonly [kind: string]: readonly string[] } = {
  other: ["native"],
  anthropic: ["native", "exact", "url", "title", "fileId", "quote", "at", "seal"],
  openai: ["native", "exact", "url", "title", "fileId", "name", "start", "end"],
};

/** The wire that a citation was read from, so that it goes back as it came. */
function kindOf(citation: Citation): string | undefined {
  const kind = hintsOf(citation, langchainContent)["$block"];
  const members = typeof kind === "string" ? rowOf(wires, kind) : undefined;
  if (!members || !Object.keys(citation).every(key => members.includes(key))) return undefined;
  const { at, seal, start, end } = citation;
  const isSealed = seal !== undefined && !equalJson(seal, encryptedIndex(seal.values["encrypted_index"] ?? ""));
  const { type } = hintsOf(citation, "openai-responses");
  const isRange = typeof type === "string" && rowOf(openaiMembers, type)?.place !== undefined && start !== end;
  return isSealed || isRange || (at && citation.url !== undefined) ? undefined : String(kind);
}

function readCitation(value: JsonObject, about: ContentAbout): Citation {
  const reader = new BlockReader(value, about);
  const type = reader.peek("type");
  if (typeof type === "string" && rowOf(anthropicUnits, type) !== undefined) return readAnthropic(reader, type);
  if (typeof type === "string" && rowOf(openaiMembers, type)) return readOpenai(reader, type);
  if (type !== "citation") return reader.ending({ $block: "other" });
  return readStandard(reader);
}

function writeCitation(citation: Citation, about: ContentAbout, report: Report): JsonObject {
  const kind = kindOf(citation);
  const writer = new BlockWriter(citation, about);
  reportForeign(citation, rowOf(citationFamilies, kind ?? "") ?? langchainContent, report);
  if (kind === "other") return writer.block();
  if (kind === "anthropic") return writeAnthropic(citation, writer);
  if (kind === "openai") return writeOpenai(citation, writer);
  return writeStandard(citation, writer, report);
}

const citationFamilies: { readonly [kind: string]: string } = { anthropic: "anthropic", openai: "openai-responses" };

// LangChain's own

/** Members of Anthropic's locations, which Python keeps in `extras`. */
const units: { readonly [unit in Unit]: readonly [start: string, end: string] } = {
  char: ["start_char_index", "end_char_index"],
  page: ["start_page_number", "end_page_number"],
  block: ["start_block_index", "end_block_index"],
};
const unitNames = Object.keys(units) as readonly Unit[]; // the table has just these keys

/** What JavaScript's `source` says of the range; of the others nothing is known. */
const sources: { readonly [source: string]: Unit } = { char: "char", page: "page", block: "block", search: "block" };
const isNumber = (value: Json): value is number => typeof value === "number";

function readStandard(reader: BlockReader): Citation {
  reader.take("type");
  const place = readPlace(reader);
  const index = reader.findText("encryptedIndex");
  const seal = index === undefined ? reader.find("seal", isOurs) : encryptedIndex(index);
  return defined<Citation>({
    url: reader.string("url"),
    title: reader.string("title"),
    fileId: reader.findText("citedFile"),
    name: reader.findText("citedName"),
    quote: reader.findText("citedText"),
    ...place,
    seal,
    ...reader.ending(),
  });
}

const isOurs = (value: Json): value is Json & Seal => isSeal(value);
const encryptedIndex = (index: string): Seal => ({ maker: "anthropic", values: { encrypted_index: index } });

/** The range in the text, and the place in the source: in `extras`, or told by `source`. */
function readPlace(reader: BlockReader): Pick<Citation, "start" | "end" | "at"> {
  const extras = reader.inner("extras");
  const unit = extras && unitNames.find(name => typeof extras.peek(units[name][0]) === "number");
  if (extras && unit) {
    if (reader.about.language === "js") reader.note("at:extras");
    const [start, end] = units[unit];
    const document = extras.number("document_index");
    const at = { unit, start: extras.number(start), end: extras.number(end), document };
    return { ...readRange(reader), at: defined<NonNullable<Citation["at"]>>(at) };
  }
  const source = reader.peek("source");
  if (typeof source !== "string") return readRange(reader);
  const told = Object.hasOwn(sources, source) ? sources[source] : undefined;
  if (told === undefined) return {};
  if (told === source) reader.take("source");
  if (reader.about.language === "python") reader.note("at:source");
  const at = { unit: told, ...readRange(reader), document: reader.number("document_index") };
  return { at: defined<NonNullable<Citation["at"]>>(at) };
}

const readRange = (reader: BlockReader): Pick<Citation, "start" | "end"> =>
  defined<Pick<Citation, "start" | "end">>({
    start: reader.find("annotationStart", isNumber),
    end: reader.find("annotationEnd", isNumber),
  });

function writeStandard(citation: Citation, writer: BlockWriter, report: Report): JsonObject {
  const { at, seal } = citation;
  writer.set("type", "citation");
  const hasRange = citation.start !== undefined || citation.end !== undefined;
  const inExtras = writer.about.language === "js" ? writer.had("at:extras") || hasRange : !writer.had("at:source");
  const isSourced = at !== undefined && !(inExtras && at.start !== undefined);
  if (isSourced && hintsOf(citation, langchainContent)["source"] === undefined) writer.set("source", at.unit);
  if (isSourced && hasRange) report.lose("citation-place", report.path);
  writer.set("url", citation.url).set("title", citation.title);
  const range = isSourced ? at : citation;
  writer.put("annotationStart", range.start).put("annotationEnd", range.end);
  writer.put("citedText", citation.quote).put("citedFile", citation.fileId).put("citedName", citation.name);
  if (isSourced) writer.set("document_index", at.document);
  else if (at)
    writer.within("extras", {
      document_index: at.document,
      [units[at.unit][0]]: at.start,
      [units[at.unit][1]]: at.end,
    });
  const index = seal?.values["encrypted_index"];
  if (seal && equalJson(seal, encryptedIndex(index ?? ""))) writer.put("encryptedIndex", index);
  else if (seal) writer.put("seal", { ...seal, values: { ...seal.values } });
  return writer.block();
}

// Anthropic's

const anthropicUnits: { readonly [type: string]: Unit | null } = {
  char_location: "char",
  page_location: "page",
  content_block_location: "block",
  search_result_location: "block",
  web_search_result_location: null,
};

function readAnthropic(reader: BlockReader, type: string): Citation {
  const unit = anthropicUnits[type] ?? null;
  const [start, end] = unit === null ? [] : units[unit];
  const isWeb = type === "web_search_result_location";
  const isFound = type === "search_result_location";
  if (unit !== null && !isFound) reader.take("type");
  const at =
    unit === null || start === undefined || end === undefined
      ? undefined
      : defined<NonNullable<Citation["at"]>>({
          unit,
          start: reader.number(start),
          end: reader.number(end),
          document: reader.number(isFound ? "search_result_index" : "document_index"),
        });
  const index = isWeb ? reader.string("encrypted_index") : undefined;
  return defined<Citation>({
    url: isWeb ? reader.string("url") : undefined,
    title: reader.string(isWeb || isFound ? "title" : "document_title"),
    fileId: isWeb || isFound ? undefined : reader.string("file_id"),
    quote: reader.string("cited_text"),
    at,
    seal: index === undefined ? undefined : encryptedIndex(index),
    ...reader.ending({ $block: "anthropic" }, "anthropic"),
  });
}

const locations: { readonly [unit in Unit]: string } = {
  char: "char_location",
  page: "page_location",
  block: "content_block_location",
};

function writeAnthropic(citation: Citation, writer: BlockWriter): JsonObject {
  const { at, seal } = citation;
  const { type } = hintsOf(citation, "anthropic");
  const isFound = type === "search_result_location";
  const [start = "", end = ""] = at ? units[at.unit] : [];
  if (at && type === undefined) writer.set("type", locations[at.unit]);
  else writer.set("type", typeof type === "string" ? type : "web_search_result_location");
  writer.set("cited_text", citation.quote).set("url", citation.url);
  if (at && !isFound) writer.set("document_index", at.document);
  writer.set(type === undefined ? "document_title" : "title", citation.title);
  if (at && isFound) writer.set("search_result_index", at.document);
  if (at) writer.set(start, at.start).set(end, at.end);
  writer.set("file_id", citation.fileId).set("encrypted_index", seal?.values["encrypted_index"]);
  return writer.block("anthropic");
}

// OpenAI's, as Responses has them

/** Where each type keeps the name, and its range: one place, or two. */
const openaiMembers: { readonly [type: string]: { readonly isFile: boolean; readonly place?: string } } = {
  url_citation: { isFile: false },
  file_citation: { isFile: true, place: "index" },
  file_path: { isFile: true, place: "index" },
  container_file_citation: { isFile: true },
};

function readOpenai(reader: BlockReader, type: string): Citation {
  const { isFile = false, place } = openaiMembers[type] ?? {};
  if (!isFile) reader.take("type");
  const start = place === undefined ? reader.number("start_index") : reader.number(place);
  const end = place === undefined ? reader.number("end_index") : start;
  return defined<Citation>({
    url: isFile ? undefined : reader.string("url"),
    title: isFile ? undefined : reader.string("title"),
    fileId: isFile ? reader.string("file_id") : undefined,
    name: isFile ? reader.string("filename") : undefined,
    start,
    end,
    ...reader.ending({ $block: "openai" }, "openai-responses"),
  });
}

function writeOpenai(citation: Citation, writer: BlockWriter): JsonObject {
  const { type } = hintsOf(citation, "openai-responses");
  const row = typeof type === "string" && Object.hasOwn(openaiMembers, type) ? openaiMembers[type] : undefined;
  writer.set("type", type === undefined ? "url_citation" : type);
  writer.set("url", citation.url).set("title", citation.title);
  writer.set("file_id", citation.fileId).set("filename", citation.name);
  if (row?.place) writer.set(row.place, citation.start);
  else writer.set("start_index", citation.start).set("end_index", citation.end);
  return writer.block("openai-responses");
}
