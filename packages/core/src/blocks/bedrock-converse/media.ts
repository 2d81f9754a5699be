/** Formats of Bedrock's files, and their media types. */

import { rowOf } from "../../codec/reader.ts";
import type { FileSource } from "../../model/parts.ts";
import { typeOfData } from "../data-urls.ts";

export type FileKind = "image" | "document" | "video" | "audio";

/** Of several formats of a type, the first is the one to write. */
const types: { readonly [kind in FileKind]: { readonly [format: string]: string } } = {
  image: { jpeg: "image/jpeg", png: "image/png", gif: "image/gif", webp: "image/webp", jpg: "image/jpeg" },
  document: {
    pdf: "application/pdf",
    csv: "text/csv",
    doc: "application/msword",
    docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    xls: "application/vnd.ms-excel",
    xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    html: "text/html",
    txt: "text/plain",
    md: "text/markdown",
  },
  video: {
    mp4: "video/mp4",
    mov: "video/quicktime",
    mkv: "video/x-matroska",
    webm: "video/webm",
    flv: "video/x-flv",
    mpeg: "video/mpeg",
    mpg: "video/mpeg",
    wmv: "video/x-ms-wmv",
    three_gp: "video/3gpp",
  },
  audio: {
    mp3: "audio/mpeg",
    wav: "audio/wav",
    mpeg: "audio/mpeg",
    mpga: "audio/mpeg",
    mka: "audio/x-matroska",
    mkv: "audio/x-matroska",
  },
};

/** What hosts and browsers call them as well. */
const others: { readonly [mediaType: string]: string } = {
  "image/jpg": "jpeg",
  "text/x-markdown": "md",
  "video/matroska": "mkv",
  "video/x-m4v": "mp4",
  "audio/mp3": "mp3",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/x-m4a": "m4a",
};

/** What the wire does not say more of. */
const anyOf = (kind: FileKind): string | undefined => (kind === "document" ? undefined : `${kind}/*`);

export function mediaOf(kind: FileKind, format: string | undefined): string | undefined {
  if (format === undefined) return anyOf(kind);
  return rowOf(types[kind], format) ?? `${kind === "document" ? "application" : kind}/${format}`;
}

const reversed = (rows: { readonly [format: string]: string }): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(rows)
      .reverse()
      .map(([format, mediaType]) => [mediaType, format]),
  );
const formats: { readonly [kind in FileKind]: ReadonlyMap<string, string> } = {
  image: reversed(types.image),
  document: reversed(types.document),
  video: reversed(types.video),
  audio: reversed(types.audio),
};

/** Which block holds a file. */
export function kindOfFile(mediaType: string | undefined, source: FileSource): FileKind {
  if ("text" in source || "parts" in source) return "document";
  const kind = mediaType?.split("/", 1)[0];
  return kind === "image" || kind === "video" || kind === "audio" ? kind : "document";
}

/** Text of any kind, also where the type does not begin so. */
const isText = (mediaType: string): boolean =>
  mediaType.startsWith("text/") || /[/+](?:json|xml|yaml|x-yaml|javascript|toml|sql)$/.test(mediaType);

/** The format that says this type, or the nearest. Undefined = none needs to be said, or can. */
export function formatOf(kind: FileKind, mediaType: string | undefined, source: FileSource): string | undefined {
  if (mediaType === undefined) return undefined;
  const [plain = ""] = mediaType.toLowerCase().split(";", 1);
  const known = formats[kind].get(plain) ?? rowOf(others, plain);
  if (known !== undefined) return known;
  if (kind === "document") return isText(plain) ? "txt" : undefined;
  const [, subtype = "*"] = plain.split("/");
  if (subtype !== "*") return subtype;
  const found = "data" in source ? formats.image.get(typeOfData(plain, source.data)) : undefined;
  return kind === "image" ? found : undefined;
}

/** What a reader that wants a format gets where nothing tells it. */
export const usualFormat: { readonly [kind in FileKind]: string | undefined } = {
  image: "png",
  video: "mp4",
  audio: "mp3",
  document: undefined,
};
