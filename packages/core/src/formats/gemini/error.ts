import { type ErrorWords, errorWord } from "../../blocks/error-kinds.ts";
import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";

/** Google's words for what failed (https://cloud.google.com/apis/design/errors, 2026-11-30), or the number alone. */
const words: ErrorWords = {
  words: {
    "invalid-request": "INVALID_ARGUMENT",
    authentication: "UNAUTHENTICATED",
    payment: "FAILED_PRECONDITION",
    permission: "PERMISSION_DENIED",
    "not-found": "NOT_FOUND",
    conflict: "ABORTED",
    "too-large": "INVALID_ARGUMENT",
    context: "INVALID_ARGUMENT",
    content: "INVALID_ARGUMENT",
    "rate-limit": "RESOURCE_EXHAUSTED",
    quota: "RESOURCE_EXHAUSTED",
    cancelled: "CANCELLED",
    server: "INTERNAL",
    unimplemented: "UNIMPLEMENTED",
    overloaded: "UNAVAILABLE",
    timeout: "DEADLINE_EXCEEDED",
  },
  others: ["ALREADY_EXISTS", "DATA_LOSS", "OUT_OF_RANGE", "UNKNOWN"],
  isNew: /^[A-Z][A-Z_]*$/,
};

export const geminiErrorWord = (code: string): string | undefined =>
  /^[1-9]\d\d$/.test(code) ? code : errorWord(code, words);

/** HTTP's number for each of Google's codes: what its clients look at. */
const numbers: { readonly [status: string]: number } = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  DATA_LOSS: 500,
  UNKNOWN: 500,
  INTERNAL: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** What is wrong: Google's word for it, else the number. */
export function readError(wire: Json): PartOf<"error"> {
  if (!isJsonObject(wire)) return { type: "error", message: typeof wire === "string" ? wire : stringifyJson(wire) };
  const { message, status, code } = wire;
  return defined<PartOf<"error">>({
    type: "error",
    message: typeof message === "string" ? message : stringifyJson(wire),
    code: typeof status === "string" ? status : typeof code === "number" ? String(code) : undefined,
  });
}

const without = (wire: JsonObject, written: JsonObject): JsonObject | undefined => {
  const reader = new Reader(wire);
  for (const key of Object.keys(written)) if (wire[key] === written[key]) reader.take(key);
  return reader.rest();
};

/** What an error says of which nobody knows what it is. */
const unknown = "UNKNOWN";

function usual({ message, code = unknown }: PartOf<"error">): JsonObject {
  const number = Object.hasOwn(numbers, code) ? numbers[code] : undefined;
  if (number !== undefined) return { code: number, message, status: code };
  return /^[1-9]\d{2}$/.test(code) ? { code: Number(code), message } : { message, status: code };
}

/** What must be kept to write the error as it was: its other members, or all of it where it has another form. */
export function errorRemainder(wire: Json, error: PartOf<"error">): Json | undefined {
  if (!isJsonObject(wire) || typeof wire["message"] !== "string" || error.code === undefined) return wire;
  const written = usual(error);
  const hasAll = Object.keys(written).every(key => Object.hasOwn(wire, key));
  return hasAll ? without(wire, written) : wire;
}

/** The error with what was kept of it; a form that still reads as the error is written as it was (R1). `untold`: nothing says what it is. */
export function writeError(error: PartOf<"error">, remainder: Json | undefined, untold: () => void): Json {
  if (remainder !== undefined) {
    const read = readError(remainder);
    if (read.message === error.message && read.code === error.code) return remainder;
  }
  if (error.code === undefined) untold();
  const rest = isJsonObject(remainder) ? remainder : {};
  const { code, ...others } = usual(error);
  // The number that was read says more than the usual one for the word.
  return fillAll(typeof rest["code"] === "number" || code === undefined ? others : { code, ...others }, rest);
}

/** An error body → a failed answer. Without SSE the API puts it into a list. */
export function readErrorBody(value: JsonObject, isListed: boolean): Conversation {
  const reader = new Reader(value);
  const isInside = Object.hasOwn(value, "error");
  const holder = isInside ? (reader.peek("error") ?? null) : value;
  if (isInside) reader.take("error");
  const error = readError(holder);
  const rest = isInside ? reader.rest() : undefined;
  const part = { ...error, ...kept(family, undefined, present({ error: errorRemainder(holder, error) })) };
  const hints = {
    ...(rest && { response: rest }),
    ...(!isInside && { $error: "body" }),
    ...(isListed && { $list: true }),
  };
  return {
    messages: [{ role: "assistant", parts: [part], finish: { reason: "error" }, ...kept(family, undefined, hints) }],
  };
}

/** The last error of a conversation as a body. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const last = lastError(conversation, context);
  if (!last) return { error: { code: 500, message: "", status: "UNKNOWN" } };
  const error = writeError(last.part, remainderOf(last.part, family)["error"], () =>
    context.lose("error-type", [...last.path, "code"]),
  );
  const { response, $error: form, $list: isListed } = hintsOf(last.message, family);
  const body =
    form === "body" && isJsonObject(error) ? error : fillAll({ error }, isJsonObject(response) ? response : {});
  return isListed === true ? [body] : body;
}
