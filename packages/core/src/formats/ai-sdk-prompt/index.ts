/**
 * What a model of the AI SDK is called with, and what it answers: `LanguageModelV4`, and `V3` and `V2` of `ai` 6 and 5.
 * Types: `@ai-sdk/provider` (https://github.com/vercel/ai/tree/main/packages/provider/src/language-model), read 2026-11-30.
 * It cannot carry: ids of messages, questions to people, application data, what people see of results.
 */

import { isKnownMaker } from "../../blocks/ai-sdk/family.ts";
import {
  type AnswerPlace,
  answerHolds,
  answerLosses,
  contentLosses,
  decodeModelMessages,
  encodeModelMessages,
  type ModelPlace,
  modelHolds,
  modelLosses,
  plain,
  promptLosses,
  runReader,
  runReadingLosses,
  runWriter,
  runWritingLosses,
  writeModelCarry,
} from "../../blocks/ai-sdk/model.ts";
import { type DecodeContext, defineCodec, type EncodeContext, type Holds } from "../../codec/codec.ts";
import type { Conversation } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { emit } from "../../stream/emit.ts";
import { type Machine, runAll } from "../../stream/machine.ts";
import { readAnswer, writeAnswer } from "./answer.ts";
import { readRequest, writeRequest } from "./request.ts";
import { sniff } from "./sniff.ts";

/** The versions of the SDK's models, by the generation of the SDK that calls them. */
const generations = { v2: 5, v3: 6, v4: 7 } as const;

const generationOf = (dialect: string): 5 | 6 | 7 => (dialect === "v2" || dialect === "v3" ? generations[dialect] : 7);

const placeOf = (dialect: string): ModelPlace => ({ generation: generationOf(dialect), form: "prompt" });
const answerOf = (dialect: string): AnswerPlace => ({ generation: generationOf(dialect), answer: "answer" });

const requestHolds = new Map<string, Holds>(
  ["v4", "v3", "v2"].map(dialect => [dialect, requestTable(dialect)] as const),
);

function requestTable(dialect: string): Holds {
  const reasoning = generationOf(dialect) >= 7 ? (["reasoning"] as const) : [];
  return {
    ...modelHolds(placeOf(dialect)),
    conversation: ["tools", "settings"],
    tool: ["name", "kind", "description", "input", "strict", "cache"],
    settings: [
      ...(["maxOutputTokens", "temperature", "topP", "topK", "stopSequences", "seed", "toolChoice"] as const),
      ...(["frequencyPenalty", "presencePenalty"] as const),
      ...reasoning,
      "responseFormat",
    ],
  };
}

export const aiSdkPrompt = defineCodec<Json>({
  id: "ai-sdk-prompt",
  title: "AI SDK prompts and answers",
  spec: "https://github.com/vercel/ai/tree/main/packages/provider/src/language-model",
  shapes: ["request", "messages", "message", "answer", "stream"],
  dialects: ["v4", "v3", "v2"],
  losses: {
    ...modelLosses,
    ...promptLosses,
    ...answerLosses,
    ...contentLosses,
    setting: { kind: "dropped", note: "a model of the SDK has no such setting" },
    tool: { kind: "approximated", note: "a tool has no place for it" },
    ...runReadingLosses,
    ...runWritingLosses,
  },
  holds: ({ dialect, shape }) => {
    if (shape === "request") return requestHolds.get(dialect) ?? requestTable(dialect);
    if (shape === "stream") return answerHolds(answerOf(dialect), true);
    return shape === "answer" ? answerHolds(answerOf(dialect), false) : modelHolds(placeOf(dialect));
  },
  // The SDK hands each provider what stands under its own key.
  isHome: isKnownMaker,
  oneAnswer: true,
  slot: { write: writeModelCarry },
  sniff,
  decode,
  encode,
  stream: {
    framing: "ndjson",
    decoder: reader,
    encoder: writer,
  },
});

function reader(context: DecodeContext): Machine<Json, Event> {
  return runReader({ ...answerOf(context.dialect), context });
}

function writer(context: EncodeContext): Machine<Event, Json> {
  return runWriter({ ...answerOf(context.dialect), context });
}

function decode(given: unknown, context: DecodeContext): Conversation {
  const value = plain(given);
  if (context.shape === "stream" && (Array.isArray(value) || isJsonObject(value))) {
    const chunks: readonly Json[] = Array.isArray(value) ? value : [value];
    return { messages: accumulate(runAll(reader(context), chunks)) };
  }
  const place = placeOf(context.dialect);
  if (Array.isArray(value))
    return { messages: decodeModelMessages(value as readonly Json[], [], { ...place, context }) };
  if (!isJsonObject(value)) throw notThis(value);
  if (context.shape === "answer") return { messages: [readAnswer(value, answerOf(context.dialect), context)] };
  if (context.shape === "request" || Array.isArray(value["prompt"])) return readRequest(value, place, context);
  return { messages: decodeModelMessages([value], [], { ...place, context }) };
}

function notThis(value: Json): TranslogueError {
  const found = value === null ? "null" : `a value of type ${typeof value}`;
  return new TranslogueError(
    "decode/not-this-format",
    `expected a call, prompt or answer of the AI SDK, and found ${found}`,
    {
      data: { format: "ai-sdk-prompt" },
    },
  );
}

function encode(conversation: Conversation, context: EncodeContext): Json {
  const place = placeOf(context.dialect);
  if (context.shape === "stream") return runAll(writer(context), emit(conversation.messages));
  if (context.shape === "answer") return writeAnswer(conversation, answerOf(context.dialect), context);
  if (context.shape === "request") return writeRequest(conversation, place, context);
  const list = encodeModelMessages(conversation.messages, { ...place, context });
  if (context.shape === "messages") return list;
  const [only, ...others] = list;
  if (only !== undefined && others.length === 0) return only;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`ai-sdk-prompt\` writes these as ${list.length} messages; ask for the shape \`messages\``,
  );
}
