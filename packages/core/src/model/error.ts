const brand = Symbol.for("translogue.error");

export interface ErrorOptions {
  /** Facts a program can act on: the path, the limit, the value that was met. */
  readonly data?: { readonly [name: string]: unknown };
  readonly cause?: unknown;
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable?: boolean;
}

/** The one error that calls throw. What is wrong with data comes back as data instead (`Issue`, `Loss`). */
export class TranslogueError extends Error {
  readonly code: string;
  readonly data: { readonly [name: string]: unknown };
  readonly retryable: boolean;
  readonly [brand] = true;

  /** @param code namespaced, as `decode/not-this-format`; @param message what, where, and what to do */
  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "TranslogueError";
    this.code = code;
    this.data = options.data ?? {};
    this.retryable = options.retryable ?? false;
  }
}

/** Recognises our error by its brand, so that two copies of the package in one process agree. */
export function isError(value: unknown, code?: string): value is TranslogueError {
  if (typeof value !== "object" || value === null || !(brand in value)) return false;
  return code === undefined || (value as TranslogueError).code === code;
}
