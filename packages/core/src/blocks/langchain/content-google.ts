/** Google's pieces as its integrations leave them in LangChain's content: JavaScript keeps the API's names, Python has its own. */

import { defined } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, Part, PartOf, Seal, ToolCallPart } from "../../model/parts.ts";
import { type BlockFamily, blockOf, one, type ReadBlock, single, type WriteBlock } from "./content-block.ts";
import { type BlockReader, BlockWriter, langchainContent } from "./content-places.ts";
import { readCallId, writeCallId } from "./content-tools.ts";

const family = "gemini";

type Inner = NonNullable<ReturnType<BlockReader["inner"]>>;

/** Google's signature stands beside every kind of part. */
function readSignature(reader: BlockReader): { readonly seal?: Seal } {
  const signature = reader.string("thoughtSignature");
  return signature === undefined ? {} : { seal: { maker: "google", values: { thoughtSignature: signature } } };
}

/** Whether a seal is only the signature. */
function isPlainSeal(seal: Seal | undefined): boolean {
  if (!seal) return true;
  return (
    seal.maker === "google" && Object.keys(seal).length === 2 && Object.keys(seal.values).join() === "thoughtSignature"
  );
}

const signed = (part: Part, writer: BlockWriter): JsonObject =>
  writer.set("thoughtSignature", part.seal?.values["thoughtSignature"]).block(family);

/** A text that is a thought. */
const readThought: ReadBlock = reader => {
  if (reader.peek("thought") !== true) return undefined;
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type", "thought");
  return one({
    type: "reasoning",
    text,
    ...readSignature(reader),
    ...reader.ending({ $block: "gemini_thought" }, family),
  });
};

const writeThought: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "reasoning" || part.text === undefined || !isPlainSeal(part.seal)) return undefined;
  if (part.summary || part.id !== undefined || part.cache) return undefined;
  return single(
    signed(part, new BlockWriter(part, about).set("type", "text").set("text", part.text).set("thought", true)),
  );
};

// calls

/** `functionCall` holds the call; Python's `function_call` is the call. */
const readCall: ReadBlock = (reader, { made }) => {
  const type = String(reader.peek("type"));
  const inner: Inner | undefined = type === "functionCall" ? reader.inner(type) : reader;
  const name = inner?.string("name");
  if (!inner || name === undefined) return undefined;
  const { callId, hints } = readCallId(inner, made);
  const args = inner.object("args");
  reader.take("type");
  return one({
    type: "tool-call",
    callId,
    name,
    ...(args && { input: args }),
    ...readSignature(reader),
    ...reader.ending({ $block: type === "functionCall" ? type : "gemini_call", ...hints }, family),
  });
};

const writeCall: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "tool-call" || !isPlainCall(part)) return undefined;
  const type = blockOf(part) === "functionCall" ? "functionCall" : "function_call";
  const writer = new BlockWriter(part, about).set("type", type);
  const call = { id: writeCallId(part), name: part.name, args: part.input };
  if (type === "functionCall") writer.within(type, call);
  else writer.set("name", call.name).set("args", call.args).set("id", call.id);
  return single(signed(part, writer));
};

const isPlainCall = (part: ToolCallPart): boolean =>
  (part.input === undefined ? part.inputText === undefined : isJsonObject(part.input)) &&
  isPlainSeal(part.seal) &&
  part.kind === undefined &&
  part.executedBy === undefined &&
  part.caller === undefined &&
  !part.partial &&
  !part.cache;

const readResponse: ReadBlock = (reader, { made, readOutput }) => {
  const inner = reader.inner("functionResponse");
  if (!inner) return undefined;
  const { callId, hints } = readCallId(inner, made);
  const given = inner.json("response");
  const output = given === undefined ? undefined : readOutput(given);
  reader.take("type");
  return one({
    type: "tool-result",
    callId,
    ...defined<Partial<PartOf<"tool-result">>>({
      name: inner.string("name"),
      output: output?.output,
      ...readSignature(reader),
    }),
    ...reader.ending({ $block: "functionResponse", ...hints, ...output?.hints }, family),
  });
};

const writeResponse: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const part = parts[index];
  if (part?.type !== "tool-result" || part.outcome !== undefined || !isPlainSeal(part.seal) || part.cache)
    return undefined;
  const writer = new BlockWriter(part, about).set("type", "functionResponse");
  const response = { id: writeCallId(part), name: part.name, response: writeOutput(part, report) };
  return single(signed(part, writer.within("functionResponse", response)));
};

// code that the provider runs

const python = "python";

/** JavaScript: `executableCode: { language, code }`; Python: `executable_code` is the code. */
const readCode: ReadBlock = (reader, { made }) => {
  const type = String(reader.peek("type"));
  const holder = type === "executableCode" ? reader.inner(type) : reader;
  const code = holder?.string(type === "executableCode" ? "code" : "executable_code");
  if (!holder || code === undefined) return undefined;
  const language = holder.string("language");
  const { callId, hints } = readCallId(holder, made);
  reader.take("type");
  return one({
    type: "tool-call",
    callId,
    name: "code_execution",
    kind: "code-interpreter",
    executedBy: "provider",
    input: { ...(language !== undefined && { language }), code },
    ...readSignature(reader),
    ...reader.ending({ $block: type, ...hints }, family),
  });
};

const writeCode: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  const input = part?.type === "tool-call" ? part.input : undefined;
  if (part?.type !== "tool-call" || !isJsonObject(input) || !isPlainSeal(part.seal)) return undefined;
  const { language, code, ...more } = input;
  const isCode = typeof code === "string" && (language === undefined || typeof language === "string");
  if (!isCode || Object.keys(more).length > 0 || part.kind !== "code-interpreter") return undefined;
  const type = blockOf(part);
  const id = writeCallId(part);
  const writer = new BlockWriter(part, about).set("type", type);
  if (type === "executableCode") writer.within(type, { id, language, code });
  else writer.set("executable_code", code).set("language", language).set("id", id);
  return single(signed(part, writer));
};

const okOutcomes: readonly Json[] = ["OUTCOME_OK", 1];

const readCodeResult: ReadBlock = (reader, { made, readOutput }) => {
  const type = String(reader.peek("type"));
  const isJs = type === "codeExecutionResult";
  const holder = isJs ? reader.inner(type) : reader;
  if (!holder) return undefined;
  const outcome = holder.peek("outcome");
  const { callId, hints } = readCallId(holder, made, isJs ? "id" : "tool_call_id");
  const given = holder.json(isJs ? "output" : "code_execution_result");
  const output = given === undefined ? undefined : readOutput(given);
  reader.take("type");
  return one({
    type: "tool-result",
    callId,
    ...defined<Partial<PartOf<"tool-result">>>({
      output: output?.output,
      outcome: outcome === undefined || okOutcomes.includes(outcome) ? undefined : "error",
      ...readSignature(reader),
    }),
    ...reader.ending({ $block: type, ...hints, ...output?.hints }, family),
  });
};

const writeCodeResult: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const part = parts[index];
  if (part?.type !== "tool-result" || part.name !== undefined || !isPlainSeal(part.seal) || part.cache)
    return undefined;
  const type = blockOf(part);
  const isJs = type === "codeExecutionResult";
  const { codeExecutionResult: kept, outcome: flat } = hintsOf(part, family);
  const outcome = isJs ? (isJsonObject(kept) ? kept["outcome"] : undefined) : flat;
  const isError = outcome !== undefined && !okOutcomes.includes(outcome);
  if (isError !== (part.outcome === "error")) return undefined;
  const writer = new BlockWriter(part, about).set("type", type);
  const output = writeOutput(part, report);
  const id = writeCallId(part);
  if (isJs) writer.within("codeExecutionResult", { id, output });
  else writer.set("code_execution_result", output).set("tool_call_id", id);
  return single(signed(part, writer));
};

// files

const names = {
  inlineData: { holder: "inlineData", type: "mimeType", data: "data", url: "" },
  fileData: { holder: "fileData", type: "mimeType", data: "", url: "fileUri" },
  file_data: { holder: "", type: "mime_type", data: "", url: "file_uri" },
} as const;
type FileType = keyof typeof names;
const fileTypes = Object.keys(names) as readonly FileType[]; // the table has just these keys

const readFile: ReadBlock = reader => {
  const type = fileTypes.find(name => name === reader.peek("type"));
  const row = type && names[type];
  const holder = row && (row.holder === "" ? reader : reader.inner(row.holder));
  const data = row?.data ? holder?.string(row.data) : undefined;
  const url = row?.url ? holder?.string(row.url) : undefined;
  if (!row || !holder || (data === undefined && url === undefined)) return undefined;
  const source = data === undefined ? { url: url ?? "" } : { data };
  const mediaType = holder.string(row.type);
  const isThought = reader.literal("thought", true);
  reader.take("type");
  return one(
    defined<FilePart>({
      type: "file",
      mediaType,
      source,
      name: holder.string(row.holder === "" ? "display_name" : "displayName"),
      reasoning: isThought ? true : undefined,
      ...readSignature(reader),
      ...reader.ending({ $block: type ?? null }, family),
    }),
  );
};

const writeFile: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  const type = part && fileTypes.find(name => name === blockOf(part));
  if (part?.type !== "file" || !type || !isPlainFile(part)) return undefined;
  const row = names[type];
  const { source } = part;
  const member = "data" in source ? row.data : "url" in source ? row.url : "";
  if (member === "") return undefined;
  const writer = new BlockWriter(part, about).set("type", type);
  const value = "data" in source ? source.data : "url" in source ? source.url : "";
  const named = row.holder === "" ? "display_name" : "displayName";
  const fields = { [row.type]: part.mediaType, [member]: value, [named]: part.name };
  if (row.holder !== "") writer.within(row.holder, fields);
  else for (const key of Object.keys(fields)) writer.set(key, fields[key]);
  return single(signed(part, writer.set("thought", part.reasoning)));
};

const isPlainFile = (part: FilePart): boolean =>
  isPlainSeal(part.seal) &&
  part.text === undefined &&
  part.detail === undefined &&
  part.id === undefined &&
  !part.cache;

/** `media`, whose members both languages spell either way. */
const readMedia: ReadBlock = reader => {
  const url = reader.string("file_uri") ?? reader.string("fileUri");
  const data = url === undefined ? reader.string("data") : undefined;
  if (url === undefined && data === undefined) return undefined;
  const isSnake = reader.peek("mime_type") !== undefined || reader.peek("file_uri") !== undefined;
  const mediaType = reader.string(isSnake ? "mime_type" : "mimeType");
  reader.take("type");
  const source = url === undefined ? { data: data ?? "" } : { url };
  const hints = { $block: "media", ...(isSnake && { $spelling: python }) };
  return one(
    defined<FilePart>({ type: "file", mediaType, source, ...readSignature(reader), ...reader.ending(hints, family) }),
  );
};

const writeMedia: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "file" || !isPlainFile(part) || part.name !== undefined || part.reasoning) return undefined;
  const isSnake = hintsOf(part, langchainContent)["$spelling"] === python;
  const writer = new BlockWriter(part, about).set("type", "media");
  writer.set(isSnake ? "mime_type" : "mimeType", part.mediaType);
  if ("url" in part.source) writer.set(isSnake ? "file_uri" : "fileUri", part.source.url);
  else if ("data" in part.source) writer.set("data", part.source.data);
  else return undefined;
  return single(signed(part, writer));
};

export const googleBlocks: BlockFamily = {
  family,
  read: {
    text: readThought,
    functionCall: readCall,
    function_call: readCall,
    functionResponse: readResponse,
    executableCode: readCode,
    executable_code: readCode,
    codeExecutionResult: readCodeResult,
    code_execution_result: readCodeResult,
    inlineData: readFile,
    fileData: readFile,
    file_data: readFile,
    media: readMedia,
  },
  write: {
    gemini_thought: writeThought,
    functionCall: writeCall,
    functionResponse: writeResponse,
    executableCode: writeCode,
    executable_code: writeCode,
    codeExecutionResult: writeCodeResult,
    code_execution_result: writeCodeResult,
    inlineData: writeFile,
    fileData: writeFile,
    file_data: writeFile,
    media: writeMedia,
    gemini_call: writeCall,
  },
};
