/** Bedrock's files: images, documents, videos, audio. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, FileSource, Part } from "../../model/parts.ts";
import { type FileKind, formatOf, kindOfFile, mediaOf, usualFormat } from "./media.ts";
import { bedrock, type Located, type ReadPlace, type ReadScope, type WriteScope } from "./node.ts";

/** Reads the blocks of a list inside of another. */
export type ReadList = (list: readonly Json[], place: ReadPlace, scope: ReadScope) => readonly Part[];

export const fileKinds: readonly FileKind[] = ["image", "document", "video", "audio"];

export interface ReadFile {
  readonly part: FilePart;
  /** What its object has beside. */
  readonly rest: JsonObject | undefined;
  readonly hints: JsonObject;
}

/** Undefined where its source is of another form. */
export function readFile(
  wire: JsonObject,
  kind: FileKind,
  about: { readonly place: ReadPlace; readonly scope: ReadScope; readonly readList: ReadList },
): ReadFile | undefined {
  const reader = new Reader(wire);
  const holder = reader.object("source");
  const read = holder && readSource(holder, kind, about);
  if (!read) return undefined;
  const { source } = read;
  const format = reader.string("format");
  const mediaType = mediaOf(kind, format);
  const name = kind === "document" ? reader.string("name") : undefined;
  const others = reader.rest();
  const rest = read.rest ? { ...others, source: read.rest } : others;
  const hints: JsonObject = {
    ...read.hints,
    ...(kindOfFile(mediaType, source) !== kind && { $kind: kind }),
    ...(format !== undefined && formatOf(kind, mediaType, source) !== format && { $format: format }),
  };
  return { part: defined<FilePart>({ type: "file", mediaType, name, source }), rest, hints };
}

interface ReadSource {
  readonly source: FileSource;
  readonly rest: JsonObject | undefined;
  readonly hints: JsonObject;
}

function readSource(
  wire: JsonObject,
  kind: FileKind,
  about: { readonly place: ReadPlace; readonly scope: ReadScope; readonly readList: ReadList },
): ReadSource | undefined {
  const reader = new Reader(wire);
  const data = reader.string("bytes");
  if (data !== undefined) return { source: { data }, rest: reader.rest(), hints: {} };
  const location = reader.peek("s3Location");
  const inner = isJsonObject(location) ? new Reader(location) : undefined;
  const url = inner?.string("uri");
  if (inner && url !== undefined) {
    reader.take("s3Location");
    const left = inner.rest();
    const rest = left ? { ...reader.rest(), s3Location: left } : reader.rest();
    return { source: { url }, rest, hints: isS3(url) ? {} : { $s3: true } };
  }
  if (kind !== "document") return undefined;
  const text = reader.string("text");
  if (text !== undefined) return { source: { text }, rest: reader.rest(), hints: {} };
  const content = reader.array("content");
  if (!content) return undefined;
  const { place, scope, readList } = about;
  const parts = readList(content, { ...place, path: [...place.path, "source", "content"] }, scope);
  return { source: { parts }, rest: reader.rest(), hints: {} };
}

const isS3 = (url: string): boolean => url.startsWith("s3://");

/** The block that holds a file, and the file in it. Undefined where the wire has no place for it. */
export function writeFile(
  { part, path }: Located<FilePart>,
  scope: WriteScope,
): { readonly kind: FileKind; readonly fields: JsonObject } | undefined {
  const { mediaType, source, name } = part;
  const { $kind: told } = hintsOf(part, bedrock);
  const usual = kindOfFile(mediaType, source);
  const isTold =
    fileKinds.some(each => each === told) && (usual !== "document" || !("text" in source || "parts" in source));
  const kind = isTold ? (told as FileKind) : usual; // one of them
  const fields = writeSource({ part, path }, scope);
  if (!fields) return undefined;
  if (kind !== "document" && name !== undefined) scope.lose("file-name", [...path, "name"]);
  const format = writeFormat({ part, path }, kind, scope);
  return {
    kind,
    fields: present({
      format,
      name: kind === "document" ? nameOf({ part, path }, format, scope) : undefined,
      source: fields,
    }),
  };
}

function writeFormat({ part, path }: Located<FilePart>, kind: FileKind, scope: WriteScope): string | undefined {
  const { mediaType, source } = part;
  const { $format: told } = hintsOf(part, bedrock);
  if (typeof told === "string" && mediaOf(kind, told) === mediaType) return told;
  const isOpen = scope.recipient !== "provider" && mediaType === mediaOf(kind, undefined);
  const format = isOpen ? undefined : formatOf(kind, mediaType, source);
  const written = format ?? (scope.recipient === "provider" ? usualFormat[kind] : undefined);
  if (mediaOf(kind, written) !== mediaType) scope.lose("media-type", [...path, "mediaType"], mediaType);
  return written;
}

function writeSource({ part, path }: Located<FilePart>, scope: WriteScope): JsonObject | undefined {
  const { source } = part;
  if ("data" in source) return { bytes: source.data };
  if ("text" in source) return { text: source.text };
  if ("parts" in source) return { content: writeTexts(source.parts, [...path, "source", "parts"], scope) };
  if (!("url" in source)) {
    scope.lose("foreign-file", path, source.provider);
    return undefined;
  }
  if (isS3(source.url) || hintsOf(part, bedrock)["$s3"] === true) return { s3Location: { uri: source.url } };
  scope.lose("file-url", path);
  return undefined;
}

/** Parts where the wire takes texts only; what it does not know was there before. */
export function writeTexts(parts: readonly Part[], path: Path, scope: WriteScope): Json[] {
  return parts.flatMap((part, index): Json[] => {
    if (part.type === "opaque") return [part.value];
    const text = textOf(part);
    if (text === undefined) {
      scope.lose("document-piece", [...path, index], part.type);
      return [];
    }
    if (part.type !== "text" || part.citations || part.cache) scope.lose("document-part", [...path, index], part.type);
    return [part.type === "text" ? restored({ text }, part, bedrock) : { text }];
  });
}

function textOf(part: Part): string | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text;
    case "data":
      return JSON.stringify(part.data);
    case "error":
      return part.message;
    case "source":
      return [part.title, part.url].filter(each => each !== undefined).join("\n");
    default:
      return undefined;
  }
}

// names of documents

/** Underscores are not in the documentation, and are accepted (2026-09). */
const unfit = /[^A-Za-z0-9_\-()[\] ]+/g;
const longest = 200;

/** The name that a document has; one that the API would refuse is fitted, and one that is missing is made of its place. */
function nameOf({ part, path }: Located<FilePart>, format: string | undefined, scope: WriteScope): string | undefined {
  const { name } = part;
  if (scope.recipient !== "provider") return name;
  const fitted = name === undefined ? "" : fittedName(name, format);
  const wanted = fitted === "" ? ["document", ...path.filter(step => typeof step === "number")].join("-") : fitted;
  const unique = uniqueName(wanted, scope.documents);
  if (name === undefined) scope.lose("document-unnamed", [...path, "name"], unique);
  else if (unique !== name) scope.lose("document-name", [...path, "name"], unique);
  return unique;
}

function fittedName(name: string, format: string | undefined): string {
  const [, stem, extension] = /^(.+)\.([A-Za-z0-9]{1,5})$/s.exec(name) ?? [];
  const isSaid = format === undefined || extension?.toLowerCase() === format;
  const plain = stem !== undefined && isSaid ? stem : name;
  return plain.replace(unfit, " ").replace(/\s+/g, " ").slice(0, longest).trim();
}

function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique.toLowerCase()); count++) {
    const end = ` ${count}`;
    unique = `${name.slice(0, longest - end.length).trim()}${end}`;
  }
  taken.add(unique.toLowerCase());
  return unique;
}
