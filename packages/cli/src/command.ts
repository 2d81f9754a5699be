import type { Io } from "./io.ts";

/** An option of a command: what it takes, and what help and completion say of it. */
export interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  /** Name of its value in help: `FORMAT`. */
  readonly value?: string;
  /** The values it takes, where they are a list. */
  readonly choices?: readonly string[];
  readonly completes?: "format" | "file" | "directory";
  readonly summary: string;
}

export type Options = { readonly [name: string]: Option };

/** What comes after the options. */
export interface Operands {
  /** Name in help: `FILE`. */
  readonly value: string;
  readonly many?: true;
  readonly required?: true;
  readonly choices?: readonly string[];
}

type ValueOf<O extends Option> = O extends { readonly type: "boolean" }
  ? boolean
  : O extends { readonly type: "string" }
    ? (O extends { readonly choices: readonly (infer Choice)[] } ? Choice : string) | undefined
    : string | boolean | undefined;

export type Values<O extends Options> = { readonly [name in keyof O]: ValueOf<O[name]> };

export interface Call<O extends Options = Options> {
  readonly values: Values<O>;
  readonly operands: readonly string[];
  readonly io: Io;
}

/** A shell line that works as it stands in a folder that has the files it names. */
export interface Example {
  readonly does: string;
  readonly line: string;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Paragraphs of help that the options do not say. */
  readonly details?: readonly string[];
  readonly operands?: Operands;
  readonly options: O;
  readonly examples: readonly Example[];
  /** Resolves to the exit code. What goes wrong is thrown. A method, so that a table can hold commands of any options. */
  run(call: Call<O>): Promise<number>;
}

/** Checks a command's type, and keeps the names and choices of its options. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command;

/** Options that every command takes. */
export const commonOptions = {
  help: { type: "boolean", short: "h", summary: "Say what this command does" },
  color: {
    type: "string",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    summary: "Colour: auto (on a terminal, unless NO_COLOR is set), always, never",
  },
} as const satisfies Options;
