import { Worker } from "node:worker_threads";
import { TranslogueError } from "translogue";
import { type LineBatch, LineBatches } from "../input/lines.ts";
import type { ReadOptions, Result } from "./values.ts";

/** A batch for a worker. */
export interface LineTask {
  readonly options: ReadOptions;
  readonly bytes: Uint8Array;
  readonly line: number;
}

/** An error's class does not pass between threads. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly data: { readonly [name: string]: unknown };
}

export type LineResult =
  | (Omit<Result, "error"> & { readonly error?: PlainError })
  /** The work itself failed. */
  | { readonly thrown: PlainError };

interface Waiting {
  readonly task: LineTask;
  readonly resolve: (done: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** What a thread sees of a batch is over with the batch: room for much of it would be filled before it is swept, in every thread. */
const youngMegabytes = 24;

/** So much of the input is in the threads' hands, and one batch more: lines may be as large as they like. */
const mostBytes = 32 * 1024 * 1024;

/** What a thread is to the program. */
export interface Thread {
  on(event: "message", hear: (done: LineResult) => void): unknown;
  on(event: "error", hear: (error: unknown) => void): unknown;
  off(event: "message", hear: (done: LineResult) => void): unknown;
  off(event: "error", hear: (error: unknown) => void): unknown;
  postMessage(task: LineTask, passed: readonly ArrayBuffer[]): void;
  terminate(): Promise<unknown>;
  unref(): void;
}

const startThread = (entry: URL): Thread =>
  new Worker(entry, { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } });

/** Threads that work on batches of lines; the results come in the order of the batches. */
export class LineWorkers {
  readonly #workers: Thread[] = [];
  readonly #idle: Thread[] = [];
  readonly #waiting: Waiting[] = [];

  /** `entry` is the program's own file, which in a thread works on lines. */
  constructor(entry: URL, jobs: number, start: (entry: URL) => Thread = startThread) {
    for (let count = 0; count < jobs; count++) {
      const worker = start(entry);
      worker.unref();
      this.#workers.push(worker);
      this.#idle.push(worker);
    }
  }

  /**
   * So many batches at once that no thread waits, and no more, of so many bytes: memory is that of what is under way, however
   * long the input and however slowly the results are taken.
   */
  async *read(bytes: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<Result> {
    const most = this.#workers.length * 2;
    const running: { readonly size: number; readonly done: Promise<Result> }[] = [];
    let size = 0;
    const begin = (batch: LineBatch | undefined): void => {
      if (!batch) return;
      size += batch.bytes.length;
      running.push({ size: batch.bytes.length, done: this.#send(batch, options) });
    };
    const batches = new LineBatches();
    for await (const chunk of bytes) {
      begin(batches.push(chunk));
      while (running.length > most || size > mostBytes) {
        const first = running.shift();
        if (!first) break;
        yield await first.done;
        size -= first.size;
      }
    }
    begin(batches.end());
    for (let first = running.shift(); first; first = running.shift()) yield await first.done;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(worker => worker.terminate()));
  }

  #send({ bytes, line }: LineBatch, options: ReadOptions): Promise<Result> {
    const sent = new Promise<Result>((resolve, reject) => {
      // A copy of its own, which passes to the thread without another.
      this.#waiting.push({ task: { options, bytes: new Uint8Array(bytes), line }, resolve, reject });
    });
    // Whoever awaits it is told; until then it is nobody's.
    sent.catch(() => {});
    this.#next();
    return sent;
  }

  #next(): void {
    const worker = this.#waiting.length > 0 ? this.#idle.pop() : undefined;
    const waiting = worker && this.#waiting.shift();
    if (!worker || !waiting) return;
    const settle = (act: () => void): void => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      act();
    };
    const onMessage = (done: LineResult): void => {
      settle(() => ("thrown" in done ? waiting.reject(revived(done.thrown)) : waiting.resolve(resultOf(done))));
      this.#idle.push(worker);
      this.#next();
    };
    const onError = (error: unknown): void => settle(() => waiting.reject(error));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.postMessage(waiting.task, [waiting.task.bytes.buffer as ArrayBuffer]); // made above, not shared
  }
}

function resultOf({ error, ...done }: Exclude<LineResult, { thrown: PlainError }>): Result {
  return error ? { ...done, error: revived(error) } : done;
}

const revived = ({ code, message, data }: PlainError): TranslogueError => new TranslogueError(code, message, { data });
