/** Files of the AI SDK's model messages: `data` is a text or tagged object, and says bytes, an address or a provider's file. */

import type { DecodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, FileSource, Part } from "../../model/parts.ts";
import { typeOfData } from "../data-urls.ts";
import { base64OfText, isOtherType, otherTypeMessage, otherTypeOf, specificOf } from "./files.ts";
import { fileFields } from "./metadata.ts";
import {
  type ModelPlace,
  type ModelWriting,
  natives,
  type OptionsPlace,
  ownOf,
  readOptions,
  sharedOf,
  wireNode,
} from "./model-part.ts";

/** The SDK demands a media type; this one stands for none. */
const noMediaType = "application/octet-stream";

/** A media type of the SDK's that names a kind alone. */
const kindOf = (mediaType: string): string | undefined => (/^[a-z]+$/.test(mediaType) ? mediaType : undefined);

// where the content is

/** How a source was spelled: as a text or a tagged object, bytes as a data URL, and a provider's file as its bare id. */
type Spelling = "bare" | "bare-url" | "bare-id" | "tagged" | "tagged-url";

interface ReadSource {
  readonly source: FileSource;
  readonly spelling: Spelling;
  /** The media type that a data URL says. */
  readonly header?: string;
  /** References of other providers, and members of a tagged object that we do not know. */
  readonly references?: JsonObject;
  readonly rest?: JsonObject | undefined;
}

/** Undefined where it says no content. */
export function readData(value: Json | undefined): ReadSource | undefined {
  if (typeof value === "string") return readText(value, "bare");
  if (!isJsonObject(value)) return undefined;
  const reader = new Reader(value);
  switch (value["type"]) {
    case "data":
      return tagged(reader, reader.string("data"), data => ({ source: { data }, spelling: "tagged" }));
    case "url":
      return tagged(reader, reader.string("url"), url => readUrl(url, "tagged"));
    case "text":
      return tagged(reader, reader.string("text"), text => ({ source: { text }, spelling: "tagged" }));
    case "reference":
      return tagged(reader, reader.object("reference"), reference => readReference(reference, "tagged"));
    default:
      return readReference(value, "bare");
  }
}

function tagged<T>(
  reader: Reader,
  member: T | undefined,
  read: (member: T) => ReadSource | undefined,
): ReadSource | undefined {
  if (member === undefined) return undefined;
  reader.take("type");
  const source = read(member);
  return source && { ...source, rest: reader.rest() };
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** OpenAI's ids of files, which its package knows by their beginning. */
const isFileId = (text: string): boolean => /^file-[A-Za-z0-9_-]+$/.test(text);
const fileMaker = "openai";

/** A bare text is an address if it reads as one, as in the SDK; what is no base64 was meant as one. */
function readText(text: string, spelling: "bare"): ReadSource {
  if (isFileId(text)) return { source: { id: text, provider: fileMaker }, spelling: "bare-id" };
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) || !isBase64(text)
    ? readUrl(text, spelling)
    : { source: { data: text }, spelling };
}

function readUrl(url: string, form: "bare" | "tagged"): ReadSource {
  const [, header, data] = /^data:([^,]*);base64,(.*)$/s.exec(url) ?? [];
  if (header === undefined || data === undefined || !isBase64(data)) return { source: { url }, spelling: form };
  return { source: { data }, spelling: form === "bare" ? "bare-url" : "tagged-url", header };
}

function readReference(reference: JsonObject, spelling: "bare" | "tagged"): ReadSource | undefined {
  const entries = Object.entries(reference);
  const [entry, ...others] = entries;
  if (!entry || !entries.every(([, id]) => typeof id === "string")) return undefined;
  const [provider, id] = entry;
  const source = { provider, id: id as string }; // looked at above
  return others.length > 0 ? { source, spelling, references: Object.fromEntries(others) } : { source, spelling };
}

const usual = ({ generation }: ModelPlace, source: FileSource): Spelling =>
  generation >= 7 ? "tagged" : isOwnId(source) ? "bare-id" : "bare";

const isOwnId = (source: FileSource): boolean => "id" in source && source.provider === fileMaker && isFileId(source.id);

const isForModel = ({ form, recipient }: ModelWriting): boolean => form === "prompt" && recipient === "provider";

/** The content of a file as the generation takes it; undefined where it has no place for it. */
function writeData(part: FilePart, mediaType: string, writing: ModelWriting): Json | undefined {
  const { source } = part;
  const { generation, lose } = writing;
  const own = ownOf(part);
  const hint = own["$data"];
  // A model gets bytes as bytes, whatever the application wrote.
  const spelling = typeof hint === "string" && !isForModel(writing) ? hint : usual(writing, source);
  const isTagged = spelling.startsWith("tagged");
  const references = sharedOf(part)["providerReference"];
  if ("url" in source && isJsonObject(references) && (generation >= 7 || source.url === "")) {
    // A reference takes precedence over an address, as in the SDK.
    if (source.url !== "") lose("file-member", "source");
    return writeReference(references, isTagged, writing);
  }
  if ("data" in source) {
    const header = typeof own["$header"] === "string" ? own["$header"] : mediaType;
    const url = `data:${header};base64,${source.data}`;
    if (spelling === "tagged-url") return { type: "url", url };
    if (spelling === "bare-url") return url;
    return isTagged ? { type: "data", data: source.data } : source.data;
  }
  const text = "url" in source && isForModel(writing) ? textOfUrl(source.url) : undefined;
  if (text !== undefined) return isTagged ? { type: "data", data: base64OfText(text) } : base64OfText(text);
  if ("url" in source) {
    if (isTagged) return { type: "url", url: source.url };
    const again = readText(source.url, "bare");
    if (!("url" in again.source)) lose("file-url", "source");
    return source.url;
  }
  if ("id" in source) {
    if (spelling === "bare-id" && isOwnId(source)) return source.id;
    if (source.provider === undefined && generation >= 7) lose("file-provider", "source");
    const others = isJsonObject(references) ? references : {};
    return writeReference({ [source.provider ?? "unknown"]: source.id, ...others }, isTagged, writing);
  }
  if (generation >= 7) {
    if (!("text" in source)) lose("file-source", "source");
    return { type: "text", text: textOf(source) };
  }
  lose("file-source", "source");
  return base64OfText(textOf(source));
}

/** The text in a data URL that has no base64, which models do not read. */
function textOfUrl(url: string): string | undefined {
  const [, text] = /^data:[^,]*,(.*)$/s.exec(url) ?? [];
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function writeReference(reference: JsonObject, isTagged: boolean, { generation, lose }: ModelWriting): Json {
  if (generation >= 7) return isTagged ? { type: "reference", reference } : reference;
  // The older packages take the bare id of a file that they know by its prefix.
  lose("file-reference", "source");
  const [id] = Object.values(reference);
  return typeof id === "string" ? id : "";
}

/** The text of a document made of parts, too. */
export function textOf(source: Extract<FileSource, { readonly text: string } | { readonly parts: readonly Part[] }>) {
  if ("text" in source) return source.text;
  return source.parts.map(part => (part.type === "text" ? part.text : "")).join("\n\n");
}

// parts

/** What a model makes while it thinks is bytes, or an address of them. */
const isContent = (source: FileSource): boolean => "data" in source || "url" in source;

/** Undefined where it is no file part. */
export function decodeModelFile(
  wire: JsonObject,
  place: ModelPlace & { readonly options: OptionsPlace },
): FilePart | undefined {
  const reader = new Reader(wire);
  const type = wire["type"];
  const member = type === "image" ? "image" : "data";
  const read = readData(reader.peek(member));
  if (!read || (type === "reasoning-file" && !isContent(read.source))) return undefined;
  reader.take("type", member);
  const said = reader.string("mediaType");
  const known = knownType(said ?? (type === "image" ? "image/*" : undefined), read);
  const mediaType = known ?? readMediaType(said, type === "image");
  const { members, kept } = readOptions(reader, fileFields, place.options);
  const name = type === "reasoning-file" ? undefined : reader.string("filename");
  const hints = {
    ...(type === "image" && { $image: true }),
    ...(read.spelling !== usual(place, read.source) && { $data: read.spelling }),
    ...(read.header !== undefined && read.header !== said && { $header: read.header }),
    ...(said !== undefined && mediaType !== said && (said !== noMediaType || known) && { $mediaType: said }),
    ...(said === undefined && (type !== "image" || known) && { $mediaType: false }),
  };
  const rest = { ...reader.rest(), ...(read.rest && { [member]: read.rest }) };
  const shared = read.references ? { ...kept, providerReference: read.references } : kept;
  return {
    type: "file",
    source: read.source,
    ...defined<Partial<FilePart>>({ mediaType, name, reasoning: type === "reasoning-file" ? true : undefined }),
    ...members,
    ...natives(shared, Object.keys(rest).length > 0 ? rest : undefined, hints),
  };
}

/** Reports a file whose data URL says another media type than the part. */
export function tellOtherType(wire: JsonObject, path: Path, issue: DecodeContext["issue"]): void {
  const member = wire["type"] === "image" ? "image" : "data";
  const given = wire[member];
  const url = isJsonObject(given) && given["type"] === "url" ? given["url"] : given;
  const { mediaType } = wire;
  if (typeof url !== "string" || typeof mediaType !== "string") return;
  const other = otherTypeOf({ url, mediaType });
  if (other !== undefined) issue("other-media-type", [...path, member], otherTypeMessage(other, mediaType));
}

/** `image` alone is every image; an image part without a type is one. */
function readMediaType(said: string | undefined, isImage: boolean): string | undefined {
  if (said === undefined) return isImage ? "image/*" : undefined;
  if (said === noMediaType) return undefined;
  const kind = kindOf(said);
  return kind === undefined ? said : `${kind}/*`;
}

/** The type that a data URL says, where the part says one that stands for many. */
function knownType(said: string | undefined, { header }: Pick<ReadSource, "header">): string | undefined {
  return header === undefined || said === undefined || specificOf(said) !== undefined ? undefined : specificOf(header);
}

export function encodeModelFile(
  part: FilePart,
  writing: ModelWriting & { readonly options: OptionsPlace },
): JsonObject {
  const { lose, generation } = writing;
  const own = ownOf(part);
  if (part.mediaType === noMediaType) lose("file-member", "mediaType");
  const { $mediaType: hint, $header: ownHeader } = own;
  const isOfHeader =
    typeof ownHeader === "string" &&
    "data" in part.source &&
    specificOf(ownHeader) === part.mediaType &&
    !isForModel(writing);
  const isAsRead = typeof hint === "string" && (isOfHeader || readMediaType(hint, false) === part.mediaType);
  const asRead = isAsRead ? hint : undefined;
  const mediaType = asRead ?? typeForModel(part, writing) ?? part.mediaType ?? noMediaType;
  const isReasoning = part.reasoning === true && generation >= 7 && isContent(part.source);
  if (part.reasoning && !isReasoning) lose("reasoning-file", "reasoning");
  const isImage = own["$image"] === true && writing.form === "message" && !isReasoning;
  const isUnsaid = isImage
    ? asRead === undefined && (part.mediaType === "image/*" || (hint === false && isOfHeader))
    : hint === false && (part.mediaType === undefined || isOfHeader);
  if (part.name !== undefined && isReasoning) lose("file-member", "name");
  const data = writeData(part, mediaType, writing);
  const content = isImage ? { type: "image", image: data ?? "" } : { type: fileType(isReasoning), data: data ?? "" };
  const name = part.name === undefined || isReasoning ? {} : { filename: part.name };
  return wireNode({ ...content, ...(!isUnsaid && { mediaType }), ...name }, part, {
    fields: fileFields,
    place: writing.options,
    taken: "url" in part.source || "id" in part.source ? ["providerReference"] : [],
    lose,
  });
}

/** A model is told what a data URL said, and of a picture what its bytes say. */
function typeForModel(part: FilePart, writing: ModelWriting): string | undefined {
  if (!isForModel(writing) || !("data" in part.source)) return undefined;
  const { $header: header } = ownOf(part);
  const said = typeof header === "string" ? header : part.mediaType;
  if (said !== undefined && part.mediaType !== undefined && isOtherType(said, part.mediaType))
    writing.lose("media-type", "mediaType", said);
  return said === undefined ? undefined : typeOfData(said, part.source.data);
}

const fileType = (isReasoning: boolean): string => (isReasoning ? "reasoning-file" : "file");
