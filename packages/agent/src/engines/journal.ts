import { isError, type Json } from "translogue";
import { continued, type Engine, type Operations, type RunBody, within } from "../engine.ts";
import { failure, messageOf } from "../errors.ts";
import { type SetTimer, setTimer } from "../time.ts";
import { keptText } from "./kept-text.ts";

/** How a run ended: its result as JSON text, or why its body failed. */
export type Ending = { readonly result: string } | { readonly error: string };

/** A run that was taken over. */
export interface TakenRun {
  readonly run: string;
  readonly input: string;
  /** Outcomes by the names of their operations. */
  readonly kept: ReadonlyMap<string, string>;
}

/** Where an engine keeps its runs. What a method did is durable once it resolves; texts are JSON. */
export interface Journal {
  /** Keeps a new run, for this executor to do or for anyone. False where there is a run of this id. */
  add(run: string, input: string, by: "me" | "anyone"): Promise<boolean>;
  /** Takes over the unfinished runs that no living executor has. */
  take(): Promise<readonly TakenRun[]>;
  /** Notes that an operation begins; gives the number of the attempt. Undefined: the run is not this executor's any more. */
  begin(run: string, operation: string): Promise<number | undefined>;
  /** Keeps an outcome. False: as above, and nothing was kept. */
  keep(run: string, operation: string, outcome: string): Promise<boolean>;
  /** Ends a run; its outcomes may be forgotten. False: as above. */
  end(run: string, ending: Ending): Promise<boolean>;
  /** Gives a run to another to go on from; gives the run that has it, which is another where that has not failed. */
  continueFrom(run: string, by: string): Promise<string>;
  /** Undefined while it goes on. Throws `engine/unknown-run`. */
  ending(run: string): Promise<Ending | undefined>;
  /** Says that this executor lives and does these runs; gives those of them that are still its own. */
  renew(runs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Gives a run back, for anyone to take. */
  release(run: string): Promise<void>;
  close(): Promise<void>;
}

export interface JournalEngineOptions {
  readonly journal: Journal;
  /** Without one it only keeps what is to be run, and reads results. */
  readonly body?: RunBody;
  /**
   * How often it renews its lease, while it has runs, and looks for dead executors, once it was asked to recover, or for a run
   * that it gave back since its journal failed. Default 1 s; 0: never. An engine that does any of these is not done: its timer
   * keeps the process alive until `close`.
   */
  readonly beatMs?: number;
  readonly setTimer?: SetTimer;
}

/** An engine over a journal: all but where things are kept. */
export const journalEngine = (options: JournalEngineOptions): Engine => new JournalEngine(options);

class JournalEngine implements Engine {
  readonly #journal: Journal;
  readonly #body: RunBody | undefined;
  readonly #beatMs: number;
  readonly #setTimer: SetTimer;
  readonly #here = new Map<string, Execution>();
  /** Runs that it gave back, since its journal failed, and that nobody has ended since. */
  readonly #owed = new Set<string>();
  #isWatching = false;
  #isClosed = false;
  #cancelBeat: (() => void) | undefined;

  constructor({ journal, body, beatMs = 1000, setTimer: set = setTimer }: JournalEngineOptions) {
    this.#journal = journal;
    this.#body = body;
    this.#beatMs = beatMs;
    this.#setTimer = set;
  }

  async start(run: string, input: Json): Promise<void> {
    this.#checkOpen();
    const text = keptText(input, `the input of the run \`${run}\``);
    const isNew = await this.#journal.add(run, text, this.#body ? "me" : "anyone");
    if (isNew && this.#body) this.#execute(this.#body, { run, input: text, kept: new Map() });
  }

  async result(run: string): Promise<Json> {
    for (;;) {
      this.#checkOpen();
      await this.#here.get(run)?.over;
      const ending = await this.#journal.ending(run);
      if (ending) return resultOf(run, ending);
      await new Promise<void>(resolve => this.#setTimer(resolve, pollMs));
    }
  }

  async recover(): Promise<readonly string[]> {
    this.#checkOpen();
    if (!this.#body) throw failure("engine/failed", "this engine has no body: it cannot go on with any run");
    this.#isWatching = true;
    this.#nextBeat();
    return this.#takeOver(this.#body);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelBeat?.();
    const left = [...this.#here.values()];
    for (const execution of left) execution.lose("the engine was closed");
    await Promise.all(left.map(({ run }) => this.#journal.release(run)));
    await this.#journal.close();
  }

  async #takeOver(body: RunBody): Promise<readonly string[]> {
    const taken = await this.#journal.take();
    for (const run of taken) this.#execute(body, run);
    return taken.map(({ run }) => run);
  }

  #execute(body: RunBody, taken: TakenRun): void {
    this.#here.get(taken.run)?.lose("it was taken over by this process");
    const execution = new Execution(this.#journal, taken, run => this.result(run));
    this.#here.set(taken.run, execution);
    this.#owed.delete(taken.run);
    void execution.do(body).then(() => {
      if (this.#here.get(taken.run) !== execution) return;
      this.#here.delete(taken.run);
      if (execution.isGivenBack) this.#owed.add(taken.run);
      this.#nextBeat();
    });
    this.#nextBeat();
  }

  get #isLooking(): boolean {
    return this.#isWatching || this.#owed.size > 0;
  }

  /** One at a time, and none where there is nothing to say or to look for. */
  #nextBeat(): void {
    const isIdle = this.#here.size === 0 && !this.#isLooking;
    if (this.#cancelBeat || isIdle || this.#isClosed || this.#beatMs === 0) return;
    this.#cancelBeat = this.#setTimer(() => void this.#beat(), this.#beatMs);
  }

  /** A beat that fails is made up for by the next; should the lease run out meanwhile, the journal refuses what comes late. */
  async #beat(): Promise<void> {
    try {
      const before = [...this.#here.values()];
      const ours = before.length > 0 ? await this.#journal.renew(before.map(({ run }) => run)) : undefined;
      for (const execution of before)
        if (!ours?.has(execution.run)) execution.lose("another process has taken it over");
      if (this.#isLooking && this.#body && !this.#isClosed) await this.#takeOver(this.#body);
      for (const run of this.#owed) if (await this.#isOver(run)) this.#owed.delete(run);
    } catch {
      // as above
    }
    this.#cancelBeat = undefined;
    this.#nextBeat();
  }

  /** Whether somebody has ended a run, so long ago perhaps that it is forgotten. */
  async #isOver(run: string): Promise<boolean> {
    try {
      return (await this.#journal.ending(run)) !== undefined;
    } catch (error) {
      if (isError(error, "engine/unknown-run")) return true;
      throw error;
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw failure("engine/lost", "the engine was closed");
  }
}

/** How soon the end of a run that goes on elsewhere is noticed. */
const pollMs = 50;

function resultOf(run: string, ending: Ending): Json {
  if ("result" in ending) return JSON.parse(ending.result);
  throw failure("engine/failed", `the run \`${run}\` failed: ${ending.error}`, { data: { run } });
}

/** One execution of a run's body in this process. */
class Execution implements Operations {
  readonly run: string;
  /** Resolves, never rejects, when nothing more comes of it. */
  readonly over: Promise<void>;
  readonly result: Operations["result"];
  readonly #journal: Journal;
  readonly #input: string;
  /** Outcomes by the names of their operations, those of this execution too. */
  readonly #kept: Map<string, string>;
  /** Its journal failed: whoever can write it goes on. */
  isGivenBack = false;
  readonly #lost = new AbortController();
  readonly #end = Promise.withResolvers<void>();

  constructor(journal: Journal, taken: TakenRun, result: Operations["result"]) {
    this.run = taken.run;
    this.#journal = journal;
    this.#input = taken.input;
    this.#kept = new Map(taken.kept);
    this.result = result;
    this.over = this.#end.promise;
  }

  lose(why: string): void {
    this.#lost.abort(failure("engine/lost", `the run \`${this.run}\` is left: ${why}`, { data: { run: this.run } }));
    this.#end.resolve();
  }

  async do(body: RunBody): Promise<void> {
    const work = async (): Promise<Json> => body(JSON.parse(this.#input), this);
    const ending = await this.#unlessLost(endingOf(work)).catch(() => undefined);
    try {
      if (ending && !this.#lost.signal.aborted) await this.#journal.end(this.run, ending);
    } catch {
      // The end could not be kept: who takes the run finds all its outcomes.
      await this.#giveBack();
    }
    this.#end.resolve();
  }

  /** Bound: bodies take it apart. */
  readonly operation: Operations["operation"] = async (name, work) => {
    const { signal } = this.#lost;
    signal.throwIfAborted();
    const kept = this.#kept.get(name);
    if (kept !== undefined) return JSON.parse(kept);
    const number = this.#ours(await this.#guarded(this.#journal.begin(this.run, name)));
    const attempt = { number, signal, operations: within(this, name) };
    const text = keptText(await this.#unlessLost(work(attempt)), `the outcome of the operation \`${name}\``);
    this.#ours((await this.#guarded(this.#journal.keep(this.run, name, text))) || undefined);
    this.#kept.set(name, text);
    return JSON.parse(text);
  };

  /** Bound, as above. */
  readonly continueFrom: Operations["continueFrom"] = async run => {
    this.#lost.signal.throwIfAborted();
    const by = await this.#guarded(this.#journal.continueFrom(run, this.run));
    if (by !== this.run) throw continued(run, by);
  };

  #ours<T>(value: T | undefined): T {
    if (value === undefined) this.lose("another process has taken it over");
    this.#lost.signal.throwIfAborted();
    return value as T; // the signal is aborted where there is none
  }

  /** A journal that fails leaves the run unfinished: it is given back, and goes on where it can be written. */
  async #guarded<T>(written: Promise<T>): Promise<T> {
    try {
      return await this.#unlessLost(written);
    } catch (error) {
      if (this.#lost.signal.aborted) throw error;
      this.lose(`its journal failed: ${messageOf(error)}`);
      await this.#giveBack();
      throw this.#lost.signal.reason;
    }
  }

  /** Where that cannot be written either, the lease runs out. */
  async #giveBack(): Promise<void> {
    this.isGivenBack = true;
    await this.#journal.release(this.run).catch(() => undefined);
  }

  #unlessLost<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#lost;
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(signal.reason);
      if (signal.aborted) lost();
      signal.addEventListener("abort", lost, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", lost));
    });
  }
}

async function endingOf(work: () => Promise<Json>): Promise<Ending> {
  try {
    return { result: keptText(await work(), "its result") };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
