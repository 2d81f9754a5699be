import { hasState } from "../../blocks/host-state.ts";
import { fitted, isFit } from "../../blocks/json-schema/strictness.ts";
import { Calls } from "../../blocks/openai-responses/calls.ts";
import { itemsOf, readItems, writeItems, writingOf } from "../../blocks/openai-responses/messages.ts";
import { type ReadScope, usualHost } from "../../blocks/openai-responses/node.ts";
import { readTool, type Taken, writeTool } from "../../blocks/openai-responses/tools.ts";
import { messageOf } from "../../codec/by-shape.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Message, Settings, Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { formatSchemas, readScope, writeScope } from "./dialects.ts";
import { family } from "./wire.ts";

/** The messages of a list of items. */
export function readList(
  list: readonly Json[],
  context: DecodeContext,
  about: { readonly model?: string | undefined; readonly first?: number; readonly path?: Path } = {},
): Message[] {
  const { model, first = 0, path = [] } = about;
  const scope = { ...readScope(context, { model, form: "request" }), calls: new Calls() };
  return readItems(list, scope, index => [...path, index]).map((message, index) => {
    if (message.carry !== undefined) context.carried(first + index, message.carry);
    return messageOf(message);
  });
}

/** The items of messages, each written from those that it says. */
export function writeList(messages: readonly Message[], context: EncodeContext, model?: string, first = 0): Json[] {
  const scope = writeScope(context, { model, form: "request" });
  const writing = writingOf(messages, { scope, made: () => undefined });
  const groups = writeItems(messages, writing, index => ["messages", first + index]);
  for (const { items, first: from, count } of groups) context.wrote([items], first + from, count);
  return itemsOf(groups);
}

export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const model = reader.string("model");
  const instructions = reader.string("instructions");
  const system: Message[] =
    instructions === undefined
      ? []
      : [
          {
            role: "system",
            parts: [{ type: "text", text: instructions }],
            ...kept(family, undefined, { $place: "instructions" }),
          },
        ];
  const input = readInput(reader, context, { model, first: system.length });
  const tools = readTools(reader, readScope(context, { model, form: "request" }));
  const { settings, hints } = readSettings(reader, { dialect: context.dialect, model });
  const rest = reader.rest();
  const isBound = hasState(rest) || tools?.some(tool => hasState(tool.native?.[family])) === true;
  return {
    messages: [...system, ...input.messages],
    ...defined<Omit<Conversation, "messages">>({
      model,
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...kept(family, rest, {
      ...hints,
      ...input.hints,
      ...(isBound && context.dialect !== usualHost && { $host: context.dialect }),
    }),
  };
}

function readInput(
  reader: Reader,
  context: DecodeContext,
  about: { readonly model: string | undefined; readonly first: number },
): { readonly messages: readonly Message[]; readonly hints: JsonObject } {
  const text = reader.string("input");
  if (text !== undefined)
    return { messages: [{ role: "user", parts: [{ type: "text", text }] }], hints: { $input: "string" } };
  const list = reader.array("input");
  if (list) return { messages: readList(list, context, { ...about, path: ["input"] }), hints: {} };
  if (reader.peek("input") !== undefined)
    context.issue("unknown-input", ["input"], "expected a text or a list of items; kept as it is");
  return { messages: [], hints: reader.peek("input") === undefined ? { $input: false } : {} };
}

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { model, tools, settings = {} } = conversation;
  const [first, ...others] = conversation.messages;
  const instructions = first && instructionsOf(first);
  const hints = hintsOf(conversation, family);
  const remainder = remainderOf(conversation, family);
  const messages = instructions === undefined ? conversation.messages : others;
  const input = writeList(messages, context, model, instructions === undefined ? 0 : 1);
  const fields = present({
    model,
    instructions,
    input: inputOf(input, hints, remainder),
    ...(tools && { tools: writeTools(tools, context, model) }),
    ...writeSettings(settings, { conversation, context }),
  });
  return fillAll(fields, remainder);
}

/** The system message that stood in a place of its own, while it still is one text and the first. */
function instructionsOf({ role, parts, native }: Message): string | undefined {
  const [only] = parts;
  const isPlain = parts.length === 1 && only?.type === "text" && Object.keys(only).length === 2;
  return role === "system" && native?.[family]?.["$place"] === "instructions" && isPlain ? only.text : undefined;
}

function inputOf(items: readonly Json[], { $input: told }: JsonObject, remainder: JsonObject): Json | undefined {
  const [only] = items;
  if (items.length === 0 && (told === false || Object.hasOwn(remainder, "input"))) return undefined;
  const isText = told === "string" && items.length === 1 && isJsonObject(only) && Object.keys(only).length === 2;
  return isText && typeof only["content"] === "string" ? only["content"] : items;
}

function readTools(reader: Reader, scope: ReadScope): readonly Tool[] | undefined {
  const wire = reader.peek("tools");
  if (!Array.isArray(wire) || !wire.every(isJsonObject)) return undefined;
  reader.take("tools");
  const taken: Taken = new Map();
  return wire.map(tool => readTool(tool, scope, taken));
}

function writeTools(tools: readonly Tool[], context: EncodeContext, model: string | undefined): Json[] {
  const scope = writeScope(context, { model, form: "request" });
  return tools.flatMap((tool, index) => writeTool(tool, ["tools", index], scope) ?? []);
}

// settings

interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

interface Asked {
  readonly dialect: string;
  readonly model: string | undefined;
}

function readSettings(reader: Reader, asked: Asked): Read {
  const choice = readChoice(reader);
  const reasoning = readReasoning(reader);
  const format = readFormat(reader, asked);
  const settings = defined<Settings>({
    maxOutputTokens: reader.number("max_output_tokens"),
    temperature: reader.number("temperature"),
    topP: reader.number("top_p"),
    parallelToolCalls: reader.boolean("parallel_tool_calls"),
    ...choice.settings,
    ...reasoning.settings,
    ...format.settings,
  });
  return { settings, hints: { ...choice.hints, ...reasoning.hints, ...format.hints } };
}

const nothing: Read = { settings: {}, hints: {} };
type ToolChoice = NonNullable<Settings["toolChoice"]>;

/** A spelling of its own is kept beside what it means (R1). */
function readChoice(reader: Reader): Read {
  const wire = reader.peek("tool_choice");
  const toolChoice = wire === undefined ? undefined : choiceOf(wire);
  if (wire === undefined || toolChoice === undefined) return nothing;
  reader.take("tool_choice");
  const isUsual = equalJson(wire, writeChoice(toolChoice, new Set()));
  return { settings: { toolChoice }, hints: isUsual ? {} : { $tool_choice: wire } };
}

function choiceOf(wire: Json): ToolChoice | undefined {
  if (wire === "auto" || wire === "none" || wire === "required") return wire;
  if (!isJsonObject(wire)) return undefined;
  const { type, tools } = wire;
  if (type !== "allowed_tools") {
    const name = nameOf(wire);
    return name === undefined ? undefined : { name };
  }
  const names = Array.isArray(tools)
    ? tools.map((tool: Json) => (isJsonObject(tool) ? nameOf(tool) : undefined))
    : [undefined];
  if (!names.every(name => name !== undefined)) return undefined;
  return wire["mode"] === "required" ? { allowed: names, required: true } : { allowed: names };
}

/** Of a hosted tool its type, of an MCP server's its label. */
function nameOf(wire: JsonObject): string | undefined {
  const name = wire["name"] ?? wire["server_label"] ?? wire["type"];
  return typeof name === "string" ? name : undefined;
}

function writeChoice(choice: ToolChoice, types: ReadonlySet<string>, typeOf = usualType(types)): Json {
  if (typeof choice === "string") return choice;
  if ("name" in choice) return typeOf(choice.name);
  return { type: "allowed_tools", mode: choice.required ? "required" : "auto", tools: choice.allowed.map(typeOf) };
}

const usualType =
  (custom: ReadonlySet<string>) =>
  (name: string): JsonObject => ({ type: custom.has(name) ? "custom" : "function", name });

function readReasoning(reader: Reader): Read {
  const wire = reader.peek("reasoning");
  if (!isJsonObject(wire)) return nothing;
  const inner = new Reader(wire);
  const reasoning = defined<NonNullable<Settings["reasoning"]>>({
    effort: inner.string("effort"),
    budget: inner.number("max_tokens"),
    summary: inner.string("summary"),
  });
  if (Object.keys(reasoning).length === 0) return nothing;
  reader.take("reasoning");
  const rest = inner.rest();
  return { settings: { reasoning }, hints: rest ? { reasoning: rest } : {} };
}

type Format = NonNullable<Settings["responseFormat"]>;

function readFormat(reader: Reader, asked: Asked): Read {
  const text = reader.peek("text");
  const outer = isJsonObject(text) ? new Reader(text) : undefined;
  const wire = outer?.object("format");
  const inner = wire && new Reader(wire);
  const type = inner?.peek("type");
  if (!outer || !inner || (type !== "text" && type !== "json_object" && type !== "json_schema")) return nothing;
  inner.take("type");
  const responseFormat: Format =
    type === "json_schema"
      ? defined<Format>({
          type: "json",
          name: inner.string("name"),
          description: inner.string("description"),
          schema: inner.object("schema"),
          strict: inner.boolean("strict"),
        })
      : { type: type === "text" ? "text" : "json" };
  if (type === "json_schema" && Object.keys(responseFormat).length === 1) return nothing;
  reader.take("text");
  const [rest, left] = [outer.rest(), inner.rest()];
  const remainder = rest || left ? { text: { ...rest, ...(left && { format: left }) } } : {};
  const unfit = isFit(responseFormat, formatSchemas(asked, asked.model)) ? {} : { $unfitFormat: asked.dialect };
  const isUnnamed = type === "json_schema" && responseFormat.name === undefined;
  return { settings: { responseFormat }, hints: { ...remainder, ...(isUnnamed && { $formatName: false }), ...unfit } };
}

interface Writing {
  readonly conversation: Conversation;
  readonly context: EncodeContext;
}

function writeSettings(settings: Settings, { conversation, context }: Writing): JsonObject {
  const hints = hintsOf(conversation, family);
  const { reasoning, responseFormat, toolChoice } = settings;
  if (reasoning?.budget !== undefined && context.recipient === "provider" && context.dialect !== "openrouter") {
    context.lose("setting", ["settings", "reasoning", "budget"]);
  }
  const isBare = reasoning?.budget !== undefined && Object.keys(reasoning).length === 1;
  const takesBudget = context.recipient !== "provider" || context.dialect === "openrouter";
  return present({
    max_output_tokens: settings.maxOutputTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    parallel_tool_calls: settings.parallelToolCalls,
    tool_choice: toolChoice === undefined ? undefined : toldChoice(toolChoice, { conversation, context }),
    reasoning:
      reasoning &&
      (isBare && !takesBudget
        ? undefined
        : present({
            effort: reasoning.effort,
            max_tokens: takesBudget ? reasoning.budget : undefined,
            summary: reasoning.summary,
          })),
    text: responseFormat && { format: formatOf(responseFormat, hints, { conversation, context }) },
  });
}

/** As it was read while it still means that; else by what the tools are. */
function toldChoice(choice: ToolChoice, { conversation }: Writing): Json {
  const { $tool_choice: raw } = hintsOf(conversation, family);
  if (raw !== undefined && equalJson(choiceOf(raw), choice)) return raw;
  const tools = new Map((conversation.tools ?? []).map(tool => [tool.name, tool]));
  const typeOf = (name: string): JsonObject => {
    const tool = tools.get(name);
    const { $tool: hosted, $named: member } = tool ? hintsOf(tool, family) : {};
    if (typeof hosted === "string" && member === "server_label") return { type: hosted, server_label: name };
    if (typeof hosted === "string" && hosted !== "") return { type: hosted };
    if (tool?.kind !== undefined && tool.kind !== "custom") return { type: name };
    return { type: tool?.kind === "custom" ? "custom" : "function", name };
  };
  return writeChoice(choice, new Set(), typeOf);
}

/** A schema needs a name on this wire. */
function formatOf(format: Format, hints: JsonObject, { conversation, context }: Writing): JsonObject {
  const { type, name, description } = format;
  if (type === "text") return { type: "text" };
  const isBare = [name, description, format.schema, format.strict].every(member => member === undefined);
  if (isBare) return { type: "json_object" };
  const isUnnamed = hints["$formatName"] === false;
  const isOwn = context.recipient !== "provider" || hints["$unfitFormat"] === context.dialect;
  const path = ["settings", "responseFormat"];
  const place = { schema: [...path, "schema"], strict: [...path, "strict"], lose: context.lose };
  const { schema, strict } = isOwn ? format : fitted(format, formatSchemas(context, conversation.model), place);
  if (name === undefined && !isUnnamed) context.lose("format-name", ["settings", "responseFormat", "name"]);
  return present({
    type: "json_schema",
    name: name ?? (isUnnamed ? undefined : "answer"),
    description,
    schema,
    strict,
  });
}
