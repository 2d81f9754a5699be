// table: what hosts say where an account has nothing left to spend, by name and by message.
import { isJsonObject } from "translogue";

/**
 * Asking again is of no use until somebody pays, raises a limit, or a month is over; another host may answer. Status 402 says
 * so at all hosts (Anthropic, Cohere, DeepSeek, Gemini, Mistral, OpenRouter, Together), but for the names that may pass.
 */
interface AccountRow {
  readonly host: string;
  /** Its words for it: `code`, `type`, `status` of the error, or of its details. */
  readonly names: readonly string[];
  /** Where it has no word of its own for it. */
  readonly message?: RegExp;
  /** Read 2026-12-01. */
  readonly source: string;
}

const rows: readonly AccountRow[] = [
  {
    host: "OpenAI",
    names: [
      "insufficient_quota",
      "credit_balance_exhausted",
      "organization_spend_limit_exceeded",
      "project_spend_limit_exceeded",
      "organization_usage_limit_exceeded",
      "billing_hard_limit_reached",
      "billing_not_active",
    ],
    source: "https://help.openai.com/en/articles/6614457",
  },
  {
    host: "Anthropic",
    names: ["billing_error", "enforced_spend_limit_reached"],
    message: /credit balance is too low|reached your specified (?:workspace )?API usage limits/i,
    source: "https://platform.claude.com/docs/en/api/errors",
  },
  {
    host: "Groq",
    names: ["blocked_api_access"],
    source: "https://console.groq.com/docs/spend-limits",
  },
  {
    host: "Moonshot",
    names: ["exceeded_current_quota_error"],
    source: "https://forum.moonshot.ai/t/429-insufficient-balance/244",
  },
  {
    host: "Alibaba Model Studio",
    names: ["Arrearage"],
    source: "https://help.aliyun.com/en/model-studio/error-code",
  },
  {
    host: "routers of several hosts",
    names: ["insufficient_balance", "insufficient_credits", "insufficient_funds", "payment_error", "payment_required"],
    source: "https://docs.0g.ai/developer-hub/building-on-0g/compute-network/router/errors",
  },
];

/** OpenRouter's 402 while other requests hold the credits (https://openrouter.ai/docs/api-reference/errors, 2026-12-01). */
const passing: ReadonlySet<string> = new Set(["in_flight_budget_exhausted"]);

const names = new Set(rows.flatMap(row => row.names.map(name => name.toLowerCase())));
const messages = rows.flatMap(({ message }) => (message ? [message] : []));

interface Said {
  readonly status: number | undefined;
  readonly names: readonly string[];
  readonly message: string;
  /** Names that mean something else at this host. */
  readonly others?: readonly string[] | undefined;
}

/** The status that says what a failure about an account's means is: 402, or 429 for one that passes; undefined for others. */
export function accountStatus({ status, names: said, message, others = [] }: Said): 402 | 429 | undefined {
  const own = said.filter(name => !others.includes(name)).map(name => name.toLowerCase());
  if (own.some(name => passing.has(name))) return 429;
  const isSpent =
    status === 402 || own.some(name => names.has(name)) || messages.some(pattern => pattern.test(message));
  return isSpent ? 402 : undefined;
}

/** The error in what a host sent; Google's may stand in a list. */
export function errorIn(raw: unknown): Readonly<Record<string, unknown>> | undefined {
  const body: unknown = Array.isArray(raw) ? raw[0] : raw;
  if (!isJsonObject(body)) return undefined;
  const { error = body }: { readonly error?: unknown } = body;
  return isJsonObject(error) ? error : undefined;
}

/** Names in an error's details: an object of Anthropic's, a list of Google's. */
export function namesInDetails({ details }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const all: readonly unknown[] = Array.isArray(details) ? details : [details];
  return all.flatMap(each => (isJsonObject(each) ? [each["error_code"], each["reason"]] : []));
}

const lengths: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of `1h2m3.5s`; undefined for none. */
function durationOf(text: string): number | undefined {
  const pieces = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g)];
  if (pieces.length === 0) return undefined;
  return Math.ceil(pieces.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (lengths[unit] ?? 0), 0));
}

/**
 * Milliseconds that the body of a failure asks to wait for: `google.rpc.RetryInfo` among its details
 * (https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto, 2026-12-01), else in words, as Gemini
 * and OpenAI have it (`Please retry in 36.4s`, `Please try again in 1m2s`), and Azure (`Please retry after 26 seconds`).
 */
export function waitIn(message: string, raw: unknown): number | undefined {
  const details: unknown = errorIn(raw)?.["details"];
  for (const each of Array.isArray(details) ? (details as readonly unknown[]) : []) {
    const delay = isJsonObject(each) ? each["retryDelay"] : undefined;
    if (typeof delay === "string" && /^\d+(?:\.\d+)?s$/.test(delay)) return durationOf(delay);
  }
  const [, after] = /\bretry after (\d{1,6}) seconds?\b/i.exec(message) ?? [];
  if (after !== undefined) return Number(after) * 1000;
  const [, given] = /\b(?:retry|try again) in ((?:\d{1,6}(?:\.\d{1,9})?(?:ms|[hms]))+)/i.exec(message) ?? [];
  return given === undefined ? undefined : durationOf(given);
}
