/** Results of tools on Anthropic's Messages wire: of the caller's in a user's turn, of the provider's beside their calls. */

import { defined, Reader } from "../../codec/reader.ts";
import { deniedText } from "../../codec/refusals.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { DataPart, ErrorPart, Part, PartOf, ToolResultPart } from "../../model/parts.ts";
import { spellingOf } from "./calls.ts";
import { isForeignFile, type ReadList, type WriteList, writeHit } from "./files.ts";
import {
  anthropic,
  callIdOf,
  isForeignId,
  type Located,
  type ReadPlace,
  type ReadScope,
  readCache,
  readCallId,
  resultTypeOf,
  sealOf,
  sealValues,
  type WriteScope,
  writeCache,
} from "./node.ts";

export const isResultType = (type: string): boolean => type === "tool_result" || type.endsWith("_tool_result");

/** Those whose content is a list of blocks or a text, and which say by `is_error` that they failed. */
const isPlain = (type: string): boolean => type === "tool_result" || type === "mcp_tool_result";

interface Reading {
  readonly scope: ReadScope;
  readonly readList: ReadList;
}

export function readResult(reader: Reader, place: ReadPlace, reading: Reading): ToolResultPart | undefined {
  const type = reader.peek("type");
  if (typeof type !== "string" || reader.peek("tool_use_id") === undefined) return undefined;
  const content = reader.peek("content");
  const read = readContent(content, type, place, reading);
  // Python's SDK stores what nobody said as null.
  if (content !== undefined && content !== null && !read) return undefined;
  reader.take("type", ...(content === null ? [] : ["content"]));
  const { callId, hints } = readCallId(reader, "tool_use_id", place.made);
  const isMarked = isPlain(type) && reader.literal("is_error", true);
  return {
    type: "tool-result",
    callId,
    ...defined<Partial<ToolResultPart>>({
      output: read?.output,
      outcome: isMarked || read?.isError ? "error" : undefined,
      ...readCache(reader),
    }),
    ...kept(anthropic, reader.rest(), {
      ...hints,
      ...(type !== "tool_result" && { $type: type }),
      ...spellingOfContent(content, type, read?.output),
    }),
  };
}

/** A text, or a list where the type usually has an object. */
function spellingOfContent(content: Json | undefined, type: string, output: readonly Part[] = []): JsonObject {
  if (typeof content === "string") return { $content: "string" };
  const isUsual = isPlain(type) || (type === "web_search_tool_result" && output.every(each => each.type === "source"));
  return Array.isArray(content) && !isUsual ? { $content: "list" } : {};
}

interface ReadOutput {
  readonly output: readonly Part[];
  readonly isError?: boolean;
}

function readContent(
  content: Json | undefined,
  type: string,
  place: ReadPlace,
  { scope, readList }: Reading,
): ReadOutput | undefined {
  const inner = { ...place, path: [...place.path, "content"] };
  if (typeof content === "string" && isPlain(type)) return { output: [{ type: "text", text: content }] };
  if (Array.isArray(content)) return { output: readList(content as readonly Json[], inner, scope) }; // a list of JSON
  if (!isJsonObject(content) || isPlain(type)) return undefined;
  return readObject(content, inner, { scope, readList });
}

function readObject(wire: JsonObject, place: ReadPlace, { scope, readList }: Reading): ReadOutput | undefined {
  const reader = new Reader(wire);
  const type = reader.peek("type");
  if (typeof type !== "string") return undefined;
  reader.take("type");
  const code = reader.peek("error_code");
  if (typeof code === "string") return { output: [readError(reader, type, code)], isError: true };
  switch (type) {
    case "web_fetch_result":
      return { output: [readFetched(reader, place, { scope, readList }) ?? readData(wire, type, scope)] };
    case "advisor_result": {
      const text = reader.string("text");
      if (text === undefined) break;
      return { output: [{ type: "text", text, ...kept(anthropic, reader.rest(), { $type: type }) }] };
    }
    case "tool_search_tool_search_result": {
      const names = namesIn(reader.peek("tool_references"));
      if (!names) break;
      reader.take("tool_references");
      return { output: [{ type: "change", toolsAdded: names, ...kept(anthropic, reader.rest(), { $type: type }) }] };
    }
    default:
      break;
  }
  return { output: readRun(wire, type, scope) };
}

function readError(reader: Reader, type: string, code: string): ErrorPart {
  reader.take("error_code");
  const message = reader.peek("error_message");
  const isTold = typeof message === "string" && message !== "";
  if (isTold) reader.take("error_message");
  return {
    type: "error",
    message: isTold ? message : code,
    code,
    ...kept(anthropic, reader.rest(), { $type: type, ...(isTold && message === code && { $message: true }) }),
  };
}

function readFetched(reader: Reader, place: ReadPlace, { scope, readList }: Reading): PartOf<"source"> | undefined {
  const url = reader.peek("url");
  const content = reader.peek("content");
  if (typeof url !== "string" || !isJsonObject(content)) return undefined;
  reader.take("url", "content");
  const parts = readList([content], place, scope);
  return { type: "source", url, parts, ...kept(anthropic, reader.rest(), { $type: "web_fetch_result" }) };
}

/** The names where the references say nothing else. */
function namesIn(references: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(references)) return undefined;
  const names = references.map((each: Json) =>
    isJsonObject(each) && Object.keys(each).length === 2 && each["type"] === "tool_reference"
      ? each["tool_name"]
      : undefined,
  );
  return names.every(name => typeof name === "string") ? names : undefined;
}

/** What a program did: data, with the files that it left. */
function readRun(wire: JsonObject, type: string, scope: ReadScope): readonly Part[] {
  const { content } = wire;
  const files = Array.isArray(content) ? content.map((each: Json) => readOutputFile(each, scope)) : [];
  const isFiles = files.length > 0 && files.every(file => file !== undefined);
  if (!isFiles) return [readData(wire, type, scope)];
  const { content: _, ...others } = wire;
  return [readData(others, type, scope), ...files];
}

function readOutputFile(wire: Json, { maker }: ReadScope): Part | undefined {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = reader?.peek("type");
  const id = reader?.peek("file_id");
  if (!reader || typeof id !== "string" || typeof type !== "string" || !type.endsWith("_output")) return undefined;
  reader.take("type", "file_id");
  const source = { id, ...(maker !== undefined && { provider: maker }) };
  return { type: "file", source, ...kept(anthropic, reader.rest(), { $type: type }) };
}

/** Contents that only their maker reads. */
const sealedNames = ["encrypted_stdout", "encrypted_content"];

function readData(wire: JsonObject, type: string, scope: ReadScope): DataPart {
  const data: MutableJsonObject = {};
  const sealed: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(wire)) {
    if (name === "type") continue;
    if (sealedNames.includes(name) && typeof value === "string" && value !== "") sealed[name] = value;
    else setMember(data, name, value);
  }
  const seal = sealOf(sealed, scope);
  return { type: "data", data, ...(seal && { seal }), ...kept(anthropic, undefined, { $type: type }) };
}

// writing

interface WritingLists {
  readonly scope: WriteScope;
  readonly writeList: WriteList;
}

/** The type of block of a result; by its call, else as it was read. */
export function typeOfResult(result: ToolResultPart, scope: WriteScope): string {
  const call = scope.callOf(result);
  const { $type: told } = hintsOf(result, anthropic);
  if (typeof told === "string" && isResultType(told) && (!call || call.executedBy === "provider")) return told;
  if (call?.executedBy !== "provider") return "tool_result";
  const { type, name } = spellingOf(call);
  return type === "mcp_tool_use" ? "mcp_tool_result" : resultTypeOf(name);
}

/** Undefined where the provider would not take it. */
export function writeResult(
  { part: result, path }: Located<ToolResultPart>,
  { scope, writeList }: WritingLists,
): JsonObject | undefined {
  const type = typeOfResult(result, scope);
  if (type !== "tool_result" && isForeignId(result.callId, scope)) {
    scope.lose("foreign-call", path);
    return undefined;
  }
  const { outcome } = result;
  const output = deniedOutput(result, type, { path, scope }) ?? result.output;
  const id = callIdOf(result, path, scope);
  const content = output && writeContent({ part: { ...result, output }, path }, type, { scope, writeList });
  const isError = isPlain(type) && outcome !== undefined;
  const read = isPlain(type) ? isError : isErrorContent(content);
  if (read !== (outcome !== undefined) || (outcome !== undefined && outcome !== "error")) {
    scope.lose("outcome", [...path, "outcome"], outcome);
  }
  return restored(
    present({ type, tool_use_id: id, content, ...(isError && { is_error: true }), ...writeCache(result) }),
    result,
    anthropic,
  );
}

/** A model must not take silence for a success. */
function deniedOutput(
  { outcome, output = [] }: ToolResultPart,
  type: string,
  { path, scope }: { readonly path: Path; readonly scope: WriteScope },
): ToolResultPart["output"] {
  if (outcome !== "denied" || output.length > 0 || !isPlain(type)) return undefined;
  scope.lose("denied-text", [...path, "output"]);
  return [{ type: "text", text: deniedText }];
}

const isErrorContent = (content: Json | undefined): boolean =>
  isJsonObject(content) && typeof content["error_code"] === "string";

function writeContent({ part, path }: Located<ToolResultPart>, type: string, writing: WritingLists): Json {
  const { output = [] } = part;
  const inner = [...path, "output"];
  const { $content: told } = hintsOf(part, anthropic);
  const [only] = output;
  if (isPlain(type)) {
    const isText = output.length === 1 && only?.type === "text" && Object.keys(only).length === 2;
    return told === "string" && isText ? only.text : writing.writeList(output, inner, writing.scope);
  }
  if (told === "list") return writing.writeList(output, inner, writing.scope);
  if (type === "web_search_tool_result" && output.every(each => each.type === "source")) {
    return output.map((each, index) => writeHit({ part: each, path: [...inner, index] }, writing.scope));
  }
  const object = writeObject(output, inner, { type, ...writing });
  if (object) return object;
  const own = ownValue(output, type);
  if (own !== undefined) return own;
  writing.scope.lose("result-shape", [...path, "output"]);
  return writing.writeList(output, inner, writing.scope);
}

/**
 * The tool's own value, told as data by a client that keeps what the provider gave: its type says that it is one. Clients of
 * JavaScript spell its members in camel case. Undefined where these parts are none.
 */
function ownValue([only, ...others]: readonly Part[], type: string): Json | undefined {
  if (only?.type !== "data" || only.seal !== undefined || others.length > 0) return undefined;
  const tool = type.replace(/_tool_result$/, "");
  const isOwn = (value: Json): boolean => isJsonObject(value) && String(value["type"]).startsWith(`${tool}_`);
  const { data } = only;
  const isList = type === "web_search_tool_result" && Array.isArray(data) && data.every(isOwn);
  return isList || isOwn(data) ? inSnakeCase(data) : undefined;
}

function inSnakeCase(value: Json): Json {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (!isJsonObject(value)) return value;
  const members: MutableJsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    setMember(
      members,
      name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      inSnakeCase(inner),
    );
  }
  return members;
}

/** The one object that a result of the provider's tools is; undefined where these parts are none. */
function writeObject(
  output: readonly Part[],
  path: Path,
  { type, scope, writeList }: WritingLists & { readonly type: string },
): JsonObject | undefined {
  const [first, ...others] = output;
  if (!first) return undefined;
  const at = { path: [...path, 0] };
  const told = hintsOf(first, anthropic)["$type"];
  if (first.type === "data") return writeRun(first, others, { path, type, told, scope });
  if (others.length > 0) return undefined;
  if (first.type === "error") return writeError({ part: first, ...at }, type, scope);
  const fields = fieldsOf(first, told, at.path, { scope, writeList });
  return fields && restored(fields, first, anthropic);
}

function fieldsOf(
  part: Part,
  told: Json | undefined,
  path: Path,
  { scope, writeList }: WritingLists,
): JsonObject | undefined {
  if (part.type === "source" && told === "web_fetch_result" && part.parts?.length === 1 && part.url !== undefined) {
    const [document] = writeList(part.parts, [...path, "parts"], scope);
    if (part.title !== undefined) scope.lose("source-member", [...path, "title"]);
    return document === undefined ? undefined : { type: told, url: part.url, content: document };
  }
  if (part.type === "text" && told === "advisor_result" && !part.citations && !part.cache)
    return { type: told, text: part.text };
  const names = part.type === "change" && told === "tool_search_tool_search_result" ? part.toolsAdded : undefined;
  if (!names?.every(name => typeof name === "string")) return undefined;
  return {
    type: "tool_search_tool_search_result",
    tool_references: names.map(name => ({ type: "tool_reference", tool_name: name })),
  };
}

function writeError({ part, path }: Located<ErrorPart>, type: string, scope: WriteScope): JsonObject {
  const { $type: told, $message: isSaid } = hintsOf(part, anthropic);
  const { code, message } = part;
  if (code === undefined) scope.lose("error-code", [...path, "code"]);
  return restored(
    present({
      type: typeof told === "string" ? told : `${type}_error`,
      error_code: code ?? "unavailable",
      error_message: message === code && isSaid !== true ? undefined : message,
    }),
    part,
    anthropic,
  );
}

/** Data of a program, and its files. Undefined where it is another's data. */
function writeRun(
  data: DataPart,
  files: readonly Part[],
  about: { readonly path: Path; readonly type: string; readonly told: Json | undefined; readonly scope: WriteScope },
): JsonObject | undefined {
  const { path, told, scope } = about;
  if (typeof told !== "string" || !isJsonObject(data.data)) return undefined;
  if (!files.every(isOutputFile) || (files.length > 0 && Object.hasOwn(data.data, "content"))) return undefined;
  const sealed = sealValues(data, [...path, 0], sealedNames, scope);
  const content = files.flatMap((file, index) => {
    if (isForeignFile(file.source, [...path, index + 1], scope)) return [];
    return [restored({ type: hintsOf(file, anthropic)["$type"] ?? "", file_id: file.source.id }, file, anthropic)];
  });
  return { type: told, ...data.data, ...sealed, ...(files.length > 0 && { content }) };
}

const isOutputFile = (part: Part): part is PartOf<"file"> & { readonly source: { readonly id: string } } =>
  part.type === "file" && "id" in part.source && String(hintsOf(part, anthropic)["$type"]).endsWith("_output");
