/** Content parts of the Responses wire, of messages and of tools' outputs, and the annotations of texts. */

import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, remainderOf, restored } from "../../codec/remainder.ts";
import { areStale, tokensHint } from "../../codec/token-texts.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, FilePart, FileSource, OpaquePart, Part, PartOf } from "../../model/parts.ts";
import { readCache, writeCache } from "../chat-parts/parts.ts";
import { dataUrlOf, readDataUrl, typeOfData } from "../data-urls.ts";
import { itemMember, type Located, type ReadScope, responses, type WriteScope } from "./node.ts";

/** Whose content it is: only an assistant's texts are `output_text`. */
export type Side = "assistant" | "others";

const usualText = (side: Side): string => (side === "assistant" ? "output_text" : "input_text");

/** A content part. One that is unknown, or lacks what its type needs, is kept whole in its place (R4). */
export function readContent(wire: Json, side: Side, path: Path, scope: ReadScope): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = reader?.peek("type");
  const read = typeof type === "string" ? rowOf(readers, type) : undefined;
  const part = reader && read?.(reader, { type: type as string, side, scope }); // `read` was found by it
  if (part) return part;
  scope.issue("unknown-part", path, "this content part is not known, or lacks what its type needs; kept as it is");
  return contentOpaque(wire);
}

const contentOpaque = (value: Json): OpaquePart => ({
  type: "opaque",
  family: responses,
  value,
  native: { [responses]: { $place: "content" } },
});

interface About {
  readonly type: string;
  readonly side: Side;
  readonly scope: ReadScope;
}

type PartReader = (reader: Reader, about: About) => Part | undefined;
const readers: { readonly [type: string]: PartReader } = {
  input_text: readText,
  output_text: readText,
  text: readText,
  refusal: reader => {
    const text = reader.string("refusal");
    return text === undefined ? undefined : { type: "refusal", text, ...ending(reader) };
  },
  input_image: readFile,
  input_file: readFile,
  computer_screenshot: readFile,
  input_audio: readAudio,
};

function readText(reader: Reader, { type, side }: About): Part | undefined {
  const text = reader.string("text");
  if (text === undefined) return undefined;
  const annotations = reader.array("annotations");
  const isAnnotated = annotations !== undefined;
  const hints = present({
    $type: type === usualText(side) ? undefined : type,
    $annotations: isAnnotated === (type === "output_text") ? undefined : isAnnotated,
  });
  return defined<PartOf<"text">>({
    type: "text",
    text,
    citations: annotations && annotations.length > 0 ? annotations.map(readAnnotation) : undefined,
    ...ending(reader, { ...hints, ...tokensHint(reader.peek("logprobs"), text) }),
  });
}

/** Cache breakpoint and remainder of a part: called when everything else was taken. */
function ending(reader: Reader, hints: JsonObject = {}): Pick<PartOf<"text">, "cache" | "native"> {
  reader.take("type");
  const { cache, remainder } = readCache(reader);
  return { ...(cache && { cache }), ...kept(responses, reader.rest(), { ...remainder, ...hints }, [itemMember]) };
}

// files

function readFile(reader: Reader, { type, scope }: About): Part | undefined {
  const isImage = type !== "input_file";
  const read = isImage ? readImage(reader, scope) : readDocument(reader, scope);
  if (!read) return undefined;
  const { hints, ...members } = read;
  const detail = reader.string("detail");
  const name = isImage ? undefined : reader.string("filename");
  const file: FilePart = defined<FilePart>({ type: "file", ...members, name, detail });
  const isTold = typeOf(file) === type;
  return { ...file, ...ending(reader, { ...hints, ...(!isTold && { $type: type }) }) };
}

interface ReadSource {
  readonly mediaType?: string;
  readonly source: FileSource;
  readonly hints?: JsonObject;
}

function readImage(reader: Reader, scope: ReadScope): ReadSource | undefined {
  const url = reader.string("image_url");
  const id = url === undefined ? reader.string("file_id") : undefined;
  if (url !== undefined) return { mediaType: "image/*", ...readUrl(url) };
  return id === undefined ? undefined : { mediaType: "image/*", source: fileById(id, filesOf(scope)) };
}

function readDocument(reader: Reader, scope: ReadScope): ReadSource | undefined {
  const data = reader.string("file_data");
  if (data?.includes(":")) return readUrl(data, { $url: "data" });
  if (data !== undefined) return { source: { data }, hints: { $url: "bare" } };
  const url = reader.string("file_url");
  if (url !== undefined) return { ...readUrl(url) };
  const id = reader.string("file_id");
  return id === undefined ? undefined : { source: fileById(id, filesOf(scope)) };
}

/** Who holds the files of a body: its host. */
const filesOf = ({ route, maker }: Partial<Pick<WriteScope, "route" | "maker">>): string | undefined => route ?? maker;

/** An id is known to the host alone that gave it out. */
const fileById = (id: string, provider: string | undefined): FileSource => ({
  id,
  ...(provider !== undefined && { provider }),
});

function readAudio(reader: Reader): Part | undefined {
  const holder = reader.object("input_audio");
  const inner = holder && new Reader(holder);
  const data = inner?.string("data");
  const format = inner?.string("format");
  if (!inner || data === undefined || format === undefined) return undefined;
  const rest = inner.rest();
  const hints = { $type: "input_audio", ...(rest && { input_audio: rest }) };
  const mediaType = `audio/${format === "mp3" ? "mpeg" : format}`;
  return { type: "file", mediaType, source: { data }, ...ending(reader, hints) };
}

/** A data URL that is written back letter by letter becomes data; anything else stays a URL. `hints`: of a URL in the place of data. */
function readUrl(url: string, hints: JsonObject = {}): ReadSource {
  const read = readDataUrl(url);
  return read ? { mediaType: read.mediaType, source: { data: read.data } } : { source: { url }, hints };
}

const typeOf = ({ mediaType }: FilePart): string => (mediaType?.startsWith("image/") ? "input_image" : "input_file");

// annotations

const annotationTypes: ReadonlySet<Json | undefined> = new Set([
  "url_citation",
  "file_citation",
  "container_file_citation",
  "file_path",
]);

/** An annotation; one of an unknown type is kept whole, in its place among the others. */
export function readAnnotation(wire: Json): Citation {
  const reader = isJsonObject(wire) && annotationTypes.has(wire["type"]) ? new Reader(wire) : undefined;
  if (!reader) return { native: { [responses]: { $$annotation: wire } } };
  const type = reader.json("type");
  const citation = defined<Citation>({
    url: reader.string("url"),
    title: reader.string("title"),
    fileId: reader.string("file_id"),
    name: reader.string("filename"),
    start: reader.number("start_index"),
    end: reader.number("end_index"),
  });
  // A file's id is its host's: the type beside it says that it was read here.
  const isTold = annotationType(citation) === type && citation.fileId === undefined;
  return { ...citation, ...kept(responses, reader.rest(), isTold ? {} : { $type: type ?? null }) };
}

const annotationType = ({ url, fileId }: Citation): string =>
  url === undefined && fileId !== undefined ? "file_citation" : "url_citation";

/** What the annotations of each type are declared with. */
const declared: { readonly [type: string]: readonly string[] } = {
  url_citation: ["url", "title", "start_index", "end_index"],
  file_citation: ["file_id", "filename"],
  container_file_citation: ["file_id", "filename", "start_index", "end_index"],
  file_path: ["file_id"],
};

export function writeAnnotation(citation: Citation, path: Path, scope: WriteScope): Json {
  const hints = hintsOf(citation, responses);
  const { $$annotation: whole, $type: told } = hints;
  if (whole !== undefined) return whole;
  const type = typeof told === "string" ? told : annotationType(citation);
  const fields = present({
    url: citation.url,
    title: citation.title,
    file_id: citation.fileId,
    filename: citation.name,
    start_index: citation.start,
    end_index: citation.end,
  });
  const names = rowOf(declared, type) ?? [];
  const isStrict = scope.recipient === "provider";
  const written = Object.entries(fields).filter(([name]) => !isStrict || names.includes(name));
  for (const name of Object.keys(fields)) {
    if (isStrict && !names.includes(name)) scope.lose("citation", path, name);
  }
  return restored({ type, ...Object.fromEntries(written) }, citation, responses);
}

// writing

/** Whether a part can stand in the content of a message. */
export const isContent = (part: Part): boolean =>
  part.type === "text" ||
  part.type === "refusal" ||
  part.type === "file" ||
  (part.type === "opaque" && hintsOf(part, responses)["$place"] === "content");

/** The content part; undefined where there is none for it, which is then reported. */
export function writeContent({ part, path }: Located, side: Side, scope: WriteScope): Json | undefined {
  switch (part.type) {
    case "text":
      return finished(textFields(part, side, path, scope), withoutStale(part, path, scope), path, { side, scope });
    case "refusal":
      if (side === "assistant" || hintsOf(part, responses)["$place"] === "content")
        return finished({ type: "refusal", refusal: part.text }, part, path, { side, scope });
      scope.lose("refusal", path);
      return { type: "input_text", text: part.text };
    case "file":
      return writeFile(part, path, { side, scope });
    case "opaque":
      return part.value;
    default:
      return undefined;
  }
}

/** The text without probabilities that are of another. */
function withoutStale(part: PartOf<"text">, path: Path, scope: WriteScope): PartOf<"text"> {
  const hints = hintsOf(part, responses);
  if (!areStale(hints["logprobs"], part.text, hints)) return part;
  scope.lose("stale", [...path, "native", responses, "logprobs"]);
  const { logprobs: _, ...others } = hints;
  return { ...part, native: { ...part.native, [responses]: { ...others, logprobs: [] } } };
}

function textFields(part: PartOf<"text">, side: Side, path: Path, scope: WriteScope): JsonObject {
  const { $type: told, $annotations: annotated } = hintsOf(part, responses);
  const type = typeof told === "string" ? told : usualText(side);
  const { citations } = part;
  const isAnnotated = typeof annotated === "boolean" && !citations ? annotated : type === "output_text";
  if (!isAnnotated && citations) scope.lose("citations", [...path, "citations"]);
  else if (citations?.length === 0) scope.lose("citations", [...path, "citations"]);
  const annotations = (citations ?? []).map((citation, index) =>
    writeAnnotation(citation, [...path, "citations", index], scope),
  );
  return { type, text: part.text, ...(isAnnotated && { annotations }) };
}

interface Place {
  readonly side: Side;
  readonly scope: WriteScope;
}

function finished(fields: JsonObject, part: Part, path: Path, { side, scope }: Place): JsonObject {
  const cache = cacheFields(part, path, { side, scope });
  const { [itemMember]: _, ...native } = hintsOf(part, responses);
  return restored({ ...fields, ...cache }, { native: { [responses]: native } }, responses);
}

function cacheFields(part: Part, path: Path, { side, scope }: Place): JsonObject {
  if (!part.cache) return {};
  const isProvider = scope.recipient === "provider";
  if (isProvider && side === "assistant") {
    scope.lose("cache-place", [...path, "cache"]);
    return {};
  }
  const isTheirs = !isProvider && hintsOf(part, responses)["$cache"] === "cache_control";
  return writeCache(part.cache, [...path, "cache"], {
    marker: isTheirs ? "cache_control" : "prompt_cache_breakpoint",
    cache: isProvider ? "prompt_cache_breakpoint" : "any",
    lose: (code, at, detail) => {
      if (code === "cache-ttl") scope.lose(code, at, detail);
    },
  });
}

/** `usual`: the type that a tool's result has for it. */
export function writeFile(
  part: FilePart,
  path: Path,
  { side, scope, usual }: Place & { readonly usual?: string },
): JsonObject | undefined {
  const { source } = part;
  if ("text" in source) {
    scope.lose("text-file", path);
    return { type: usualText(side), text: source.text };
  }
  const { $type: told } = hintsOf(part, responses);
  const type = typeof told === "string" ? told : (usual ?? typeOf(part));
  const fields = type === "input_audio" ? audioFields(part) : fileFields(part, type, scope);
  if (!fields) {
    scope.lose("file-source", path);
    return undefined;
  }
  reportFile(part, type, path, scope);
  return finished({ type, ...fields }, part, path, { side, scope });
}

function fileFields(part: FilePart, type: string, scope: WriteScope): JsonObject | undefined {
  const { source, name, detail } = part;
  const isImage = type !== "input_file";
  const { $url: form } = hintsOf(part, responses);
  if ("parts" in source || "text" in source) return undefined;
  if ("id" in source) {
    const isForeign = source.provider !== undefined && source.provider !== filesOf(scope);
    return isForeign && scope.recipient === "provider"
      ? undefined
      : present({ file_id: source.id, filename: isImage ? undefined : name, detail });
  }
  const url = "url" in source ? source.url : dataUrlOf(part.mediaType, source.data);
  if (isImage) return present({ image_url: url, detail });
  const isData = "data" in source || form === "data";
  const data = "data" in source && form === "bare" ? source.data : url;
  return present({ [isData ? "file_data" : "file_url"]: data, filename: name, detail });
}

function audioFields({ source, mediaType }: FilePart): JsonObject | undefined {
  if (!("data" in source)) return undefined;
  const format = mediaType?.replace(/^audio\//, "") ?? "wav";
  return { input_audio: { data: source.data, format: format === "mpeg" ? "mp3" : format } };
}

/** Members of the file that its wire part does not say. */
function reportFile(part: FilePart, type: string, path: Path, scope: WriteScope): void {
  const { source, mediaType } = part;
  const isBare = hintsOf(part, responses)["$url"] === "bare" && type === "input_file";
  const data = "data" in source && !isBare ? source.data : undefined;
  const image = type === "input_file" || type === "input_audio" ? undefined : "image/*";
  const told = data === undefined ? image : typeOfData(mediaType, data);
  const unsaid = type === "input_audio" ? mediaType?.startsWith("audio/") !== true : told !== mediaType;
  if (unsaid) scope.lose("media-type", [...path, "mediaType"], told ?? "none");
  if ("id" in source && !equalJson(fileById(source.id, filesOf(scope)), source)) {
    scope.lose("file-member", [...path, "source", "provider"]);
  }
  if (part.text !== undefined) scope.lose("file-member", [...path, "text"]);
  if (part.name !== undefined && type !== "input_file") scope.lose("file-member", [...path, "name"]);
  if (part.detail !== undefined && type === "input_audio") scope.lose("file-member", [...path, "detail"]);
}

/** A text of a message that is nothing but text, without its item's members. */
export const isPlainText = (part: Part): boolean =>
  part.type === "text" &&
  !part.cache &&
  !part.citations &&
  Object.keys(remainderOf(part, responses, [itemMember])).length === 0;
