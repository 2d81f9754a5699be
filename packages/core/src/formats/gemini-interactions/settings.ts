import type { EncodeContext } from "../../codec/codec.ts";
import { wholeHint, wholeOf } from "../../codec/hints.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { present, saysMore } from "../../codec/remainder.ts";
import type { Settings } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { fitFor, isTaken } from "./tools.ts";
import { asObject } from "./wire.ts";

/** Settings with the hints of how they were spelled. */
interface Read {
  readonly settings: Settings;
  readonly hints: JsonObject;
}

/** `rest`: what of `generation_config` has no setting. */
export function readSettings(reader: Reader): Read & { readonly rest?: JsonObject } {
  const wire = reader.object("generation_config");
  const format = readFormat(reader);
  if (!wire) return format;
  const config = new Reader(wire);
  const choice = readChoice(config);
  const effort = config.string("thinking_level");
  const summary = config.string("thinking_summaries");
  const settings = defined<Settings>({
    maxOutputTokens: config.number("max_output_tokens"),
    temperature: config.number("temperature"),
    topP: config.number("top_p"),
    topK: config.number("top_k"),
    seed: config.number("seed"),
    stopSequences: readStop(config),
    reasoning:
      effort === undefined && summary === undefined
        ? undefined
        : defined<NonNullable<Settings["reasoning"]>>({ effort, summary }),
    ...choice.settings,
    ...format.settings,
  });
  const rest = config.rest();
  const hints = { ...choice.hints, ...format.hints, ...(Object.keys(wire).length === 0 && { $config: true }) };
  return { settings, hints, ...(rest && { rest: { generation_config: rest } }) };
}

function readStop(config: Reader): readonly string[] | undefined {
  const list = config.peek("stop_sequences");
  if (!Array.isArray(list) || !list.every(item => typeof item === "string")) return undefined;
  config.take("stop_sequences");
  return list as readonly string[]; // every item was looked at
}

type ToolChoice = NonNullable<Settings["toolChoice"]>;

/** A choice that says more than the setting is kept beside it (R1). */
function readChoice(config: Reader): Read {
  const wire = config.peek("tool_choice");
  const toolChoice = choiceOf(wire);
  if (wire === undefined || toolChoice === undefined) return { settings: {}, hints: {} };
  config.take("tool_choice");
  const written = writeChoice(toolChoice);
  const isMore = isJsonObject(wire) && isJsonObject(written) && saysMore(wire, written);
  return { settings: { toolChoice }, hints: equalJson(wire, written) ? {} : wholeHint("toolChoice", wire, isMore) };
}

const modes: { readonly [mode: string]: "auto" | "none" | "required" } = {
  auto: "auto",
  validated: "auto",
  none: "none",
  any: "required",
};

function choiceOf(wire: Json | undefined): ToolChoice | undefined {
  if (typeof wire === "string") return rowOf(modes, wire);
  const { allowed_tools: allowed } = asObject(wire);
  const { mode = "auto", tools = null } = asObject(allowed);
  const choice = typeof mode === "string" ? rowOf(modes, mode) : undefined;
  if (!Array.isArray(tools) || !tools.every(name => typeof name === "string")) return undefined;
  const names = tools as readonly string[]; // every item was looked at
  const [only] = names;
  if (choice === undefined || only === undefined || choice === "none") return undefined;
  if (choice === "auto") return { allowed: names };
  return names.length === 1 ? { name: only } : { allowed: names, required: true };
}

function writeChoice(choice: ToolChoice): Json {
  if (choice === "auto" || choice === "none") return choice;
  if (choice === "required") return "any";
  if ("name" in choice) return { allowed_tools: { mode: "any", tools: [choice.name] } };
  return { allowed_tools: { mode: choice.required ? "any" : "auto", tools: choice.allowed } };
}

const json = "application/json";

/** One format of texts is a setting; a list of several, or a picture's or sound's format, stays what it is. */
function readFormat(reader: Reader): Read {
  const wire = reader.peek("response_format");
  const [only, ...others] = Array.isArray(wire) ? (wire as readonly Json[]) : [wire]; // a list of JSON
  if (!isJsonObject(only) || others.length > 0 || only["type"] !== "text") return { settings: {}, hints: {} };
  const { type: _, mime_type: mimeType, schema, ...rest } = only;
  const isText = mimeType === undefined || mimeType === "text/plain";
  const isKnown = (mimeType === json && (schema === undefined || isJsonObject(schema))) || (isText && !schema);
  if (!isKnown || Object.keys(rest).length > 0) return { settings: {}, hints: {} };
  reader.take("response_format");
  const responseFormat = isText ? { type: "text" as const } : { type: "json" as const, ...(schema && { schema }) };
  const hints = {
    ...(Array.isArray(wire) && { $format: "list" }),
    ...(!isTaken(schema) && { $unfit: true }),
    ...(isText && mimeType === undefined && { $mime: false }),
  };
  return { settings: { responseFormat }, hints };
}

/** What the efforts of other providers are here. */
const levels: { readonly [effort: string]: string } = { none: "minimal", xhigh: "high", max: "high" };

/** The members of a request that settings are written as. */
export function writeSettings(
  settings: Settings,
  { hints, context }: { readonly hints: JsonObject; readonly context: EncodeContext },
): JsonObject {
  const { maxOutputTokens, temperature, topP, topK, seed, stopSequences, toolChoice } = settings;
  const raw = wholeOf(hints, "toolChoice");
  const isTold = raw !== undefined && toolChoice !== undefined && equalJson(choiceOf(raw), toolChoice);
  const config = present({
    temperature,
    top_p: topP,
    top_k: topK,
    seed,
    stop_sequences: stopSequences,
    max_output_tokens: maxOutputTokens,
    ...writeReasoning(settings.reasoning, context),
    tool_choice: toolChoice === undefined ? undefined : isTold ? raw : writeChoice(toolChoice),
  });
  const isEmpty = Object.keys(config).length === 0 && hints["$config"] !== true;
  return present({
    generation_config: isEmpty ? undefined : config,
    response_format: writeFormat(settings.responseFormat, hints, context),
  });
}

function writeReasoning(
  reasoning: Settings["reasoning"],
  context: EncodeContext,
): { [member: string]: Json | undefined } {
  if (!reasoning) return {};
  const { effort, budget, summary } = reasoning;
  const path = ["settings", "reasoning"];
  if (budget !== undefined) context.lose("setting", [...path, "budget"]);
  const isProvider = context.recipient === "provider";
  const level = effort !== undefined && isProvider ? (rowOf(levels, effort) ?? effort) : effort;
  if (level !== effort) context.lose("effort", [...path, "effort"], effort);
  const told = isProvider && summary !== undefined && summary !== "none" ? "auto" : summary;
  if (told !== summary) context.lose("effort", [...path, "summary"], summary);
  return { thinking_level: level, thinking_summaries: told };
}

function writeFormat(format: Settings["responseFormat"], hints: JsonObject, context: EncodeContext): Json | undefined {
  if (!format) return undefined;
  const { type, schema } = format;
  for (const member of ["name", "description", "strict"] as const) {
    if (format[member] !== undefined) context.lose("setting", ["settings", "responseFormat", member]);
  }
  const isSchema = type === "json" && isJsonObject(schema);
  if (schema !== undefined && !isSchema) context.lose("setting", ["settings", "responseFormat", "schema"]);
  const mimeType = type === "json" ? json : hints["$mime"] === false ? undefined : "text/plain";
  const isFree = context.recipient !== "provider" || hints["$unfit"] === true || !isSchema;
  const taken = isFree ? schema : fitFor(schema, ["settings", "responseFormat", "schema"], context);
  const wire = present({ type: "text", mime_type: mimeType, schema: isSchema ? taken : undefined });
  return hints["$format"] === "list" ? [wire] : wire;
}
