/** What a model of the AI SDK gives to a call, whole. */

import {
  type AnswerPlace,
  answerNative,
  decodeContent,
  encodeContents,
  isContentType,
  modelFamily,
  readAnswerHead,
  readCarry,
  writeAnswerEnd,
  writeResponse,
} from "../../blocks/ai-sdk/model.ts";
import { withEmptyIds, withMadeIds } from "../../blocks/unnamed-calls.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { pairResults } from "../../model/pairing.ts";
import type { Part } from "../../model/parts.ts";

export function readAnswer(wire: JsonObject, place: AnswerPlace, context: DecodeContext): Message {
  const reader = new Reader(wire);
  const content = reader.array("content");
  if (!content) context.issue("no-content", ["content"], "an answer has a list as its `content`");
  const parts = (content ?? []).map((piece, index) => readPiece(piece, index, { place, context }));
  const response = reader.object("response");
  const responseReader = response && new Reader(response);
  const { head, own } = readAnswerHead({ finish: reader, ...(responseReader && { response: responseReader }) }, place);
  const left = responseReader?.rest();
  const metadata = readCarry(reader, { member: "providerMetadata", index: 0, context });
  if (isEmptyList(reader.peek("warnings"))) reader.take("warnings");
  const rest = {
    ...reader.rest(),
    ...(metadata && { providerMetadata: metadata }),
    ...(left && { response: left }),
  };
  const isThere = (member: string): boolean => reader.peek(member) !== undefined;
  const hints = {
    ...own,
    ...(!isThere("warnings") && { $warnings: false }),
    ...(response && Object.keys(response).length === 0 && { $response: "empty" }),
    ...(!isThere("content") && { $content: "none" }),
    ...(!isThere("finishReason") && { $finish: "none" }),
    ...(!isThere("usage") && { $usage: "none" }),
  };
  const native = answerNative(Object.keys(rest).length > 0 ? rest : undefined, hints);
  const message: Message = { role: "assistant", ...head, parts, ...native };
  return withMadeIds([message], modelFamily)[0] ?? message;
}

const isEmptyList = (value: Json | undefined): boolean => Array.isArray(value) && value.length === 0;

interface ReadPlace {
  readonly place: AnswerPlace;
  readonly context: DecodeContext;
}

function readPiece(piece: Json, index: number, { place, context }: ReadPlace): Part {
  const { part, isKnown } = decodeContent(piece, place);
  if (isKnown) return part;
  const type = isJsonObject(piece) ? piece["type"] : undefined;
  const isOurs = typeof type === "string" && isContentType(type);
  const what = isOurs ? "lacks what the content needs, or the generation has none" : "is no content of an answer";
  context.issue(isOurs ? "malformed-part" : "unknown-part", ["content", index], `it ${what}; kept as it is`);
  return part;
}

export function writeAnswer(conversation: Conversation, place: AnswerPlace, context: EncodeContext): JsonObject {
  const messages = withEmptyIds(conversation.messages, modelFamily);
  const answers = messages.flatMap((message, index) => (message.role === "assistant" ? [{ message, index }] : []));
  messages.forEach(({ role }, index) => {
    if (role !== "assistant") context.lose("not-answer", ["messages", index], role);
  });
  const last = answers.at(-1);
  const calls = pairResults(messages);
  const told = new Set<string>();
  let made = 0;
  const content = answers.flatMap(({ message, index }) => {
    if (index !== last?.index) context.lose("answers-joined", ["messages", index]);
    return message.parts.flatMap((part, at) => {
      if (part.type === "tool-call") told.add(part.callId);
      if (part.type === "tool-result") told.delete(part.callId);
      return encodeContents(part, {
        ...place,
        madeId: () => `~${made++}`,
        lose: (code, member, detail) =>
          context.lose(code, ["messages", index, "parts", at, ...(member === undefined ? [] : [member])], detail),
        call: part.type === "tool-result" ? calls.get(part) : undefined,
        isTold: part.type === "approval-request" && told.has(part.callId),
      });
    });
  });
  const wire = envelope(content, last, { place, context });
  const [first] = answers;
  if (first && last) context.wrote([wire], first.index, last.index - first.index + 1);
  return wire;
}

function envelope(
  content: readonly Json[],
  last: { readonly message: Message; readonly index: number } | undefined,
  { place, context }: { readonly place: AnswerPlace; readonly context: EncodeContext },
): JsonObject {
  const { message, index } = last ?? { message: { role: "assistant", parts: [] }, index: 0 };
  const hints = hintsOf(message, modelFamily);
  const remainder = remainderOf(message, modelFamily);
  const lose = (code: string, member?: string, detail?: string): void =>
    context.lose(code, ["messages", index, ...(member === undefined ? [] : [member])], detail);
  const { $finish, $usage, ...said } = hints;
  const isUntold = message.finish === undefined && ($finish === "none" || Object.hasOwn(remainder, "finishReason"));
  const isUncounted = message.usage === undefined && ($usage === "none" || Object.hasOwn(remainder, "usage"));
  const { finishReason, usage } = writeAnswerEnd(message, place, last && !isUntold ? lose : () => undefined);
  const response = writeResponse(message, lose);
  const hasResponse = Object.keys(response).length > 0 || said["$response"] === "empty";
  const isBare = content.length === 0 && (said["$content"] === "none" || Object.hasOwn(remainder, "content"));
  return fillAll(
    {
      ...(!isBare && { content }),
      ...(!isUntold && finishReason !== undefined && { finishReason }),
      ...(!isUncounted && usage !== undefined && { usage }),
      ...(hasResponse && { response }),
      ...(said["$warnings"] !== false && remainder["warnings"] === undefined && { warnings: [] }),
    },
    remainder,
  );
}
