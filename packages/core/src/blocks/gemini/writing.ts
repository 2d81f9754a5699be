/** Parts → Google's parts. */

import type { EncodeContext } from "../../codec/codec.ts";
import { fillAll, hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import { pairResults } from "../../model/pairing.ts";
import type { FilePart, Part, PartOf, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { bytesOfDataUrl } from "../data-urls.ts";
import { codeTool, OpenCalls } from "./calls.ts";
import { isKind, typeOfAddress, typeOfBytes } from "./media.ts";
import { gemini, isUrlSignature, NodeReader, type NodeWriter, writerOf } from "./node.ts";
import { codeOutcomes } from "./parts.ts";
import { writeResponse } from "./responses.ts";

/** What the encoding of one conversation shares. */
export interface Writing {
  readonly context: EncodeContext;
  /** Host that the reader says of its signatures, where it says one. */
  readonly route: string | undefined;
  readonly pairs: ReadonlyMap<ToolResultPart, ToolCallPart>;
  /** Made ids that stay unwritten: name and order tell their results (R8). */
  readonly unnamed: ReadonlySet<string>;
}

export function writingOf(messages: readonly Message[], context: EncodeContext, route: string | undefined): Writing {
  return { context, route, pairs: pairResults(messages), unnamed: unnamedIn(messages) };
}

/** Whether the id was made for a part that had none. */
export const isMade = (part: ToolCallPart | ToolResultPart): boolean =>
  part.callId.startsWith("~") && Object.hasOwn(hintsOf(part, gemini), "$id");

interface Tool {
  readonly callIds: Set<string>;
  /** Read again, each result is of the call that it is of now. */
  isTold: boolean;
}

/** Ids that were made for calls without one, of the tools whose results are found by name and order. */
function unnamedIn(messages: readonly Message[]): ReadonlySet<string> {
  const open = new OpenCalls();
  const tools = new Map<string, Tool>();
  const toolOf = new Map<string, string>();
  const look = (part: Part): void => {
    if (part.type === "tool-call" && isMade(part)) {
      const { name, callId } = part;
      const tool = tools.get(name) ?? { callIds: new Set(), isTold: true };
      tools.set(name, tool);
      if (toolOf.has(callId)) tool.isTold = false;
      tool.callIds.add(callId);
      toolOf.set(callId, name);
      open.add(name, callId, true);
    } else if (part.type === "tool-result") {
      open.endTurn();
      const name = toolOf.get(part.callId);
      const tool = tools.get(name ?? "");
      if (tool && name !== undefined && open.next(name) !== part.callId) tool.isTold = false;
    }
  };
  for (const { role, parts } of messages) {
    if (role !== "assistant" && role !== "control") open.endTurn();
    for (const part of parts) look(part);
  }
  return new Set([...tools.values()].flatMap(({ callIds, isTold }) => (isTold ? [...callIds] : [])));
}

function idOf(part: ToolCallPart | ToolResultPart, { pairs, unnamed }: Writing): Json | undefined {
  const { $id: id } = hintsOf(part, gemini);
  if (id !== undefined) {
    const call = part.type === "tool-result" ? pairs.get(part) : undefined;
    const isTold = part.callId.startsWith("~") && (unnamed.has(part.callId) || !call);
    const isOfNamed = call !== undefined && !part.callId.startsWith("~");
    if (isTold || isOfNamed) return id === false ? undefined : id;
  }
  return unnamed.has(part.callId) ? undefined : part.callId;
}

/** The wire's parts for a part; none where it has no place, which is reported. */
export function writePart(part: Part, path: Path, writing: Writing): JsonObject[] {
  const { context } = writing;
  switch (part.type) {
    case "text": {
      const isBare = hintsOf(part, gemini)["$text"] === false && part.text === "" && part.seal !== undefined;
      return [finished({ text: isBare ? undefined : part.text }, { part, path, writing })];
    }
    case "reasoning":
      return [writeReasoning(part, path, writing)];
    case "refusal":
      context.lose("refusal", path);
      return [finished({ text: part.text }, { part, path, writing })];
    case "file":
      return writeFile(part, path, writing);
    case "tool-call":
      return writeCall(part, path, writing);
    case "tool-result":
      return writeResult(part, path, writing);
    case "compaction":
      context.lose(part.summary ? "compaction" : "hidden-compaction", path);
      return (part.summary ?? []).flatMap((inner, index) => writePart(inner, [...path, "summary", index], writing));
    case "opaque":
      return [part.value as JsonObject]; // whatever the wire had in its place
    default:
      context.lose("misplaced", path, part.type);
      return [];
  }
}

function writeReasoning(part: PartOf<"reasoning">, path: Path, writing: Writing): JsonObject {
  const { recipient } = writing.context;
  // The API refuses a part without content.
  const isFilled = part.text === undefined && recipient === "provider";
  if (isFilled) writing.context.lose("hidden-reasoning", path);
  return finished({ text: isFilled ? "" : part.text, thought: true }, { part, path, writing });
}

interface About {
  readonly part: Part;
  readonly path: Path;
  readonly writing: Writing;
}

/** The wire part: its members, its signature and what was kept beside them. */
function finished(members: { readonly [name: string]: Json | undefined }, about: About): JsonObject {
  const { part } = about;
  const writer = writerOf(part);
  const fields = writer.object({ ...members, thoughtSignature: signatureOf(about, writer) });
  return fillAll(fields, remainderOf(part, gemini));
}

function signatureOf({ part, path, writing }: About, writer: NodeWriter): string | undefined {
  const { seal } = part;
  if (!seal) return undefined;
  const { context, route } = writing;
  const { thoughtSignature, ...others } = seal.values;
  const place = [...path, "seal"];
  if (seal.maker !== "google" || thoughtSignature === undefined) {
    context.lose("foreign-seal", place, seal.maker);
    return undefined;
  }
  if (Object.keys(others).length > 0) context.lose("seal-value", place, Object.keys(others).join(", "));
  if (seal.model !== undefined || seal.route !== route) context.lose("seal-origin", place);
  const written = writer.bytes("thoughtSignature", thoughtSignature);
  const read = new NodeReader({ thoughtSignature: written }).bytes("thoughtSignature", isUrlSignature);
  if (read !== thoughtSignature) context.lose("seal-spelling", place);
  return written;
}

export function writeFile(part: FilePart, path: Path, writing: Writing): JsonObject[] {
  const { context } = writing;
  const { source, mediaType, name, reasoning } = part;
  const writer = writerOf(part);
  const finish = (members: { readonly [name: string]: Json | undefined }): JsonObject[] => [
    finished({ ...members, thought: reasoning }, { part, path, writing }),
  ];
  const about = { mimeType: mediaType, displayName: name };
  const isToProvider = context.recipient === "provider";
  const isGuessed = isToProvider && isKind(mediaType) && hintsOf(part, gemini)["$mimeType"] !== true;
  const guess = (guessed: string): string => {
    context.lose("media-type", [...path, "mediaType"], mediaType);
    return guessed;
  };
  if ("data" in source) {
    const mimeType = isGuessed ? guess(typeOfBytes(mediaType, source.data)) : mediaType;
    return finish({ inlineData: writer.object({ ...about, mimeType, data: writer.bytes("data", source.data) }) });
  }
  if ("url" in source) {
    const isTold = hintsOf(part, gemini)["$fileUri"] === true;
    const inline = isToProvider && !isTold ? bytesOfDataUrl(source.url) : undefined;
    if (inline) {
      context.lose("data-url", [...path, "source"]);
      const mimeType = mediaType === undefined || isKind(mediaType) ? inline.mediaType : mediaType;
      return finish({ inlineData: writer.object({ ...about, mimeType, data: inline.data }) });
    }
    const mimeType = isGuessed ? guess(typeOfAddress(mediaType, source.url)) : mediaType;
    return finish({ fileData: writer.object({ ...about, mimeType, fileUri: source.url }) });
  }
  if ("text" in source) {
    context.lose("file-text", path);
    // As a thought it would be no file made while thinking, but what was thought.
    return [finished({ text: source.text }, { part, path, writing })];
  }
  if ("parts" in source) {
    context.lose("file-parts", path);
    return source.parts.flatMap((inner, index) => writePart(inner, [...path, "source", "parts", index], writing));
  }
  if (source.provider !== undefined && source.provider !== "google") {
    context.lose("file-id", path, source.provider);
    return [];
  }
  context.lose("file-by-id", [...path, "source"]);
  return finish({ fileData: writer.object({ ...about, fileUri: source.id }) });
}

// calls

function writeCall(part: ToolCallPart, path: Path, writing: Writing): JsonObject[] {
  const { context } = writing;
  const writer = writerOf(part);
  const { $wire: form, $toolType: toolType } = hintsOf(part, gemini);
  const id = idOf(part, writing);
  const args = argumentsOf(part, path, writing);
  if (part.executedBy === undefined) {
    if (part.kind !== undefined) context.lose("call-kind", [...path, "kind"], part.kind);
    const call = writer.object({ id, name: part.name, args });
    return [finished({ functionCall: call }, { part, path, writing })];
  }
  if (form === "toolCall" && typeof toolType === "string") {
    return [finished({ toolCall: writer.object({ id, toolType, args }) }, { part, path, writing })];
  }
  const code = codeOf(part, writing);
  if (!code) {
    context.lose("server-tool", path, part.name);
    return [];
  }
  if (part.name !== codeTool.name) context.lose("tool-name", [...path, "name"], part.name);
  const language = isOwnCode(part) ? code.language : languageOf(code.language, path, writing);
  const own = codeIdOf(part, { call: part, path, writing });
  return [finished({ executableCode: writer.object({ id: own, language, code: code.code }) }, { part, path, writing })];
}

/** Whether it was read from this wire. */
const isOwnCode = (call: ToolCallPart): boolean => hintsOf(call, gemini)["$wire"] === "executableCode";

/** The API wants one, and has one. */
function languageOf(language: string | undefined, path: Path, { context }: Writing): string {
  const word = language === undefined ? "PYTHON" : language.toUpperCase();
  if (word !== language) context.lose("code-language", [...path, "input"], language);
  return word;
}

/** Another API's ids of code stay with it: code and its result stand beside one another. */
function codeIdOf(
  part: ToolCallPart | ToolResultPart,
  { call, path, writing }: { readonly call: ToolCallPart | undefined; readonly path: Path; readonly writing: Writing },
): Json | undefined {
  if (!call || isOwnCode(call) || writing.context.recipient === "store") return idOf(part, writing);
  writing.context.lose("code-id", [...path, "callId"], part.callId);
  return undefined;
}

/** Code that a provider ran, where the call says nothing else. To the API only such goes that says its language, as Google's does. */
function codeOf(
  call: ToolCallPart,
  { context }: Writing,
): { readonly language?: string; readonly code: string } | undefined {
  const { kind, input } = call;
  if (kind !== codeTool.kind || !isJsonObject(input)) return undefined;
  const { language, code, ...others } = input;
  if (typeof code !== "string" || Object.keys(others).length > 0) return undefined;
  if (language === undefined) return context.recipient === "provider" && !isOwnCode(call) ? undefined : { code };
  return typeof language === "string" ? { language, code } : undefined;
}

/** Arguments are an object on this wire. */
function argumentsOf({ input, inputText }: ToolCallPart, path: Path, { context }: Writing): JsonObject | undefined {
  if (isJsonObject(input)) return input;
  if (input !== undefined) {
    context.lose("arguments", [...path, "input"]);
    return { input };
  }
  if (inputText !== undefined) context.lose("arguments-text", [...path, "inputText"]);
  return undefined;
}

function writeResult(part: ToolResultPart, path: Path, writing: Writing): JsonObject[] {
  const { context, pairs } = writing;
  const writer = writerOf(part);
  const { $wire: form, $toolType: toolType } = hintsOf(part, gemini);
  const id = idOf(part, writing);
  const call = pairs.get(part);
  const [only] = part.output ?? [];
  const isOne = (part.output?.length ?? 0) <= 1;
  if (form === "toolResponse" && typeof toolType === "string" && isOne && (!only || isObjectData(only))) {
    const response = only?.type === "data" ? only.data : undefined;
    return [finished({ toolResponse: writer.object({ id, toolType, response }) }, { part, path, writing })];
  }
  const isCode =
    form === "codeExecutionResult" || (call?.executedBy === "provider" && codeOf(call, writing) !== undefined);
  if (isCode) {
    const outcome = outcomeOf(part, path, writing);
    const output = codeOutputOf(part, path, writing);
    const own = codeIdOf(part, { call, path, writing });
    return [finished({ codeExecutionResult: writer.object({ id: own, outcome, output }) }, { part, path, writing })];
  }
  if (call?.executedBy === "provider" || form === "toolResponse") {
    context.lose("server-tool", path, part.name ?? call?.name);
    return [];
  }
  const name = part.name ?? call?.name;
  if (part.name === undefined && !isNameless(part)) context.lose("result-name", path, name);
  const response = writer.object({
    id,
    name: part.name === undefined && isNameless(part) ? undefined : (name ?? ""),
    ...writeResponse(part, path, { writer, writing }),
  });
  return [finished({ functionResponse: response }, { part, path, writing })];
}

/** What code gave is one text. */
function codeOutputOf({ output = [] }: ToolResultPart, path: Path, { context }: Writing): string | undefined {
  const [only] = output;
  if (output.length === 0) return undefined;
  if (output.length === 1 && only?.type === "text") return only.text;
  context.lose("output-joined", [...path, "output"]);
  const texts = output.map((part, index) => {
    if (part.type === "text") return part.text;
    if (part.type === "data") return stringifyJson(part.data);
    context.lose("misplaced", [...path, "output", index], part.type);
    return "";
  });
  return texts.filter(text => text !== "").join("\n");
}

/** Read without a name. */
const isNameless = (part: ToolResultPart): boolean => hintsOf(part, gemini)["$name"] === false;

const isObjectData = (part: Part): boolean => part.type === "data" && isJsonObject(part.data);

function outcomeOf(part: ToolResultPart, path: Path, { context }: Writing): string | undefined {
  const { $outcome: told } = hintsOf(part, gemini);
  if (told === false && part.outcome === undefined) return undefined;
  const outcome = Object.keys(codeOutcomes).find(name => codeOutcomes[name] === part.outcome);
  if (outcome === undefined) context.lose("outcome", [...path, "outcome"], part.outcome);
  return outcome ?? "OUTCOME_FAILED";
}
