/** Annotations of a text ↔ its citations. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { ExactText } from "../../model/exact-text.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation } from "../../model/parts.ts";
import { isUri } from "./text-uris.ts";
import { family, rest, type Writing, wireOf, within } from "./wire.ts";

/** Citations of a list of annotations; undefined where one of them is none, so that the list stays as it is. */
export function readAnnotations(list: readonly Json[], exact: ExactText | undefined): readonly Citation[] | undefined {
  const citations: Citation[] = [];
  for (const annotation of list) {
    if (!isJsonObject(annotation)) return undefined;
    citations.push(...readAnnotation(annotation, exact));
  }
  return citations;
}

/** The annotations of a content that has nothing else: what .NET's clients stream after the text that they are about. */
export function annotationsAlone(content: Json): readonly Json[] | undefined {
  if (!isJsonObject(content) || Object.keys(content).length !== 1) return undefined;
  const { annotations } = content;
  return Array.isArray(annotations) && annotations.length > 0 ? annotations : undefined;
}

/** One citation a region: all after the first say that they belong to it. */
function readAnnotation(annotation: JsonObject, exact: ExactText | undefined): Citation[] {
  const reader = new Reader(annotation);
  const isCitation = reader.literal("$type", "citation");
  const fields = defined<Citation>({
    url: reader.string("url"),
    title: reader.string("title"),
    fileId: reader.string("fileId"),
    quote: reader.string("snippet"),
  });
  const [first, ...others] = readRegions(reader);
  const hints: JsonObject = isCitation || annotation["$type"] !== undefined ? {} : { $plain: true };
  return [
    { ...fields, ...first, ...rest(reader, hints, exact) },
    ...others.map(region => ({ ...fields, ...region, native: { [family]: { $join: true } } })),
  ];
}

type Range = Pick<Citation, "start" | "end">;

/** Regions that are spans of text and nothing else. */
function readRegions(reader: Reader): Range[] {
  const regions = reader.peek("annotatedRegions");
  if (!Array.isArray(regions) || regions.length === 0) return [{}];
  const ranges = regions.map(rangeOf);
  if (!ranges.every(range => range !== undefined)) return [{}];
  reader.take("annotatedRegions");
  return ranges;
}

function rangeOf(region: Json): Range | undefined {
  if (!isJsonObject(region) || region["$type"] !== "textSpan") return undefined;
  const { $type: _, start, end, ...others } = region;
  const isNumber = (value: Json | undefined): boolean => value === undefined || typeof value === "number";
  if (Object.keys(others).length > 0 || !isNumber(start) || !isNumber(end)) return undefined;
  if (start === undefined && end === undefined) return undefined;
  return defined<Range>({ start: start as number | undefined, end: end as number | undefined }); // seen to be numbers
}

/**
 * How many citations of a text came in each content of their own after it, from a hint; empty where they stand on the text.
 * `all`: how many it has now.
 */
export function groupsApart(hint: Json | undefined, all: number): readonly number[] {
  if (!Array.isArray(hint) || all === 0) return [];
  const counts = hint.filter(count => typeof count === "number");
  const sum = counts.reduce((total, count) => total + count, 0);
  return sum === all && counts.every(count => count > 0) ? counts : [all];
}

/** The annotations of a text's citations. */
export function writeAnnotations(citations: readonly Citation[], writing: Writing): readonly Json[] {
  const annotations: { readonly citation: Citation; readonly regions: JsonObject[]; readonly at: number }[] = [];
  for (const [index, citation] of citations.entries()) {
    const last = annotations.at(-1);
    const region = regionOf(citation);
    if (last && region && joins(citation, last.citation) && last.regions.length > 0) last.regions.push(region);
    else annotations.push({ citation, regions: region ? [region] : [], at: index });
  }
  return annotations.map(({ citation, regions, at }) => writeAnnotation(citation, regions, within(writing, at)));
}

function writeAnnotation(citation: Citation, regions: readonly JsonObject[], writing: Writing): JsonObject {
  const { url, name, fileId, quote } = citation;
  const title = citation.title ?? name;
  if (name !== undefined) writing.context.lose("citation-name", [...writing.path, "name"], name);
  if (citation.title === undefined && name !== undefined)
    writing.context.lose("citation-name", [...writing.path, "title"]);
  const isPlain = hintsOf(citation, family)["$plain"] === true && !url && !title && !fileId && !quote;
  if (url !== undefined && !isUri(url)) writing.context.lose("uri", [...writing.path, "url"]);
  const members = hintsOf(citation, family)["$$members"];
  const fields: JsonObject = {
    ...(!isPlain && !(isJsonObject(members) && "$type" in members) && { $type: "citation" }),
    ...present({ title, url, fileId, snippet: quote }),
    ...(regions.length > 0 && { annotatedRegions: regions }),
  };
  return wireOf("CitationAnnotation", fields, citation);
}

function regionOf({ start, end }: Citation): JsonObject | undefined {
  if (start === undefined && end === undefined) return undefined;
  return { $type: "textSpan", ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
}

/** Whether a citation is another range of the one before it (R1: only while it says the same). */
function joins(citation: Citation, first: Citation): boolean {
  if (hintsOf(citation, family)["$join"] !== true) return false;
  const said = ({ url, title, name, fileId, quote }: Citation): Json => [
    url ?? null,
    title ?? name ?? null,
    fileId ?? null,
    quote ?? null,
  ];
  return equalJson(said(citation), said(first));
}
