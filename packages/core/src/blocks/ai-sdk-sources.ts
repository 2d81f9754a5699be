/** Sources of AI SDK messages, and the citations of their texts. */

import { defined, fill, native, Reader } from "../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Citation, SourcePart } from "../model/parts.ts";
import { isCitation } from "./ai-sdk-late.ts";
import { noFields, sourceFields, writeMetadata } from "./ai-sdk-metadata.ts";
import { family, isMadeId, metadataOf, type PartWriting, wirePart } from "./ai-sdk-part.ts";

/** The SDK demands a type and a title of a document; these stand for none. */
const noMediaType = "application/octet-stream";
const noTitle = "";

/** Undefined where it is no source part. */
export function decodeSource(wire: JsonObject): SourcePart | undefined {
  const reader = new Reader(wire);
  const isUrl = wire["type"] === "source-url";
  const id = reader.string("sourceId");
  const url = isUrl ? reader.string("url") : undefined;
  if (id === undefined || (isUrl && url === undefined)) return undefined;
  reader.take("type");
  const { members, kept } = metadataOf(reader, sourceFields);
  const { title, mediaType, name } = isUrl ? { title: reader.string("title") } : decodeDocument(reader);
  return {
    type: "source",
    ...defined<Partial<SourcePart>>({ id: isMadeId(id) ? undefined : id, url, title, mediaType, name }),
    ...members,
    ...native(family, reader.rest(), kept),
  };
}

function decodeDocument(reader: Reader): { title?: string; mediaType?: string; name?: string } {
  const mediaType = reader.literal("mediaType", noMediaType) ? undefined : reader.string("mediaType");
  const title = reader.literal("title", noTitle) ? undefined : reader.string("title");
  return defined<{ title?: string; mediaType?: string; name?: string }>({
    title,
    mediaType,
    name: reader.string("filename"),
  });
}

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
  if (part.title === noTitle) writing.lose("source-member", "title");
  if (part.mediaType === noMediaType) writing.lose("source-member", "mediaType");
  return wirePart(
    {
      type: "source-document",
      sourceId,
      mediaType: part.mediaType ?? noMediaType,
      title: part.title ?? noTitle,
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
  const from = isUrl ? { url: source.string("url"), title: source.string("title") } : decodeCited(source);
  const { members, kept } = metadataOf(source, noFields);
  const rest = { ...source.rest(), ...kept };
  return {
    ...defined<Citation>({
      ...from,
      start: reader.number("startIndex"),
      end: reader.number("endIndex"),
      quote: reader.string("citedText"),
    }),
    ...members,
    ...native(family, reader.rest(), Object.keys(rest).length > 0 ? { source: rest } : undefined),
  };
}

const decodeCited = (source: Reader): { title?: string | undefined; name?: string | undefined } => {
  source.literal("mediaType", noMediaType);
  return {
    title: source.literal("title", noTitle) ? undefined : source.string("title"),
    name: source.string("filename"),
  };
};

export function encodeCitation(citation: Citation, writing: PartWriting): JsonObject {
  const own = citation.native?.[family] ?? {};
  const kept = isJsonObject(own["source"]) ? own["source"] : {};
  const { url, title, name, start, end, quote } = citation;
  const id = typeof kept["id"] === "string" ? kept["id"] : writing.madeId();
  const metadata = writeMetadata(citation, noFields, kept);
  if (url === undefined && title === noTitle) writing.lose("citation-member", "citations", "title");
  if (url !== undefined && name !== undefined) writing.lose("citation-member", "citations", "name");
  const source = {
    type: "source",
    sourceType: url === undefined ? "document" : "url",
    id,
    ...(url === undefined
      ? { mediaType: typeof kept["mediaType"] === "string" ? kept["mediaType"] : noMediaType, title: title ?? noTitle }
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
