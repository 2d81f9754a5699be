import { errorTypeOf, readErrorWord, type TypedWords, writeErrorWord } from "../../blocks/chat-parts/error-words.ts";
import { type ErrorWords, errorWord } from "../../blocks/error-kinds.ts";
import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";

type ErrorPart = PartOf<"error">;

/** What comes with a code of Mistral's (recorded answers, 2026-11-30). */
const typesOfCodes: { readonly [code: string]: string } = {
  "1300": "rate_limited",
  "3505": "service_tier_capacity_exceeded",
};

const words: ErrorWords = {
  words: {
    "invalid-request": "invalid_request_error",
    authentication: "unauthorized",
    payment: "invalid_request_error",
    permission: "forbidden",
    "not-found": "not_found",
    conflict: "invalid_request_error",
    "too-large": "invalid_request_error",
    context: "invalid_request_error",
    content: "invalid_request_error",
    "rate-limit": "1300",
    quota: "1300",
    cancelled: "internal_server_error",
    server: "internal_server_error",
    unimplemented: "invalid_request_error",
    overloaded: "3505",
    timeout: "internal_server_error",
  },
  others: ["3230", "rate_limited", "service_tier_capacity_exceeded", "unknown_error", "validation_error"],
  isNew: /^(?:\d{4}|[a-z][a-z_]*)$/,
};

const types: readonly string[] = [...Object.values(words.words), ...(words.others ?? [])].filter(
  word => !/^\d/.test(word),
);
const typed: TypedWords = { isType: word => types.includes(word), typesOfCodes };

export const mistralErrorWord = (code: string): string | undefined => errorWord(code, words);

/**
 * What is wrong: `{ object: "error", message, type, param, code }`, of a body that does not validate a list of `detail`
 * (as the message, or alone), of a gateway a message or a text alone.
 */
export function readError(wire: Json): ErrorPart {
  if (!isJsonObject(wire)) return { type: "error", message: typeof wire === "string" ? wire : stringifyJson(wire) };
  const { message } = wire;
  return defined<ErrorPart>({
    type: "error",
    message: typeof message === "string" ? message : (detailOf(message) ?? detailOf(wire) ?? stringifyJson(wire)),
    code: readErrorWord(wire),
  });
}

/** Each fault of a body in a line, with where it is. */
function detailOf(holder: Json | undefined): string | undefined {
  const detail = isJsonObject(holder) ? holder["detail"] : undefined;
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  const lines = detail.map((each: Json) => {
    const { loc, msg } = isJsonObject(each) ? each : {};
    if (typeof msg !== "string") return undefined;
    return Array.isArray(loc) ? `${loc.join(".")}: ${msg}` : msg;
  });
  return lines.every(line => line !== undefined) ? lines.join("\n") : undefined;
}

/** What must be kept to write the error as it was: its other members, or all of it where it has another form. */
export function errorRemainder(wire: Json, error: ErrorPart): Json | undefined {
  if (!isJsonObject(wire) || typeof wire["message"] !== "string") return wire;
  const reader = new Reader(wire);
  reader.take("message");
  if (wire["code"] === error.code && wire["type"] !== error.code) reader.take("code");
  return reader.rest();
}

/** The error with what was kept of it; a form that still reads as the error is written as it was (R1). */
export function writeError(error: ErrorPart, remainder: Json | undefined): Json {
  if (remainder !== undefined) {
    const { message, code } = readError(remainder);
    if (equalJson([message, code ?? null], [error.message, error.code ?? null])) return remainder;
  }
  const rest = isJsonObject(remainder) ? remainder : {};
  return fillAll({ message: error.message, ...writeErrorWord(error.code, rest, typed) }, rest);
}

/** Whether a value is an error by itself: nothing of an answer is beside it. */
export const isErrorBody = (wire: JsonObject): boolean =>
  wire["object"] === "error" ||
  (!Object.hasOwn(wire, "choices") &&
    !Object.hasOwn(wire, "messages") &&
    (Object.hasOwn(wire, "detail") || (typeof wire["message"] === "string" && !Object.hasOwn(wire, "role"))));

/** What Mistral's errors have beside the message, null where there is nothing to say. */
const usual: JsonObject = { object: "error", type: null, param: null, code: null };

/** An error body → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const isInside = Object.hasOwn(wire, "error") && !isErrorBody(wire);
  const reader = new Reader(wire);
  const holder = isInside ? (reader.peek("error") ?? null) : wire;
  reader.take("error");
  const error = readError(holder);
  const missing = Object.keys(usual).filter(member => !isJsonObject(holder) || !Object.hasOwn(holder, member));
  const partHints = present({
    error: errorRemainder(holder, error),
    $without: missing.length > 0 ? missing : undefined,
  });
  const rest = isInside ? reader.rest() : undefined;
  const hints = { ...(rest && { completion: rest }), ...(isInside && { $error: "inside" }) };
  const part: ErrorPart = { ...error, ...kept(family, undefined, partHints) };
  return {
    messages: [{ role: "assistant", parts: [part], finish: { reason: "error" }, ...kept(family, undefined, hints) }],
  };
}

/** The last error of a conversation as a body, with all of Mistral's members where nothing says otherwise. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const last = lastError(conversation, context);
  if (!last) return { ...usual, message: "" };
  const { $without: missing } = last.part.native?.[family] ?? {};
  const error = writeError(last.part, remainderOf(last.part, family)["error"]);
  const told = Object.keys(usual).filter(member => !Array.isArray(missing) || !missing.includes(member));
  const members = Object.fromEntries(
    told.map(member => [member, member === "type" ? errorTypeOf(last.part.code, typed) : (usual[member] ?? null)]),
  );
  const whole = isJsonObject(error) ? { ...members, ...error } : error;
  const { completion, $error: form } = last.message.native?.[family] ?? {};
  if (form !== "inside") return isJsonObject(whole) ? whole : { ...usual, message: last.part.message };
  return fillAll({ error: whole }, isJsonObject(completion) ? completion : {});
}
