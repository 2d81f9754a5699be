import { constants } from "node:os";
import { isError, TranslogueError } from "translogue";

/** What the command says to its caller. */
export const exitCodes = {
  fine: 0,
  lossy: 1,
  wrongUse: 2,
  unreadable: 3,
  fault: 70,
  unwritable: 74,
  interrupted: 130,
} as const;

/** As a shell says it of a program that a signal ended: 130 for Ctrl-C, 143 for SIGTERM. */
export const exitCodeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** Where something stands in the input. Lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** The command was called in a way that it does not understand. `hint` is a sentence of what to do instead. */
export const wrongUse = (message: string, hint?: string): TranslogueError =>
  new TranslogueError("command/wrong-use", hint ? `${message}; ${hint}` : message);

/** The input cannot be read. `message` says what was expected. */
export const unreadable = (message: string, place: Place, cause?: unknown): TranslogueError =>
  new TranslogueError("input/unreadable", message, { data: { ...place }, ...(cause !== undefined && { cause }) });

/** A value may be of several formats: the caller has to say which. */
export const ambiguous = (message: string, place: Place): TranslogueError =>
  new TranslogueError("format/ambiguous", message, { data: { ...place } });

export const unwritable = (message: string, cause: unknown): TranslogueError =>
  new TranslogueError("output/unwritable", message, { cause });

/** The reader of our output has gone: nothing is wrong, and nothing more is wanted. */
export const outputClosed = (): TranslogueError =>
  new TranslogueError("output/closed", "nobody reads the output any more");

/** A signal asked us to end. */
export const interrupted = (signal: NodeJS.Signals): TranslogueError =>
  new TranslogueError("command/interrupted", `interrupted by ${signal}`, { data: { signal } });

const codesOfErrors: { readonly [code: string]: number } = {
  "command/wrong-use": exitCodes.wrongUse,
  "format/ambiguous": exitCodes.wrongUse,
  "format/unknown": exitCodes.wrongUse,
  "format/unknown-dialect": exitCodes.wrongUse,
  "encode/no-such-shape": exitCodes.wrongUse,
  "encode/read-only-dialect": exitCodes.wrongUse,
  "stream/not-a-streaming-format": exitCodes.wrongUse,
  "encode/no-such-recipient": exitCodes.wrongUse,
  "server/config": exitCodes.wrongUse,
  "input/unreadable": exitCodes.unreadable,
  "output/unwritable": exitCodes.unwritable,
  "output/closed": exitCodes.fine,
};

export function exitCodeOf(error: unknown): number {
  if (!isError(error)) return exitCodes.fault;
  if (error.code === "command/interrupted") {
    return exitCodeOfSignal(error.data["signal"] as NodeJS.Signals); // `interrupted` made it
  }
  if (/^(?:model|config)\//.test(error.code)) return exitCodes.wrongUse;
  return codesOfErrors[error.code] ?? exitCodes.fault;
}

/** One line (a fault: with its stack) for people. */
export function describe(error: unknown): string {
  if (!isError(error) || exitCodeOf(error) === exitCodes.fault) return describeFault(error);
  const place = placeText(placeOf(error.data));
  return `translogue: ${place === "" ? "" : `${place}: `}${error.message}`;
}

/** The same as data. */
export function describeAsJson(error: unknown): string {
  const { code, message, data } = isError(error)
    ? error
    : { code: "command/fault", message: String(error instanceof Error ? error.message : error), data: {} };
  return JSON.stringify({ error: { code, message, ...placeOf(data) } });
}

function describeFault(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `translogue: this is a fault of the command itself, please report it\n${text}`;
}

function placeOf(data: { readonly [name: string]: unknown }): Place {
  const { file, line, column } = data;
  return {
    ...(typeof file === "string" && { file }),
    ...(typeof line === "number" && { line }),
    ...(typeof column === "number" && { column }),
  };
}

/** `file:line:column`, as editors and compilers write it. */
export const placeText = ({ file, line, column }: Place): string =>
  [file, line, column].filter(step => step !== undefined).join(":");
