import { decoderOf, inTurn, messageOf, withoutResultKinds } from "../../codec/by-shape.ts";
import { readAnswer } from "./answer.ts";
import { readErrorBody } from "./error.ts";
import { readList, readRequest } from "./request.ts";
import { streamDecoder } from "./stream-decode.ts";
import { family } from "./wire.ts";

/** Reads a value of any shape. */
export const decode = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) => inTurn(readAnswer(value, context), messageOf, context),
  error: readErrorBody,
  messages: (list, context) => readList(list, context),
  pieces: (list, context) => readList(list, context).map(withoutResultKinds),
  stream: streamDecoder,
});
