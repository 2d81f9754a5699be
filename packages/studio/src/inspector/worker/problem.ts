import { isError } from "translogue";

export type ProblemCode =
  | "empty"
  | "not-json"
  | "not-detected"
  | "not-this-format"
  | "too-deep"
  | "too-large"
  | "not-text"
  | "not-there"
  | "failed";

/** Why a text could not be read. What to do is said by its code, in the reader's language. */
export interface Problem {
  readonly code: ProblemCode;
  /** What is wrong, in the words of whoever found it. */
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The text around the place. */
  readonly excerpt?: string;
}

/** The largest text that is taken: a browser holds several times as much while it works. */
export const mostCharacters = 64 * 1024 * 1024;

export class Unreadable extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

const codes: { readonly [code: string]: ProblemCode } = {
  "json/syntax": "not-json",
  "json/too-deep": "too-deep",
  "input/too-deep": "too-deep",
  "decode/not-this-format": "not-this-format",
  "format/unknown": "not-this-format",
  "format/unknown-dialect": "not-this-format",
  "stream/not-a-streaming-format": "not-this-format",
};

/** What a person is told of an error. */
export function problemOf(error: unknown, text = ""): Problem {
  if (error instanceof Unreadable) return error.problem;
  if (!isError(error)) return { code: "failed", message: error instanceof Error ? error.message : String(error) };
  const { line, column, offset } = error.data;
  const message = error.message.replace(/ at line \d+, column \d+ \(offset \d+\)/, "");
  return {
    code: codes[error.code] ?? "failed",
    message,
    ...(typeof line === "number" && { line }),
    ...(typeof column === "number" && { column }),
    ...(typeof offset === "number" && { excerpt: excerptOf(text, offset) }),
  };
}

/** The line that has the place, as far as it fits, with a mark below the place. */
function excerptOf(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const nextLine = text.indexOf("\n", offset);
  const from = Math.max(lineStart, offset - 40);
  const to = Math.min(nextLine === -1 ? text.length : nextLine, offset + 40);
  return `${text.slice(from, to).toWellFormed()}\n${" ".repeat(offset - from)}^`;
}
