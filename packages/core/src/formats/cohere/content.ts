import { dataUrlOf, isTextType, readDataUrl, textOfData } from "../../blocks/data-urls.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, Node, Part, PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";

/** Whose content it is: each has its own kinds of blocks. */
export type Side = "system" | "user" | "assistant" | "tool";

/** A member of a `content` list. One that is unknown, or not this side's, becomes opaque in its place (R4). */
export function readBlock(wire: Json, side: Side, { path, context }: { path: Path; context: DecodeContext }): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = reader?.peek("type");
  const isOwn = typeof type === "string" && kinds[side].includes(type);
  const part = reader && isOwn ? readers[type as Kind](reader) : undefined; // `kinds` lists rows only
  if (part) return part;
  context.issue("unknown-block", path, "this block is not known here, or lacks what its type needs; kept as it is");
  return { type: "opaque", family, value: wire };
}

const kinds: { readonly [side in Side]: readonly string[] } = {
  system: ["text"],
  user: ["text", "image_url"],
  assistant: ["text", "thinking"],
  tool: ["text", "document"],
};

type Kind = "text" | "thinking" | "image_url" | "document";

const readers: { readonly [kind in Kind]: (reader: Reader) => Part | undefined } = {
  text: reader => {
    const text = reader.string("text");
    return text === undefined ? undefined : { type: "text", text, ...ended(reader) };
  },
  thinking: reader => {
    const text = reader.string("thinking");
    return text === undefined ? undefined : { type: "reasoning", text, ...ended(reader) };
  },
  image_url: readImage,
  document: readDocument,
};

/** Called when everything else was taken. */
function ended(reader: Reader, hints: JsonObject = {}): Pick<Node, "native"> {
  reader.take("type");
  return kept(family, reader.rest(), hints);
}

const isDetail = (value: Json): value is "auto" | "low" | "high" =>
  value === "auto" || value === "low" || value === "high";

/** `image_url: { url, detail }`, or the URL alone. */
function readImage(reader: Reader): Part | undefined {
  const bare = reader.string("image_url");
  const inner = bare === undefined ? reader.object("image_url") : undefined;
  const holder = new Reader(inner ?? {});
  const url = bare ?? holder.string("url");
  if (url === undefined) return undefined;
  const detail = holder.member("detail", isDetail);
  const rest = holder.rest();
  const hints = { ...(bare !== undefined && { $url: "bare" }), ...(rest && { image_url: rest }) };
  return defined<FilePart>({
    type: "file",
    ...sourceOf(url),
    detail,
    ...ended(reader, hints),
  });
}

function sourceOf(url: string): Required<Pick<FilePart, "mediaType" | "source">> {
  const read = readDataUrl(url);
  return read?.mediaType.startsWith("image/")
    ? { mediaType: read.mediaType, source: { data: read.data } }
    : { mediaType: "image/*", source: { url } };
}

/** What a tool found: `data` is an object, or a text (the guides put JSON in it). */
function readDocument(reader: Reader): Part | undefined {
  const inner = reader.object("document");
  if (!inner) return undefined;
  const document = new Reader(inner);
  const id = document.string("id");
  const text = document.string("data");
  const data = text === undefined ? document.object("data") : undefined;
  if (text === undefined && !data) return undefined;
  const rest = document.rest();
  const hints = { ...(text !== undefined && { $part: "document" }), ...(rest && { document: rest }) };
  const node = { ...(id !== undefined && { id }), ...ended(reader, hints) };
  return text === undefined ? { type: "data", data: data ?? {}, ...node } : { type: "text", text, ...node };
}

// writing

type BlockPart = PartOf<"text" | "reasoning" | "file" | "opaque">;

/** The block; undefined where the wire has none for it, which is then reported. */
export function writeBlock(part: BlockPart, path: Path, context: EncodeContext): Json | undefined {
  switch (part.type) {
    case "opaque":
      return part.value;
    case "text":
      return restored({ type: "text", text: part.text }, part, family);
    case "reasoning":
      return restored({ type: "thinking", thinking: part.text ?? "" }, part, family);
    case "file":
      return writeImage(part, path, context);
  }
}

/** `document` in the remainder is of the inner object. */
export const writeDocument = (part: PartOf<"text" | "data">, data: Json): JsonObject =>
  restored({ type: "document", document: present({ data, id: part.id }) }, part, family);

/** The words of a file that is text. */
export function textOfFile({ source, mediaType = "" }: FilePart): string | undefined {
  if ("text" in source) return source.text;
  return "data" in source && isTextType(mediaType) ? textOfData(source.data) : undefined;
}

function writeImage(part: FilePart, path: Path, context: EncodeContext): JsonObject | undefined {
  const { source, mediaType = "image/*", detail } = part;
  const text = textOfFile(part);
  if (text !== undefined) {
    context.lose("text-file", path);
    return { type: "text", text };
  }
  const url = "url" in source ? source.url : "data" in source ? dataUrlOf(mediaType, source.data) : undefined;
  if (url === undefined || !mediaType.startsWith("image/")) {
    context.lose("media", path, part.mediaType);
    return undefined;
  }
  const read = sourceOf(url);
  if (!equalJson(read.source, source)) context.lose("media", [...path, "source"], "it is read as data");
  if (read.mediaType !== part.mediaType) context.lose("media-type", [...path, "mediaType"], read.mediaType);
  const isKnown = detail === undefined || isDetail(detail);
  if (!isKnown) context.lose("detail", [...path, "detail"], detail);
  const { $url: form, image_url: rest } = hintsOf(part, family);
  const fields = present({ url, detail: isKnown ? detail : undefined });
  if (form === "bare" && detail === undefined && rest === undefined) {
    return restored({ type: "image_url", image_url: url }, part, family);
  }
  return restored({ type: "image_url", image_url: fields }, part, family);
}
