/** Items of OpenAI's Responses that stand in LangChain's content: calls, and what the provider ran, with its result. */

import { defined, rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Part, PartOf, Seal, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { type BlockFamily, blockOf, type ReadBlock, single, type WriteBlock } from "./content-block.ts";
import { type BlockReader, BlockWriter, langchainContent, type Report } from "./content-places.ts";
import { readCallId, type WriteOutput, writeCallId } from "./content-tools.ts";

const family = "openai-responses";

/** How an item holds a call. */
interface ItemRow {
  /** The tool's usual name, where the item does not say one. */
  readonly name?: string;
  readonly kind?: string;
  readonly executedBy?: "provider";
  /** Whether the call has an id of its own beside the item's. */
  readonly callId?: true;
  /** The member with the input: as text, as it is, or several members that are an object together. */
  readonly input?: string | readonly string[];
  readonly isText?: true;
  /** The member with the result, where the item can hold one. */
  readonly result?: string;
}

const items: { readonly [type: string]: ItemRow } = {
  function_call: { callId: true, input: "arguments", isText: true },
  custom_tool_call: { kind: "custom", callId: true, input: "input" },
  computer_call: { name: "computer", kind: "computer", callId: true, input: "action" },
  local_shell_call: { name: "local_shell", kind: "shell", callId: true, input: "action" },
  shell_call: { name: "shell", kind: "shell", callId: true, input: "action" },
  apply_patch_call: { name: "apply_patch", kind: "apply-patch", callId: true, input: "operation" },
  web_search_call: {
    name: "web_search",
    kind: "web-search",
    executedBy: "provider",
    input: "action",
    result: "results",
  },
  file_search_call: {
    name: "file_search",
    kind: "file-search",
    executedBy: "provider",
    input: ["queries"],
    result: "results",
  },
  code_interpreter_call: {
    name: "code_interpreter",
    kind: "code-interpreter",
    executedBy: "provider",
    input: ["code"],
    result: "outputs",
  },
  image_generation_call: {
    name: "image_generation",
    kind: "image-generation",
    executedBy: "provider",
    result: "result",
  },
  mcp_call: { kind: "mcp", executedBy: "provider", input: "arguments", isText: true, result: "output" },
  mcp_list_tools: { name: "mcp_list_tools", kind: "mcp", executedBy: "provider", result: "tools" },
  tool_search_call: { name: "tool_search", kind: "tool-search", executedBy: "provider", input: "arguments" },
};

const isText = (value: Json | undefined): value is string => typeof value === "string";

const readItem: ReadBlock = (reader, { made, readOutput }) => {
  const type = String(reader.peek("type"));
  const row = rowOf(items, type);
  const name = row?.name ?? reader.string("name");
  if (!row || name === undefined || (type === "function_call" && reader.peek("call_id") === undefined))
    return undefined;
  const { callId, hints } = readCallId(reader, made, row.callId ? "call_id" : "id");
  const itemId = row.callId ? reader.string("id") : undefined;
  const seal: Seal | undefined = itemId === undefined ? undefined : { maker: "openai", values: { id: itemId } };
  const input = readItemInput(reader, row);
  const result = row.result === undefined ? undefined : readItemResult(reader, row.result, { callId, readOutput });
  const server = row.kind === "mcp" ? reader.string("server_label") : undefined;
  reader.take("type");
  const call: Part = {
    type: "tool-call",
    callId,
    name,
    ...defined<Partial<ToolCallPart>>({ ...input, kind: row.kind, executedBy: row.executedBy, server, seal }),
    ...reader.ending({ $block: type, ...hints, ...(result && { $result: true }) }, family),
  };
  return result ? [call, result] : [call];
};

function readItemInput(reader: BlockReader, row: ItemRow): Pick<ToolCallPart, "input" | "inputText"> {
  const { input } = row;
  if (input === undefined) return {};
  if (typeof input !== "string") {
    const members: { [key: string]: Json } = {};
    for (const key of input) {
      const value = reader.peek(key);
      if (value === undefined || value === null) return {};
      members[key] = value;
    }
    reader.take(...input);
    return { input: members };
  }
  const given = reader.peek(input);
  if (row.isText) {
    if (!isText(given) || given === "") return {};
    reader.take(input);
    return readInput(given);
  }
  if (given === undefined || given === null) return {};
  reader.take(input);
  return { input: given };
}

/** The result exists where the item has its member (R21); an error counts as one. */
function readItemResult(
  reader: BlockReader,
  member: string,
  from: { readonly callId: string; readonly readOutput: Parameters<ReadBlock>[1]["readOutput"] },
): PartOf<"tool-result"> | undefined {
  const given = reader.peek(member);
  const hasError = reader.peek("error") != null;
  if ((given === undefined || given === null) && !hasError) return undefined;
  const isFailed = hasError || reader.peek("status") === "failed";
  const failed: Pick<PartOf<"tool-result">, "outcome"> = isFailed ? { outcome: "error" } : {};
  const head = { type: "tool-result", callId: from.callId, ...failed } as const;
  if (given === undefined || given === null) return { ...head, ...hint({}) };
  reader.take(member);
  if (member === "result" && isText(given)) return { ...head, output: [image(reader, given)], ...hint({}) };
  const { output, hints } = from.readOutput(given);
  return { ...head, output, ...hint(hints) };
}

const hint = (hints: JsonObject): Pick<Part, "native"> => ({
  native: { [langchainContent]: { $block: "item_result", ...hints } },
});

function image(reader: BlockReader, data: string): Part {
  const format = reader.peek("output_format");
  return { type: "file", mediaType: isText(format) ? `image/${format}` : "image/*", source: { data } };
}

const writeItem: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const call = parts[index];
  const type = call && blockOf(call);
  const row = isText(type) ? rowOf(items, type) : undefined;
  if (call?.type !== "tool-call" || !row || !canBeItem(call, row)) return undefined;
  const hints = hintsOf(call, langchainContent);
  const result = parts[index + 1];
  const isResult = result?.type === "tool-result" && result.callId === call.callId && blockOf(result) === "item_result";
  if ((hints["$result"] === true) !== isResult) return undefined;
  const writer = new BlockWriter(call, about).set("type", type);
  if (row.callId) writer.set("id", call.seal?.values["id"]).set("call_id", writeCallId(call));
  else writer.set("id", writeCallId(call));
  if (row.name === undefined) writer.set("name", call.name);
  writer.set("server_label", call.server);
  writeItemInput(call, row, writer);
  if (isResult && row.result !== undefined) {
    writeItemResult(result, { member: row.result, writer, report, writeOutput });
  }
  return { block: writer.block(family), used: isResult ? 2 : 1 };
};

function canBeItem(call: ToolCallPart, row: ItemRow): boolean {
  const { seal } = call;
  const isSealed =
    seal === undefined || (row.callId === true && seal.maker === "openai" && Object.keys(seal.values).join() === "id");
  const isSame = call.kind === row.kind && call.executedBy === row.executedBy && call.name === (row.name ?? call.name);
  const isObject = typeof row.input === "string" || call.input === undefined || hasKeys(call.input, row.input ?? []);
  return (
    isSealed &&
    isSame &&
    isObject &&
    !call.cache &&
    call.caller === undefined &&
    (call.server === undefined || row.kind === "mcp")
  );
}

const hasKeys = (input: Json, keys: readonly string[]): boolean =>
  isJsonObject(input) && Object.keys(input).sort().join() === [...keys].sort().join();

function writeItemInput(call: ToolCallPart, row: ItemRow, writer: BlockWriter): void {
  const { input } = row;
  if (typeof input !== "string") {
    if (isJsonObject(call.input)) for (const key of Object.keys(call.input)) writer.set(key, call.input[key]);
    return;
  }
  if (row.isText) {
    const text = inputTextOf(call);
    const hasNative = hintsOf(call, family)[input] !== undefined;
    writer.set(input, text ?? (hasNative ? undefined : ""));
  } else writer.set(input, call.input);
}

function writeItemResult(
  result: PartOf<"tool-result">,
  to: {
    readonly member: string;
    readonly writer: BlockWriter;
    readonly report: Report;
    readonly writeOutput: WriteOutput;
  },
): void {
  const [only] = result.output ?? [];
  if (to.member === "result" && only?.type === "file" && "data" in only.source && result.output?.length === 1) {
    to.writer.set(to.member, only.source.data);
  } else to.writer.set(to.member, to.writeOutput(result, to.report));
}

// results of items that are the caller's

const outputs: { readonly [type: string]: string } = {
  function_call_output: "output",
  custom_tool_call_output: "output",
  computer_call_output: "output",
  local_shell_call_output: "output",
  shell_call_output: "output",
  apply_patch_call_output: "output",
  tool_search_output: "tools",
};

const readItemOutput: ReadBlock = (reader, { made, readOutput }) => {
  const type = String(reader.peek("type"));
  const member = rowOf(outputs, type) ?? "output";
  const isSearch = type === "tool_search_output";
  const { callId, hints } = readCallId(reader, made, isSearch ? "id" : "call_id");
  const given = reader.json(member);
  const output = given === undefined ? undefined : readOutput(given);
  return [
    {
      type: "tool-result",
      callId,
      ...defined<Partial<PartOf<"tool-result">>>({
        output: output?.output,
        outcome: reader.peek("status") === "failed" ? "error" : undefined,
      }),
      ...reader.ending({ $block: type, ...hints, ...output?.hints }, family),
    },
  ];
};

const writeItemOutput: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const part = parts[index];
  const type = part && blockOf(part);
  if (part?.type !== "tool-result" || !isText(type) || part.seal || part.cache || part.name !== undefined)
    return undefined;
  if ((part.outcome !== undefined) !== (hintsOf(part, family)["status"] === "failed")) return undefined;
  const writer = new BlockWriter(part, about).set("type", type);
  writer.set(type === "tool_search_output" ? "id" : "call_id", writeCallId(part));
  return single(writer.set(rowOf(outputs, type) ?? "output", writeOutput(part, report)).block(family));
};

const each = <Value>(keys: readonly string[], value: Value): { readonly [key: string]: Value } =>
  Object.fromEntries(keys.map(key => [key, value]));

export const openaiItems: Pick<BlockFamily, "read" | "write"> = {
  read: {
    ...each(Object.keys(items), readItem),
    ...each(Object.keys(outputs), readItemOutput),
  },
  write: {
    ...each(Object.keys(items), writeItem),
    ...each(Object.keys(outputs), writeItemOutput),
  },
};
