import { isError } from "translogue";
import { messageOf, type RunError, thrownError } from "../errors.ts";
import { excerpt } from "./excerpt.ts";
import { toldError } from "./host-error.ts";
import { retryAfter } from "./http.ts";
import { parsed } from "./pieces.ts";

/**
 * What a provider's SDK threw, by the members that theirs have in common: `status` (openai, anthropic, mistral's and
 * cohere's `statusCode`, the AI SDK's too) or AWS's `$metadata`, the answer's headers, and its body.
 */
export function sdkError(thrown: unknown, now = Date.now()): RunError {
  if (isError(thrown) || typeof thrown !== "object" || thrown === null) return thrownError(thrown);
  const error = thrown as Readonly<Record<string, unknown>>; // any object may be asked
  const status = statusOf(error);
  const code = status ?? wordOf(error);
  if (code === undefined) return thrownError(thrown);
  const headers = headersOf(error);
  const reading = {
    headers,
    wait: headers && retryAfter(headers, now),
    show: (text: string) => excerpt(text, undefined),
  };
  const told = { message: messageOf(thrown), code: String(code) };
  return toldError(told, bodyOf(error), { ...reading, ...(status !== undefined && { status }) });
}

/** What the host sent: parsed, or as text; Google's has it for its message. */
function bodyOf(error: Readonly<Record<string, unknown>>): unknown {
  const { error: inner, data, body, responseBody, message } = error;
  for (const each of [inner, data, body, responseBody, message]) {
    const value = typeof each === "string" ? parsed(each) : each;
    if (typeof value === "object" && value !== null) return value;
  }
  return undefined;
}

function statusOf(error: Readonly<Record<string, unknown>>): number | undefined {
  const { status, statusCode, $metadata: metadata } = error;
  const inner = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  return [status, statusCode, inner ? metadata.httpStatusCode : undefined].find(isStatus);
}

const isStatus = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 400 && value < 600;

/** A host's word, where no status is known: an error event of a stream has no other. */
function wordOf(error: Readonly<Record<string, unknown>>): string | undefined {
  const { type, code } = error;
  return [type, code].find(word => typeof word === "string" && /error|exception|limit|overload/i.test(word)) as
    | string
    | undefined; // a text, or nothing was found
}

function headersOf(error: Readonly<Record<string, unknown>>): Headers | undefined {
  const given = error["headers"] ?? error["responseHeaders"];
  if (typeof given !== "object" || given === null) return undefined;
  try {
    return given instanceof Headers ? given : new Headers(given as Record<string, string>); // or it throws
  } catch {
    return undefined;
  }
}
