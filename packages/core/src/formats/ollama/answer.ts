import { errorOf, freshIn, partsOf } from "../../blocks/answer-parts.ts";
import type { ReadMessage } from "../../blocks/chat-parts/wire.ts";
import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { lastAnswer, reportAnswer } from "../../codec/one-answer.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import { saidIn, tokensHint } from "../../codec/token-texts.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { readError, writeError } from "./error.ts";
import { readAssistant } from "./read-messages.ts";
import { readFinish, readUsage, writeFinish, writeUsage } from "./usage.ts";
import { family, isText, places } from "./wire.ts";
import { writeAssistant } from "./write-assistant.ts";
import { writingOf } from "./writing.ts";

/** What the encoder writes where nothing is known: Ollama's clients want both. */
const blanks = { model: "", created_at: "1970-01-01T00:00:00Z" } as const;
type Blank = keyof typeof blanks;

/** Whether a member is there without saying anything. */
export const isUnsaid = (member: string, value: Json): boolean =>
  (member === "model" || member === "created_at") && value === blanks[member];

/** Takes what every chunk says of its answer. */
export function readHead(reader: Reader): Pick<MessageHead, "model" | "createdAt"> {
  const date = reader.peek("created_at");
  return defined<Pick<MessageHead, "model" | "createdAt">>({
    model: reader.peek("model") === blanks.model ? undefined : reader.string("model"),
    createdAt: date !== blanks.created_at && isDate(date) ? reader.string("created_at") : undefined,
  });
}

const isDate = (value: Json | undefined): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value);

/** An answer → its one message (R16). `isCut`: it is what came of a stream that did not end. */
export function readAnswer(wire: JsonObject, context: DecodeContext, isCut = false): ReadMessage {
  const reader = new Reader(wire);
  const said = readHead(reader);
  const blank = (Object.keys(blanks) as Blank[]).filter(member => reader.literal(member, blanks[member])); // its keys
  const missing = (Object.keys(blanks) as Blank[]).filter(member => reader.peek(member) === undefined); // its keys
  const message = reader.object("message");
  if (!message) context.issue("no-message", ["message"], "expected the answer's message");
  const scope = { context, path: ["message"], made: "0", unanswered: new WaitingCalls() };
  const read = readAssistant(new Reader(message ?? {}), scope);
  const failure = reader.peek("error");
  const error = failure === undefined || failure === null ? undefined : readError(failure);
  if (error) reader.take("error");
  const called = hasCalls(read.parts.map(({ part }) => part));
  const end =
    isCut && !error
      ? { hints: {} }
      : readEnd(reader, called, { isFailed: error !== undefined, isStream: context.shape === "stream" });
  const usage = readUsage(reader);
  const rest = reader.rest();
  const native = {
    ...(message ? read.head.native?.[family] : { $message: false }),
    ...end.hints,
    ...tokensHint(rest?.["logprobs"], saidIn(read.parts.map(({ part }) => part))),
    ...(rest && { answer: rest }),
    ...(blank.length > 0 && { $blank: blank }),
    ...(missing.length > 0 && context.shape !== "stream" && { $without: missing }),
  };
  const head = defined<MessageHead>({
    role: "assistant",
    ...said,
    finish: end.finish,
    usage,
    ...kept(family, undefined, native),
  });
  return {
    head,
    parts: error ? [...read.parts, { place: places.error, part: error }] : read.parts,
    carry: read.carry,
  };
}

type Finish = NonNullable<Message["finish"]>;

export const hasCalls = (parts: readonly Part[]): boolean =>
  parts.some(part => part.type === "tool-call" && !part.executedBy);

/** Old servers give no reason; what is not done was cut. */
function readEnd(
  reader: Reader,
  called: boolean,
  { isFailed, isStream }: { readonly isFailed: boolean; readonly isStream: boolean },
): { readonly finish?: Finish; readonly hints: JsonObject } {
  const done = reader.peek("done");
  const raw = reader.peek("done_reason");
  const isTold = typeof done === "boolean";
  if (isTold) reader.take("done");
  const isOver = done === true || (!isTold && isText(raw));
  if (isText(raw)) reader.take("done_reason");
  const hints: JsonObject = {
    ...(!isTold && { $done: false }),
    ...(isText(raw) ? {} : isOver && { $reason: false }),
  };
  if (isFailed && isStream) return { finish: { reason: "error" }, hints: {} };
  if (isFailed) {
    return {
      finish: { reason: "error" },
      hints: { ...hints, ...(isText(raw) && { $reason: raw }), ...(done === true && { $done: true }) },
    };
  }
  if (isOver) {
    const finish = readFinish(isText(raw) ? raw : "stop", called);
    return { finish, hints: { ...hints, ...(finish.reason === "other" && { $word: raw ?? null }) } };
  }
  if (!isTold) return { hints: { ...hints, $reason: false } };
  return { finish: { reason: "incomplete", ...(isText(raw) && { raw }) }, hints };
}

// writing

/** The last answer of a conversation. */
export function writeAnswer({ messages }: Conversation, context: EncodeContext): JsonObject {
  const answer = lastAnswer(messages);
  reportAnswer(messages, answer, context);
  const message = answer.messages.at(-1);
  const parts = partsOf(answer, context);
  const path: Path = ["messages", answer.indexes.at(-1) ?? 0];
  const said = parts.filter(({ part }) => part.type !== "error");
  const error = errorOf(parts, message, context);
  if (!message) return { ...blanks, message: { role: "assistant", content: "" }, done: true, done_reason: "stop" };
  const hints = hintsOf(message, family);
  const body = writeAssistant(said, { message, path }, writingOf(context, messages));
  const first = answer.indexes[0] ?? 0;
  context.wrote([body], first, (answer.indexes.at(-1) ?? 0) - first + 1);
  const remainder = freshIn(hints, said, { family, path, context });
  return fillAll(
    present({
      ...headOf(message, path, context),
      message: hints["$message"] === false && said.length === 0 ? undefined : body,
      ...endOf(message, { error, hasCalls: hasCalls(said.map(({ part }) => part)), path, context }),
    }),
    remainder,
  );
}

/** Model and date, which are there even where they say nothing. */
export function headOf(message: Message, path: Path, context: EncodeContext): JsonObject {
  const hints = hintsOf(message, family);
  const { $blank: listed, $without: missing, answer } = hints;
  const usual = (member: Blank): string | undefined => {
    const isMissing = Array.isArray(missing) && missing.includes(member);
    if (isMissing || (isJsonObject(answer) && Object.hasOwn(answer, member))) return undefined;
    if (!Array.isArray(listed) || !listed.includes(member)) context.lose("no-envelope", path, member);
    return blanks[member];
  };
  return present({
    model: message.model ?? usual("model"),
    created_at: message.createdAt ?? usual("created_at"),
  });
}

interface AboutEnd {
  readonly error: PartOf<"error"> | undefined;
  readonly hasCalls: boolean;
  readonly path: Path;
  readonly context: EncodeContext;
}

/** How the answer ended, and what it took. */
export function endOf(message: Message, about: AboutEnd): JsonObject {
  const { usage } = message;
  const { error, path, context } = about;
  const counts = usage && writeUsage(usage);
  if (counts && !equalJson(readUsage(new Reader(counts)), usage)) context.lose("usage", [...path, "usage"]);
  return present({ ...doneOf(message, about), ...counts, error: error && writeError(error) });
}

function doneOf(message: Message, { error, hasCalls: called, path, context }: AboutEnd): JsonObject {
  const { finish } = message;
  const { $done: done, $reason: told, $word: own } = hintsOf(message, family);
  const isWritten = done !== false;
  if (error)
    return present({ done: isWritten ? done === true : undefined, done_reason: isText(told) ? told : undefined });
  if (!finish) {
    if (!isWritten && told === false) return {};
    // Clients wait for an end.
    context.lose("no-finish", path);
    return { done: true, done_reason: "stop" };
  }
  const isCut = finish.reason === "incomplete";
  const raw = isCut ? finish.raw : writeFinish(finish, called, own);
  const isDone = !isCut && raw !== undefined;
  if (!isCut && (raw === undefined || !equalJson(readFinish(raw, called), finish))) {
    context.lose("finish", [...path, "finish"], finish.reason);
  }
  const isUntold = told === false && raw === "stop";
  return present({ done: isWritten ? isDone : undefined, done_reason: isUntold ? undefined : raw });
}

/** What of a message is its answer's own. */
export const envelopeOf = (message: Message): JsonObject => {
  const { answer } = hintsOf(message, family);
  return isJsonObject(answer) ? answer : {};
};

/** What of a message is its own beside its fields. */
export const membersOf = (message: Message): JsonObject => remainderOf(message, family, ["answer"]);
