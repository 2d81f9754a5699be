/** Chunks of content, in messages of every role and in the results of tools. */

import type { Located } from "../../blocks/chat-parts/wire.ts";
import { dataUrlOf, readDataUrl, typeOfData } from "../../blocks/data-urls.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { at, defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, FileSource, Part, PartOf } from "../../model/parts.ts";
import { citationOf, readReference, writeReference } from "./references.ts";
import { pieceOf, readThinking, signatureOf, thinkingChunks, thinkingHint } from "./thinking.ts";
import { family } from "./wire.ts";
import type { Writing } from "./writing.ts";

// decode

/** The parts of a list of chunks: what a text rests on is on the text. */
export function readChunks(list: readonly Json[], path: Path, context: DecodeContext): Part[] {
  const parts: Part[] = [];
  for (const [index, wire] of list.entries()) {
    const thoughts = isJsonObject(wire) ? readThinking(wire) : undefined;
    if (thoughts) {
      parts.push(...thoughts);
      continue;
    }
    const part = readChunk(wire, at(path, index), context);
    const last = parts.at(-1);
    if (part.type === "source" && last?.type === "text") {
      parts[parts.length - 1] = { ...last, citations: [...(last.citations ?? []), citationOf(part)] };
    } else parts.push(part);
  }
  return parts;
}

/** A chunk that is one part. What is unknown, or lacks what its type needs, is kept as it is (R4). */
export function readChunk(wire: Json, path: Path, context: DecodeContext): Part {
  const type = isJsonObject(wire) && Object.hasOwn(wire, "type") ? wire["type"] : undefined;
  const read = typeof type === "string" ? rowOf(chunkReaders, type) : undefined;
  const part = isJsonObject(wire) ? read?.(wire) : undefined;
  if (part) return part;
  if (type !== "reference") {
    context.issue("unknown-chunk", path, "this chunk is not known, or lacks what its type needs; kept as it is");
  }
  return { type: "opaque", family, value: wire };
}

const chunkReaders: { readonly [type: string]: (wire: JsonObject) => Part | undefined } = {
  text: wire => {
    const reader = new Reader(wire);
    reader.take("type");
    const text = reader.string("text");
    return text === undefined ? undefined : { type: "text", text, ...kept(family, reader.rest()) };
  },
  tool_reference: readReference,
  image_url: readImage,
  document_url: wire => readUrlChunk(wire, "document_url"),
  input_audio: readAudio,
  file: wire => {
    const reader = new Reader(wire);
    const id = reader.string("file_id");
    return id === undefined ? undefined : filePart(reader, "file", { source: { id, provider: "mistral" } });
  },
};

type FileMembers = Pick<FilePart, "source"> & Partial<Pick<FilePart, "mediaType" | "name" | "detail">>;

/** The part with what is left of its chunk, and the chunk's type where the media type tells another. */
function filePart(reader: Reader, type: string, members: FileMembers, hints: JsonObject = {}): FilePart {
  reader.take("type");
  const part: FilePart = { type: "file", ...members };
  const isTold = typeFor(part) === type;
  return { ...part, ...kept(family, reader.rest(), { ...hints, ...(!isTold && { $type: type }) }) };
}

/** `image_url: { url, detail }`, or the URL alone. */
function readImage(wire: JsonObject): FilePart | undefined {
  const reader = new Reader(wire);
  const bare = reader.string("image_url");
  const holder = bare === undefined ? reader.object("image_url") : undefined;
  const inner = holder && new Reader(holder);
  const url = bare ?? inner?.string("url");
  if (url === undefined) return undefined;
  const members = defined<FileMembers>({ ...sourceOf(url, "image/*"), detail: inner?.string("detail") });
  const rest = inner?.rest();
  return filePart(reader, "image_url", members, {
    ...(bare === undefined && { $url: "object" }),
    ...(rest && { image_url: rest }),
  });
}

/** A data URL that is written back letter by letter becomes data; anything else stays a URL. */
function sourceOf(url: string, mediaType?: string): FileMembers {
  const read = readDataUrl(url);
  if (read) return { mediaType: read.mediaType, source: { data: read.data } };
  return { ...(mediaType !== undefined && { mediaType }), source: { url } };
}

function readUrlChunk(wire: JsonObject, member: "document_url"): FilePart | undefined {
  const reader = new Reader(wire);
  const url = reader.string(member);
  if (url === undefined) return undefined;
  return filePart(reader, member, defined<FileMembers>({ ...sourceOf(url), name: reader.string("document_name") }));
}

/** Bytes in base64, or a URL; in OpenAI's form with the name of its format beside it. */
function readAudio(wire: JsonObject): FilePart | undefined {
  const reader = new Reader(wire);
  const bare = reader.string("input_audio");
  const holder = bare === undefined ? reader.object("input_audio") : undefined;
  const inner = holder && new Reader(holder);
  const data = bare ?? inner?.string("data");
  if (data === undefined) return undefined;
  const mediaType = `audio/${formatOf(inner?.string("format"))}`;
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(data);
  const members: FileMembers = isUrl ? sourceOf(data, mediaType) : { mediaType, source: { data } };
  const rest = inner?.rest();
  return filePart(reader, "input_audio", members, {
    ...(isUrl && "data" in members.source && { $url: "data" }),
    ...(inner && { $audio: holder["format"] ?? false }),
    ...(rest && { input_audio: rest }),
  });
}

const formatOf = (format: string | undefined): string => (format === "mp3" ? "mpeg" : (format ?? "*"));

// encode

/** The chunk type that a file goes to, where nothing says another. */
function typeFor({ mediaType = "", source }: FilePart): string {
  if ("id" in source) return "file";
  const [kind = ""] = mediaType.split("/", 1);
  return kind === "image" ? "image_url" : kind === "audio" ? "input_audio" : "document_url";
}

/** What content can hold: everything else is flattened or left out before. */
export type ChunkPart = PartOf<"text" | "reasoning" | "file" | "source" | "opaque">;

/** The chunks of neighbouring parts; what the wire has no chunk for is reported. */
export function writeChunks(parts: readonly Located<ChunkPart>[], writing: Writing): Json[] {
  const chunks: Json[] = [];
  let text: Path | undefined;
  for (let index = 0; index < parts.length; index++) {
    const thoughts = [];
    for (; index < parts.length; index++) {
      const each = parts[index];
      const piece = each && pieceOf(each.part);
      if (!piece) break;
      const isNothing = piece.piece === undefined && Object.keys(piece.members).length === 0;
      if (each.part.seal && signatureOf(each.part.seal) === undefined) {
        writing.lose("part-seal", [...each.path, "seal"]);
      }
      if (isNothing && thinkingHint(each.part) === undefined) writing.lose("hidden-reasoning", each.path);
      else thoughts.push(piece);
    }
    chunks.push(...thinkingChunks(thoughts));
    const next = parts[index];
    if (thoughts.length > 0 || next?.part.type !== "source") text = next?.part.type === "text" ? next.path : undefined;
    else if (text) for (const path of [text, next.path]) writing.lose("reference-place", path);
    if (next) chunks.push(...writeChunk(next.part, next.path, writing));
  }
  return chunks;
}

/** The chunks of a part that is no thought. */
export function writeChunk(part: ChunkPart, path: Path, writing: Writing): Json[] {
  switch (part.type) {
    case "opaque":
      return [part.value];
    case "text":
      return writeText(part, path, writing);
    case "reasoning":
      return [];
    case "source": {
      const { fileId, name, mediaType, parts } = part;
      if (fileId ?? name ?? mediaType ?? parts) writing.lose("reference-member", path);
      return [writeReference(part, path, writing) ?? []].flat();
    }
    case "file":
      return [writeFile(part, path, writing) ?? []].flat();
  }
}

function writeText(part: PartOf<"text">, path: Path, writing: Writing): JsonObject[] {
  if (part.seal) writing.lose("part-seal", [...path, "seal"]);
  const cited = (part.citations ?? []).flatMap((citation, index) =>
    [writeReference(citation, [...path, "citations", index], writing) ?? []].flat(),
  );
  if (part.citations?.length === 0) writing.lose("citations", [...path, "citations"]);
  return [restored({ type: "text", text: part.text }, part, family), ...cited];
}

function writeFile(part: FilePart, path: Path, writing: Writing): JsonObject | undefined {
  const { source } = part;
  if (part.seal) writing.lose("part-seal", [...path, "seal"]);
  if ("text" in source) {
    writing.lose("text-file", path);
    return { type: "text", text: source.text };
  }
  const hint = hintsOf(part, family)["$type"];
  const type = typeof hint === "string" && isChunkFor(hint, source) ? hint : typeFor(part);
  const isForeign = "id" in source && source.provider !== undefined && source.provider !== "mistral";
  const fields = isForeign || "parts" in source ? undefined : fieldsOf(part, type, writing, path);
  if (!fields) {
    writing.lose("file-source", path);
    return undefined;
  }
  const said = { image_url: "detail", document_url: "name" }[type];
  const others = (["name", "text", "detail", "id"] as const).filter(member => member !== said);
  reportMembers(part, others, path, writing);
  return restored({ type, ...fields }, part, family);
}

const isChunkFor = (type: string, source: FileSource): boolean => "id" in source === (type === "file");

function reportMembers(part: FilePart, members: readonly (keyof FilePart)[], path: Path, { lose }: Writing): void {
  for (const member of members) if (part[member] !== undefined) lose("file-member", [...path, member]);
}

function fieldsOf(part: FilePart, type: string, writing: Writing, path: Path): JsonObject | undefined {
  const { source, mediaType, name, detail } = part;
  const told = (read: string | undefined): void => {
    if (read !== mediaType) writing.lose("media-type", [...path, "mediaType"], read ?? "none");
  };
  if ("id" in source) {
    told(undefined);
    if (source.provider === undefined) writing.lose("file-member", [...path, "source", "provider"]);
    return { file_id: source.id };
  }
  if (type === "input_audio") return audioFields(part, told);
  const url = "data" in source ? dataUrlOf(mediaType, source.data) : "url" in source ? source.url : undefined;
  if (url === undefined) return undefined;
  const data = "data" in source ? typeOfData(mediaType, source.data) : undefined;
  told(data ?? (type === "image_url" ? "image/*" : undefined));
  if (type === "document_url") return present({ document_url: url, document_name: name });
  const isObject = hintsOf(part, family)["$url"] === "object" || detail !== undefined;
  return { image_url: isObject ? present({ url, detail }) : url };
}

function audioFields(part: FilePart, told: (read: string | undefined) => void): JsonObject | undefined {
  const { source, mediaType = "audio/*" } = part;
  const { $url: form, $audio: format } = hintsOf(part, family);
  const isDataUrl = form === "data" && "data" in source;
  const data = isDataUrl ? dataUrlOf(mediaType, source.data) : "data" in source ? source.data : undefined;
  const whole = data ?? ("url" in source ? source.url : undefined);
  if (whole === undefined) return undefined;
  const spelled = typeof format === "string" ? `audio/${formatOf(format)}` : "audio/*";
  told(isDataUrl ? mediaType : spelled === mediaType ? mediaType : "audio/*");
  if (format === undefined) return { input_audio: whole };
  const isSpelled = typeof format === "string" && (isDataUrl || spelled === mediaType);
  return { input_audio: { data: whole, ...(isSpelled && { format }) } };
}
