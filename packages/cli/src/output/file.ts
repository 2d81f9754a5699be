import { randomBytes } from "node:crypto";
import { createWriteStream, realpathSync, type Stats, statSync, type WriteStream } from "node:fs";
import { link, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { unwritable, wrongUse } from "../failure.ts";
import { rememberFailure, type Sink, writeText } from "./sink.ts";

interface FileOptions {
  /** Whether a file that is there may be replaced. */
  readonly force: boolean;
}

/** Whether a path names a folder: one that is there, or one that ends like one. */
export async function isFolder(path: string): Promise<boolean> {
  if (/[/\\]$/.test(path)) return true;
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/**
 * A file that is there whole or not at all: it is written beside its place and moved at the end. A device or a pipe is
 * written to as it is. Throws `command/wrong-use` where a file is there already and `force` is not given.
 */
export async function fileSink(path: string, { force }: FileOptions): Promise<Sink> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) return directSink(await opened(path, createWriteStream(path)), path);
  if (found && !force) throw occupied(path);
  return movedSink(path, found);
}

function directSink(stream: WriteStream, path: string): Sink {
  return {
    write: text => writeText(stream, text),
    finish: () => explained(path, () => ended(stream)),
    discard: async () => void stream.destroy(),
  };
}

async function movedSink(path: string, replaced: Stats | undefined): Promise<Sink> {
  // A link stays one: what it leads to is replaced.
  const place = replaced ? realpathSync(path) : path;
  const beside = join(dirname(place), `.${basename(place)}.${randomBytes(4).toString("hex")}.part`);
  const mode = replaced?.mode ?? 0o666;
  const stream = await opened(path, createWriteStream(beside, { flags: "wx", mode }));
  const discard = async (): Promise<void> => {
    stream.destroy();
    await rm(beside, { force: true });
  };
  const finish = async (): Promise<void> => {
    await ended(stream);
    await (replaced ? rename(beside, place) : moveWhereNothingIs(beside, place));
  };
  return {
    write: text => writeText(stream, text),
    finish: async () => {
      try {
        await explained(path, finish);
      } catch (error) {
        await discard();
        throw error;
      }
    },
    discard,
  };
}

async function opened(path: string, stream: WriteStream): Promise<WriteStream> {
  rememberFailure(stream);
  await new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve());
    stream.once("error", error => reject(unwritable(`\`${path}\` cannot be written: ${whyOf(error, path)}`, error)));
  });
  return stream;
}

const whyOf = (error: NodeJS.ErrnoException, path: string): string =>
  // None is made: a folder that is missing is a slip more often than a wish, and `-o FOLDER/` makes one.
  error.code === "ENOENT" ? `there is no folder \`${dirname(path)}\`` : error.message;

async function ended(stream: WriteStream): Promise<void> {
  stream.end();
  await finished(stream);
}

async function explained(path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw unwritable(`\`${path}\` cannot be written: ${error.message}`, error);
  }
}

/** A link fails where something stands already, a rename would replace it. */
async function moveWhereNothingIs(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // what node:fs throws
    // Some file systems have no links.
    if (code === "EEXIST" || statSync(to, { throwIfNoEntry: false })) throw occupied(to);
    await rename(from, to);
    return;
  }
  await rm(from);
}

const occupied = (path: string): Error => wrongUse(`\`${path}\` is there already`, "`--force` replaces it");
