/** LangChain's blocks of images, audio, video, documents and plain text, of the first and the present version. */

import { defined, rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { equalJson, type JsonObject } from "../../model/json.ts";
import type { FilePart, FileSource, Part } from "../../model/parts.ts";
import { type BlockReader, BlockWriter, type ContentAbout, langchainContent, type Report } from "./content-places.ts";
import { makerOf, readCache, readSeal, writeCache, writeSeal } from "./content-seals.ts";

const media = ["image", "audio", "video"];

/** The block that a media type asks for. */
function typeOf({ mediaType = "", source }: FilePart): string {
  const [major = ""] = mediaType.split("/", 1);
  if (media.includes(major)) return major;
  return "text" in source ? "text-plain" : "file";
}

/** What is said by the block's type alone. */
const impliedType = (type: string): string | undefined => (media.includes(type) ? `${type}/*` : undefined);

/** A file by its id: whose it is, the provider of the message says. A place such as `gs://…` is an address. */
export const fileById = (id: string, about: ContentAbout): FileSource =>
  isAddress(id) ? { url: id } : idSource(id, about);

function idSource(id: string, about: ContentAbout): FileSource {
  const provider = makerOf(about);
  return provider === undefined ? { id } : { id, provider };
}
const isAddress = (id: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(id);

const base64Url = /^data:([^,;]+\/[^,;]+);base64,/;

/** A data URL that is written back letter by letter becomes data. */
export function readUrl(url: string): { readonly mediaType?: string; readonly source: FileSource } {
  const head = base64Url.exec(url.slice(0, 200));
  if (!head?.[1]) return { source: { url } };
  return { mediaType: head[1], source: { data: url.slice(head[0].length) } };
}

interface Found {
  readonly source: FileSource;
  readonly mediaType?: string;
  readonly hints: JsonObject;
}

/** `image`, `audio`, `video`, `file` and `text-plain`. */
export function readFile(reader: BlockReader): Part | undefined {
  const type = String(reader.peek("type")); // one of the five
  if (reader.peek("source_type") !== undefined) return readFirst(reader, type);
  const found = readSource(reader, type);
  return found && readMembers(reader, type, found);
}

function readSource(reader: BlockReader, type: string): Found | undefined {
  const text = type === "text-plain" ? reader.string("text") : undefined;
  if (text !== undefined) return { source: { text }, hints: {} };
  const data = reader.findText("data");
  if (data !== undefined) return { source: { data }, hints: {} };
  const url = reader.string("url");
  if (url !== undefined) return readAddress(reader, url);
  const id = reader.findText("fileId");
  if (id !== undefined) return { source: fileById(id, reader.about), hints: isAddress(id) ? { $source: "id" } : {} };
  // Python's view of Anthropic's files has the file in the block's own id.
  const own = reader.string("id");
  return own === undefined ? undefined : { source: idSource(own, reader.about), hints: { $source: "own-id" } };
}

/** A URL that holds the data, where no other member says its type. */
function readAddress(reader: BlockReader, url: string): Found {
  const read = readUrl(url);
  const isTyped = reader.peek("mime_type") !== undefined || reader.peek("mimeType") !== undefined;
  if (read.mediaType === undefined || isTyped) return { source: { url }, hints: {} };
  return { ...read, hints: { $source: "url" } };
}

function readMembers(reader: BlockReader, type: string, found: Found, isFirst = false): FilePart {
  const written = isFirst ? reader.string("mime_type") : reader.findText("mediaType");
  const implied = impliedType(type);
  const mediaType = found.mediaType ?? written ?? implied;
  const hasText = type === "text-plain" && !("text" in found.source) ? reader.string("text") : undefined;
  const isIdTaken = (isFirst && "id" in found.source) || found.hints["$source"] === "own-id";
  const base = { ...readSeal(reader, isIdTaken ? {} : { id: "own" }), ...readCache(reader) };
  const file = defined<FilePart>({
    type: "file",
    mediaType,
    source: found.source,
    name: reader.findText(type === "text-plain" ? "title" : "fileName"),
    detail: reader.findText("detail"),
    text: hasText ?? reader.findText("transcript"),
    ...base,
  });
  reader.take("type");
  const isTold = isFirst || type === typeOf(file);
  return {
    ...file,
    ...reader.ending({
      ...found.hints,
      ...(!isTold && { $type: type }),
      ...(written !== undefined && written === implied && { $mediaType: true }),
    }),
  };
}

/** The first version of these blocks says by `source_type` what they hold; its members are the same in both languages. */
function readFirst(reader: BlockReader, type: string): Part | undefined {
  const kind = reader.string("source_type");
  const member = kind === undefined ? undefined : rowOf(firstMembers, kind);
  if (member === undefined) return undefined;
  const isUrlText = kind === "text" && reader.peek("text") === undefined;
  const value = reader.string(isUrlText ? "url" : member);
  if (value === undefined) return undefined;
  const hints = { $block: "v0", $type: type, ...(isUrlText && { $source: "url" }) };
  return readMembers(reader, type, { source: firstSource(kind, value, reader.about), hints }, true);
}

const firstMembers: { readonly [kind: string]: string } = { url: "url", base64: "data", id: "id", text: "text" };

function firstSource(kind: string | undefined, value: string, about: ContentAbout): FileSource {
  if (kind === "url") return { url: value };
  if (kind === "text") return { text: value };
  return kind === "base64" ? { data: value } : idSource(value, about);
}

/** The block of a file; undefined where its source has no place in one. */
export function writeFile(part: FilePart, about: ContentAbout, report: Report): JsonObject | undefined {
  const hints = hintsOf(part, langchainContent);
  const isFirst = hints["$block"] === "v0" && canBeFirst(part);
  const type = writtenType(part, isFirst);
  const writer = new BlockWriter(part, about).set("type", type);
  const source = isFirst ? firstFields(part, hints) : sourceFields(part, writer, type);
  if (!source) {
    report.lose("file-source", report.path);
    return undefined;
  }
  for (const key of Object.keys(source)) writer.set(key, source[key]);
  writeMediaType(part, type, { writer, isFirst });
  writer.put(type === "text-plain" ? "title" : "fileName", part.name).put("detail", part.detail);
  if (type === "text-plain" && !("text" in part.source)) writer.set("text", part.text);
  else if (part.text !== undefined) writer.put("transcript", part.text);
  if (part.reasoning) report.lose("file-member", [...report.path, "reasoning"]);
  const isIdTaken = source["id"] !== undefined;
  writeSeal(part, writer, isIdTaken ? {} : { id: "own" });
  writeCache(part, writer);
  reportSource(part, about, report);
  return writer.block();
}

/** A first version block has one `id`, which says the file. */
const canBeFirst = ({ source, id, seal }: FilePart): boolean =>
  !("parts" in source) && !("id" in source && (id !== undefined || seal?.values["id"] !== undefined));

function writtenType(part: FilePart, isFirst: boolean): string {
  const hints = hintsOf(part, langchainContent);
  const hinted = hints["$type"];
  const own = typeOf(part);
  if (typeof hinted !== "string") return own;
  // A type that was edited to another kind of media is not what the hint was about.
  const isStale = media.includes(own) && media.includes(hinted) && own !== hinted;
  return isStale || ("text" in part.source && hinted !== "text-plain" && !isFirst) ? own : hinted;
}

function sourceFields(part: FilePart, writer: BlockWriter, type: string): JsonObject | undefined {
  const { source } = part;
  const { $source: hint } = hintsOf(part, langchainContent);
  if ("text" in source) return type === "text-plain" ? { text: source.text } : undefined;
  if ("url" in source) {
    if (hint === "id" && isAddress(source.url)) writer.put("fileId", source.url);
    else return { url: source.url };
    return {};
  }
  if ("id" in source && hint === "own-id" && part.id === undefined && !part.seal?.values["id"])
    return { id: source.id };
  if ("id" in source) writer.put("fileId", source.id);
  else if (!("data" in source)) return undefined;
  else if (hint === "url" && part.mediaType !== undefined) {
    return { url: `data:${part.mediaType};base64,${source.data}` };
  } else writer.put("data", source.data);
  return {};
}

function firstFields({ source }: FilePart, hints: JsonObject): JsonObject | undefined {
  if ("url" in source) return { source_type: "url", url: source.url };
  if ("data" in source) return { source_type: "base64", data: source.data };
  if ("id" in source) return { source_type: "id", id: source.id };
  if (!("text" in source)) return undefined;
  return { source_type: "text", [hints["$source"] === "url" ? "url" : "text"]: source.text };
}

function writeMediaType(
  part: FilePart,
  type: string,
  { writer, isFirst }: { readonly writer: BlockWriter; readonly isFirst: boolean },
): void {
  const { mediaType } = part;
  const hints = hintsOf(part, langchainContent);
  const isInUrl = hints["$source"] === "url" && "data" in part.source && !isFirst;
  if (mediaType === undefined || isInUrl) return;
  if (mediaType === impliedType(type) && hints["$mediaType"] !== true) return;
  if (isFirst) writer.set("mime_type", mediaType);
  else writer.put("mediaType", mediaType);
}

/** What a reader would not find again. */
function reportSource(part: FilePart, about: ContentAbout, report: Report): void {
  const { source } = part;
  const again = isAddress("id" in source ? source.id : "") ? undefined : "id" in source && idSource(source.id, about);
  if ("id" in source && !equalJson(again, source)) {
    report.lose("file-member", [...report.path, "source", "provider"]);
  }
}
