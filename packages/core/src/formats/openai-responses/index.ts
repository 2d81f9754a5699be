import { openaiErrorWord } from "../../blocks/chat-parts/error-words.ts";
import { responsesLosses } from "../../blocks/openai-responses/losses.ts";
import { carryInto } from "../../blocks/openai-responses/messages.ts";
import { encoderOf } from "../../codec/by-shape.ts";
import { defineCodec, type EncodeContext } from "../../codec/codec.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { writeAnswer } from "./answer.ts";
import { decode } from "./decode.ts";
import { type DialectName, dialects, isHome } from "./dialects.ts";
import { writeErrorBody } from "./error.ts";
import { holdsOf } from "./holds.ts";
import { forHost } from "./host.ts";
import { ranges } from "./ranges.ts";
import { writeList, writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { isEnd, streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { family } from "./wire.ts";

const encodeForHost = encoderOf({
  format: family,
  request: writeRequest,
  answer: writeAnswer,
  error: writeErrorBody,
  messages: ({ messages }, context) => writeList(messages, context),
  pieces: "items",
  stream: streamEncoder,
});

const encode = (whole: Conversation, context: EncodeContext): Json => encodeForHost(forHost(whole, context), context);

/** OpenAI's Responses: requests, answers, lists of items and streams, of OpenAI and of the hosts that speak it. */
export const openaiResponses = defineCodec<Json>({
  id: family,
  title: "OpenAI Responses",
  spec: "https://platform.openai.com/docs/api-reference/responses",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: Object.keys(dialects) as [DialectName, ...DialectName[]], // the table has rows
  places: ["/responses"],
  losses: {
    ...responsesLosses,
    "not-the-answer": { kind: "dropped", note: "an answer holds what the assistant said last" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "error-place": { kind: "approximated", note: "an answer has one error, after its output" },
    head: { kind: "dropped", note: "an answer says this once for all of its messages" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "nothing tells how the answer ended, and the wire has to" },
    "not-over": { kind: "dropped", note: "a stream says this with its end, and this one has none" },
    "no-envelope": { kind: "synthesised", note: "the wire has to say this of an answer, and nothing tells it" },
    time: { kind: "approximated", note: "times are seconds in UTC" },
    usage: { kind: "approximated", note: "the counts are written as OpenAI sums them" },
    "usage-other": { kind: "approximated", note: "the total holds more tokens than the counts tell" },
    setting: { kind: "dropped", note: "the host has no such setting" },
    "format-name": { kind: "synthesised", note: "a schema needs a name" },
  },
  fetches: () => false,
  // "Responses requests will normalize your schema into strict mode": OpenAI's guide to function calling, 2026-04-01.
  strictTools: ({ dialect }) => (dialect === "openai" || dialect === "azure" ? true : undefined),
  ranges: ({ dialect }) => (dialect === "openai" || dialect === "azure" ? ranges : undefined),
  holds: ({ shape }) => holdsOf(shape),
  isHome,
  errorWord: openaiErrorWord,
  oneAnswer: true,
  slot: { write: carryInto },
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    eventName: event => (isJsonObject(event) && typeof event["type"] === "string" ? event["type"] : undefined),
    isEnd,
    decoder: streamDecoder,
    encoder: streamEncoder,
  },
});
