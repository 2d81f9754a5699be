import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { at, defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { type ReadMessage, readAssistant, Unanswered } from "./decode-message.ts";
import { writeAssistant } from "./encode-assistant.ts";
import { errorRemainder, readError, writeError } from "./error.ts";
import {
  exceeded,
  type FinishFacts,
  isExceeded,
  readFinish,
  readUsage,
  restoredUsage,
  usageRemainder,
  writeFinish,
} from "./usage.ts";
import { family, isText, type Placed, places } from "./wire.ts";
import { flattened, type Writing, writingOf } from "./writing.ts";

// decode

interface Envelope {
  readonly head: Pick<MessageHead, "responseId" | "model" | "createdAt">;
  /** What only the answer's last message has: usage, the body's remainder, an error. */
  readonly last: Pick<MessageHead, "usage" | "native">;
  readonly error: PartOf<"error"> | undefined;
  readonly choices: readonly Json[] | undefined;
}

/** An answer → a message a choice (R16). Several choices are siblings; none is an empty message. */
export function readAnswer(wire: JsonObject, context: DecodeContext): readonly ReadMessage[] {
  const envelope = readEnvelope(new Reader(wire), context);
  const choices = envelope.choices ?? [];
  const read = choices.map((choice, index) => readChoice(choice, index, { envelope, context }));
  if (read.length === 0) {
    const isList = envelope.choices !== undefined;
    const hints = kept(family, undefined, { $choices: isList ? "none" : false });
    read.push({ head: { role: "assistant", ...envelope.head, ...hints }, parts: [], carry: undefined });
  }
  const last = read.length - 1;
  const other = envelope.last.usage?.other;
  if (other !== undefined) context.lose("usage-other", ["messages", last, "usage", "other"], `${other} tokens`);
  const messages = read.map((message, index) => (index === last ? withEnvelope(message, envelope) : message));
  if (messages.length === 1) return messages;
  return messages.map(({ head, ...message }, index) => {
    const made = siblingOf(head.responseId, index);
    return { ...message, head: { ...head, ...made, id: context.newId?.() ?? made.id } };
  });
}

/** Chat has no message ids, and siblings need them. */
export const siblingOf = (
  responseId: string | undefined,
  index: number,
): { readonly id: string; readonly parent: null } => ({
  id: `~${responseId ?? "answer"}:${index}`,
  parent: null,
});

/** The number of the choice that a message was, where its id is the one made for it. */
export function choiceOf({ id, responseId }: Pick<MessageHead, "id" | "responseId">): number | undefined {
  const number = Number(/:(\d+)$/.exec(id ?? "")?.[1] ?? Number.NaN);
  return siblingOf(responseId, number).id === id ? number : undefined;
}

function withEnvelope(message: ReadMessage, { last, error }: Envelope): ReadMessage {
  const { usage, native } = last;
  const { native: own, ...head } = message.head;
  const failure = error ? failed(message) : {};
  const merged = { ...own?.[family], ...native?.[family], ...failure };
  const parts: readonly Placed[] = error ? [...message.parts, { place: places.error, part: error }] : message.parts;
  const finish = error ? { finish: { reason: "error" as const } } : {};
  return {
    ...message,
    head: { ...head, ...(usage && { usage }), ...finish, ...kept(family, undefined, merged) },
    parts,
  };
}

/** The end that the choice tells beside an error of the whole answer. */
function failed({ head, parts }: ReadMessage): JsonObject {
  const { finish } = head;
  if (!finish) return { $finish: hintsOf(head, family)["$finish"] ?? null };
  const raw = writeFinish(finish, factsOf(parts.map(({ part }) => part)));
  return raw === "error" ? {} : { $finish: raw };
}

/** Members that the encoder writes always: what the wire does not have is listed, so that it is not made up. */
const bodyMembers = ["id", "object", "created", "model"];
/** What the encoder writes where nothing is known, and hosts that do not know. */
const blanks: JsonObject = { id: "", created: 0, model: "" };

function readEnvelope(reader: Reader, context: DecodeContext): Envelope {
  const missing = bodyMembers.filter(member => reader.peek(member) === undefined);
  const blank = Object.keys(blanks).filter(member => reader.peek(member) === blanks[member]);
  reader.literal("object", "chat.completion");
  const head = readHead(reader);
  const choices = reader.array("choices");
  if (!choices && reader.peek("choices") !== undefined) {
    context.issue("unknown-choices", ["choices"], "expected a list of choices; kept as it is");
  }
  const { usage, remainder } = readBodyUsage(reader);
  const counts = reader.peek("usage");
  if (isJsonObject(counts) && isExceeded(counts)) context.issue("usage-parts", ["usage"], exceeded);
  const wireError = reader.peek("error");
  const error = wireError === undefined || wireError === null ? undefined : readError(wireError);
  if (error) reader.take("error");
  const rest = reader.rest();
  const errorRest = error && errorRemainder(wireError ?? null, error);
  const hasRest = rest !== undefined || errorRest !== undefined;
  const completion = hasRest ? { completion: { ...rest, ...present({ error: errorRest }) } } : {};
  const hints = {
    ...remainder,
    ...completion,
    ...(missing.length > 0 && { $without: missing }),
    ...(blank.length > 0 && { $blank: blank }),
  };
  return {
    head,
    last: defined<Envelope["last"]>({ usage, ...kept(family, undefined, hints) }),
    error,
    choices,
  };
}

/** Takes what a body says of all its messages. */
export const readHead = (reader: Reader): Envelope["head"] =>
  defined<Envelope["head"]>({
    responseId: nonEmpty(reader, "id"),
    model: nonEmpty(reader, "model"),
    createdAt: readTime(reader),
  });

/** Empty is what the encoder writes where nothing is known. */
const nonEmpty = (reader: Reader, member: string): string | undefined => reader.string(member) || undefined;

/** Seconds since 1970; 0 is what hosts write that do not know. */
function readTime(reader: Reader): string | undefined {
  const created = reader.peek("created");
  const isTime = typeof created === "number" && Number.isInteger(created) && created > 0 && created < 253_402_300_800;
  if (isTime || created === 0) reader.take("created");
  if (!isTime) return undefined;
  return new Date(created * 1000).toISOString().replace(".000Z", "Z");
}

function readBodyUsage(reader: Reader): {
  readonly usage?: NonNullable<Message["usage"]>;
  readonly remainder: JsonObject;
} {
  const wire = reader.peek("usage");
  const usage = isJsonObject(wire) ? readUsage(wire) : undefined;
  if (!isJsonObject(wire) || !usage) return { remainder: {} };
  reader.take("usage");
  return { usage, remainder: usageRemainder(wire, usage) };
}

function readChoice(
  choice: Json,
  index: number,
  { envelope, context }: { readonly envelope: Envelope; readonly context: DecodeContext },
): ReadMessage {
  const path: Path = ["choices", index];
  const reader = isJsonObject(choice) ? new Reader(choice) : undefined;
  if (!reader) {
    context.issue("not-a-choice", path, "expected an object; kept as it is");
    const hints = kept(family, undefined, { $choices: "opaque" });
    const part: Part = { type: "opaque", family, value: choice };
    return { head: { role: "assistant", ...envelope.head, ...hints }, parts: [{ place: 0, part }], carry: undefined };
  }
  const hasIndex = reader.literal("index", index);
  const wire = reader.object("message");
  if (!wire) context.issue("no-message", at(path, "message"), "expected the choice's message");
  const made = madeFrom(envelope.head.responseId, index);
  const scope = { context, path: at(path, "message"), made, unanswered: new Unanswered() };
  const { head, parts, carry } = readAssistant(new Reader(wire ?? {}), scope);
  const { finish, hints: end } = readEnd(reader, parts);
  const rest = reader.rest();
  const hints = {
    ...(!hasIndex && reader.peek("index") === undefined && { $index: false }),
    ...(!wire && { $message: false }),
    ...end,
    ...(rest && { choice: rest }),
  };
  const native = { ...(wire ? head.native?.[family] : undefined), ...hints };
  const { native: _, ...members } = head;
  return {
    head: { ...members, ...envelope.head, ...(finish && { finish }), ...kept(family, undefined, native) },
    parts,
    carry,
  };
}

/** What ids that are made in a choice begin with, after their `~` (R8). */
export const madeFrom = (responseId: string | undefined, index: number): string =>
  responseId === undefined ? `${index}` : index > 0 ? `${responseId}:${index}` : responseId;

function readEnd(
  reader: Reader,
  parts: readonly Placed[],
): { finish?: NonNullable<Message["finish"]>; hints: JsonObject } {
  const raw = reader.peek("finish_reason");
  if (raw === null) reader.take("finish_reason");
  if (raw === undefined || raw === null) return { hints: { $finish: raw === null ? raw : false } };
  if (!isText(raw)) return { hints: {} };
  reader.take("finish_reason");
  return { finish: readFinish(raw, factsOf(parts.map(({ part }) => part))), hints: {} };
}

const factsOf = (parts: readonly Part[]): FinishFacts => ({
  hasCalls: parts.some(part => part.type === "tool-call" && !part.executedBy),
  hasRefusal: parts.some(part => part.type === "refusal"),
});

// encode

/** A choice and the messages that it is written from, by their places. */
export interface Choice {
  readonly messages: readonly Message[];
  readonly indexes: readonly number[];
}

/** The last answer of a conversation, or what the caller says that its choices are. */
export function writeAnswer(
  { messages }: Conversation,
  context: EncodeContext,
  choices: readonly Choice[] = choicesOf(messages),
): JsonObject {
  const writing = writingOf(context, messages);
  const written = new Set(choices.flatMap(({ indexes }) => indexes));
  for (const index of messages.keys()) if (!written.has(index)) context.lose("not-the-answer", ["messages", index]);
  const last = choices.at(-1)?.messages.at(-1);
  const wires = choices.flatMap((choice, index) => writeChoice(choice, index, writing));
  const path: Path = ["messages", choices.at(-1)?.indexes.at(-1) ?? 0];
  reportHeads(choices, context);
  return writeEnvelope(last, { choices: wires, path, error: errorOf(choices, context), context });
}

/** Siblings are choices; else the messages of the assistant since someone else spoke are one. */
function choicesOf(messages: readonly Message[]): readonly Choice[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = messages[last];
  if (!newest) return [];
  const { parent, responseId } = newest;
  const isSibling = (message: Message): boolean =>
    message.role === "assistant" && message.parent === parent && message.responseId === responseId;
  const siblings =
    parent === undefined ? [] : [...messages.keys()].filter(index => isSibling(messages[index] ?? newest));
  if (siblings.length > 1) {
    const order = (index: number): number => (messages[index] && choiceOf(messages[index])) ?? index;
    siblings.sort((a, b) => order(a) - order(b));
    return siblings.map(index => ({ messages: [messages[index] ?? newest], indexes: [index] }));
  }
  const indexes: number[] = [];
  for (let index = last; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === "assistant") indexes.push(index);
    else if (message?.role !== "tool") break;
  }
  indexes.reverse();
  return [{ messages: indexes.map(index => messages[index] ?? newest), indexes }];
}

function writeChoice({ messages, indexes }: Choice, index: number, writing: Writing): JsonObject[] {
  const { context } = writing;
  const message = messages.at(-1);
  if (!message) return [];
  const hints = hintsOf(message, family);
  const [only] = message.parts;
  const isEmpty = message.parts.every(part => part.type === "error");
  if (isEmpty && (hints["$choices"] === "none" || hints["$choices"] === false)) return [];
  if (hints["$choices"] === "opaque" && only?.type === "opaque") {
    context.wrote([{}], indexes[0] ?? 0, 1);
    return [only.value as JsonObject]; // whatever the wire had in its place
  }
  if (messages.length > 1) for (const joined of indexes) context.lose("messages-joined", ["messages", joined]);
  const parts = messages.flatMap((each, place) =>
    flattened(each.parts, ["messages", indexes[place] ?? 0, "parts"], writing),
  );
  const own = parts.filter(({ part }) => part.type !== "error");
  const isWritten = hints["$message"] !== false || own.length > 0;
  const body = writeAssistant(own, { message, path: ["messages", indexes.at(-1) ?? 0] }, writing);
  context.wrote([body], indexes[0] ?? 0, (indexes.at(-1) ?? 0) - (indexes[0] ?? 0) + 1);
  const { choice: rest } = hints;
  const remainder = isJsonObject(rest) ? rest : {};
  const facts = factsOf(own.map(({ part }) => part));
  const fields = present({
    index: hints["$index"] === false || Object.hasOwn(remainder, "index") ? undefined : index,
    message: isWritten ? body : undefined,
    finish_reason: finishOf(message, { facts, remainder, path: ["messages", indexes.at(-1) ?? 0, "finish"], context }),
  });
  return [fillAll(fields, remainder)];
}

function finishOf(
  message: Message,
  about: { facts: FinishFacts; remainder: JsonObject; path: Path; context: EncodeContext },
): string | null | undefined {
  const { finish } = message;
  const { facts, remainder, path, context } = about;
  const { $finish: told } = hintsOf(message, family);
  if (!finish) {
    if (context.shape !== "stream" && (told === false || Object.hasOwn(remainder, "finish_reason"))) return undefined;
    if (context.shape !== "stream" && told === null) return null;
    // Clients take an answer without a reason for one that was cut.
    context.lose("no-finish", path);
    return facts.hasCalls ? "tool_calls" : "stop";
  }
  const isFailed = finish.reason === "error" && message.parts.some(part => part.type === "error");
  if (isFailed || (finish.reason === "error" && told !== undefined)) {
    return told === false ? undefined : isText(told) || told === null ? told : "error";
  }
  const raw = writeFinish(finish, facts);
  // A stream that is cut says so by not ending.
  const isCut = context.shape === "stream" && finish.reason === "incomplete" && finish.raw === undefined;
  if (!isCut && !equalJson(raw ? readFinish(raw, facts) : undefined, finish))
    context.lose("finish", path, finish.reason);
  return raw;
}

function errorOf(choices: readonly Choice[], context: EncodeContext): PartOf<"error"> | undefined {
  const errors = choices.flatMap(({ messages, indexes }) =>
    messages.flatMap(({ parts }, place) =>
      parts.flatMap((part, index) =>
        part.type === "error" ? [{ part, path: ["messages", indexes[place] ?? 0, "parts", index] }] : [],
      ),
    ),
  );
  for (const { path } of errors.slice(0, -1)) context.lose("misplaced", path, "error");
  return errors.at(-1)?.part;
}

/** Members of heads that the body says once, for all of its messages, or not at all. */
function reportHeads(choices: readonly Choice[], context: EncodeContext): void {
  const last = choices.at(-1)?.messages.at(-1);
  for (const [index, { messages, indexes }] of choices.entries()) {
    for (const [place, message] of messages.entries()) {
      const path = ["messages", indexes[place] ?? 0];
      const isSibling = choices.length > 1;
      const isMade = isSibling && message.id === siblingOf(message.responseId, index).id && message.parent === null;
      if (message.id !== undefined && !isMade) context.lose("message-id", [...path, "id"]);
      if (message.parent !== undefined && !isMade) context.lose("message-id", [...path, "parent"]);
      if (message === last) continue;
      for (const member of ["responseId", "model", "createdAt"] as const) {
        if (message[member] !== last?.[member]) context.lose("head", [...path, member]);
      }
      if (message.usage) context.lose("head", [...path, "usage"]);
      if (!isSibling && message.finish) context.lose("head", [...path, "finish"]);
    }
  }
}

function writeEnvelope(
  message: Message | undefined,
  about: { choices: readonly Json[]; path: Path; error: PartOf<"error"> | undefined; context: EncodeContext },
): JsonObject {
  const { choices, path, error, context } = about;
  const hints = message ? hintsOf(message, family) : {};
  const { completion, $without: listed, $blank: blank, $choices: shape } = hints;
  const remainder = isJsonObject(completion) ? completion : {};
  const missing = Array.isArray(listed) ? listed : [];
  const isWritten = (member: string): boolean => !missing.includes(member) && !Object.hasOwn(remainder, member);
  const made: string[] = [];
  const usual = (member: string): Json | undefined => {
    if (!isWritten(member)) return undefined;
    if (!Array.isArray(blank) || !blank.includes(member)) made.push(member);
    return blanks[member];
  };
  const wireUsage = message?.usage && restoredUsage(message.usage, hints);
  if (wireUsage && !equalJson(readUsage(wireUsage), message?.usage)) context.lose("usage", [...path, "usage"]);
  const fields = present({
    id: message?.responseId ?? usual("id"),
    object: isWritten("object") ? "chat.completion" : undefined,
    created: writeTime(message?.createdAt, path, context) ?? usual("created"),
    model: message?.model ?? usual("model"),
    choices: choices.length > 0 || shape !== false ? choices : undefined,
    usage: wireUsage,
    error: error && writeError(error, remainder["error"]),
  });
  if (made.length > 0 && message) context.lose("no-envelope", path, made.join(", "));
  return fillAll(fields, remainder);
}

function writeTime(createdAt: string | undefined, path: Path, context: EncodeContext): number | undefined {
  const seconds = timeOf(createdAt);
  const written = seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  if (written !== createdAt) context.lose("time", [...path, "createdAt"]);
  return seconds;
}

/** ISO 8601 as whole seconds since 1970. */
export function timeOf(createdAt: string | undefined): number | undefined {
  const time = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
