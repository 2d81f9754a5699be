import { once } from "node:events";
import type { Writable } from "node:stream";
import { outputClosed, unwritable } from "../failure.ts";

/** Where results go. What is written is whole lines, so that an interrupted output ends with one. */
export interface Sink {
  /** Resolves when more may come. Throws `output/closed` once nobody reads, `output/unwritable` where it fails. */
  write(text: string | Uint8Array): Promise<void>;
  /** All is written, and in its place. */
  finish(): Promise<void>;
  /** No more will come: what is half done goes away. */
  discard(): Promise<void>;
}

/** A sink over a stream that is not ours to close. */
export function streamSink(stream: Writable): Sink {
  return {
    write: async text => {
      if (text.length > 0) await writeText(stream, text);
    },
    finish: () => flush(stream),
    discard: async () => {},
  };
}

/** Writes and waits until more may come. */
export async function writeText(stream: Writable, text: string | Uint8Array): Promise<void> {
  const failed = failures.get(stream);
  if (failed) throw failure(failed);
  if (stream.write(text)) return;
  try {
    await once(stream, "drain");
  } catch (error) {
    throw failure(error);
  }
}

/** Waits until all that was written is out, or never will be. */
export async function flush(stream: Writable): Promise<void> {
  if (stream.destroyed || failures.has(stream)) return;
  await new Promise<void>(resolve => stream.write("", () => resolve()));
}

const failures = new WeakMap<Writable, Error>();

/** A stream that fails between two writes says so at the next one, instead of ending the process. */
export function rememberFailure(stream: Writable): void {
  stream.on("error", error => failures.set(stream, error));
}

function failure(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException; // what a stream emits as its error
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") return outputClosed();
  return unwritable(`the output cannot be written: ${error instanceof Error ? error.message : error}`, error);
}
