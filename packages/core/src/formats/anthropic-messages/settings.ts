import { anthropicFormat } from "../../blocks/json-schema/rows-anthropic.ts";
import { fitted, isFit } from "../../blocks/json-schema/strictness.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, isCount, Reader } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Conversation, Settings } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { family, isOfMaker } from "./wire.ts";

interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

const nothing: Read = { settings: {}, hints: {} };

export function readSettings(reader: Reader): Read {
  const choice = readChoice(reader);
  const reasoning = readReasoning(reader);
  const settings = defined<Settings>({
    maxOutputTokens: reader.number("max_tokens"),
    temperature: reader.number("temperature"),
    topP: reader.number("top_p"),
    topK: reader.number("top_k"),
    stopSequences: reader.member("stop_sequences", areTexts),
    ...choice.settings,
    ...reasoning.settings,
  });
  return { settings, hints: { ...choice.hints, ...reasoning.hints } };
}

const areTexts = (value: Json): value is readonly string[] & Json =>
  Array.isArray(value) && value.every(each => typeof each === "string");

type ToolChoice = NonNullable<Settings["toolChoice"]>;

function readChoice(reader: Reader): Read {
  const wire = reader.peek("tool_choice");
  const inner = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = inner?.peek("type");
  const name = inner?.peek("name");
  const toolChoice =
    type === "auto" || type === "none"
      ? type
      : type === "any"
        ? "required"
        : type === "tool" && typeof name === "string"
          ? { name }
          : undefined;
  if (!inner || toolChoice === undefined) return nothing;
  reader.take("tool_choice");
  inner.take("type");
  if (type === "tool") inner.take("name");
  const isSerial = inner.boolean("disable_parallel_tool_use");
  const rest = inner.rest();
  return {
    settings: { toolChoice, ...(isSerial !== undefined && { parallelToolCalls: !isSerial }) },
    hints: rest ? { tool_choice: rest } : {},
  };
}

/** Thinking with a budget or none at all, effort, and a schema of the answer; other ways to think stay native. */
function readReasoning(reader: Reader): Read {
  const thinking = new Reader(objectOf(reader, "thinking"));
  const output = new Reader(objectOf(reader, "output_config"));
  const format = output.peek("format");
  const inner = isJsonObject(format) && format["type"] === "json_schema" ? new Reader(format) : undefined;
  const schema = inner?.object("schema");
  const budget = thinking.peek("type") === "enabled" ? thinking.member("budget_tokens", isCount) : undefined;
  const told = output.string("effort");
  const isOff = told === undefined && equalJson(thinking.value, off);
  const effort = isOff ? "none" : told;
  if (budget !== undefined) thinking.take("type");
  if (schema) {
    inner?.take("type");
    output.take("format");
  }
  const rest = { ...output.rest(), ...(schema && inner?.rest() && { format: inner.rest() ?? {} }) };
  if (budget !== undefined || isOff) reader.take("thinking");
  const isTaken = told !== undefined || schema !== undefined;
  if (isTaken) reader.take("output_config");
  const left = budget === undefined ? undefined : thinking.rest();
  const isUnfit = !isFit({ schema }, formats);
  return {
    settings: {
      ...((budget !== undefined || effort !== undefined) && {
        reasoning: defined<NonNullable<Settings["reasoning"]>>({ effort, budget }),
      }),
      ...(schema && { responseFormat: { type: "json", schema } }),
    },
    hints: {
      ...(isTaken && Object.keys(rest).length > 0 && { output_config: rest }),
      ...(left && { thinking: left }),
      ...(isUnfit && { $unfitFormat: true }),
    },
  };
}

/** How a request says that the model shall not think. */
const off: JsonObject = { type: "disabled" };

/** A schema of an answer is followed always. */
const formats = { usual: anthropicFormat };

const objectOf = (reader: Reader, member: string): JsonObject => {
  const value = reader.peek(member);
  return isJsonObject(value) ? value : {};
};

// writing

/** Requests without a limit are refused; this is the lowest that current models have, beside what they may think. */
const usualLimit = 4096;

export function writeSettings(conversation: Conversation, context: EncodeContext): JsonObject {
  const { settings = {} } = conversation;
  const { reasoning, responseFormat } = settings;
  const hints = hintsOf(conversation, family);
  const isOff = reasoning?.effort === "none" && reasoning.budget === undefined && !Object.hasOwn(hints, "thinking");
  const effort = isOff ? undefined : effortOf(reasoning?.effort, context);
  const asked = schemaOf(responseFormat, context);
  const isOwn = context.recipient !== "provider" || hints["$unfitFormat"] === true || !isOfMaker(context);
  const path = ["settings", "responseFormat"];
  const place = { schema: [...path, "schema"], strict: [...path, "strict"], lose: context.lose };
  const { schema } = isOwn ? { schema: asked } : fitted({ schema: asked }, formats, place);
  const hasOutput = effort !== undefined || schema !== undefined;
  if (reasoning?.summary !== undefined) context.lose("setting", ["settings", "reasoning", "summary"]);
  // A budget below nothing leaves the model free, as it is where none is said.
  const budget = reasoning?.budget !== undefined && isCount(reasoning.budget) ? reasoning.budget : undefined;
  if (reasoning?.budget !== budget) context.lose("setting", ["settings", "reasoning", "budget"]);
  const unbounded = isOff ? off : undefined;
  const thinking = budget === undefined ? unbounded : { type: "enabled", budget_tokens: budget };
  return present({
    max_tokens: limitOf(conversation, context),
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    stop_sequences: settings.stopSequences,
    tool_choice: choiceOf(settings, context),
    thinking,
    output_config: hasOutput
      ? present({ effort, format: schema === undefined ? undefined : { type: "json_schema", schema } })
      : undefined,
  });
}

function limitOf(conversation: Conversation, context: EncodeContext): number | undefined {
  const { maxOutputTokens, reasoning } = conversation.settings ?? {};
  if (maxOutputTokens !== undefined) return maxOutputTokens;
  if (context.recipient !== "provider" || Object.hasOwn(hintsOf(conversation, family), "max_tokens")) return undefined;
  context.lose("limit", ["settings", "maxOutputTokens"]);
  return usualLimit + Math.max(reasoning?.budget ?? 0, 0);
}

/** Words that only others have become the nearest; `none` is said by thinking that is off, and nowhere else. */
function effortOf(effort: string | undefined, context: EncodeContext): string | undefined {
  const isOther = effort === "none" || (effort === "minimal" && context.recipient === "provider");
  if (!isOther) return effort;
  context.lose("effort", ["settings", "reasoning", "effort"], effort);
  return effort === "none" ? undefined : "low";
}

function schemaOf(format: Settings["responseFormat"], context: EncodeContext): Json | undefined {
  if (!format) return undefined;
  const path = ["settings", "responseFormat"];
  if (format.schema === undefined || format.type === "text") {
    context.lose("format", path, format.type);
    return undefined;
  }
  for (const member of ["name", "description", "strict"] as const) {
    if (format[member] !== undefined) context.lose("setting", [...path, member]);
  }
  return format.schema;
}

function choiceOf({ toolChoice, parallelToolCalls }: Settings, context: EncodeContext): JsonObject | undefined {
  if (toolChoice === undefined && parallelToolCalls === undefined) return undefined;
  if (toolChoice === undefined) context.lose("choice", ["settings", "toolChoice"]);
  if (toolChoice === "none" && parallelToolCalls !== undefined) {
    context.lose("setting", ["settings", "parallelToolCalls"]);
    return { type: "none" };
  }
  const serial = parallelToolCalls === undefined ? undefined : !parallelToolCalls;
  return present({ ...wireChoice(toolChoice ?? "auto", context), disable_parallel_tool_use: serial });
}

function wireChoice(choice: ToolChoice, context: EncodeContext): JsonObject {
  if (choice === "required") return { type: "any" };
  if (typeof choice === "string") return { type: choice };
  if ("name" in choice) return { type: "tool", name: choice.name };
  const [only] = choice.allowed;
  context.lose("allowed", ["settings", "toolChoice"]);
  if (choice.required && only !== undefined && choice.allowed.length === 1) return { type: "tool", name: only };
  return { type: choice.required ? "any" : "auto" };
}
