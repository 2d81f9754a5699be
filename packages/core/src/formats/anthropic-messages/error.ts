import { type ErrorWords, errorWord } from "../../blocks/error-kinds.ts";
import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { asObject, family } from "./wire.ts";

/** Anthropic's types of errors (https://docs.anthropic.com/en/api/errors, 2026-11-30). */
const errors: ErrorWords = {
  words: {
    "invalid-request": "invalid_request_error",
    authentication: "authentication_error",
    payment: "billing_error",
    permission: "permission_error",
    "not-found": "not_found_error",
    conflict: "invalid_request_error",
    "too-large": "request_too_large",
    context: "invalid_request_error",
    content: "invalid_request_error",
    "rate-limit": "rate_limit_error",
    quota: "rate_limit_error",
    cancelled: "api_error",
    server: "api_error",
    unimplemented: "invalid_request_error",
    overloaded: "overloaded_error",
    timeout: "timeout_error",
  },
  isNew: /^[a-z_]+_error$/,
};

export const anthropicErrorWord = (code: string): string | undefined => errorWord(code, errors);

/** What is wrong, in Anthropic's form, or as something else. */
export function readError(wire: Json): PartOf<"error"> {
  if (!isJsonObject(wire)) return { type: "error", message: typeof wire === "string" ? wire : stringifyJson(wire) };
  const { message, type } = wire;
  return defined<PartOf<"error">>({
    type: "error",
    message: typeof message === "string" ? message : stringifyJson(wire),
    code: typeof type === "string" ? type : undefined,
  });
}

/** An error body → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const reader = new Reader(wire);
  const told = reader.json("error") ?? null;
  const hasType = reader.literal("type", "error");
  const error = readError(told);
  const inner = isJsonObject(told) && typeof told["message"] === "string" ? new Reader(told) : undefined;
  inner?.take("message", ...(error.code === undefined ? [] : ["type"]));
  const rest = inner?.rest();
  const own = reader.rest();
  const isOdd = error.code !== undefined && anthropicErrorWord(error.code) !== error.code;
  const form = error.code === undefined ? false : isOdd ? error.code : undefined;
  const hints = present({ error: inner ? rest : told, $type: inner ? form : undefined });
  return {
    messages: [
      {
        role: "assistant",
        parts: [{ ...error, ...kept(family, undefined, hints) }],
        finish: { reason: "error" },
        ...kept(family, undefined, { ...(own && { answer: own }), ...(!hasType && { $error: "untyped" }) }),
      },
    ],
  };
}

/** The error with what was kept of it; a form that still reads as the error is written as it was (R1). */
export function writeError(error: PartOf<"error">, path: readonly (string | number)[], context: EncodeContext): Json {
  const { error: rest, $type: told } = hintsOf(error, family);
  const isWhole = rest !== undefined && readError(rest).message === error.message;
  if (isWhole) return rest;
  const isUntyped = error.code === undefined && told === false;
  if (error.code === undefined && !isUntyped) context.lose("error-type", [...path, "code"]);
  return fillAll(
    present({ type: isUntyped ? undefined : (error.code ?? "api_error"), message: error.message }),
    asObject(rest),
  );
}

/** The last error of a conversation as a body. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const last = lastError(conversation, context);
  if (!last) return { type: "error", error: { type: "api_error", message: "" } };
  const { answer, $error: form } = hintsOf(last.message, family);
  const error = writeError(last.part, last.path, context);
  return fillAll(present({ type: form === "untyped" ? undefined : "error", error }), asObject(answer));
}
