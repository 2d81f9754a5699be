/** LangChain's blocks of calls, of parts of calls, of calls that do not parse, and of what the provider ran itself. */

import { defined, type Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Part, PartOf, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { idSpelling } from "../chat-parts/calls.ts";
import { type BlockReader, BlockWriter, type ContentAbout, langchainContent, type Report } from "./content-places.ts";
import { readCache, readSeal, writeCache, writeSeal } from "./content-seals.ts";
import { sealedOutput, unsealedResult } from "./sealed-output.ts";

/** Kinds of hosted tools by the names that providers and LangChain give them. */
const kinds: { readonly [name: string]: string } = {
  web_search: "web-search",
  web_fetch: "web-fetch",
  file_search: "file-search",
  code_interpreter: "code-interpreter",
  code_execution: "code-interpreter",
  bash_code_execution: "code-interpreter",
  text_editor_code_execution: "code-interpreter",
  image_generation: "image-generation",
  tool_search: "tool-search",
  tool_search_tool_regex: "tool-search",
  tool_search_tool_bm25: "tool-search",
  remote_mcp: "mcp",
  mcp_call: "mcp",
  mcp_tool_use: "mcp",
};
export const kindOf = (name: string): string | undefined => rowOf(kinds, name);

/** Tools that are given nothing: `{}` stands for no arguments. */
const isInputless = (name: string): boolean => kindOf(name) === "image-generation";
const isEmpty = (value: Json | undefined): boolean => isJsonObject(value) && Object.keys(value).length === 0;

/** The id of a call, or one made of its place where the block has none (R8). */
export function readCallId(
  reader: Reader,
  made: string,
  member = "id",
): { readonly callId: string; readonly hints: JsonObject } {
  const id = reader.peek(member);
  const spelling = idSpelling(id);
  if (spelling === undefined || typeof id === "string" || id === null) reader.take(member);
  const hints = spelling === undefined ? {} : { $id: spelling };
  return { callId: typeof id === "string" && id !== "" ? id : made, hints };
}

/** As the block had it; made ids are written as they are, since calls and results are paired by them. */
export function writeCallId(part: { readonly callId: string } & Pick<Part, "native">): Json | undefined {
  const hint = hintsOf(part, langchainContent)["$id"];
  if (hint === undefined || !part.callId.startsWith("~")) return part.callId;
  return hint === false ? undefined : hint;
}

const isText = (value: Json | undefined): value is string => typeof value === "string";

// calls

/** `tool_call`, and `server_tool_call`: their arguments are an object, or what else JavaScript was given. */
export function readCall(reader: BlockReader, made: string): Part | undefined {
  const name = reader.string("name");
  const args = reader.peek("args");
  const isServer = reader.peek("type") === "server_tool_call";
  if (name === undefined) return undefined;
  const input = args === undefined ? undefined : reader.json("args");
  const isNothing = isServer && isInputless(name) && isEmpty(input);
  const members = input === undefined || isNothing ? {} : { input };
  return finishCall(reader, { name, isServer, made, members, hints: input === undefined ? { $args: false } : {} });
}

/** `tool_call_chunk`, `server_tool_call_chunk` and `invalid_tool_call`: arguments as text, and nothing is certain. */
export function readTextCall(reader: BlockReader, made: string): Part | undefined {
  const type = reader.peek("type");
  const name = reader.peek("name");
  const args = reader.peek("args");
  if ((name != null && !isText(name)) || (args != null && !isText(args))) return undefined;
  reader.take("name", "args");
  return finishCall(reader, {
    name: name ?? "",
    isServer: type === "server_tool_call_chunk",
    made,
    members: { ...(isText(args) && readInput(args)), ...(type !== "invalid_tool_call" && { partial: true }) },
    hints: {
      ...(!isText(name) && { $name: name === undefined ? false : name }),
      ...((!isText(args) || args === "") && { $args: args === undefined ? false : args }),
    },
  });
}

interface CallRead {
  readonly name: string;
  readonly isServer: boolean;
  readonly made: string;
  readonly members: Pick<ToolCallPart, "input" | "inputText" | "partial">;
  readonly hints: JsonObject;
}

function finishCall(reader: BlockReader, read: CallRead): Part {
  const type = String(reader.peek("type"));
  const { callId, hints } = readCallId(reader, read.made);
  const kind = read.isServer ? kindOf(read.name) : undefined;
  const toolName = kind === "mcp" ? reader.findText("toolName") : undefined;
  const server = kind === "mcp" ? reader.findText("server") : undefined;
  const base = { ...readSeal(reader, { id: "item" }), ...readCache(reader) };
  reader.take("type");
  return {
    type: "tool-call",
    callId,
    name: toolName ?? read.name,
    ...defined<Partial<ToolCallPart>>({
      ...read.members,
      kind,
      executedBy: read.isServer ? "provider" : undefined,
      server,
      ...base,
    }),
    ...reader.ending({
      $block: type,
      ...read.hints,
      ...hints,
      ...(kind === "mcp" && toolName !== undefined && read.name !== "remote_mcp" && { $tool: read.name }),
    }),
  };
}

/** Blocks of calls by their `$block`; a call without one stands in the content only where everything does. */
export function writeCall(part: ToolCallPart, about: ContentAbout, report: Report): JsonObject {
  const type = callType(part);
  const writer = new BlockWriter(part, about).set("type", type).set("id", writeCallId(part));
  const isText = type !== "tool_call" && type !== "server_tool_call";
  writer.set("name", writeName(part, writer, report));
  writer.set("args", isText ? writeText(part) : writeObject(part, report));
  writeSeal(part, writer, { id: "item" });
  writeCache(part, writer);
  for (const member of ["caller", "title", "handled", "id"] as const) {
    if (part[member] !== undefined) report.lose("tool-member", [...report.path, member]);
  }
  if (part.partial && !type.endsWith("_chunk")) report.lose("tool-member", [...report.path, "partial"]);
  if (!part.partial && type.endsWith("_chunk")) report.lose("tool-open", [...report.path, "partial"]);
  return writer.block();
}

const callTypes = [
  "tool_call",
  "tool_call_chunk",
  "invalid_tool_call",
  "server_tool_call",
  "server_tool_call_chunk",
] as const;
type CallType = (typeof callTypes)[number];

function callType(part: ToolCallPart): CallType {
  const hint = hintsOf(part, langchainContent)["$block"];
  const isServer = part.executedBy === "provider";
  const hinted = callTypes.find(type => type === hint);
  const isObject = part.input === undefined ? part.inputText === undefined : isJsonObject(part.input);
  const isWhole = hinted === "tool_call" || hinted === "server_tool_call";
  const isHeld = isWhole ? part.input !== undefined || isObject : part.partial || !hinted?.endsWith("_chunk");
  if (hinted && hinted.startsWith("server") === isServer && isHeld) return hinted;
  if (isServer) return isObject && !part.partial ? "server_tool_call" : "server_tool_call_chunk";
  if (part.partial) return "tool_call_chunk";
  return isObject || part.inputText === undefined ? "tool_call" : "invalid_tool_call";
}

function writeName(part: ToolCallPart, writer: BlockWriter, report: Report): Json | undefined {
  const hints = hintsOf(part, langchainContent);
  const { $name: unnamed } = hints;
  if (part.name === "" && (unnamed === false || unnamed === null)) return unnamed === null ? null : undefined;
  const isServer = part.executedBy === "provider";
  if (isServer && part.kind === "mcp" && kindOf(part.name) !== "mcp") {
    writer.put("toolName", part.name).put("server", part.server);
    return isText(hints["$tool"]) ? hints["$tool"] : "remote_mcp";
  }
  if (part.server !== undefined) {
    if (part.kind === "mcp" && isServer) writer.put("server", part.server);
    else report.lose("tool-member", [...report.path, "server"]);
  }
  if (part.kind !== (isServer ? kindOf(part.name) : undefined)) {
    report.lose("tool-kind", [...report.path, "kind"], part.kind ?? "function");
  }
  return part.name;
}

function writeText(part: ToolCallPart): Json | undefined {
  if (part.input === undefined && part.inputText === undefined) {
    const hint = hintsOf(part, langchainContent)["$args"];
    if (hint === undefined) return "";
    return hint === false ? undefined : hint;
  }
  return inputTextOf(part);
}

/** Arguments as the object that a block demands. */
function writeObject(part: ToolCallPart, report: Report): Json | undefined {
  const { input } = part;
  const { $block: block, $args: args } = hintsOf(part, langchainContent);
  const isServer = part.executedBy === "provider";
  if (input === undefined) {
    if (args === false) return undefined;
    if (!isServer || !isInputless(part.name)) report.lose("tool-input", report.path);
    return {};
  }
  if (isServer && isInputless(part.name) && isEmpty(input)) report.lose("tool-input", [...report.path, "input"]);
  if (isJsonObject(input) || block !== undefined) return input;
  report.lose("tool-input", [...report.path, "input"]);
  return { input };
}

// results

/** What a result holds, as one JSON value: text, blocks, or anything. */
export type ReadOutput = (output: Json) => { readonly output: readonly Part[]; readonly hints: JsonObject };
export type WriteOutput = (part: PartOf<"tool-result">, report: Report) => Json | undefined;

/** `server_tool_result`, `server_tool_call_result` in JavaScript. */
export function readResult(reader: BlockReader, made: string, readOutput: ReadOutput): Part {
  const type = reader.string("type");
  const { language } = reader.about;
  if (type !== resultType(language)) reader.note(`type:${type}`);
  const member = resultMember(reader);
  const { callId, hints } = readCallId(reader, made, member);
  const status = reader.peek("status");
  const isError = reader.literal("status", "error");
  if (!isError) reader.literal("status", "success");
  const given = reader.json("output");
  const output = given === undefined ? undefined : readOutput(given);
  return {
    type: "tool-result",
    callId,
    ...defined<Partial<PartOf<"tool-result">>>({
      name: reader.string("name"),
      output: sealedOutput(output?.output),
      outcome: isError ? "error" : undefined,
      ...readSeal(reader),
      ...readCache(reader),
    }),
    ...reader.ending({
      $block: "server_tool_result",
      ...hints,
      ...output?.hints,
      ...(status === undefined && { $status: false }),
    }),
  };
}

const resultType = (language: ContentAbout["language"]): string =>
  language === "js" ? "server_tool_call_result" : "server_tool_result";
const otherType = (language: ContentAbout["language"]): string => resultType(language === "js" ? "python" : "js");

/** The member that has the call's id, which may be null or empty. */
function resultMember(reader: BlockReader): string {
  const [own, other] = reader.about.language === "js" ? ["toolCallId", "tool_call_id"] : ["tool_call_id", "toolCallId"];
  if (reader.peek(own) !== undefined || reader.peek(other) === undefined) return own;
  reader.note(other);
  return other;
}

export function writeResult(
  part: PartOf<"tool-result">,
  about: ContentAbout,
  { report, writeOutput }: { readonly report: Report; readonly writeOutput: WriteOutput },
): JsonObject {
  const writer = new BlockWriter(part, about);
  const other = otherType(about.language);
  writer.set("type", writer.had(`type:${other}`) ? other : resultType(about.language)).set("name", part.name);
  writer.put("resultOf", writeCallId(part));
  const isError = part.outcome !== undefined;
  if (isError && part.outcome !== "error") report.lose("tool-member", [...report.path, "outcome"], part.outcome);
  const hints = hintsOf(part, langchainContent);
  const isSilent = !isError && (hints["$status"] === false || hints["status"] !== undefined);
  writer
    .set("status", isSilent ? undefined : isError ? "error" : "success")
    .set("output", writeOutput(unsealedResult(part), report));
  writeSeal(part, writer);
  writeCache(part, writer);
  for (const member of ["kind", "structured", "display", "preliminary", "id"] as const) {
    if (part[member] !== undefined) report.lose("tool-member", [...report.path, member]);
  }
  return writer.block();
}
