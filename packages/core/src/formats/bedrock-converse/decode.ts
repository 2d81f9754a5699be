import type { DecodeContext } from "../../codec/codec.ts";
import { notThisFormat } from "../../codec/shape-errors.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { runAll } from "../../stream/machine.ts";
import { readAnswer } from "./answer.ts";
import { readErrorBody } from "./error.ts";
import { readList } from "./messages.ts";
import { readRequest } from "./request.ts";
import { fromSdk } from "./sdk.ts";
import { streamDecoder } from "./stream-decode.ts";
import { family } from "./wire.ts";

/** Reads a value of any shape, as JSON or as AWS's SDK has it. */
export function decode(given: unknown, context: DecodeContext): Conversation {
  const { shape } = context;
  const value = fromSdk(given);
  const isList = Array.isArray(value);
  if (shape === "messages" && isList) return { messages: readList(value, context) };
  // The blocks of a system prompt stand alone.
  if (shape === "message" && isList) return { messages: readList([value], context) };
  if (shape === "stream" && (isList || isJsonObject(value))) {
    return { messages: accumulate(runAll(streamDecoder(context), isList ? value : [value])) };
  }
  if (!isJsonObject(value)) throw notThisFormat(value, { format: family, shape });
  switch (shape) {
    case "answer": {
      const { message, carry } = readAnswer(value, context);
      if (carry !== undefined) context.carried(0, carry);
      return { messages: [message] };
    }
    case "error":
      return readErrorBody(value);
    case "message":
      return { messages: readList([value], context) };
    default:
      return readRequest(value, context);
  }
}
