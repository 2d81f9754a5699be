/** Tools' results on the Responses wire: items of their own, and members of the calls of the provider's tools. */

import { wholeHint, wholeOf } from "../../codec/hints.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored, saysMore } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf, stringifyJson } from "../../model/json-text.ts";
import type { ErrorPart, FilePart, FileSource, Part, PartOf, SourcePart, ToolResultPart } from "../../model/parts.ts";
import { dataUrlOf, readDataUrl } from "../data-urls.ts";
import { isPlainText } from "./content.ts";
import { type Located, type ReadScope, responses, type WriteScope } from "./node.ts";

export type Result = Pick<ToolResultPart, "output" | "outcome">;

/** A result inside of its call's item. */
export interface Embedded {
  /** The result exactly where the wire has its member (R21). */
  read(reader: Reader, scope: ReadScope): Result | undefined;
  /** The call's members with those of the result. */
  write(fields: JsonObject, result: Located<ToolResultPart> | undefined, scope: WriteScope): JsonObject;
}

/** Output parts with where they stand. */
export const outputOf = ({ part, path }: Located<ToolResultPart>): Located[] =>
  (part.output ?? []).map((each, index) => ({ part: each, path: [...path, "output", index] }));

export const missing = (place: Located<ToolResultPart>, scope: WriteScope): void => {
  if (place.part.output === undefined) scope.lose("no-output", [...place.path, "output"]);
};

export function reportOutcome(
  { part, path }: Located<ToolResultPart>,
  said: string | undefined,
  scope: WriteScope,
): void {
  if (part.outcome !== said && part.outcome !== undefined) scope.lose("outcome", [...path, "outcome"], part.outcome);
}

/** A list of things in one member. */
function listed(
  member: string,
  read: (item: Json) => Part,
  write: (place: Located, scope: WriteScope) => Json | undefined,
): Embedded {
  return {
    read(reader) {
      const list = reader.array(member);
      return list && { output: list.map(read) };
    },
    write(fields, result, scope) {
      if (!result) return fields;
      missing(result, scope);
      reportOutcome(result, "error", scope);
      const items = outputOf(result).flatMap(place => {
        const item = write(place, scope);
        return item === undefined ? [] : [item];
      });
      return { ...fields, [member]: items };
    },
  };
}

export const opaque = (value: Json): Part => ({ type: "opaque", family: responses, value });

export function notSaid({ part, path }: Located, scope: WriteScope): undefined {
  scope.lose("output-part", path, part.type);
  return undefined;
}

// searches

function readSource(wire: Json): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const url = reader?.string("url");
  if (!reader || url === undefined) return opaque(wire);
  const isUsual = reader.literal("type", "url");
  const hints = isUsual || reader.peek("type") !== undefined ? {} : { $type: false };
  return defined<SourcePart>({
    type: "source",
    url,
    title: reader.string("title"),
    ...kept(responses, reader.rest(), hints),
  });
}

function writeSource(place: Located, scope: WriteScope): Json | undefined {
  const { part, path } = place;
  if (part.type === "opaque") return part.value;
  if (part.type !== "source" || part.url === undefined) return notSaid(place, scope);
  if (part.parts || part.fileId !== undefined || part.name !== undefined) scope.lose("output-part", path, "content");
  const { $type: told } = hintsOf(part, responses);
  const hasType = told === false || Object.hasOwn(hintsOf(part, responses), "type");
  const { url, title } = part;
  return restored(present({ type: hasType ? undefined : "url", url, title }), part, responses);
}

const sources = listed("sources", readSource, writeSource);

/** The sources are a member of the action. */
const webSearch: Embedded = {
  read(reader, scope) {
    const action = reader.peek("action");
    return isJsonObject(action) ? sources.read(new Reader(action), scope) : undefined;
  },
  write(fields, result, scope) {
    if (!result) return fields;
    const { action } = fields;
    return { ...fields, action: sources.write(isJsonObject(action) ? action : { type: "search" }, result, scope) };
  },
};

function readFound(wire: Json): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  if (!reader) return opaque(wire);
  const text = reader.string("text");
  return defined<SourcePart>({
    type: "source",
    fileId: reader.string("file_id"),
    name: reader.string("filename"),
    parts: text === undefined ? undefined : [{ type: "text", text }],
    ...kept(responses, reader.rest()),
  });
}

function writeFound(place: Located, scope: WriteScope): Json | undefined {
  const { part, path } = place;
  if (part.type === "opaque") return part.value;
  if (part.type !== "source") return notSaid(place, scope);
  const [first, ...others] = part.parts ?? [];
  const text = first?.type === "text" && others.length === 0 && isPlainText(first) ? first.text : undefined;
  if ((part.parts && text === undefined) || part.url !== undefined || part.title !== undefined) {
    scope.lose("output-part", path, "content");
  }
  return restored(present({ file_id: part.fileId, filename: part.name, text }), part, responses);
}

// code, images

function readLog(wire: Json): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = reader?.peek("type");
  const logs = type === "logs" ? reader?.string("logs") : undefined;
  const url = type === "image" ? reader?.string("url") : undefined;
  if (!reader || (logs === undefined && url === undefined)) return opaque(wire);
  reader.take("type");
  const rest = kept(responses, reader.rest());
  if (logs !== undefined) return { type: "text", text: logs, ...rest };
  return { type: "file", ...readImageUrl(url ?? ""), ...rest };
}

/** Data of another type would not be written back as an image: it stays a URL. */
function readImageUrl(url: string): { readonly mediaType: string; readonly source: FileSource } {
  const read = readDataUrl(url);
  if (!read?.mediaType.startsWith("image/")) return { mediaType: "image/*", source: { url } };
  return { mediaType: read.mediaType, source: { data: read.data } };
}

function writeLog(place: Located, scope: WriteScope): Json | undefined {
  const { part, path } = place;
  if (part.type === "opaque") return part.value;
  if (part.type === "text") return restored({ type: "logs", logs: part.text }, part, responses);
  const isImage = part.type === "file" && part.mediaType?.startsWith("image/") === true;
  if (!isImage || "id" in part.source || "text" in part.source || "parts" in part.source) return notSaid(place, scope);
  const { source, mediaType } = part;
  const url = "url" in source ? source.url : dataUrlOf(mediaType, source.data);
  const read = readImageUrl(url);
  if (!equalJson(read.source, source)) scope.lose("media-type", path, read.mediaType);
  else if (mediaType !== read.mediaType) scope.lose("media-type", [...path, "mediaType"], read.mediaType);
  reportMembers(part, path, scope);
  return restored({ type: "image", url }, part, responses);
}

function reportMembers(part: FilePart, path: Path, scope: WriteScope): void {
  for (const member of ["name", "text", "detail"] as const) {
    if (part[member] !== undefined) scope.lose("file-member", [...path, member]);
  }
}

const image: Embedded = {
  read(reader) {
    const data = reader.string("result");
    if (data === undefined) return undefined;
    const format = reader.peek("output_format");
    const mediaType = typeof format === "string" ? `image/${format}` : "image/png";
    return { output: [{ type: "file", mediaType, source: { data } }] };
  },
  write(fields, result, scope) {
    if (!result) return fields;
    reportOutcome(result, "error", scope);
    missing(result, scope);
    const places = outputOf(result);
    const found = places.findIndex(({ part }) => part.type === "file" && "data" in part.source);
    for (const [index, place] of places.entries()) if (index !== found) notSaid(place, scope);
    const file = places[found];
    if (file?.part.type !== "file" || !("data" in file.part.source)) return fields;
    const format = file.part.mediaType?.replace(/^image\//, "") ?? "png";
    reportMembers(file.part, file.path, scope);
    return { ...fields, result: file.part.source.data, ...(format !== "png" && { output_format: format }) };
  },
};

// MCP

/** What went wrong, as text; the wire's own form is kept beside it. */
function readMcpError(wire: Json): ErrorPart {
  const holder = isJsonObject(wire) ? wire : {};
  const message = typeof wire === "string" ? wire : holder["message"];
  const text = typeof message === "string" ? message : stringifyJson(wire);
  const code = typeof holder["code"] === "string" ? holder["code"] : undefined;
  const part = defined<ErrorPart>({ type: "error", message: text, code });
  if (typeof wire === "string") return part;
  const written = writeMcpError(part);
  const isMore = isJsonObject(wire) && saysMore(wire, isJsonObject(written) ? written : { message: written });
  return { ...part, ...kept(responses, undefined, wholeHint("error", wire, isMore)) };
}

function writeMcpError(part: ErrorPart): Json {
  const raw = wholeOf(hintsOf(part, responses), "error");
  const read = raw === undefined ? undefined : readMcpError(raw);
  if (raw !== undefined && read?.message === part.message && read.code === part.code) return raw;
  return part.code === undefined
    ? part.message
    : { type: "mcp_tool_execution_error", message: part.message, code: part.code };
}

const isNothing = (value: Json | undefined): boolean => value === undefined || value === null;

function mcp(
  readOutput: (reader: Reader) => Part | undefined,
  writeOutput: (result: Located<ToolResultPart>, scope: WriteScope) => JsonObject,
): Embedded {
  return {
    read(reader) {
      const output = readOutput(reader);
      const error = reader.peek("error");
      if (isNothing(error) || error === undefined) return output && { output: [output] };
      reader.take("error");
      return { output: [...(output ? [output] : []), readMcpError(error)], outcome: "error" };
    },
    write(fields, result, scope) {
      if (!result) return fields;
      const error = result.part.output?.findLast(part => part.type === "error");
      reportOutcome(result, error ? "error" : undefined, scope);
      if (error && result.part.outcome === undefined) scope.lose("outcome", [...result.path, "outcome"], "error");
      missing(result, scope);
      const output = result.part.output?.filter(part => part !== error);
      const hasOutput = output && (output.length > 0 || !error);
      return {
        ...fields,
        ...(hasOutput && writeOutput({ ...result, part: { ...result.part, output } }, scope)),
        ...(error && { error: writeMcpError(error) }),
      };
    },
  };
}

const mcpCall = mcp(
  reader => {
    const text = reader.string("output");
    return text === undefined ? undefined : { type: "text", text };
  },
  (result, scope) => ({ output: joinedText(outputOf(result), result.path, scope) }),
);

const mcpTools = mcp(
  reader => {
    const tools = reader.array("tools");
    return tools && { type: "data", data: tools };
  },
  (result, scope) => ({ tools: onlyData(result, scope) ?? [] }),
);

/** The data of a result that is nothing else. */
export function onlyData(result: Located<ToolResultPart>, scope: WriteScope): Json | undefined {
  const [first, ...others] = outputOf(result);
  for (const place of others) notSaid(place, scope);
  if (!first) {
    scope.lose("no-output", result.path);
    return undefined;
  }
  return first.part.type === "data" ? first.part.data : notSaid(first, scope);
}

/** Items whose status alone says that they failed. */
const failing: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
]);

/** The result of an item, which failed where its status says so. */
export function readOutcome(result: Result | undefined, type: string, reader: Reader): Result | undefined {
  const isFailed = result && failing.has(type) && reader.literal("status", "failed");
  return isFailed ? { ...result, outcome: "error" } : result;
}

/** The status that says of a result that it is none. */
export const writeOutcome = (result: ToolResultPart | undefined, type: string): { readonly status?: string } =>
  result?.outcome !== undefined && failing.has(type) ? { status: "failed" } : {};

export const embeddedResults: { readonly [type: string]: Embedded } = {
  web_search_call: webSearch,
  file_search_call: listed("results", readFound, writeFound),
  code_interpreter_call: listed("outputs", readLog, writeLog),
  image_generation_call: image,
  mcp_call: mcpCall,
  mcp_list_tools: mcpTools,
};

// texts

/** The text that stands for a part where a tool's result is text. */
export function textOf({ part, path }: Located, scope: WriteScope): string | undefined {
  switch (part.type) {
    case "text":
      return part.text;
    case "data":
      scope.lose("data", path);
      return jsonTextOf(part, "data") ?? "null";
    case "error":
      scope.lose("error-text", path);
      return part.message;
    case "source":
      scope.lose("source-text", path);
      return sourceText(part);
    default:
      return undefined;
  }
}

const sourceText = ({ title, url, parts }: PartOf<"source">): string =>
  [title, url, ...(parts ?? []).map(part => (part.type === "text" ? part.text : undefined))]
    .filter(text => text !== undefined)
    .join("\n");

/** All texts of an output as one; the other parts are lost. */
export function joinedText(places: readonly Located[], path: Path, scope: WriteScope): string {
  const texts = places.flatMap(place => {
    const text = textOf(place, scope);
    if (text === undefined) notSaid(place, scope);
    else if (place.part.type === "text" && !isPlainText(place.part)) scope.lose("output-part", place.path, "members");
    return text === undefined ? [] : [text];
  });
  if (texts.length !== 1) scope.lose(texts.length === 0 ? "no-output" : "output-joined", [...path, "output"]);
  return texts.join("\n");
}
