import { schemaLosses } from "../../blocks/json-schema/subset.ts";
import { decoderOf, encoderOf, inTurn, messageOf, withoutResultKinds } from "../../codec/by-shape.ts";
import { defineCodec, type EncodeContext } from "../../codec/codec.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { readAnswer, writeAnswer } from "./answer.ts";
import { interactionsErrorWord, readErrorBody, writeErrorBody } from "./error.ts";
import { holdsOf } from "./holds.ts";
import { readList, readRequest, report, writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { carryMember, dialects, family, isAtHome, writeScope } from "./wire.ts";
import { stepsOf, writeSteps } from "./write-steps.ts";

const decode = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) => inTurn(readAnswer(value, context), messageOf, context),
  error: readErrorBody,
  messages: (list, context) => readList(list, context),
  pieces: (list, context) => readList(list, context).map(withoutResultKinds),
  stream: streamDecoder,
});

const encode = encoderOf({
  format: family,
  request: writeRequest,
  answer: writeAnswer,
  error: writeErrorBody,
  messages: ({ messages }, context) => steps(messages, context),
  pieces: "steps",
  stream: streamEncoder,
});

/** Google's Interactions: requests, answers, steps and streams, of models and of agents. */
export const geminiInteractions = defineCodec<Json>({
  id: family,
  title: "Google Gemini Interactions",
  spec: "https://ai.google.dev/api/interactions-api",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects,
  places: ["/interactions"],
  losses: {
    ...schemaLosses,
    refusal: { kind: "flattened", note: "a refusal is written as text" },
    misplaced: { kind: "dropped", note: "there is no place for the part here" },
    "as-summary": { kind: "approximated", note: "what a thought says is its summary" },
    "hidden-reasoning": { kind: "dropped", note: "a thought without words and signature says nothing" },
    "foreign-seal": { kind: "dropped", note: "what only another maker can read stays home" },
    "seal-value": { kind: "dropped", note: "a signature is all that a step has for its maker" },
    "seal-origin": { kind: "approximated", note: "a signature does not say which model or host made it" },
    "seal-place": { kind: "dropped", note: "texts and files are not signed: only thoughts, calls and results are" },
    compaction: { kind: "flattened", note: "a compaction is written as its summary" },
    "hidden-compaction": { kind: "dropped", note: "only its maker can read this compaction" },
    "file-text": { kind: "flattened", note: "a text document is written as text" },
    "file-parts": { kind: "flattened", note: "a document made of blocks is written as its blocks" },
    "file-id": { kind: "dropped", note: "another provider's file cannot be read here" },
    "file-by-id": { kind: "approximated", note: "a file of Google's is named by its address" },
    "file-member": { kind: "dropped", note: "a content of this type does not say this of its file" },
    "citation-member": { kind: "dropped", note: "an annotation of this type does not say this" },
    "citation-range": { kind: "approximated", note: "a range is one of whole characters in its text" },
    "call-kind": { kind: "approximated", note: "every tool of the caller's is a function" },
    arguments: { kind: "approximated", note: "arguments are an object: others are its member `input`" },
    "arguments-text": { kind: "dropped", note: "arguments that do not parse have no place" },
    "no-arguments": { kind: "synthesised", note: "a call has arguments: they are an empty object" },
    "tool-name": { kind: "approximated", note: "the provider's own tools have no other names" },
    "server-tool": { kind: "dropped", note: "the call or result of another provider's own tool" },
    "result-name": { kind: "dropped", note: "the result of the provider's own tool does not say its name" },
    "result-kind": { kind: "approximated", note: "a result is of the kind of its call" },
    outcome: { kind: "approximated", note: "a result failed or it did not" },
    "no-output": { kind: "synthesised", note: "a result has an output: it is an empty text" },
    "data-text": { kind: "flattened", note: "a value beside others, or one that is no object, is written as text" },
    "data-shape": { kind: "approximated", note: "a value of this form is read as what it looks like" },
    "error-text": { kind: "flattened", note: "an error of a tool is written as its text" },
    "source-text": { kind: "flattened", note: "a source that a tool found is written as text" },
    "source-member": { kind: "dropped", note: "a page that was found has an address and a title" },
    role: { kind: "approximated", note: "there are a user and a model: who else speaks is a user" },
    control: { kind: "dropped", note: "what is no turn has no step" },
    split: { kind: "approximated", note: "a step is of one side, and is read as that side's message" },
    "empty-message": {
      kind: "dropped",
      note: "a message of the model or of tools is its steps, and this one has none",
    },
    envelope: { kind: "dropped", note: "a history does not say what an answer said of its messages" },
    "messages-joined": { kind: "merged", note: "steps have no borders: neighbours of one side are one message" },
    "system-joined": { kind: "merged", note: "there is one system instruction" },
    "not-the-answer": { kind: "dropped", note: "an answer holds what the model said last" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "error-place": { kind: "approximated", note: "an error inside of an answer is one of its steps" },
    head: { kind: "dropped", note: "an answer says this once for all of its messages" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    order: { kind: "approximated", note: "steps stand in the order in which they began" },
    open: { kind: "approximated", note: "a step of an answer that has ended is over" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "nothing tells how the answer ended, and the wire has to" },
    "no-envelope": { kind: "synthesised", note: "the wire has to say this of an answer, and nothing tells it" },
    usage: { kind: "approximated", note: "the counts are written as Google sums them" },
    "usage-other": { kind: "approximated", note: "the total holds more tokens than the counts tell" },
    setting: { kind: "dropped", note: "the API has no such setting" },
    effort: { kind: "approximated", note: "the API has other words for how a model thinks" },
    "host-tool": { kind: "dropped", note: "a hosted tool of another provider" },
    "host-tool-name": { kind: "approximated", note: "the provider's own tool for this has its own name" },
    "custom-tool": { kind: "approximated", note: "every tool of the caller's is a function" },
    "tool-member": { kind: "dropped", note: "a tool of this type has no such member" },
    "foreign-state": { kind: "dropped", note: "what one host stores means nothing to another" },
  },
  fetches: (maker, { dialect }) => maker === "google" || (maker === "google-files" && dialect !== "vertex"),
  strictTools: () => false,
  holds: ({ shape }) => holdsOf(shape),
  isHome: ({ maker, route }, { dialect }) => maker === "google" && isAtHome(route, dialect),
  errorWord: interactionsErrorWord,
  oneAnswer: true,
  slot: { write: carryInto },
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    done: "[DONE]",
    eventName: event =>
      isJsonObject(event) && typeof event["event_type"] === "string" ? event["event_type"] : undefined,
    decoder: streamDecoder,
    encoder: streamEncoder,
  },
});

/** Puts a carry into the first step of a group, where it has room for one. */
function carryInto(group: object, carry: Json): void {
  const first: unknown = Array.isArray(group) ? group[0] : group;
  if (isJsonObject(first)) Object.assign(first, { [carryMember]: carry });
}

function steps(messages: readonly Message[], context: EncodeContext): readonly Json[] {
  const groups = writeSteps(messages, writeScope(messages, context), index => ["messages", index]);
  report(groups, 0, context);
  return stepsOf(groups);
}
