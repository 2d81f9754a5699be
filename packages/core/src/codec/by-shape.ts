/** What a provider's format reads and writes, by the shape that is asked for. */

import type { Conversation, Message } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import type { Event, MessageHead } from "../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Part } from "../model/parts.ts";
import { accumulate } from "../stream/accumulate.ts";
import { emit } from "../stream/emit.ts";
import { type Machine, runAll } from "../stream/machine.ts";
import type { DecodeContext, EncodeContext, Shape } from "./codec.ts";

export interface ShapeReaders {
  readonly format: string;
  readonly request: (value: JsonObject, context: DecodeContext) => Conversation;
  readonly answer: (value: JsonObject, context: DecodeContext) => Conversation;
  readonly error: (value: JsonObject, context: DecodeContext) => Conversation;
  readonly messages: (list: readonly Json[], context: DecodeContext) => readonly Message[];
  /** A message alone. Default: a list of it. */
  readonly message?: (value: JsonObject, context: DecodeContext) => readonly Message[];
  /** A list where one message is asked for: the pieces that one is written as. Default: a list is no message. */
  readonly pieces?: (list: readonly Json[], context: DecodeContext) => readonly Message[];
  readonly stream: (context: DecodeContext) => Machine<Json, Event>;
}

/** Reads a value of any shape. Throws `decode/not-this-format`. */
export const decoderOf =
  ({ format, ...read }: ShapeReaders) =>
  (value: unknown, context: DecodeContext): Conversation => {
    const { shape } = context;
    if (Array.isArray(value)) {
      const list: readonly Json[] = value; // what formats hold is JSON
      if (shape === "messages") return { messages: read.messages(list, context) };
      if (shape === "message" && read.pieces) return { messages: read.pieces(list, context) };
      if (shape === "stream") return { messages: accumulate(runAll(read.stream(context), list)) };
    }
    if (!isJsonObject(value)) throw notThisFormat(value, { format, shape });
    switch (shape) {
      case "stream":
        return { messages: accumulate(runAll(read.stream(context), [value])) };
      case "answer":
        return read.answer(value, context);
      case "error":
        return read.error(value, context);
      case "message":
        return { messages: read.message?.(value, context) ?? read.messages([value], context) };
      default:
        return read.request(value, context);
    }
  };

interface Carrying {
  readonly carry: Json | undefined;
}

interface ReadMessage extends Carrying {
  readonly head: MessageHead;
  readonly parts: readonly { readonly part: Part }[];
}

export const messageOf = ({ head, parts }: ReadMessage): Message => ({ ...head, parts: parts.map(({ part }) => part) });

/** The messages of an answer, one after another, with what travelled in their carry slots. */
export function inTurn<Read extends Carrying>(
  read: readonly Read[],
  made: (each: Read) => Message,
  context: DecodeContext,
): Conversation {
  for (const [index, { carry }] of read.entries()) if (carry !== undefined) context.carried(index, carry);
  return { messages: read.map(made) };
}

/** The choices of an answer, of which the first leads. */
export function asChoices<Read extends Carrying>(
  ...[read, made, context]: Parameters<typeof inTurn<Read>>
): Conversation {
  const { messages } = inTurn(read, made, context);
  const [first] = messages;
  return { messages, ...(messages.length > 1 && first?.id !== undefined && { head: first.id }) };
}

/** Alone, a result is not beside its call, of whose kind it is. */
export const withoutResultKinds = (message: Message): Message => ({
  ...message,
  parts: message.parts.map(part => {
    if (part.type !== "tool-result" || part.kind === undefined) return part;
    const { kind: _, ...others } = part;
    return others;
  }),
});

export interface ShapeWriters {
  readonly format: string;
  readonly request: (conversation: Conversation, context: EncodeContext) => Json;
  readonly answer: (conversation: Conversation, context: EncodeContext) => Json;
  readonly error: (conversation: Conversation, context: EncodeContext) => Json;
  readonly messages: (conversation: Conversation, context: EncodeContext) => readonly Json[];
  /** What the format calls the pieces that messages are written as. Default: messages. */
  readonly pieces?: string;
  readonly stream: (context: EncodeContext) => Machine<Event, Json>;
}

/** Writes a conversation in any shape. Throws `encode/not-one-message`. */
export const encoderOf =
  ({ format, pieces, ...write }: ShapeWriters) =>
  (conversation: Conversation, context: EncodeContext): Json => {
    const { shape } = context;
    switch (shape) {
      case "stream":
        return runAll(write.stream(context), emit(conversation.messages));
      case "answer":
        return write.answer(conversation, context);
      case "error":
        return write.error(conversation, context);
      case "messages":
        return write.messages(conversation, context);
      case "message":
        return onlyOf(write.messages(conversation, context), { format, shape }, pieces);
      default:
        return write.request(conversation, context);
    }
  };

interface Asked {
  readonly format: string;
  readonly shape: Shape;
}

/** The error of a value that begins with nothing of its shape. */
function notThisFormat(value: unknown, { format, shape }: Asked): TranslogueError {
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
  const wanted = shape === "messages" || shape === "stream" ? "an array of objects" : "an object";
  const message = `expected ${wanted} for the shape \`${shape}\` of \`${format}\`, found ${found}`;
  return new TranslogueError("decode/not-this-format", message, { data: { format, shape } });
}

/** The one piece that was written, for a shape that is one. */
function onlyOf(written: readonly Json[], { format, shape }: Asked, pieces = "messages"): Json {
  const [only] = written;
  if (only !== undefined && written.length === 1) return only;
  const message = `\`${format}\` writes this conversation as ${written.length} ${pieces}, not as the one of shape \`${shape}\`; ask for \`messages\``;
  throw new TranslogueError("encode/not-one-message", message, { data: { format, count: written.length } });
}
