import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readContent, writeContent } from "./messages.ts";
import { readFinish, readUsage, restoredUsage, usageRemainder, writeFinish } from "./usage.ts";
import { asObject, family, readScope, writeScope } from "./wire.ts";

// decode

/** Members that an answer always has. */
const usualMembers = ["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"];

/** What is written for readers who want an id and a model, where nothing is known: no ids of any maker. */
const blanks: JsonObject = { id: "msg_~", model: "" };

/** An answer → its message, with its number among the made ids where it has no id (R8). */
export function readAnswer(
  wire: JsonObject,
  context: DecodeContext,
  number = 0,
): { message: Message; carry: Json | undefined } {
  const reader = new Reader(wire);
  const own = reader.json("translogue");
  const head = readHead(reader);
  const made = head.responseId ?? `${number}`;
  const content = reader.json("content");
  const read = readContent(content ?? [], { path: ["content"], made }, readScope(context));
  const envelope = readEnvelope(reader);
  const hints = content === undefined ? envelope.hints : { ...envelope.hints, ...read.hints };
  const message = { ...head, ...envelope.head, parts: read.parts, ...kept(family, undefined, hints) };
  return { message, carry: read.carry ?? own };
}

/** Takes who answers; nothing where an encoder had nothing to say. */
export function readHead(reader: Reader): Pick<MessageHead, "role" | "responseId" | "model"> {
  const id = reader.peek("id");
  const isId = typeof id === "string" && id !== "";
  if (isId) reader.take("id");
  reader.literal("type", "message");
  const role = reader.string("role");
  const model = reader.peek("model");
  if (typeof model === "string") reader.take("model");
  return defined<Pick<MessageHead, "role" | "responseId" | "model">>({
    role: role ?? "assistant",
    responseId: isId && id !== blanks["id"] ? id : undefined,
    model: typeof model === "string" && model !== "" ? model : undefined,
  });
}

interface Envelope {
  readonly head: Pick<MessageHead, "usage" | "finish">;
  readonly hints: JsonObject;
}

/** What is known at the end, and what has no field. */
function readEnvelope(reader: Reader): Envelope {
  const blank = Object.keys(blanks).filter(member => reader.peek(member) === blanks[member]);
  const missing = usualMembers.filter(member => reader.peek(member) === undefined);
  const wireUsage = reader.peek("usage");
  const usage = isJsonObject(wireUsage) ? readUsage(wireUsage) : undefined;
  if (usage) reader.take("usage");
  const stop = reader.peek("stop_reason");
  if (typeof stop === "string" || stop === null) reader.take("stop_reason");
  if (reader.peek("stop_sequence") === null) reader.take("stop_sequence");
  const rest = reader.rest();
  return {
    head: { ...(usage && { usage }), ...(typeof stop === "string" && { finish: readFinish(stop) }) },
    hints: {
      ...(usage && isJsonObject(wireUsage) && usageRemainder(wireUsage, usage)),
      ...(rest && { answer: rest }),
      ...(missing.length > 0 && { $without: missing }),
      ...(blank.length > 0 && { $blank: blank }),
    },
  };
}

/** What the members of a body say beside its content. */
export function readBody(body: JsonObject): MessageHead {
  const reader = new Reader(body);
  reader.take("content", "translogue");
  const head = readHead(reader);
  const envelope = readEnvelope(reader);
  return { ...head, ...envelope.head, ...kept(family, undefined, envelope.hints) };
}

// encode

/** The last answer of a conversation: what the assistant said last, with whatever else has its id. */
export function writeAnswer({ messages }: Conversation, context: EncodeContext): JsonObject {
  const end = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const first = firstOf(messages, end);
  for (const index of messages.keys()) {
    if (index < first || index >= end || messages[index]?.role !== "assistant")
      context.lose("not-the-answer", ["messages", index]);
  }
  const answer = messages
    .slice(first, end)
    .map(message => (message.role === "assistant" ? message : { ...message, parts: [] }));
  if (answer.length > 1)
    for (const index of answer.keys()) context.lose("messages-joined", ["messages", first + index]);
  const content = writeContent(answer, first, writeScope(messages, context)) ?? [];
  const wire = envelopeOf(answer.at(-1), { content, path: ["messages", end - 1], context });
  if (answer.length > 0) context.wrote([wire], first, answer.length);
  return wire;
}

/** Where the answer begins that ends before this message. */
function firstOf(messages: readonly Message[], end: number): number {
  const id = messages[end - 1]?.responseId;
  let first = end - 1;
  if (id === undefined) return Math.max(0, first);
  while (messages[first - 1]?.responseId === id) first--;
  return first;
}

/** The body of an answer. `message`: its last, which has the envelope. */
export function envelopeOf(
  message: Message | undefined,
  about: { readonly content: Json; readonly path: Path; readonly context: EncodeContext },
): JsonObject {
  const { content, path, context } = about;
  const hints = message ? hintsOf(message, family) : {};
  const rest = asObject(hints["answer"]);
  const missing = Array.isArray(hints["$without"]) ? hints["$without"] : [];
  const isWritten = (member: string): boolean => !missing.includes(member) && !Object.hasOwn(rest, member);
  const isEmpty = Array.isArray(content) && content.length === 0;
  const blank = Array.isArray(hints["$blank"]) ? hints["$blank"] : [];
  const made = (member: string): Json | undefined => {
    if (!isWritten(member)) return undefined;
    if (message && !blank.includes(member)) context.lose("no-envelope", path, member);
    return blanks[member];
  };
  const fields = present({
    id: message?.responseId ?? made("id"),
    type: isWritten("type") ? "message" : undefined,
    role: missing.includes("role") ? undefined : (message?.role ?? "assistant"),
    model: message?.model ?? made("model"),
    content: missing.includes("content") && isEmpty ? undefined : content,
    stop_reason: stopOf(message, { path, context, isWritten: isWritten("stop_reason") }),
    stop_sequence: isWritten("stop_sequence") ? null : undefined,
    usage: usageOf(message, { path, context, isWritten: isWritten("usage") }),
  });
  return fillAll(fields, rest);
}

interface Ending {
  readonly path: Path;
  readonly context: EncodeContext;
  readonly isWritten: boolean;
}

export function stopOf(
  message: MessageHead | undefined,
  { path, context, isWritten }: Ending,
): string | null | undefined {
  const finish = message?.finish;
  if (!finish) return isWritten ? null : undefined;
  const stop = writeFinish(finish);
  if (stop === null || !equalJson(readFinish(stop), finish)) context.lose("finish", [...path, "finish"], finish.reason);
  return stop;
}

/** Readers want the counts, so there are some. */
export function usageOf(
  message: MessageHead | undefined,
  { path, context, isWritten }: Ending,
): JsonObject | undefined {
  const { usage } = message ?? {};
  if (usage) {
    const wire = restoredUsage(usage, message ? hintsOf(message, family) : {});
    if (!equalJson(readUsage(wire), usage)) context.lose("usage", [...path, "usage"]);
    return wire;
  }
  if (!isWritten) return undefined;
  context.lose("no-usage", [...path, "usage"]);
  return { input_tokens: 0, output_tokens: 0 };
}
