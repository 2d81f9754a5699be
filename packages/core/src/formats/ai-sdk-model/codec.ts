/**
 * Messages that applications give to the AI SDK's functions (`ModelMessage`) and what `streamText` streams back
 * (`TextStreamPart`), for generations 5, 6 and 7; the messages of generation 4 are read only.
 * Docs: https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message, read 2026-11-30.
 * It cannot carry: ids, models, times and usage of messages; application data, sources, summaries.
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
  runReader,
  runReadingLosses,
  runWriter,
  runWritingLosses,
  writeModelCarry,
} from "../../blocks/ai-sdk/model.ts";
import { type DecodeContext, defineCodec, type EncodeContext } from "../../codec/codec.ts";
import type { Conversation } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { emit } from "../../stream/emit.ts";
import { type Machine, runAll } from "../../stream/machine.ts";
import { sniff } from "./sniff.ts";
import { fromCore } from "./v4.ts";

const places: { readonly [dialect: string]: ModelPlace } = {
  v5: { generation: 5, form: "message" },
  v6: { generation: 6, form: "message" },
  v7: { generation: 7, form: "message" },
  // Its messages are read in the words of the next generation.
  v4: { generation: 5, form: "message" },
};

const newest: ModelPlace = { generation: 7, form: "message" };
const placeOf = (dialect: string): ModelPlace =>
  (Object.hasOwn(places, dialect) ? places[dialect] : undefined) ?? newest;

const runOf = (dialect: string): AnswerPlace => ({ generation: placeOf(dialect).generation, answer: "run" });

export const aiSdkModel = defineCodec<Json>({
  id: "ai-sdk-model",
  title: "AI SDK model messages",
  spec: "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message",
  shapes: ["messages", "message", "stream"],
  dialects: ["v7", "v6", "v5", "v4"],
  losses: { ...modelLosses, ...answerLosses, ...contentLosses, ...runReadingLosses, ...runWritingLosses },
  holds: ({ dialect, shape }) =>
    shape === "stream" ? answerHolds(runOf(dialect), true) : modelHolds(placeOf(dialect)),
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
    encoder: context => {
      refuseOld(context);
      return writer(context);
    },
  },
});

function reader(context: DecodeContext): Machine<Json, Event> {
  return runReader({ ...runOf(context.dialect), context });
}

const writer = (context: EncodeContext): Machine<Event, Json> => runWriter({ ...runOf(context.dialect), context });

function decode(given: unknown, context: DecodeContext): Conversation {
  const value = plain(given);
  if (context.shape === "stream" && (Array.isArray(value) || isJsonObject(value))) {
    const chunks: readonly Json[] = Array.isArray(value) ? value : [value];
    return { messages: accumulate(runAll(reader(context), chunks)) };
  }
  const list = Array.isArray(value) ? (value as readonly Json[]) : isJsonObject(value) ? [value] : undefined;
  if (!list) throw notThis(value);
  const isV4 = context.dialect === "v4";
  const messages = isV4 ? list.map(fromCore) : list;
  return { messages: decodeModelMessages(messages, [], { ...placeOf(context.dialect), context, hasIds: isV4 }) };
}

function notThis(value: Json): TranslogueError {
  const found = value === null ? "null" : `a value of type ${typeof value}`;
  return new TranslogueError("decode/not-this-format", `expected model messages of the AI SDK, and found ${found}`, {
    data: { format: "ai-sdk-model" },
  });
}

function encode(conversation: Conversation, context: EncodeContext): Json {
  refuseOld(context);
  if (context.shape === "stream") return runAll(writer(context), emit(conversation.messages));
  const list = encodeModelMessages(conversation.messages, { ...placeOf(context.dialect), context });
  if (context.shape === "messages") return list;
  const [only, ...others] = list;
  if (only !== undefined && others.length === 0) return only;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`ai-sdk-model\` writes these as ${list.length} messages; ask for the shape \`messages\``,
  );
}

function refuseOld({ dialect }: EncodeContext): void {
  if (dialect !== "v4") return;
  throw new TranslogueError(
    "encode/read-only-dialect",
    "AI SDK 4 is read and not written; name the dialect `v5`, `v6` or `v7`",
    { data: { format: "ai-sdk-model", dialect } },
  );
}
