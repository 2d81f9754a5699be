import { asObject, vendorOf } from "../../blocks/bedrock-converse/node.ts";
import { addedTools } from "../../blocks/bedrock-converse/tools.ts";
import { anthropicFormat } from "../../blocks/json-schema/rows-anthropic.ts";
import { fitted, isFit, usualFormats } from "../../blocks/json-schema/strictness.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, isCount, Reader } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Conversation, Settings } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readInput } from "../../stream/input.ts";
import { family } from "./wire.ts";

interface Read {
  readonly settings: Settings;
  /** Hints, and what the members have beside. */
  readonly left: JsonObject;
}

const nothing: Read = { settings: {}, left: {} };

// reading

/** `config`: the tools' configuration without the tools, where there is one. */
export function readSettings(reader: Reader, config: JsonObject | undefined): Read {
  const all = [readInference(reader), readChoice(reader, config), readOutput(reader), readModelFields(reader)];
  const reasoning = Object.assign({}, ...all.map(({ settings }) => settings.reasoning)) as Settings["reasoning"]; // joined
  const settings: Settings = Object.assign({}, ...all.map(({ settings }) => settings));
  const isTold = Object.keys(reasoning ?? {}).length > 0;
  return {
    settings: { ...settings, ...(isTold && reasoning && { reasoning }) },
    left: Object.assign({}, ...all.map(({ left }) => left)),
  };
}

/** An object that says nothing is still there. */
const remainder = (member: string, rest: JsonObject | undefined, isRead: boolean): JsonObject =>
  rest ? { [member]: rest } : isRead ? {} : { [member]: {} };

function readInference(reader: Reader): Read {
  const wire = reader.object("inferenceConfig");
  if (!wire) return nothing;
  const inner = new Reader(wire);
  const settings = defined<Settings>({
    maxOutputTokens: inner.number("maxTokens"),
    temperature: inner.number("temperature"),
    topP: inner.number("topP"),
    stopSequences: inner.member("stopSequences", areTexts),
  });
  return { settings, left: remainder("inferenceConfig", inner.rest(), Object.keys(settings).length > 0) };
}

const areTexts = (value: Json): value is readonly string[] & Json =>
  Array.isArray(value) && value.every(each => typeof each === "string");

type ToolChoice = NonNullable<Settings["toolChoice"]>;

function readChoice(reader: Reader, config: JsonObject | undefined): Read {
  if (!config) return nothing;
  reader.take("toolConfig");
  const outer = new Reader(config);
  const wire = outer.peek("toolChoice");
  const inner = new Reader(asObject(wire));
  const word = (["auto", "any", "tool"] as const).find(each => isJsonObject(inner.peek(each)));
  const holder = new Reader(word ? (inner.object(word) ?? {}) : {});
  const name = word === "tool" ? holder.string("name") : undefined;
  const toolChoice: ToolChoice | undefined =
    word === "auto" ? "auto" : word === "any" ? "required" : name === undefined ? undefined : { name };
  if (toolChoice === undefined || !word) {
    const hasTools = Object.hasOwn(asObject(reader.peek("toolConfig")), "tools");
    return { settings: {}, left: remainder("toolConfig", outer.rest(), hasTools) };
  }
  outer.take("toolChoice");
  const more = holder.rest();
  const beside = more ? { ...inner.rest(), [word]: more } : inner.rest();
  const rest = beside ? { ...outer.rest(), toolChoice: beside } : outer.rest();
  return { settings: { toolChoice }, left: remainder("toolConfig", rest, true) };
}

function readOutput(reader: Reader): Read {
  const wire = reader.object("outputConfig");
  if (!wire) return nothing;
  const inner = new Reader(wire);
  const effort = inner.string("effort");
  const { settings, left, rest: format } = readFormat(inner);
  const others = inner.rest();
  const rest = format ? { ...others, textFormat: format } : others;
  const isRead = effort !== undefined || settings.responseFormat !== undefined;
  return {
    settings: { ...settings, ...(effort !== undefined && { reasoning: { effort } }) },
    left: { ...left, ...remainder("outputConfig", rest, isRead) },
  };
}

/** What Claude takes as the schema of an answer. */
const claudeFormats = { usual: anthropicFormat };

/** A schema is given as text. */
function readFormat(output: Reader): Read & { readonly rest?: JsonObject } {
  const wire = asObject(output.peek("textFormat"));
  const outer = new Reader(wire);
  const structure = new Reader(asObject(outer.peek("structure")));
  const inner = new Reader(asObject(structure.peek("jsonSchema")));
  const text = inner.string("schema");
  const { input: schema, inputText } = text === undefined ? {} : readInput(text);
  if (outer.peek("type") !== "json_schema" || schema === undefined) return nothing;
  output.take("textFormat");
  outer.take("type", "structure");
  structure.take("jsonSchema");
  const responseFormat = defined<NonNullable<Settings["responseFormat"]>>({
    type: "json",
    schema,
    name: inner.string("name"),
    description: inner.string("description"),
  });
  const left = inner.rest();
  const around = left ? { ...structure.rest(), jsonSchema: left } : structure.rest();
  const rest = around ? { ...outer.rest(), structure: around } : outer.rest();
  return {
    settings: { responseFormat },
    left: {
      ...(inputText !== undefined && { $schema: inputText }),
      ...(!isFit({ schema }, claudeFormats) && { $unfit: true }),
    },
    ...(rest && { rest }),
  };
}

/** Where settings stand among the fields that a model has for itself: Claude's, Nova's, those of OpenAI's open models. */
type EffortPlace = "outputConfig" | "reasoning_effort" | "reasoningConfig" | "output_config";
type TopKPlace = "top_k" | "inferenceConfig" | "k";

const fieldsMember = "additionalModelRequestFields";

function readModelFields(reader: Reader): Read {
  const wire = reader.object(fieldsMember);
  if (!wire) return nothing;
  const inner = new Reader(wire);
  const left: Record<string, Json> = {};
  const budget = readBudget(inner, left);
  const topK = inner.number("top_k") ?? readNested(inner, "inferenceConfig", "topK", left);
  if (topK !== undefined && inner.peek("top_k") === undefined) left["$topK"] = "inferenceConfig";
  const hasEffort =
    isJsonObject(reader.peek("outputConfig")) && asObject(reader.peek("outputConfig"))["effort"] !== undefined;
  const effort = hasEffort ? undefined : readEffort(inner, left);
  const { $topK, $effort, ...nested } = left;
  const others = inner.rest();
  const hasMore = Object.keys(nested).length > 0;
  const rest = hasMore ? { ...others, ...nested } : others;
  const reasoning = defined<NonNullable<Settings["reasoning"]>>({ effort, budget });
  const isRead = topK !== undefined || effort !== undefined || budget !== undefined;
  return {
    settings: { ...(topK !== undefined && { topK }), ...(Object.keys(reasoning).length > 0 && { reasoning }) },
    left: { ...present({ $topK, $effort }), ...remainder(fieldsMember, rest, isRead) },
  };
}

function readBudget(inner: Reader, left: Record<string, Json>): number | undefined {
  const thinking = new Reader(asObject(inner.peek("thinking")));
  const budget = thinking.peek("type") === "enabled" ? thinking.member("budget_tokens", isCount) : undefined;
  if (budget === undefined) return undefined;
  thinking.take("type");
  inner.take("thinking");
  const rest = thinking.rest();
  if (rest) left["thinking"] = rest;
  return budget;
}

function readEffort(inner: Reader, left: Record<string, Json>): string | undefined {
  const plain = inner.string("reasoning_effort");
  const nova = new Reader(asObject(inner.peek("reasoningConfig")));
  const claude = new Reader(asObject(inner.peek("output_config")));
  if (plain !== undefined) {
    left["$effort"] = "reasoning_effort";
    return plain;
  }
  const isNova = nova.peek("type") === "enabled";
  const [place, holder, effort] = isNova
    ? (["reasoningConfig", nova, nova.string("maxReasoningEffort")] as const)
    : (["output_config", claude, claude.string("effort")] as const);
  if (effort === undefined) return undefined;
  if (isNova) nova.take("type");
  inner.take(place);
  left["$effort"] = place;
  const rest = holder.rest();
  if (rest) left[place] = rest;
  return effort;
}

function readNested(inner: Reader, member: string, name: string, left: Record<string, Json>): number | undefined {
  const holder = new Reader(asObject(inner.peek(member)));
  const value = holder.number(name);
  if (value === undefined) return undefined;
  inner.take(member);
  const rest = holder.rest();
  if (rest) left[member] = rest;
  return value;
}

// writing

/** The members that hold settings; of the tools' configuration the choice alone. */
export function writeSettings(
  conversation: Conversation,
  context: EncodeContext,
): { readonly [member: string]: JsonObject | undefined } {
  const { settings = {}, model, tools } = conversation;
  const hasTools = tools !== undefined || addedTools(conversation).length > 0;
  const vendor = vendorOf(model);
  const { maxOutputTokens, temperature, topP, stopSequences } = settings;
  const hints = hintsOf(conversation, family);
  const effort = effortOf(settings.reasoning?.effort, context);
  const place = placeOfEffort(hints, vendor);
  if (settings.reasoning?.summary !== undefined) context.lose("setting", ["settings", "reasoning", "summary"]);
  const textFormat = formatOf(settings.responseFormat, { hints, vendor, context });
  return {
    inferenceConfig: some({ maxTokens: maxOutputTokens, temperature, topP, stopSequences }),
    toolConfig: some({ toolChoice: choiceOf(settings.toolChoice, hasTools, context) }),
    outputConfig: some({ textFormat, effort: place === "outputConfig" ? effort : undefined }),
    [fieldsMember]: some({
      thinking: thinkingOf(settings.reasoning, { vendor, hints, context }),
      ...(place !== "outputConfig" && effort !== undefined && effortFields(place, effort)),
      ...(settings.topK !== undefined && topKFields(settings.topK, hints, vendor)),
    }),
  };
}

interface About {
  readonly vendor: string | undefined;
  readonly hints: JsonObject;
  readonly context: EncodeContext;
}

/** Undefined where there is no member. */
function some(members: { readonly [member: string]: Json | undefined }): JsonObject | undefined {
  const object = present(members);
  return Object.keys(object).length > 0 ? object : undefined;
}

const effortPlaces: { readonly [vendor: string]: EffortPlace } = {
  openai: "reasoning_effort",
  amazon: "reasoningConfig",
};

function placeOfEffort({ $effort: told }: JsonObject, vendor: string | undefined): EffortPlace {
  if (told === "reasoning_effort" || told === "reasoningConfig" || told === "output_config") return told;
  return (vendor === undefined ? undefined : effortPlaces[vendor]) ?? "outputConfig";
}

function effortFields(place: EffortPlace, effort: string): JsonObject {
  if (place === "reasoningConfig") return { reasoningConfig: { type: "enabled", maxReasoningEffort: effort } };
  return place === "output_config" ? { output_config: { effort } } : { reasoning_effort: effort };
}

function topKFields(topK: number, { $topK: told }: JsonObject, vendor: string | undefined): JsonObject {
  const place: TopKPlace =
    told === "inferenceConfig" || vendor === "amazon" ? "inferenceConfig" : vendor === "cohere" ? "k" : "top_k";
  return place === "inferenceConfig" ? { inferenceConfig: { topK } } : { [place]: topK };
}

/** Words that only others have become the nearest; `none` is said by thinking that is off. */
function effortOf(effort: string | undefined, context: EncodeContext): string | undefined {
  const isOther = context.recipient === "provider" && (effort === "none" || effort === "minimal");
  if (!isOther) return effort;
  context.lose("effort", ["settings", "reasoning", "effort"], effort);
  return effort === "none" ? undefined : "low";
}

function thinkingOf(reasoning: Settings["reasoning"], { vendor, hints, context }: About): JsonObject | undefined {
  const isClaude = vendor === undefined || vendor === "anthropic";
  const isProvider = context.recipient === "provider";
  if (reasoning?.budget !== undefined) {
    if (isCount(reasoning.budget) && (isClaude || !isProvider))
      return { type: "enabled", budget_tokens: reasoning.budget };
    context.lose("setting", ["settings", "reasoning", "budget"]);
    return undefined;
  }
  const isTold = Object.hasOwn(asObject(hints[fieldsMember]), "thinking");
  const isOff = reasoning?.effort === "none" && isProvider && vendor === "anthropic" && !isTold;
  return isOff ? { type: "disabled" } : undefined;
}

function formatOf(format: Settings["responseFormat"], { hints, vendor, context }: About): JsonObject | undefined {
  if (!format) return undefined;
  const path = ["settings", "responseFormat"];
  const { schema, name, description } = format;
  if (schema === undefined || format.type === "text") {
    context.lose("format", path, format.type);
    return undefined;
  }
  if (format.strict !== undefined) context.lose("setting", [...path, "strict"]);
  const { $schema: told, $unfit: isUnfit } = hints;
  const isFitted = context.recipient === "provider" && isUnfit !== true;
  const subsets = vendor === "anthropic" ? claudeFormats : usualFormats;
  const place = { schema: [...path, "schema"], strict: path, lose: context.lose };
  const written = isFitted ? (fitted({ schema }, subsets, place).schema ?? schema) : schema;
  const isSame = typeof told === "string" && equalJson(readInput(told).input, written);
  const text = isSame ? told : JSON.stringify(written);
  return { type: "json_schema", structure: { jsonSchema: present({ schema: text, name, description }) } };
}

function choiceOf(choice: Settings["toolChoice"], hasTools: boolean, context: EncodeContext): JsonObject | undefined {
  if (choice === undefined) return undefined;
  const path = ["settings", "toolChoice"];
  if (choice === "none" || (!hasTools && context.recipient === "provider")) {
    context.lose("choice", path, typeof choice === "string" ? choice : undefined);
    return undefined;
  }
  if (choice === "required") return { any: {} };
  if (choice === "auto") return { auto: {} };
  if ("name" in choice) return { tool: { name: choice.name } };
  const [only] = choice.allowed;
  context.lose("allowed", path);
  if (choice.required && only !== undefined && choice.allowed.length === 1) return { tool: { name: only } };
  return choice.required ? { any: {} } : { auto: {} };
}
