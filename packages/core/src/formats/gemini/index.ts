import { geminiPartLosses } from "../../blocks/gemini/losses.ts";
import { writingOf } from "../../blocks/gemini/writing.ts";
import { schemaLosses } from "../../blocks/json-schema/subset.ts";
import { asChoices, decoderOf, encoderOf } from "../../codec/by-shape.ts";
import { type DecodeContext, defineCodec } from "../../codec/codec.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { messageOf, readAnswer } from "./answer.ts";
import { geminiErrorWord, readErrorBody, writeErrorBody } from "./error.ts";
import { holdsOf } from "./holds.ts";
import { ranges } from "./ranges.ts";
import { readContents } from "./read-contents.ts";
import { readRequest, writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { carryMember, dialects, family, isAtHome, routeOf } from "./wire.ts";
import { writeAnswer } from "./write-answer.ts";
import { writeContents } from "./write-contents.ts";

const decodeOne = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) => asChoices(readAnswer(value, context), messageOf, context),
  error: value => readErrorBody(value, false),
  messages: (list, context) => readContents(list, context, { path: [] }),
  stream: streamDecoder,
});

function decode(value: unknown, context: DecodeContext): Conversation {
  // An error of a stream may come in a list.
  const [only] = Array.isArray(value) ? (value as readonly unknown[]) : []; // any list
  return context.shape === "error" && isJsonObject(only) ? readErrorBody(only, true) : decodeOne(value, context);
}

const encode = encoderOf({
  format: family,
  request: writeRequest,
  answer: (conversation, context) => writeAnswer(conversation, context),
  error: writeErrorBody,
  messages: ({ messages }, context) => writeContents(messages, writingOf(messages, context, routeOf(context.dialect))),
  pieces: "contents",
  stream: streamEncoder,
});

/** Google's generateContent and streamGenerateContent: requests, answers and streams, of the Gemini API and of Vertex AI. */
export const gemini = defineCodec<Json>({
  id: family,
  title: "Google Gemini generateContent",
  spec: "https://ai.google.dev/api/generate-content",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects,
  places: [":generateContent", ":streamGenerateContent"],
  losses: {
    ...geminiPartLosses,
    ...schemaLosses,
    role: { kind: "approximated", note: "there are a user and a model: who else speaks is a user" },
    control: { kind: "dropped", note: "what is no turn has no content" },
    split: { kind: "approximated", note: "results are the user's, and read as a tool's message of their own" },
    "no-content": { kind: "synthesised", note: "the API wants a part in every content: it gets an empty text" },
    envelope: { kind: "dropped", note: "a history does not say what an answer said of its messages" },
    "system-joined": { kind: "merged", note: "there is one system instruction" },
    "empty-message": {
      kind: "dropped",
      note: "the API refuses a content without parts, and nothing of it has a place",
    },
    "messages-joined": { kind: "merged", note: "a candidate is one content" },
    "not-the-answer": { kind: "dropped", note: "an answer holds what the model said last" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "error-type": { kind: "synthesised", note: "an error says what it is: an unknown one" },
    "error-place": { kind: "approximated", note: "an answer has one error, after its candidates, and failed with it" },
    "message-id": { kind: "dropped", note: "a candidate has no id and no parent" },
    head: { kind: "dropped", note: "an answer says this once for all of its messages" },
    citations: { kind: "approximated", note: "citations are told by the bytes of a text" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    resumed: { kind: "approximated", note: "what follows a part in a stream begins a new one" },
    "seal-place": { kind: "approximated", note: "a signature that came behind its words has a part of its own" },
    open: { kind: "approximated", note: "in a stream only its last words are open, and only where it has no end" },
    stale: { kind: "dropped", note: "what was told of each token of a text is void: the text was edited" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "nothing tells how the answer ended, and the wire has to" },
    usage: { kind: "approximated", note: "the counts are written as Google sums them" },
    "usage-other": { kind: "approximated", note: "the total holds more tokens than the counts tell" },
    "foreign-state": { kind: "dropped", note: "what one host stores means nothing to another" },
    setting: { kind: "dropped", note: "the API has no such setting" },
    effort: { kind: "approximated", note: "the API has other levels of thinking" },
    "host-tool": { kind: "dropped", note: "a hosted tool of another provider" },
    "host-tool-name": { kind: "approximated", note: "the provider's own tool for this has its own name" },
    "custom-tool": { kind: "approximated", note: "every tool of the caller's is a function" },
  },
  fetches: (maker, { dialect }) => maker === "google" || (maker === "google-files" && dialect !== "vertex"),
  strictTools: () => false,
  ranges: () => ranges,
  holds: ({ shape }) => holdsOf(shape),
  isHome: ({ maker, route }, { dialect }) => maker === "google" && isAtHome(route, dialect),
  errorWord: geminiErrorWord,
  slot: { write: (content, carry) => void Object.assign(content, { [carryMember]: carry }) },
  sniff,
  decode,
  encode,
  stream: { framing: "sse", decoder: streamDecoder, encoder: streamEncoder },
});
