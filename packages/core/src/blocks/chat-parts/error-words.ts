/** What OpenAI's APIs call their errors: a type, and for some of them a code that says more. */

import { rowOf } from "../../codec/reader.ts";
import type { JsonObject } from "../../model/json.ts";
import { tellsNumber } from "../../model/json-text.ts";
import { type ErrorWords, errorWord } from "../error-kinds.ts";

/** Codes with the type that they come with (https://platform.openai.com/docs/guides/error-codes, 2026-11-30). */
const typesOfCodes: { readonly [code: string]: string } = {
  content_policy_violation: "invalid_request_error",
  context_length_exceeded: "invalid_request_error",
  insufficient_quota: "insufficient_quota",
  invalid_api_key: "invalid_request_error",
  model_not_found: "invalid_request_error",
  not_found: "invalid_request_error",
  permission_denied: "invalid_request_error",
  rate_limit_exceeded: "rate_limit_error",
  server_is_overloaded: "service_unavailable_error",
  timeout: "server_error",
};

/** Types that stand alone. */
const types: readonly string[] = ["invalid_request_error", "server_error", "service_unavailable_error"];

export const openaiErrors: ErrorWords = {
  words: {
    "invalid-request": "invalid_request_error",
    authentication: "invalid_api_key",
    payment: "insufficient_quota",
    permission: "permission_denied",
    "not-found": "not_found",
    conflict: "invalid_request_error",
    "too-large": "invalid_request_error",
    context: "context_length_exceeded",
    content: "content_policy_violation",
    "rate-limit": "rate_limit_exceeded",
    quota: "insufficient_quota",
    cancelled: "server_error",
    server: "server_error",
    unimplemented: "invalid_request_error",
    overloaded: "server_is_overloaded",
    timeout: "timeout",
  },
  others: [
    ...types,
    "billing_hard_limit_reached",
    "billing_not_active",
    "content_filter",
    "empty_image_file",
    "failed_to_download_image",
    "image_content_policy_violation",
    "image_file_not_found",
    "image_file_too_large",
    "image_parse_error",
    "image_too_large",
    "image_too_small",
    "incorrect_api_key",
    "invalid_base64_image",
    "invalid_image",
    "invalid_image_format",
    "invalid_image_mode",
    "invalid_image_url",
    "invalid_prompt",
    "invalid_value",
    "missing_required_parameter",
    "model_not_found",
    "slow_down",
    "string_above_max_length",
    "unknown_parameter",
    "unsupported_image_media_type",
    "unsupported_parameter",
    "unsupported_value",
    "vector_store_timeout",
  ],
  // Its codes are open, and the hosts that speak its API have their own.
  isNew: /./,
};

export const openaiErrorWord = (code: string): string | undefined => errorWord(code, openaiErrors);

/** Hosts that speak Chat have statuses of HTTP for codes. */
export const chatErrorWord = (code: string): string | undefined =>
  /^[1-5]\d\d$/.test(code) ? code : openaiErrorWord(code);

/** The word of an error body: its code, else its type. */
export function readErrorWord({ code, type }: JsonObject): string | undefined {
  if (typeof code === "string") return code;
  if (typeof code === "number") return String(code);
  // Events of a stream have a type of their own.
  return typeof type === "string" && type !== "error" ? type : undefined;
}

/** How a wire says its words: by type alone, or by a code, which in a body comes with a type. */
export interface TypedWords {
  isType(word: string): boolean;
  readonly typesOfCodes: { readonly [code: string]: string };
}

const openaiTyped: TypedWords = { isType: word => types.includes(word), typesOfCodes };

/** Type and code that say the word, where what was read of the error does not say it. */
export function writeErrorWord(word: string | undefined, rest: JsonObject, typed = openaiTyped): JsonObject {
  const { code, type } = rest;
  if (word === undefined || (typeof code === "number" && tellsNumber(word, code))) return {};
  if (code === word || (type === word && (code === undefined || code === null))) return {};
  return typeof type !== "string" && typed.isType(word) ? { type: word } : { code: word };
}

/** The type that a body has for a code. */
export const errorTypeOf = (word: string | undefined, { typesOfCodes: types } = openaiTyped): string | null =>
  (word === undefined ? undefined : rowOf(types, word)) ?? null;
