import { chatPartLosses } from "../../blocks/chat-parts/parts.ts";
import { readAnswer } from "../../blocks/chat-parts/read-answer.ts";
import { writeAnswer } from "../../blocks/chat-parts/write-answer.ts";
import { schemaLosses } from "../../blocks/json-schema/subset.ts";
import { asChoices, decoderOf, encoderOf, messageOf } from "../../codec/by-shape.ts";
import { defineCodec } from "../../codec/codec.ts";
import type { Json } from "../../model/json.ts";
import { mistralErrorWord, readErrorBody, writeErrorBody } from "./error.ts";
import { mistralForm } from "./form.ts";
import { holdsOf } from "./holds.ts";
import { ranges } from "./ranges.ts";
import { readMessages } from "./read-messages.ts";
import { readRequest, writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { carryMember, family } from "./wire.ts";
import { writeMessages } from "./write-messages.ts";
import { writingOf } from "./writing.ts";

const { "tool-kind": toolKind, "file-source": fileSource, "file-member": fileMember, ...others } = chatPartLosses;

const decode = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) => asChoices(readAnswer(value, context, mistralForm), messageOf, context),
  error: readErrorBody,
  messages: (list, context) => readMessages(list, context),
  message: (value, context) => readMessages([value], context, () => []),
  stream: streamDecoder,
});

const encode = encoderOf({
  format: family,
  request: writeRequest,
  answer: ({ messages }, context) => writeAnswer(messages, { context, form: mistralForm }),
  error: writeErrorBody,
  messages: ({ messages }, context) => writeMessages(messages, writingOf(context, messages)),
  stream: streamEncoder,
});

/** Mistral's chat completions: requests, answers and streams. Content keeps the order of thoughts, texts and references. */
export const mistral = defineCodec<Json>({
  id: family,
  title: "Mistral chat completions",
  spec: "https://docs.mistral.ai/api/endpoint/chat",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: ["mistral"],
  places: ["api.mistral.ai", "codestral.mistral.ai"],
  losses: {
    ...schemaLosses,
    "tool-kind": toolKind,
    "file-source": fileSource,
    "file-member": fileMember,
    "media-type": others["media-type"],
    "no-arguments": others["no-arguments"],
    prefix: { kind: "synthesised", note: "an assistant's last message is marked as the beginning of the answer" },
    "made-id": others["made-id"],
    "text-file": others["text-file"],
    order: {
      kind: "approximated",
      note: "calls are a list of their own behind the content, and parts of a stream stand as they came",
    },
    joined: { kind: "merged", note: "in a stream words of a kind that follow each other are one part" },
    resumed: { kind: "approximated", note: "what goes on with a part after another began is a new one" },
    "late-reference": { kind: "approximated", note: "a reference came when its text was over" },
    "empty-text": { kind: "dropped", note: "an empty text is written as no text" },
    "hidden-reasoning": { kind: "dropped", note: "only its maker can read this reasoning" },
    "part-seal": { kind: "dropped", note: "there is no place for the seal of this part" },
    reference: { kind: "dropped", note: "Mistral takes references to its own finds only" },
    "reference-tool": { kind: "synthesised", note: "a reference names the tool whose find it is, and has a title" },
    "reference-place": { kind: "approximated", note: "a reference behind a text is read as what that text rests on" },
    "reference-member": { kind: "dropped", note: "a reference says no more than title and address" },
    citations: { kind: "approximated", note: "a text without references has no list of them" },
    "messages-joined": { kind: "merged", note: "an answer is one message" },
    "not-the-answer": { kind: "dropped", note: "an answer holds what the assistant said last" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "message-id": { kind: "dropped", note: "a message of an answer has no id and no parent" },
    head: { kind: "dropped", note: "an answer says this once for all of its messages" },
    control: { kind: "dropped", note: "what is no turn has no message" },
    split: { kind: "approximated", note: "each result is a message of its own" },
    "no-content": { kind: "synthesised", note: "a message without parts is written with an empty text" },
    "result-role": { kind: "approximated", note: "a result is a message of the role tool" },
    "empty-message": { kind: "dropped", note: "nothing of the message can be said on this wire" },
    "no-result": { kind: "dropped", note: "a tool's message is its result, and here is none" },
    misplaced: { kind: "dropped", note: "a message of this role has no place for the part" },
    "server-tool": { kind: "dropped", note: "a provider's own tools have no calls on this wire" },
    outcome: { kind: "approximated", note: "a result does not say that it failed; its text has to" },
    "no-output": { kind: "approximated", note: "no output is written as an empty one" },
    data: { kind: "flattened", note: "data of a tool is written as its JSON text" },
    "error-text": { kind: "flattened", note: "an error of a tool is written as its text" },
    "source-text": { kind: "flattened", note: "a source that a tool found is written as text" },
    refusal: { kind: "flattened", note: "the wire knows no refusals: written as text" },
    compaction: { kind: "flattened", note: "a compaction is written as its summary" },
    "hidden-compaction": { kind: "dropped", note: "only its maker can read this compaction" },
    developer: { kind: "approximated", note: "the API knows no developer: written as system" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    open: {
      kind: "approximated",
      note: "in a stream only its last words, and calls that are cut, are open, and only where it has no end",
    },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "nothing tells how the answer ended, and the wire has to" },
    stale: { kind: "dropped", note: "what was told of each token of a text is void: the text was edited" },
    "no-envelope": { kind: "synthesised", note: "the wire has to say this of an answer, and nothing tells it" },
    time: { kind: "approximated", note: "times are whole seconds in UTC" },
    usage: { kind: "approximated", note: "the counts are written as OpenAI sums them" },
    "usage-other": { kind: "approximated", note: "the total holds more tokens than the counts tell" },
    setting: { kind: "dropped", note: "the API has no such setting" },
    "tool-choice": { kind: "approximated", note: "the choice is any tool, none, or a named one" },
    "format-name": { kind: "synthesised", note: "a schema needs a name" },
    "host-tool": { kind: "dropped", note: "a hosted tool of another provider" },
    "host-tool-name": { kind: "approximated", note: "the provider's own tool for this has its own name" },
    "host-tool-member": { kind: "dropped", note: "the provider's own tool has no such member" },
    "custom-tool": { kind: "approximated", note: "every tool of the caller's is a function" },
  },
  fetches: () => false,
  strictTools: () => false,
  ranges: () => ranges,
  holds: ({ shape }) => holdsOf(shape),
  isHome: ({ maker, route }) => maker === "mistral" && route === undefined,
  errorWord: mistralErrorWord,
  slot: { write: (message, carry) => void Object.assign(message, { [carryMember]: carry }) },
  sniff,
  decode,
  encode,
  stream: { framing: "sse", done: "[DONE]", decoder: streamDecoder, encoder: streamEncoder },
});
