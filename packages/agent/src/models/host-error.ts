import { isJsonObject } from "translogue";
import type { AgentErrorCode, FailureDetails, RunError } from "../errors.ts";
import { isRetryable } from "./http.ts";

/** What a host says of its failure. */
export interface HostError {
  readonly message: string;
  /** The host's word, as `overloaded_error`, or a status. */
  readonly code?: string;
}

/** The host's words for what other hosts say by a status. */
const words: readonly [pattern: RegExp, status: number][] = [
  [/rate.?limit|too.?many|quota|exhausted|throttl/i, 429],
  [/overload|unavailable|capacity|bad.?gateway/i, 503],
  [/time.?out|timed.?out|deadline/i, 504],
  [/server.?error|internal/i, 500],
  [/api.?key|auth|permission|forbidden/i, 401],
  [/not.?found/i, 404],
  [/invalid|context.?length|too.?long|too.?large|unsupported|content.?(?:policy|filter)|safety/i, 400],
];

export function codeOf(status: number): AgentErrorCode {
  if (status === 401 || status === 403) return "model/unauthorised";
  if (status === 404) return "model/not-found";
  if (status === 408 || status === 504) return "model/timeout";
  if (status === 429) return "model/rate-limited";
  return status >= 500 ? "model/unavailable" : "model/refused";
}

/** An error that came in the place of an answer, under a status that says that all is well. */
export function toldError(told: HostError, raw: unknown, details: FailureDetails): RunError {
  const [code, ...others] = namesOf(told, raw);
  const status = [code, ...others].map(statusOf).find(found => found !== undefined);
  return {
    code: status === undefined ? "model/unavailable" : codeOf(status),
    message: told.message,
    ...(status !== undefined && isRetryable(status) && { retryable: true }),
    details: { ...(status !== undefined && { status }), ...(code !== undefined && { code }), ...details },
  };
}

/** `code`, `status` and `type` are what nearly all hosts name an error by, whatever their format. */
function namesOf({ code }: HostError, raw: unknown): readonly string[] {
  const body = isJsonObject(raw) ? (raw["error"] ?? raw) : undefined;
  const members = isJsonObject(body) ? [body["code"], body["status"], body["type"]] : [];
  const names = [code, ...members].filter(name => typeof name === "string" || typeof name === "number");
  return [...new Set(names.map(String))];
}

function statusOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  if (/^[45]\d\d$/.test(name)) return Number(name);
  return words.find(([pattern]) => pattern.test(name))?.[1];
}
