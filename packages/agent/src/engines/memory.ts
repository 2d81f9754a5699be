import type { Engine, RunBody } from "../engine.ts";
import { failure } from "../errors.ts";
import { type Ending, type Journal, journalEngine } from "./journal.ts";

/** The runs of an engine in memory, as plain JSON by their ids: stored and given to another engine, they go on there. */
export type MemoryRuns = { [run: string]: MemoryRun };

export interface MemoryRun {
  readonly input: string;
  readonly operations: { [name: string]: { attempts: number; outcome?: string } };
  ending?: Ending;
  /** The run that goes on from this one. */
  next?: string;
}

export interface MemoryEngineOptions {
  readonly body: RunBody;
  /** Default: none yet. They are kept in this object. */
  readonly runs?: MemoryRuns;
}

/** An engine whose runs are gone with the process, unless somebody stores `runs`. */
export const memoryEngine = ({ body, runs = {} }: MemoryEngineOptions): Engine =>
  journalEngine({ body, journal: new MemoryJournal(runs), beatMs: 0 });

class MemoryJournal implements Journal {
  readonly #runs: MemoryRuns;
  readonly #mine = new Set<string>();

  constructor(runs: MemoryRuns) {
    this.#runs = runs;
  }

  async add(run: string, input: string): Promise<boolean> {
    if (this.#find(run)) return false;
    this.#runs[run] = { input, operations: {} };
    this.#mine.add(run);
    return true;
  }

  async take() {
    const left = Object.entries(this.#runs).filter(([run, { ending }]) => !ending && !this.#mine.has(run));
    return left.map(([run, { input, operations }]) => {
      this.#mine.add(run);
      const kept = Object.entries(operations).flatMap(([name, { outcome }]) =>
        outcome === undefined ? [] : [[name, outcome] as const],
      );
      return { run, input, kept: new Map(kept) };
    });
  }

  async begin(run: string, name: string): Promise<number | undefined> {
    const operations = this.#own(run)?.operations;
    if (!operations) return undefined;
    const { attempts = 0 } = operations[name] ?? {};
    operations[name] = { attempts: attempts + 1 };
    return attempts + 1;
  }

  async keep(run: string, name: string, outcome: string): Promise<boolean> {
    const operation = this.#own(run)?.operations[name];
    if (operation) operation.outcome = outcome;
    return operation !== undefined;
  }

  async end(run: string, ending: Ending): Promise<boolean> {
    const own = this.#own(run);
    if (own) own.ending = ending;
    return own !== undefined;
  }

  async continueFrom(run: string, by: string): Promise<string> {
    const before = this.#known(run);
    const ending = before.next === undefined ? undefined : this.#find(before.next)?.ending;
    if (before.next === undefined || (ending && "error" in ending)) before.next = by;
    return before.next;
  }

  async ending(run: string): Promise<Ending | undefined> {
    return this.#known(run).ending;
  }

  async renew(runs: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(runs.filter(run => this.#mine.has(run)));
  }

  async release(run: string): Promise<void> {
    this.#mine.delete(run);
  }

  async close(): Promise<void> {
    this.#mine.clear();
  }

  #known(run: string): MemoryRun {
    const found = this.#find(run);
    if (!found) throw failure("engine/unknown-run", `there is no run \`${run}\``, { data: { run } });
    return found;
  }

  #find(run: string): MemoryRun | undefined {
    return Object.hasOwn(this.#runs, run) ? this.#runs[run] : undefined;
  }

  #own(run: string): MemoryRun | undefined {
    const found = this.#mine.has(run) ? this.#find(run) : undefined;
    return found?.ending ? undefined : found;
  }
}
