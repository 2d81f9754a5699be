import type { EncodeContext } from "../../codec/codec.ts";
import { fillAll, hintsOf, present } from "../../codec/remainder.ts";
import { areStale } from "../../codec/token-texts.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { type FinishFacts, readFinish, writeFinish } from "./finish.ts";
import type { ChatForm, MessageWriter } from "./form.ts";
import { blanks, choiceError, choiceOf, factsOf, siblingOf, textOf, tokenLists, tokensOf } from "./read-answer.ts";
import { readUsage, restoredUsage } from "./usage.ts";
import { isText } from "./wire.ts";

/** A choice and the messages that it is written from, by their places. */
export interface Choice {
  readonly messages: readonly Message[];
  readonly indexes: readonly number[];
}

/** `choices`: where the caller knows which messages they are. */
export interface AnswerTo {
  readonly context: EncodeContext;
  readonly form: ChatForm;
  readonly choices?: readonly Choice[] | undefined;
}

interface Writing {
  readonly context: EncodeContext;
  readonly form: ChatForm;
  readonly writer: MessageWriter;
}

/** The last answer of a conversation, or what the caller says that its choices are. */
export function writeAnswer(
  messages: readonly Message[],
  { context, form, choices = choicesOf(messages) }: AnswerTo,
): JsonObject {
  const writing = { context, form, writer: form.writer(context, messages) };
  const written = new Set(choices.flatMap(({ indexes }) => indexes));
  for (const index of messages.keys()) if (!written.has(index)) context.lose("not-the-answer", ["messages", index]);
  const last = choices.at(-1)?.messages.at(-1);
  const wires = choices.flatMap((choice, index) => writeChoice(choice, index, writing));
  const path: Path = ["messages", choices.at(-1)?.indexes.at(-1) ?? 0];
  reportHeads(choices, context);
  return writeEnvelope(last, { choices: wires, path, error: errorOf(choices, { context, form }), context, form });
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
  const { context, form, writer } = writing;
  const message = messages.at(-1);
  if (!message) return [];
  const hints = hintsOf(message, form.family);
  const [only] = message.parts;
  const isEmpty = message.parts.every(part => part.type === "error");
  if (isEmpty && (hints["$choices"] === "none" || hints["$choices"] === false)) return [];
  if (hints["$choices"] === "opaque" && only?.type === "opaque") {
    context.wrote([{}], indexes[0] ?? 0, 1);
    return [only.value as JsonObject]; // whatever the wire had in its place
  }
  if (messages.length > 1) for (const joined of indexes) context.lose("messages-joined", ["messages", joined]);
  const parts = messages.flatMap((each, place) =>
    writer.flatten(each.parts, ["messages", indexes[place] ?? 0, "parts"]),
  );
  const own = parts.filter(({ part }) => part.type !== "error");
  const isWritten = hints["$message"] !== false || own.length > 0;
  const body = writer.write(own, { message, path: ["messages", indexes.at(-1) ?? 0] });
  context.wrote([body], indexes[0] ?? 0, (indexes.at(-1) ?? 0) - (indexes[0] ?? 0) + 1);
  const remainder = remainderOf(hints, body, {
    context,
    path: ["messages", indexes.at(-1) ?? 0, "native", form.family],
  });
  const facts = factsOf(own.map(({ part }) => part));
  const fields = present({
    index: hints["$index"] === false || Object.hasOwn(remainder, "index") ? undefined : index,
    message: isWritten ? body : undefined,
    finish_reason: finishOf(message, { facts, remainder, path: ["messages", indexes.at(-1) ?? 0, "finish"], writing }),
  });
  return [fillAll(fields, remainder)];
}

/** Members of the choice without a field; probabilities only while they are of what it says. */
function remainderOf(
  hints: JsonObject,
  body: JsonObject,
  { context, path }: { readonly context: EncodeContext; readonly path: Path },
): JsonObject {
  const { choice } = hints;
  if (!isJsonObject(choice)) return {};
  const stale = tokenLists.filter(({ of, hint }) => areStale(tokensOf(choice, of), textOf(body, of), hints, hint));
  if (stale.length === 0) return choice;
  for (const { of } of stale) context.lose("stale", [...path, "choice", "logprobs", of]);
  const logprobs = { ...(choice["logprobs"] as JsonObject), ...Object.fromEntries(stale.map(({ of }) => [of, null])) }; // it has tokens
  const isEmpty = Object.values(logprobs).every(list => list === null);
  return { ...choice, logprobs: isEmpty ? null : logprobs };
}

function finishOf(
  message: Message,
  about: { facts: FinishFacts; remainder: JsonObject; path: Path; writing: Writing },
): string | null | undefined {
  const { finish } = message;
  const { facts, remainder, path, writing } = about;
  const { context, form } = writing;
  const { $finish: told, $word: own } = hintsOf(message, form.family);
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
  const raw = writeFinish(finish, facts, { words: form.finish, own });
  // A stream that is cut says so by not ending.
  const isCut = context.shape === "stream" && finish.reason === "incomplete" && finish.raw === undefined;
  if (!isCut && !equalJson(raw ? readFinish(raw, facts, form.finish) : undefined, finish))
    context.lose("finish", path, finish.reason);
  return raw;
}

/** The last error that no choice tells itself. */
function errorOf(
  choices: readonly Choice[],
  { context, form }: { readonly context: EncodeContext; readonly form: ChatForm },
): PartOf<"error"> | undefined {
  const errors = choices.flatMap(({ messages, indexes }) => {
    const last = messages.at(-1);
    const own = last && choiceError(hintsOf(last, form.family)["choice"], form);
    const isOwn = (part: PartOf<"error">): boolean => part.message === own?.message && part.code === own.code;
    return messages.flatMap(({ parts }, place) =>
      parts.flatMap((part, index) =>
        part.type === "error" && !isOwn(part)
          ? [{ part, path: ["messages", indexes[place] ?? 0, "parts", index] }]
          : [],
      ),
    );
  });
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
  about: {
    readonly choices: readonly Json[];
    readonly path: Path;
    readonly error: PartOf<"error"> | undefined;
    readonly context: EncodeContext;
    readonly form: ChatForm;
  },
): JsonObject {
  const { choices, path, error, context, form } = about;
  const hints = message ? hintsOf(message, form.family) : {};
  const { completion, $without: listed, $blank: blank, $choices: shape } = hints;
  const remainder = isJsonObject(completion) ? completion : {};
  const missing = Array.isArray(listed) ? listed : [];
  const isWritten = (member: string): boolean => !missing.includes(member) && !Object.hasOwn(remainder, member);
  const made: string[] = [];
  const usual = (member: string): Json | undefined => {
    if (!isWritten(member)) return undefined;
    if (Array.isArray(blank) && blank.includes(member)) return blanks[member];
    made.push(member);
    return member === "id" ? form.madeId : blanks[member];
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
    error: error && form.writeError(error, remainder["error"]),
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
