/** What langchain-core makes of OpenAI's answers: Chat's where the content is text, else the items of Responses. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  at,
  type Blocks,
  isBlock,
  isNumber,
  isText,
  objectsOf,
  parsed,
  type ViewMessage,
  without,
} from "./content-blocks-message.ts";
import { openChunk } from "./content-blocks-python-anthropic.ts";
import { addExtras, callBlock, chunkBlock, isTruthy, knownTypes, orElse } from "./content-blocks-python-shape.ts";

export function openaiView(message: ViewMessage): Blocks {
  const { content } = message;
  if (isText(content)) return chatView(content, message);
  const items = isOfFirst(message, content) ? bucketed(message, content) : content;
  return items.filter(isJsonObject).flatMap(block => itemBlocks(block, { message, items }));
}

function chatView(content: string, { calls, callChunks, isChunk, isLast }: ViewMessage): Blocks {
  const text: Blocks = content === "" ? [] : [{ type: "text", text: content }];
  return [...text, ...(isChunk && !isLast ? callChunks.map(chunkBlock) : calls.map(callBlock))];
}

// messages of langchain-openai 0.3, which kept the items beside the content

const itemIds = "__openai_function_call_ids__";

function isOfFirst({ kwargs, metadata, id }: ViewMessage, content: Blocks): boolean {
  if (!content.every(isJsonObject)) return false;
  if (["reasoning", "tool_outputs", "refusal", itemIds].some(key => kwargs[key] !== undefined)) return true;
  const { id: response } = metadata;
  return id?.startsWith("msg_") === true && isText(response) && response.startsWith("resp_");
}

const order = [
  "reasoning",
  "code_interpreter_call",
  "mcp_call",
  "image_generation_call",
  "text",
  "refusal",
  "function_call",
  "computer_call",
  "mcp_list_tools",
  "mcp_approval_request",
];

/** The items in the order in which the package put them together again. */
function bucketed(message: ViewMessage, content: Blocks): Blocks {
  const { kwargs, id } = message;
  const { reasoning, refusal, tool_outputs: outputs } = kwargs;
  const texts = content.filter(block => isBlock(block, "text"));
  const owned = id?.startsWith("msg_") ? texts.map(text => ({ ...text, id })) : texts;
  const known: JsonObject[] = [
    ...(isJsonObject(reasoning) && isTruthy(reasoning)
      ? [{ ...reasoning, type: orElse(reasoning["type"], "reasoning") }]
      : []),
    ...(isTruthy(refusal) ? [{ type: "refusal", refusal }] : []),
    ...owned,
    ...callItems(message),
  ];
  const given: Blocks = Array.isArray(outputs) ? outputs : [];
  const isKnown = (item: Json): item is JsonObject =>
    isJsonObject(item) && isText(item["type"]) && order.includes(item["type"]);
  const all = [...known, ...given.filter(isKnown)];
  const rest = [...content.filter(block => !isBlock(block, "text")), ...given.filter(item => !isKnown(item))];
  return [...order.flatMap(type => all.filter(item => item["type"] === type)), ...rest];
}

function callItems(message: ViewMessage): JsonObject[] {
  const ids = message.kwargs[itemIds];
  const item = (name: Json | undefined, callId: Json | undefined): JsonObject =>
    present({
      type: "function_call",
      name,
      call_id: callId ?? null,
      id: isText(callId) ? (at(ids, callId) ?? undefined) : undefined,
    });
  const chunk = openChunk(message);
  return chunk ? [item(chunk["name"], chunk["id"])] : message.calls.map(call => item(call["name"], call["id"]));
}

// items of Responses

interface From {
  readonly message: ViewMessage;
  readonly items: Blocks;
}

function itemBlocks(block: JsonObject, from: From): Blocks {
  const { type } = block;
  const read = isText(type) ? rowOf(readers, type) : undefined;
  const read_ = read?.(block, from);
  if (read_) return read_;
  if (type !== undefined && knownTypes.includes(type)) return [block];
  const index = prefixed(block, "ns");
  return [{ type: "non_standard", value: block["index"] === undefined ? block : without(block, "index"), ...index }];
}

/** Indexes become texts, which are merged by and never joined. */
const prefixed = (block: JsonObject, prefix: string): JsonObject =>
  block["index"] === undefined ? {} : { index: `lc_${prefix}_${wordOf(block["index"])}` };

/** A result stands one behind its call. */
const following = (block: JsonObject, prefix: string): JsonObject =>
  isNumber(block["index"]) ? { index: `lc_${prefix}_${block["index"] + 1}` } : {};

const wordOf = (value: Json): string => (isText(value) ? value : JSON.stringify(value));

type Read = (block: JsonObject, from: From) => Blocks | undefined;

const readers: { readonly [type: string]: Read } = {
  text: block => {
    const { annotations } = block;
    const standard = { ...block, text: orElse(block["text"], "") };
    return [
      {
        ...standard,
        ...(Array.isArray(annotations) && { annotations: objectsOf(annotations).map(annotationOf) }),
        ...prefixed(block, "txt"),
      },
    ];
  },
  reasoning: exploded,
  image_generation_call: block => {
    const { result, output_format: format, id } = block;
    if (!isTruthy(result)) return undefined;
    const mimeType = isText(format) && format !== "" ? `image/${format}` : undefined;
    const image = present({ type: "image", base64: result, mime_type: mimeType, id, ...prefixed(block, "img") });
    return [
      { ...image, ...extrasOf(block, ["status", "background", "output_format", "quality", "revised_prompt", "size"]) },
    ];
  },
  function_call: (block, { message }) => {
    const call = calledBlock(block, message);
    if (!call) return [];
    const item = block["id"] === undefined ? {} : { item_id: block["id"] };
    const more = pick(block, ["status", "namespace", "async"]);
    const extras = { ...(isJsonObject(call["extras"]) && call["extras"]), ...item, ...more };
    return [{ ...call, ...prefixed(block, "tc"), ...(Object.keys(extras).length > 0 && { extras }) }];
  },
  web_search_call: (block, { items }) => {
    const { id, action } = block;
    const sources = at(action, "sources");
    const args = isJsonObject(action) ? without(action, "sources") : {};
    const call = { type: "server_tool_call", name: "web_search", args, id: id ?? null, ...prefixed(block, "wsc") };
    const more = without(block, "type", "id", "action", "status", "index");
    const isAnswered = items.some(item => isBlock(item, "web_search_result") && item["id"] === id);
    const output = isTruthy(sources) ? { output: { sources } } : {};
    return [{ ...call, ...more }, ...(isAnswered ? [] : [{ ...resultOf(block, output), ...following(block, "wsr") }])];
  },
  file_search_call: block => {
    const { id, queries, results } = block;
    const args = { queries: orElse(queries, []) };
    const call = { type: "server_tool_call", name: "file_search", id: id ?? null, args, ...prefixed(block, "fsc") };
    const more = without(block, "type", "id", "queries", "results", "status", "index");
    const result = resultOf(block, isTruthy(results) ? { output: results } : {});
    return [
      { ...call, ...more },
      { ...result, ...following(block, "fsr") },
    ];
  },
  code_interpreter_call: block => {
    const { id, code, outputs } = block;
    const args = code === undefined ? undefined : { code };
    const call = present({ type: "server_tool_call", name: "code_interpreter", id, args, ...prefixed(block, "cic") });
    const known = ["type", "id", "outputs", "status", "code", "extras", "index"];
    const result = resultOf(block, outputs === undefined ? {} : { output: outputs });
    return [addExtras(call, block, known), { ...result, ...following(block, "cir") }];
  },
  mcp_call: block => {
    const { id, arguments: given, name, server_label: server, output } = block;
    const args = isText(given) && given !== "" ? parsed(given) : undefined;
    const isMalformed = isText(given) && given !== "" && args === undefined;
    const extras = present({ arguments: isMalformed ? given : undefined, tool_name: name, server_label: server });
    const call = present({
      type: "server_tool_call",
      name: "remote_mcp",
      id,
      args,
      ...withExtras(extras),
      ...prefixed(block, "mcp"),
    });
    const known = ["type", "id", "arguments", "name", "server_label", "output", "error", "extras", "index"];
    return [addExtras(call, block, known), { ...failableResult(block, output), ...following(block, "mcpr") }];
  },
  mcp_list_tools: block => {
    const { id, server_label: server, tools } = block;
    const extras = present({ server_label: server });
    const call = present({
      type: "server_tool_call",
      name: "mcp_list_tools",
      args: {},
      id,
      ...withExtras(extras),
      ...prefixed(block, "mlt"),
    });
    const known = ["type", "id", "name", "server_label", "tools", "error", "extras", "index"];
    return [addExtras(call, block, known), { ...failableResult(block, tools), ...following(block, "mltr") }];
  },
  tool_search_call: block => {
    if (block["execution"] !== "server") return undefined;
    const args = orElse(block["arguments"], {});
    const call = {
      type: "server_tool_call",
      name: "tool_search",
      id: block["id"] ?? null,
      args,
      ...prefixed(block, "tsc"),
    };
    return [addExtras(call, block, ["type", "id", "arguments", "index"])];
  },
  tool_search_output: block => {
    if (block["execution"] !== "server") return undefined;
    const result = resultOf(block, { output: { tools: orElse(block["tools"], []) } }, false);
    const index = isNumber(block["index"]) ? prefixed(block, "tso") : {};
    const named = { ...result, ...index, extras: { name: "tool_search" } };
    return [addExtras(named, block, ["type", "id", "status", "tools", "index"])];
  },
};

const pick = (block: JsonObject, keys: readonly string[]): JsonObject =>
  present(Object.fromEntries(keys.map(key => [key, block[key]])));

const withExtras = (extras: JsonObject): JsonObject => (Object.keys(extras).length > 0 ? { extras } : {});

const extrasOf = (block: JsonObject, keys: readonly string[]): JsonObject => withExtras(pick(block, keys));

/** The result of an item, by the item's status. */
function resultOf({ id, status }: JsonObject, output: JsonObject, keepsStatus = true): JsonObject {
  const result = { type: "server_tool_result", tool_call_id: id ?? null, ...output };
  if (status === "failed") return { ...result, status: "error" };
  if (status === "completed") return { ...result, status: "success" };
  return isTruthy(status) && keepsStatus ? { ...result, extras: { status } } : result;
}

function failableResult({ id, error }: JsonObject, output: Json | undefined): JsonObject {
  return {
    type: "server_tool_result",
    tool_call_id: id ?? null,
    ...(isTruthy(output) && { output }),
    ...(isTruthy(error) ? { extras: { error }, status: "error" } : { status: "success" }),
  };
}

/** The call that an item is about: an item without one is left out. */
function calledBlock({ call_id: callId }: JsonObject, message: ViewMessage): JsonObject | undefined {
  const chunk = openChunk(message);
  if (chunk) return chunk;
  if (!isTruthy(callId)) return undefined;
  const call = message.calls.find(({ id }) => id === callId);
  return call ? callBlock(call) : message.invalidCalls.find(({ id }) => id === callId);
}

/** One block for each entry of the summary; what else the item has stands on the first. */
function exploded(block: JsonObject): Blocks {
  const { summary } = block;
  if (summary === undefined) return [block];
  const known = ["type", "reasoning", "id", "index"];
  const common = pick(block, known);
  const more = without(block, "summary", ...known);
  const entries = objectsOf(summary);
  if (entries.length === 0) return [{ ...common, ...withExtras(more), ...hexIndex(block, 0) }];
  return entries.map((entry, index) => ({
    ...common,
    reasoning: orElse(entry["text"], ""),
    ...(index === 0 && more),
    ...hexIndex(block, entry["index"] ?? 0),
  }));
}

/** The hexadecimal UTF-8 of both indexes. */
function hexIndex({ index }: JsonObject, entry: Json): JsonObject {
  if (index === undefined) return {};
  const bytes = new TextEncoder().encode(`${wordOf(index)}_${wordOf(entry)}`);
  return { index: `lc_rs_${Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("")}` };
}

function annotationOf(annotation: JsonObject): JsonObject {
  const { type, end_index, start_index, title, url, filename } = annotation;
  if (type === "url_citation") {
    const standard = present({ end_index, start_index, title, type: "citation", url });
    return addExtras(standard, annotation, ["type", "url", "title", "cited_text", "start_index", "end_index"]);
  }
  if (type !== "file_citation") return { type: "non_standard_annotation", value: annotation };
  const standard = present({ type: "citation", title: filename });
  return addExtras(standard, annotation, ["type", "title", "cited_text", "start_index", "end_index", "filename"]);
}
