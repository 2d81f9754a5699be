/** One thing that happened, without content or secrets of anyone: ids, names, counts, durations, codes. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  /** What happened: `request`, `run-start`, `run-end`, `failure`, `shutdown`. */
  readonly event: string;
  readonly correlationId?: string;
  readonly session?: string;
  readonly run?: string;
  readonly [name: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

export const silent: Log = () => {};

/** What a failure is for a log: its kind, code and stack, and no message, which may quote what a client sent. */
export function failureFields(error: unknown): { readonly [name: string]: unknown } {
  if (!(error instanceof Error)) return { kind: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const cause = error.cause === undefined ? undefined : failureFields(error.cause);
  const frames = error.stack?.split("\n").filter(line => line.startsWith("    at ")) ?? [];
  return {
    kind: error.name,
    ...(code !== undefined && { code }),
    ...(frames.length > 0 && { stack: frames.slice(0, 8).map(line => line.trim()) }),
    ...(cause && { cause }),
  };
}
