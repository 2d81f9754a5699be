import { errorTypeOf, readErrorWord, type TypedWords, writeErrorWord } from "../../blocks/chat-parts/error-words.ts";
import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";

/** What is wrong, in OpenAI's form, or as something else. */
export function readError(wire: Json): PartOf<"error"> {
  if (!isJsonObject(wire)) return { type: "error", message: typeof wire === "string" ? wire : stringifyJson(wire) };
  const { message } = wire;
  return defined<PartOf<"error">>({
    type: "error",
    message: typeof message === "string" ? message : stringifyJson(wire),
    code: readErrorWord(wire),
  });
}

/** What must be kept to write the error as it was: its other members, or all of it where it has another form. */
export function errorRemainder(wire: Json, error: PartOf<"error">): Json | undefined {
  if (!isJsonObject(wire) || typeof wire["message"] !== "string") return wire;
  const reader = new Reader(wire);
  reader.take("message");
  if (wire["code"] === error.code && wire["type"] !== error.code) reader.take("code");
  return reader.rest();
}

/** The error of an answer has a code and no type. */
export const codesOnly: TypedWords = { isType: () => false, typesOfCodes: {} };

/** The error with what was kept of it; a form that still reads as the error is written as it was (R1). */
export function writeError(error: PartOf<"error">, remainder: Json | undefined, typed?: TypedWords): Json {
  if (remainder !== undefined && readError(remainder).message === error.message) return remainder;
  const rest = isJsonObject(remainder) ? remainder : {};
  return fillAll({ message: error.message, ...writeErrorWord(error.code, rest, typed) }, rest);
}

/** What OpenAI's error bodies have beside the message, null where there is nothing to say. */
const usualMembers = ["type", "param", "code"];

/** An error body → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const reader = new Reader(wire);
  const isInside = Object.hasOwn(wire, "error");
  const holder = reader.peek("error") ?? null;
  if (isInside) reader.take("error");
  const told = isInside ? holder : wire;
  const error = readError(told);
  const remainder = errorRemainder(told, error);
  const own = isInside ? reader.rest() : undefined;
  const missing = usualMembers.filter(member => !isJsonObject(told) || !Object.hasOwn(told, member));
  const hints = present({ error: remainder, $without: missing.length > 0 ? missing : undefined });
  return {
    messages: [
      {
        role: "assistant",
        parts: [{ ...error, ...kept(family, undefined, hints) }],
        finish: { reason: "error" },
        ...kept(family, undefined, { ...(own && { response: own }), ...(!isInside && { $error: "body" }) }),
      },
    ],
  };
}

/** The last error of a conversation as a body, with all four members of OpenAI's where nothing says otherwise. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const last = lastError(conversation, context);
  if (!last) return { error: { message: "", type: null, param: null, code: null } };
  const { code } = last.part;
  const { error: remainder } = remainderOf(last.part, family);
  const { response, $error: form } = last.message.native?.[family] ?? {};
  const { $without: missing } = last.part.native?.[family] ?? {};
  const told = usualMembers.filter(member => !Array.isArray(missing) || !missing.includes(member));
  const error = writeError(last.part, remainder);
  if (form === "body" && isJsonObject(error)) return error;
  const usual = Object.fromEntries(told.map(member => [member, member === "type" ? errorTypeOf(code) : null]));
  const whole = isJsonObject(error) ? { ...usual, ...error } : error;
  return fillAll({ error: whole }, isJsonObject(response) ? response : {});
}
