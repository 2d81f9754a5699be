import type { NodeReader, NodeWriter } from "../../blocks/gemini/node.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { wholeHint, wholeOf } from "../../codec/hints.ts";
import { defined } from "../../codec/reader.ts";
import { saysMore } from "../../codec/remainder.ts";
import type { Settings } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isTaken, places, writeSchema } from "./schemas.ts";

/** Settings with the hints of how they were spelled. */
interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

const none: Read = { settings: {}, hints: {} };

/** `generationConfig` and `toolConfig`; members without a setting stay where they are. */
export function readSettings(reader: NodeReader): Read {
  const config = reader.inner("generationConfig");
  const choice = readChoice(reader.inner("toolConfig"));
  if (!config) return choice;
  const reasoning = readThinking(config.inner("thinkingConfig"));
  const format = readFormat(config);
  const settings = defined<Settings>({
    maxOutputTokens: config.number("maxOutputTokens"),
    temperature: config.number("temperature"),
    topP: config.number("topP"),
    topK: config.number("topK"),
    seed: config.number("seed"),
    frequencyPenalty: config.number("frequencyPenalty"),
    presencePenalty: config.number("presencePenalty"),
    stopSequences: readStop(config),
    ...reasoning.settings,
    ...format.settings,
    ...choice.settings,
  });
  return { settings, hints: { ...reasoning.hints, ...format.hints, ...choice.hints } };
}

function readStop(config: NodeReader): readonly string[] | undefined {
  const list = config.peek("stopSequences");
  if (!Array.isArray(list) || !list.every(item => typeof item === "string")) return undefined;
  config.take("stopSequences");
  return list as readonly string[]; // every item was looked at
}

function readThinking(config: NodeReader | undefined): Read {
  if (!config) return none;
  const level = config.string("thinkingLevel");
  const effort = level?.toLowerCase();
  const budget = config.number("thinkingBudget");
  if (effort === undefined && budget === undefined) return none;
  return {
    settings: { reasoning: defined<NonNullable<Settings["reasoning"]>>({ effort, budget }) },
    hints: level === undefined || level === effort ? {} : { $thinkingLevel: level },
  };
}

const mimeTypes: { readonly [mimeType: string]: "json" | "text" } = {
  "application/json": "json",
  "text/plain": "text",
};
function readFormat(config: NodeReader): Read {
  const mimeType = config.peek("responseMimeType");
  const type = typeof mimeType === "string" && Object.hasOwn(mimeTypes, mimeType) ? mimeTypes[mimeType] : undefined;
  if (type === undefined) return none;
  config.take("responseMimeType");
  const { json, openApi } = places.format;
  const member = type === "json" ? [json, openApi].find(name => isJsonObject(config.peek(name))) : undefined;
  const schema = member && config.object(member);
  return {
    settings: { responseFormat: { type, ...(schema && { schema }) } },
    hints: {
      ...(member === openApi && { $schema: member }),
      ...(!isTaken(schema, member, places.format) && { $unfitFormat: true }),
    },
  };
}

type ToolChoice = NonNullable<Settings["toolChoice"]>;

/** A mode that says more than the choice is kept beside it (R1). */
function readChoice(config: NodeReader | undefined): Read {
  const wire = config?.peek("functionCallingConfig");
  const toolChoice = isJsonObject(wire) ? choiceOf(wire) : undefined;
  if (!config || !isJsonObject(wire) || toolChoice === undefined) return none;
  config.take("functionCallingConfig");
  const written = writeChoice(toolChoice);
  const hints = equalJson(wire, written) ? {} : wholeHint("toolChoice", wire, saysMore(wire, written));
  return { settings: { toolChoice }, hints };
}

function choiceOf(wire: JsonObject): ToolChoice | undefined {
  const { mode } = wire;
  const list = wire["allowedFunctionNames"] ?? wire["allowed_function_names"];
  const names = Array.isArray(list) && list.length > 0 ? (list as readonly Json[]) : undefined; // a list of JSON
  if (names && !names.every(name => typeof name === "string")) return undefined;
  const allowed = names as readonly string[] | undefined; // every item was looked at
  const [only] = allowed ?? [];
  switch (mode) {
    case "NONE":
      return "none";
    case "ANY":
      return allowed
        ? allowed.length === 1 && only !== undefined
          ? { name: only }
          : { allowed, required: true }
        : "required";
    case "AUTO":
    case "VALIDATED":
      return allowed ? { allowed } : "auto";
    default:
      return undefined;
  }
}

function writeChoice(choice: ToolChoice): JsonObject {
  if (choice === "auto") return { mode: "AUTO" };
  if (choice === "none") return { mode: "NONE" };
  if (choice === "required") return { mode: "ANY" };
  if ("name" in choice) return { mode: "ANY", allowedFunctionNames: [choice.name] };
  return { mode: choice.required ? "ANY" : "VALIDATED", allowedFunctionNames: choice.allowed };
}

/** What the levels of other providers are here. */
const levels: { readonly [effort: string]: string } = { none: "minimal", xhigh: "high", max: "high" };

export function writeSettings(
  settings: Settings,
  {
    hints,
    writer,
    context,
  }: { readonly hints: JsonObject; readonly writer: NodeWriter; readonly context: EncodeContext },
): { readonly generationConfig: JsonObject | undefined; readonly toolConfig: JsonObject | undefined } {
  const { maxOutputTokens, temperature, topP, topK, seed, stopSequences, toolChoice } = settings;
  const { frequencyPenalty, presencePenalty } = settings;
  const generationConfig = writer.object({
    maxOutputTokens,
    temperature,
    topP,
    topK,
    seed,
    frequencyPenalty,
    presencePenalty,
    stopSequences,
    thinkingConfig: writeThinking(settings.reasoning, { hints, writer, context }),
    ...formatFields(settings.responseFormat, hints, context),
  });
  const raw = wholeOf(hints, "toolChoice");
  const isTold = isJsonObject(raw) && toolChoice !== undefined && equalJson(choiceOf(raw), toolChoice);
  const functionCallingConfig = toolChoice === undefined ? undefined : isTold ? raw : writeChoice(toolChoice);
  const toolConfig = writer.object({ functionCallingConfig });
  const filled = (object: JsonObject): JsonObject | undefined => (Object.keys(object).length > 0 ? object : undefined);
  return { generationConfig: filled(generationConfig), toolConfig: filled(toolConfig) };
}

function writeThinking(
  reasoning: Settings["reasoning"],
  {
    hints,
    writer,
    context,
  }: { readonly hints: JsonObject; readonly writer: NodeWriter; readonly context: EncodeContext },
): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { effort, budget, summary } = reasoning;
  const path = ["settings", "reasoning"];
  if (summary !== undefined) context.lose("setting", [...path, "summary"]);
  const raw = hints["$thinkingLevel"];
  const isTold = typeof raw === "string" && raw.toLowerCase() === effort;
  const like = effort !== undefined && Object.hasOwn(levels, effort) ? levels[effort] : undefined;
  const level = isTold ? raw : (like ?? effort);
  if (!isTold && level?.toLowerCase() !== effort) context.lose("effort", [...path, "effort"], effort);
  const config = writer.object({ thinkingLevel: level, thinkingBudget: budget });
  return Object.keys(config).length > 0 ? config : undefined;
}

function formatFields(
  format: Settings["responseFormat"],
  hints: JsonObject,
  context: EncodeContext,
): { readonly [member: string]: Json | undefined } {
  if (!format) return {};
  const { type, schema } = format;
  const lose = (member: string): void => context.lose("setting", ["settings", "responseFormat", member]);
  for (const member of ["name", "description", "strict"] as const) {
    if (format[member] !== undefined) lose(member);
  }
  const isWritten = type === "json" && isJsonObject(schema);
  if (schema !== undefined && !isWritten) lose("schema");
  return {
    responseMimeType: type === "json" ? "application/json" : "text/plain",
    ...writeSchema(isWritten ? schema : undefined, places.format, {
      told: { member: hints["$schema"], isUnfit: hints["$unfitFormat"] === true },
      path: ["settings", "responseFormat", "schema"],
      context,
    }),
  };
}
