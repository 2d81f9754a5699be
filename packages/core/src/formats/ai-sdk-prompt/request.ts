/** What a model of the AI SDK is called with: a prompt, tools and settings. */

import { noFields, readMetadata, writeMetadata } from "../../blocks/ai-sdk/metadata.ts";
import { decodeModelMessages, encodeModelMessages, type ModelPlace, modelFamily } from "../../blocks/ai-sdk/model.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Settings, Tool } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

export function readRequest(wire: JsonObject, place: ModelPlace, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const list = reader.array("prompt");
  if (!list) context.issue("no-prompt", ["prompt"], "a call has a list of messages as its `prompt`");
  const messages = decodeModelMessages(list ?? [], ["prompt"], { ...place, context });
  const tools = readTools(reader, place);
  const { settings, hints } = readSettings(reader, place);
  const isMissing = !list && reader.peek("prompt") === undefined;
  return {
    messages,
    ...defined<Omit<Conversation, "messages">>({
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...kept(modelFamily, reader.rest(), { ...hints, ...(isMissing && { $prompt: false }) }),
  };
}

export function writeRequest(conversation: Conversation, place: ModelPlace, context: EncodeContext): JsonObject {
  const messages = encodeModelMessages(conversation.messages, { ...place, context });
  const remainder = remainderOf(conversation, modelFamily);
  const hints = hintsOf(conversation, modelFamily);
  const isMissing = messages.length === 0 && (hints["$prompt"] === false || Object.hasOwn(remainder, "prompt"));
  const fields = present({
    prompt: isMissing ? undefined : messages,
    ...writeSettings(conversation, place, context),
    tools: conversation.tools?.map((tool, index) => writeTool(tool, index, { place, context })),
  });
  return fillAll(fields, remainder);
}

// settings

interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

function readSettings(reader: Reader, { generation }: ModelPlace): Read {
  const stop = reader.peek("stopSequences");
  const isList = Array.isArray(stop) && stop.every(text => typeof text === "string");
  if (isList) reader.take("stopSequences");
  const toolChoice = readChoice(reader);
  const format = readFormat(reader);
  const effort = generation >= 7 ? reader.string("reasoning") : undefined;
  const settings = defined<Settings>({
    maxOutputTokens: reader.number("maxOutputTokens"),
    temperature: reader.number("temperature"),
    topP: reader.number("topP"),
    topK: reader.number("topK"),
    stopSequences: isList ? (stop as readonly string[]) : undefined, // every item was looked at
    seed: reader.number("seed"),
    frequencyPenalty: reader.number("frequencyPenalty"),
    presencePenalty: reader.number("presencePenalty"),
    toolChoice,
    reasoning: effort === undefined ? undefined : { effort },
    responseFormat: format?.value,
  });
  return { settings, hints: format?.hints ?? {} };
}

function readChoice(reader: Reader): Settings["toolChoice"] | undefined {
  const choice = reader.peek("toolChoice");
  if (!isJsonObject(choice)) return undefined;
  const { type, toolName, ...others } = choice;
  const isTool = type === "tool" && typeof toolName === "string";
  const isWord = (type === "auto" || type === "none" || type === "required") && toolName === undefined;
  if ((!isTool && !isWord) || Object.keys(others).length > 0) return undefined;
  reader.take("toolChoice");
  return isWord ? type : { name: toolName as string }; // looked at
}

type Format = NonNullable<Settings["responseFormat"]>;

function readFormat(reader: Reader): { readonly value: Format; readonly hints: JsonObject } | undefined {
  const wire = reader.peek("responseFormat");
  const type = isJsonObject(wire) ? wire["type"] : undefined;
  if (!isJsonObject(wire) || (type !== "text" && type !== "json")) return undefined;
  reader.take("responseFormat");
  const inner = new Reader(wire);
  inner.take("type");
  const isJson = type === "json";
  const value = defined<Format>({
    type,
    schema: isJson ? inner.object("schema") : undefined,
    name: isJson ? inner.string("name") : undefined,
    description: isJson ? inner.string("description") : undefined,
  });
  const rest = inner.rest();
  return { value, hints: rest ? { responseFormat: rest } : {} };
}

function writeSettings(
  { settings = {} }: Conversation,
  { generation }: ModelPlace,
  context: EncodeContext,
): { readonly [member: string]: Json | undefined } {
  const { reasoning, responseFormat: format, toolChoice, stopSequences } = settings;
  const lose = (...path: string[]): void => context.lose("setting", ["settings", ...path]);
  if (reasoning?.budget !== undefined) lose("reasoning", "budget");
  if (reasoning?.summary !== undefined) lose("reasoning", "summary");
  if (format?.strict !== undefined) lose("responseFormat", "strict");
  const { schema, name, description } = format ?? {};
  const isNamed = schema !== undefined || name !== undefined || description !== undefined;
  if (format?.type === "text" && isNamed) lose("responseFormat");
  return {
    maxOutputTokens: settings.maxOutputTokens,
    temperature: settings.temperature,
    stopSequences,
    topP: settings.topP,
    topK: settings.topK,
    presencePenalty: settings.presencePenalty,
    frequencyPenalty: settings.frequencyPenalty,
    responseFormat:
      format && (format.type === "text" ? { type: "text" } : present({ type: "json", schema, name, description })),
    seed: settings.seed,
    toolChoice: toolChoice && writeChoice(toolChoice, () => lose("toolChoice")),
    reasoning: generation >= 7 ? reasoning?.effort : undefined,
  };
}

function writeChoice(choice: NonNullable<Settings["toolChoice"]>, lose: () => void): Json {
  if (typeof choice === "string") return { type: choice };
  if ("name" in choice) return { type: "tool", toolName: choice.name };
  lose();
  return { type: choice.required ? "required" : "auto" };
}

// tools

const hostedType = (generation: number): string => (generation < 6 ? "provider-defined" : "provider");

function readTools(reader: Reader, place: ModelPlace): readonly Tool[] | undefined {
  const list = reader.peek("tools");
  if (!Array.isArray(list)) return undefined;
  const tools = (list as readonly Json[]).map(tool => (isJsonObject(tool) ? readTool(tool, place) : undefined));
  if (!tools.every(tool => tool !== undefined)) return undefined;
  reader.take("tools");
  return tools;
}

/** Undefined where it has no name. */
function readTool(wire: JsonObject, { generation }: ModelPlace): Tool | undefined {
  const reader = new Reader(wire);
  const name = reader.string("name");
  if (name === undefined) return undefined;
  const { type, id } = wire;
  if (type === hostedType(generation) && typeof id === "string") {
    reader.take("type");
    return { name, kind: kindOf(id), ...kept(modelFamily, reader.rest()) };
  }
  const isFunction = reader.literal("type", "function");
  const description = reader.string("description");
  const input = reader.json("inputSchema");
  const strict = reader.boolean("strict");
  const options = reader.peek("providerOptions");
  const read = isJsonObject(options) ? readMetadata(options, noFields) : undefined;
  const cache = read?.members.cache;
  if (cache && !read?.members.seal) reader.take("providerOptions");
  const left = cache && !read?.members.seal && read?.rest ? { providerOptions: read.rest } : {};
  const hints = { ...(cache ? read?.hints : {}), ...(isFunction ? {} : { $type: type ?? false }) };
  const rest = { ...reader.rest(), ...left };
  return {
    name,
    ...defined<Partial<Tool>>({ description, input, strict, cache: read?.members.seal ? undefined : cache }),
    ...kept(modelFamily, Object.keys(rest).length > 0 ? rest : undefined, hints, ["type"]),
  };
}

/** Kinds of hosted tools by the words in their ids: `anthropic.web_search_20250305`, `openai.web_search_preview`. */
const kinds: readonly (readonly [words: RegExp, kind: string])[] = [
  [/web_?search|google_?search|enterprise_web/i, "web-search"],
  [/web_?fetch|url_?context/i, "web-fetch"],
  [/file_?search/i, "file-search"],
  [/code_?(interpreter|execution)/i, "code-interpreter"],
  [/image_?generation/i, "image-generation"],
  [/computer/i, "computer"],
  [/apply_?patch/i, "apply-patch"],
  [/tool_?search/i, "tool-search"],
  [/shell|bash/i, "shell"],
  [/mcp/i, "mcp"],
];

function kindOf(id: string): string {
  const word = id.slice(id.indexOf(".") + 1);
  return kinds.find(([words]) => words.test(word))?.[1] ?? "provider";
}

function writeTool(
  tool: Tool,
  index: number,
  { place, context }: { readonly place: ModelPlace; readonly context: EncodeContext },
): JsonObject {
  const lose = (member: string): void => context.lose("tool", ["tools", index, member]);
  const own = hintsOf(tool, modelFamily);
  const remainder = remainderOf(tool, modelFamily, ["type"]);
  const { id } = remainder;
  if (tool.kind !== undefined && typeof id === "string") {
    if (tool.kind !== kindOf(id)) lose("kind");
    for (const member of ["description", "input", "strict", "cache"] as const)
      if (tool[member] !== undefined) lose(member);
    return fillAll({ type: hostedType(place.generation), name: tool.name }, remainder);
  }
  if (tool.kind !== undefined) lose("kind");
  if (tool.strict !== undefined && place.generation < 6) lose("strict");
  const type = own["$type"] === undefined ? "function" : own["$type"] === false ? undefined : own["$type"];
  const metadata = tool.cache && writeMetadata({ cache: tool.cache }, noFields, own, "providerOptions");
  const isOlder = place.generation < 6;
  return fillAll(
    present({
      type,
      name: tool.name,
      description: tool.description,
      inputSchema: tool.input ?? (type === "function" && !isWithoutSchema(tool) ? emptySchema(lose) : undefined),
      strict: isOlder ? undefined : tool.strict,
      providerOptions: metadata,
    }),
    remainder,
  );
}

const isWithoutSchema = (tool: Tool): boolean => equalJson(hintsOf(tool, modelFamily)["$input"], false);

/** A function must say what it takes. */
function emptySchema(lose: (member: string) => void): Json {
  lose("input");
  return { type: "object", properties: {} };
}
