import { findFormat, isError } from "translogue";
import { type Container, ContainerScout, holdsEvents } from "../input/container.ts";
import { FormatScout, pickFormat, refOf, surest } from "../input/format.ts";
import { LineBatches } from "../input/lines.ts";
import { Lookahead } from "../input/lookahead.ts";
import { inputName, openSource } from "../input/source.ts";
import { readText } from "../input/text.ts";
import type { Io } from "../io.ts";
import { fileSink } from "../output/file.ts";
import { type Sink, streamSink } from "../output/sink.ts";
import type { Journal } from "./journal.ts";
import type { LineWorkers } from "./line-workers.ts";
import type { Output } from "./outputs.ts";
import { skipped } from "./remark.ts";
import { StreamReader } from "./stream.ts";
import { type ReadOptions, type Result, ValueReader } from "./values.ts";
import type { Note, Work, WorkOrder } from "./work.ts";

export interface Run {
  readonly io: Io;
  readonly order: WorkOrder;
  readonly work: Work;
  /** A format or `format:dialect`. Absent = as each value is found to be. */
  readonly from?: string | undefined;
  /** Absent = told by content. */
  readonly container?: Container | undefined;
  readonly onError: "stop" | "skip";
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** Absent = lines are worked on here. */
  readonly workers?: LineWorkers | undefined;
  /** Whether output files that are there may be replaced. */
  readonly force: boolean;
  /** Where results go instead of standard output. */
  readonly screen?: Sink | undefined;
  /** Told of each note with the place of what it is about. */
  readonly onNote?: ((note: Note, place: NotePlace) => void) | undefined;
}

export interface NotePlace {
  readonly file: string;
  readonly line?: number;
}

/** Reads every output's inputs. False where `skip` passed over an input that could not be opened or ended early. */
export async function readInputs(outputs: readonly Output[], run: Run): Promise<boolean> {
  let readAll = true;
  for (const { files, path } of outputs) {
    const sink = path === undefined ? (run.screen ?? streamSink(run.io.stdout)) : await fileSink(path, run);
    try {
      for (const file of files)
        readAll = (await readOrSkip(file, { sink, isOnly: files.length === 1 }, run)) && readAll;
      await sink.finish();
    } catch (error) {
      await sink.discard();
      throw error;
    }
  }
  return readAll;
}

interface Filled {
  readonly sink: Sink;
  /** Whether one input fills it. */
  readonly isOnly: boolean;
}

async function readOrSkip(file: string, output: Filled, run: Run): Promise<boolean> {
  try {
    await readInput(file, output, run);
    return true;
  } catch (error) {
    const isOfInput = isError(error, "input/unreadable") || isError(error, "format/ambiguous");
    if (run.onError === "stop" || !isOfInput) throw error;
    await run.journal.say(file, [{ remarks: [skipped(error)] }]);
    return false;
  }
}

/** Throws `input/unreadable` where the input cannot be read, or has a value that cannot and that is to stop the run. */
async function readInput(file: string, { sink, isOnly }: Filled, run: Run): Promise<void> {
  const { journal, signal } = run;
  const source = await openSource(file, { io: run.io, onRead: bytes => journal.progress?.read(bytes) });
  const stop = (): void => source.stop();
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    const lookahead = new Lookahead(source.bytes);
    const container = run.container ?? (await lookahead.scan(new ContainerScout()));
    for await (const done of await resultsOf({ file, isOnly, container, lookahead, run })) {
      await sink.write(done.text);
      journal.converted(done.messages);
      await journal.say(file, done.remarks);
      for (const { note, ...line } of done.notes ?? []) run.onNote?.(note, { file: inputName(file), ...line });
      if (done.error) throw done.error;
      signal.throwIfAborted();
    }
  } catch (error) {
    // Reading that was stopped fails with the stream's own error.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

interface Input {
  readonly file: string;
  readonly isOnly: boolean;
  readonly container: Container;
  readonly lookahead: Lookahead;
  readonly run: Run;
}

async function resultsOf({ file, isOnly, container, lookahead, run }: Input): Promise<AsyncIterable<Result>> {
  const { order, work, from, onError } = run;
  const options: ReadOptions = {
    order,
    onError,
    file: inputName(file),
    isOnly,
    ...(from !== undefined && { from }),
  };
  if (container === "json") return document(lookahead.bytes(), new ValueReader(options, work), options.file);
  const given = from === undefined ? undefined : findFormat(from);
  if (given && holdsEvents(container)) {
    return stream(lookahead.bytes(), new StreamReader(given, container, options, work));
  }
  const reading = await lookahead.scan(new FormatScout(container, given, options.file));
  if (!reading.isStream) {
    const first = surest(reading.detected);
    const known: ReadOptions = first ? { ...options, first: refOf(first) } : options;
    return run.workers
      ? run.workers.read(lookahead.bytes(), known)
      : lines(lookahead.bytes(), new ValueReader(known, work));
  }
  const format = given ?? pickFormat(reading.detected, { file: options.file });
  return stream(lookahead.bytes(), new StreamReader(format, container, options, work));
}

async function* document(bytes: AsyncIterable<Buffer>, reader: ValueReader, file: string): AsyncGenerator<Result> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  yield reader.document(() => readText(Buffer.concat(chunks), { file }));
}

async function* lines(bytes: AsyncIterable<Buffer>, reader: ValueReader): AsyncGenerator<Result> {
  const batches = new LineBatches();
  for await (const chunk of bytes) {
    const batch = batches.push(chunk);
    if (batch) yield reader.lines(batch);
  }
  const last = batches.end();
  if (last) yield reader.lines(last);
}

async function* stream(bytes: AsyncIterable<Buffer>, reader: StreamReader): AsyncGenerator<Result> {
  for await (const chunk of bytes) yield reader.push(chunk);
  yield reader.end();
}
