import { chatPartLosses } from "../../blocks/chat-parts/parts.ts";
import { schemaLosses } from "../../blocks/json-schema/subset.ts";
import { turnLosses } from "../../blocks/turns.ts";
import { decoderOf, encoderOf, inTurn, messageOf } from "../../codec/by-shape.ts";
import { defineCodec } from "../../codec/codec.ts";
import { oneAnswerLosses, wasErrorBody } from "../../codec/one-answer.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { readAnswer, writeAnswer } from "./answer.ts";
import { readErrorBody, writeErrorBody } from "./error.ts";
import { holdsOf } from "./holds.ts";
import { ranges } from "./ranges.ts";
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
  // A refused request is answered with an error's body.
  answer: (value, context) =>
    typeof value["message"] === "string"
      ? readErrorBody(value)
      : inTurn([readAnswer(value, context)], messageOf, context),
  error: readErrorBody,
  messages: (list, context) => readMessages(list, context),
  message: (value, context) => readMessages([value], context, () => []),
  stream: streamDecoder,
});

const encode = encoderOf({
  format: family,
  request: writeRequest,
  answer: (conversation, context) =>
    wasErrorBody(conversation, family) ? writeErrorBody(conversation, context) : writeAnswer(conversation, context),
  error: writeErrorBody,
  messages: ({ messages }, context) => writeMessages(messages, context),
  stream: streamEncoder,
});

/** Cohere's Chat API of the second version: requests, answers, streams and errors. */
export const cohere = defineCodec<Json>({
  id: family,
  title: "Cohere Chat v2",
  spec: "https://docs.cohere.com/reference/chat",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: ["cohere"],
  places: ["api.cohere.com", "/v2/chat"],
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
    "text-joined": { kind: "merged", note: "a message has one plan" },
    "empty-text": { kind: "dropped", note: "an empty plan is written as no plan" },
    "server-tool": { kind: "dropped", note: "a provider's own tools have no calls on this wire" },
    "assistant-media": { kind: "dropped", note: "an assistant's message holds no files" },
    "tool-media": { kind: "dropped", note: "a tool's result holds text and documents only" },
    media: { kind: "dropped", note: "there are pictures only, as data or by URL" },
    detail: { kind: "dropped", note: "the API has another set of details" },
    "hidden-reasoning": { kind: "dropped", note: "reasoning without a text has no place" },
    data: { kind: "flattened", note: "data that is no object is written as its JSON text" },
    "block-id": { kind: "dropped", note: "only documents have an id" },
    "error-text": { kind: "flattened", note: "an error of a tool is written as its text" },
    "source-document": { kind: "approximated", note: "a source that a tool found is written as a document" },
    "no-citations": { kind: "dropped", note: "a list without citations is written as none" },
    "citation-range": { kind: "dropped", note: "the range of a citation is not one of whole characters of its text" },
    event: { kind: "dropped", note: "only a stream has a place for this event" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "error-place": { kind: "approximated", note: "an answer has one error, after its parts, and failed with it" },
    "error-code": { kind: "dropped", note: "an error has a message and no code" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    open: { kind: "approximated", note: "an answer that ends leaves nothing open, and a plan has no end of its own" },
    "cut-members": { kind: "dropped", note: "what an answer says at its end has no place where it has none" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "nothing tells how the answer ended, and the wire has to" },
    "no-envelope": { kind: "synthesised", note: "the wire has to say this of an answer, and nothing tells it" },
    usage: { kind: "approximated", note: "the counts are written as Cohere sums them" },
    "tool-choice": { kind: "approximated", note: "the API can be asked for any tool or for none, and is free else" },
    setting: { kind: "dropped", note: "the API has no such setting" },
    effort: { kind: "approximated", note: "thinking is on or off, with a budget" },
    strict: { kind: "dropped", note: "all tools are strict, or none is" },
    "host-tool": { kind: "dropped", note: "a hosted tool of another provider" },
    "custom-tool": { kind: "approximated", note: "every tool is a function" },
  },
  fetches: () => false,
  strictTools: () => false,
  ranges: () => ranges,
  holds: ({ shape }) => holdsOf(shape),
  oneAnswer: true,
  slot: { write: (message, carry) => void Object.assign(message, { [carryMember]: carry }) },
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    done: "[DONE]",
    isEnd: event => isJsonObject(event) && event["type"] === "message-end",
    decoder: streamDecoder,
    encoder: streamEncoder,
    eventName,
  },
});

/** The API names its events as their type does. */
function eventName(wire: Json): string | undefined {
  const type = isJsonObject(wire) ? wire["type"] : undefined;
  return typeof type === "string" ? type : undefined;
}
