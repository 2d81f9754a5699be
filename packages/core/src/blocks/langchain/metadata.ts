import { wholeOf } from "../../codec/hints.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { present, wholeUsage } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import { memberOf } from "./escape.ts";
import type { Class, Form } from "./wire.ts";

// response_metadata

/** What a message says of the answer that it is of. */
export type AnswerHead = Pick<Message, "model" | "provider" | "responseId" | "finish">;

/** Names that providers' adapters use, the one that is written first. */
export const headNames = {
  finish: ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"],
  model: ["model_name", "model", "modelName", "model_id"],
  provider: ["model_provider"],
  responseId: ["id"],
} as const;

/** Whether a member of `response_metadata` says a field of the answer's head. */
export const isHeadName = (name: string): boolean =>
  name === "output_version" || Object.values(headNames).some((list: readonly string[]) => list.includes(name));

type Field = keyof typeof headNames;
const fields = Object.keys(headNames) as readonly Field[]; // its own keys

/** Fields and what has none; `keys`: the order of the wire, where it is not ours. */
export interface ReadMetadata {
  readonly head: AnswerHead;
  readonly rest: JsonObject | undefined;
  readonly hints: JsonObject;
}

function readHead(reader: Reader): AnswerHead {
  const text = (field: Field): string | undefined => {
    const name = headNames[field].find(each => isText(reader.peek(each)));
    return name === undefined ? undefined : reader.string(name);
  };
  const raw = text("finish");
  return defined<AnswerHead>({
    finish: raw === undefined ? undefined : readFinish(raw),
    model: text("model"),
    provider: text("provider"),
    responseId: text("responseId"),
  });
}

/** `isVersioned`: the content tells by itself that it is of output version v1. */
export function readMetadata(metadata: JsonObject, isVersioned: boolean): ReadMetadata {
  const reader = new Reader(metadata);
  const head = readHead(reader);
  const isTold = isVersioned && reader.literal("output_version", "v1");
  const left = reader.rest();
  // Numbers keep their spelling in the very object that was read (R6): then it stays whole, and fields win over it.
  const isWhole = left !== undefined && ((Object.keys(head).length === 0 && !isTold) || hasSpelling(metadata));
  const rest = isWhole ? metadata : left;
  const keys = Object.keys(metadata);
  const version = isVersioned && !isTold ? { $version: false } : {};
  if (rest === metadata) {
    return { head, rest, hints: { ...version, ...(Object.keys(head).length > 0 && { $whole: true }) } };
  }
  const usual = Object.keys(writeMetadata({ ...head, isVersioned: isTold }, rest ?? {}, {}));
  return { head, rest, hints: { ...version, ...(!isSameOrder(usual, keys) && { $metadata: keys }) } };
}

/** Whether the text of the object may say more than its value: numbers, and keys that JavaScript puts first. */
export const hasSpelling = (object: JsonObject): boolean =>
  Object.keys(object).some(key => typeof object[key] === "number" || /^\d+$/.test(key));

/** The object, `whole` itself where nothing else is said. */
export function writeMetadata(
  { isVersioned, ...head }: AnswerHead & { readonly isVersioned: boolean },
  whole: JsonObject,
  hints: JsonObject,
): JsonObject {
  const { $metadata: given, $whole: isWhole } = hints;
  const reader = new Reader(whole);
  const isToldHere = Object.hasOwn(whole, "output_version") || !isVersioned;
  if (isToldHere && equalJson(isWhole === true ? readHead(reader) : {}, head)) return whole;
  const rest = reader.rest() ?? {};
  const keys: readonly Json[] = Array.isArray(given) ? given : [];
  const values: { readonly [field in Field]: string | undefined } = {
    finish: head.finish && writeFinish(head.finish),
    model: head.model,
    provider: head.provider,
    responseId: head.responseId,
  };
  const said: MutableJsonObject = {};
  for (const field of fields) {
    const value = values[field];
    if (value === undefined) continue;
    const free = headNames[field].filter(each => !Object.hasOwn(rest, each));
    said[free.find(each => keys.includes(each)) ?? free[0] ?? headNames[field][0]] = value;
  }
  const version = isToldHere ? {} : { output_version: "v1" };
  return inOrder({ ...said }, { ...rest, ...version }, keys);
}

const files: readonly string[] = ["image", "audio", "video", "file", "text-plain"];
const answered: readonly string[] = ["reasoning", "server_tool_call", "server_tool_call_result"];

/**
 * Whether the content has blocks of LangChain's own that are understood in a message of output version v1 only: files, by
 * JavaScript's adapters, and what an answer of a named provider brings, which else is looked for as the provider has it.
 */
export function needsVersion(
  content: Json,
  of: { readonly row: Class; readonly form: Form; readonly provider: unknown },
): boolean {
  const isAsked = of.row.base === "HumanMessage" && of.form.group === "js";
  const isAnswer = of.row.base === "AIMessage" && of.form.container !== "dict" && typeof of.provider === "string";
  if ((!isAsked && !isAnswer) || !Array.isArray(content)) return false;
  const types = isAsked ? files : answered;
  const theirs = isAsked ? ["source_type", "source", "file"] : ["summary", "content"];
  return content.some(
    block =>
      isJsonObject(block) &&
      typeof block["type"] === "string" &&
      types.includes(block["type"]) &&
      !theirs.some(member => Object.hasOwn(block, member)),
  );
}

/** Members in a given order, then the others; `fields` win. */
export function inOrder(own: JsonObject, rest: JsonObject, keys: readonly Json[]): JsonObject {
  const ordered: MutableJsonObject = {};
  const given = keys.filter(key => typeof key === "string");
  for (const key of [...given, ...Object.keys(own), ...Object.keys(rest)]) {
    const value = memberOf(own, key) ?? memberOf(rest, key);
    if (value !== undefined && !Object.hasOwn(ordered, key)) setMember(ordered, key, value);
  }
  return ordered;
}

export const isSameOrder = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((key, index) => key === right[index]);

export const isText = (value: Json | undefined): boolean => typeof value === "string" && value !== "";

// finish

/** Words of OpenAI, Anthropic, Google, Bedrock, Cohere and Ollama; each reason's own first one is written. */
const reasons: { readonly [raw: string]: FinishReason } = {
  stop: "stop",
  end_turn: "stop",
  STOP: "stop",
  COMPLETE: "stop",
  stop_sequence: "stop-sequence",
  STOP_SEQUENCE: "stop-sequence",
  length: "length",
  max_tokens: "length",
  MAX_TOKENS: "length",
  model_context_window_exceeded: "context",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  TOOL_CALL: "tool-calls",
  function_call: "tool-calls",
  refusal: "refusal",
  content_filter: "content-filter",
  content_filtered: "content-filter",
  guardrail_intervened: "content-filter",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  BLOCKLIST: "content-filter",
  pause_turn: "pause",
  compaction: "compaction",
  MALFORMED_FUNCTION_CALL: "malformed-call",
  error: "error",
  aborted: "aborted",
  incomplete: "incomplete",
  pending: "pending",
  other: "other",
};
const words = new Map<FinishReason, string>();
for (const [raw, reason] of Object.entries(reasons)) if (!words.has(reason)) words.set(reason, raw);

const reasonOf = (raw: string): FinishReason => (Object.hasOwn(reasons, raw) ? reasons[raw] : undefined) ?? "other";

type Finish = NonNullable<Message["finish"]>;

export function readFinish(raw: string): Finish {
  const reason = reasonOf(raw);
  return words.get(reason) === raw ? { reason } : { reason, raw };
}

/** Whether the word that is written for it is read as just this. */
export const isFinishTold = (finish: Finish): boolean => equalJson(readFinish(writeFinish(finish)), finish);

/** As it was told, where that still says the same (R1). */
export const writeFinish = ({ reason, raw }: Finish): string =>
  raw !== undefined && reasonOf(raw) === reason ? raw : (words.get(reason) ?? reason);

// usage

const modalityNames = ["text", "image", "audio", "video", "document"];

/** Exclusive buckets of counts that are within each other (R24): cached tokens in the input, reasoning in the output. */
export function readUsage(wire: JsonObject): { readonly usage: Usage | undefined; readonly hints: JsonObject } {
  const sent = countOf(wire, "input_tokens");
  const made = countOf(wire, "output_tokens");
  if (sent === undefined && made === undefined) return { usage: undefined, hints: {} };
  const [input, output] = [detailsOf(wire, "input_token_details"), detailsOf(wire, "output_token_details")];
  const cacheRead = countOf(input, "cache_read");
  const cacheWrite = countOf(input, "cache_creation");
  const reasoning = countOf(output, "reasoning");
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const total = countOf(wire, "total_tokens");
  // Some adapters count beside what others count within.
  const isCacheBeside = cached > (sent ?? 0);
  const isReasoningBeside = (reasoning ?? 0) > (made ?? 0);
  const sum = (sent ?? 0) + (made ?? 0) + (isCacheBeside ? cached : 0) + (isReasoningBeside ? (reasoning ?? 0) : 0);
  const modalities = { ...modalitiesOf(input, "input"), ...modalitiesOf(output, "output") };
  const usage = defined<Usage>({
    input: sent === undefined ? undefined : sent - (isCacheBeside ? 0 : cached),
    cacheRead,
    cacheWrite,
    output: made === undefined ? undefined : made - (isReasoningBeside ? 0 : (reasoning ?? 0)),
    reasoning,
    other: total !== undefined && total > sum ? total - sum : undefined,
    modalities: Object.keys(modalities).length > 0 ? modalities : undefined,
  });
  const written = writeUsage(usage);
  const isTold = JSON.stringify(written) === JSON.stringify(wire);
  return { usage, hints: isTold ? {} : wholeUsage(wire, written) };
}

/** The object that was read, where it still says the same (R1), else ours in the order that Python declares. */
export function restoredUsage(usage: Usage, hints: JsonObject): JsonObject {
  const raw = wholeOf(hints, "usage");
  return isJsonObject(raw) && equalJson(readUsage(raw).usage, usage) ? raw : writeUsage(usage);
}

/** Whether the wire's counts say all of this. */
export const isWritable = (usage: Usage, hints: JsonObject): boolean =>
  restoredUsage(usage, hints) === wholeOf(hints, "usage") ||
  (usage.input !== undefined &&
    usage.output !== undefined &&
    Object.keys(usage.modalities ?? {}).every(name => {
      const [side, modality, ...more] = name.split(".");
      return (side === "input" || side === "output") && modalityNames.includes(modality ?? "") && more.length === 0;
    }));

function writeUsage(usage: Usage): JsonObject {
  const { input = 0, cacheRead, cacheWrite, output = 0, reasoning, other = 0 } = usage;
  const sent = input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const made = output + (reasoning ?? 0);
  const { audio: heard, ...sentOthers } = sideOf(usage, "input");
  const { audio: spoken, ...madeOthers } = sideOf(usage, "output");
  // Python's order: the details that it declares, then the others.
  const sentDetails = present({ audio: heard, cache_creation: cacheWrite, cache_read: cacheRead, ...sentOthers });
  const madeDetails = present({ audio: spoken, reasoning, ...madeOthers });
  return {
    input_tokens: sent,
    output_tokens: made,
    total_tokens: sent + made + other,
    ...(Object.keys(sentDetails).length > 0 && { input_token_details: sentDetails }),
    ...(Object.keys(madeDetails).length > 0 && { output_token_details: madeDetails }),
  };
}

const countOf = (holder: JsonObject, member: string): number | undefined => {
  const value = memberOf(holder, member);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

const detailsOf = (usage: JsonObject, member: string): JsonObject => {
  const details = memberOf(usage, member);
  return isJsonObject(details) ? details : {};
};

function modalitiesOf(details: JsonObject, side: string): { [name: string]: number } {
  const found = modalityNames.flatMap(name => {
    const count = countOf(details, name);
    return count === undefined ? [] : [[`${side}.${name}`, count] as const];
  });
  return Object.fromEntries(found);
}

function sideOf({ modalities = {} }: Usage, side: string): { [member: string]: number } {
  const counts: { [member: string]: number } = {};
  for (const name of modalityNames) {
    const count = modalities[`${side}.${name}`];
    if (count !== undefined) counts[name] = count;
  }
  return counts;
}
