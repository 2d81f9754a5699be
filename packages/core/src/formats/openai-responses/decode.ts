import { messageOf, type ReadMessage } from "../../blocks/openai-responses/messages.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { notThisFormat } from "../../codec/shape-errors.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { isJsonObject } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { runAll } from "../../stream/machine.ts";
import { readAnswer } from "./answer.ts";
import { readErrorBody } from "./error.ts";
import { readList, readRequest } from "./request.ts";
import { streamDecoder } from "./stream-decode.ts";
import { family } from "./wire.ts";

/** Reads a value of any shape. */
export function decode(value: unknown, context: DecodeContext): Conversation {
  const { shape } = context;
  const isList = Array.isArray(value);
  if (shape === "messages" && isList) return { messages: readList(value, context) };
  if (shape === "message" && isList) return { messages: readList(value, context).map(withoutKinds) };
  if (shape === "stream" && (isList || isJsonObject(value))) {
    return { messages: accumulate(runAll(streamDecoder(context), isList ? value : [value])) };
  }
  if (!isJsonObject(value)) throw notThisFormat(value, { format: family, shape });
  switch (shape) {
    case "answer":
      return joined(readAnswer(value, context), context);
    case "error":
      return readErrorBody(value);
    case "message":
      return { messages: readList([value], context) };
    default:
      return readRequest(value, context);
  }
}

/** Alone, a result is not beside its call, of whose kind it is. */
const withoutKinds = (message: Message): Message => ({
  ...message,
  parts: message.parts.map(part => {
    if (part.type !== "tool-result" || part.kind === undefined) return part;
    const { kind: _, ...others } = part;
    return others;
  }),
});

function joined(read: readonly ReadMessage[], context: DecodeContext): Conversation {
  for (const [index, { carry }] of read.entries()) if (carry !== undefined) context.carried(index, carry);
  return { messages: read.map(messageOf) };
}
