import { isError } from "translogue";
import type { ErrorBody } from "./contract.ts";

/** The names of the API's errors, by status. */
const names: { readonly [status: number]: string } = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  421: "MisdirectedRequest",
  422: "UnprocessableEntity",
  429: "TooManyRequests",
  500: "InternalServerError",
  501: "NotImplemented",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
};

export interface HttpErrorOptions {
  readonly details?: unknown;
  readonly headers?: { readonly [name: string]: string };
  readonly cause?: unknown;
}

/** A failure with an answer: its status, and a message that says what is wrong and what to do. */
export class HttpError extends Error {
  readonly status: number;
  readonly details: unknown;
  readonly headers: { readonly [name: string]: string };

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HttpError";
    this.status = status;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** Statuses of the errors that a call into the agent or the message layer throws. Others are ours: 500. */
const statuses: { readonly [code: string]: number } = {
  "model/malformed": 400,
  "model/not-listed": 403,
  "decode/not-this-format": 400,
  "input/too-deep": 400,
  "format/unknown": 400,
  "format/unknown-dialect": 400,
  "encode/no-such-shape": 400,
  "input-request/answered": 409,
  "input-request/invalid": 400,
  "input-request/unknown": 400,
  "input/invalid": 400,
  "input/unexpected-result": 400,
  "approval/unknown": 400,
  "approval/changed-call": 400,
  "approval/answered": 409,
  "session/busy": 409,
  "server/draining": 503,
};

/** Any failure as one with an answer. What nobody foresaw says nothing of its inside. */
export function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isError(error)) {
    const status = Object.hasOwn(statuses, error.code) ? statuses[error.code] : undefined;
    if (status !== undefined)
      return new HttpError(status, error.message, { cause: error, details: { code: error.code } });
  }
  return new HttpError(500, "the server failed; its log has the cause under this correlation id", { cause: error });
}

/** The answer to a failure, in the shape of the API. */
export function errorResponse(error: HttpError, correlationId: string): Response {
  const body: ErrorBody = {
    error: names[error.status] ?? (error.status < 500 ? "BadRequest" : "InternalServerError"),
    message: error.message,
    statusCode: error.status,
    correlationId,
    ...(error.details !== undefined && { details: error.details }),
  };
  const headers = { "content-type": "application/json", "x-correlation-id": correlationId, ...error.headers };
  return new Response(JSON.stringify(body), { status: error.status, headers });
}
