import { isError } from "../model/error.ts";
import type { Issue } from "../model/issue.ts";
import { ndjsonDecoder } from "../stream/ndjson.ts";
import type { Codec } from "./codec.ts";
import { type Decoded, type DecodeOptions, decodeWith } from "./decode.ts";

export interface DecodedAll {
  readonly conversations: readonly Decoded[];
  /** Of lines that could not be read; `wirePath` begins with the line's number, from 1. */
  readonly issues: readonly Issue[];
}

/** Reads text of one JSON value a line. A line that cannot be read is an issue with its number, never an exception. */
export function decodeAllWith(codec: Codec, text: string, options: DecodeOptions = {}): DecodedAll {
  const lines = ndjsonDecoder();
  const conversations: Decoded[] = [];
  const issues: Issue[] = [];
  for (const line of [...lines.push(text), ...lines.end()]) {
    if (!line.ok) {
      issues.push(lineIssue(line.line, "line/not-json", line.message));
      continue;
    }
    try {
      conversations.push(decodeWith(codec, line.value, line.exact ? { ...options, exact: line.exact } : options));
    } catch (error) {
      if (!isError(error)) throw error;
      issues.push(lineIssue(line.line, error.code, error.message));
    }
  }
  return { conversations, issues };
}

const lineIssue = (line: number, code: string, message: string): Issue => ({
  code,
  severity: "error",
  path: [],
  wirePath: [line],
  message,
});
