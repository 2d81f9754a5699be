import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { isContent, readError, writeError } from "./contents.ts";
import { readScope, report } from "./request.ts";
import { type ReadMessage, readSteps, stepPlaces } from "./steps.ts";
import { hasCalls, readFinish, readUsage, restoredUsage, usageRemainder, writeFinish } from "./usage.ts";
import { asObject, envelopeMembers, family, writeScope } from "./wire.ts";
import { stepsOf, writeSteps } from "./write-steps.ts";

// decode

export type AnswerHead = Pick<MessageHead, "responseId" | "model" | "createdAt">;

/** An answer → its messages (R16): one of the model, and more where it has steps of other sides. */
export function readAnswer(wire: JsonObject, context: DecodeContext): readonly ReadMessage[] {
  const reader = new Reader(wire);
  const head = readHead(reader);
  const member = Array.isArray(wire["steps"]) || !Array.isArray(wire["outputs"]) ? "steps" : "outputs";
  const steps = reader.array(member);
  if (!steps && reader.peek("steps") !== undefined) {
    context.issue("unread-steps", ["steps"], "expected a list of steps; kept as it is");
  }
  const scope = readScope(context, head.responseId);
  const list = member === "outputs" ? (steps ?? []).map(stepIn) : (steps ?? []);
  const messages = readSteps(list, scope, index => [member, index]);
  if (messages.length === 0) messages.push({ head: { role: "assistant" }, parts: [], carry: undefined });
  const envelope = readEnvelope(reader, { messages, steps: steps ? member : undefined, context });
  const last = messages.length - 1;
  return messages.map((message, index) => {
    const whole = { ...message, head: { ...message.head, ...head } };
    return index === last ? withEnvelope(whole, envelope) : whole;
  });
}

/** Steps were once called outputs, and contents stood among them. */
const stepIn = (wire: Json): Json => (isContent(wire) ? { type: "model_output", content: [wire] } : wire);

function outputOf(step: JsonObject): JsonObject {
  const { type, content, ...others } = step;
  const [only, ...more] = Array.isArray(content) ? (content as readonly Json[]) : []; // contents that were just written
  const isBare = type === "model_output" && Object.keys(others).length === 0 && more.length === 0;
  return isBare && isContent(only) ? only : step;
}

const isDate = (value: Json | undefined): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value);

/** Takes what a body says of all its messages. "" is said where nothing was stored. */
export function readHead(reader: Reader): AnswerHead {
  const id = reader.string("id");
  return defined<AnswerHead>({
    responseId: id || undefined,
    model: reader.peek("model") === "" ? undefined : reader.string("model"),
    createdAt: isDate(reader.peek("created")) ? reader.string("created") : undefined,
  });
}

interface Envelope {
  readonly head: Pick<MessageHead, "usage" | "finish">;
  readonly hints: JsonObject;
  readonly errors: readonly PartOf<"error">[];
}

/** Members that an answer usually has, beside its steps. */
const usualMembers: JsonObject = { object: "interaction" };

function readEnvelope(
  reader: Reader,
  about: {
    readonly messages: readonly ReadMessage[];
    readonly steps: string | undefined;
    readonly context: DecodeContext;
  },
): Envelope {
  const { messages, steps, context } = about;
  const without = ["id", "object", "status"].filter(member => reader.peek(member) === undefined);
  for (const [member, usual] of Object.entries(usualMembers)) reader.literal(member, usual);
  const wireUsage = reader.peek("usage");
  const usage = isJsonObject(wireUsage) ? readUsage(wireUsage) : undefined;
  if (usage) reader.take("usage");
  if (usage?.other !== undefined) {
    context.lose("usage-other", ["messages", messages.length - 1, "usage", "other"], `${usage.other} tokens`);
  }
  const parts = messages.flatMap(message => message.parts.map(({ part }) => part));
  const status = reader.string("status");
  const list = reader.peek("errors");
  const errors = Array.isArray(list) ? list.map((each: Json) => readError(each, "string")) : [];
  if (Array.isArray(list)) reader.take("errors");
  const rest = reader.rest();
  const isStored = reader.peek("id") !== "";
  const facts = present({
    id: isStored ? undefined : "",
    without: without.length > 0 ? without : undefined,
    steps: steps === "steps" ? undefined : (steps ?? false),
    errors: errors.length === 0 && Array.isArray(list) ? true : undefined,
  });
  return {
    head: { ...(usage && { usage }), ...(status !== undefined && { finish: readFinish(status, hasCalls(parts)) }) },
    hints: {
      ...(usage && isJsonObject(wireUsage) && usageRemainder(wireUsage, usage)),
      ...(rest && { response: rest }),
      ...(Object.keys(facts).length > 0 && { $response: facts }),
    },
    errors,
  };
}

/** Errors of the answer stand after all that it said. */
function withEnvelope(message: ReadMessage, { head, hints, errors }: Envelope): ReadMessage {
  const { native, ...others } = message.head;
  const merged = { ...native?.[family], ...hints };
  const placed = errors.map((part, index) => ({ place: Number.MAX_SAFE_INTEGER - stepPlaces + index, part }));
  return {
    ...message,
    head: { ...others, ...head, ...kept(family, undefined, merged) },
    parts: [...message.parts, ...placed],
  };
}

// encode

/** The last answer of a conversation: what the assistant said last, with whatever else has its id. */
export function writeAnswer({ messages }: Conversation, context: EncodeContext): JsonObject {
  const first = firstOf(messages);
  const said = messages.slice(first);
  const end = said.findLastIndex(({ responseId, role }) => role === "assistant" || responseId !== undefined) + 1;
  for (const index of messages.keys()) {
    if (index < first || index >= first + end) context.lose("not-the-answer", ["messages", index]);
  }
  const answer = said.slice(0, end);
  const pathOf = (index: number): Path => ["messages", first + index];
  const { own, errors } = splitErrors(answer, pathOf, context);
  const isSilent = own.length === 1 && own[0]?.parts.length === 0;
  const scope = writeScope(own, context);
  const groups = isSilent ? [] : writeSteps(own, scope, pathOf);
  report(groups, first, context);
  reportHeads(answer, pathOf, context);
  const path = pathOf(Math.max(0, answer.length - 1));
  const heir = answer.at(-1)?.parts.length === 0 ? answer.findLastIndex(({ parts }) => parts.length > 0) : -1;
  if (heir >= 0) context.lose("head", pathOf(heir));
  return envelopeOf(answer.at(-1), {
    steps: stepsOf(groups),
    errors,
    parts: own.flatMap(({ parts }) => parts),
    path,
    context,
  });
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

/** Errors at the end are the answer's; one that was a step's stays in its place. */
function splitErrors(
  messages: readonly Message[],
  pathOf: (index: number) => Path,
  context: EncodeContext,
): { readonly own: readonly Message[]; readonly errors: readonly Json[] } {
  const last = messages.length - 1;
  let end = messages[last]?.parts.length ?? 0;
  const isAnswers = (part: Part | undefined): part is PartOf<"error"> =>
    part?.type === "error" && hintsOf(part, family)["$in"] !== "step";
  while (isAnswers(messages[last]?.parts[end - 1])) end--;
  const errors: Json[] = [];
  const own = messages.map((message, index) => {
    if (index < last || end === message.parts.length) return message;
    for (const part of message.parts.slice(end)) if (part.type === "error") errors.push(writeError(part, "string"));
    return { ...message, parts: message.parts.slice(0, end) };
  });
  for (const [index, { parts }] of own.entries()) {
    for (const [place, part] of parts.entries()) {
      if (isAnswers(part)) context.lose("error-place", [...pathOf(index), "parts", place]);
    }
  }
  return { own, errors };
}

/** Members of heads that the body says once, for all of its messages. */
export function reportHeads(
  messages: readonly MessageHead[],
  pathOf: (index: number) => Path,
  context: EncodeContext,
): void {
  const last = messages.at(-1);
  for (const [index, message] of messages.entries()) {
    if (message === last) continue;
    for (const member of ["responseId", "model", "createdAt"] as const) {
      if (message[member] !== last?.[member]) context.lose("head", [...pathOf(index), member]);
    }
    if (message.usage) context.lose("head", [...pathOf(index), "usage"]);
    if (message.finish) context.lose("head", [...pathOf(index), "finish"]);
    const own = asObject(hintsOf(message, family));
    if (envelopeMembers.some(member => isJsonObject(own[member]))) context.lose("head", [...pathOf(index), "native"]);
  }
}

interface About {
  /** Undefined = told before, as in a stream. */
  readonly steps: readonly JsonObject[] | undefined;
  readonly errors: readonly Json[];
  readonly parts: readonly Part[];
  readonly path: Path;
  readonly context: EncodeContext;
}

/** The body of an answer. `message`: its last, which has the envelope. */
export function envelopeOf(message: MessageHead | undefined, about: About): JsonObject {
  const { steps, errors, parts, path, context } = about;
  const hints = message ? hintsOf(message, family) : {};
  const rest = asObject(hints["response"]);
  const facts = asObject(hints["$response"]);
  const missing = Array.isArray(facts["without"]) ? facts["without"] : [];
  const isWritten = (member: string): boolean => !missing.includes(member) && !Object.hasOwn(rest, member);
  const usage = message?.usage && restoredUsage(message.usage, hints);
  if (usage && !equalJson(readUsage(usage), message?.usage)) context.lose("usage", [...path, "usage"]);
  const { createdAt } = message ?? {};
  if (createdAt !== undefined && !isDate(createdAt)) context.lose("head", [...path, "createdAt"]);
  const isListed = steps !== undefined && (steps.length > 0 || facts["steps"] !== false);
  const member = facts["steps"] === "outputs" ? "outputs" : "steps";
  const isUnnamed = message !== undefined && message.responseId === undefined && facts["id"] !== "";
  if (isUnnamed && isWritten("id")) context.lose("no-envelope", path, "id");
  const fields = present({
    id: message?.responseId ?? (isWritten("id") ? "" : undefined),
    status: statusOf(message, { parts, path, context, isWritten: isWritten("status") }),
    usage,
    created: createdAt,
    [member]: isListed ? (member === "outputs" ? steps?.map(outputOf) : steps) : undefined,
    errors: errors.length > 0 || facts["errors"] === true ? errors : undefined,
    object: isWritten("object") ? "interaction" : undefined,
    model: message?.model,
  });
  return fillAll(fields, rest);
}

function statusOf(
  message: MessageHead | undefined,
  about: {
    readonly parts: readonly Part[];
    readonly path: Path;
    readonly context: EncodeContext;
    readonly isWritten: boolean;
  },
): string | undefined {
  const { parts, path, context, isWritten } = about;
  const finish = message?.finish;
  const called = hasCalls(parts);
  if (!finish) {
    if (!isWritten && context.shape !== "stream") return undefined;
    context.lose("no-finish", [...path, "finish"]);
    return "completed";
  }
  const status = writeFinish(finish, called);
  if (!equalJson(readFinish(status, called), finish)) context.lose("finish", [...path, "finish"], finish.reason);
  return status;
}
