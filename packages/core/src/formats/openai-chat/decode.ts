import { readAnswer } from "../../blocks/chat-parts/read-answer.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import type { Conversation } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import { isJsonObject } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { runAll } from "../../stream/machine.ts";
import { messageOf, readMessages } from "./decode-message.ts";
import { readErrorBody } from "./error.ts";
import { chatForm } from "./form.ts";
import { readRequest } from "./request.ts";
import { streamDecoder } from "./stream-decode.ts";
import { family, type ReadMessage } from "./wire.ts";

/** Reads a value of any shape. */
export function decode(value: unknown, context: DecodeContext): Conversation {
  const { shape } = context;
  if (shape === "messages" && Array.isArray(value)) return { messages: readMessages(value, context) };
  if (shape === "stream" && (Array.isArray(value) || isJsonObject(value))) {
    return { messages: accumulate(runAll(streamDecoder(context), Array.isArray(value) ? value : [value])) };
  }
  if (!isJsonObject(value)) throw notThisFormat(shape, value);
  switch (shape) {
    case "answer":
      return joined(readAnswer(value, context, chatForm), context);
    case "error":
      return readErrorBody(value);
    case "message":
      return { messages: readMessages([value], context, () => []) };
    default:
      return readRequest(value, context);
  }
}

function notThisFormat(shape: string, value: unknown): TranslogueError {
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
  const wanted = shape === "messages" || shape === "stream" ? "an array of objects" : "an object";
  return new TranslogueError(
    "decode/not-this-format",
    `expected ${wanted} for the shape \`${shape}\` of \`${family}\`, found ${found}`,
    { data: { format: family, shape } },
  );
}

function joined(read: readonly ReadMessage[], context: DecodeContext): Conversation {
  for (const [index, { carry }] of read.entries()) if (carry !== undefined) context.carried(index, carry);
  const messages = read.map(messageOf);
  const [first] = messages;
  return { messages, ...(messages.length > 1 && first?.id !== undefined && { head: first.id }) };
}
