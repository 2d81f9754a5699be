/** Files and application data of AI SDK messages. */

import { defined, fill, native, Reader } from "../../codec/reader.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { DataPart, FilePart, FileSource, OpaquePart, Part } from "../../model/parts.ts";
import { unreadHint } from "./late.ts";
import { fileFields } from "./metadata.ts";
import { family, metadataOf, type PartPlace, type PartWriting, remainderOf, wirePart } from "./part.ts";

/** The SDK demands a media type; this one stands for none. */
const noMediaType = "application/octet-stream";

/** Undefined where it is no file part. */
export function decodeFile(wire: JsonObject, { generation }: PartPlace): FilePart | undefined {
  const reader = new Reader(wire);
  const isReasoning = wire["type"] === "reasoning-file";
  const mediaType = reader.string("mediaType");
  const url = reader.string("url");
  if (mediaType === undefined || url === undefined) return undefined;
  reader.take("type");
  const { members, kept } = metadataOf(reader, fileFields);
  const reference = generation >= 7 ? readReference(reader) : undefined;
  const read = reference
    ? { source: reference.source, mediaType, hints: { ...reference.others, ...(url !== "" && { url }) } }
    : readUrl(url, mediaType);
  const late = isReasoning && generation < 7 ? { $late: true } : undefined;
  const name = isReasoning ? undefined : reader.string("filename");
  const rest = reader.remainder();
  return {
    type: "file",
    source: read.source,
    ...defined<Partial<FilePart>>({
      mediaType: read.mediaType === noMediaType ? undefined : read.mediaType,
      name,
      reasoning: isReasoning ? true : undefined,
    }),
    ...members,
    ...native(family, rest, kept, read.hints, late, unreadHint(rest, generation)),
  };
}

/** A file that a provider keeps. Of several who keep it the first counts, and the others stay as they are. */
function readReference(reader: Reader): { readonly source: FileSource; readonly others: JsonObject } | undefined {
  const reference = reader.peek("providerReference");
  if (!isJsonObject(reference)) return undefined;
  const [entry, ...others] = Object.entries(reference);
  if (!entry || typeof entry[1] !== "string") return undefined;
  reader.take("providerReference");
  const rest = others.length > 0 ? { providerReference: Object.fromEntries(others) } : {};
  return { source: { provider: entry[0], id: entry[1] }, others: rest };
}

interface ReadUrl {
  readonly source: FileSource;
  readonly mediaType: string;
  readonly hints: JsonObject;
}

/** A data URL of base64 is data, and names its type where the part does not; any other URL is a URL. */
function readUrl(url: string, mediaType: string): ReadUrl {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1;
  const header = url.slice("data:".length, Math.max(comma, 0));
  const data = comma > 0 && header.endsWith(";base64") ? url.slice(comma + 1) : undefined;
  if (data === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return { source: { url }, mediaType, hints: {} };
  const said = header.slice(0, -";base64".length);
  const known = isSpecific(mediaType) ? undefined : specificOf(said);
  const read = known ?? mediaType;
  const hints = {
    ...(said !== read && { $header: said }),
    ...(known !== undefined && { $mediaType: mediaType }),
  };
  return { source: { data }, mediaType: read, hints };
}

/** The type without its parameters; undefined where it is none, or stands for any. */
export function specificOf(mediaType: string): string | undefined {
  const [essence] = /^[\w.+-]+\/[\w.+-]+(?=$|\s*;)/.exec(mediaType) ?? [];
  return essence === undefined || essence.toLowerCase() === noMediaType ? undefined : essence;
}

const isSpecific = (mediaType: string): boolean => specificOf(mediaType) !== undefined;

/** The type that a data URL says, where the part beside it says another: the part's counts. */
export function otherTypeOf({ url, mediaType }: JsonObject): string | undefined {
  if (typeof url !== "string" || typeof mediaType !== "string") return undefined;
  const [, header = ""] = /^data:([^,]{0,200});base64,/.exec(url.slice(0, 220)) ?? [];
  return isOtherType(header, mediaType) ? specificOf(header) : undefined;
}

/** Whether two media types are not one: none of them stands for many. */
export function isOtherType(one: string, another: string): boolean {
  const [said, meant] = [specificOf(one), specificOf(another)];
  return said !== undefined && meant !== undefined && said.toLowerCase() !== meant.toLowerCase();
}

/** What is wrong where a data URL and its part say two media types. */
export const otherTypeMessage = (url: string, part: string): string =>
  `the data URL says \`${url}\`, and the part says \`${part}\`, which counts`;

export function encodeFile(part: FilePart, writing: PartWriting): JsonObject {
  const { generation, lose } = writing;
  if (part.mediaType === noMediaType) lose("file-member", "mediaType");
  const mediaType = part.mediaType ?? noMediaType;
  const { $late: late, $mediaType: hint } = remainderOf(part);
  const isLate = late === true;
  // What the part said is written again while the data URL still says the type.
  const isSaid = typeof hint === "string" && "data" in part.source && isSpecific(mediaType);
  const isReasoning = part.reasoning === true && (generation >= 7 || isLate);
  if (part.reasoning && !isReasoning) lose("reasoning-file", "reasoning");
  if (isReasoning && part.name !== undefined) lose("file-member", "name");
  const written = writeSource(part.source, mediaType, { ...writing, remainder: remainderOf(part) });
  if (!written) return referenceAsData(part, writing);
  const name = part.name === undefined || isReasoning ? {} : { filename: part.name };
  const type = isReasoning ? "reasoning-file" : "file";
  const fields = { type, mediaType: isSaid ? hint : mediaType, ...name, ...written };
  return wirePart(fields, part, { table: fileFields, writing });
}

function writeSource(
  source: FileSource,
  mediaType: string,
  { generation, lose, remainder }: PartWriting & { readonly remainder: JsonObject },
): JsonObject | undefined {
  const { $header: header, url } = remainder;
  if ("data" in source) return { url: `data:${typeof header === "string" ? header : mediaType};base64,${source.data}` };
  if ("url" in source) {
    if ("data" in readUrl(source.url, mediaType).source) lose("data-url", "source");
    return { url: source.url };
  }
  if ("id" in source) {
    if (generation < 7) return undefined;
    if (source.provider === undefined) lose("file-provider", "source");
    // The reference takes precedence; the SDK itself writes no URL beside it.
    const reference = { [source.provider ?? "unknown"]: source.id };
    return { url: typeof url === "string" ? url : "", providerReference: reference };
  }
  lose("file-source", "source");
  const text = "text" in source ? source.text : source.parts.map(textOf).join("\n\n");
  return { url: `data:${mediaType};base64,${base64OfText(text)}` };
}

const textOf = (part: Part): string => (part.type === "text" ? part.text : "");

/** A file that a provider keeps has no place before generation 7: clients see it as data, models do not. */
function referenceAsData({ source, mediaType, name }: FilePart, { lose }: PartWriting): JsonObject {
  lose("file-reference");
  const reference =
    "id" in source ? { id: source.id, ...(source.provider !== undefined && { provider: source.provider }) } : {};
  const about = { ...(mediaType !== undefined && { mediaType }), ...(name !== undefined && { filename: name }) };
  return { type: "data-file", data: { ...reference, ...about } };
}

/** UTF-8 as base64; half a character becomes U+FFFD. */
export function base64OfText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  const step = 8192; // as many arguments as every engine takes
  for (let start = 0; start < bytes.length; start += step) {
    binary += String.fromCharCode(...bytes.subarray(start, start + step));
  }
  return btoa(binary);
}

// data

const dataPrefix = "data-";
export const isDataType = (type: string): boolean => type.startsWith(dataPrefix);

/** Undefined where there is no data. */
export function decodeData(wire: JsonObject): DataPart | undefined {
  const reader = new Reader(wire);
  const data = reader.json("data");
  const type = reader.string("type") ?? "";
  if (data === undefined) return undefined;
  const id = reader.string("id");
  const name = type.slice(dataPrefix.length);
  return {
    type: "data",
    ...defined<Partial<DataPart>>({ name: name === "" ? undefined : name, id }),
    data,
    ...native(family, reader.remainder()),
  };
}

/** Data without a name has the type `data-`. */
export function encodeData(part: DataPart, { lose }: PartWriting): JsonObject {
  if (part.name === "") lose("data-name", "name");
  const id = part.id === undefined ? {} : { id: part.id };
  return fill({ type: `${dataPrefix}${part.name ?? ""}`, ...id, data: part.data }, remainderOf(part));
}

// pieces that have no part of ours

/** What a generation added, and older ones refuse. */
const since: { readonly [type: string]: number } = { custom: 7, "reasoning-file": 7, "steering-message": 7 };

export const opaque = (value: OpaquePart["value"], hints?: JsonObject): OpaquePart => ({
  type: "opaque",
  family,
  value,
  ...native(family, hints),
});

/** A type that the generation does not know goes back to it as it was read. */
export const isLate = (type: string, generation: number): boolean =>
  ((Object.hasOwn(since, type) ? since[type] : undefined) ?? 0) > generation;

/** As it was read; what an older generation would refuse becomes data. */
export function encodeOpaque(part: OpaquePart, { generation, lose }: PartWriting): OpaquePart["value"] {
  const { value } = part;
  const type = isJsonObject(value) ? value["type"] : undefined;
  if (typeof type !== "string" || !isJsonObject(value)) return value;
  if (!isLate(type, generation) || remainderOf(part)["$late"] === true) return value;
  lose("late-part", undefined, type);
  const { type: _, ...data } = value;
  return { type: `${dataPrefix}${type}`, data };
}
