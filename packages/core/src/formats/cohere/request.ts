import { fitted, unfitHint, usualFormats } from "../../blocks/json-schema/strictness.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, isCount, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Settings } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readMessages } from "./read-messages.ts";
import { readTools, writeTools } from "./tools.ts";
import { family } from "./wire.ts";
import { writeMessages } from "./write-messages.ts";

/** Settings with the hints of how they were spelled. */
interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

const nothing: Read = { settings: {}, hints: {} };

/** Documents, safety and citation options have no field in the model: they stay the request's own. */
export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const list = reader.array("messages");
  if (!list) context.issue("no-messages", ["messages"], "a request has a list of messages");
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
    ...(tools && writeTools(tools, context)),
    ...writeSettings(settings, hints, context),
  });
  return fillAll(fields, remainder);
}

function readSettings(reader: Reader): Read {
  const choice = readChoice(reader);
  const reasoning = readThinking(reader);
  const format = readFormat(reader);
  const settings = defined<Settings>({
    maxOutputTokens: reader.number("max_tokens"),
    temperature: reader.number("temperature"),
    topP: reader.number("p"),
    topK: reader.number("k"),
    seed: reader.number("seed"),
    frequencyPenalty: reader.number("frequency_penalty"),
    presencePenalty: reader.number("presence_penalty"),
    stopSequences: reader.member("stop_sequences", areTexts),
    ...choice.settings,
    ...reasoning.settings,
    ...format.settings,
  });
  return { settings, hints: { ...reasoning.hints, ...format.hints } };
}

const areTexts = (value: Json): value is readonly string[] & Json =>
  Array.isArray(value) && value.every(each => typeof each === "string");

function readChoice(reader: Reader): Read {
  if (reader.literal("tool_choice", "REQUIRED")) return { settings: { toolChoice: "required" }, hints: {} };
  return reader.literal("tool_choice", "NONE") ? { settings: { toolChoice: "none" }, hints: {} } : nothing;
}

/** Without a budget it only says that there is thinking, which has no word of its own in the model. */
function readThinking(reader: Reader): Read {
  const wire = reader.peek("thinking");
  const inner = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = inner?.peek("type");
  const budget = type === "enabled" ? inner?.member("token_budget", isCount) : undefined;
  const isOff = type === "disabled" && inner?.peek("token_budget") === undefined;
  if (!inner || (!isOff && budget === undefined)) return nothing;
  reader.take("thinking");
  inner.take("type");
  const rest = inner.rest();
  return {
    settings: { reasoning: budget === undefined ? { effort: "none" } : { budget } },
    hints: rest ? { thinking: rest } : {},
  };
}

function readFormat(reader: Reader): Read {
  const wire = reader.peek("response_format");
  const inner = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = inner?.peek("type");
  if (!inner || (type !== "text" && type !== "json_object")) return nothing;
  reader.take("response_format");
  inner.take("type");
  const isJson = type === "json_object";
  const schema = isJson ? inner.object("json_schema") : undefined;
  // The first version's name for it, which the API still takes.
  const older = isJson && schema === undefined ? inner.object("schema") : undefined;
  const rest = inner.rest();
  const responseFormat = defined<NonNullable<Settings["responseFormat"]>>({
    type: isJson ? "json" : "text",
    schema: schema ?? older,
  });
  return {
    settings: { responseFormat },
    hints: {
      ...(rest && { response_format: rest }),
      ...(older && { $schema: "schema" }),
      ...unfitHint(responseFormat, usualFormats, family),
    },
  };
}

// writing

function writeSettings(settings: Settings, hints: JsonObject, context: EncodeContext): JsonObject {
  return present({
    max_tokens: settings.maxOutputTokens,
    temperature: settings.temperature,
    p: settings.topP,
    k: settings.topK,
    seed: settings.seed,
    frequency_penalty: settings.frequencyPenalty,
    presence_penalty: settings.presencePenalty,
    stop_sequences: settings.stopSequences,
    tool_choice: choiceOf(settings.toolChoice, context),
    thinking: thinkingOf(settings.reasoning, hints, context),
    response_format: formatOf(settings.responseFormat, hints, context),
  });
}

/** One tool, or some of them, cannot be asked for: only any, or none. Nothing said = the model is free. */
function choiceOf(choice: Settings["toolChoice"], context: EncodeContext): string | undefined {
  if (choice === undefined) return undefined;
  if (choice === "required") return "REQUIRED";
  if (choice === "none") return "NONE";
  context.lose("tool-choice", ["settings", "toolChoice"], typeof choice === "string" ? choice : undefined);
  if (choice === "auto") return undefined;
  return "name" in choice || choice.required ? "REQUIRED" : undefined;
}

function thinkingOf(reasoning: Settings["reasoning"], hints: JsonObject, context: EncodeContext): Json | undefined {
  if (!reasoning) return undefined;
  const { effort, summary } = reasoning;
  // A budget below nothing leaves the model free, as it is where none is said.
  const budget = reasoning.budget !== undefined && isCount(reasoning.budget) ? reasoning.budget : undefined;
  const path = ["settings", "reasoning"];
  if (summary !== undefined) context.lose("setting", [...path, "summary"]);
  if (reasoning.budget !== budget) context.lose("setting", [...path, "budget"]);
  const isOff = effort === "none" && budget === undefined;
  if (effort !== undefined && !isOff) context.lose("effort", [...path, "effort"], effort);
  if (isOff) return { type: "disabled" };
  // What else the request says of thinking stays its own.
  if (effort === undefined && budget === undefined) return undefined;
  return Object.hasOwn(hints, "thinking") && budget === undefined
    ? undefined
    : present({ type: "enabled", token_budget: budget });
}

function formatOf(format: Settings["responseFormat"], hints: JsonObject, context: EncodeContext): Json | undefined {
  if (!format) return undefined;
  const { type, schema } = format;
  for (const member of ["name", "strict", "description"] as const) {
    if (format[member] !== undefined) context.lose("setting", ["settings", "responseFormat", member]);
  }
  if (type === "text") {
    if (schema !== undefined) context.lose("setting", ["settings", "responseFormat", "schema"]);
    return { type: "text" };
  }
  const member = hints["$schema"] === "schema" && schema !== undefined ? "schema" : "json_schema";
  const path = ["settings", "responseFormat"];
  const place = { schema: [...path, "schema"], strict: path, lose: context.lose };
  const isOwn = context.recipient !== "provider" || hints["$unfit"] === family;
  const written = isOwn ? schema : fitted({ schema }, usualFormats, place).schema;
  return present({ type: "json_object", [member]: written });
}
