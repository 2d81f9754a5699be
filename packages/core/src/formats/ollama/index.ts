import { chatPartLosses } from "../../blocks/chat-parts/parts.ts";
import { schemaLosses } from "../../blocks/json-schema/subset.ts";
import { turnLosses } from "../../blocks/turns.ts";
import { decoderOf, encoderOf, inTurn, messageOf } from "../../codec/by-shape.ts";
import { defineCodec } from "../../codec/codec.ts";
import { oneAnswerLosses, wasErrorBody } from "../../codec/one-answer.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readAnswer, writeAnswer } from "./answer.ts";
import { readErrorBody, writeErrorBody } from "./error.ts";
import { holdsOf } from "./holds.ts";
import { readMessages } from "./read-messages.ts";
import { readRequest, writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { carryMember, family } from "./wire.ts";
import { writeMessages } from "./write-messages.ts";

const decode = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) =>
    isErrorBody(value) ? readErrorBody(value) : inTurn([readAnswer(value, context)], messageOf, context),
  error: readErrorBody,
  messages: (list, context) => readMessages(list, context),
  message: (value, context) => readMessages([value], context, () => []),
  stream: streamDecoder,
});

/** A refused request is answered with an error's body. */
const isErrorBody = (value: JsonObject): boolean => Object.hasOwn(value, "error") && !Object.hasOwn(value, "message");

const encode = encoderOf({
  format: family,
  request: writeRequest,
  answer: (conversation, context) =>
    wasErrorBody(conversation, family) ? writeErrorBody(conversation, context) : writeAnswer(conversation, context),
  error: writeErrorBody,
  messages: ({ messages }, context) => writeMessages(messages, context),
  stream: streamEncoder,
});

/** Ollama's own chat API: requests, answers, streams of lines, and errors. */
export const ollama = defineCodec<Json>({
  id: family,
  title: "Ollama /api/chat",
  spec: "https://docs.ollama.com/api/chat",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: ["ollama"],
  places: ["/api/chat"],
  losses: {
    ...schemaLosses,
    "media-type": chatPartLosses["media-type"],
    "text-file": chatPartLosses["text-file"],
    "tool-kind": chatPartLosses["tool-kind"],
    "no-arguments": chatPartLosses["no-arguments"],
    "made-id": chatPartLosses["made-id"],
    ...turnLosses,
    ...oneAnswerLosses,
    stale: { kind: "dropped", note: "what was told of each token of a text is void: the text was edited" },
    "text-joined": { kind: "merged", note: "a message has one text of this kind" },
    "empty-text": { kind: "dropped", note: "an empty text is read as no text" },
    "server-tool": { kind: "dropped", note: "a provider's own tools have no calls on this wire" },
    media: { kind: "dropped", note: "there are pictures only, as data" },
    "hidden-reasoning": { kind: "dropped", note: "reasoning without a text has no place" },
    "unread-input": { kind: "approximated", note: "arguments that are no JSON are put into an object, as its `input`" },
    "input-shape": { kind: "approximated", note: "arguments that are no object are put into one, as its `input`" },
    "result-name": { kind: "synthesised", note: "a result names its tool: it is that of its call" },
    data: { kind: "flattened", note: "data of a tool is written as its JSON text" },
    "error-text": { kind: "flattened", note: "an error of a tool is written as its text" },
    "source-text": { kind: "flattened", note: "a source that a tool found is written as text" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "error-place": { kind: "approximated", note: "an answer has one error, after its parts, and failed with it" },
    "error-code": { kind: "dropped", note: "an error is a text" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    open: { kind: "approximated", note: "only the last words of a stream are open, and only where it has no end" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "nothing tells how the answer ended, and the wire has to" },
    "no-envelope": { kind: "synthesised", note: "the wire has to say this of an answer, and nothing tells it" },
    usage: { kind: "approximated", note: "the counts are written as Ollama sums them" },
    setting: { kind: "dropped", note: "the API has no such setting" },
    effort: { kind: "approximated", note: "the API has other levels of thinking" },
    "host-tool": { kind: "dropped", note: "a hosted tool of another provider" },
    "custom-tool": { kind: "approximated", note: "every tool is a function" },
  },
  strictTools: () => false,
  holds: ({ shape }) => holdsOf(shape),
  oneAnswer: true,
  slot: { write: (message, carry) => void Object.assign(message, { [carryMember]: carry }) },
  sniff,
  decode,
  encode,
  stream: {
    framing: "ndjson",
    isEnd: line => isJsonObject(line) && line["done"] === true,
    decoder: streamDecoder,
    encoder: streamEncoder,
  },
});
