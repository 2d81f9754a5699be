/** What langchain-core makes of Anthropic's blocks. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { at, type Blocks, isText, parsed, type ViewMessage, without } from "./content-blocks-message.ts";
import {
  addExtras,
  callFor,
  chunkBlock,
  indexOf,
  isEmptyObject,
  isTruthy,
  orElse,
} from "./content-blocks-python-shape.ts";

export function anthropicView(message: ViewMessage): Blocks {
  const { content } = message;
  const list: Blocks = isText(content) ? [{ type: "text", text: content }] : content;
  return list.filter(isJsonObject).map(block => standardBlock(block, message));
}

function standardBlock(block: JsonObject, message: ViewMessage): JsonObject {
  const { type } = block;
  const read = isText(type) ? rowOf(blocks, type) : undefined;
  if (read) return read(block, message);
  if (isText(type) && type.endsWith("_tool_result")) return hostedResult(block, type);
  return nonStandard(block);
}

/** The index is lifted out of the block. */
export function nonStandard(block: JsonObject): JsonObject {
  const index = indexOf(block);
  return { type: "non_standard", value: block["index"] === undefined ? block : without(block, "index"), ...index };
}

type Read = (block: JsonObject, message: ViewMessage) => JsonObject;

const blocks: { readonly [type: string]: Read } = {
  text: block => ({ ...citedText(block, citationOf), ...indexOf(block) }),
  thinking: block => {
    const { thinking } = block;
    const reasoning = { type: "reasoning", reasoning: orElse(thinking, ""), ...indexOf(block) };
    return addExtras(reasoning, block, ["type", "thinking", "index", "extras"]);
  },
  tool_use: (block, message) => {
    const chunk = openChunk(message);
    const { caller } = block;
    const extras = caller === undefined ? undefined : { caller };
    if (chunk) return present({ ...chunkBlock(chunk), extras });
    return present({ ...calledBlock(block, message), ...indexOf(block), extras });
  },
  input_json_delta: (block, message) => {
    if (!message.isChunk) return nonStandard(block);
    const [only, ...others] = message.callChunks;
    if (only && others.length === 0) return chunkBlock(only);
    return { type: "server_tool_call_chunk", args: orElse(block["partial_json"], ""), ...indexOf(block) };
  },
  server_tool_use: (block, message) => {
    const name = block["name"] === "code_execution" ? "code_interpreter" : orElse(block["name"], "");
    const known = ["type", "name", "input", "id", "index"];
    if (isFirstChunk(block, message)) return addExtras(hostedChunk(block, name), block, known);
    return addExtras({ ...hostedCall(block, name), ...indexOf(block) }, block, [...known, "partial_json"]);
  },
  mcp_tool_use: (block, message) => {
    const { name } = block;
    const known = ["type", "name", "input", "id", "index"];
    const named = name === undefined ? {} : { extras: { tool_name: name } };
    if (isFirstChunk(block, message)) return addExtras({ ...hostedChunk(block, "remote_mcp"), ...named }, block, known);
    const call = { ...hostedCall(block, "remote_mcp"), ...named };
    return { ...addExtras(call, block, [...known, "partial_json"]), ...indexOf(block) };
  },
};

/** The one piece of a call that an open chunk has. */
export function openChunk({ isChunk, isLast, callChunks }: ViewMessage): JsonObject | undefined {
  return isChunk && !isLast && callChunks.length === 1 ? callChunks[0] : undefined;
}

/** The call of a `tool_use`, as the message has it. */
export function calledBlock(block: JsonObject, { calls }: ViewMessage): JsonObject {
  const call = callFor(calls, block["id"]);
  if (call) return present({ type: "tool_call", name: call["name"], args: call["args"], id: call["id"] ?? null });
  return {
    type: "tool_call",
    name: orElse(block["name"], ""),
    args: orElse(block["input"], {}),
    id: orElse(block["id"], ""),
  };
}

const isFirstChunk = (block: JsonObject, { isChunk, isLast }: ViewMessage): boolean =>
  isChunk && !isLast && isEmptyObject(block["input"]) && block["partial_json"] === undefined;

const hostedChunk = (block: JsonObject, name: Json): JsonObject => ({
  type: "server_tool_call_chunk",
  name,
  args: "",
  id: orElse(block["id"], ""),
  ...indexOf(block),
});

function hostedCall(block: JsonObject, name: Json): JsonObject {
  const { input, partial_json: text, id } = block;
  const streamed = isEmptyObject(input) && isText(text) ? parsed(text) : undefined;
  return {
    type: "server_tool_call",
    name,
    args: isJsonObject(streamed) ? streamed : orElse(input, {}),
    id: orElse(id, ""),
  };
}

function hostedResult(block: JsonObject, type: string): JsonObject {
  const { content, is_error: isError, tool_use_id: id } = block;
  const isFailed = (isJsonObject(content) && isTruthy(content["error_code"])) || isTruthy(isError);
  const result = {
    type: "server_tool_result",
    tool_call_id: orElse(id, ""),
    status: isFailed ? "error" : "success",
    extras: { block_type: type },
    ...(isTruthy(content) && { output: content }),
    ...indexOf(block),
  };
  return addExtras(result, block, ["type", "tool_use_id", "content", "is_error", "index"]);
}

// citations

/** A text with the annotations that its `citations` become. */
export function citedText(block: JsonObject, convert: (citation: JsonObject) => JsonObject): JsonObject {
  const { text, citations } = block;
  if (!isTruthy(citations) || !Array.isArray(citations)) return { type: "text", text: orElse(text, "") };
  return { type: "text", text: orElse(text, ""), annotations: citations.filter(isJsonObject).map(convert) };
}

const locationTypes: readonly Json[] = [
  "char_location",
  "content_block_location",
  "page_location",
  "search_result_location",
];

function citationOf(citation: JsonObject): JsonObject {
  const { type, cited_text: quote, url, title, document_title: documentTitle } = citation;
  const isWeb = type === "web_search_result_location";
  const isKnown = isWeb ? url !== undefined : type !== undefined && locationTypes.includes(type);
  if (!isKnown || quote === undefined) return { type: "non_standard_annotation", value: citation };
  const named = !isWeb && documentTitle !== undefined ? documentTitle : isTruthy(title) ? title : undefined;
  const known = ["type", "cited_text", "title", "index", "extras", isWeb ? "url" : "document_title"];
  const standard = present({ type: "citation", cited_text: quote, url: isWeb ? url : undefined, title: named });
  return addExtras(standard, citation, known);
}

// documents and images of any message

/** undefined: no block of Anthropic's. */
export function anthropicFile(block: JsonObject): JsonObject | undefined {
  const { type, source } = block;
  if ((type !== "document" && type !== "image") || !isJsonObject(source) || source["type"] === undefined)
    return undefined;
  const file = fileOf(type, source, block["media_type"]);
  return file ? addExtras(file, block, ["type", "source"]) : { type: "non_standard", value: block };
}

function fileOf(from: "document" | "image", source: JsonObject, media: Json | undefined): JsonObject | undefined {
  const type = from === "image" ? "image" : "file";
  const { data, media_type: mimeType, url, file_id: id } = source;
  switch (at(source, "type")) {
    case "base64":
      return data === undefined || mimeType === undefined ? undefined : { type, base64: data, mime_type: mimeType };
    case "url":
      return url === undefined ? undefined : { type, url };
    case "file":
      return id === undefined ? undefined : { type, id };
    case "text":
      if (type === "image" || data === undefined) return undefined;
      return { type: "text-plain", text: data, mime_type: orElse(media, "text/plain") };
    default:
      return undefined;
  }
}
