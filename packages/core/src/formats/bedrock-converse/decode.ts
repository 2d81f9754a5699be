import { decoderOf, inTurn } from "../../codec/by-shape.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import type { Conversation } from "../../model/conversation.ts";
import { readAnswer } from "./answer.ts";
import { readErrorBody } from "./error.ts";
import { readList } from "./messages.ts";
import { readRequest } from "./request.ts";
import { fromSdk } from "./sdk.ts";
import { streamDecoder } from "./stream-decode.ts";
import { family } from "./wire.ts";

const decodeJson = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) => inTurn([readAnswer(value, context)], ({ message }) => message, context),
  error: readErrorBody,
  messages: (list, context) => readList(list, context),
  // The blocks of a system prompt stand alone.
  pieces: (list, context) => readList([list], context),
  stream: streamDecoder,
});

/** Reads a value of any shape, as JSON or as AWS's SDK has it. */
export const decode = (given: unknown, context: DecodeContext): Conversation => decodeJson(fromSdk(given), context);
