/** What langchain-core makes of the blocks of Google's integrations and of Bedrock Converse. */

import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  at,
  type Blocks,
  isBlock,
  isNumber,
  isText,
  objectOf,
  objectsOf,
  type ViewMessage,
} from "./content-blocks-message.ts";
import type { NewId } from "./content-blocks-python.ts";
import { calledBlock, citedText, nonStandard, openChunk } from "./content-blocks-python-anthropic.ts";
import { codeBlock, codeResult } from "./content-blocks-python-input.ts";
import { addExtras, chunkBlock, dataUri, indexOf, isTruthy, orElse } from "./content-blocks-python-shape.ts";

export function genaiView(message: ViewMessage, newId: NewId): Blocks {
  const { content } = message;
  const texts: Blocks = isText(content) && content !== "" ? [{ type: "text", text: content }] : [];
  const blocks = isText(content) ? texts : content.map(genaiBlock);
  return [...withCitations(blocks, message.metadata, newId), ...missingCalls(message, blocks)];
}

function genaiBlock(item: Json): Json {
  if (isText(item)) return { type: "text", text: item };
  if (!isJsonObject(item)) return { type: "non_standard", value: item };
  const block = pieceOf(item);
  return block["index"] === undefined && isTruthyIndex(item["index"]) ? { ...block, index: item["index"] } : block;
}

const isTruthyIndex = (index: Json | undefined): index is Json => index !== undefined && index !== null;

function pieceOf(item: JsonObject): JsonObject {
  const { type } = item;
  switch (type) {
    case "text":
      return item;
    case "image_url":
      return imageOf(item);
    case "function_call":
      return {
        type: "tool_call",
        name: orElse(item["name"], ""),
        args: orElse(item["args"], {}),
        id: orElse(item["id"], ""),
      };
    case "file_data": {
      const { file_uri: url, mime_type: mimeType } = item;
      return { type: "file", url: orElse(url, ""), ...(isTruthy(mimeType) && { mime_type: mimeType }) };
    }
    case "thinking": {
      const { thinking, signature } = item;
      return {
        type: "reasoning",
        reasoning: orElse(thinking, ""),
        ...(isTruthy(signature) && { extras: { signature } }),
      };
    }
    case "executable_code":
      return codeBlock(item);
    case "code_execution_result":
      return codeResult(item, type);
    default:
      return { type: "non_standard", value: item };
  }
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A data URL, or what is base64 by its letters. */
function imageOf(item: JsonObject): JsonObject {
  const url = at(item, "image_url", "url");
  const read = isText(url) ? dataUri(url) : undefined;
  if (read) return { type: "image", base64: read.data, mime_type: read.mimeType };
  return isText(url) && url !== "" && base64.test(url)
    ? { type: "image", base64: url }
    : { type: "non_standard", value: item };
}

function missingCalls({ calls, callChunks }: ViewMessage, blocks: Blocks): Blocks {
  const ids = blocks.filter(block => isBlock(block, "tool_call")).map(block => at(block, "id"));
  return calls
    .filter(call => isTruthy(call["id"]) && !ids.includes(call["id"]))
    .map(({ id, name, args }) => {
      const { index } = objectOf(callChunks.findLast(chunk => chunk["id"] === id && isTruthyIndex(chunk["index"])));
      const placed = isTruthyIndex(index) ? `lc_tc_${wordOf(index)}` : undefined;
      return present({ type: "tool_call", id, name, args, index: placed });
    });
}

const wordOf = (value: Json): string => (isText(value) ? value : JSON.stringify(value));

// grounding

/** The citations of the answer stand on its first text. */
function withCitations(blocks: Blocks, metadata: JsonObject, newId: NewId): Blocks {
  const citations = citationsOf(objectOf(metadata["grounding_metadata"]), newId);
  const first = blocks.findIndex(block => isBlock(block, "text"));
  if (citations.length === 0) return blocks;
  return blocks.map((block, index) => (index === first ? { ...objectOf(block), annotations: citations } : block));
}

function citationsOf(grounding: JsonObject, newId: NewId): JsonObject[] {
  const chunks = grounding["grounding_chunks"];
  const queries = orElse(grounding["web_search_queries"], []);
  const list: Blocks = Array.isArray(chunks) ? chunks : [];
  return objectsOf(grounding["grounding_supports"]).flatMap(support => {
    const { segment, grounding_chunk_indices: indices, confidence_scores: scores } = support;
    const places: Blocks = Array.isArray(indices) ? indices : [];
    return places.flatMap(place => {
      const chunk = isNumber(place) ? list[place] : undefined;
      if (chunk === undefined) return [];
      const [web, maps] = [at(chunk, "web"), at(chunk, "maps")];
      const placeId = at(maps, "placeId");
      const google = {
        web_search_queries: queries,
        grounding_chunk_index: place,
        confidence_scores: isTruthy(scores) ? scores : [],
        ...(isTruthy(placeId) && { place_id: placeId }),
      };
      return [
        presentOnly({
          type: "citation",
          id: newId?.(),
          url: firstOf(at(maps, "uri"), at(web, "uri")),
          title: firstOf(at(maps, "title"), at(web, "title")),
          start_index: at(segment, "start_index"),
          end_index: at(segment, "end_index"),
          cited_text: at(segment, "text"),
          extras: { google_ai_metadata: google },
        }),
      ];
    });
  });
}

const firstOf = (left: Json | undefined, right: Json | undefined): Json | undefined => (isTruthy(left) ? left : right);

/** Nulls are left out, too. */
const presentOnly = (members: { readonly [key: string]: Json | undefined }): JsonObject =>
  present(Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)));

// Bedrock Converse

export function converseView(message: ViewMessage): Blocks {
  const { content, kwargs, calls } = message;
  if (content === "" && Object.keys(kwargs).length === 0 && calls.length === 0) return [];
  const list: Blocks = isText(content) ? [{ type: "text", text: content }] : content;
  return list.filter(isJsonObject).map(block => converseBlock(block, message));
}

function converseBlock(block: JsonObject, message: ViewMessage): JsonObject {
  switch (block["type"]) {
    case "text":
      return { ...citedText(block, citationOf), ...indexOf(block) };
    case "reasoning_content":
      return reasoningOf(block);
    case "tool_use": {
      const chunk = openChunk(message);
      return chunk ? chunkBlock(chunk) : { ...calledBlock(block, message), ...indexOf(block) };
    }
    case "input_json_delta": {
      const [only, ...others] = message.callChunks;
      return message.isChunk && only && others.length === 0 ? chunkBlock(only) : nonStandard(block);
    }
    default:
      return nonStandard(block);
  }
}

function reasoningOf(block: JsonObject): JsonObject {
  const [text, signature] = [at(block, "reasoning_content", "text"), at(block, "reasoning_content", "signature")];
  const reasoning = present({
    type: "reasoning",
    reasoning: isTruthy(text) ? text : undefined,
    extras: isTruthy(signature) ? { signature } : undefined,
    ...indexOf(block),
  });
  return addExtras(reasoning, block, ["type", "reasoning_content", "index", "extras"]);
}

function citationOf(citation: JsonObject): JsonObject {
  const { title, source_content: content } = citation;
  const isQuoted = Array.isArray(content) && content.length > 0 && content.every(isJsonObject);
  const quote = isQuoted
    ? objectsOf(content)
        .map(item => (isText(item["text"]) ? item["text"] : ""))
        .join("")
    : undefined;
  const standard = present({ type: "citation", title, cited_text: quote });
  return addExtras(standard, citation, ["type", "source_content", "title", "index", "extras"]);
}
