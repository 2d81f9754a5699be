import { decoderOf, inTurn } from "../../codec/by-shape.ts";
import { readAnswer } from "./answer.ts";
import { readErrorBody } from "./error.ts";
import { readList } from "./messages.ts";
import { readRequest } from "./request.ts";
import { streamDecoder } from "./stream-decode.ts";
import { family } from "./wire.ts";

/** Reads a value of any shape. */
export const decode = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) => inTurn([readAnswer(value, context)], ({ message }) => message, context),
  error: readErrorBody,
  messages: (list, context) => readList(list, context),
  // The blocks of a system prompt stand alone.
  pieces: (list, context) => readList([list], context),
  stream: streamDecoder,
});
