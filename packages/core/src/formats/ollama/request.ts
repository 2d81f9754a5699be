import { fitted, unfitHint, usualFormats, usualTools } from "../../blocks/json-schema/strictness.ts";
import { textInput } from "../../blocks/text-input.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, isCount, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Settings, Tool } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readMessages } from "./read-messages.ts";
import { family } from "./wire.ts";
import { writeMessages } from "./write-messages.ts";

/** Settings with the hints of how they were spelled. */
interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const list = reader.array("messages");
  // Without messages a request loads its model.
  if (!list && reader.peek("messages") !== undefined) {
    context.issue("no-messages", ["messages"], "a request has a list of messages");
  }
  const messages = readMessages(list ?? [], context, index => ["messages", index]);
  const model = reader.string("model");
  const tools = readTools(reader, context);
  const { settings, hints } = readSettings(reader);
  const missing = !list && reader.peek("messages") === undefined ? { $messages: false } : {};
  return {
    messages,
    ...defined<Omit<Conversation, "messages">>({
      model,
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...kept(family, reader.rest(), { ...hints, ...missing }),
  };
}

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { messages, model, tools, settings = {} } = conversation;
  const written = writeMessages(messages, context);
  const hints = hintsOf(conversation, family);
  const remainder = remainderOf(conversation, family);
  const isMissing = written.length === 0 && (hints["$messages"] === false || Object.hasOwn(remainder, "messages"));
  const fields = present({
    model,
    messages: isMissing ? undefined : written,
    tools: tools && writeTools(tools, context),
    ...writeSettings(settings, hints, context),
  });
  return fillAll(fields, remainder);
}

// tools

/** A list with something else than functions of different names stays as it is (R4). */
function readTools(reader: Reader, context: DecodeContext): Tool[] | undefined {
  const list = reader.peek("tools");
  if (list === undefined || list === null) return undefined;
  const names = Array.isArray(list) ? list.map(nameOf) : [];
  const isList = Array.isArray(list) && !names.includes(undefined) && new Set(names).size === names.length;
  if (!isList) {
    context.issue("unknown-tools", ["tools"], "expected a list of functions; kept as it is");
    return undefined;
  }
  reader.take("tools");
  return (list as readonly JsonObject[]).map(readTool); // each has a name
}

function nameOf(wire: Json): string | undefined {
  const holder = isJsonObject(wire) ? wire["function"] : undefined;
  const name = isJsonObject(holder) ? holder["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function readTool(wire: JsonObject): Tool {
  const reader = new Reader(wire);
  const inner = new Reader(reader.object("function") ?? {});
  const hasType = reader.literal("type", "function") || reader.peek("type") !== undefined;
  const fields = {
    name: inner.string("name") ?? "",
    description: inner.string("description"),
    input: inner.object("parameters"),
  };
  const rest = inner.rest();
  return defined<Tool>({
    ...fields,
    ...kept(family, reader.rest(), {
      ...(rest && { function: rest }),
      ...(!hasType && { $type: false }),
      ...unfitHint({ schema: fields.input }, usualTools, family),
    }),
  });
}

const writeTools = (tools: readonly Tool[], context: EncodeContext): Json =>
  tools.flatMap((tool, index): Json[] => {
    const { name, kind, description, input } = tool;
    if (kind !== undefined && kind !== "custom") {
      context.lose("host-tool", ["tools", index], kind);
      return [];
    }
    if (kind === "custom") context.lose("custom-tool", ["tools", index], name);
    const remainder = remainderOf(tool, family);
    const { $type: told, $unfit: unfit } = hintsOf(tool, family);
    const hasType = told !== false && !Object.hasOwn(remainder, "type");
    const path = ["tools", index];
    const place = { schema: [...path, "input"], strict: [...path, "strict"], lose: context.lose };
    const isOwn = context.recipient !== "provider" || unfit === family;
    const empty = kind === "custom" && context.recipient === "provider" ? textInput : undefined;
    const parameters = isOwn ? (input ?? empty) : fitted({ schema: input ?? empty }, usualTools, place).schema;
    const fields = present({
      type: hasType ? "function" : undefined,
      function: present({ name, description, parameters }),
    });
    return [fillAll(fields, remainder)];
  });

// settings

const areTexts = (value: Json): value is readonly string[] & Json =>
  Array.isArray(value) && value.every(each => typeof each === "string");

/** Below nothing, `num_predict` is no limit but a word for one. */
function readSettings(reader: Reader): Read {
  const options = reader.object("options");
  const inner = new Reader(options ?? {});
  const stop = inner.string("stop");
  const format = readFormat(reader);
  const settings = defined<Settings>({
    maxOutputTokens: inner.member("num_predict", isCount),
    temperature: inner.number("temperature"),
    topP: inner.number("top_p"),
    topK: inner.number("top_k"),
    seed: inner.number("seed"),
    frequencyPenalty: inner.number("frequency_penalty"),
    presencePenalty: inner.number("presence_penalty"),
    stopSequences: stop === undefined ? inner.member("stop", areTexts) : [stop],
    reasoning: readThinking(reader),
    responseFormat: format,
  });
  const rest = inner.rest();
  return {
    settings,
    hints: {
      ...(stop !== undefined && { $stop: "text" }),
      ...(options && Object.keys(options).length === 0 && { $options: true }),
      ...(rest && { options: rest }),
      ...unfitHint({ schema: format?.schema }, usualFormats, family),
    },
  };
}

/** `true` says that there is thinking, for which the model has no word; it stays the request's own. */
function readThinking(reader: Reader): Settings["reasoning"] {
  if (reader.literal("think", false)) return { effort: "none" };
  const effort = reader.member("think", isText);
  return effort === undefined ? undefined : { effort };
}

const isText = (value: Json): value is string => typeof value === "string" && value !== "";

function readFormat(reader: Reader): Settings["responseFormat"] {
  if (reader.literal("format", "json")) return { type: "json" };
  const schema = reader.object("format");
  return schema && { type: "json", schema };
}

function writeSettings(settings: Settings, hints: JsonObject, context: EncodeContext): JsonObject {
  const { stopSequences: stop } = settings;
  const [only] = stop ?? [];
  const options = present({
    num_predict: settings.maxOutputTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    seed: settings.seed,
    frequency_penalty: settings.frequencyPenalty,
    presence_penalty: settings.presencePenalty,
    stop: stop?.length === 1 && hints["$stop"] === "text" ? only : stop,
  });
  return present({
    options: Object.keys(options).length > 0 || hints["$options"] === true ? options : undefined,
    think: thinkOf(settings.reasoning, hints, context),
    format: formatOf(settings.responseFormat, hints, context),
  });
}

/** The levels that there are. */
const levels: { readonly [effort: string]: Json } = { none: false, low: "low", medium: "medium", high: "high" };
/** The nearest levels of what others ask for. */
const nearest: { readonly [effort: string]: Json } = { minimal: "low", xhigh: "high", max: "high" };

function thinkOf(reasoning: Settings["reasoning"], hints: JsonObject, context: EncodeContext): Json | undefined {
  if (!reasoning) return undefined;
  const { effort, budget, summary } = reasoning;
  const path = ["settings", "reasoning"];
  if (summary !== undefined) context.lose("setting", [...path, "summary"]);
  if (budget !== undefined) context.lose("setting", [...path, "budget"]);
  if (effort === undefined) return budget === undefined || Object.hasOwn(hints, "think") ? undefined : true;
  if (Object.hasOwn(levels, effort)) return levels[effort];
  const near = Object.hasOwn(nearest, effort) ? nearest[effort] : undefined;
  if (near === undefined) return effort;
  context.lose("effort", [...path, "effort"], effort);
  return near;
}

function formatOf(format: Settings["responseFormat"], hints: JsonObject, context: EncodeContext): Json | undefined {
  if (!format) return undefined;
  const path = ["settings", "responseFormat"];
  for (const member of ["name", "strict", "description"] as const) {
    if (format[member] !== undefined) context.lose("setting", [...path, member]);
  }
  const { type, schema } = format;
  if (type === "text") {
    context.lose("setting", path, type);
    return undefined;
  }
  if (schema === undefined) return "json";
  const place = { schema: [...path, "schema"], strict: path, lose: context.lose };
  const isOwn = context.recipient !== "provider" || hints["$unfit"] === family;
  if (isJsonObject(schema)) return isOwn ? schema : (fitted({ schema }, usualFormats, place).schema ?? schema);
  context.lose("setting", [...path, "schema"]);
  return "json";
}
