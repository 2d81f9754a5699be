/** Bedrock Converse's blocks: with a `type` as its integrations leave them, and without one as the API has them. */

import { defined, rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, FilePart, FileSource, Part, PartOf, Seal, ToolCallPart } from "../../model/parts.ts";
import { type BlockFamily, one, type ReadBlock, single, type WriteBlock } from "./content-block.ts";
import { type BlockReader, BlockWriter, langchainContent } from "./content-places.ts";
import { readCallId, writeCallId } from "./content-tools.ts";

const family = "bedrock-converse";

// reasoning

/** Where the text and signature stand: JavaScript's `reasoningText`, Python's `reasoning_content`, the API's own. */
const reasoningPaths: readonly (readonly string[])[] = [
  ["reasoning_content"],
  ["reasoningText"],
  ["reasoningContent", "reasoningText"],
];

const readReasoning: ReadBlock = reader => {
  const bare = reader.string("reasoningText");
  if (bare !== undefined) {
    reader.take("type");
    return one({
      type: "reasoning",
      text: bare,
      ...reader.ending({ $block: "bedrock_reasoning", $bare: true }, family),
    });
  }
  const path = reasoningPaths.find(steps => isJsonObject(valueAt(reader.value, steps)));
  const inner = path && valueAt(reader.value, path);
  if (!path || !isJsonObject(inner)) return undefined;
  const { text, signature, ...more } = inner;
  if ((text !== undefined && typeof text !== "string") || (signature !== undefined && typeof signature !== "string")) {
    return undefined;
  }
  const seal: Seal | undefined = signature === undefined ? undefined : { maker: "anthropic", values: { signature } };
  const [outer = ""] = path;
  if (path.length > 1 && Object.keys(reader.object(outer) ?? {}).length > 1) return undefined;
  reader.take("type", outer);
  const rest = Object.keys(more).length > 0 ? nested(path, more) : {};
  const type = reader.peek("type") === undefined ? { $type: false } : {};
  const { native } = reader.ending({ $block: "bedrock_reasoning", $path: path, ...type }, family);
  return one(
    defined<PartOf<"reasoning">>({
      type: "reasoning",
      text,
      seal,
      native: Object.keys(rest).length > 0 ? { ...native, [family]: { ...native?.[family], ...rest } } : native,
    }),
  );
};

function valueAt(value: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (at, step) => (isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    value,
  );
}

const nested = (path: readonly string[], value: JsonObject): JsonObject =>
  [...path].reverse().reduce<JsonObject>((inner, step) => ({ [step]: inner }), value);

const writeReasoning: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "reasoning" || part.summary || part.id !== undefined || part.cache) return undefined;
  const { seal } = part;
  const signature = seal?.values["signature"];
  const isHeld =
    !seal ||
    (signature !== undefined &&
      seal.maker === "anthropic" &&
      Object.keys(seal).length === 2 &&
      Object.keys(seal.values).length === 1);
  const hints = hintsOf(part, langchainContent);
  if (!isHeld || (hints["$bare"] === true && seal)) return undefined;
  const writer = new BlockWriter(part, about);
  if (hints["$type"] !== false) writer.set("type", "reasoning_content");
  if (hints["$bare"] === true) return single(writer.set("reasoningText", part.text ?? "").block(family));
  const path = Array.isArray(hints["$path"]) ? hints["$path"].map(step => (typeof step === "string" ? step : "")) : [];
  const content: JsonObject = {
    ...(part.text !== undefined && { text: part.text }),
    ...(signature !== undefined && { signature }),
  };
  const fields = nested(path.length > 0 ? path : ["reasoning_content"], content);
  for (const key of Object.keys(fields)) writer.set(key, fields[key]);
  return single(writer.block(family));
};

// files

/** Media types of Converse's formats. */
const formats: { readonly [format: string]: string } = {
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  html: "text/html",
  md: "text/markdown",
  pdf: "application/pdf",
  txt: "text/plain",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  jpg: "image/jpeg",
  mov: "video/quicktime",
  mkv: "video/x-matroska",
  flv: "video/x-flv",
  wmv: "video/x-ms-wmv",
  three_gp: "video/3gpp",
  mp3: "audio/mpeg",
};

const fileTypes = ["document", "image", "video", "audio"] as const;

const readFile: ReadBlock = reader => {
  const type = fileTypes.find(name => isJsonObject(reader.peek(name)));
  const inner = type && reader.inner(type);
  const format = inner?.string("format");
  const holder = inner?.peek("source");
  if (!type || !inner || format === undefined || !isJsonObject(holder)) return undefined;
  const source = readSource(holder);
  if (!source) return undefined;
  inner.take("source");
  const hasType = reader.literal("type", type);
  return one(
    defined<FilePart>({
      type: "file",
      mediaType: rowOf(formats, format) ?? (type === "document" ? `application/${format}` : `${type}/${format}`),
      source: source.source,
      name: inner.string("name"),
      ...reader.ending(
        { $block: "bedrock_file", $kind: type, $format: format, ...source.hints, ...(!hasType && { $type: false }) },
        family,
      ),
    }),
  );
};

function readSource(holder: JsonObject): { readonly source: FileSource; readonly hints: JsonObject } | undefined {
  const [member, ...others] = Object.keys(holder);
  const value = member === undefined ? undefined : holder[member];
  if (others.length > 0) return undefined;
  if (member === "bytes" && typeof value === "string") return { source: { data: value }, hints: {} };
  if (member === "text" && typeof value === "string") return { source: { text: value }, hints: {} };
  if (member !== "s3Location" || !isJsonObject(value) || typeof value["uri"] !== "string") return undefined;
  const { uri, ...more } = value;
  return { source: { url: String(uri) }, hints: Object.keys(more).length > 0 ? { $s3: more } : {} };
}

const writeFile: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "file" || part.seal || part.cache || part.id !== undefined || part.text !== undefined)
    return undefined;
  const hints = hintsOf(part, langchainContent);
  const { $kind: kind, $format: format } = hints;
  if (typeof kind !== "string" || typeof format !== "string" || part.detail !== undefined) return undefined;
  const read = rowOf(formats, format) ?? (kind === "document" ? `application/${format}` : `${kind}/${format}`);
  const source = sourceFields(part.source, hints);
  if (read !== part.mediaType || !source) return undefined;
  const writer = new BlockWriter(part, about);
  if (hints["$type"] !== false) writer.set("type", kind);
  return single(writer.within(kind, { format, name: part.name, source }).block(family));
};

function sourceFields(source: FileSource, hints: JsonObject): JsonObject | undefined {
  if ("data" in source) return { bytes: source.data };
  if ("text" in source) return { text: source.text };
  if (!("url" in source)) return undefined;
  return { s3Location: { uri: source.url, ...(isJsonObject(hints["$s3"]) && hints["$s3"]) } };
}

// text and tools without a type

const readText: ReadBlock = reader => {
  const text = reader.string("text");
  return text === undefined
    ? undefined
    : one({ type: "text", text, ...reader.ending({ $block: "bedrock_text" }, family) });
};

const writeText: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "text" || part.citations || part.seal || part.cache || part.id !== undefined || part.phase)
    return undefined;
  return single(new BlockWriter(part, about).set("text", part.text).block(family));
};

const readUse: ReadBlock = (reader, { made }) => {
  const inner = reader.inner("toolUse");
  const name = inner?.string("name");
  if (!inner || name === undefined) return undefined;
  const { callId, hints } = readCallId(inner, made, "toolUseId");
  const input = inner.json("input");
  const call: ToolCallPart = { type: "tool-call", callId, name, ...(input !== undefined && { input }) };
  return one({ ...call, ...reader.ending({ $block: "toolUse", ...hints }, family) });
};

const writeUse: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "tool-call" || part.kind !== undefined || part.executedBy !== undefined || part.seal)
    return undefined;
  if (part.input === undefined && part.inputText !== undefined) return undefined;
  const call = { toolUseId: writeCallId(part), name: part.name, input: part.input };
  return single(new BlockWriter(part, about).within("toolUse", call).block(family));
};

const readResult: ReadBlock = (reader, { made, readOutput }) => {
  const inner = reader.inner("toolResult");
  if (!inner) return undefined;
  const { callId, hints } = readCallId(inner, made, "toolUseId");
  const given = inner.json("content");
  const output = given === undefined ? undefined : readOutput(given);
  const isError = inner.literal("status", "error");
  const part: Part = {
    type: "tool-result",
    callId,
    ...defined<Partial<PartOf<"tool-result">>>({ output: output?.output, outcome: isError ? "error" : undefined }),
  };
  return one({ ...part, ...reader.ending({ $block: "toolResult", ...hints, ...output?.hints }, family) });
};

const writeResult: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const part = parts[index];
  if (part?.type !== "tool-result" || part.name !== undefined || part.seal || part.cache) return undefined;
  if (part.outcome !== undefined && part.outcome !== "error") return undefined;
  const result = { toolUseId: writeCallId(part), content: writeOutput(part, report), status: part.outcome };
  return single(new BlockWriter(part, about).within("toolResult", result).block(family));
};

/** A text with what it rests on; several texts under one list of citations are left as they are. */
const readCited: ReadBlock = reader => {
  const inner = reader.inner("citationsContent");
  const content = inner?.array("content");
  const citations = inner?.array("citations");
  const [only, ...others] = content ?? [];
  if (!isJsonObject(only) || typeof only["text"] !== "string" || Object.keys(only).length > 1 || others.length > 0) {
    return undefined;
  }
  if (!citations?.every(isJsonObject)) return undefined;
  const hasType = reader.literal("type", "citations_content");
  return one({
    type: "text",
    text: only["text"],
    citations: citations.map(readCitation),
    ...reader.ending({ $block: "citations_content", ...(!hasType && { $type: false }) }, family),
  });
};

function readCitation(wire: JsonObject): Citation {
  const { title, ...more } = wire;
  const [only, ...others] = Array.isArray(wire["sourceContent"]) ? (wire["sourceContent"] as readonly Json[]) : [];
  const isQuote = isJsonObject(only) && typeof only["text"] === "string" && Object.keys(only).length === 1;
  const quote = isQuote && others.length === 0 ? only["text"] : undefined;
  const { sourceContent: _, ...rest } = more;
  const left = quote === undefined ? more : rest;
  return defined<Citation>({
    title: typeof title === "string" ? title : undefined,
    quote: typeof quote === "string" ? quote : undefined,
    native: { [family]: typeof title === "string" || title === undefined ? left : { ...left, title } },
  });
}

const writeCited: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "text" || !part.citations || part.seal || part.cache || part.id !== undefined || part.phase) {
    return undefined;
  }
  if (!part.citations.every(citation => Object.keys(citation).every(key => citedMembers.includes(key))))
    return undefined;
  const citations = part.citations.map(citation => {
    const { title, quote } = citation;
    const writer = new BlockWriter(citation, about).set("title", title);
    return writer.set("sourceContent", quote === undefined ? undefined : [{ text: quote }]).block(family);
  });
  const writer = new BlockWriter(part, about);
  if (hintsOf(part, langchainContent)["$type"] !== false) writer.set("type", "citations_content");
  return single(writer.within("citationsContent", { content: [{ text: part.text }], citations }).block(family));
};
const citedMembers: readonly string[] = ["title", "quote", "native", "exact"];

const readUntyped: { readonly [member: string]: ReadBlock } = {
  text: readText,
  document: readFile,
  image: readFile,
  video: readFile,
  audio: readFile,
  toolUse: readUse,
  toolResult: readResult,
  reasoningContent: readReasoning,
  citationsContent: readCited,
};

/** Blocks without a type tell themselves by their one member. */
export function untyped(block: JsonObject): ReadBlock | undefined {
  const [member, ...others] = Object.keys(block);
  return member === undefined || others.some(key => key !== "index") ? undefined : rowOf(readUntyped, member);
}

const isBedrock = (reader: BlockReader): boolean => fileTypes.some(type => isJsonObject(reader.peek(type)));
const readTypedFile: ReadBlock = (reader, help) => (isBedrock(reader) ? readFile(reader, help) : undefined);

export const bedrockBlocks: BlockFamily = {
  family,
  read: {
    reasoning_content: readReasoning,
    citations_content: readCited,
    document: readTypedFile,
    image: readTypedFile,
    video: readTypedFile,
    audio: readTypedFile,
  },
  write: {
    bedrock_reasoning: writeReasoning,
    citations_content: writeCited,
    bedrock_file: writeFile,
    bedrock_text: writeText,
    toolUse: writeUse,
    toolResult: writeResult,
  },
};
