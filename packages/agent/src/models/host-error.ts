import type { AgentErrorCode, FailureDetails, RunError } from "../errors.ts";
import { accountStatus, errorIn, namesInDetails, waitIn } from "./account-errors.ts";
import { isRetryable } from "./http.ts";

/** What a host says of its failure. */
export interface HostError {
  readonly message: string;
  /** The host's word, as `overloaded_error`, or a status. */
  readonly code?: string;
}

/** How its failure is read, beside what it says. */
export interface FailureReading {
  /** Of the answer; absent: it came under one that says that all is well. */
  readonly status?: number;
  /** Names of failures that mean less at this host than at others: that it is asked too much. */
  readonly limitNames?: readonly string[] | undefined;
  readonly headers?: Headers | undefined;
  /** Milliseconds that the headers ask to wait for. */
  readonly wait?: number | undefined;
  /** What may be shown of a text. */
  readonly show: (text: string) => string;
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
  if (status === 402) return "model/no-credit";
  if (status === 404) return "model/not-found";
  if (status === 408 || status === 504) return "model/timeout";
  if (status === 429) return "model/rate-limited";
  return status >= 500 ? "model/unavailable" : "model/refused";
}

/** A failure that a host told of, in our codes: under a status of its own, or in the place of an answer. */
export function toldError(told: HostError, raw: unknown, reading: FailureReading): RunError {
  const { headers, wait = waitIn(told.message, raw), limitNames, show } = reading;
  const names = namesOf(told, raw);
  const named = names.map(statusOf).find(found => found !== undefined);
  const status = reading.status ?? named;
  const meant = accountStatus({ status, names, message: told.message, others: limitNames }) ?? status;
  const [code] = names;
  return {
    code: meant === undefined ? "model/unavailable" : codeOf(meant),
    message: show(told.message),
    ...(mayPass(meant, headers) && { retryable: true }),
    details: {
      ...(status !== undefined && { status }),
      ...(code !== undefined && { code: show(code) }),
      ...(wait !== undefined && { retryAfterMs: wait }),
    } satisfies FailureDetails,
  };
}

/** Hosts may say it themselves, as the official clients of OpenAI (6) and Anthropic (0.70) read it: `x-should-retry`. */
function mayPass(status: number | undefined, headers: Headers | undefined): boolean {
  const said = headers?.get("x-should-retry");
  if (status === 402) return false;
  if (said === "true" || said === "false") return said === "true";
  return status !== undefined && isRetryable(status);
}

/** `code`, `status` and `type` are what nearly all hosts name an error by, whatever their format. */
function namesOf({ code }: HostError, raw: unknown): readonly string[] {
  const body = errorIn(raw);
  const members = body ? [body["code"], body["status"], body["type"], ...namesInDetails(body)] : [];
  const names = [code, ...members].filter(name => typeof name === "string" || typeof name === "number");
  return [...new Set(names.map(String))];
}

function statusOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  if (/^[45]\d\d$/.test(name)) return Number(name);
  return words.find(([pattern]) => pattern.test(name))?.[1];
}
