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
import { skipped } from "./report.ts";
import { StreamConverter } from "./stream.ts";
import type { Target } from "./targets.ts";
import { type Converted, ValueConverter, type ValueOptions } from "./values.ts";
import type { Conversion } from "./writer.ts";

export interface Run {
  readonly io: Io;
  readonly conversion: Conversion;
  /** Absent = told by content. */
  readonly container?: Container | undefined;
  readonly onError: "stop" | "skip";
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** Absent = lines are converted here. */
  readonly workers?: LineWorkers | undefined;
  /** Whether output files that are there may be replaced. */
  readonly force: boolean;
}

/** Converts every target's inputs. False where `skip` passed over an input that could not be opened or ended early. */
export async function convertAll(targets: readonly Target[], run: Run): Promise<boolean> {
  let readAll = true;
  for (const { files, path } of targets) {
    const sink = path === undefined ? streamSink(run.io.stdout) : await fileSink(path, run);
    try {
      for (const file of files)
        readAll = (await convertOrSkip(file, { sink, isOnly: files.length === 1 }, run)) && readAll;
      await sink.finish();
    } catch (error) {
      await sink.discard();
      throw error;
    }
  }
  return readAll;
}

interface Output {
  readonly sink: Sink;
  /** Whether one input fills it. */
  readonly isOnly: boolean;
}

async function convertOrSkip(file: string, output: Output, run: Run): Promise<boolean> {
  try {
    await convertFile(file, output, run);
    return true;
  } catch (error) {
    if (run.onError === "stop" || !isError(error, "input/unreadable")) throw error;
    await run.journal.say(file, [{ remarks: [skipped(error)] }]);
    return false;
  }
}

/** Throws `input/unreadable` where the input cannot be read, or has a value that cannot and that is to stop the run. */
async function convertFile(file: string, { sink, isOnly }: Output, run: Run): Promise<void> {
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

async function resultsOf({ file, isOnly, container, lookahead, run }: Input): Promise<AsyncIterable<Converted>> {
  const { conversion, onError } = run;
  const options: ValueOptions = { conversion, onError, file: inputName(file), isOnly };
  if (container === "json") return document(lookahead.bytes(), options);
  const { from } = conversion;
  const given = from === undefined ? undefined : findFormat(from);
  if (given && holdsEvents(container)) return stream(lookahead.bytes(), new StreamConverter(given, container, options));
  const reading = await lookahead.scan(new FormatScout(container, given, options.file));
  if (!reading.isStream) {
    const first = surest(reading.detected);
    const known: ValueOptions = first ? { ...options, first: refOf(first) } : options;
    return run.workers ? run.workers.convert(lookahead.bytes(), known) : lines(lookahead.bytes(), known);
  }
  const format = given ?? pickFormat(reading.detected, { file: options.file });
  return stream(lookahead.bytes(), new StreamConverter(format, container, options));
}

async function* document(bytes: AsyncIterable<Buffer>, options: ValueOptions): AsyncGenerator<Converted> {
  const converter = new ValueConverter(options);
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  yield converter.document(() => readText(Buffer.concat(chunks), { file: options.file }));
}

async function* lines(bytes: AsyncIterable<Buffer>, options: ValueOptions): AsyncGenerator<Converted> {
  const converter = new ValueConverter(options);
  const batches = new LineBatches();
  for await (const chunk of bytes) {
    const batch = batches.push(chunk);
    if (batch) yield converter.lines(batch);
  }
  const last = batches.end();
  if (last) yield converter.lines(last);
}

async function* stream(bytes: AsyncIterable<Buffer>, converter: StreamConverter): AsyncGenerator<Converted> {
  for await (const chunk of bytes) yield converter.push(chunk);
  yield converter.end();
}
