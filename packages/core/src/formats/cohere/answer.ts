import { errorOf, freshIn, partsOf } from "../../blocks/answer-parts.ts";
import type { ReadMessage } from "../../blocks/chat-parts/wire.ts";
import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { lastAnswer, reportAnswer } from "../../codec/one-answer.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import { saidIn, tokensHint } from "../../codec/token-texts.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { readError, writeError } from "./error.ts";
import { readAssistant } from "./read-messages.ts";
import { readFinish, readUsage, restoredUsage, usageRemainder, writeFinish } from "./usage.ts";
import { family, isText, places } from "./wire.ts";
import { writeAssistant } from "./write-assistant.ts";
import { writingOf } from "./writing.ts";

/** An answer → its one message (R16). `isCut`: it is what came of a stream that did not end. */
export function readAnswer(wire: JsonObject, context: DecodeContext, isCut = false): ReadMessage {
  const reader = new Reader(wire);
  const isStream = context.shape === "stream";
  const responseId = reader.peek("id") === "" ? undefined : reader.string("id");
  const message = reader.object("message");
  if (!message) context.issue("no-message", ["message"], "expected the answer's message");
  const scope = { context, path: ["message"], made: responseId ?? "0", unanswered: new WaitingCalls() };
  const read = readAssistant(new Reader(message ?? {}), scope);
  const failure = reader.peek("error");
  const error = failure === undefined || failure === null ? undefined : readError(failure);
  if (error) reader.take("error");
  const end: ReadEnd = isCut ? { hints: {} } : readEnd(reader, error !== undefined);
  const usage = readCounts(reader);
  const rest = reader.rest();
  const native = {
    ...(message ? read.head.native?.[family] : { $message: false }),
    ...end.hints,
    ...usage.hints,
    ...tokensHint(rest?.["logprobs"], saidIn(read.parts.map(({ part }) => part))),
    ...(rest && { answer: rest }),
    ...(responseId === undefined && reader.peek("id") === undefined && !isStream && { $id: false }),
  };
  const head = defined<MessageHead>({
    role: "assistant",
    responseId,
    finish: end.finish,
    usage: usage.usage,
    ...kept(family, undefined, native),
  });
  return {
    head,
    parts: error ? [...read.parts, { place: places.error, part: error }] : read.parts,
    carry: read.carry,
  };
}

type Finish = NonNullable<Message["finish"]>;

interface ReadEnd {
  readonly finish?: Finish;
  readonly hints: JsonObject;
}

/** Beside an error only the word for the end is kept. */
function readEnd(reader: Reader, isFailed: boolean): ReadEnd {
  const raw = reader.peek("finish_reason");
  const isKnown = isText(raw);
  if (isKnown || raw === null) reader.take("finish_reason");
  const hints: JsonObject = isKnown
    ? {}
    : raw === undefined
      ? { $finish: false }
      : raw === null
        ? { $finish: null }
        : {};
  const finish = isKnown ? readFinish(raw) : undefined;
  const word = finish?.reason === "other" ? { $word: raw ?? null } : {};
  if (!isFailed) return finish ? { finish, hints: { ...hints, ...word } } : { hints };
  return { finish: { reason: "error" }, hints: isKnown && raw !== "ERROR" ? { $finish: raw } : hints };
}

function readCounts(reader: Reader): { readonly usage?: NonNullable<Message["usage"]>; readonly hints: JsonObject } {
  const wire = reader.peek("usage");
  const usage = isJsonObject(wire) ? readUsage(wire) : undefined;
  if (!isJsonObject(wire) || !usage) return { hints: {} };
  reader.take("usage");
  return { usage, hints: usageRemainder(wire, usage) };
}

// writing

/** The last answer of a conversation. */
export function writeAnswer({ messages }: Conversation, context: EncodeContext): JsonObject {
  const answer = lastAnswer(messages);
  reportAnswer(messages, answer, context);
  const message = answer.messages.at(-1);
  const writing = writingOf(context, messages);
  const parts = partsOf(answer, context);
  const path: Path = ["messages", answer.indexes.at(-1) ?? 0];
  const said = parts.filter(({ part }) => part.type !== "error");
  const error = errorOf(parts, message, context);
  if (!message) return { id: "", message: { role: "assistant" }, finish_reason: "COMPLETE" };
  const hints = hintsOf(message, family);
  const body = writeAssistant(said, { message, path }, writing);
  const first = answer.indexes[0] ?? 0;
  context.wrote([body], first, (answer.indexes.at(-1) ?? 0) - first + 1);
  const hasId = message.responseId !== undefined;
  if (!hasId && hints["$id"] !== false) context.lose("no-envelope", path, "id");
  const remainder = freshIn(hints, said, { family, path, context });
  return fillAll(
    present({
      id: message.responseId ?? (hints["$id"] === false || Object.hasOwn(remainder, "id") ? undefined : ""),
      message: hints["$message"] === false && said.length === 0 ? undefined : body,
      ...endOf(message, { error, path, context }),
    }),
    remainder,
  );
}

interface AboutEnd {
  readonly error: PartOf<"error"> | undefined;
  readonly path: Path;
  readonly context: EncodeContext;
}

/** How the answer ended, and what it took. */
export function endOf(message: Message, { error, path, context }: AboutEnd): JsonObject {
  const hints = hintsOf(message, family);
  const usage = message.usage && restoredUsage(message.usage, hints);
  if (usage && !equalJson(readUsage(usage), message.usage)) context.lose("usage", [...path, "usage"]);
  return present({
    finish_reason: finishOf(message, { error, path, context }),
    usage,
    error: error && writeError(error),
  });
}

function finishOf(message: Message, { error, path, context }: AboutEnd): Json | undefined {
  const { finish } = message;
  const { $finish: told, $word: own, answer } = hintsOf(message, family);
  const isOdd = isJsonObject(answer) && Object.hasOwn(answer, "finish_reason");
  if (error) return told === false || isOdd ? undefined : told === null || isText(told) ? told : "ERROR";
  if (!finish) {
    if (told === false || isOdd) return undefined;
    if (told === null) return null;
    // Clients wait for a reason.
    context.lose("no-finish", path);
    return message.parts.some(part => part.type === "tool-call" && !part.executedBy) ? "TOOL_CALL" : "COMPLETE";
  }
  const raw = writeFinish(finish, own);
  if (raw === undefined || !equalJson(readFinish(raw), finish))
    context.lose("finish", [...path, "finish"], finish.reason);
  return raw;
}
