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
  losses,
  streamReader,
  streamReadingLosses,
  streamWriter,
  streamWritingLosses,
  writeCarry,
} from "../../blocks/ai-sdk.ts";
import { type DecodeContext, defineCodec, type EncodeContext, type Holds } from "../../codec/codec.ts";
import { fill, native, Reader } from "../../codec/reader.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { sniff } from "./sniff.ts";
import { upgradeMessage } from "./upgrade.ts";

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
  losses: { ...losses, ...streamReadingLosses, ...streamWritingLosses },
  holds: ({ dialect, shape }) => {
    const generation = generationOf(dialect);
    if (shape === "stream" || shape === "event") return holdsOf(generation, "stream");
    return (shape === "request" ? requestHolds.get(generation) : undefined) ?? holdsOf(generation, "whole");
  },
  // The SDK hands each provider what stands under its own key.
  isHome: isKnownMaker,
  slot: { write: writeCarry },
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    done: "[DONE]",
    decoder: context => streamReader({ ...usage(context.dialect), context }),
    encoder: context => streamWriter({ ...usage(context.dialect), context }),
  },
});

function decode(value: unknown, context: DecodeContext): Conversation {
  if (Array.isArray(value)) return { messages: decodeList(value, [], context) };
  if (!isJsonObject(value)) throw notThis(value);
  if (!Array.isArray(value["messages"])) return { messages: decodeList([value], [], context) };
  const reader = new Reader(value);
  const list = reader.array("messages") ?? [];
  const id = reader.string("id");
  const hints = reader.literal("trigger", trigger) ? {} : { $trigger: false };
  return {
    ...(id !== undefined && { id }),
    messages: decodeList(list, ["messages"], context),
    ...native(family, reader.rest(), hints),
  };
}

function decodeList(list: readonly Json[], path: Path, context: DecodeContext): Message[] {
  const isOld = context.dialect === "v4";
  const newer = isOld ? list.map(upgradeMessage) : list;
  const messages = decodeMessages(newer, { path, first: 0 }, { ...usage(context.dialect), context });
  return isOld ? messages.map(withTime) : messages;
}

/** Generation 4 has the time of a message as a member of its own. */
function withTime(message: Message): Message {
  const own = message.native?.[family];
  const createdAt = own?.["createdAt"];
  if (own === undefined || typeof createdAt !== "string") return message;
  const { createdAt: _, ...others } = own;
  return { ...message, createdAt, native: { ...message.native, [family]: others } };
}

/** Why the SDK's client asks, unless it says otherwise. */
const trigger = "submit-message";

function notThis(value: unknown): TranslogueError {
  const found = value === null ? "null" : `a value of type ${typeof value}`;
  return new TranslogueError("decode/not-this-format", `expected UI messages of the AI SDK, and found ${found}`, {
    data: { format: "ai-sdk-ui" },
  });
}

function encode(conversation: Conversation, context: EncodeContext): Json {
  if (context.dialect === "v4") {
    throw new TranslogueError(
      "encode/read-only-dialect",
      "messages of AI SDK 4 are read and not written; name the dialect `v5`, `v6` or `v7`",
      { data: { format: "ai-sdk-ui", dialect: "v4" } },
    );
  }
  const list = encodeMessages(conversation.messages, { ...usage(context.dialect), context });
  if (context.shape === "messages") return list;
  if (context.shape === "request") {
    const own: JsonObject = conversation.native?.[family] ?? {};
    const why = own["$trigger"] === false ? {} : { trigger };
    return fill({ ...(conversation.id !== undefined && { id: conversation.id }), messages: list, ...why }, own);
  }
  const [only, ...others] = list;
  if (only !== undefined && others.length === 0) return only;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`ai-sdk-ui\` writes these as ${list.length} messages; ask for the shape \`messages\``,
  );
}
