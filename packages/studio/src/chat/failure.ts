import { RequestError } from "@translogue/server/client";
import type { Words } from "../shell/words.ts";

export type FailureKind = keyof Words["failures"];

/** Why a request has no answer, for a person: `kind` says what to do. */
export interface Failure {
  readonly kind: FailureKind;
  /** In the words of the server. */
  readonly message?: string;
  readonly correlationId?: string;
}

const kinds: { readonly [status: number]: FailureKind } = {
  401: "key",
  403: "model",
  409: "busy",
  413: "size",
  429: "rate",
};

export function failureOf(error: unknown, otherwise: FailureKind = "network"): Failure {
  if (!(error instanceof RequestError)) {
    return { kind: otherwise, ...(error instanceof Error && error.message !== "" && { message: error.message }) };
  }
  const { status, message, body } = error;
  return {
    kind: kinds[status] ?? (status < 500 ? "request" : "server"),
    message,
    ...(body.correlationId !== "" && { correlationId: body.correlationId }),
  };
}
