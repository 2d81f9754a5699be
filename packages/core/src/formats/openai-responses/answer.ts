import { Calls } from "../../blocks/openai-responses/calls.ts";
import { itemsOf, type ReadMessage, readItems, writeItems, writingOf } from "../../blocks/openai-responses/messages.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { readScope, writeScope } from "./dialects.ts";
import { codesOnly, errorRemainder, readError, writeError } from "./error.ts";
import {
  type Ending,
  exceeded,
  factsOf,
  isExceeded,
  isKnownStatus,
  readFinish,
  readUsage,
  restoredUsage,
  usageRemainder,
  writeFinish,
} from "./usage.ts";
import { errorPlace, family, isText } from "./wire.ts";

/** What a body says of all its messages. */
export type AnswerHead = Pick<MessageHead, "responseId" | "model" | "createdAt">;

// decode

/** Members that OpenAI's answers have always, with what they say where nothing is to be said: written so, and read as nothing. */
const usualMembers: JsonObject = {
  object: "response",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
};

/** An answer → its messages (R16): one of the assistant, and more where it has items of other sides. */
export function readAnswer(wire: JsonObject, context: DecodeContext): readonly ReadMessage[] {
  const reader = new Reader(wire);
  const missing = [...Object.keys(usualMembers), ...Object.keys(blanks)].filter(
    member => reader.peek(member) === undefined,
  );
  for (const member of Object.keys(usualMembers)) {
    if (equalJson(reader.peek(member), usualMembers[member])) reader.take(member);
  }
  const head = readHead(reader);
  const output = reader.array("output");
  if (!output && reader.peek("output") !== undefined) {
    context.issue("unknown-output", ["output"], "expected a list of items; kept as it is");
  }
  const scope = {
    ...readScope(context, {
      model: head.model,
      form: "answer",
      ...(head.responseId !== undefined && { made: head.responseId }),
    }),
    calls: new Calls(),
  };
  const messages = readItems(output ?? [], scope, index => ["output", index]);
  if (messages.length === 0) messages.push({ head: { role: "assistant" }, parts: [], carry: undefined });
  const last = messages.length - 1;
  const envelope = readEnvelope(reader, { messages, missing, hasOutput: output !== undefined, context });
  return messages.map((message, index) => {
    const whole = { ...message, head: { ...message.head, ...head } };
    return index === last ? withEnvelope(whole, envelope) : whole;
  });
}

/** Takes what a body says of all its messages; nothing where an encoder had nothing to say. */
export function readHead(reader: Reader): AnswerHead {
  const id = reader.peek("id");
  if (isText(id)) reader.take("id");
  const isMade = typeof id === "string" && /^resp_~/.test(id);
  const model = reader.string("model");
  return defined<AnswerHead>({
    responseId: isText(id) && !isMade ? id : undefined,
    model: model || undefined,
    createdAt: readTime(reader),
  });
}

/** What is written for readers who want it, where nothing is known. */
const blanks: JsonObject = { id: "resp_~", created_at: 0, model: "" };

/** Seconds since 1970; 0 is written where it is not known. */
function readTime(reader: Reader): string | undefined {
  const created = reader.peek("created_at");
  const isTime = typeof created === "number" && Number.isFinite(created) && created > 0 && created < 253_402_300_800;
  if (!isTime && created !== 0) return undefined;
  const time = isTime ? isoOf(created) : undefined;
  if (time === undefined || secondsOf(time) === created) reader.take("created_at");
  return time;
}

const isoOf = (seconds: number): string => new Date(Math.round(seconds * 1000)).toISOString().replace(".000Z", "Z");

/** ISO 8601 as seconds since 1970. */
function secondsOf(createdAt: string | undefined): number | undefined {
  const time = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(time) ? undefined : time / 1000;
}

interface Envelope {
  readonly head: Pick<MessageHead, "usage" | "finish">;
  readonly hints: JsonObject;
  readonly error: PartOf<"error"> | undefined;
}

function readEnvelope(
  reader: Reader,
  about: {
    readonly messages: readonly ReadMessage[];
    readonly missing: readonly string[];
    readonly hasOutput: boolean;
    readonly context: DecodeContext;
  },
): Envelope {
  const { messages, missing, hasOutput, context } = about;
  const wireUsage = reader.peek("usage");
  const usage = isJsonObject(wireUsage) ? readUsage(wireUsage) : undefined;
  if (usage) reader.take("usage");
  if (isJsonObject(wireUsage) && isExceeded(wireUsage)) context.issue("usage-parts", ["usage"], exceeded);
  if (usage?.other !== undefined) {
    context.lose("usage-other", ["messages", messages.length - 1, "usage", "other"], `${usage.other} tokens`);
  }
  const wireError = reader.peek("error");
  const error = wireError === undefined || wireError === null ? undefined : readError(wireError);
  if (error) reader.take("error");
  const parts = messages.flatMap(message => message.parts.map(({ part }) => part));
  const { ending, ...told } = readEnding(reader);
  const read = ending && readFinish(ending, factsOf(parts));
  const finish = error ? { reason: "error" as const } : read;
  const rest = reader.rest();
  const errorRest = error && wireError !== undefined ? errorRemainder(wireError, error) : undefined;
  const isTold = !error || (ending !== undefined && equalJson(ending, { status: "failed" }));
  const blank = Object.keys(blanks).filter(member => reader.peek(member) === blanks[member]);
  const facts = present({
    without: missing.length > 0 ? missing : undefined,
    blank: blank.length > 0 ? blank : undefined,
    status: isTold ? told.status : (ending?.status ?? false),
    output: hasOutput ? undefined : false,
  });
  const isIncomplete = !isTold && ending?.why !== undefined ? { incomplete_details: { reason: ending.why } } : {};
  const response = { ...rest, ...isIncomplete, ...present({ error: errorRest }) };
  return {
    head: { ...(usage && { usage }), ...(finish && { finish }) },
    hints: {
      ...(usage && isJsonObject(wireUsage) && usageRemainder(wireUsage, usage)),
      ...(Object.keys(response).length > 0 && { response }),
      ...(Object.keys(facts).length > 0 && { $response: facts }),
    },
    error,
  };
}

/** The status that tells how it ended, and a hint where it does not tell itself. */
function readEnding(reader: Reader): { readonly ending?: Ending; readonly status?: Json } {
  const status = reader.peek("status");
  if (status === undefined) return { status: false };
  if (typeof status !== "string") return {};
  reader.take("status");
  const details = reader.peek("incomplete_details");
  const why = isJsonObject(details) && Object.keys(details).length === 1 ? details["reason"] : undefined;
  const isWhy = status === "incomplete" && typeof why === "string";
  if (isWhy) reader.take("incomplete_details");
  const isKnown = isKnownStatus(status);
  return { ending: { status, ...(isWhy && { why }) }, ...(!isKnown && { status }) };
}

function withEnvelope(message: ReadMessage, { head, hints, error }: Envelope): ReadMessage {
  const { native, ...others } = message.head;
  const merged = { ...native?.[family], ...hints };
  const parts = error ? [...message.parts, { place: errorPlace, part: error }] : message.parts;
  return { ...message, head: { ...others, ...head, ...kept(family, undefined, merged) }, parts };
}

// encode

/** The last answer of a conversation: what the assistant said last, with whatever else has its id. */
export function writeAnswer(conversation: Conversation, context: EncodeContext): JsonObject {
  const { messages } = conversation;
  const first = firstOf(messages);
  for (let index = 0; index < first; index++) context.lose("not-the-answer", ["messages", index]);
  const answer = messages.slice(first);
  const end = answer.findLastIndex(({ responseId, role }) => role === "assistant" || responseId !== undefined) + 1;
  for (let index = end; index < answer.length; index++) context.lose("not-the-answer", ["messages", first + index]);
  const written = answer.slice(0, end);
  return writeBody(written, { context, first });
}

/** Where the last answer begins. */
function firstOf(messages: readonly Message[]): number {
  const last = messages.findLastIndex(({ role, responseId }) => role === "assistant" || responseId !== undefined);
  if (last < 0) return messages.length;
  const id = messages[last]?.responseId;
  const isOf = (message: Message | undefined): boolean =>
    message !== undefined &&
    (id === undefined ? message.role === "assistant" && message.responseId === undefined : message.responseId === id);
  let first = last;
  while (isOf(messages[first - 1])) first--;
  return first;
}

function writeBody(
  messages: readonly Message[],
  { context, first }: { readonly context: EncodeContext; readonly first: number },
): JsonObject {
  const last = messages.at(-1);
  const pathOf = (index: number): Path => ["messages", first + index];
  const scope = writeScope(context, { model: last?.model, form: "answer" });
  const error = errorOf(messages, pathOf, context);
  const own = messages.map(message => withoutErrors(message));
  const isSilent = own.length === 1 && own[0]?.parts.length === 0;
  const groups = isSilent ? [] : writeItems(own, writingOf(own, { scope, made: madeId }), pathOf);
  for (const { items, first: from, count } of groups) context.wrote([items], first + from, count);
  reportHeads(messages, pathOf, context);
  return envelopeOf(last, { output: itemsOf(groups), error, path: pathOf(Math.max(0, messages.length - 1)), context });
}

/** Readers of answers want an id everywhere; these are told apart from a maker's. */
export const madeId = (prefix: string, index = 0): string => `${prefix}_~${index}`;

/** Errors are of the answer; what else a message says is its output. The message keeps its identity where it has none. */
const withoutErrors = (message: Message): Message =>
  message.parts.some(isTheError) ? { ...message, parts: message.parts.filter(part => !isTheError(part)) } : message;

const isTheError = (part: Message["parts"][number]): boolean => part.type === "error";

function errorOf(
  messages: readonly Message[],
  pathOf: (index: number) => Path,
  context: EncodeContext,
): PartOf<"error"> | undefined {
  const errors = messages.flatMap(({ parts }, index) =>
    parts.flatMap((part, place) => (part.type === "error" ? [{ part, path: [...pathOf(index), "parts", place] }] : [])),
  );
  for (const { path } of errors.slice(0, -1)) context.lose("misplaced", path, "error");
  const last = errors.at(-1);
  const place = last?.path.at(-1);
  const length = messages.at(-1)?.parts.length ?? 0;
  if (last && place !== length - 1) context.lose("error-place", last.path);
  return last?.part;
}

/** Members of heads that the body says once, for all of its messages. */
function reportHeads(messages: readonly Message[], pathOf: (index: number) => Path, context: EncodeContext): void {
  const last = messages.at(-1);
  for (const [index, message] of messages.entries()) {
    if (message === last) continue;
    for (const member of ["responseId", "model", "createdAt"] as const) {
      if (message[member] !== last?.[member]) context.lose("head", [...pathOf(index), member]);
    }
    if (message.usage) context.lose("head", [...pathOf(index), "usage"]);
    if (message.finish) context.lose("head", [...pathOf(index), "finish"]);
  }
}

interface About {
  readonly output: readonly Json[];
  readonly error: PartOf<"error"> | undefined;
  readonly path: Path;
  readonly context: EncodeContext;
}

/** The body of an answer. `message`: its last, which has the envelope. */
export function envelopeOf(message: Message | undefined, { output, error, path, context }: About): JsonObject {
  const hints = message ? hintsOf(message, family) : {};
  const { response: kept, $response: told } = hints;
  const remainder = isJsonObject(kept) ? kept : {};
  const facts = isJsonObject(told) ? told : {};
  const missing = Array.isArray(facts["without"]) ? facts["without"] : [];
  const isWritten = (member: string): boolean => !missing.includes(member) && !Object.hasOwn(remainder, member);
  const usual = Object.fromEntries(Object.entries(usualMembers).filter(([member]) => isWritten(member)));
  const usage = message?.usage && restoredUsage(message.usage, hints);
  if (usage && !equalJson(readUsage(usage), message?.usage)) context.lose("usage", [...path, "usage"]);
  const ending = endingOf(message, { error, facts, path, context });
  const blank = Array.isArray(facts["blank"]) ? facts["blank"] : [];
  const made = (member: string): Json | undefined => {
    if (!isWritten(member)) return undefined;
    if (message && !blank.includes(member)) context.lose("no-envelope", path, member);
    return blanks[member];
  };
  const details = ending.why === undefined ? {} : { incomplete_details: { reason: ending.why } };
  const fields = present({
    id: message?.responseId ?? made("id"),
    ...usual,
    created_at: writeTime(message?.createdAt, { remainder, path, context }) ?? made("created_at"),
    model: message?.model ?? made("model"),
    status: ending.status === "" ? undefined : ending.status,
    output: facts["output"] === false && output.length === 0 ? undefined : output,
    usage,
    ...details,
    error: error ? writeError(error, remainder["error"], codesOnly) : usual["error"],
  });
  return fillAll(fields, remainder);
}

/** A status of "" is none. */
function endingOf(
  message: Message | undefined,
  about: {
    readonly error: PartOf<"error"> | undefined;
    readonly facts: JsonObject;
    readonly path: Path;
    readonly context: EncodeContext;
  },
): Ending {
  const { error, facts, path, context } = about;
  const finish = message?.finish;
  const { status: told } = facts;
  if (error && finish?.reason === "error") return { status: told === false ? "" : isText(told) ? told : "failed" };
  if (error) context.lose("finish", [...path, "finish"], "an answer that failed");
  if (!finish) {
    if (told === false && context.shape !== "stream") return { status: "" };
    context.lose("no-finish", [...path, "finish"]);
    return { status: "completed" };
  }
  if (isText(told) && finish.raw === told && !isKnownStatus(told)) return { status: told };
  const ending = writeFinish(finish);
  const read = readFinish(ending, factsOf(message?.parts ?? []));
  if (!equalJson(read, finish)) context.lose("finish", [...path, "finish"], finish.reason);
  return ending;
}

function writeTime(
  createdAt: string | undefined,
  about: { readonly remainder: JsonObject; readonly path: Path; readonly context: EncodeContext },
): Json | undefined {
  const { created_at: raw } = about.remainder;
  const isRaw = typeof raw === "number" && createdAt !== undefined && isoOf(raw) === createdAt;
  if (isRaw) return raw;
  const seconds = secondsOf(createdAt);
  if (seconds === undefined || isoOf(seconds) !== createdAt) {
    if (createdAt !== undefined) about.context.lose("time", [...about.path, "createdAt"]);
  }
  return seconds;
}
