import { defined, fill, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Conversation, Settings } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isBlank } from "./text-blank.ts";
import { typeRow } from "./type-rows.ts";
import { family, inOrder } from "./wire.ts";

/** What MAF's `ChatOptions` say of a conversation. */
export type Asked = Pick<Conversation, "model" | "settings" | "native"> & {
  /** The instructions, to be put before all other messages. */
  readonly instructions: Conversation["messages"];
};

/**
 * Reads `ChatOptions` as JSON: with `const { instructions, ...asked } = readChatOptions(options)`, the conversation that is
 * sent is `{ ...asked, messages: [...instructions, ...messages] }`. What has no setting of its own (the conversation's id,
 * background, …) is kept in `native.maf.options`. Tools are no part of the options' JSON.
 */
export function readChatOptions(options: JsonObject): Asked {
  const reader = new Reader(options);
  const text = reader.member("instructions", isInstructions);
  const model = reader.string("modelId");
  const { settings, left } = readSettings(reader);
  const members = { ...reader.rest(), ...left };
  const rest = Object.keys(members).length > 0 ? members : undefined;
  return {
    instructions: text === undefined ? [] : [{ role: "system", parts: [{ type: "text", text }] }],
    ...defined<Pick<Conversation, "model" | "settings" | "native">>({
      model,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
      native: rest && { [family]: { options: rest } },
    }),
  };
}

/** The reverse, without instructions: they stay the messages that they are. */
export function writeChatOptions(conversation: Pick<Conversation, "model" | "settings" | "native">): JsonObject {
  const { model, settings = {} } = conversation;
  const { reasoning, responseFormat, toolChoice } = settings;
  const { options: rest } = hintsOf(conversation, family);
  const fields = present({
    temperature: settings.temperature,
    maxOutputTokens: settings.maxOutputTokens,
    topP: settings.topP,
    topK: settings.topK,
    frequencyPenalty: settings.frequencyPenalty,
    presencePenalty: settings.presencePenalty,
    seed: settings.seed,
    reasoning: reasoning && writeReasoning(reasoning),
    responseFormat: responseFormat && writeFormat(responseFormat),
    modelId: model,
    stopSequences: settings.stopSequences,
    allowMultipleToolCalls: settings.parallelToolCalls,
    toolMode: toolChoice && writeToolMode(toolChoice),
    additionalProperties: responseFormat?.strict === undefined ? undefined : { strict: responseFormat.strict },
  });
  return inOrder(fill(fields, isJsonObject(rest) ? rest : undefined), typeRow("ChatOptions"));
}

const isInstructions = (value: Json): value is string => typeof value === "string" && !isBlank(value);

/** `left`: what of an object that was read has no setting. */
function readSettings(reader: Reader): { readonly settings: Settings; readonly left: JsonObject } {
  const reasoning = readReasoning(reader);
  const format = readFormat(reader);
  const settings = defined<Settings>({
    maxOutputTokens: reader.number("maxOutputTokens"),
    temperature: reader.number("temperature"),
    topP: reader.number("topP"),
    topK: reader.number("topK"),
    frequencyPenalty: reader.number("frequencyPenalty"),
    presencePenalty: reader.number("presencePenalty"),
    seed: reader.number("seed"),
    stopSequences: reader.member("stopSequences", isTexts),
    toolChoice: readToolMode(reader),
    parallelToolCalls: reader.boolean("allowMultipleToolCalls"),
    reasoning: reasoning.value,
    responseFormat: format.value,
  });
  return { settings, left: present({ reasoning: reasoning.left, responseFormat: format.left }) };
}

interface Read<T> {
  readonly value?: T;
  readonly left?: JsonObject | undefined;
}

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(item => typeof item === "string");

type ToolChoice = NonNullable<Settings["toolChoice"]>;

function readToolMode(reader: Reader): ToolChoice | undefined {
  const mode = reader.object("toolMode");
  const word = mode?.["$type"];
  if (word === "auto" || word === "none") return word;
  const name = mode?.["requiredFunctionName"];
  return word === "required" ? (typeof name === "string" ? { name } : word) : undefined;
}

function writeToolMode(choice: ToolChoice): JsonObject {
  if (typeof choice === "string") return { $type: choice };
  if ("name" in choice) return { $type: "required", requiredFunctionName: choice.name };
  return { $type: choice.required ? "required" : "auto" };
}

type Reasoning = NonNullable<Settings["reasoning"]>;

const efforts = { None: "none", Low: "low", Medium: "medium", High: "high", ExtraHigh: "xhigh" } as const;
/** In OpenAI's words, as .NET's client translates them. */
const outputs = { Summary: "concise", Full: "detailed" } as const;

function readReasoning(reader: Reader): Read<Reasoning> {
  const wire = reader.object("reasoning");
  if (!wire) return {};
  const inner = new Reader(wire);
  const effort = inner.string("effort");
  const output = inner.member("output", isOutput);
  const value = defined<Reasoning>({
    effort: effort === undefined ? undefined : (rowOf<string>(efforts, effort) ?? effort),
    summary: output && rowOf<string>(outputs, output),
  });
  return { ...(Object.keys(value).length > 0 && { value }), left: inner.rest() };
}

const isOutput = (value: Json): value is keyof typeof outputs =>
  typeof value === "string" && rowOf<string>(outputs, value) !== undefined;

const writeReasoning = ({ effort, summary }: Reasoning): JsonObject =>
  present({ effort: wordOf(efforts, effort), output: wordOf(outputs, summary) });

const wordOf = (table: { readonly [word: string]: string }, value: string | undefined): string | undefined =>
  Object.keys(table).find(word => table[word] === value);

type Format = NonNullable<Settings["responseFormat"]>;

/** .NET's clients take `strict` from the properties beside the format. */
function readFormat(reader: Reader): Read<Format> {
  const wire = reader.object("responseFormat");
  const type = wire?.["$type"];
  if (!wire || (type !== "text" && type !== "json")) return { left: wire };
  const inner = new Reader(wire);
  inner.take("$type");
  const properties = reader.peek("additionalProperties");
  const strict = isJsonObject(properties) ? properties["strict"] : undefined;
  const schema = inner.json("schema");
  const value = defined<Format>({
    type,
    schema,
    name: inner.string("schemaName"),
    description: inner.string("schemaDescription"),
    strict: schema !== undefined && typeof strict === "boolean" ? strict : undefined,
  });
  return { value, left: inner.rest() };
}

const writeFormat = ({ type, schema, name, description }: Format): JsonObject =>
  type === "text" || schema === undefined
    ? { $type: type }
    : { $type: type, schema, ...present({ schemaName: name, schemaDescription: description }) };
