import type { DecodeContext } from "../../codec/codec.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { FilePart, Part, PartOf } from "../../model/parts.ts";
import { readCitations, writeCitations } from "./citations.ts";
import { family, type Located, ownNode, stepMember, type WriteScope } from "./wire.ts";

/** Contents that are files, and what their media types begin with; a document is any other. */
const fileTypes: { readonly [type: string]: string | undefined } = {
  image: "image/",
  audio: "audio/",
  video: "video/",
  document: undefined,
};

/** Whether a wire object is a content and no step: the API takes a list of either. */
export const isContent = (wire: Json | undefined): wire is JsonObject =>
  isJsonObject(wire) && (wire["type"] === "text" || isFileType(wire["type"]));

const isFileType = (type: Json | undefined): type is string =>
  typeof type === "string" && Object.hasOwn(fileTypes, type);

type ContentScope = Pick<DecodeContext, "issue">;

/** A content of whatever kind; one that is not known stays as it is (R4). */
export function readContent(wire: Json, path: Path, scope: ContentScope): Part {
  const part = isJsonObject(wire)
    ? wire["type"] === "text"
      ? readText(wire)
      : isFileType(wire["type"])
        ? readFile(wire, wire["type"])
        : undefined
    : undefined;
  if (part) return part;
  scope.issue("unknown-content", path, "this content is not known, or lacks what its type needs; kept as it is");
  return { type: "opaque", family, value: wire };
}

function readText(wire: JsonObject): Part | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const text = reader.string("text");
  if (text === undefined) return undefined;
  const list = reader.peek("annotations");
  const isRead = Array.isArray(list) && list.every(isJsonObject);
  if (isRead) reader.take("annotations");
  return {
    type: "text",
    text,
    ...(isRead && { citations: readCitations(list as readonly JsonObject[], text) }), // every item was looked at
    ...kept(family, reader.rest(), {}, [stepMember]),
  };
}

function readFile(wire: JsonObject, type: string): Part | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const data = reader.string("data");
  const url = data === undefined ? reader.string("uri") : undefined;
  if (data === undefined && url === undefined) return undefined;
  const told = reader.string("mime_type");
  const mediaType = told ?? anyOf(type);
  const hasDetail = type === "image" || type === "video";
  const hints = {
    ...(typeOf(mediaType) !== type && { $type: type }),
    ...(told !== undefined && told === anyOf(type) && { $mime: true }),
  };
  return defined<FilePart>({
    type: "file",
    mediaType,
    name: type === "video" ? reader.string("name") : undefined,
    source: data === undefined ? { url: url ?? "" } : { data },
    detail: hasDetail ? reader.string("resolution") : undefined,
    ...kept(family, reader.rest(), hints, [stepMember]),
  });
}

/** What is known of a file that says no media type. */
const anyOf = (type: string): string | undefined => {
  const start = rowOf(fileTypes, type);
  return start === undefined ? undefined : `${start}*`;
};

const typeOf = (mediaType: string | undefined): string =>
  Object.keys(fileTypes).find(type => {
    const start = fileTypes[type];
    return start !== undefined && mediaType?.startsWith(start);
  }) ?? "document";

// writing

/** The contents of a part that is one, or what else it can be told as; none where it has no place, which is reported. */
export function writeContent(place: Located, scope: WriteScope): JsonObject[] {
  const { part, path } = place;
  reportSeal(place, scope);
  switch (part.type) {
    case "text":
      return [writeText(part, path, scope)];
    case "refusal":
      scope.lose("refusal", path);
      return [restored({ type: "text", text: part.text }, ownNode(part), family)];
    case "file":
      return writeFile(part, path, scope);
    case "compaction":
      scope.lose(part.summary ? "compaction" : "hidden-compaction", path);
      return (part.summary ?? []).flatMap((inner, index) =>
        writeContent({ part: inner, path: [...path, "summary", index] }, scope),
      );
    case "opaque":
      return [part.value as JsonObject]; // whatever the wire had in its place
    default:
      scope.lose("misplaced", path, part.type);
      return [];
  }
}

/** Only steps are signed. */
function reportSeal({ part, path }: Located, scope: WriteScope): void {
  if (part.seal) scope.lose("seal-place", [...path, "seal"]);
}

function writeText(part: PartOf<"text">, path: Path, scope: WriteScope): JsonObject {
  const annotations = part.citations && writeCitations(part.citations, part.text, [...path, "citations"], scope.lose);
  return restored(present({ type: "text", text: part.text, annotations }), ownNode(part), family);
}

const details: ReadonlySet<string> = new Set(["low", "medium", "high", "ultra_high"]);

export function writeFile(part: FilePart, path: Path, scope: WriteScope): JsonObject[] {
  const { source, mediaType, name, detail } = part;
  if ("text" in source) {
    scope.lose("file-text", path);
    return [{ type: "text", text: source.text }];
  }
  if ("parts" in source) {
    scope.lose("file-parts", path);
    return source.parts.flatMap((inner, index) =>
      writeContent({ part: inner, path: [...path, "source", "parts", index] }, scope),
    );
  }
  if ("id" in source && source.provider !== undefined && source.provider !== "google") {
    scope.lose("file-id", path, source.provider);
    return [];
  }
  if ("id" in source) scope.lose("file-by-id", [...path, "source"]);
  const { $type: told, $mime: isTold } = hintsOf(part, family);
  const type = isFileType(told) ? told : typeOf(mediaType);
  const isAny = mediaType === anyOf(type) && isTold !== true;
  const hasDetail = type === "image" || type === "video";
  const isDetail = detail !== undefined && hasDetail && (scope.recipient !== "provider" || details.has(detail));
  if (detail !== undefined && !isDetail) scope.lose("file-member", [...path, "detail"], detail);
  if (name !== undefined && type !== "video") scope.lose("file-member", [...path, "name"]);
  if (mediaType === undefined && type !== "document") scope.lose("file-member", [...path, "mediaType"]);
  const fields = present({
    type,
    mime_type: isAny ? undefined : mediaType,
    data: "data" in source ? source.data : undefined,
    uri: "url" in source ? source.url : "id" in source ? source.id : undefined,
    name: type === "video" ? name : undefined,
    resolution: isDetail ? detail : undefined,
  });
  return [restored(fields, ownNode(part), family)];
}

// errors

/** An error's code is a number where a step says it, and a word where an answer or a stream does. */
export type CodeForm = "number" | "string";

export function readError(wire: Json, usual: CodeForm): PartOf<"error"> {
  if (!isJsonObject(wire)) {
    const message = typeof wire === "string" ? wire : stringifyJson(wire);
    return { type: "error", message, ...kept(family, undefined, { $error: wire }) };
  }
  const reader = new Reader(wire);
  const message = reader.string("message");
  const code = reader.peek("code");
  const isCode = (typeof code === "string" && code !== "") || (typeof code === "number" && Number.isSafeInteger(code));
  if (isCode) reader.take("code");
  const text = isCode ? String(code) : undefined;
  const isUsual = text === undefined || codeIn(text, usual) === code;
  const hints = {
    ...(!isUsual && { $code: typeof code }),
    ...(message === undefined && { $message: false }),
  };
  return defined<PartOf<"error">>({
    type: "error",
    message: message ?? stringifyJson(wire),
    code: text,
    ...kept(family, reader.rest(), hints),
  });
}

/** The code as this form has it; a word that is no number stays a word. */
const codeIn = (code: string, form: Json | undefined): Json =>
  form === "number" && /^(?:0|[1-9]\d{0,14})$/.test(code) ? Number(code) : code;

export function writeError(part: PartOf<"error">, usual: CodeForm): Json {
  const { $error: whole, $code: form, $message: told, $in: _, ...rest } = hintsOf(part, family);
  if (whole !== undefined && readError(whole, usual).message === part.message) return whole;
  const code = part.code === undefined ? undefined : codeIn(part.code, form ?? usual);
  const fields = present({ code, message: told === false ? undefined : part.message });
  return restored(fields, { native: { [family]: rest } }, family);
}
