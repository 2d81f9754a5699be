import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { isError } from "translogue";
import { unreadable } from "../failure.ts";
import type { Io } from "../io.ts";

/** Bytes of one input, gunzipped where they are gzip. */
export interface Source {
  readonly bytes: AsyncIterable<Buffer>;
  /** Stops reading: whoever waits for bytes gets an `AbortError`. */
  stop(): void;
}

/** What messages call an input. */
export const inputName = (file: string): string => (file === "-" ? "standard input" : file);

/** A place as data: standard input has no file. */
export function placeOfFile<P extends { readonly file?: string }>(
  place: P,
): Omit<P, "file"> & { readonly file?: string } {
  const { file, ...rest } = place;
  return file === undefined || file === inputName("-") ? rest : { file, ...rest };
}

interface SourceOptions {
  readonly io: Io;
  /** Told how many bytes were read, before they are gunzipped. */
  readonly onRead?: (bytes: number) => void;
}

/** Opens a file, or standard input for `-`. What cannot be read is an `input/unreadable` once it is read. */
export async function openSource(name: string, { io, onRead }: SourceOptions): Promise<Source> {
  if (name === "-") {
    return { bytes: bytesOf(io.stdin, inputName(name), onRead), stop: () => io.stdin.destroy(aborted()) };
  }
  const found = await stat(name).catch((error: unknown) => {
    throw unreadable(reasonOf(error), { file: name }, error);
  });
  if (found.isDirectory()) throw unreadable("it is a folder; name its files", { file: name });
  const stream = createReadStream(name, { highWaterMark: 256 * 1024 });
  return { bytes: bytesOf(stream, name, onRead), stop: () => stream.destroy(aborted()) };
}

const aborted = (): Error => Object.assign(new Error("reading was stopped"), { name: "AbortError" });

/** Why a file cannot be read, in words. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException; // what node:fs throws
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  return message;
};

async function* bytesOf(stream: Readable, file: string, onRead: SourceOptions["onRead"]): AsyncGenerator<Buffer> {
  try {
    yield* notOfNothing(gunzipped(counted(stream, onRead)), file);
  } catch (error) {
    if (error instanceof Error && (error.name === "AbortError" || isError(error))) throw error;
    const { code = "" } = error as NodeJS.ErrnoException; // what streams and zlib throw
    const isGzip = code.startsWith("Z_");
    throw unreadable(isGzip ? `${gzipFault(code)}; expected whole gzip data` : reasonOf(error), { file }, error);
  }
}

/** NUL bytes and nothing else are no text, and a device gives them without end or line. */
async function* notOfNothing(chunks: AsyncGenerator<Buffer>, file: string): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && chunk.length > 0 && chunk.every(byte => byte === 0))
      throw unreadable("it begins with NUL bytes, which no JSON and no stream of events has", { file });
    isFirst &&= chunk.length === 0;
    yield chunk;
  }
}

const gzipFault = (code: string) => (code === "Z_BUF_ERROR" ? "the gzip data ends early" : "the gzip data is damaged");

async function* counted(stream: Readable, onRead: SourceOptions["onRead"]): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer); // streams of bytes give buffers
    onRead?.(bytes.length);
    yield bytes;
  }
}

/** The first two bytes tell. */
async function* gunzipped(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
    if (head.length >= 2) break;
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    if (head.length > 0) yield head;
    yield* chunks;
    return;
  }
  const { createGunzip } = await import("node:zlib");
  const gunzip = createGunzip();
  pipeline(Readable.from(joined(head, chunks)), gunzip, () => {});
  for await (const chunk of gunzip) yield chunk as Buffer; // zlib gives buffers
}

async function* joined(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}
