/** Sources of AI SDK messages, and the citations of their texts. */

import { defined, fill, native, Reader } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Reference, SourcePart, TextPart } from "../../model/parts.ts";
import { isCitation } from "./late.ts";
import { sourceFields, writeMetadata } from "./metadata.ts";
import { family, isMadeId, metadataOf, type PartWriting, remainderOf, wirePart } from "./part.ts";

/** The SDK demands a type and a title of a document; these stand for none, and its name for its title. */
const noMediaType = "application/octet-stream";
const noTitle = "";

/** Undefined where it is no source part. */
export function decodeSource(wire: JsonObject): SourcePart | undefined {
  const reader = new Reader(wire);
  const isUrl = wire["type"] === "source-url";
  const id = reader.string("sourceId");
  const url = isUrl ? reader.string("url") : undefined;
  if (id === undefined || (isUrl && url === undefined)) return undefined;
  if (!isUrl && ["mediaType", "title"].some(key => typeof (reader.peek(key) ?? "") !== "string")) return undefined;
  reader.take("type");
  const { members, kept } = metadataOf(reader, sourceFields);
  const { title, mediaType, name, hints } = isUrl ? { title: reader.string("title") } : decodeDocument(reader);
  return {
    type: "source",
    ...defined<Partial<SourcePart>>({ id: isMadeId(id) ? undefined : id, url, title, mediaType, name }),
    ...members,
    ...native(family, reader.remainder(), kept, hints),
  };
}

interface ReadDocument {
  readonly title?: string;
  readonly mediaType?: string;
  readonly name?: string;
  readonly hints?: JsonObject;
}

function decodeDocument(reader: Reader): ReadDocument {
  const mediaType = reader.literal("mediaType", noMediaType) ? undefined : reader.string("mediaType");
  const name = reader.string("filename");
  const title = reader.string("title");
  const isTold = title !== noTitle && title !== name;
  return defined<ReadDocument>({
    title: isTold ? title : undefined,
    mediaType,
    name,
    hints: title === noTitle && name !== undefined && name !== noTitle ? { $title: noTitle } : undefined,
  });
}

/** The title to write of a document. */
const titleOf = ({ title, name }: Reference, { $title: asRead }: JsonObject): string =>
  title ?? (asRead === noTitle ? noTitle : (name ?? noTitle));

export function encodeSource(part: SourcePart, writing: PartWriting): JsonObject {
  if (part.id !== undefined && isMadeId(part.id)) writing.lose("made-id", "id");
  const sourceId = part.id ?? writing.madeId();
  if (part.url !== undefined) {
    if (part.mediaType !== undefined) writing.lose("source-member", "mediaType");
    if (part.name !== undefined) writing.lose("source-member", "name");
    const title = part.title === undefined ? {} : { title: part.title };
    return wirePart({ type: "source-url", sourceId, url: part.url, ...title }, part, {
      table: sourceFields,
      writing,
    });
  }
  if (part.title === noTitle || (part.title !== undefined && part.title === part.name))
    writing.lose("source-member", "title");
  if (part.mediaType === noMediaType) writing.lose("source-member", "mediaType");
  return wirePart(
    {
      type: "source-document",
      sourceId,
      mediaType: part.mediaType ?? noMediaType,
      title: titleOf(part, remainderOf(part)),
      ...(part.name !== undefined && { filename: part.name }),
    },
    part,
    { table: sourceFields, writing },
  );
}

/** The citations of a text where all of them are the SDK's. */
export function decodeCitations(reader: Reader): readonly Citation[] | undefined {
  const list = reader.peek("citations");
  if (!Array.isArray(list)) return undefined;
  const citations = list.flatMap(citation => decodeCitation(citation) ?? []);
  if (citations.length < list.length) return undefined;
  reader.take("citations");
  return citations;
}

/** What a text cites, as the sources that the older generations tell behind it. */
export function citedSources({ citations = [] }: TextPart): readonly SourcePart[] {
  const sources = new Map<string, SourcePart>();
  for (const { url, title, name, fileId, seal } of citations) {
    const source = defined<SourcePart>({ type: "source", url, title, name, fileId, seal });
    if (Object.keys(source).length > 1) sources.set(JSON.stringify(source), source);
  }
  return [...sources.values()];
}

export function decodeCitation(wire: Json): Citation | undefined {
  const held = isJsonObject(wire) ? wire["source"] : undefined;
  if (!isJsonObject(wire) || !isJsonObject(held)) return undefined;
  const reader = new Reader(wire);
  const source = new Reader(held);
  const isUrl = held["sourceType"] === "url";
  const id = source.peek("id");
  if (!isCitation(wire) || typeof id !== "string") return undefined;
  source.take("type", "sourceType");
  reader.take("source");
  if (isMadeId(id)) source.take("id");
  const { hints, ...from } = isUrl ? { url: source.string("url"), title: source.string("title") } : decodeCited(source);
  const { members, kept } = metadataOf(source, sourceFields);
  const rest = { ...source.rest(), ...kept, ...hints };
  return {
    ...defined<Citation>({
      ...from,
      start: reader.number("startIndex"),
      end: reader.number("endIndex"),
      quote: reader.string("citedText"),
    }),
    ...members,
    ...native(family, reader.remainder(), Object.keys(rest).length > 0 ? { source: rest } : undefined),
  };
}

/** A citation has no place for the type: one that says something stays with its source. */
function decodeCited(source: Reader): Omit<ReadDocument, "mediaType"> {
  const { mediaType: _, ...cited } = decodeDocument(new Reader({ ...source.value, mediaType: noMediaType }));
  source.literal("mediaType", noMediaType);
  source.take("title", "filename");
  return cited;
}

export function encodeCitation(citation: Citation, writing: PartWriting): JsonObject {
  const own = citation.native?.[family] ?? {};
  const kept = isJsonObject(own["source"]) ? own["source"] : {};
  const { url, title, name, start, end, quote } = citation;
  const id = typeof kept["id"] === "string" ? kept["id"] : writing.madeId();
  const metadata = writeMetadata(citation, sourceFields, kept);
  if (url === undefined && (title === noTitle || (title !== undefined && title === name)))
    writing.lose("citation-member", "citations", "title");
  if (url !== undefined && name !== undefined) writing.lose("citation-member", "citations", "name");
  const source = {
    type: "source",
    sourceType: url === undefined ? "document" : "url",
    id,
    ...(url === undefined
      ? {
          mediaType: typeof kept["mediaType"] === "string" ? kept["mediaType"] : noMediaType,
          title: titleOf(citation, kept),
        }
      : { url, ...(title !== undefined && { title }) }),
    ...(url === undefined && name !== undefined && { filename: name }),
    ...(metadata && { providerMetadata: metadata }),
  };
  const range = {
    ...(isIndex(start, writing) && { startIndex: start }),
    ...(isIndex(end, writing) && { endIndex: end }),
    ...(quote !== undefined && { citedText: quote }),
  };
  return fill({ source: fill(source, kept), ...range }, own);
}

/** The SDK refuses a range that is not of whole numbers. */
function isIndex(value: number | undefined, { lose }: PartWriting): value is number {
  if (value === undefined) return false;
  if (Number.isInteger(value) && value >= 0) return true;
  lose("citation-member", "citations", "range");
  return false;
}
