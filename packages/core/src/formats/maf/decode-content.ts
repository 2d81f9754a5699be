/** Contents → parts. */

import { Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { OpaquePart, Part, TextPart, ToolCallPart } from "../../model/parts.ts";
import { annotationsAlone, readAnnotations } from "./annotations.ts";
import { hostedOf, readCall } from "./calls.ts";
import { writeContents } from "./encode-content.ts";
import { readData, readFound, readHostedFile, readUri } from "./files.ts";
import { readResult } from "./results.ts";
import { readSeal } from "./seals.ts";
import { family, Properties, type Reading, readCache, rest } from "./wire.ts";

/** Ids for calls that have none: a call gets one made of its place, a result that of the call that it can answer. */
export class CallIds {
  readonly #prefix: string;
  #count = 0;
  readonly #open: string[] = [];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  ofCall(id: Json | undefined): string {
    if (typeof id === "string" && id !== "") return id;
    const made = this.#make();
    this.#open.push(made);
    return made;
  }

  ofResult(id: Json | undefined): string {
    return typeof id === "string" && id !== "" ? id : (this.#open.shift() ?? this.#make());
  }

  #make(): string {
    return `~${this.#prefix}.${this.#count++}`;
  }
}

export interface ContentReading extends Reading {
  readonly ids: CallIds;
  /** Inside of what a web search gave. */
  readonly isFound?: boolean;
}

export function readContents(list: readonly Json[], path: Path, reading: ContentReading): readonly Part[] {
  const parts: Part[] = [];
  list.forEach((content, index) => {
    const last = parts.at(-1);
    const cited = last?.type === "text" ? cite(last, content, reading) : undefined;
    if (cited) parts[parts.length - 1] = cited;
    else parts.push(readContent(content, [...path, index], reading));
  });
  return parts;
}

/** The text with the citations of a content that has nothing else; undefined where the content is about no such text. */
function cite(text: TextPart, content: Json, reading: Reading): TextPart | undefined {
  const { citations = [] } = text;
  const { $apart: apart } = hintsOf(text, family);
  const counts = Array.isArray(apart) ? apart : [];
  if (citations.length > 0 && counts.length === 0) return undefined;
  const annotations = annotationsAlone(content);
  const more = annotations && readAnnotations(annotations, reading.exact);
  if (!more) return undefined;
  return { ...text, citations: [...citations, ...more], ...withApart(text, [...counts, more.length]) };
}

/** Notes how many citations came in each content of their own. */
export const withApart = (text: Pick<TextPart, "native">, counts: readonly Json[]): Pick<TextPart, "native"> => ({
  native: { ...text.native, [family]: { ...text.native?.[family], $apart: counts } },
});

/** One content, already under the names of its type. What is none becomes opaque in its place. */
export function readContent(content: Json, path: Path, reading: ContentReading): Part {
  const word = isJsonObject(content) ? content["$type"] : undefined;
  const read = typeof word === "string" ? (rowOf(readers, word) ?? hostedReader(word)) : undefined;
  if (!isJsonObject(content) || !read) return opaque(content); // what is unknown was reported when the value was read
  const part = read(new Reader(content), path, reading);
  if (part) return part;
  reading.context.issue(
    "malformed-content",
    path,
    `a content \`${String(word)}\` lacks what makes it one; kept as it is`,
  );
  return opaque(content);
}

const opaque = (value: Json): OpaquePart => ({ type: "opaque", family, value });

type Read = (reader: Reader, path: Path, reading: ContentReading) => Part | undefined;

const readers: { readonly [word: string]: Read } = {
  text: readText,
  reasoning: readReasoning,
  data: withWord((reader, _, reading) => readData(reader, reading)),
  uri: withWord((reader, _, reading) => (reading.isFound ? readFound : readUri)(reader, reading)),
  hostedFile: withWord((reader, _, reading) => readHostedFile(reader, reading)),
  error: withWord(readError),
  functionCall: readToolCall,
  functionResult: withWord(readFunctionResult),
  toolApprovalRequest: withWord(readRequest),
  toolApprovalResponse: withWord(readResponse),
};

function withWord(read: Read): Read {
  return (reader, path, reading) => {
    reader.take("$type");
    return read(reader, path, reading);
  };
}

function hostedReader(word: string): Read | undefined {
  if (hostedOf(word, "Call")) return readToolCall;
  return hostedOf(word, "Result") ? readHostedResult : undefined;
}

function readText(reader: Reader, _: Path, reading: ContentReading): Part {
  reader.take("$type");
  const text = reader.string("text") ?? "";
  const annotations = reader.peek("annotations");
  const citations = Array.isArray(annotations) ? readAnnotations(annotations, reading.exact) : undefined;
  if (citations) reader.take("annotations");
  const properties = new Properties(reader);
  const cached = readCache(properties);
  const hints = properties.hints(reading.exact);
  return { type: "text", text, ...(citations && { citations }), ...cached, ...rest(reader, hints, reading.exact) };
}

function readReasoning(reader: Reader, _: Path, reading: ContentReading): Part {
  reader.take("$type");
  const text = reader.string("text") ?? "";
  const properties = new Properties(reader);
  const seal = readSeal(reader.string("protectedData"), properties);
  const isHidden = text === "" && seal !== undefined;
  return {
    type: "reasoning",
    ...(!isHidden && { text }),
    // What OpenAI shows of its reasoning is a summary; .NET's client notes the item that it is of.
    ...(!isHidden && seal?.maker === "openai" && { summary: true as const }),
    ...(seal && { seal }),
    ...rest(reader, properties.hints(reading.exact), reading.exact),
  };
}

/** What .NET's OpenAI clients make of a refusal. */
export const refusalCode = "Refusal";

function readError(reader: Reader, _: Path, reading: ContentReading): Part {
  const message = reader.string("message") ?? "";
  if (reader.literal("errorCode", refusalCode)) {
    return { type: "refusal", text: message, ...rest(reader, {}, reading.exact) };
  }
  const [code, details] = [reader.string("errorCode"), reader.string("details")];
  return {
    type: "error",
    message,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...rest(reader, {}, reading.exact),
  };
}

function readToolCall(reader: Reader, _: Path, reading: ContentReading): Part | undefined {
  return readCall(reader, reading.ids.ofCall(reader.peek("callId")), reading);
}

/** The id of a result's call; one that was made leaves the member to the remainder. */
function resultId(reader: Reader, reading: ContentReading): string {
  const given = reader.peek("callId");
  const id = reading.ids.ofResult(given);
  if (given === id) reader.take("callId");
  return id;
}

function readFunctionResult(reader: Reader, path: Path, reading: ContentReading): Part {
  const callId = resultId(reader, reading);
  const read = (list: readonly Json[]) => readContents(list, path, { ...reading, context: silent(reading) });
  const { output, hints = {} } = readResult(reader.value, { read, write: writeContents }, reading);
  if (output) reader.take("result");
  const properties = new Properties(reader);
  const cached = readCache(properties);
  const all = { ...hints, ...properties.hints(reading.exact) };
  return { type: "tool-result", callId, ...(output && { output }), ...cached, ...rest(reader, all, reading.exact) };
}

/** JSON that only looks like contents is nothing to complain about. */
const silent = (reading: Reading): Reading["context"] => ({ ...reading.context, issue: () => undefined });

function readHostedResult(reader: Reader, path: Path, reading: ContentReading): Part | undefined {
  const tool = hostedOf(reader.string("$type") ?? "", "Result");
  if (!tool) return undefined;
  const callId = resultId(reader, reading);
  const outputs = reader.array("outputs");
  const properties = new Properties(reader);
  const cached = readCache(properties);
  const inner = { ...reading, isFound: tool.kind === "web-search" };
  return {
    type: "tool-result",
    callId,
    kind: tool.kind,
    ...(outputs && { output: readContents(outputs, [...path, "outputs"], inner) }),
    ...cached,
    ...rest(reader, properties.hints(reading.exact), reading.exact),
  };
}

function readRequest(reader: Reader, path: Path, reading: ContentReading): Part | undefined {
  const requestId = reader.string("requestId");
  const about = readAbout(reader, path, reading);
  if (requestId === undefined || about?.callId === undefined) return undefined;
  const isAutomatic = reader.boolean("requiresConfirmation") === false;
  return {
    type: "approval-request",
    requestId,
    callId: about.callId,
    ...(about.call && { call: about.call }),
    ...(isAutomatic && { automatic: true as const }),
    ...rest(reader, {}, reading.exact),
  };
}

function readResponse(reader: Reader, path: Path, reading: ContentReading): Part | undefined {
  const requestId = reader.string("requestId");
  const about = readAbout(reader, path, reading);
  if (requestId === undefined) return undefined;
  const approved = reader.boolean("approved") ?? false;
  const reason = reader.string("reason");
  return {
    type: "approval-response",
    requestId,
    ...(about && { callId: about.callId }),
    approved,
    ...(reason !== undefined && { reason }),
    ...(about?.call && { call: about.call }),
    ...rest(reader, {}, reading.exact),
  };
}

/** The call that is asked about. One that is nothing but an id, as .NET's base class is, gives the id. */
function readAbout(
  reader: Reader,
  path: Path,
  reading: ContentReading,
): { readonly callId: string; readonly call?: ToolCallPart } | undefined {
  const value = reader.peek("toolCall");
  if (!isJsonObject(value)) return undefined;
  const part = readContent(value, [...path, "toolCall"], reading);
  if (part.type === "tool-call") {
    reader.take("toolCall");
    return { callId: part.callId, call: part };
  }
  const callId = value["callId"];
  if (typeof callId !== "string" || callId === "") return undefined;
  if (isBare(value)) reader.take("toolCall");
  return { callId };
}

const isBare = (call: JsonObject): boolean => Object.keys(call).length === 1;
