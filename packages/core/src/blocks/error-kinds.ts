/** What can fail at a provider, and the words that wires have for it. */

export type ErrorKind =
  | "invalid-request"
  | "authentication"
  | "payment"
  | "permission"
  | "not-found"
  | "conflict"
  | "too-large"
  | "context"
  | "content"
  | "rate-limit"
  | "quota"
  | "cancelled"
  | "server"
  | "unimplemented"
  | "overloaded"
  | "timeout";

/**
 * Statuses of HTTP and the words of error bodies by what they mean: of the APIs' references and SDKs, and of recorded
 * answers (2026-11-30).
 */
const words: { readonly [kind in ErrorKind]: string } = {
  "invalid-request":
    "400 405 416 422 3230 bad_request bad_request_error empty_image_file failed_precondition failed_to_download_image image_parse_error image_too_small invalid_argument invalid_base64_image invalid_image invalid_image_format invalid_image_mode invalid_image_url invalid_request invalid_request_error invalid_value missing_required_parameter out_of_range parameter_unknown string_above_max_length unknown_parameter unsupported_image_media_type unsupported_parameter unsupported_value validation_exception",
  authentication:
    "401 authentication authentication_error expired_token_exception incorrect_api_key invalid_api_key invalid_signature_exception unauthenticated unauthorized unrecognized_client_exception",
  payment: "402 billing_error billing_hard_limit_reached billing_not_active payment_required",
  permission: "403 access_denied access_denied_exception forbidden permission_denied permission_error",
  "not-found":
    "404 deployment_not_found image_file_not_found model_not_found not_found not_found_error resource_not_found_exception",
  conflict: "409 aborted already_exists conflict conflict_error conflict_exception",
  "too-large": "413 image_file_too_large image_too_large payload_too_large request_entity_too_large request_too_large",
  context: "context_length_exceeded context_window_exceeded model_context_window_exceeded",
  content: "content_filter content_policy_violation image_content_policy_violation invalid_prompt",
  "rate-limit":
    "429 1300 rate_limit_error rate_limit_exceeded rate_limited resource_exhausted slow_down throttling_exception too_many_requests too_many_requests_exception",
  quota: "insufficient_quota quota_exceeded service_quota_exceeded_exception",
  cancelled: "499 canceled cancelled",
  server:
    "424 500 502 520 521 523 api_error data_loss internal internal_error internal_failure internal_server_error internal_server_exception model_error model_error_exception model_stream_error_exception server_error unknown unknown_error",
  unimplemented: "501 not_implemented unimplemented",
  overloaded:
    "503 529 3505 model_not_ready_exception overloaded overloaded_error server_is_overloaded service_tier_capacity_exceeded service_unavailable service_unavailable_error service_unavailable_exception unavailable",
  timeout:
    "408 504 522 524 deadline_exceeded gateway_timeout model_timeout_exception request_timeout timeout timeout_error vector_store_timeout",
};

/** Spellings differ in case and signs alone: `ThrottlingException`, `throttling_exception`. */
const plain = (word: string): string => word.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();

const kindsByWord = (): ReadonlyMap<string, ErrorKind> =>
  new Map(
    (Object.keys(words) as ErrorKind[]) // the table's own keys
      .flatMap(kind => words[kind].split(" ").map(word => [plain(word), kind] as const)),
  );

/** Pure, so that a bundle leaves it out where nobody asks. */
const kinds = /* @__PURE__ */ kindsByWord();

/** What a wire calls its errors. */
export interface ErrorWords {
  readonly words: { readonly [kind in ErrorKind]: string };
  /** More of its own words, apart from those. */
  readonly others?: readonly string[];
  /** What a word of its own looks like that is not known yet. */
  readonly isNew: RegExp;
}

/** The word for an error in one wire's words; undefined where nobody knows what the code means. */
export function errorWord(code: string, { words: own, others = [], isNew }: ErrorWords): string | undefined {
  const kind = kinds.get(plain(code));
  if (kind === undefined) return isNew.test(code) ? code : undefined;
  return others.includes(code) || Object.values(own).includes(code) ? code : own[kind];
}
