/** Outputs of tools in the AI SDK's model messages and prompts: a text, a value, an error, a denial, or a list of contents. */

import { defined, Reader } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, FileSource, Part, TextPart, ToolResultPart } from "../../model/parts.ts";
import { fileFields, noFields } from "./metadata.ts";
import { decodeModelFile, encodeModelFile, textOf } from "./model-files.ts";
import {
  type ModelPlace,
  type ModelWriting,
  modelFamily,
  natives,
  type OptionsPlace,
  ownOf,
  readOptions,
  sharedOf,
  wireNode,
} from "./model-part.ts";
import { deniedText } from "./tools.ts";

const options: OptionsPlace = { wire: "providerOptions", node: "providerMetadata" };

export interface ReadOutput {
  readonly members: Pick<ToolResultPart, "output" | "outcome">;
  readonly hints: JsonObject;
  /** Members of the wire's output that have no field. */
  readonly rest: JsonObject | undefined;
}

/** Undefined where it is no output that is known. */
export function decodeModelOutput(wire: Json | undefined, place: ModelPlace): ReadOutput | undefined {
  if (!isJsonObject(wire)) return undefined;
  const reader = new Reader(wire);
  const members = readOutput(reader, place);
  if (!members) return undefined;
  reader.take("type", "value");
  const { type } = wire;
  const isPlain = type !== "content" || plainKind(members.output ?? []) === undefined;
  return { members, hints: isPlain ? {} : { $output: "content" }, rest: reader.rest() };
}

function readOutput(reader: Reader, place: ModelPlace): ReadOutput["members"] | undefined {
  const { type, value } = reader.value;
  switch (type) {
    case "text":
      return typeof value === "string" ? { output: textOutput(value) } : undefined;
    case "json":
      return value === undefined ? undefined : { output: dataOutput(value) };
    case "error-text":
      return typeof value === "string" ? { outcome: "error", output: textOutput(value) } : undefined;
    case "error-json":
      return value === undefined ? undefined : { outcome: "error", output: dataOutput(value) };
    case "execution-denied": {
      const reason = reader.string("reason");
      return { outcome: "denied", ...(reason !== undefined && { output: textOutput(reason) }) };
    }
    case "content":
      return Array.isArray(value) ? { output: value.map((item: Json) => decodeItem(item, place)) } : undefined;
    default:
      return undefined;
  }
}

const textOutput = (text: string): readonly Part[] => [{ type: "text", text }];
const dataOutput = (data: Json): readonly Part[] => [{ type: "data", data }];

/** How one part alone is written, without a list. */
function plainKind([only, ...others]: readonly Part[]): "text" | "json" | undefined {
  if (!only || others.length > 0) return undefined;
  if (only.type === "data") return "json";
  return only.type === "text" && isPlainText(only) ? "text" : undefined;
}

const isPlainText = (part: TextPart): boolean =>
  part.seal === undefined && part.cache === undefined && part.native === undefined;

// items

type Item = (reader: Reader) => { readonly source: FileSource; readonly mediaType?: string | undefined } | undefined;

const anyImage = "image/*";

/** What a generation's items of a content say of a file, apart from `file`, which is a file part. */
const items: { readonly [type: string]: Item } = {
  media: reader => ofText(reader.string("data"), data => ({ source: { data }, mediaType: reader.string("mediaType") })),
  "file-data": reader =>
    ofText(reader.string("data"), data => ({ source: { data }, mediaType: reader.string("mediaType") })),
  "image-data": reader =>
    ofText(reader.string("data"), data => ({ source: { data }, mediaType: reader.string("mediaType") })),
  "file-url": reader =>
    ofText(reader.string("url"), url => ({ source: { url }, mediaType: reader.string("mediaType") })),
  "image-url": reader => ofText(reader.string("url"), url => ({ source: { url }, mediaType: anyImage })),
  "file-id": reader => ofReference(reader, "fileId"),
  "image-file-id": reader => ofReference(reader, "fileId", anyImage),
  "file-reference": reader => ofReference(reader, "providerReference"),
  "image-file-reference": reader => ofReference(reader, "providerReference", anyImage),
};

const ofText = <T>(text: string | undefined, make: (text: string) => T): T | undefined =>
  text === undefined ? undefined : make(text);

function ofReference(reader: Reader, member: string, mediaType?: string): ReturnType<Item> {
  const value = reader.peek(member);
  const source = typeof value === "string" ? { id: value } : isJsonObject(value) ? onlyReference(value) : undefined;
  if (!source) return undefined;
  reader.take(member);
  return { source, mediaType };
}

function onlyReference(reference: JsonObject): FileSource | undefined {
  const [entry, ...others] = Object.entries(reference);
  if (!entry || others.length > 0 || typeof entry[1] !== "string") return undefined;
  return { provider: entry[0], id: entry[1] };
}

/** An item that is not known is kept whole. */
function decodeItem(item: Json, place: ModelPlace): Part {
  const whole: Part = { type: "opaque", family: modelFamily, value: item };
  if (!isJsonObject(item) || typeof item["type"] !== "string") return whole;
  const { type } = item;
  if (type === "file") return decodeFileItem(item, place) ?? whole;
  const reader = new Reader(item);
  reader.take("type");
  const text = type === "text" ? reader.string("text") : undefined;
  if (text !== undefined) {
    const { members, kept } = readOptions(reader, noFields, options);
    return { type: "text", text, ...members, ...natives(kept, reader.rest()) };
  }
  const read = Object.hasOwn(items, type) ? items[type]?.(reader) : undefined;
  if (!read) return whole;
  const name = reader.string("filename");
  const { members, kept } = readOptions(reader, fileFields, options);
  const part: FilePart = {
    type: "file",
    source: read.source,
    ...defined<Partial<FilePart>>({ mediaType: read.mediaType, name }),
    ...members,
  };
  const hints = itemOf(part, place) === type ? {} : { $item: type };
  return { ...part, ...natives(kept, reader.rest(), hints) };
}

function decodeFileItem(item: JsonObject, place: ModelPlace): FilePart | undefined {
  const file = decodeModelFile(item, { ...place, options });
  if (!file || place.generation < 7 || itemOf(file, place) === "file") return file;
  const own = { ...ownOf(file), $item: "file" };
  return { ...file, native: { ...file.native, [modelFamily]: own } };
}

/** The type of item that a file becomes in a generation; undefined where it has none. */
function itemOf(part: FilePart, { generation, form }: ModelPlace): string | undefined {
  const { source, mediaType = "", name } = part;
  if (generation >= 7) {
    // Of a file of a tool's the SDK takes an address as a text only under the older names; `file` wants a URL object.
    const isAddress = form === "message" && "url" in source && sharedOf(part)["providerReference"] === undefined;
    return !isAddress ? "file" : mediaType === anyImage ? "image-url" : "file-url";
  }
  const isImage = mediaType.startsWith("image/");
  if ("data" in source) {
    if (generation < 6) return "media";
    return isImage && name === undefined ? "image-data" : "file-data";
  }
  if (generation < 6) return undefined;
  if ("url" in source) return mediaType === anyImage ? "image-url" : "file-url";
  if ("id" in source) return isImage ? "image-file-id" : "file-id";
  return undefined;
}

// writing

/** The wire's output of a result. */
export function encodeModelOutput(part: ToolResultPart, writing: ModelWriting): JsonObject {
  const { outcome, output } = part;
  const { lose, generation } = writing;
  const isToldAsError = outcome === "denied" && ownOf(part)["$output"] === "error-text";
  if (isToldAsError && isOneReason(output))
    return { type: "error-text", value: output?.map(plainText).join("") ?? deniedText };
  if (outcome === "denied" && generation >= 6) return encodeDenial(part, writing);
  if (outcome !== undefined) return encodeFailure(part, writing);
  if (output === undefined) {
    lose("no-output", "output");
    return { type: "json", value: null };
  }
  const kind = ownOf(part)["$output"] === "content" ? undefined : plainKind(output);
  const [only] = output;
  if (kind === "text" && only?.type === "text") return { type: "text", value: only.text };
  if (kind === "json" && only?.type === "data") return { type: "json", value: only.data };
  return { type: "content", value: output.map(each => encodeItem(each, writing)) };
}

/** Whether a denial says one text, or nothing. */
const isOneReason = (output: readonly Part[] | undefined): boolean =>
  output === undefined || (output.length === 1 && output[0]?.type === "text" && isPlainText(output[0]));

/** Generation 5 has no denial: it is an error that says why. */
function encodeFailure({ outcome, output = [] }: ToolResultPart, { lose }: ModelWriting): JsonObject {
  if (outcome === "interrupted") lose("interrupted", "outcome");
  if (outcome === "denied") lose("denied-outcome", "outcome");
  const [only, ...others] = output;
  if (!only) {
    lose("no-output", "output");
    return { type: "error-text", value: outcome === "denied" ? deniedText : "" };
  }
  if (others.length === 0 && only.type === "data") return { type: "error-json", value: only.data };
  if (others.length > 0 || only.type !== "text" || !isPlainText(only)) lose("error-output", "output");
  return { type: "error-text", value: output.map(plainText).join("\n") };
}

function encodeDenial({ output }: ToolResultPart, { lose }: ModelWriting): JsonObject {
  const [only, ...others] = output ?? [];
  if (output === undefined) return { type: "execution-denied" };
  if (others.length > 0 || only?.type !== "text" || !isPlainText(only)) lose("denied-output", "output");
  return { type: "execution-denied", reason: output.map(plainText).join("\n") };
}

/** What a part says, in one text. */
export function plainText(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "data") return typeof part.data === "string" ? part.data : JSON.stringify(part.data);
  if (part.type === "error") return part.message;
  if (part.type === "source") return [part.title, part.url ?? part.name].filter(each => each !== undefined).join(" ");
  return part.type === "file" ? (part.name ?? part.mediaType ?? "") : "";
}

function encodeItem(part: Part, writing: ModelWriting): Json {
  const lose: ModelWriting["lose"] = (code, _, detail) => writing.lose(code, "output", detail);
  if (part.type === "opaque") return part.value;
  if (part.type === "file") return encodeFileItem(part, { ...writing, lose });
  if (part.type === "text")
    return wireNode({ type: "text", text: part.text }, part, { fields: noFields, place: options, lose });
  lose("output-part", "output", part.type);
  return { type: "text", text: plainText(part) };
}

function encodeFileItem(part: FilePart, writing: ModelWriting): JsonObject {
  const { source, mediaType, name } = part;
  const { lose } = writing;
  const hint = ownOf(part)["$item"];
  const type = fits(hint, part, writing) ? hint : itemOf(part, writing);
  if (type === "file") return encodeModelFile(part, { ...writing, options });
  if (type === undefined) {
    lose("file-source", "output");
    return {
      type: "text",
      text: "text" in source || "parts" in source ? textOf(source) : "url" in source ? source.url : "",
    };
  }
  const isImage = mediaType === anyImage;
  const hasName = type === "file-data";
  const isTyped = type === "media" || type.endsWith("-data") || type === "file-url";
  if (name !== undefined && !hasName) lose("file-member", "output", "name");
  if (mediaType !== undefined && !isTyped && !(isImage && type.startsWith("image-")))
    lose("file-member", "output", "mediaType");
  if (part.detail === undefined && part.reasoning) lose("reasoning-file", "output");
  const needsType = isTyped && type !== "file-url" && mediaType === undefined && hint !== type;
  if (needsType) lose("file-member", "output", "mediaType");
  const typed =
    isTyped && (mediaType !== undefined || needsType) ? { mediaType: mediaType ?? "application/octet-stream" } : {};
  return wireNode(
    { type, ...contentOf(source, type), ...typed, ...(hasName && name !== undefined && { filename: name }) },
    part,
    { fields: fileFields, place: options, lose },
  );
}

/** Whether the type of item that was read still says the file, in a generation that has it. */
function fits(hint: Json | undefined, part: FilePart, { generation, form, recipient }: ModelWriting): hint is string {
  if (hint === "file") return generation >= 7;
  if (typeof hint !== "string" || !Object.hasOwn(items, hint)) return false;
  const isForModel = form === "prompt" && recipient === "provider";
  if (generation < 6 || hint === "media")
    return hint === "media" && "data" in part.source && (generation < 6 || !isForModel);
  if (hint.endsWith("-reference") && generation < 7) return false;
  if (generation >= 7 && isForModel) return false;
  const member = hint.endsWith("-data") ? "data" : hint.endsWith("-url") ? "url" : "id";
  const isAny = !hint.startsWith("image-") || hint === "image-data" || part.mediaType === anyImage;
  return member in part.source && isAny;
}

function contentOf(source: FileSource, type: string): JsonObject {
  if ("data" in source) return { data: source.data };
  if ("url" in source) return { url: source.url };
  if (!("id" in source)) return {};
  const reference = source.provider === undefined ? source.id : { [source.provider]: source.id };
  return type.endsWith("-reference") ? { providerReference: reference } : { fileId: reference };
}
