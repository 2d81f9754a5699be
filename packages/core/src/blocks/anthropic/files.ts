/** Anthropic's files, and what its answers can rest on: images, documents, uploads, search results. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, FileSource, Part, PartOf } from "../../model/parts.ts";
import { bytesOfDataUrl, isTextType, textOfData } from "../data-urls.ts";
import {
  anthropic,
  type Located,
  type ReadPlace,
  type ReadScope,
  readCache,
  sealOf,
  sealValues,
  type WriteScope,
  writeCache,
} from "./node.ts";

/** Reads the blocks of a list inside of another. */
export type ReadList = (list: readonly Json[], place: ReadPlace, scope: ReadScope) => readonly Part[];
export type WriteList = (parts: readonly Part[], path: Path, scope: WriteScope) => readonly Json[];

type FileType = "image" | "document";

interface ReadSource {
  readonly source: FileSource;
  readonly hints: JsonObject;
}

/** Undefined where its source is of another form. */
export function readFile(
  reader: Reader,
  place: ReadPlace,
  { scope, readList }: { readonly scope: ReadScope; readonly readList: ReadList },
): FilePart | undefined {
  const type: FileType = reader.peek("type") === "image" ? "image" : "document";
  const wire = reader.peek("source");
  const holder = isJsonObject(wire) ? new Reader(wire) : undefined;
  const read = holder && readSource(holder, place, { scope, readList });
  if (!holder || !read) return undefined;
  reader.take("type", "source");
  const told = holder.string("media_type");
  const mediaType = told ?? usualMedia(type, read.source);
  const rest = holder.rest();
  const isSaid = "data" in read.source || "text" in read.source;
  return defined<FilePart>({
    type: "file",
    mediaType,
    name: type === "document" ? reader.string("title") : undefined,
    source: read.source,
    ...readCache(reader),
    ...kept(anthropic, reader.rest(), {
      ...read.hints,
      ...(rest && { source: rest }),
      ...(typeOf(mediaType, read.source) !== type && { $type: type }),
      ...(told === undefined && isSaid && { $media: false }),
      ...("data" in read.source && !takesBytes(type, mediaType) && { $source: "base64" }),
      ...("url" in read.source && /^data:/i.test(read.source.url) && { $source: "url" }),
    }),
  });
}

function readSource(
  holder: Reader,
  place: ReadPlace,
  { scope, readList }: { readonly scope: ReadScope; readonly readList: ReadList },
): ReadSource | undefined {
  const kind = holder.peek("type");
  const source = sourceOf(holder, kind, scope);
  if (source) {
    holder.take("type");
    return { source, hints: {} };
  }
  const content = kind === "content" ? holder.peek("content") : undefined;
  if (typeof content !== "string" && !Array.isArray(content)) return undefined;
  holder.take("type", "content");
  if (typeof content === "string") {
    return { source: { parts: [{ type: "text", text: content }] }, hints: { $content: "string" } };
  }
  const list = content as readonly Json[]; // a list of JSON
  return {
    source: { parts: readList(list, { ...place, path: [...place.path, "source", "content"] }, scope) },
    hints: {},
  };
}

function sourceOf(holder: Reader, kind: Json | undefined, { maker }: ReadScope): FileSource | undefined {
  const member =
    kind === "url" ? "url" : kind === "file" ? "file_id" : kind === "base64" || kind === "text" ? "data" : "";
  const value = member === "" ? undefined : holder.string(member);
  if (value === undefined) return undefined;
  if (kind === "url") return { url: value };
  if (kind === "file") return { id: value, ...(maker !== undefined && { provider: maker }) };
  return kind === "text" ? { text: value } : { data: value };
}

/** What the wire does not say of a file because it cannot be anything else. */
function usualMedia(type: FileType, source: FileSource): string | undefined {
  if (type === "image") return "image/*";
  return "url" in source ? "application/pdf" : undefined;
}

const typeOf = (mediaType: string | undefined, source: FileSource): FileType =>
  mediaType?.startsWith("image/") && !("text" in source) && !("parts" in source) ? "image" : "document";

/** Bytes are taken of pictures and of PDF alone: text is said as text, and for others there is no block. */
const takesBytes = (type: FileType, mediaType: string | undefined): boolean =>
  type === "image" || mediaType === undefined || /^application\/pdf\b/i.test(mediaType) || mediaType.endsWith("/*");

/** Undefined where the wire has no place for the file. */
export function writeFile(
  { part, path }: Located<FilePart>,
  { scope, writeList }: { readonly scope: WriteScope; readonly writeList: WriteList },
): JsonObject | undefined {
  const hints = hintsOf(part, anthropic);
  const { mediaType, source, name } = part;
  const { $type: told } = hints;
  if (told === "container_upload" && "id" in source && mediaType === undefined) return writeUpload(part, path, scope);
  if (/^(?:audio|video)\//.test(mediaType ?? "")) {
    scope.lose("media", path, mediaType);
    return undefined;
  }
  const type = told === "image" || told === "document" ? told : typeOf(mediaType, source);
  const fields = sourceFields({ part, path }, type, { scope, writeList });
  if (!fields) return undefined;
  if (type === "image" && name !== undefined) scope.lose("file-name", [...path, "name"]);
  return restored(
    present({ type, source: fields, ...(type === "document" && { title: name }), ...writeCache(part) }),
    part,
    anthropic,
  );
}

function sourceFields(
  { part, path }: Located<FilePart>,
  type: FileType,
  { scope, writeList }: { readonly scope: WriteScope; readonly writeList: WriteList },
): JsonObject | undefined {
  const { source, mediaType } = part;
  const hints = hintsOf(part, anthropic);
  const isUnsaid = hints["$media"] === false && mediaType === usualMedia(type, source);
  const report = (usual: string | undefined): void => {
    if (mediaType !== usual) scope.lose("media-type", [...path, "mediaType"], mediaType);
  };
  const isKept = scope.recipient !== "provider" || hints["$source"] === "base64";
  if ("data" in source && !isKept && !takesBytes(type, mediaType))
    return textFields({ part, path }, source.data, scope);
  if ("data" in source || "text" in source) {
    const usual = "text" in source ? "text/plain" : type === "image" ? "image/png" : "application/pdf";
    const isTold = "data" in source && mediaType !== undefined && !mediaType.endsWith("/*");
    const media = isUnsaid ? undefined : isTold || mediaType === hints["$media"] ? mediaType : usual;
    if (!isUnsaid) report(media);
    const kind = "text" in source ? "text" : "base64";
    return present({ type: kind, media_type: media, data: "text" in source ? source.text : source.data });
  }
  if ("parts" in source) {
    report(undefined);
    const [only] = source.parts;
    const isPlain = source.parts.length === 1 && only?.type === "text" && Object.keys(only).length === 2;
    const content =
      isPlain && hints["$content"] === "string"
        ? only.text
        : writeList(source.parts, [...path, "source", "parts"], scope);
    return { type: "content", content };
  }
  if ("url" in source) {
    const isSaid = scope.recipient !== "provider" || hints["$source"] === "url";
    const inline = isSaid ? undefined : bytesOfDataUrl(source.url);
    if (inline) {
      scope.lose("data-url", [...path, "source"]);
      const isKind = mediaType === undefined || mediaType.endsWith("/*");
      const data = { ...part, mediaType: isKind ? inline.mediaType : mediaType, source: { data: inline.data } };
      return sourceFields({ part: data, path }, type, { scope, writeList });
    }
    report(usualMedia(type, source));
    return { type: "url", url: source.url };
  }
  return writeId(source, { type, path, scope, report });
}

/** Bytes that are text as a plain text; undefined where they are none. */
function textFields({ part, path }: Located<FilePart>, data: string, scope: WriteScope): JsonObject | undefined {
  const text = isTextType(part.mediaType ?? "") ? textOfData(data) : undefined;
  if (text === undefined) {
    scope.lose("media", path, part.mediaType);
    return undefined;
  }
  scope.lose("text-file", [...path, "source"]);
  if (part.mediaType !== "text/plain") scope.lose("media-type", [...path, "mediaType"], part.mediaType);
  return { type: "text", media_type: "text/plain", data: text };
}

/** Whether an id opens nothing here. Reports it, and an id of whose store nothing is said. */
export function isForeignFile({ provider }: StoredFile, path: Path, scope: WriteScope): boolean {
  if (provider === scope.maker) return false;
  if (provider === undefined) scope.lose("file-provider", [...path, "source", "provider"]);
  else scope.lose("foreign-file", path, provider);
  return provider !== undefined;
}

interface StoredFile {
  readonly id: string;
  readonly provider?: string | undefined;
}

function writeId(
  { id, provider }: StoredFile,
  about: {
    readonly type: FileType;
    readonly path: Path;
    readonly scope: WriteScope;
    readonly report: (usual: string | undefined) => void;
  },
): JsonObject | undefined {
  const { type, path, scope, report } = about;
  if (isForeignFile({ id, provider }, path, scope)) return undefined;
  report(usualMedia(type, { id }));
  return { type: "file", file_id: id };
}

/** A file for the container, which no model reads. */
export function readUpload(reader: Reader, { maker }: ReadScope): FilePart | undefined {
  const id = reader.string("file_id");
  if (id === undefined) return undefined;
  reader.take("type");
  return {
    type: "file",
    source: { id, ...(maker !== undefined && { provider: maker }) },
    ...readCache(reader),
    ...kept(anthropic, reader.rest(), { $type: "container_upload" }),
  };
}

function writeUpload(part: FilePart, path: Path, scope: WriteScope): JsonObject | undefined {
  const { source, name } = part;
  if (!("id" in source)) return undefined;
  const file = writeId(source, { type: "document", path, scope, report: () => undefined });
  if (name !== undefined) scope.lose("file-name", [...path, "name"]);
  return (
    file && restored(present({ type: "container_upload", file_id: source.id, ...writeCache(part) }), part, anthropic)
  );
}

// sources

/** A hit of the hosted search, whose content only its maker reads. */
export function readHit(reader: Reader, scope: ReadScope): PartOf<"source"> | undefined {
  const url = reader.string("url");
  if (url === undefined) return undefined;
  const encrypted = reader.string("encrypted_content");
  reader.take("type");
  return defined<PartOf<"source">>({
    type: "source",
    url,
    title: reader.string("title"),
    seal: sealOf({ encrypted_content: encrypted }, scope),
    ...kept(anthropic, reader.rest(), {
      $type: "web_search_result",
      ...(!encrypted && { $encrypted: encrypted ?? false }),
    }),
  });
}

/** Something to cite from, given by the caller. */
export function readGiven(
  reader: Reader,
  place: ReadPlace,
  { scope, readList }: { readonly scope: ReadScope; readonly readList: ReadList },
): PartOf<"source"> | undefined {
  const url = reader.string("source");
  const content = reader.array("content");
  if (url === undefined || !content) return undefined;
  reader.take("type");
  return defined<PartOf<"source">>({
    type: "source",
    url,
    title: reader.string("title"),
    parts: readList(content, { ...place, path: [...place.path, "content"] }, scope),
    ...readCache(reader),
    ...kept(anthropic, reader.rest()),
  });
}

export const isHit = (part: PartOf<"source">): boolean => hintsOf(part, anthropic)["$type"] === "web_search_result";

/** As a hit of the hosted search. */
export function writeHit({ part, path }: Located<PartOf<"source">>, scope: WriteScope): JsonObject {
  if (part.parts) scope.lose("source-member", [...path, "parts"]);
  if (part.cache) scope.lose("source-member", [...path, "cache"]);
  if (part.url === undefined) scope.lose("source-member", [...path, "url"]);
  const { encrypted_content: sealed } = sealValues(part, path, ["encrypted_content"], scope);
  const { $encrypted: told } = hintsOf(part, anthropic);
  if (sealed === undefined && told === undefined) scope.lose("unsigned", path);
  return restored(
    present({
      type: "web_search_result",
      url: part.url ?? "",
      title: part.title,
      encrypted_content: sealed ?? (told === false ? undefined : ""),
    }),
    part,
    anthropic,
  );
}

/** As something to cite from. */
export function writeGiven(
  { part, path }: Located<PartOf<"source">>,
  { scope, writeList }: { readonly scope: WriteScope; readonly writeList: WriteList },
): JsonObject {
  const { url, title, parts = [] } = part;
  if (url === undefined) scope.lose("source-member", [...path, "url"]);
  sealValues(part, path, [], scope);
  return restored(
    present({
      type: "search_result",
      source: url ?? title ?? "",
      title,
      content: writeList(parts, [...path, "parts"], scope),
      ...writeCache(part),
    }),
    part,
    anthropic,
  );
}
