/** `data`, `uri` and `hostedFile` ↔ files. */

import { defined, type Reader } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { JsonObject } from "../../model/json.ts";
import type { FilePart, Part, SourcePart } from "../../model/parts.ts";
import { isMediaType, isUri, mediaTypeOfUri, readDataUri, toBase64 } from "./text-uris.ts";
import {
  family,
  Properties,
  propertiesOf,
  type Reading,
  readCache,
  rest,
  type Writing,
  wireOf,
  withProperties,
} from "./wire.ts";

const isText = (value: unknown): value is string => typeof value === "string";

/** A file by its data, or by the address that an application put into the member for it. */
export function readData(reader: Reader, reading: Reading): Part | undefined {
  const uri = reader.string("uri");
  if (uri === undefined) return undefined;
  const properties = new Properties(reader);
  const detail = properties.member("detail", isText);
  const cached = readCache(properties);
  const name = reader.string("name");
  const data = readDataUri(uri);
  const isInline = typeof data !== "string" && data.uri === uri;
  const [head = ""] = isInline ? uri.split(",", 1) : [];
  const hints: JsonObject = {
    ...properties.hints(reading.exact),
    ...(isInline && head !== headOf(data.mediaType) && { $head: head }),
  };
  return {
    type: "file",
    ...defined<Pick<FilePart, "mediaType" | "name" | "detail">>({
      mediaType: typeof data === "string" ? undefined : data.mediaType,
      name,
      detail,
    }),
    source: isInline ? { data: data.base64 } : { url: uri },
    ...cached,
    ...rest(reader, hints, reading.exact),
  };
}

const headOf = (mediaType: string): string => `data:${mediaType};base64`;
const isDataUri = (url: string): boolean => /^data:/i.test(url);

export function readUri(reader: Reader, reading: Reading): Part | undefined {
  const url = reader.string("uri");
  if (url === undefined) return undefined;
  const properties = new Properties(reader);
  const detail = properties.member("detail", isText);
  const cached = readCache(properties);
  const mediaType = reader.string("mediaType");
  const hints: JsonObject = { ...properties.hints(reading.exact), ...(isDataUri(url) && { $uri: true }) };
  return {
    type: "file",
    ...defined<Pick<FilePart, "mediaType" | "detail">>({ mediaType, detail }),
    source: { url },
    ...cached,
    ...rest(reader, hints, reading.exact),
  };
}

/** Of a page that a search found, where nothing else is said. */
const foundType = "text/html";

/** What a web search found. */
export function readFound(reader: Reader, reading: Reading): Part | undefined {
  const url = reader.string("uri");
  if (url === undefined) return undefined;
  const properties = new Properties(reader);
  const title = properties.member("title", isText);
  let mediaType: string | undefined;
  if (!reader.literal("mediaType", foundType)) mediaType = reader.string("mediaType") ?? toldBy(url);
  return {
    type: "source",
    url,
    ...defined<Pick<SourcePart, "title" | "mediaType">>({ title, mediaType }),
    ...rest(reader, properties.hints(reading.exact), reading.exact),
  };
}

/** What the end of an address says that it is, where that is no page. */
function toldBy(url: string): string | undefined {
  const type = mediaTypeOfUri(url);
  return type === foundType || type === "application/octet-stream" ? undefined : type;
}

export function readHostedFile(reader: Reader, reading: Reading): Part | undefined {
  const id = reader.string("fileId");
  if (id === undefined) return undefined;
  const properties = new Properties(reader);
  const detail = properties.member("detail", isText);
  const cached = readCache(properties);
  return {
    type: "file",
    ...defined<Pick<FilePart, "mediaType" | "name" | "detail">>({
      mediaType: reader.string("mediaType"),
      name: reader.string("name"),
      detail,
    }),
    source: { id },
    ...cached,
    ...rest(reader, properties.hints(reading.exact), reading.exact),
  };
}

export function writeFile(part: FilePart, writing: Writing): JsonObject | undefined {
  const { source, name } = part;
  const { lose } = writing.context;
  const properties = withProperties(part, propertiesOf(part));
  if ("data" in source) {
    const uri = dataUriOf(part, source.data, writing);
    return wireOf("DataContent", { $type: "data", uri, ...present({ name }), ...properties }, part);
  }
  if ("text" in source) {
    lose("text-file", [...writing.path, "source"]);
    const uri = `${headOf(mediaTypeOf(part, writing) ?? "text/plain")},${toBase64(source.text)}`;
    return wireOf("DataContent", { $type: "data", uri, ...present({ name }), ...properties }, part);
  }
  if ("id" in source) {
    if (source.provider !== undefined) lose("file-provider", [...writing.path, "source", "provider"]);
    const mediaType = mediaTypeOf(part, writing);
    const fields = { $type: "hostedFile", fileId: source.id, ...present({ mediaType, name }), ...properties };
    if (source.id.trim() === "") lose("blank", [...writing.path, "source", "id"]);
    return wireOf("HostedFileContent", fields, part);
  }
  if ("url" in source) return writeUrl(part, source.url, writing);
  lose("file-parts", writing.path);
  return undefined;
}

function writeUrl(part: FilePart, url: string, writing: Writing): JsonObject {
  const { lose } = writing.context;
  const { name } = part;
  const properties = withProperties(part, propertiesOf(part));
  if (isDataUri(url) && hintsOf(part, family)["$uri"] !== true) {
    const data = readDataUri(url);
    const mediaType = typeof data === "string" ? undefined : data.mediaType;
    if (mediaType !== part.mediaType) lose("media-type", [...writing.path, "mediaType"]);
    if (typeof data !== "string" && data.uri === url) lose("data-url", [...writing.path, "source"]);
    return wireOf("DataContent", { $type: "data", uri: url, ...present({ name }), ...properties }, part);
  }
  if (name !== undefined) lose("file-name", [...writing.path, "name"]);
  if (!isUri(url)) lose("uri", [...writing.path, "source", "url"]);
  const mediaType = mediaTypeOf(part, writing);
  return wireOf("UriContent", { $type: "uri", uri: url, ...present({ mediaType }), ...properties }, part);
}

/** A media type that .NET takes. */
function mediaTypeOf(part: FilePart, writing: Writing): string | undefined {
  const { mediaType } = part;
  if (mediaType === undefined || isMediaType(mediaType)) return mediaType;
  writing.context.lose("media-type", [...writing.path, "mediaType"], mediaType);
  return undefined;
}

function dataUriOf(part: FilePart, data: string, writing: Writing): string {
  const { $head: head } = hintsOf(part, family);
  const kept = typeof head === "string" ? readDataUri(`${head},${data}`) : undefined;
  if (typeof kept === "object" && kept.mediaType === part.mediaType && kept.base64 === data) return `${head},${data}`;
  const mediaType = mediaTypeOf(part, writing);
  if (part.mediaType === undefined) writing.context.lose("no-media-type", writing.path);
  const uri = `${headOf(mediaType ?? "application/octet-stream")},${data}`;
  const read = readDataUri(uri);
  if (typeof read === "string" || (mediaType !== undefined && read.mediaType !== mediaType)) {
    writing.context.lose("data-uri", [...writing.path, "source"], typeof read === "string" ? read : undefined);
  }
  return uri;
}

/** A source by its address: inside of a search's result it comes back as one, elsewhere as a file. */
export function writeSource(part: SourcePart, isFound: boolean, writing: Writing): JsonObject | undefined {
  const { url, title } = part;
  const { lose } = writing.context;
  if (url === undefined) {
    lose("source-url", writing.path);
    return undefined;
  }
  if (!isFound) lose("source-file", writing.path);
  if (!isUri(url)) lose("uri", [...writing.path, "url"]);
  const mediaType = part.mediaType ?? foundType;
  const isKept = isMediaType(mediaType) && part.mediaType !== foundType;
  if (isFound && !isKept) lose("media-type", [...writing.path, "mediaType"]);
  const fields = {
    $type: "uri",
    uri: url,
    mediaType: isMediaType(mediaType) ? mediaType : foundType,
    ...withProperties(part, title === undefined ? {} : { title }),
  };
  return wireOf("UriContent", fields, part);
}
