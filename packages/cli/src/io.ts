import type { Readable, Writable } from "node:stream";

export interface Screen extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a command reads from and writes to. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: NodeJS.ProcessEnv;
  /** The program's own file, for threads. */
  readonly entry: URL;
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
}

type When = "auto" | "always" | "never";

/** Whether to write colours on a stream. https://no-color.org (read 2026-11-30): set and not empty means none. */
export function wantsColor(when: When, stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (when !== "auto") return when === "always";
  return stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

export const processIo = (when: When, entry: URL): Io => ({
  entry,
  // Made when it is asked for: an unread standard input costs nothing.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  colors: {
    stdout: wantsColor(when, process.stdout, process.env),
    stderr: wantsColor(when, process.stderr, process.env),
  },
});

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

const codes: { readonly [style in Style]: readonly [number, number] } = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Text in a style, or as it is where colours are not wanted. */
export const paint = (on: boolean, style: Style, text: string): string =>
  on && text !== "" ? `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m` : text;
