import type { DecodeContext } from "../../codec/codec.ts";
import { at, defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present } from "../../codec/remainder.ts";
import { tokensHint } from "../../codec/token-texts.ts";
import type { Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { choiceOrder } from "../choice-order.ts";
import { type FinishFacts, readFinish, wordHint, writeFinish } from "./finish.ts";
import type { ChatForm } from "./form.ts";
import { exceeded, isExceeded, readUsage, usageRemainder } from "./usage.ts";
import { isText, type Placed, type ReadMessage } from "./wire.ts";

interface Envelope {
  readonly head: Pick<MessageHead, "responseId" | "model" | "createdAt">;
  /** What only the answer's last message has: usage, the body's remainder, an error. */
  readonly last: Pick<MessageHead, "usage" | "native">;
  readonly error: PartOf<"error"> | undefined;
  readonly choices: readonly Json[] | undefined;
}

/** An answer → a message a choice (R16). Several choices are siblings; none is an empty message. */
export function readAnswer(wire: JsonObject, context: DecodeContext, form: ChatForm): readonly ReadMessage[] {
  const { family } = form;
  const envelope = readEnvelope(new Reader(wire), context, form);
  const choices = envelope.choices ?? [];
  const read = choiceOrder(choices).map((place, index) =>
    readChoice(choices[place] ?? null, { index, place }, { envelope, context, form }),
  );
  if (read.length === 0) {
    const isList = envelope.choices !== undefined;
    const hints = kept(family, undefined, { $choices: isList ? "none" : false });
    read.push({ head: { role: "assistant", ...envelope.head, ...hints }, parts: [], carry: undefined });
  }
  const last = read.length - 1;
  const other = envelope.last.usage?.other;
  if (other !== undefined) context.lose("usage-other", ["messages", last, "usage", "other"], `${other} tokens`);
  const messages = read.map((message, index) => (index === last ? withEnvelope(message, envelope, form) : message));
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

function withEnvelope(message: ReadMessage, { last, error }: Envelope, form: ChatForm): ReadMessage {
  const { family } = form;
  const { usage, native } = last;
  const { native: own, ...head } = message.head;
  const merged = { ...own?.[family], ...native?.[family] };
  return withError(
    { ...message, head: { ...head, ...(usage && { usage }), ...kept(family, undefined, merged) } },
    error,
    form,
  );
}

/** A message that failed with what its answer, or its choice, says was wrong. */
function withError(message: ReadMessage, error: PartOf<"error"> | undefined, form: ChatForm): ReadMessage {
  if (!error) return message;
  const { family, errorPlace } = form;
  const { native, ...head } = message.head;
  const failure = kept(family, undefined, { ...native?.[family], ...failed(message, form) });
  const parts: readonly Placed[] = [...message.parts, { place: errorPlace, part: error }];
  return { ...message, head: { ...head, finish: { reason: "error" }, ...failure }, parts };
}

/** The error that one choice has (OpenRouter's, where the provider behind it fails in mid-answer). */
export function choiceError(choice: Json | undefined, form: ChatForm): PartOf<"error"> | undefined {
  const error = isJsonObject(choice) ? choice["error"] : undefined;
  return error === undefined || error === null ? undefined : form.readError(error);
}

/** The end that the choice tells beside an error of the whole answer. */
function failed({ head, parts }: ReadMessage, form: ChatForm): JsonObject {
  const { finish } = head;
  if (!finish) return { $finish: hintsOf(head, form.family)["$finish"] ?? null };
  const raw = writeFinish(finish, factsOf(parts.map(({ part }) => part)), { words: form.finish, own: finish.raw });
  return raw === "error" ? {} : { $finish: raw };
}

/** Members that the encoder writes always: what the wire does not have is listed, so that it is not made up. */
const bodyMembers = ["id", "object", "created", "model"];
/** What hosts write that do not know. */
export const blanks: JsonObject = { id: "", created: 0, model: "" };

function readEnvelope(reader: Reader, context: DecodeContext, form: ChatForm): Envelope {
  const missing = bodyMembers.filter(member => reader.peek(member) === undefined);
  const blank = Object.keys(blanks).filter(member => reader.peek(member) === blanks[member]);
  reader.literal("object", "chat.completion");
  const head = readHead(reader, form);
  const choices = reader.array("choices");
  if (!choices && reader.peek("choices") !== undefined) {
    context.issue("unknown-choices", ["choices"], "expected a list of choices; kept as it is");
  }
  const { usage, remainder } = readBodyUsage(reader);
  const counts = reader.peek("usage");
  if (isJsonObject(counts) && isExceeded(counts)) context.issue("usage-parts", ["usage"], exceeded);
  const wireError = reader.peek("error");
  const error = wireError === undefined || wireError === null ? undefined : form.readError(wireError);
  if (error) reader.take("error");
  const rest = reader.rest();
  const errorRest = error && form.errorRemainder(wireError ?? null, error);
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
    last: defined<Envelope["last"]>({ usage, ...kept(form.family, undefined, hints) }),
    error,
    choices,
  };
}

/** Takes what a body says of all its messages. */
export const readHead = (reader: Reader, form: ChatForm): Envelope["head"] =>
  defined<Envelope["head"]>({
    responseId: known(reader, "id", form),
    model: known(reader, "model", form),
    createdAt: readTime(reader),
  });

/** Empty or made is what is written where nothing is known. */
function known(reader: Reader, member: string, { madeId }: ChatForm): string | undefined {
  const text = reader.string(member);
  return text === "" || text === madeId ? undefined : text;
}

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
  { index, place }: { readonly index: number; readonly place: number },
  about: { readonly envelope: Envelope; readonly context: DecodeContext; readonly form: ChatForm },
): ReadMessage {
  const { envelope, context, form } = about;
  const { family } = form;
  const path: Path = ["choices", place];
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
  const scope = { context, path: at(path, "message"), made };
  const { head, parts, carry } = form.readMessage(new Reader(wire ?? {}), scope);
  const { finish, hints: end } = readEnd(reader, parts, form);
  const rest = reader.rest();
  const hints = {
    ...(!hasIndex && reader.peek("index") === undefined && { $index: false }),
    ...(!wire && { $message: false }),
    ...end,
    ...tokenHints(rest, wire),
    ...(rest && { choice: rest }),
  };
  const native = { ...(wire ? head.native?.[family] : undefined), ...hints };
  const { native: _, ...members } = head;
  const message: ReadMessage = {
    head: { ...members, ...envelope.head, ...(finish && { finish }), ...kept(family, undefined, native) },
    parts,
    carry,
  };
  return withError(message, choiceError(choice, form), form);
}

/** The texts of a message whose tokens a choice tells, by the members of its `logprobs`. */
export const tokenLists = [
  { of: "content", hint: "$tokens" },
  { of: "refusal", hint: "$refusalTokens" },
] as const;
type Spoken = (typeof tokenLists)[number]["of"];

function tokenHints(choice: JsonObject | undefined, message: JsonObject | undefined): JsonObject {
  const hints = tokenLists.map(({ of, hint }) => tokensHint(tokensOf(choice, of), textOf(message, of), hint));
  return Object.fromEntries(hints.flatMap(each => Object.entries(each)));
}

export const tokensOf = (choice: JsonObject | undefined, of: Spoken): Json | undefined => {
  const logprobs = choice?.["logprobs"];
  return isJsonObject(logprobs) ? logprobs[of] : undefined;
};

/** The text of a message's content, or its refusal, which some hosts have among the content. */
export function textOf(message: JsonObject | undefined, of: Spoken): string {
  const refusal = message?.["refusal"];
  if (of === "refusal" && typeof refusal === "string") return refusal;
  const content = message?.["content"];
  const texts: readonly Json[] = Array.isArray(content) ? content : [{ text: content ?? "" }];
  const member = of === "content" ? "text" : of;
  return texts.map(each => (isJsonObject(each) && typeof each[member] === "string" ? each[member] : "")).join("");
}

/** What ids that are made in a choice begin with, after their `~` (R8). */
export const madeFrom = (responseId: string | undefined, index: number): string =>
  responseId === undefined ? `${index}` : index > 0 ? `${responseId}:${index}` : responseId;

function readEnd(
  reader: Reader,
  parts: readonly Placed[],
  form: ChatForm,
): { finish?: NonNullable<Message["finish"]>; hints: JsonObject } {
  const raw = reader.peek("finish_reason");
  if (raw === null) reader.take("finish_reason");
  if (raw === undefined || raw === null) return { hints: { $finish: raw === null ? raw : false } };
  if (!isText(raw)) return { hints: {} };
  reader.take("finish_reason");
  const finish = readFinish(raw, factsOf(parts.map(({ part }) => part)), form.finish);
  return { finish, hints: wordHint(finish) };
}

export const factsOf = (parts: readonly Part[]): FinishFacts => ({
  hasCalls: parts.some(part => part.type === "tool-call" && !part.executedBy),
  hasRefusal: parts.some(part => part.type === "refusal"),
});
