import { type Writing, writePart, writingOf } from "../../blocks/gemini/writing.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { fillAll, hintsOf, present, remainderOf } from "../../codec/remainder.ts";
import { areStale, saidIn } from "../../codec/token-texts.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { candidateOf, hasCalls, siblingOf, tokensOf } from "./answer.ts";
import { writeError } from "./error.ts";
import { groundingOf } from "./grounding.ts";
import { readFinish, readUsage, restoredUsage, writeFinish } from "./usage.ts";
import { envelopeMembers, family, routeOf } from "./wire.ts";

/** A candidate's messages, by their places. */
export interface Candidate {
  readonly messages: readonly Message[];
  readonly indexes: readonly number[];
}

/** The last answer of a conversation, or what the caller says that its candidates are. */
export function writeAnswer(
  { messages }: Conversation,
  context: EncodeContext,
  candidates: readonly Candidate[] = candidatesOf(messages),
): JsonObject {
  const writing = writingOf(messages, context, routeOf(context.dialect));
  const written = new Set(candidates.flatMap(({ indexes }) => indexes));
  for (const index of messages.keys()) if (!written.has(index)) context.lose("not-the-answer", ["messages", index]);
  const hasError =
    context.shape === "stream" &&
    candidates.some(candidate => candidate.messages.some(({ parts }) => parts.some(part => part.type === "error")));
  const wires = candidates.flatMap((candidate, index) => writeCandidate(candidate, index, { writing, hasError }));
  reportHeads(candidates, context);
  const last = candidates.at(-1);
  return writeEnvelope(last?.messages.at(-1), {
    candidates: wires,
    path: ["messages", last?.indexes.at(-1) ?? 0],
    error: errorOf(candidates, context),
    context,
  });
}

/** Siblings are candidates; else the messages of the assistant since someone else spoke are one. */
function candidatesOf(messages: readonly Message[]): readonly Candidate[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = messages[last];
  if (!newest) return [];
  const { parent, responseId } = newest;
  const isSibling = (message: Message | undefined): message is Message =>
    message?.role === "assistant" && message.parent === parent && message.responseId === responseId;
  const siblings = parent === undefined ? [] : [...messages.keys()].filter(index => isSibling(messages[index]));
  if (siblings.length > 1) {
    const order = (index: number): number => (messages[index] && candidateOf(messages[index])) ?? index;
    siblings.sort((a, b) => order(a) - order(b));
    return siblings.map(index => ({ messages: messages.slice(index, index + 1), indexes: [index] }));
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

interface Content {
  readonly parts: JsonObject[];
  /** The part that stands at each place of the content, where it is a text. */
  readonly texts: (Part | undefined)[];
  readonly said: Part[];
}

function writeParts({ messages, indexes }: Candidate, writing: Writing): Content {
  const content: Content = { parts: [], texts: [], said: [] };
  for (const [place, message] of messages.entries()) {
    for (const [number, part] of message.parts.entries()) {
      if (part.type === "error") continue;
      const wires = writePart(part, ["messages", indexes[place] ?? 0, "parts", number], writing);
      content.texts.push(...wires.map((_, at) => (at === 0 && part.type === "text" ? part : undefined)));
      content.parts.push(...wires);
      content.said.push(part);
    }
  }
  return content;
}

function writeCandidate(
  candidate: Candidate,
  index: number,
  { writing, hasError }: { readonly writing: Writing; readonly hasError: boolean },
): Json[] {
  const { messages, indexes } = candidate;
  const { context } = writing;
  const message = messages.at(-1);
  if (!message) return [];
  const hints = hintsOf(message, family);
  const [only] = message.parts;
  const isEmpty = messages.every(({ parts }) => parts.every(part => part.type === "error"));
  if (isEmpty && (hints["$candidates"] === "none" || hints["$candidates"] === false)) return [];
  if (hints["$candidates"] === "opaque" && only?.type === "opaque") return [only.value];
  if (messages.length > 1) for (const joined of indexes) context.lose("messages-joined", ["messages", joined]);
  const content = writeParts(candidate, writing);
  const path: Path = ["messages", indexes.at(-1) ?? 0];
  const remainder = freshIn(candidate, content.said, context);
  const { fields: grounding, isStale, isWhole } = groundingOf(content.texts, remainder);
  reportCitations(candidate, isWhole, context);
  const isWritten = hints["$content"] !== false || content.parts.length > 0;
  const body = contentOf(message, content.parts);
  if (isWritten) context.wrote([body], indexes[0] ?? 0, (indexes.at(-1) ?? 0) - (indexes[0] ?? 0) + 1);
  const isIndexed = hints["$index"] !== false && !Object.hasOwn(remainder, "index");
  const fields = present({
    content: isWritten && !Object.hasOwn(remainder, "content") ? body : undefined,
    finishReason: finishOf(message, { said: content.said, remainder, path, context, hasError }),
    index: isIndexed ? index : undefined,
    ...grounding,
  });
  return [fillAll(fields, isStale ? withoutCitations(remainder) : remainder)];
}

/** Citations that the metadata cannot say as they are; a list of none is none. */
function reportCitations({ messages, indexes }: Candidate, isWhole: boolean, context: EncodeContext): void {
  for (const [place, { parts }] of messages.entries()) {
    for (const [number, part] of parts.entries()) {
      const isLost = part.type === "text" && part.citations && (!isWhole || part.citations.length === 0);
      if (isLost) context.lose("citations", ["messages", indexes[place] ?? 0, "parts", number]);
    }
  }
}

/** Members of the candidate without a field; probabilities only while they are of what it says. */
function freshIn({ messages, indexes }: Candidate, said: readonly Part[], context: EncodeContext): JsonObject {
  const [message] = messages.slice(-1);
  const hints = message ? hintsOf(message, family) : {};
  const { candidate: told } = hints;
  if (!isJsonObject(told)) return {};
  if (!areStale(tokensOf(told), saidIn(said), hints)) return told;
  context.lose("stale", ["messages", indexes.at(-1) ?? 0, "native", family, "candidate", "logprobsResult"]);
  const { logprobsResult: _, ...others } = told;
  return others;
}

/** What spoke of citations that are others now. */
function withoutCitations({ citationMetadata: _, groundingMetadata, ...remainder }: JsonObject): JsonObject {
  if (!isJsonObject(groundingMetadata)) return remainder;
  const { groundingChunks: __, groundingSupports: ___, ...others } = groundingMetadata;
  return { ...remainder, groundingMetadata: others };
}

function contentOf(message: Message, parts: readonly JsonObject[]): JsonObject {
  const { $role: role, $parts: form } = hintsOf(message, family);
  const fields: MutableJsonObject = {};
  const [only] = parts;
  if (!(form === false && parts.length === 0))
    fields["parts"] = form === "object" && parts.length === 1 && only ? only : parts;
  if (role !== false) fields["role"] = role ?? "model";
  return fillAll(fields, remainderOf(message, family, envelopeMembers));
}

interface AboutFinish {
  /** An error of a stream ends all that was not over. */
  readonly hasError: boolean;
  readonly said: readonly Part[];
  readonly remainder: JsonObject;
  readonly path: Path;
  readonly context: EncodeContext;
}

function finishOf(message: Message, { said, remainder, path, context, hasError }: AboutFinish): string | undefined {
  const { finish } = message;
  const { $finish: told } = hintsOf(message, family);
  const called = hasCalls(said);
  if (!finish) {
    const isUntold = told === false || Object.hasOwn(remainder, "finishReason");
    if (context.shape !== "stream" && isUntold) return undefined;
    // Clients take a stream without a reason for one that was cut.
    context.lose("no-finish", path);
    return "STOP";
  }
  const isFailed = finish.reason === "error" && (hasError || message.parts.some(part => part.type === "error"));
  if (isFailed) return typeof told === "string" ? told : undefined;
  const raw = writeFinish(finish, called);
  const isCut = context.shape === "stream" && finish.reason === "incomplete" && finish.raw === undefined;
  if (!isCut && !equalJson(raw === undefined ? undefined : readFinish(raw, called), finish)) {
    context.lose("finish", [...path, "finish"], finish.reason);
  }
  return raw;
}

function errorOf(candidates: readonly Candidate[], context: EncodeContext): PartOf<"error"> | undefined {
  const errors = candidates.flatMap(({ messages, indexes }) =>
    messages.flatMap(({ parts, finish }, place) =>
      parts.flatMap((part, number) => {
        if (part.type !== "error") return [];
        const path: Path = ["messages", indexes[place] ?? 0, "parts", number];
        const isLast = number === parts.length - 1 && finish?.reason === "error";
        return [{ part, path, isLast }];
      }),
    ),
  );
  for (const [index, { path, isLast }] of errors.entries()) {
    if (index < errors.length - 1) context.lose("misplaced", path, "error");
    else if (!isLast) context.lose("error-place", path.slice(0, 2));
  }
  return errors.at(-1)?.part;
}

/** Members of heads that the body says once, for all of its messages, or not at all. */
function reportHeads(candidates: readonly Candidate[], context: EncodeContext): void {
  const last = candidates.at(-1)?.messages.at(-1);
  const isSibling = candidates.length > 1;
  for (const [index, { messages, indexes }] of candidates.entries()) {
    for (const [place, message] of messages.entries()) {
      const path = ["messages", indexes[place] ?? 0];
      const made = siblingOf(message.responseId, index);
      const isMade = isSibling && message.id === made.id && message.parent === null;
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
    readonly candidates: readonly Json[];
    readonly path: Path;
    readonly error: PartOf<"error"> | undefined;
    readonly context: EncodeContext;
  },
): JsonObject {
  const { candidates, path, error, context } = about;
  const hints = message ? hintsOf(message, family) : {};
  const { response, $candidates: form } = hints;
  const remainder: JsonObject = isJsonObject(response) ? response : {};
  const usageMetadata = message?.usage && restoredUsage(message.usage, hints);
  if (usageMetadata && !equalJson(readUsage(usageMetadata), message?.usage)) context.lose("usage", [...path, "usage"]);
  const isBlocked = form === "none" || form === false;
  if (isBlocked && candidates.length === 0 && message?.finish) reportBlocked(message, remainder, path, context);
  const fields = present({
    candidates: candidates.length > 0 || form !== false ? candidates : undefined,
    usageMetadata,
    modelVersion: message?.model,
    createTime: message?.createdAt,
    responseId: message?.responseId,
    error: error && writeError(error, remainder["error"], () => context.lose("error-type", path)),
  });
  return fillAll(fields, remainder);
}

/** A refused prompt says itself why. */
function reportBlocked({ finish }: Message, remainder: JsonObject, path: Path, context: EncodeContext): void {
  const { promptFeedback } = remainder;
  const reason = isJsonObject(promptFeedback) ? promptFeedback["blockReason"] : undefined;
  const isError = finish?.reason === "error";
  const isTold = finish?.reason === "content-filter" && finish.raw === reason;
  if (!isTold && !isError) context.lose("finish", [...path, "finish"], finish?.reason);
}
