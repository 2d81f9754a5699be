import { fitted, unfitHint, usualFormats } from "../../blocks/json-schema/strictness.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Settings } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readMessages } from "./read-messages.ts";
import { readTools, writeTools } from "./tools.ts";
import { family } from "./wire.ts";
import { writeMessages } from "./write-messages.ts";
import { writingOf } from "./writing.ts";

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
  const { settings, hints } = readSettings(reader);
  const head = defined<Omit<Conversation, "messages">>({
    model: reader.string("model"),
    tools: readTools(reader, context),
    settings: Object.keys(settings).length > 0 ? settings : undefined,
  });
  const missing = !list && reader.peek("messages") === undefined ? { $messages: false } : {};
  const bare = isUnmarked(list?.at(-1)) ? { $prefix: false } : {};
  return { messages, ...head, ...kept(family, reader.rest(), { ...hints, ...missing, ...bare }) };
}

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { model, tools, settings = {} } = conversation;
  const hints = hintsOf(conversation, family);
  const written = writeMessages(conversation.messages, writingOf(context, conversation.messages));
  const messages = marked(written, hints, context, conversation.messages.length - 1);
  const remainder = remainderOf(conversation, family);
  const isMissing = messages.length === 0 && (hints["$messages"] === false || Object.hasOwn(remainder, "messages"));
  const fields = present({
    model,
    messages: isMissing ? undefined : messages,
    tools: tools && writeTools(tools, context),
    ...writeSettings(settings, hints, context),
  });
  return fillAll(fields, remainder);
}

/** What the API refuses as the last message: it goes on only with what is marked as a beginning. */
const isUnmarked = (message: Json | undefined): message is JsonObject =>
  isJsonObject(message) &&
  message["role"] === "assistant" &&
  !Object.hasOwn(message, "prefix") &&
  message["tool_calls"] === undefined;

/** The messages, the last of which says that the answer goes on with it where it is the assistant's. */
function marked(messages: Json[], hints: JsonObject, { recipient, lose }: EncodeContext, last: number): Json[] {
  const end = messages.at(-1);
  if (recipient !== "provider" || hints["$prefix"] === false || !isUnmarked(end)) return messages;
  lose("prefix", ["messages", last]);
  return [...messages.slice(0, -1), { ...end, prefix: true }];
}

// settings

function readSettings(reader: Reader): Read {
  const choice = readChoice(reader);
  const stop = readStop(reader);
  const format = readFormat(reader);
  const effort = reader.string("reasoning_effort");
  const settings = defined<Settings>({
    maxOutputTokens: reader.number("max_tokens"),
    temperature: reader.number("temperature"),
    topP: reader.number("top_p"),
    seed: reader.number("random_seed"),
    frequencyPenalty: reader.number("frequency_penalty"),
    presencePenalty: reader.number("presence_penalty"),
    parallelToolCalls: reader.boolean("parallel_tool_calls"),
    reasoning: effort === undefined ? undefined : { effort },
    ...stop.settings,
    ...choice.settings,
    ...format.settings,
  });
  return { settings, hints: { ...choice.hints, ...stop.hints, ...format.hints } };
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

type ToolChoice = NonNullable<Settings["toolChoice"]>;

/** A spelling of its own is kept beside what it means (R1). */
function readChoice(reader: Reader): Read {
  const wire = reader.peek("tool_choice");
  const toolChoice = wire === undefined ? undefined : toolChoiceOf(wire);
  if (wire === undefined || toolChoice === undefined) return { settings: {}, hints: {} };
  reader.take("tool_choice");
  return {
    settings: { toolChoice },
    hints: equalJson(wire, writeToolChoice(toolChoice)) ? {} : { $tool_choice: wire },
  };
}

/** `any` and `required` are one; what is none of the words is the name of a function. */
function toolChoiceOf(wire: Json): ToolChoice | undefined {
  if (wire === "auto" || wire === "none" || wire === "required") return wire;
  if (wire === "any") return "required";
  const holder = isJsonObject(wire) ? wire["function"] : undefined;
  const name = isJsonObject(holder) ? holder["name"] : undefined;
  return typeof name === "string" ? { name } : undefined;
}

function writeToolChoice(choice: ToolChoice): Json {
  if (typeof choice === "string") return choice === "required" ? "any" : choice;
  if ("name" in choice) return { type: "function", function: { name: choice.name } };
  return choice.required ? "any" : "auto";
}

type Format = NonNullable<Settings["responseFormat"]>;

function readFormat(reader: Reader): Read {
  const wire = reader.peek("response_format");
  const outer = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = outer?.string("type");
  const inner = type === "json_schema" ? outer?.object("json_schema") : undefined;
  const schema = inner && new Reader(inner);
  const isPlain = type === "text" || type === "json_object";
  if (!outer || (!isPlain && !schema)) return { settings: {}, hints: {} };
  reader.take("response_format");
  const format = defined<Format>({
    type: type === "text" ? "text" : "json",
    name: schema?.string("name"),
    description: schema?.string("description"),
    schema: schema?.object("schema"),
    strict: schema?.boolean("strict"),
  });
  const left = schema?.rest();
  const rest = left ? { ...outer.rest(), json_schema: left } : outer.rest();
  const isBare = schema !== undefined && formatMembers.every(member => format[member] === undefined);
  const isUnnamed = schema !== undefined && format.name === undefined;
  return {
    settings: { responseFormat: format },
    hints: {
      ...(rest && { response_format: rest }),
      ...(isUnnamed && { $formatName: false }),
      ...(isBare && { $format: "json_schema" }),
      ...unfitHint({ schema: format.schema }, usualFormats, family),
    },
  };
}

const formatMembers = ["name", "description", "schema", "strict"] as const;

/** A schema needs a name on this wire. */
function writeFormat(format: Format, hints: JsonObject, context: EncodeContext): JsonObject {
  const { type, name, description, schema, strict } = format;
  if (type === "text") return { type: "text" };
  const isBare = formatMembers.every(member => format[member] === undefined);
  if (isBare && hints["$format"] !== "json_schema") return { type: "json_object" };
  const isUnnamed = hints["$formatName"] === false;
  if (name === undefined && !isUnnamed) context.lose("format-name", ["settings", "responseFormat", "name"]);
  const written = name ?? (isUnnamed ? undefined : "answer");
  const path = ["settings", "responseFormat"];
  const place = { schema: [...path, "schema"], strict: [...path, "strict"], lose: context.lose };
  const isOwn = context.recipient !== "provider" || hints["$unfit"] === family;
  const taken = isOwn ? schema : fitted({ schema }, usualFormats, place).schema;
  return { type: "json_schema", json_schema: present({ name: written, description, schema: taken, strict }) };
}

function writeSettings(settings: Settings, hints: JsonObject, context: EncodeContext): JsonObject {
  const { stopSequences: stop, toolChoice, reasoning, responseFormat } = settings;
  for (const member of ["budget", "summary"] as const) {
    if (reasoning?.[member] !== undefined) context.lose("setting", ["settings", "reasoning", member]);
  }
  return present({
    temperature: settings.temperature,
    top_p: settings.topP,
    max_tokens: settings.maxOutputTokens,
    random_seed: settings.seed,
    frequency_penalty: settings.frequencyPenalty,
    presence_penalty: settings.presencePenalty,
    parallel_tool_calls: settings.parallelToolCalls,
    reasoning_effort: reasoning?.effort,
    stop: stop && (hints["$stop"] === "string" && stop.length === 1 ? stop[0] : stop),
    tool_choice: toolChoice === undefined ? undefined : choiceOf(toolChoice, hints, context),
    response_format: responseFormat && writeFormat(responseFormat, hints, context),
  });
}

function choiceOf(choice: ToolChoice, hints: JsonObject, context: EncodeContext): Json {
  const { $tool_choice: raw } = hints;
  if (raw !== undefined && equalJson(toolChoiceOf(raw), choice)) return raw;
  if (typeof choice === "object" && "allowed" in choice) context.lose("tool-choice", ["settings", "toolChoice"]);
  return writeToolChoice(choice);
}
