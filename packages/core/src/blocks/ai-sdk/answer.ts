/** What the AI SDK says of an answer beside its content: how it ended, its tokens, which response it was. */

import type { LossTable } from "../../codec/codec.ts";
import { defined, type Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { finishWord, readFinish } from "./finish.ts";
import { modelFamily } from "./model-part.ts";
import type { Generation, LosePart } from "./part.ts";
import { readUsage, restoredUsage, type UsageForm, usageHints } from "./usage.ts";

/** answer: what a model gives (`LanguageModelV2` to `V4`); run: what `streamText` makes of it. */
export type AnswerForm = "answer" | "run";

export interface AnswerPlace {
  readonly generation: Generation;
  readonly answer: AnswerForm;
}

type Finish = NonNullable<Message["finish"]>;

export const answerLosses = {
  finish: { kind: "approximated", note: "the SDK has fewer ways to end" },
  "no-finish": { kind: "synthesised", note: "an answer says how it ended" },
  usage: { kind: "merged", note: "the SDK counts these tokens together" },
  time: { kind: "approximated", note: "times are of UTC and whole milliseconds" },
} as const satisfies LossTable;

const usageForm = ({ generation, answer }: AnswerPlace): UsageForm => {
  if (answer === "answer") return generation < 6 ? "flat" : "nested";
  return generation < 6 ? "flat" : generation < 7 ? "both" : "detailed";
};

/** Heads of the three objects of the wire that tell of one answer. */
export interface AnswerWire {
  /** Has `finishReason`, `usage` and, in a run, `rawFinishReason`. */
  readonly finish?: Reader;
  /** Has `id`, `modelId` and `timestamp`. */
  readonly response?: Reader;
}

/** What they say of the message, and what of it has no field. */
export function readAnswerHead(
  { finish: end, response }: AnswerWire,
  place: AnswerPlace,
): { readonly head: Partial<MessageHead>; readonly own: JsonObject } {
  const finish = end && readEnd(end, place);
  const wireUsage = end?.peek("usage");
  const form = usageForm(place);
  const usage = isJsonObject(wireUsage) ? readUsage(wireUsage, form) : undefined;
  if (usage || isBlank(wireUsage)) end?.take("usage");
  const own = {
    ...(usage && isJsonObject(wireUsage) && usageHints(wireUsage, usage, form)),
    ...finish?.hints,
  };
  const head = defined<Partial<MessageHead>>({
    finish: finish?.finish,
    usage,
    ...(response && {
      responseId: response.string("id"),
      model: response.string("modelId"),
      createdAt: readTime(response),
    }),
  });
  return { head, own };
}

/** A count of nothing. */
const isBlank = (value: Json | undefined): boolean => isJsonObject(value) && Object.values(value).every(isBlank);

/** A date is spelled as JSON spells it. */
function readTime(response: Reader): string | undefined {
  const text = response.peek("timestamp");
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}T/.test(text)) return undefined;
  response.take("timestamp");
  return text;
}

function readEnd(end: Reader, place: AnswerPlace): { readonly finish: Finish; readonly hints: JsonObject } | undefined {
  const reason = end.peek("finishReason");
  const word = isJsonObject(reason) ? reason["unified"] : reason;
  if (typeof word !== "string") return undefined;
  const raw = isJsonObject(reason) ? reason["raw"] : end.peek("rawFinishReason");
  const finish = finishOf(word, typeof raw === "string" ? raw : undefined);
  end.take("finishReason");
  if (typeof raw === "string" && !isJsonObject(reason)) end.take("rawFinishReason");
  const asRead: Json = isJsonObject(reason) ? reason : raw === undefined ? word : { finishReason: word, raw };
  const written = writtenEnd(finish, place);
  return { finish, hints: equalJson(written, asRead) ? {} : { $finish: asRead } };
}

/** The raw word is one of ours where we wrote it. */
function finishOf(word: string, raw: string | undefined): Finish {
  const read = readFinish(word);
  if (raw === undefined || raw === word) return read;
  const isOurs = ourReasons.find(reason => reason === raw);
  if (isOurs !== undefined && finishWord(isOurs) === word) return { reason: isOurs };
  return { reason: read.reason, raw };
}

const ourReasons: readonly Finish["reason"][] = [
  ...(["stop-sequence", "context", "refusal", "pause", "compaction", "malformed-call", "pending"] as const),
];

/** The end in the generation's own form; a form that has no raw word gives only the other. */
function writtenEnd({ reason, raw }: Finish, { generation, answer }: AnswerPlace): Json {
  const isOwnWord = reason === "other" && raw !== undefined && ownWords(generation).includes(raw);
  const word = isOwnWord ? raw : (finishWord(reason) ?? "other");
  if (generation < 6) return word;
  const said = raw ?? reason;
  return answer === "answer" ? { unified: word, raw: said } : { finishReason: word, raw: said };
}

const ownWords = (generation: Generation): readonly string[] =>
  generation < 6 ? ["unknown"] : generation >= 7 ? ["interrupted"] : [];

/** The members that tell how an answer ended, as its object has them. */
export function writeAnswerEnd(
  { finish, usage, native }: Partial<MessageHead>,
  place: AnswerPlace,
  lose: LosePart,
): JsonObject {
  const own = native?.[modelFamily] ?? {};
  const form = usageForm(place);
  const counted = usage ? restoredUsage(usage, own, form) : emptyUsage(form, own);
  if (usage && !equalJson(readUsage(counted as JsonObject, form), usage)) lose("usage", "usage"); // written from a count
  if (!finish) lose("no-finish", "finish");
  const end = endOf(finish ?? { reason: "other" }, own, place);
  if (finish && !equalJson(readBack(end), finish)) lose("finish", "finish", finish.reason);
  const isSplit = isJsonObject(end) && Object.hasOwn(end, "finishReason");
  return {
    ...(isSplit
      ? { finishReason: end["finishReason"] ?? null, ...(end["raw"] !== undefined && { rawFinishReason: end["raw"] }) }
      : { finishReason: end }),
    usage: counted,
  };
}

/** The SDK always counts; what was not counted is left out of the count. */
function emptyUsage(form: UsageForm, { usage }: JsonObject): Json {
  if (usage !== undefined) return usage;
  if (form === "nested") return { inputTokens: {}, outputTokens: {} };
  return form === "flat" ? {} : { inputTokenDetails: {}, outputTokenDetails: {} };
}

function endOf(finish: Finish, own: JsonObject, place: AnswerPlace): Json {
  const { $finish: asRead } = own;
  if (asRead !== undefined && equalJson(readBack(asRead), finish)) return asRead;
  return writtenEnd(finish, place);
}

function readBack(end: Json): Finish | undefined {
  const word = isJsonObject(end) ? (end["unified"] ?? end["finishReason"]) : end;
  const raw = isJsonObject(end) ? end["raw"] : undefined;
  return typeof word === "string" ? finishOf(word, typeof raw === "string" ? raw : undefined) : undefined;
}

/** Which response it was. */
export function writeResponse({ responseId, model, createdAt }: Partial<MessageHead>, lose: LosePart): JsonObject {
  const timestamp = createdAt === undefined ? undefined : timeOf(createdAt);
  if (timestamp !== createdAt) lose("time", "createdAt");
  return {
    ...(responseId !== undefined && { id: responseId }),
    ...(timestamp !== undefined && { timestamp }),
    ...(model !== undefined && { modelId: model }),
  };
}

/** A date of JavaScript's, where it is one; a spelling that is read as it is stays. */
function timeOf(text: string): string | undefined {
  return Number.isNaN(Date.parse(text)) || !/^\d{4}-\d{2}-\d{2}T/.test(text) ? undefined : text;
}

/** `native` of a message for what has no field. */
export const answerNative = (rest: JsonObject | undefined, hints: JsonObject): Pick<MessageHead, "native"> =>
  kept(modelFamily, rest, hints) as Pick<MessageHead, "native">; // of one family
