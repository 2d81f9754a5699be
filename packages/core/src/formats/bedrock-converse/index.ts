import { bedrockLosses } from "../../blocks/bedrock-converse/losses.ts";
import { isHomeIn } from "../../blocks/bedrock-converse/node.ts";
import { bedrockToolLosses } from "../../blocks/bedrock-converse/tools.ts";
import { encoderOf } from "../../codec/by-shape.ts";
import { defineCodec } from "../../codec/codec.ts";
import type { Json } from "../../model/json.ts";
import { writeAnswer } from "./answer.ts";
import { decode } from "./decode.ts";
import { bedrockErrorWord, writeErrorBody } from "./error.ts";
import { eventStream } from "./event-stream.ts";
import { holdsOf } from "./holds.ts";
import { carryInto, writeList } from "./messages.ts";
import { ranges } from "./ranges.ts";
import { writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { family, writeScope } from "./wire.ts";

const encode = encoderOf({
  format: family,
  request: writeRequest,
  answer: writeAnswer,
  error: writeErrorBody,
  messages: ({ messages }, context) => writeList(messages, context, { scope: writeScope(messages, context) }),
  stream: streamEncoder,
});

/**
 * Amazon Bedrock's Converse and ConverseStream: requests (the JSON body, with `modelId` where the model is told), answers,
 * lists of messages, streams of `{ eventType: payload }`, and errors. Bytes are base64 as in the JSON; what AWS's SDK holds
 * as `Uint8Array` is read too, and `toSdk` writes it.
 */
export const bedrockConverse = defineCodec<Json>({
  id: family,
  title: "Bedrock Converse",
  spec: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: ["bedrock"],
  places: ["/converse", "/converse-stream"],
  losses: {
    ...bedrockLosses,
    ...bedrockToolLosses,
    "not-the-answer": { kind: "dropped", note: "an answer holds what the assistant said last" },
    "answer-id": { kind: "dropped", note: "an answer has no id" },
    "messages-joined": { kind: "merged", note: "an answer is one message" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "error-type": { kind: "approximated", note: "an error of a stream is one of the exceptions of the API" },
    "error-place": { kind: "approximated", note: "a stream has one error, at its end" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    "not-streamed": { kind: "dropped", note: "a stream has no events for a block of this kind" },
    "no-citations": { kind: "approximated", note: "a stream does not say that there are no citations" },
    order: { kind: "approximated", note: "blocks follow one another in the order in which they came" },
    open: { kind: "approximated", note: "a block that follows another is whole" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "an answer says how it ended: as if by itself" },
    usage: { kind: "approximated", note: "the counts are written as Bedrock has them" },
    "no-usage": { kind: "synthesised", note: "an answer has counts: they are 0" },
    envelope: { kind: "dropped", note: "a history has no place for what an answer says beside its content" },
    "empty-message": { kind: "dropped", note: "the provider refuses messages without content" },
    control: { kind: "dropped", note: "what is no turn has no message" },
    role: { kind: "approximated", note: "the wire has users, assistants and systems only" },
    developer: { kind: "approximated", note: "what a developer says is of the system" },
    side: { kind: "approximated", note: "results of tools are messages of their own, and so is what a user says" },
    "system-joined": { kind: "merged", note: "the system's messages before all others are one" },
    setting: { kind: "dropped", note: "the wire, or the model, has no such setting" },
    effort: { kind: "approximated", note: "models have other words for effort" },
    format: { kind: "dropped", note: "only a schema asks for JSON" },
    choice: { kind: "dropped", note: "there is no word for no calls, and no choice without tools" },
    "no-tools": { kind: "dropped", note: "a model that must not call gets no tools" },
    allowed: { kind: "approximated", note: "the choice is one tool, or any of them" },
  },
  fetches: maker => maker === "amazon",
  strictTools: () => false,
  ranges: () => ranges,
  holds: ({ shape }) => holdsOf(shape),
  isHome: (seal, { model }) => isHomeIn(seal, model),
  errorWord: bedrockErrorWord,
  oneAnswer: true,
  slot: { write: carryInto },
  sniff,
  decode,
  encode,
  stream: { framing: "binary", binary: eventStream, decoder: streamDecoder, encoder: streamEncoder },
});
