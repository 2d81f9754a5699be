import { type ErrorWords, errorWord } from "../../blocks/error-kinds.ts";
import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readError, writeError } from "./contents.ts";
import { family } from "./wire.ts";

/** The API's codes (https://ai.google.dev/gemini-api/docs/api-errors, 2026-11-30). */
const words: ErrorWords = {
  words: {
    "invalid-request": "invalid_request",
    authentication: "authentication",
    payment: "payment_required",
    permission: "permission_denied",
    "not-found": "not_found",
    conflict: "failed_precondition",
    "too-large": "invalid_request",
    context: "invalid_request",
    content: "invalid_request",
    "rate-limit": "rate_limit_exceeded",
    quota: "quota_exceeded",
    cancelled: "cancelled",
    server: "internal",
    unimplemented: "invalid_request",
    overloaded: "overloaded",
    timeout: "deadline_exceeded",
  },
  others: ["model_not_found", "out_of_range", "unavailable", "unknown"],
  isNew: /^[a-z][a-z_]*$/,
};

export const interactionsErrorWord = (code: string): string | undefined => errorWord(code, words);

/** An error body → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const reader = new Reader(wire);
  const isInside = Object.hasOwn(wire, "error");
  const holder = isInside ? (reader.peek("error") ?? null) : wire;
  if (isInside) reader.take("error");
  const rest = isInside ? reader.rest() : undefined;
  const hints = { ...(rest && { response: rest }), ...(!isInside && { $error: "body" }) };
  return {
    messages: [
      {
        role: "assistant",
        parts: [readError(holder, "string")],
        finish: { reason: "error" },
        ...kept(family, undefined, hints),
      },
    ],
  };
}

/** The last error of a conversation as a body. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const last = lastError(conversation, context);
  if (!last) return { error: { code: "unknown", message: "" } };
  const error = writeError(last.part, "string");
  const { response, $error: form } = hintsOf(last.message, family);
  if (form === "body" && isJsonObject(error)) return error;
  return fillAll({ error }, isJsonObject(response) ? response : {});
}
