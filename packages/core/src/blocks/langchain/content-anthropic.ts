/** Anthropic's blocks as `langchain-anthropic` leaves them in the content; Bedrock's share those of calls. */

import { defined } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { PartOf, Seal, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { anthropicFiles } from "./content-anthropic-files.ts";
import { type BlockFamily, one, type ReadBlock, single, type WriteBlock, type WriteFrom } from "./content-block.ts";
import { type BlockReader, BlockWriter, langchainContent } from "./content-places.ts";
import { makerOf, readCache, writeCache } from "./content-seals.ts";
import { kindOf, readCallId, writeCallId } from "./content-tools.ts";
import { sealedOutput, unsealedResult } from "./sealed-output.ts";

const family = "anthropic";

// thinking

/** The seal's member, by its maker: Google's integration uses the same block. */
const thinkingSeal = (reader: BlockReader, signature: string): Seal =>
  makerOf(reader.about) === "google"
    ? { maker: "google", values: { thoughtSignature: signature } }
    : { maker: makerOf(reader.about) ?? "anthropic", values: { signature } };

const readThinking: ReadBlock = reader => {
  const thinking = reader.peek("thinking");
  if (thinking !== undefined && typeof thinking !== "string") return undefined;
  const text = reader.string("thinking");
  const signature = reader.string("signature");
  if (text === undefined && signature === undefined) return undefined;
  reader.take("type");
  const seal = signature === undefined ? undefined : thinkingSeal(reader, signature);
  return one(
    defined<PartOf<"reasoning">>({
      type: "reasoning",
      text,
      seal,
      ...readCache(reader),
      ...reader.ending({ $block: "thinking" }, family),
    }),
  );
};

const writeThinking: WriteBlock = from => {
  const part = reasoningAt(from);
  if (!part) return undefined;
  const { seal } = part;
  const value = seal?.values[seal.maker === "google" ? "thoughtSignature" : "signature"];
  const isHeld =
    !seal ||
    (value !== undefined &&
      Object.keys(seal.values).length === 1 &&
      Object.keys(seal).length === 2 &&
      seal.maker === (makerOf(from.about) ?? "anthropic"));
  if (!isHeld || part.summary || part.id !== undefined) return undefined;
  const writer = new BlockWriter(part, from.about).set("type", "thinking").set("thinking", part.text);
  writer.set("signature", value);
  writeCache(part, writer);
  return single(writer.block(family));
};

function reasoningAt({ parts, index }: WriteFrom): PartOf<"reasoning"> | undefined {
  const part = parts[index];
  return part?.type === "reasoning" ? part : undefined;
}

const readRedacted: ReadBlock = reader => {
  const data = reader.string("data");
  if (data === undefined) return undefined;
  reader.take("type");
  const seal: Seal = { maker: "anthropic", values: { data } };
  return one({ type: "reasoning", seal, ...reader.ending({ $block: "redacted_thinking" }, family) });
};

const writeRedacted: WriteBlock = from => {
  const part = reasoningAt(from);
  const data = part?.seal?.values["data"];
  if (!part || data === undefined || part.text !== undefined) return undefined;
  return single(new BlockWriter(part, from.about).set("type", "redacted_thinking").set("data", data).block(family));
};

// calls

const callBlocks = ["tool_use", "server_tool_use", "mcp_tool_use"] as const;

const readUse: ReadBlock = (reader, { made }) => {
  const type = reader.peek("type");
  const name = reader.string("name");
  if (name === undefined) return undefined;
  const isServer = type !== "tool_use";
  const { callId, hints } = readCallId(reader, made);
  const { hint, ...input } = readUseInput(reader);
  const caller = reader.inner("caller")?.string("tool_id");
  const isMcp = type === "mcp_tool_use";
  reader.take("type");
  return one({
    type: "tool-call",
    callId,
    name,
    ...defined<Partial<ToolCallPart>>({
      ...input,
      kind: isMcp ? "mcp" : isServer ? kindOf(name) : undefined,
      executedBy: isServer ? "provider" : undefined,
      server: isMcp ? reader.string("server_name") : undefined,
      caller,
      ...readCache(reader),
    }),
    ...reader.ending({ $block: String(type), ...hints, ...(hint !== undefined && { $input: hint }) }, family),
  });
};

/** An object; or, where streams were merged, the text of one: in its place, or beside an empty one. */
function readUseInput(reader: BlockReader): Pick<ToolCallPart, "input" | "inputText"> & { readonly hint?: Json } {
  const input = reader.peek("input");
  const text = reader.peek("partial_json");
  if (isJsonObject(input) && Object.keys(input).length === 0 && typeof text === "string") {
    reader.take("input", "partial_json");
    return { ...readInput(text), hint: "partial" };
  }
  if (typeof input === "string") {
    reader.take("input");
    return { ...readInput(input), hint: "text" };
  }
  if (input === undefined) {
    if (typeof text !== "string") return { hint: false };
    reader.take("partial_json");
    return { ...readInput(text), hint: "partial-only" };
  }
  reader.take("input");
  return { input };
}

const writeUse: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "tool-call") return undefined;
  const type = callBlocks.find(block => block === hintsOf(part, langchainContent)["$block"]);
  const isServer = part.executedBy === "provider";
  const isMcp = type === "mcp_tool_use";
  const kind = isMcp ? "mcp" : isServer ? kindOf(part.name) : undefined;
  if (!type || (type !== "tool_use") !== isServer || part.kind !== kind) return undefined;
  if ((part.server !== undefined && !isMcp) || part.seal || part.id !== undefined) return undefined;
  const writer = new BlockWriter(part, about).set("type", type).set("id", writeCallId(part)).set("name", part.name);
  if (isMcp) writer.set("server_name", part.server);
  writeUseInput(part, writer);
  if (part.caller !== undefined) writer.set("caller", { tool_id: part.caller });
  writeCache(part, writer);
  return single(writer.block(family));
};

function writeUseInput(part: ToolCallPart, writer: BlockWriter): void {
  const hint = hintsOf(part, langchainContent)["$input"];
  const text = inputTextOf(part);
  if (hint === "partial" || hint === "partial-only") {
    if (hint === "partial") writer.set("input", {});
    writer.set("partial_json", text ?? "");
  } else if (hint === "text") writer.set("input", text ?? "");
  else if (part.input !== undefined) writer.set("input", part.input);
  else if (hint !== false) writer.set("input", text ?? {});
}

// results

const readToolResult: ReadBlock = (reader, { made, readOutput }) => {
  const member = reader.peek("tool_use_id") === undefined ? "toolUseId" : "tool_use_id";
  if (reader.peek(member) === undefined) return undefined;
  const { callId, hints } = readCallId(reader, made, member);
  const given = reader.json("content");
  const output = given === undefined ? undefined : readOutput(given);
  const isMarked = reader.literal("is_error", true);
  return one({
    type: "tool-result",
    callId,
    ...defined<Partial<PartOf<"tool-result">>>({
      output: sealedOutput(output?.output),
      outcome: isMarked || isErrorContent(given) ? "error" : undefined,
      ...readCache(reader),
    }),
    ...reader.ending(
      {
        $block: "anthropic_result",
        ...hints,
        ...output?.hints,
        ...(member === "toolUseId" && { $member: member }),
      },
      family,
    ),
  });
};

/** What a hosted tool answers when it fails: `{ type: "…_error", error_code }`. */
const isErrorContent = (content: Json | undefined): boolean =>
  isJsonObject(content) && (content["error_code"] !== undefined || String(content["type"]).endsWith("_error"));

const writeToolResult: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const part = parts[index];
  if (part?.type !== "tool-result" || part.name !== undefined || part.seal || part.kind !== undefined) return undefined;
  const hints = hintsOf(part, langchainContent);
  const { type } = hintsOf(part, family);
  if (part.outcome !== undefined && part.outcome !== "error") return undefined;
  const writer = new BlockWriter(part, about).set("type", type ?? "tool_result");
  writer.set(typeof hints["$member"] === "string" ? hints["$member"] : "tool_use_id", writeCallId(part));
  const content = writeOutput(unsealedResult(part), report);
  writer.set("content", content);
  if (part.outcome === "error" && !isErrorContent(content)) writer.set("is_error", true);
  writeCache(part, writer);
  return single(writer.block(family));
};

/** Types of results: one for each hosted tool, of which there are ever more. */
export const isResultType = (type: string): boolean => type.endsWith("_tool_result") && type !== "server_tool_result";

const uses = { tool_use: readUse, server_tool_use: readUse, mcp_tool_use: readUse };

export const anthropicBlocks: BlockFamily = {
  family,
  read: {
    thinking: readThinking,
    redacted_thinking: readRedacted,
    ...uses,
    tool_result: readToolResult,
    ...anthropicFiles.read,
  },
  write: {
    thinking: writeThinking,
    redacted_thinking: writeRedacted,
    tool_use: writeUse,
    server_tool_use: writeUse,
    mcp_tool_use: writeUse,
    anthropic_result: writeToolResult,
    ...anthropicFiles.write,
  },
};

/** Results of hosted tools, whatever the tool is called. */
export const hostedResult: ReadBlock = readToolResult;
