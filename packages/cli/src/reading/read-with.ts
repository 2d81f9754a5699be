import { findFormat } from "translogue";
import { wrongUse } from "../failure.ts";
import { interruptible } from "../interruption.ts";
import type { Io } from "../io.ts";
import { Progress, wantsProgress } from "../output/progress.ts";
import type { Sink } from "../output/sink.ts";
import { Journal, type Telling } from "./journal.ts";
import type { ReadingValues } from "./options.ts";
import { planOutputs, totalSize } from "./outputs.ts";
import { type Run, readInputs } from "./run.ts";
import { loadWork, type WorkOrder } from "./work.ts";

interface Reading extends Pick<Run, "onNote" | "screen"> {
  /** Files; none = standard input. */
  readonly operands: readonly string[];
  readonly io: Io;
  /** How what is said beside the result is said. */
  readonly telling: Telling;
  /** Nothing is written while the inputs are read: a bar may stand on the terminal. */
  readonly isSilent?: boolean;
  /** Gets all of that. */
  readonly report?: Sink | undefined;
}

interface WasRead {
  /** False where an input was passed over. */
  readonly readAll: boolean;
  readonly journal: Journal;
}

/** Reads the inputs of a command line and does the work on each conversation. What stops it is thrown. */
export async function readWith(order: WorkOrder, values: ReadingValues, reading: Reading): Promise<WasRead> {
  const { operands, io, telling, report, onNote, screen } = reading;
  const { from, force = false } = values;
  const jobs = jobsOf(values);
  if (from !== undefined) findFormat(from);
  const work = await loadWork(order);
  const files = operands.length > 0 ? operands : ["-"];
  const outputs = await planOutputs(files, values);
  const progress = progressOf(values, files, reading);
  const journal = new Journal({ screen: io.stderr, telling, progress, report });
  const workers = jobs > 1 ? new (await import("./line-workers.ts")).LineWorkers(io.entry, jobs) : undefined;
  const container = values.input;
  const onError = values["on-error"] ?? "stop";
  try {
    const readAll = await interruptible(signal =>
      readInputs(outputs, {
        io,
        order,
        work,
        from,
        container,
        onError,
        journal,
        signal,
        workers,
        force,
        onNote,
        screen,
      }),
    );
    return { readAll, journal };
  } finally {
    progress?.clear();
    await journal.end();
    await workers?.close();
  }
}

const mostJobs = 64;

function jobsOf({ jobs = "1" }: ReadingValues): number {
  const count = Number(jobs);
  if (Number.isInteger(count) && count >= 1 && count <= mostJobs) return count;
  throw wrongUse(`\`--jobs\` does not take \`${jobs}\``, `it is a number from 1 to ${mostJobs}`);
}

function progressOf(
  { quiet, json, output = "-" }: ReadingValues,
  files: readonly string[],
  { io, screen, isSilent = false }: Reading,
): Progress | undefined {
  const isShown = wantsProgress({
    quiet: quiet || json,
    stderr: io.stderr,
    output: isSilent || output !== "-" ? {} : screen ? { isTTY: true } : io.stdout,
  });
  return isShown ? new Progress(io.stderr, totalSize(files), () => performance.now()) : undefined;
}
