import { anthropicLosses } from "../../blocks/anthropic/losses.ts";
import { anthropicToolLosses } from "../../blocks/anthropic/tools.ts";
import { encoderOf } from "../../codec/by-shape.ts";
import { defineCodec } from "../../codec/codec.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { writeAnswer } from "./answer.ts";
import { decode } from "./decode.ts";
import { anthropicErrorWord, writeErrorBody } from "./error.ts";
import { holdsOf } from "./holds.ts";
import { carryInto, writeList } from "./messages.ts";
import { ranges } from "./ranges.ts";
import { writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { type DialectName, dialects, family, isHome, writeScope } from "./wire.ts";

const encode = encoderOf({
  format: family,
  request: writeRequest,
  answer: writeAnswer,
  error: writeErrorBody,
  messages: ({ messages }, context) => writeList(messages, context, { scope: writeScope(messages, context) }),
  stream: streamEncoder,
});

/** Anthropic's Messages: requests, answers, lists of messages and streams, of Anthropic and of the hosts that speak it. */
export const anthropicMessages = defineCodec<Json>({
  id: family,
  title: "Anthropic Messages",
  spec: "https://docs.claude.com/en/api/messages",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: Object.keys(dialects) as [DialectName, ...DialectName[]], // the table has rows
  places: ["api.anthropic.com", "/v1/messages"],
  losses: {
    ...anthropicLosses,
    ...anthropicToolLosses,
    "not-the-answer": { kind: "dropped", note: "an answer holds what the assistant said last" },
    "messages-joined": { kind: "merged", note: "an answer is one message" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "error-type": { kind: "synthesised", note: "an error has a type" },
    "error-place": { kind: "approximated", note: "a stream has one error, at its end" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    order: { kind: "approximated", note: "blocks follow one another in the order in which they came" },
    open: { kind: "approximated", note: "a block that follows another is whole" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    usage: { kind: "approximated", note: "the counts are written as Anthropic has them" },
    "no-envelope": { kind: "synthesised", note: "the wire has to say this of an answer, and nothing tells it" },
    "no-usage": { kind: "synthesised", note: "an answer has counts: they are 0" },
    control: { kind: "dropped", note: "what is no turn has no message" },
    role: { kind: "approximated", note: "the wire has users, assistants and systems only" },
    developer: { kind: "approximated", note: "what a developer says is of the system" },
    "foreign-state": { kind: "dropped", note: "what is for one host alone means nothing to another, or is a secret" },
    "empty-message": { kind: "dropped", note: "the provider refuses messages without content" },
    side: { kind: "approximated", note: "results of tools are messages of their own, and so is what a user says" },
    "system-joined": { kind: "merged", note: "the system's messages before all others are one" },
    setting: { kind: "dropped", note: "the wire has no such setting" },
    effort: { kind: "approximated", note: "the provider has other words for effort" },
    limit: { kind: "synthesised", note: "a request has a limit of output" },
    format: { kind: "dropped", note: "only a schema asks for JSON" },
    choice: { kind: "synthesised", note: "whether calls may be parallel is said with the choice of tools" },
    allowed: { kind: "approximated", note: "the choice is one tool, any of them, or none" },
  },
  fetches: () => false,
  strictTools: () => false,
  ranges: () => ranges,
  holds: ({ shape }) => holdsOf(shape),
  isHome,
  errorWord: anthropicErrorWord,
  oneAnswer: true,
  slot: { write: carryInto },
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    eventName: event => (isJsonObject(event) && typeof event["type"] === "string" ? event["type"] : undefined),
    isEnd: event => isJsonObject(event) && event["type"] === "message_stop",
    decoder: streamDecoder,
    encoder: streamEncoder,
  },
});
