/**
 * Messages of the AI SDK's UI (`UIMessage`), its requests and its stream, for generations 5, 6 and 7; generation 4 is read
 * only. Docs: https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message, read 2026-11-30.
 * It cannot carry: usage, models, times of messages; errors, summaries and questions inside of them.
 */

import {
  decodeMessages,
  encodeMessages,
  family,
  type Generation,
  holdsOf,
  isKnownMaker,
  isNewMessage,
  losses,
  streamReader,
  streamReadingLosses,
  streamWriter,
  streamWritingLosses,
  writeCarry,
} from "../../blocks/ai-sdk/family.ts";
import { type DecodeContext, defineCodec, type EncodeContext, type Holds } from "../../codec/codec.ts";
import { fill, native, Reader } from "../../codec/reader.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Event } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { emit } from "../../stream/emit.ts";
import { type Machine, runAll } from "../../stream/machine.ts";
import { isLine, sniff } from "./sniff.ts";
import { fromV4 } from "./v4-messages.ts";
import { dataStreamLines, dataStreamReader } from "./v4-stream.ts";

const generations: { readonly [dialect: string]: Generation } = { v5: 5, v6: 6, v7: 7 };

/** The newest reads what the older ones wrote. */
const generationOf = (dialect: string): Generation => generations[dialect] ?? 7;

const usage = (dialect: string) => ({ generation: generationOf(dialect), steps: "joined", dynamic: false }) as const;

const requestHolds = new Map<Generation, Holds>(
  ([5, 6, 7] as const).map(generation => [generation, { ...holdsOf(generation, "whole"), conversation: ["id"] }]),
);

export const aiSdkUi = defineCodec<Json>({
  id: "ai-sdk-ui",
  title: "AI SDK UI messages",
  spec: "https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message",
  shapes: ["messages", "message", "request", "stream"],
  dialects: ["v5", "v6", "v7", "v4"],
  losses: {
    ...losses,
    ...streamReadingLosses,
    ...streamWritingLosses,
    "step-id": { kind: "dropped", note: "a message has the id of its first step; AI SDK 4 names each" },
  },
  holds: ({ dialect, shape }) => {
    const generation = generationOf(dialect);
    if (shape === "stream") return holdsOf(generation, "stream");
    return (shape === "request" ? requestHolds.get(generation) : undefined) ?? holdsOf(generation, "whole");
  },
  // The SDK hands each provider what stands under its own key.
  isHome: isKnownMaker,
  oneAnswer: true,
  slot: { write: writeCarry },
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    done: "[DONE]",
    lines: (dialect, options) => (dialect === "v4" ? dataStreamLines(options) : undefined),
    decoder: reader,
    encoder: context => {
      refuseOld(context);
      return writer(context);
    },
  },
});

function reader(context: DecodeContext): Machine<Json, Event> {
  return context.dialect === "v4" ? dataStreamReader(context) : streamReader({ ...usage(context.dialect), context });
}

const writer = (context: EncodeContext): Machine<Event, Json> => streamWriter({ ...usage(context.dialect), context });

function decode(value: unknown, context: DecodeContext): Conversation {
  if (context.shape === "stream" && (Array.isArray(value) || isJsonObject(value))) {
    const events = Array.isArray(value) && !isLine(value) ? value : [value];
    return { messages: accumulate(runAll(reader(context), events)) };
  }
  if (Array.isArray(value)) return { messages: decodeList(value, [], context) };
  if (!isJsonObject(value)) throw notThis(value);
  const isBody = context.shape === "request" || Array.isArray(value["messages"]);
  return isBody ? decodeBody(value, context) : { messages: decodeList([value], [], context) };
}

function decodeBody(value: JsonObject, context: DecodeContext): Conversation {
  const body = new Reader(value);
  const list = body.array("messages");
  if (!list) context.issue("no-messages", ["messages"], "expected a list of messages");
  const id = body.string("id");
  const hints = {
    ...(!body.literal("trigger", trigger) && { $trigger: false }),
    ...(!list && value["messages"] === undefined && { $messages: "none" }),
  };
  return {
    ...(id !== undefined && { id }),
    messages: decodeList(list ?? [], ["messages"], context),
    ...native(family, body.remainder(), hints),
  };
}

function decodeList(list: readonly Json[], path: Path, context: DecodeContext): Message[] {
  const isV4 = context.dialect === "v4";
  return decodeMessages(
    list,
    { path, first: 0 },
    {
      ...usage(context.dialect),
      context,
      ownMessage: (wire, wirePath) => {
        const isOld = isJsonObject(wire) && ((isV4 && !isNewMessage(wire)) || isRow(wire));
        return isOld ? fromV4(wire, (code, message) => context.issue(code, wirePath, message)) : undefined;
      },
    },
  );
}

/** A message without parts can only be of generation 4, from which databases still have rows. */
const isRow = ({ role, content, parts }: JsonObject): boolean =>
  parts === undefined && typeof role === "string" && typeof content === "string";

/** Why the SDK's client asks, unless it says otherwise. */
const trigger = "submit-message";

function notThis(value: unknown): TranslogueError {
  const found = value === null ? "null" : `a value of type ${typeof value}`;
  return new TranslogueError("decode/not-this-format", `expected UI messages of the AI SDK, and found ${found}`, {
    data: { format: "ai-sdk-ui" },
  });
}

function refuseOld({ dialect }: EncodeContext): void {
  if (dialect !== "v4") return;
  throw new TranslogueError(
    "encode/read-only-dialect",
    "AI SDK 4 is read and not written; name the dialect `v5`, `v6` or `v7`",
    { data: { format: "ai-sdk-ui", dialect } },
  );
}

function encode(conversation: Conversation, context: EncodeContext): Json {
  refuseOld(context);
  if (context.shape === "stream") return runAll(writer(context), emit(conversation.messages));
  const list = encodeMessages(conversation.messages, { ...usage(context.dialect), context });
  if (context.shape === "messages") return list;
  if (context.shape === "request") {
    const own: JsonObject = conversation.native?.[family] ?? {};
    const why = own["$trigger"] === false ? {} : { trigger };
    // What was read in place of a list, or nothing, is written there again.
    const hasNone = list.length === 0 && (own["$messages"] === "none" || Object.hasOwn(own, "messages"));
    const said = hasNone ? {} : { messages: list };
    return fill({ ...(conversation.id !== undefined && { id: conversation.id }), ...said, ...why }, own);
  }
  const [only, ...others] = list;
  if (only !== undefined && others.length === 0) return only;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`ai-sdk-ui\` writes these as ${list.length} messages; ask for the shape \`messages\``,
  );
}
