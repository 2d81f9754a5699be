/** One thing that happened: ids, names, counts, durations, codes, and the words of failures. Nothing of what people and models say. */
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

/** Warnings and failures as JSON lines on stderr, so that none is silent. */
export const toStderr: Log = entry => {
  if (entry.level !== "info") process.stderr.write(`${JSON.stringify(entry)}\n`);
};

const longest = 1000;

/** What a failure is for a log: its kind, code, message and stack. */
export function failureFields(error: unknown): { readonly [name: string]: unknown } {
  if (!(error instanceof Error)) return { kind: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const cause = error.cause === undefined ? undefined : failureFields(error.cause);
  const frames = error.stack?.split("\n").filter(line => line.startsWith("    at ")) ?? [];
  return {
    kind: error.name,
    message: error.message.slice(0, longest),
    ...(code !== undefined && { code }),
    ...(frames.length > 0 && { stack: frames.slice(0, 8).map(line => line.trim()) }),
    ...(cause && { cause }),
  };
}
