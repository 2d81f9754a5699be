import { asObject } from "../../blocks/bedrock-converse/node.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readContent, writeContent } from "./messages.ts";
import { readFinish, readUsage, restoredUsage, usageRemainder, writeFinish } from "./usage.ts";
import { envelopeMembers, family, readScope, writeScope } from "./wire.ts";

// decode

/** Members that an answer always has. */
const usualMembers = ["output", "stopReason", "usage"];

/** An answer → its message. */
export function readAnswer(
  wire: JsonObject,
  context: DecodeContext,
): { readonly message: Message; readonly carry: Json | undefined } {
  const reader = new Reader(wire);
  const output = reader.object("output");
  const outer = new Reader(output ?? {});
  const told = outer.object("message");
  const inner = new Reader(told ?? {});
  const role = inner.string("role");
  const carry = inner.json("translogue");
  const content = readContent(
    inner.json("content"),
    { path: ["output", "message", "content"], made: "0" },
    readScope(context),
  );
  const { head, hints } = readEnvelope(reader);
  const beside = outer.rest();
  const native = kept(
    family,
    inner.rest(),
    {
      ...hints,
      ...(told && content.hints),
      ...(beside && { output: beside }),
      ...(told && role === undefined && { $role: false }),
      ...(!told && output && { $message: false }),
    },
    envelopeMembers,
  );
  return { message: { role: role ?? "assistant", ...head, parts: content.parts, ...native }, carry };
}

interface Envelope {
  readonly head: Pick<MessageHead, "usage" | "finish">;
  readonly hints: JsonObject;
}

/** What is known at the end, and what has no field. */
function readEnvelope(reader: Reader): Envelope {
  const missing = usualMembers.filter(member => reader.peek(member) === undefined);
  const wireUsage = reader.peek("usage");
  const usage = isJsonObject(wireUsage) ? readUsage(wireUsage) : undefined;
  if (usage) reader.take("usage");
  const stop = reader.string("stopReason");
  const finish = stop === undefined ? undefined : readFinish(stop);
  const rest = reader.rest();
  return {
    head: { ...(usage && { usage }), ...(finish && { finish }) },
    hints: {
      ...(usage && isJsonObject(wireUsage) && usageRemainder(wireUsage, usage)),
      ...(rest && { answer: rest }),
      ...(finish?.reason === "other" && { $word: stop ?? null }),
      ...(missing.length > 0 && { $without: missing }),
    },
  };
}

/** What the members of a streamed body say beside its content: an answer's, as if its content were there. */
export function readBody(body: JsonObject): Partial<MessageHead> {
  const reader = new Reader({ output: {}, ...body });
  reader.take("output");
  const { head, hints } = readEnvelope(reader);
  return { ...head, ...kept(family, undefined, hints) };
}

// encode

/** The last answer of a conversation: what the assistant said last, with whatever else has its id. */
export function writeAnswer({ messages }: Conversation, context: EncodeContext): JsonObject {
  const end = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const first = firstOf(messages, end);
  for (const [index, { role, responseId }] of messages.entries()) {
    if (index < first || index >= end || role !== "assistant") context.lose("not-the-answer", ["messages", index]);
    if (responseId !== undefined) context.lose("answer-id", ["messages", index, "responseId"]);
  }
  const answer = messages
    .slice(first, end)
    .map(message => (message.role === "assistant" ? message : { ...message, parts: [] }));
  if (answer.length > 1)
    for (const index of answer.keys()) context.lose("messages-joined", ["messages", first + index]);
  const last = answer.at(-1);
  const wire = bodyOf(last, writeContent(answer, first, writeScope(messages, context)));
  if (wire && last) context.wrote([wire], first, answer.length);
  return envelopeOf(last, { message: wire, path: ["messages", end - 1], context });
}

/** Where the answer begins that ends before this message. */
function firstOf(messages: readonly Message[], end: number): number {
  const id = messages[end - 1]?.responseId;
  let first = end - 1;
  if (id === undefined) return Math.max(0, first);
  while (messages[first - 1]?.responseId === id) first--;
  return first;
}

function bodyOf(message: Message | undefined, content: Json | undefined): JsonObject | undefined {
  const hints = message ? hintsOf(message, family) : {};
  const isEmpty = Array.isArray(content) && content.length === 0;
  if (isEmpty && isWithout(hints, "output")) return undefined;
  if (isEmpty && hints["$message"] === false) return undefined;
  const role = hints["$role"] === false ? undefined : "assistant";
  return fillAll(present({ role, content }), message ? remainderOf(message, family, envelopeMembers) : {});
}

const isWithout = ({ $without: missing }: JsonObject, member: string): boolean =>
  Array.isArray(missing) && missing.includes(member);

/** The body of an answer around its message. */
function envelopeOf(
  message: Message | undefined,
  about: { readonly message: JsonObject | undefined; readonly path: Path; readonly context: EncodeContext },
): JsonObject {
  const { path, context } = about;
  const hints = message ? hintsOf(message, family) : {};
  const rest = asObject(hints["answer"]);
  const isSaid = (member: string): boolean => !isWithout(hints, member) && !Object.hasOwn(rest, member);
  const hasOutput = about.message !== undefined || isSaid("output");
  const output = fillAll(present({ message: about.message }), asObject(hints["output"]));
  const fields = present({
    output: hasOutput && !Object.hasOwn(rest, "output") ? output : undefined,
    stopReason: stopOf(message, { path, context, isWanted: isSaid("stopReason") }),
    usage: usageOf(message, { path, context, isWanted: isSaid("usage") }),
  });
  return fillAll(fields, rest);
}

interface Ending {
  readonly path: Path;
  readonly context: EncodeContext;
  /** Whether readers want it. */
  readonly isWanted: boolean;
}

export function stopOf(
  message: Pick<MessageHead, "finish" | "native"> | undefined,
  { path, context, isWanted }: Ending,
): string | undefined {
  const finish = message?.finish;
  if (!finish) {
    if (!isWanted) return undefined;
    context.lose("no-finish", [...path, "finish"]);
    return "end_turn";
  }
  const stop = writeFinish(finish, hintsOf(message, family)["$word"]);
  if (!equalJson(readFinish(stop), finish)) context.lose("finish", [...path, "finish"], finish.reason);
  return stop;
}

export function usageOf(message: MessageHead | undefined, { path, context, isWanted }: Ending): JsonObject | undefined {
  const { usage } = message ?? {};
  if (usage) {
    const wire = restoredUsage(usage, message ? hintsOf(message, family) : {});
    if (!equalJson(readUsage(wire), usage)) context.lose("usage", [...path, "usage"]);
    return wire;
  }
  if (!isWanted) return undefined;
  context.lose("no-usage", [...path, "usage"]);
  return { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
}
