import { parsedCallsJs } from "../../blocks/langchain/chunk-calls.ts";
import { memberOf } from "../../blocks/langchain/escape.ts";
import { rowOf } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { contentBlocks } from "./content-blocks.ts";
import { at, callBlock, objectsOf } from "./content-blocks-message.ts";
import { Refusal, type Stored } from "./refusal.ts";

/**
 * `coerceMessageLikeToMessage` of @langchain/core 1.4.0 (read 2026-11-30): the message with the members that its constructor
 * adds, in the order in which it writes them.
 */
export function coerceForJs(input: Json | undefined): Stored | Refusal {
  if (typeof input === "string") return construct("human", { content: input });
  if (Array.isArray(input)) {
    const [type = null, content = null] = input as readonly Json[]; // a list of JSON
    return fromParams(type, { content });
  }
  if (!isJsonObject(input)) return new Refusal("it is neither a string, a tuple nor an object");
  const id = memberOf(input, "id");
  const kwargs = memberOf(input, "kwargs");
  const role = memberOf(input, "role");
  if (memberOf(input, "lc") === 1 && Array.isArray(id) && isObject(kwargs)) return fromSerialised(id.at(-1), kwargs);
  if (typeof role === "string") return fromParams(role, without(input, "role", "type"));
  return fromParams(memberOf(input, "type") ?? null, without(input, "type"));
}

const isObject = (value: Json | undefined): value is JsonObject => isJsonObject(value);

/** Class names that are understood; chunks become whole messages. */
const typesOfClasses: { readonly [name: string]: string } = {
  HumanMessage: "human",
  HumanMessageChunk: "human",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  SystemMessage: "system",
  SystemMessageChunk: "system",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
};

function fromSerialised(name: Json | undefined, kwargs: JsonObject): Stored | Refusal {
  const type = typeof name === "string" ? rowOf(typesOfClasses, name) : undefined;
  return type === undefined ? new Refusal("its class is none that is understood") : fromParams(type, kwargs);
}

function fromParams(type: Json, rest: JsonObject): Stored | Refusal {
  switch (type) {
    case "human":
    case "user":
      return construct("human", rest);
    case "ai":
    case "assistant":
      return constructAi(rest);
    case "system":
      return construct("system", rest);
    case "developer": {
      const kwargs = memberOf(rest, "additional_kwargs");
      const flagged = { ...(isJsonObject(kwargs) && kwargs), __openai_role__: "developer" };
      return construct("system", { ...rest, additional_kwargs: flagged });
    }
    case "tool":
      if (!Object.hasOwn(rest, "tool_call_id")) return new Refusal("a tool's message needs its `tool_call_id`");
      return construct("tool", Object.hasOwn(rest, "content") ? rest : { ...rest, content: blocksOf(rest) ?? null });
    case "remove":
      if (typeof memberOf(rest, "id") !== "string") return new Refusal("a removal needs the `id` of what it removes");
      return construct("remove", { ...rest, content: [] });
    default:
      return new Refusal("its role or type is none of human, ai, system, developer and tool");
  }
}

function constructAi(rest: JsonObject): Stored | Refusal {
  const calls = memberOf(rest, "tool_calls");
  if (!Array.isArray(calls))
    return construct("ai", withBlocks(withLists(calls === null ? { ...rest, tool_calls: [] } : rest)));
  const coerced: Json[] = [];
  for (const call of calls as readonly Json[]) {
    const made = coerceCall(call);
    if (made === undefined) return new Refusal("the arguments of a call are no JSON");
    coerced.push(made);
  }
  return construct("ai", withBlocks(withLists({ ...without(rest, "tool_calls"), tool_calls: coerced })));
}

const blocksOf = (rest: JsonObject): Json | undefined => memberOf(rest, "contentBlocks");

/** Calls of the list and of the blocks are each other's: those that one of them lacks it gets. */
function withBlocks(given: JsonObject): JsonObject {
  const rest = asBlocks(given);
  const blocks = blocksOf(rest);
  if (!Array.isArray(blocks)) return rest;
  const listed = objectsOf(memberOf(rest, "tool_calls"));
  const inside = objectsOf(blocks).filter(({ type }) => type === "tool_call");
  const lacking = (these: readonly JsonObject[], those: readonly JsonObject[]): JsonObject[] =>
    these.filter(({ id, name }) => !those.some(other => other["id"] === id && other["name"] === name));
  const more = lacking(inside, listed).map(({ id = null, name = null, args = null }) => ({
    type: "tool_call",
    id,
    name,
    args,
  }));
  return {
    ...rest,
    contentBlocks: [...(blocks as readonly Json[]), ...lacking(listed, inside).map(callBlock)], // a list of JSON
    ...(more.length > 0 && { tool_calls: [...listed, ...more] }),
  };
}

/** The content of an answer that says it is of version v1 is made of blocks. */
function asBlocks(rest: JsonObject): JsonObject {
  const { content } = rest;
  const isMarked = at(rest, "response_metadata", "output_version") === "v1";
  if (!isMarked || content === undefined) return rest;
  const text: readonly Json[] = content === null || content === "" ? [] : [{ type: "text", text: content }];
  const blocks = typeof content === "string" || content === null ? text : Array.isArray(content) ? content : [content];
  return { ...rest, contentBlocks: blocks };
}

/** A call in OpenAI's form, with its arguments read; others as they are. */
function coerceCall(call: Json): Json | undefined {
  if (!isJsonObject(call) || call["type"] !== "function" || typeof call["id"] !== "string") return call;
  const inner = call["function"];
  if (!isJsonObject(inner) || typeof inner["arguments"] !== "string" || typeof inner["name"] !== "string") return call;
  const args = parse(inner["arguments"]);
  return args && { id: call["id"], args: args.value, name: inner["name"], type: "tool_call" };
}

function parse(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json }; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

/** Raw calls of OpenAI's fill both lists where no list was given. */
function withLists(rest: JsonObject): JsonObject {
  const raw = memberOf(isObject(rest["additional_kwargs"]) ? rest["additional_kwargs"] : {}, "tool_calls");
  if (Object.hasOwn(rest, "tool_calls") || !Array.isArray(raw)) return rest;
  return { ...rest, ...parsedCallsJs(raw) };
}

function construct(type: string, rest: JsonObject): Stored {
  const data: MutableJsonObject = {};
  for (const key of Object.keys(rest)) {
    const value = rest[key] ?? null;
    if (key === "content" && value === null) data["content"] = [];
    else if (key === "contentBlocks") setMember(data, "content_blocks", value);
    else setMember(data, snakeCase(key), value);
  }
  if (type === "ai") for (const list of ["tool_calls", "invalid_tool_calls"]) data[list] ??= [];
  for (const member of ["additional_kwargs", "response_metadata"]) if (!data[member]) data[member] = {};
  const metadata = data["response_metadata"];
  const blocks = blocksOf(rest);
  if (blocks === undefined) return { type, data };
  const isMarked = isJsonObject(metadata) && metadata["output_version"] === "v1";
  if (type === "ai" && isMarked && Object.hasOwn(rest, "content")) data["content"] = blocks;
  const isOfBlocks = !Object.hasOwn(rest, "content") || rest["content"] === blocks;
  if (isJsonObject(metadata) && isOfBlocks) data["response_metadata"] = { output_version: "v1", ...metadata };
  // What it writes under this name is its view of the content.
  data["content_blocks"] = contentBlocks({ content: blocks, ...data, type }, { language: "js" });
  return { type, data };
}

/** Names of members are written so, whatever case they were given in. */
const snakeCase = (key: string): string =>
  key
    .replace(/([A-Z]+)([A-Z][a-z0-9]+)/g, "$1_$2")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-_\s]+/g, "_")
    .toLowerCase();

function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(object)) if (!names.includes(key)) setMember(rest, key, object[key] ?? null);
  return rest;
}
