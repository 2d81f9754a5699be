import { hasState, withoutState } from "../../blocks/host-state.ts";
import { fitted, isFit } from "../../blocks/json-schema/strictness.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Settings } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readMessages } from "./decode-message.ts";
import { type Asked, type Dialect, dialectOf, formatSchemas } from "./dialects.ts";
import { writeMessages } from "./encode-message.ts";
import { readTools, writeTools } from "./tools.ts";
import { family } from "./wire.ts";

/** Settings with the hints of how they were spelled. */
interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const list = reader.array("messages");
  if (!list) context.issue("no-messages", ["messages"], "a request has a list of messages");
  const messages = readMessages(list ?? [], context, index => ["messages", index]);
  const model = reader.string("model");
  const tools = readTools(reader, context, model);
  const { settings, hints } = readSettings(reader, { dialect: context.dialect, model });
  const rest = reader.rest();
  const isBound = context.dialect !== usualHost && hasState(rest);
  const missing = !list && reader.peek("messages") === undefined ? { $messages: false } : {};
  return {
    messages,
    ...defined<Omit<Conversation, "messages">>({
      model,
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...kept(family, rest, { ...hints, ...missing, ...(isBound && { $host: context.dialect }) }),
  };
}

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { model, tools = [], settings = {} } = conversation;
  const messages = writeMessages(conversation, context);
  const hints = hintsOf(conversation, family);
  const remainder = forThisHost(remainderOf(conversation, family), hints, context);
  const isMissing = messages.length === 0 && (hints["$messages"] === false || Object.hasOwn(remainder, "messages"));
  const fields = present({
    model,
    messages: isMissing ? undefined : messages,
    ...(conversation.tools && writeTools(tools, context)),
    ...writeSettings(settings, { conversation, context }),
  });
  return fillAll(fields, remainder);
}

/** The host of what says no other. */
const usualHost = "openai";

/** What another host has stored is not known to this one (R14). */
function forThisHost(
  remainder: JsonObject,
  { $host: host = usualHost }: JsonObject,
  context: EncodeContext,
): JsonObject {
  if (context.recipient !== "provider" || host === context.dialect) return remainder;
  return withoutState(remainder, name => context.lose("foreign-state", ["native", family, name]));
}

// settings

function readSettings(reader: Reader, asked: Asked): Read {
  const choice = readChoice(reader);
  const length = readFirst(reader, ["max_completion_tokens", "max_tokens"]);
  const stop = readStop(reader);
  const reasoning = readEffort(reader);
  const format = readFormat(reader, asked);
  const settings = defined<Settings>({
    temperature: reader.number("temperature"),
    topP: reader.number("top_p"),
    topK: reader.number("top_k"),
    seed: reader.number("seed"),
    frequencyPenalty: reader.number("frequency_penalty"),
    presencePenalty: reader.number("presence_penalty"),
    parallelToolCalls: reader.boolean("parallel_tool_calls"),
    maxOutputTokens: length?.value,
    ...stop.settings,
    ...choice.settings,
    ...reasoning.settings,
    ...format.settings,
  });
  const hints = { ...choice.hints, ...stop.hints, ...reasoning.hints, ...format.hints };
  return { settings, hints: length ? { ...hints, $maxTokens: length.member } : hints };
}

function readFirst(reader: Reader, members: readonly string[]): { member: string; value: number } | undefined {
  for (const member of members) {
    const value = reader.number(member);
    if (value !== undefined) return { member, value };
  }
  return undefined;
}

function readStop(reader: Reader): Read {
  const one = reader.string("stop");
  if (one !== undefined) return { settings: { stopSequences: [one] }, hints: { $stop: "string" } };
  const list = reader.peek("stop");
  const isList = Array.isArray(list) && list.every(item => typeof item === "string");
  if (!isList) return { settings: {}, hints: {} };
  reader.take("stop");
  return { settings: { stopSequences: list as readonly string[] }, hints: {} }; // every item was looked at
}

/** `tool_choice`, or `function_call` of the legacy form; a spelling of its own is kept beside what it means (R1). */
function readChoice(reader: Reader): Read {
  for (const member of ["tool_choice", "function_call"] as const) {
    const wire = reader.peek(member);
    const toolChoice = wire === undefined ? undefined : toolChoiceOf(wire);
    if (toolChoice === undefined || wire === undefined) continue;
    reader.take(member);
    const isUsual = member === "tool_choice" && equalJson(wire, writeToolChoice(toolChoice, new Set()));
    return { settings: { toolChoice }, hints: isUsual ? {} : { [`$${member}`]: wire } };
  }
  return { settings: {}, hints: {} };
}

type ToolChoice = NonNullable<Settings["toolChoice"]>;

function toolChoiceOf(wire: Json): ToolChoice | undefined {
  if (wire === "auto" || wire === "none" || wire === "required") return wire;
  if (wire === "any") return "required";
  if (!isJsonObject(wire)) return undefined;
  const name = nameOf(wire) ?? (typeof wire["name"] === "string" ? wire["name"] : undefined);
  if (name !== undefined) return { name };
  const allowed = wire["allowed_tools"];
  const tools = isJsonObject(allowed) ? allowed["tools"] : undefined;
  if (wire["type"] !== "allowed_tools" || !isJsonObject(allowed) || !Array.isArray(tools)) return undefined;
  const names = tools.map(tool => (isJsonObject(tool) ? nameOf(tool) : undefined));
  if (!names.every(each => each !== undefined)) return undefined;
  return allowed["mode"] === "required" ? { allowed: names, required: true } : { allowed: names };
}

/** The name inside of `{ type: "function", function: { name } }` and its custom sister. */
function nameOf(wire: JsonObject): string | undefined {
  const { type } = wire;
  const holder = type === "function" || type === "custom" ? wire[type] : undefined;
  const name = isJsonObject(holder) ? holder["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function writeToolChoice(choice: ToolChoice, custom: ReadonlySet<string>): Json {
  if (typeof choice === "string") return choice;
  const named = (name: string): JsonObject => {
    const type = custom.has(name) ? "custom" : "function";
    return { type, [type]: { name } };
  };
  if ("name" in choice) return named(choice.name);
  const mode = choice.required ? "required" : "auto";
  return { type: "allowed_tools", allowed_tools: { mode, tools: choice.allowed.map(named) } };
}

/** `reasoning_effort`, or OpenRouter's `reasoning` with a budget besides. */
function readEffort(reader: Reader): Read {
  const effort = reader.string("reasoning_effort");
  if (effort !== undefined) return { settings: { reasoning: { effort } }, hints: { $effort: "reasoning_effort" } };
  const wire = reader.peek("reasoning");
  if (!isJsonObject(wire)) return { settings: {}, hints: {} };
  const inner = new Reader(wire);
  const reasoning = defined<NonNullable<Settings["reasoning"]>>({
    effort: inner.string("effort"),
    budget: inner.number("max_tokens"),
  });
  if (Object.keys(reasoning).length === 0) return { settings: {}, hints: {} };
  reader.take("reasoning");
  const rest = inner.rest();
  return { settings: { reasoning }, hints: { $effort: "reasoning", ...(rest && { reasoning: rest }) } };
}

function readFormat(reader: Reader, asked: Asked): Read {
  const wire = reader.peek("response_format");
  const responseFormat = isJsonObject(wire) ? formatOf(wire) : undefined;
  if (!isJsonObject(wire) || !responseFormat) return { settings: {}, hints: {} };
  reader.take("response_format");
  const rest = remainderOfFormat(wire);
  const isUnnamed = wire["type"] === "json_schema" && responseFormat.name === undefined;
  const unfit = isFit(responseFormat, formatSchemas(asked)) ? {} : { $unfitFormat: asked.dialect };
  const hints = { ...(rest && { response_format: rest }), ...(isUnnamed && { $formatName: false }), ...unfit };
  return { settings: { responseFormat }, hints };
}

type Format = NonNullable<Settings["responseFormat"]>;

function formatOf(wire: JsonObject): Format | undefined {
  if (wire["type"] === "text") return { type: "text" };
  if (wire["type"] === "json_object") return { type: "json" };
  const inner = wire["json_schema"];
  if (wire["type"] !== "json_schema" || !isJsonObject(inner)) return undefined;
  const reader = new Reader(inner);
  const format = defined<Format>({
    type: "json",
    name: reader.string("name"),
    description: reader.string("description"),
    schema: reader.object("schema"),
    strict: reader.boolean("strict"),
  });
  return format.name === undefined && !format.schema ? undefined : format;
}

function remainderOfFormat(wire: JsonObject): JsonObject | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const inner = wire["type"] === "json_schema" ? reader.object("json_schema") : undefined;
  const innerReader = new Reader(inner ?? {});
  innerReader.string("name");
  innerReader.string("description");
  innerReader.object("schema");
  innerReader.boolean("strict");
  const [rest, left] = [reader.rest(), innerReader.rest()];
  return rest || left ? { ...rest, ...(left && { json_schema: left }) } : undefined;
}

interface Writing {
  readonly conversation: Conversation;
  readonly context: EncodeContext;
}

function writeSettings(settings: Settings, { conversation, context }: Writing): JsonObject {
  const hints = hintsOf(conversation, family);
  const dialect = dialectOf(context);
  const { stopSequences: stop, maxOutputTokens, toolChoice } = settings;
  const custom = new Set((conversation.tools ?? []).flatMap(({ kind, name }) => (kind === "custom" ? [name] : [])));
  const length = pick(dialect.maxTokens, hints["$maxTokens"], "max_completion_tokens");
  return present({
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    seed: settings.seed,
    frequency_penalty: settings.frequencyPenalty,
    presence_penalty: settings.presencePenalty,
    parallel_tool_calls: settings.parallelToolCalls,
    ...(maxOutputTokens !== undefined && { [length]: maxOutputTokens }),
    stop: stop && (hints["$stop"] === "string" && stop.length === 1 ? stop[0] : stop),
    ...(toolChoice !== undefined && choiceFields(toolChoice, custom, hints)),
    ...effortFields(settings.reasoning, { hints, dialect, context }),
    response_format: settings.responseFormat && writeFormat(settings.responseFormat, hints, context),
  });
}

/** The spelling that was read, where the reader takes it, else the reader's usual one. */
function pick(members: readonly string[], hint: Json | undefined, usual: string): string {
  const read = typeof hint === "string" ? hint : undefined;
  if (read !== undefined && members.includes(read)) return read;
  return members[0] ?? usual;
}

function choiceFields(choice: ToolChoice, custom: ReadonlySet<string>, hints: JsonObject): JsonObject {
  for (const member of ["tool_choice", "function_call"]) {
    const raw = hints[`$${member}`];
    if (raw !== undefined && equalJson(toolChoiceOf(raw), choice)) return { [member]: raw };
  }
  return { tool_choice: writeToolChoice(choice, custom) };
}

function effortFields(
  reasoning: Settings["reasoning"],
  about: { readonly hints: JsonObject; readonly dialect: Dialect; readonly context: EncodeContext },
): JsonObject {
  if (!reasoning) return {};
  const { effort, budget, summary } = reasoning;
  const { hints, dialect, context } = about;
  const isObject = pick(dialect.effort, hints["$effort"], "reasoning_effort") === "reasoning";
  if (summary !== undefined) context.lose("setting", ["settings", "reasoning", "summary"]);
  if (isObject) return { reasoning: present({ effort, max_tokens: budget }) };
  if (budget !== undefined) context.lose("setting", ["settings", "reasoning", "budget"]);
  return effort === undefined ? {} : { reasoning_effort: effort };
}

const formatMembers = ["schema", "name", "description", "strict"] as const;

/** A schema needs a name on this wire. */
function writeFormat(format: Format, hints: JsonObject, context: EncodeContext): Json {
  const { type, name, description } = format;
  if (type === "text") return { type: "text" };
  const isBare = formatMembers.every(member => format[member] === undefined);
  if (!isBare && !dialectOf(context).hasSchemas) {
    for (const member of formatMembers) {
      if (format[member] !== undefined) context.lose("setting", ["settings", "responseFormat", member]);
    }
    return { type: "json_object" };
  }
  if (isBare) return { type: "json_object" };
  const isUnnamed = hints["$formatName"] === false;
  const isOwn = context.recipient !== "provider" || hints["$unfitFormat"] === context.dialect;
  const path = ["settings", "responseFormat"];
  const place = { schema: [...path, "schema"], strict: [...path, "strict"], lose: context.lose };
  const { schema, strict } = isOwn ? format : fitted(format, formatSchemas(context), place);
  if (name === undefined && !isUnnamed) context.lose("format-name", ["settings", "responseFormat", "name"]);
  const written = name ?? (isUnnamed ? undefined : "answer");
  return { type: "json_schema", json_schema: present({ name: written, description, schema, strict }) };
}
