import { setTimeout as sleep } from "node:timers/promises";
import { DBOS, type DBOSClient } from "@dbos-inc/dbos-sdk";
import { type Attempt, continued, keptText, type Operations, within } from "@translogue/agent";
import type { Kysely } from "kysely";
import { TranslogueError } from "translogue";
import { isAway } from "../store/postgres-database.ts";
import type { Tables } from "../store/schema.ts";
import { continuedFrom, giveTo } from "./continuations.ts";
import { beginInner, countAttempt, type Inner, keepInner } from "./executors.ts";

export interface ExecutionOptions {
  readonly run: string;
  readonly db: Kysely<Tables>;
  /** The process that does it. */
  readonly executor: string;
  /** Aborted once the engine is closed. */
  readonly closed: AbortSignal;
  readonly client: Promise<DBOSClient>;
  readonly result: Operations["result"];
}

type Work<Outcome> = (attempt: Attempt) => Promise<Outcome>;

/** How soon a database that was away is asked again. */
const awayMs = 200;

/** One execution of a run on DBOS: its operations are steps, and those within them are rows of ours, as DBOS keeps no step of a step. */
export class DbosExecution implements Operations {
  readonly run: string;
  readonly result: Operations["result"];
  readonly #options: ExecutionOptions;
  readonly #lost = new AbortController();

  constructor(options: ExecutionOptions) {
    this.run = options.run;
    this.result = options.result;
    this.#options = options;
  }

  /** The step under way throws, which DBOS keeps of an execution that has its run only: of another it leaves the run. */
  lose(): void {
    this.#lost.abort(new TranslogueError("engine/lost", `another execution has taken the run \`${this.run}\` over`));
  }

  /** The step is begun before anything is waited for: DBOS knows steps by the order in which they begin. Bound: bodies take it apart. */
  readonly operation: Operations["operation"] = async (name, work) => {
    const step = DBOS.runStep(
      () => this.#unlessLost(this.#attempt(name, work, () => this.#back(() => this.#count(name)))),
      { name },
    );
    return JSON.parse(await unlessClosed(step, this.#options.closed));
  };

  readonly continueFrom: Operations["continueFrom"] = async run => {
    const { db, client } = this.#options;
    const by = await this.#back(() => continuedFrom(db, run, this.run));
    if (by === this.run) return;
    const found = await (await client).getWorkflow(by);
    if (!found || !failedStates.has(found.status)) throw continued(run, by);
    await this.#back(() => giveTo(db, { run, by, next: this.run }));
    return this.continueFrom(run);
  };

  /** Of an operation within an operation. */
  async #inner<Outcome>(name: string, work: Work<Outcome>): Promise<Outcome> {
    const { db, executor, closed } = this.#options;
    this.#lost.signal.throwIfAborted();
    const inner: Inner = { run: this.run, name, executor };
    const begun = this.#ours(await this.#back(() => beginInner(db, inner)));
    if (begun.outcome !== null) return JSON.parse(begun.outcome);
    const text = await unlessClosed(
      this.#attempt(name, work, async () => begun.attempts),
      closed,
    );
    this.#ours((await this.#back(() => keepInner(db, inner, text))) || undefined);
    return JSON.parse(text);
  }

  async #attempt<Outcome>(name: string, work: Work<Outcome>, count: () => Promise<number>): Promise<string> {
    const signal = AbortSignal.any([this.#options.closed, this.#lost.signal]);
    const { run, result, continueFrom } = this;
    const inside: Operations = { run, result, continueFrom, operation: (part, work) => this.#inner(part, work) };
    const attempt = { number: await count(), signal, operations: within(inside, name) };
    return keptText(await work(attempt), `the outcome of the operation \`${name}\``);
  }

  #count(name: string): Promise<number> {
    return countAttempt(this.#options.db, this.run, name);
  }

  /** A database that is away is waited for, as DBOS does: what a step throws would be kept as how it ended. */
  async #back<T>(query: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await query();
      } catch (error) {
        if (this.#options.closed.aborted || !isAway(error)) throw error;
        await sleep(awayMs);
      }
    }
  }

  #ours<T>(value: T | undefined): T {
    if (value === undefined) this.lose();
    this.#lost.signal.throwIfAborted();
    return value as T; // the signal is aborted where there is none
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

/** How a run ends that did not come to its end. */
const failedStates: ReadonlySet<string> = new Set(["ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]);

/** After the end nothing settles: a workflow that heard of it would be kept as one that failed. */
export function unlessClosed<T>(work: Promise<T>, closed: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(
      value => closed.aborted || resolve(value),
      error => closed.aborted || reject(error),
    );
  });
}
