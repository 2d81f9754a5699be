import { asObject } from "../../blocks/bedrock-converse/node.ts";
import { type ErrorWords, errorWord } from "../../blocks/error-kinds.ts";
import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { StreamError } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";

/** The exceptions of bodies (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, 2026-11-30). */
const words: ErrorWords = {
  words: {
    "invalid-request": "ValidationException",
    authentication: "UnrecognizedClientException",
    payment: "ServiceQuotaExceededException",
    permission: "AccessDeniedException",
    "not-found": "ResourceNotFoundException",
    conflict: "ConflictException",
    "too-large": "ValidationException",
    context: "ValidationException",
    content: "ValidationException",
    "rate-limit": "ThrottlingException",
    quota: "ServiceQuotaExceededException",
    cancelled: "InternalServerException",
    server: "InternalServerException",
    unimplemented: "ValidationException",
    overloaded: "ServiceUnavailableException",
    timeout: "ModelTimeoutException",
  },
  others: [
    "ExpiredTokenException",
    "InvalidSignatureException",
    "ModelErrorException",
    "ModelNotReadyException",
    "ModelStreamErrorException",
    "TooManyRequestsException",
  ],
  isNew: /^[A-Z][A-Za-z]*Exception$/,
};

/** What a stream has for exceptions that it has not; the request was wrong for all others. */
const inStreams: { readonly [name: string]: string } = {
  ModelErrorException: "modelStreamErrorException",
  ModelNotReadyException: "serviceUnavailableException",
  ModelTimeoutException: "serviceUnavailableException",
  ServiceQuotaExceededException: "throttlingException",
};

/** The exception's name, which a stream spells with a small letter in front. */
export function bedrockErrorWord(code: string, { shape }: Pick<EncodeContext, "shape">): string | undefined {
  const isOfAStream = /^[a-z][A-Za-z]*Exception$/.test(code);
  if (isOfAStream && shape === "stream") return code;
  const name = isOfAStream ? code.replace(/^[a-z]/, first => first.toUpperCase()) : code;
  const word = errorWord(name, words);
  if (shape !== "stream" || word === undefined) return word;
  const small = word.replace(/^[A-Z]/, first => first.toLowerCase());
  return Object.hasOwn(exceptions, small) ? small : (rowOf(inStreams, word) ?? "validationException");
}

// bodies: the type stands in a header, and in the body where a proxy put it there

/** An error body → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const reader = new Reader(wire);
  const member = (["message", "Message"] as const).find(name => typeof reader.peek(name) === "string");
  const message = member === undefined ? undefined : reader.string(member);
  const type = reader.string("__type");
  const code = type?.replace(/^.*#/, "");
  const rest = reader.rest();
  const error = defined<PartOf<"error">>({
    type: "error",
    message: message ?? stringifyJson(wire),
    code,
    ...kept(family, undefined, {
      ...(rest && { error: rest }),
      ...(member !== "message" && { $message: member ?? false }),
      ...(type !== code && { $type: type ?? "" }),
    }),
  });
  return { messages: [{ role: "assistant", parts: [error], finish: { reason: "error" } }] };
}

/** The last error of a conversation as a body. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): JsonObject {
  const last = lastError(conversation, context);
  if (!last) return { message: "" };
  const { error: rest, $message: member, $type: type } = hintsOf(last.part, family);
  const { message, code } = last.part;
  const told = asObject(rest);
  const isWhole =
    member === false &&
    readErrorBody(told).messages[0]?.parts.some(part => part.type === "error" && part.message === message);
  if (isWhole) return told;
  const isSame = typeof type === "string" && type.replace(/^.*#/, "") === code;
  const fields = present({ __type: isSame ? type : code, [member === "Message" ? member : "message"]: message });
  return fillAll(fields, member === false ? {} : told);
}

// streams: an event of the exception's name

/** Exceptions of a stream, and whether the same request may succeed later. */
const exceptions: { readonly [name: string]: boolean } = {
  internalServerException: true,
  modelStreamErrorException: true,
  serviceUnavailableException: true,
  throttlingException: true,
  validationException: false,
};

export const isException = (name: string): boolean => name.endsWith("Exception");

export function readException(name: string, payload: JsonObject): StreamError {
  const { message } = payload;
  const retryable = Object.hasOwn(exceptions, name) ? exceptions[name] : undefined;
  return {
    message: typeof message === "string" ? message : stringifyJson(payload),
    code: name,
    ...(retryable !== undefined && { retryable }),
  };
}

/** The event that says an error; errors of other names are the server's. */
export function writeException(
  { message, code }: { readonly message: string; readonly code?: string },
  lose: () => void,
): JsonObject {
  if (code !== undefined && isException(code)) return { [code]: { message } };
  lose();
  return { internalServerException: { message } };
}
