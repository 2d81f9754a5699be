import { readAnswer } from "../../blocks/chat-parts/read-answer.ts";
import { asChoices, decoderOf, messageOf } from "../../codec/by-shape.ts";
import { readMessages } from "./decode-message.ts";
import { readErrorBody } from "./error.ts";
import { chatForm } from "./form.ts";
import { readRequest } from "./request.ts";
import { streamDecoder } from "./stream-decode.ts";
import { family } from "./wire.ts";

/** Reads a value of any shape. */
export const decode = decoderOf({
  format: family,
  request: readRequest,
  answer: (value, context) => asChoices(readAnswer(value, context, chatForm), messageOf, context),
  error: readErrorBody,
  messages: (list, context) => readMessages(list, context),
  message: (value, context) => readMessages([value], context, () => []),
  stream: streamDecoder,
});
