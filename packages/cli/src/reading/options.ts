import { containers } from "../input/container.ts";

/** Options of every command that reads conversations. */
export const readingOptions = {
  from: {
    type: "string",
    short: "f",
    value: "FORMAT",
    completes: "format",
    summary: "Format of the input, or format:dialect (default: found by content)",
  },
  output: {
    type: "string",
    short: "o",
    value: "PATH",
    completes: "file",
    summary: "File to write, or a folder for one file an input (default: standard output)",
  },
  input: {
    type: "string",
    value: "KIND",
    choices: containers,
    summary: "json, jsonl, sse or coded (default: told by content)",
  },
  "on-error": {
    type: "string",
    value: "WHAT",
    choices: ["stop", "skip"],
    summary: "At a value that cannot be read: stop (default), or skip it and say so",
  },
  jobs: { type: "string", value: "N", summary: "Threads for JSON Lines; the order stays (default: 1)" },
  force: { type: "boolean", summary: "Replace output files that are there" },
} as const;

/** What was given for them; a command may lack some. */
export interface ReadingValues {
  readonly from?: string | undefined;
  readonly output?: string | undefined;
  readonly input?: (typeof containers)[number] | undefined;
  readonly "on-error"?: "stop" | "skip" | undefined;
  readonly jobs?: string | undefined;
  readonly force?: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
}
