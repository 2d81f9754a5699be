import { chatErrorWord } from "../../blocks/chat-parts/error-words.ts";
import { chatPartLosses } from "../../blocks/chat-parts/parts.ts";
import { writeAnswer } from "../../blocks/chat-parts/write-answer.ts";
import { strictLosses } from "../../blocks/json-schema/subset.ts";
import { encoderOf } from "../../codec/by-shape.ts";
import { defineCodec, type EncodeContext } from "../../codec/codec.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Json } from "../../model/json.ts";
import { decode } from "./decode.ts";
import { dialectOf, dialects, isHome } from "./dialects.ts";
import { writeMessages } from "./encode-message.ts";
import { writeErrorBody } from "./error.ts";
import { forHost } from "./foreign.ts";
import { chatForm } from "./form.ts";
import { holdsOf } from "./holds.ts";
import { ranges } from "./ranges.ts";
import { writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { family } from "./wire.ts";

const encodeForHost = encoderOf({
  format: family,
  request: writeRequest,
  answer: ({ messages }, context) => writeAnswer(messages, { context, form: chatForm }),
  error: writeErrorBody,
  messages: writeMessages,
  stream: streamEncoder,
});

function encode(whole: Conversation, to: EncodeContext): Json {
  if (to.shape === "stream") return encodeForHost(whole, to); // the stream's own encoder looks to the host
  const { conversation, context } = forHost(whole, to);
  return encodeForHost(conversation, context);
}

/** OpenAI's Chat Completions: requests, answers and streams, of OpenAI and of the hosts that speak it with differences. */
export const openaiChat = defineCodec<Json>({
  id: family,
  title: "OpenAI Chat Completions",
  spec: "https://platform.openai.com/docs/api-reference/chat",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: Object.keys(dialects) as [keyof typeof dialects, ...(keyof typeof dialects)[]], // the table has rows
  places: ["/chat/completions"],
  losses: {
    ...chatPartLosses,
    ...strictLosses,
    order: { kind: "approximated", note: "Chat has one member for each kind of part, and no order among them" },
    "text-joined": { kind: "merged", note: "an answer has one text of this kind" },
    "empty-text": { kind: "dropped", note: "an empty text is written as no text" },
    "reasoning-joined": { kind: "merged", note: "the host takes reasoning as one text" },
    "reasoning-piece": { kind: "dropped", note: "the host takes reasoning as text only" },
    "messages-joined": { kind: "merged", note: "an answer is one message" },
    "not-the-answer": { kind: "dropped", note: "an answer holds what the assistant said last" },
    "not-the-error": { kind: "dropped", note: "an error body holds the error only" },
    "no-error": { kind: "synthesised", note: "nothing failed: the error says nothing" },
    "message-id": { kind: "dropped", note: "a message of an answer has no id and no parent" },
    head: { kind: "dropped", note: "an answer says this once for all of its messages" },
    author: { kind: "approximated", note: "of an author only the name is said" },
    "result-author": { kind: "dropped", note: "the name that a tool's message says is the tool's" },
    control: { kind: "dropped", note: "what is no turn has no message" },
    split: { kind: "approximated", note: "each result is a message of its own" },
    "no-content": { kind: "synthesised", note: "a message without parts is written with an empty text" },
    "result-role": { kind: "approximated", note: "a result is a message of the role tool" },
    "empty-message": { kind: "dropped", note: "nothing of the message can be said on this wire" },
    "no-result": { kind: "dropped", note: "a tool's message is its result, and here is none" },
    misplaced: { kind: "dropped", note: "a message of this role has no place for the part" },
    "server-tool": { kind: "dropped", note: "a provider's own tools have no calls on this wire" },
    "assistant-media": { kind: "dropped", note: "an assistant's message has no place for this file" },
    "audio-by-id": { kind: "approximated", note: "the provider takes its own audio back by id" },
    "tool-media": { kind: "dropped", note: "a tool's result holds text only" },
    outcome: { kind: "approximated", note: "a result does not say that it failed; its text has to" },
    "no-output": { kind: "approximated", note: "no output is written as an empty one" },
    data: { kind: "flattened", note: "data of a tool is written as its JSON text" },
    "error-text": { kind: "flattened", note: "an error of a tool is written as its text" },
    "source-text": { kind: "flattened", note: "a source that a tool found is written as text" },
    refusal: { kind: "flattened", note: "only an assistant refuses: written as text" },
    citations: { kind: "approximated", note: "citations count from the beginning of an answer's one text" },
    "part-seal": { kind: "dropped", note: "there is no place for the seal of this part" },
    "foreign-seal": { kind: "dropped", note: "what only another maker can read stays home" },
    "foreign-state": { kind: "dropped", note: "what another host has stored is not known to this one" },
    "seal-value": { kind: "dropped", note: "the host has no name for this value of a seal" },
    "seal-place": {
      kind: "approximated",
      note: "a text's seal is the message's, and is read as that of its first call or last text",
    },
    compaction: { kind: "flattened", note: "a compaction is written as its summary" },
    "hidden-compaction": { kind: "dropped", note: "only its maker can read this compaction" },
    developer: { kind: "approximated", note: "the host knows no developer: written as system" },
    "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
    open: { kind: "approximated", note: "the parts of a stream are whole if it came to an end, and open if not" },
    finish: { kind: "approximated", note: "the wire has another word for how it ended, or none" },
    "no-finish": { kind: "synthesised", note: "nothing tells how the answer ended, and the wire has to" },
    stale: { kind: "dropped", note: "what was told of each token of a text is void: the text was edited" },
    "no-envelope": { kind: "synthesised", note: "the wire has to say this of an answer, and nothing tells it" },
    time: { kind: "approximated", note: "times are whole seconds in UTC" },
    usage: { kind: "approximated", note: "the counts are written as OpenAI sums them" },
    "usage-other": { kind: "approximated", note: "the total holds more tokens than the counts tell" },
    setting: { kind: "dropped", note: "the host has no such setting" },
    "format-name": { kind: "synthesised", note: "a schema needs a name" },
    "host-tool": { kind: "dropped", note: "a hosted tool of another provider" },
    "custom-schema": { kind: "dropped", note: "a custom tool takes text and has no schema" },
    "tool-cache": { kind: "dropped", note: "the host has no cache breakpoints on tools" },
  },
  // Other hosts may stand before models of these makers.
  fetches: (maker, { dialect }) => dialect === "gemini" && maker.startsWith("google"),
  strictTools: () => false,
  ranges: ({ dialect }) => (dialect === "openai" || dialect === "azure" ? ranges : undefined),
  holds: ({ shape, ...to }) => holdsOf(shape, dialectOf(to), to.recipient === "provider"),
  isHome,
  errorWord: chatErrorWord,
  slot: { write: (message, carry) => void Object.assign(message, { translogue: carry }) },
  sniff,
  decode,
  encode,
  stream: { framing: "sse", done: "[DONE]", decoder: streamDecoder, encoder: streamEncoder },
});
