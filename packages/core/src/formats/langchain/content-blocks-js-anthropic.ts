/** What @langchain/core makes of Anthropic's blocks. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  at,
  type Blocks,
  isBlock,
  isList,
  isNumber,
  isText,
  nonStandard,
  parsed,
  type ViewMessage,
  without,
} from "./content-blocks-message.ts";

export function anthropicView(message: ViewMessage): Blocks {
  const { content, metadata, kwargs } = message;
  const list: Blocks = isText(content) ? [{ type: "text", text: content }] : content;
  const blocks = list.map(block => standardBlock(block, message) ?? nonStandard(block));
  const isRefused = list.some(block => isBlock(block, "refusal") && isText(at(block, "refusal")));
  const stop = metadata["stop_reason"] === undefined ? kwargs : metadata;
  return isRefused || stop["stop_reason"] !== "refusal" ? blocks : [...blocks, refusalOf(stop["stop_details"])];
}

function refusalOf(details: Json | undefined): JsonObject {
  const [explanation, category] = [at(details, "explanation"), at(details, "category")];
  return {
    type: "refusal",
    refusal: isText(explanation) ? explanation : "",
    ...(isText(category) && { extras: { category } }),
  };
}

function standardBlock(block: Json, message: ViewMessage): Json | undefined {
  const type = at(block, "type");
  if (!isJsonObject(block) || !isText(type)) return undefined;
  const read = rowOf(blocks, type);
  return read ? read(block, message) : undefined;
}

type Read = (block: JsonObject, message: ViewMessage) => Json | undefined;

const asIs: Read = block => present({ id: block["id"], ...nonStandard(block) });

const blocks: { readonly [type: string]: Read } = {
  text: block => {
    const { text, citations } = block;
    if (!isText(text)) return undefined;
    const plain = { ...without(block, "text", "citations"), type: "text", text };
    if (!isList(citations) || citations.length === 0) return plain;
    return { ...plain, annotations: citations.map(citationOf).filter(citation => citation !== undefined) };
  },
  thinking: block => {
    const { thinking, signature } = block;
    if (!isText(thinking)) return undefined;
    return present({ ...without(block, "thinking", "signature"), type: "reasoning", reasoning: thinking, signature });
  },
  tool_use: block => {
    const { id, name, input } = block;
    return isText(id) && isText(name) ? present({ type: "tool_call", id, name, args: input }) : undefined;
  },
  input_json_delta: (_block, { isChunk, callChunks }) => {
    const [chunk] = callChunks;
    if (!isChunk || !chunk) return undefined;
    const { id, name, args, index } = chunk;
    return present({ type: "tool_call_chunk", id, name, args, index });
  },
  server_tool_use: block => {
    const { id, name } = block;
    const argument = isText(name) ? rowOf(hostedArguments, name) : undefined;
    if (!isText(id) || !isText(name) || argument === undefined) return undefined;
    return { id, type: "server_tool_call", name, args: { [argument]: hostedInput(block, argument) } };
  },
  web_search_tool_result: block => {
    const { content, tool_use_id: id } = block;
    if (!isText(id) || !isList(content)) return undefined;
    const urls = content.filter(item => isBlock(item, "web_search_result")).map(item => at(item, "url") ?? null);
    return resultOf("web_search", id, { urls });
  },
  code_execution_tool_result: block => {
    const { content, tool_use_id: id } = block;
    return isText(id) && isHolder(content) ? resultOf("code_execution", id, content) : undefined;
  },
  mcp_tool_use: ({ id, input }) => present({ id, type: "server_tool_call", name: "mcp_tool_use", args: input }),
  mcp_tool_result: block => {
    const { content, tool_use_id: id } = block;
    return isText(id) && isHolder(content) ? resultOf("mcp_tool_use", id, content) : undefined;
  },
  container_upload: ({ input }) => present({ type: "server_tool_call", name: "container_upload", args: input }),
  search_result: asIs,
  tool_result: asIs,
  refusal: block => (isText(block["refusal"]) ? block : undefined),
  document: fileOf,
  image: fileOf,
};

/** The one argument that is kept of a hosted tool's input. */
const hostedArguments: { readonly [name: string]: string } = { web_search: "query", code_execution: "code" };

function hostedInput({ input, partial_json: text }: JsonObject, argument: string): Json {
  if (isText(input)) return input;
  const given = at(input, argument);
  if (isText(given)) return given;
  const streamed = isText(text) ? at(parsed(text), argument) : undefined;
  return isTruthy(streamed) ? streamed : "";
}

const isTruthy = (value: Json | undefined): value is Json => Boolean(value);

/** Lists are objects, too. */
const isHolder = (value: Json | undefined): value is Json => typeof value === "object" && value !== null;

const resultOf = (name: string, toolCallId: string, output: Json): JsonObject => ({
  type: "server_tool_call_result",
  name,
  toolCallId,
  status: "success",
  output,
});

// citations

interface Location {
  readonly source: string;
  readonly title: string;
  readonly url?: string;
  readonly start: string;
  readonly end: string;
}

const locations: { readonly [type: string]: Location } = {
  char_location: { source: "char", title: "document_title", start: "start_char_index", end: "end_char_index" },
  page_location: { source: "page", title: "document_title", start: "start_page_number", end: "end_page_number" },
  content_block_location: {
    source: "block",
    title: "document_title",
    start: "start_block_index",
    end: "end_block_index",
  },
  search_result_location: {
    source: "search",
    title: "title",
    url: "source",
    start: "start_block_index",
    end: "end_block_index",
  },
  web_search_result_location: {
    source: "url",
    title: "title",
    url: "url",
    start: "encrypted_index",
    end: "encrypted_index",
  },
};

function citationOf(citation: Json): JsonObject | undefined {
  const type = at(citation, "type");
  const row = isText(type) ? rowOf(locations, type) : undefined;
  if (!row || !isJsonObject(citation)) return undefined;
  const [title, quote] = [at(citation, row.title), at(citation, "cited_text")];
  const url = row.url === undefined ? undefined : at(citation, row.url);
  const [start, end] = [at(citation, row.start), at(citation, row.end)];
  const isWeb = row.source === "url";
  const isPlaced = isWeb ? isText(start) : isNumber(start) && isNumber(end);
  if (!isText(title) || !isText(quote) || !isPlaced || (row.url !== undefined && !isText(url))) return undefined;
  const used = [row.title, row.start, row.end, "cited_text", ...(row.url === undefined ? [] : [row.url])];
  return present({
    ...without(citation, ...used),
    type: "citation",
    source: row.source,
    url,
    title,
    startIndex: isWeb ? numberOf(start) : start,
    endIndex: isWeb ? numberOf(end) : end,
    citedText: quote,
  });
}

/** The package takes an encrypted index for a number; what is none is NaN there, which JSON writes as null. */
function numberOf(value: Json | undefined): number | null {
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

// files

export function fileOf(block: JsonObject): JsonObject | undefined {
  const isDocument = block["type"] === "document";
  const source = block["source"];
  const type = isDocument ? "file" : "image";
  const [data, media] = [at(source, "data"), at(source, "media_type")];
  switch (at(source, "type")) {
    case "base64":
      return isText(media) && isText(data) ? { type, mimeType: media, data } : undefined;
    case "url": {
      const url = at(source, "url");
      return isText(url) ? { type, url } : undefined;
    }
    case "file": {
      const fileId = at(source, "file_id");
      return isText(fileId) ? { type, fileId } : undefined;
    }
    case "text":
      return isDocument && isText(data) ? { type, mimeType: isText(media) ? media : "text/plain", data } : undefined;
    default:
      return undefined;
  }
}

/** Documents and images of Anthropic in any message; all else stays as it is. */
export function fromAnthropicInput(block: Json): Json {
  if (!isBlock(block, "document") && !isBlock(block, "image")) return block;
  return fileOf(block) ?? block;
}
