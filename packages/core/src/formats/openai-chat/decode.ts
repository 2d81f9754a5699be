import { readAnswer } from "../../blocks/chat-parts/read-answer.ts";
import { messageOf } from "../../blocks/history.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { notThisFormat } from "../../codec/shape-errors.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { runAll } from "../../stream/machine.ts";
import { readMessages } from "./decode-message.ts";
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
  if (!isJsonObject(value)) throw notThisFormat(value, { format: family, shape });
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

function joined(read: readonly ReadMessage[], context: DecodeContext): Conversation {
  for (const [index, { carry }] of read.entries()) if (carry !== undefined) context.carried(index, carry);
  const messages = read.map(messageOf);
  const [first] = messages;
  return { messages, ...(messages.length > 1 && first?.id !== undefined && { head: first.id }) };
}
