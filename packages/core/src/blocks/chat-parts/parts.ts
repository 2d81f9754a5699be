/**
 * Pieces of OpenAI's Chat Completions wire that other formats embed: content parts and annotations here, tool calls in
 * `chat-calls`. A piece that is unknown or malformed becomes an opaque part in its place, with an issue (R4).
 */

import type { DecodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, FilePart, FileSource, Part, PartOf, Seal } from "../../model/parts.ts";
import { dataUrlOf, readDataUrl, typeOfData } from "../data-urls.ts";

/** Family of the nodes that this module reads. */
export const chatParts = "chat-parts";

export type Issues = Pick<DecodeContext, "issue">;
/** Reports something that a piece cannot say, by the codes `chatPartLosses`, and what only another host knows. */
export type Lose = (code: keyof typeof chatPartLosses | "foreign-state", path: Path, detail?: string) => void;

export const chatPartLosses = {
  "file-source": { kind: "dropped", note: "a content part has no place for a file of this source" },
  "file-member": { kind: "dropped", note: "a content part has no place for this member of a file" },
  "media-type": { kind: "approximated", note: "the media type is not said, or as the nearest that there is" },
  "cache-ttl": { kind: "dropped", note: "the cache breakpoint is written without its lifetime" },
  "tool-kind": { kind: "approximated", note: "the call is written as one of a function" },
  "no-arguments": { kind: "approximated", note: "a call without arguments is written as one with none: {}" },
  "custom-input": { kind: "flattened", note: "a custom tool's input is text" },
  "made-id": { kind: "synthesised", note: "the call had no id" },
  "text-file": { kind: "flattened", note: "a text document is written as text" },
} as const;

/** Members that hold a cache breakpoint, with the one that names its kind; the first is OpenAI's, the second the other hosts'. */
const cacheMarkers = {
  prompt_cache_breakpoint: { member: "mode", value: "explicit", ttls: ["30m", "12h"] },
  cache_control: { member: "type", value: "ephemeral", ttls: ["5m", "1h"] },
} as const;
export type CacheMarker = keyof typeof cacheMarkers;
const cacheMembers: readonly CacheMarker[] = ["prompt_cache_breakpoint", "cache_control"];

// content parts

/** Who keeps the files, where nobody says which host it is. */
export const usualHost = "openai";

/** A content part of any role. `host`: whose files it names by their ids. */
export function readContentPart(wire: Json, path: Path, issues: Issues, host = usualHost): Part {
  if (typeof wire === "string") return { type: "text", text: wire, ...kept(chatParts, undefined, { $part: "string" }) };
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = reader?.peek("type");
  if (type === "text" && isText(wire)) return { type, text: wire.text };
  const read = typeof type === "string" && Object.hasOwn(partReaders, type) ? partReaders[type] : undefined;
  const part = reader && read?.(reader, host);
  if (part) return part;
  issues.issue("unknown-part", path, "this content part is not known, or lacks what its type needs; kept as it is");
  return { type: "opaque", family: chatParts, value: wire };
}

/** A text that says nothing else, as most do. */
const isText = (wire: Json): wire is { readonly type: string; readonly text: string } =>
  isJsonObject(wire) &&
  typeof wire["text"] === "string" &&
  Object.hasOwn(wire, "text") &&
  Object.keys(wire).length === 2;

type PartReader = (reader: Reader, host: string) => Part | undefined;
const partReaders: { readonly [type: string]: PartReader } = {
  text: reader => {
    const text = reader.string("text");
    return text === undefined ? undefined : { type: "text", text, ...ending(reader) };
  },
  refusal: reader => {
    const text = reader.string("refusal");
    return text === undefined ? undefined : { type: "refusal", text, ...ending(reader, { $place: "content" }) };
  },
  image_url: reader => readUrlPart(reader, "image"),
  video_url: reader => readUrlPart(reader, "video"),
  input_audio: readAudio,
  file: readFile,
  thinking: readThinking,
};

/** `image_url: { url, detail }`, or the URL alone. */
function readUrlPart(reader: Reader, kind: "image" | "video"): Part | undefined {
  const member = `${kind}_url`;
  const bare = reader.string(member);
  const holder = reader.peek(member);
  const inner = isJsonObject(holder) ? new Reader(holder) : undefined;
  const url = bare ?? inner?.string("url");
  if (url === undefined) return undefined;
  reader.take(member);
  const file: FilePart = defined<FilePart>({
    type: "file",
    mediaType: `${kind}/*`,
    ...readUrl(url),
    detail: kind === "image" ? inner?.string("detail") : undefined,
  });
  return sourced(file, member, reader, { inner, hints: bare === undefined ? {} : { $url: "bare" } });
}

function readAudio(reader: Reader): Part | undefined {
  const inner = reader.object("input_audio");
  const audio = inner && new Reader(inner);
  const data = audio?.string("data");
  const format = audio?.string("format");
  if (!audio || data === undefined || format === undefined) return undefined;
  const source: FileSource = data.includes(":") ? { url: data } : { data };
  const mediaType = `audio/${named(audioFormats, format)}`;
  return sourced({ type: "file", mediaType, source }, "input_audio", reader, { inner: audio });
}

/** Formats whose media type has another name. */
const audioFormats: { readonly [format: string]: string } = { mp3: "mpeg" };
const audioNames: { readonly [subtype: string]: string } = {
  mpeg: "mp3",
  "x-wav": "wav",
  wave: "wav",
  "vnd.wave": "wav",
};
const named = (names: { readonly [name: string]: string }, name: string): string =>
  (Object.hasOwn(names, name) ? names[name] : undefined) ?? name;

function readFile(reader: Reader, host: string): Part | undefined {
  const inner = reader.object("file");
  const file = inner && new Reader(inner);
  const data = file?.string("file_data");
  const id = data === undefined ? file?.string("file_id") : undefined;
  if (!file || (data === undefined && id === undefined)) return undefined;
  const name = file.string("filename");
  const isBare = data !== undefined && !data.includes(":");
  const read = id !== undefined ? { source: fileById(id, host) } : isBare ? { source: { data } } : readUrl(data ?? "");
  return sourced(defined<FilePart>({ type: "file", ...read, name }), "file", reader, {
    inner: file,
    hints: isBare ? { $url: "bare" } : {},
  });
}

/** An id is known to the host alone that gave it out. */
const fileById = (id: string, host: string): FileSource => ({ id, provider: host });

/** Mistral's chunk, and Anthropic's block as hosts pass it on. */
function readThinking(reader: Reader): Part | undefined {
  const list = reader.array("thinking");
  const only = list?.length === 1 ? list[0] : undefined;
  const chunk =
    isJsonObject(only) && Object.keys(only).length === 2 && only["type"] === "text" ? only["text"] : undefined;
  const text = list ? chunk : reader.string("thinking");
  if (typeof text !== "string") return undefined;
  const signature = reader.string("signature");
  const seal: Seal | undefined =
    signature === undefined ? undefined : { maker: list ? "mistral" : "anthropic", values: { signature } };
  return defined<PartOf<"reasoning">>({
    type: "reasoning",
    text,
    seal,
    ...ending(reader, { $place: "content", ...(list && { $thinking: "list" }) }),
  });
}

/** A data URL that `urlOf` writes back letter by letter becomes data; anything else stays a URL. */
function readUrl(url: string): { mediaType?: string; source: FileSource } {
  const read = readDataUrl(url);
  return read ? { mediaType: read.mediaType, source: { data: read.data } } : { source: { url } };
}

const urlOf = (file: FilePart): string | undefined => {
  const { source } = file;
  if ("url" in source) return source.url;
  return "data" in source ? dataUrlOf(file.mediaType, source.data) : undefined;
};

/** The part with what is left of its wire objects, and the wire type where the media type tells another. */
function sourced(
  file: FilePart,
  type: string,
  reader: Reader,
  from: { readonly inner: Reader | undefined; readonly hints?: JsonObject },
): FilePart {
  const inner = from.inner?.rest();
  return {
    ...file,
    ...ending(reader, {
      ...from.hints,
      ...(wireTypeOf(file) !== type && { $type: type }),
      ...(inner && { [type]: inner }),
    }),
  };
}

const wireTypes: { readonly [kind: string]: string } = { image: "image_url", audio: "input_audio", video: "video_url" };
const wireTypeOf = ({ mediaType = "" }: FilePart): string => {
  const slash = mediaType.indexOf("/");
  const kind = slash < 0 ? mediaType : mediaType.slice(0, slash);
  return (Object.hasOwn(wireTypes, kind) ? wireTypes[kind] : undefined) ?? "file";
};

/** Cache breakpoint and remainder of a part: called when everything else was taken. */
function ending(reader: Reader, hints: JsonObject = {}): Ending {
  reader.take("type");
  const { cache, remainder } = readCache(reader);
  return { ...(cache && { cache }), ...kept(chatParts, reader.rest(), { ...remainder, ...hints }) };
}

interface Ending {
  readonly cache?: NonNullable<Part["cache"]>;
  readonly native?: NonNullable<Part["native"]>;
}

export function readCache(reader: Reader): { cache?: NonNullable<Part["cache"]>; remainder: JsonObject } {
  for (const name of cacheMembers) {
    const marker = reader.peek(name);
    const inner = isJsonObject(marker) ? new Reader(marker) : undefined;
    if (!inner?.literal(cacheMarkers[name].member, cacheMarkers[name].value)) continue;
    reader.take(name);
    const ttl = inner.string("ttl");
    const rest = inner.rest();
    return {
      cache: ttl === undefined ? {} : { ttl },
      remainder: { ...(name === "cache_control" && { $cache: name }), ...(rest && { [name]: rest }) },
    };
  }
  return { remainder: {} };
}

export interface WriteOptions {
  /** The cache breakpoint that the reader knows; `any`: as it was read. */
  readonly cache: CacheMarker | "any" | undefined;
  /** Whether the reader takes audio and documents by URL. */
  readonly hasReferences: boolean;
  /** Whose files the wire names by their ids; OpenAI's where it is not said. */
  readonly host?: string;
  /** Whether that host itself reads it: it knows no other's files. */
  readonly isForHost?: boolean;
  readonly lose: Lose;
}

type ContentPart = PartOf<"text" | "refusal" | "file" | "reasoning" | "opaque">;

/** The content part; undefined where the wire has none for it, which is then reported. */
export function writeContentPart(part: ContentPart, path: Path, options: WriteOptions): Json | undefined {
  if (part.type === "opaque") return part.value;
  const hints = hintsOf(part, chatParts);
  if (part.type === "text" && hints["$part"] === "string" && part.cache === undefined) return part.text;
  const fields = part.type === "file" ? fileFields(part, path, options) : textFields(part);
  return fields && restored({ ...fields, ...cacheFields(part, path, options) }, part, chatParts);
}

function textFields(part: PartOf<"text" | "refusal" | "reasoning">): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "refusal") return { type: "refusal", refusal: part.text };
  const text = part.text ?? "";
  const isList = hintsOf(part, chatParts)["$thinking"] === "list";
  const signature = part.seal?.values["signature"];
  return {
    type: "thinking",
    thinking: isList ? [{ type: "text", text }] : text,
    ...(signature !== undefined && { signature }),
  };
}

function fileFields(part: FilePart, path: Path, options: WriteOptions): JsonObject | undefined {
  const { source } = part;
  if ("text" in source) {
    options.lose("text-file", path);
    return { type: "text", text: source.text };
  }
  const hints = hintsOf(part, chatParts);
  // Only documents have a place for an id.
  const usual = "id" in source ? "file" : wireTypeOf(part);
  const type = typeof hints["$type"] === "string" ? hints["$type"] : usual;
  const fields = type === "file" ? documentFields(part) : mediaFields(part, type);
  const isUrl = "url" in source && /^[a-z]+:\/\//i.test(source.url) && type !== "image_url" && type !== "video_url";
  const { host = usualHost } = options;
  if (!fields || (isUrl && !options.hasReferences)) {
    options.lose("file-source", path);
    return undefined;
  }
  if (options.isForHost && "id" in source && source.provider !== undefined && source.provider !== host) {
    options.lose("foreign-state", path);
    return undefined;
  }
  if ("id" in source && !equalJson(fileById(source.id, host), source)) {
    options.lose("file-member", [...path, "source", "provider"]);
  }
  const told = toldType(part, type);
  if (told !== part.mediaType) options.lose("media-type", [...path, "mediaType"], told ?? "none");
  for (const member of ["text", "id", "seal", "name", "detail"] as const) {
    const isSaid = member === (type === "file" ? "name" : type === "image_url" ? "detail" : undefined);
    if (!isSaid && part[member] !== undefined) options.lose("file-member", [...path, member]);
  }
  return { type, [type]: fields };
}

/** What a reader makes of the media type. */
function toldType(part: FilePart, type: string): string | undefined {
  const { source, mediaType } = part;
  if (type === "input_audio") {
    const format = named(audioNames, mediaType?.slice("audio/".length) ?? "");
    return `audio/${named(audioFormats, format)}`;
  }
  const isData = "data" in source && (type !== "file" || hintsOf(part, chatParts)["$url"] !== "bare");
  if (isData) return typeOfData(mediaType, source.data);
  return type === "file" ? undefined : `${type.replace("_url", "")}/*`;
}

function documentFields(part: FilePart): Json | undefined {
  const { source, name } = part;
  const isBare = hintsOf(part, chatParts)["$url"] === "bare" && "data" in source;
  const data = isBare ? source.data : urlOf(part);
  const id = "id" in source ? source.id : undefined;
  if (data === undefined && id === undefined) return undefined;
  return present({ filename: name, file_data: data, file_id: id });
}

function mediaFields(part: FilePart, type: string): Json | undefined {
  const { source } = part;
  if (type !== "input_audio") {
    const url = urlOf(part);
    if (url === undefined) return undefined;
    if (hintsOf(part, chatParts)["$url"] === "bare" && part.detail === undefined) return url;
    return { url, ...(type === "image_url" && part.detail !== undefined && { detail: part.detail }) };
  }
  const data = "data" in source ? source.data : "url" in source ? source.url : undefined;
  if (data === undefined) return undefined;
  const subtype = part.mediaType?.slice("audio/".length) ?? "";
  const format = named(audioNames, subtype);
  return { data, format };
}

function cacheFields(part: Part, path: Path, options: WriteOptions): JsonObject {
  if (!part.cache) return {};
  const hint = hintsOf(part, chatParts)["$cache"] === "cache_control" ? "cache_control" : "prompt_cache_breakpoint";
  return writeCache(part.cache, [...path, "cache"], {
    marker: options.cache === "any" ? hint : options.cache,
    ...options,
  });
}

/** Lifetimes are each marker's own: one that the reader does not know is refused, so it is left out. */
export function writeCache(
  cache: { readonly ttl?: string },
  path: Path,
  options: { readonly marker: CacheMarker | undefined; readonly lose: Lose; readonly cache: WriteOptions["cache"] },
): JsonObject {
  if (options.marker === undefined) return {};
  const { member, value, ttls } = cacheMarkers[options.marker];
  const known = cache.ttl === undefined || options.cache === "any" || (ttls as readonly string[]).includes(cache.ttl);
  if (!known) options.lose("cache-ttl", [...path, "ttl"], cache.ttl);
  return { [options.marker]: { [member]: value, ...(known && cache.ttl !== undefined && { ttl: cache.ttl }) } };
}

// annotations

/** A `url_citation`; undefined for any other annotation. */
export function readCitation(wire: Json): Citation | undefined {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const holder = reader?.literal("type", "url_citation") ? reader.object("url_citation") : undefined;
  if (!reader || !holder) return undefined;
  const inner = new Reader(holder);
  const citation = {
    url: inner.string("url"),
    title: inner.string("title"),
    start: inner.number("start_index"),
    end: inner.number("end_index"),
  };
  const rest = inner.rest();
  return defined<Citation>({ ...citation, ...kept(chatParts, reader.rest(), rest && { url_citation: rest }) });
}

/** `offset`: where the citation's text begins in the whole content. */
export function writeCitation(citation: Citation, offset = 0): JsonObject {
  const { url, title, start, end } = citation;
  const shifted = (place: number | undefined): number | undefined => (place === undefined ? undefined : place + offset);
  const fields = present({ url, title, start_index: shifted(start), end_index: shifted(end) });
  return restored({ type: "url_citation", url_citation: fields }, citation, chatParts);
}
