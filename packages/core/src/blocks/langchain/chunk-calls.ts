import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { parsePartialJson } from "./partial-json.ts";

/** The members of an AI message that are made of its `tool_call_chunks`. */
export interface ChunkCalls {
  readonly [member: string]: Json;
  readonly tool_call_chunks: readonly Json[];
  readonly tool_calls: readonly Json[];
  readonly invalid_tool_calls: readonly Json[];
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** `collapseToolCallChunks` of @langchain/core: fragments of one id and index are one call. */
export function collapseJs(chunks: readonly Json[]): ChunkCalls {
  const tool_calls: Json[] = [];
  const invalid_tool_calls: Json[] = [];
  for (const group of groupsOf(chunks)) {
    const name = group[0]?.["name"] ?? "";
    const joined = group.map(({ args }) => textOf(args)).join("");
    const id = group.find(chunk => chunk["id"])?.["id"] ?? group[0]?.["id"];
    const isRaw = group.some(({ isCustomTool }) => isCustomTool === true);
    if (isRaw && id) {
      tool_calls.push({ name, args: { input: joined }, id, type: "tool_call" });
      continue;
    }
    const text = (isRaw ? joined : joined.trim()) || "{}";
    const args = parsePartialJson(text, "js");
    if (id && isJsonObject(args)) tool_calls.push({ name, args, id, type: "tool_call" });
    else {
      const call = { name, args: text, ...(id !== undefined && { id }), error: "Malformed args." };
      invalid_tool_calls.push({ ...call, type: "invalid_tool_call" });
    }
  }
  return { tool_call_chunks: chunks, tool_calls, invalid_tool_calls };
}

/** A fragment joins the first group whose first fragment has its id and index, or the one of the two that it has. */
function groupsOf(chunks: readonly Json[]): readonly JsonObject[][] {
  const groups: JsonObject[][] = [];
  const byKey = new Map<string, JsonObject[]>();
  for (const chunk of chunks) {
    if (!isJsonObject(chunk)) continue;
    const { id, index } = chunk;
    const keys = {
      both: JSON.stringify(["both", id ?? null, index === undefined ? "none" : [index]]),
      id: JSON.stringify(["id", id ?? null]),
      index: JSON.stringify(["index", index === undefined ? "none" : [index]]),
    };
    const hasIndex = index !== undefined;
    const key = id ? (hasIndex ? keys.both : keys.id) : hasIndex ? keys.index : undefined;
    const known = key === undefined ? undefined : byKey.get(key);
    if (known) known.push(chunk);
    else {
      const group = [chunk];
      groups.push(group);
      for (const each of Object.values(keys)) if (!byKey.has(each)) byKey.set(each, group);
    }
  }
  return groups;
}

/** `defaultToolCallParser` of @langchain/core: calls as OpenAI writes them. */
export function parsedCallsJs(raw: readonly Json[]): Pick<ChunkCalls, "tool_calls" | "invalid_tool_calls"> {
  const tool_calls: Json[] = [];
  const invalid_tool_calls: Json[] = [];
  for (const call of raw) {
    if (!isJsonObject(call) || !isJsonObject(call["function"])) continue;
    const { name = "", arguments: text = "" } = call["function"];
    const id = call["id"] === undefined ? {} : { id: call["id"] };
    try {
      const args = JSON.parse(textOf(text)) as Json; // JSON.parse gives JSON
      tool_calls.push({ name: name || "", args: args || {}, ...id });
    } catch {
      invalid_tool_calls.push({ name, args: text, ...id, error: "Malformed args." });
    }
  }
  return { tool_calls, invalid_tool_calls };
}

/** Python's `init_tool_calls`: each fragment by itself. */
export function readPython(chunks: readonly Json[]): ChunkCalls {
  const tool_calls: Json[] = [];
  const invalid_tool_calls: Json[] = [];
  for (const chunk of chunks) {
    if (!isJsonObject(chunk)) continue;
    const { name = null, args = null, id = null } = chunk;
    const value = typeof args === "string" && args !== "" ? parsePartialJson(args, "python") : {};
    if (isJsonObject(value)) tool_calls.push({ name: name || "", args: value, id, type: "tool_call" });
    else invalid_tool_calls.push({ name, args, id, error: null, type: "invalid_tool_call" });
  }
  return { tool_call_chunks: chunks, tool_calls, invalid_tool_calls };
}

/** A text that no continuation could make an object stays one, in an invalid call; a call without an id is one all the same. */
export function readLossless(chunks: readonly Json[]): ChunkCalls {
  const tool_calls: Json[] = [];
  const invalid_tool_calls: Json[] = [];
  for (const chunk of chunks) {
    if (!isJsonObject(chunk)) continue;
    const { name = null, args = null, id = null } = chunk;
    const text = textOf(args);
    if (chunk["isCustomTool"] === true) {
      tool_calls.push({ name: name ?? "", args: { input: text }, id, type: "tool_call" });
      continue;
    }
    const isText = args === null || typeof args === "string";
    const value = isText ? (text.trim() === "" ? {} : parsePartialJson(text)) : args;
    if (isJsonObject(value)) tool_calls.push({ name: name ?? "", args: value, id, type: "tool_call" });
    else invalid_tool_calls.push({ name, args, id, error: "Malformed args.", type: "invalid_tool_call" });
  }
  return { tool_call_chunks: chunks, tool_calls, invalid_tool_calls };
}

/** Whether a call of the lists is what LangChain reads of the fragment. */
export const isOfChunk = (call: Json, chunk: Json): boolean =>
  isJsonObject(call) &&
  isJsonObject(chunk) &&
  (isBlank(call["id"]) || call["id"] === chunk["id"]) &&
  (isBlank(call["name"]) || isBlank(chunk["name"]) || call["name"] === chunk["name"]);

const isBlank = (value: Json | undefined): boolean => value === undefined || value === null || value === "";
