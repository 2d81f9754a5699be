import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Engine, Operations, RunBody } from "@translogue/agent";
import { type Kysely, sql } from "kysely";
import { isError, type Json, TranslogueError } from "translogue";
import { forgetHolder, newHolder } from "../store/holder.ts";
import { openPostgres, type PostgresDatabase } from "../store/postgres-database.ts";
import type { Tables } from "../store/schema.ts";

export interface DbosEngineOptions {
  /** Address of a Postgres database; it may be the one of the sessions. */
  readonly url: string;
  /** What its runs do. Without one it only keeps what is to be run, and reads results. */
  readonly body?: RunBody;
  /** How long a process that gives no sign of life keeps its runs. Default 5 s. */
  readonly leaseMs?: number;
  /** How often it gives a sign of life and, once it was asked to recover, looks for dead executors. Default 500 ms. */
  readonly beatMs?: number;
}

/**
 * DBOS keeps what it makes under a name and a version, and recovers only what has its own. By default the version is a hash of
 * the code, so that a new release would leave the runs of the old one where they are.
 */
const application = { name: "translogue", version: "translogue-1" } as const;
const workflow = "translogue.run";
const queue = "translogue.runs";

/** Its default of 1 s is half a second of waiting for each run that is taken over. A wrong name of an option is ignored in silence. */
const queueOptions = { minPollingIntervalMs: 50 } as const;
const pollMs = 50;

/**
 * Durable runs on Postgres, for processes of many machines, by DBOS Transact. One a process: DBOS itself is one. A run is a
 * workflow and an operation a step of it; what DBOS leaves to its commercial part, finding executors that are dead, is
 * done here. Throws `engine/failed` where this process has one already.
 */
export async function dbosEngine(options: DbosEngineOptions): Promise<Engine> {
  const { url, body, leaseMs = 5000, beatMs = 500 } = options;
  const database = await openPostgres(url, leaseMs);
  if (!body) return new DbosKeeper(database, await clientOf(url));
  if (DBOS.isInitialized()) {
    await database.close();
    throw new TranslogueError("engine/failed", "this process has a DBOS engine already, and there can be one only");
  }
  const engine = new DbosEngine({ url, body, database, leaseMs, beatMs });
  await engine.launch();
  return engine;
}

const clientOf = (url: string) =>
  DBOSClient.create({ systemDatabaseUrl: url, applicationName: application.name, logger: silent });

/** What it says at its own levels is for those who work on it: what matters to a run comes back from its calls. */
const silent = { info: () => {}, debug: () => {}, warn: () => {}, error: () => {} };

/** Keeps runs for others to do. */
class DbosKeeper implements Engine {
  readonly #database: PostgresDatabase;
  readonly #client: DBOSClient;

  constructor(database: PostgresDatabase, client: DBOSClient) {
    this.#database = database;
    this.#client = client;
  }

  async start(run: string, input: Json): Promise<void> {
    await this.#client.enqueue(
      { queueName: queue, workflowName: workflow, workflowID: run, appVersion: application.version },
      run,
      JSON.stringify(input),
    );
  }

  result(run: string): Promise<Json> {
    return resultOf(this.#client, run);
  }

  async recover(): Promise<never> {
    throw new TranslogueError("engine/failed", "this engine has no body: it cannot go on with any run");
  }

  async close(): Promise<void> {
    await this.#client.destroy();
    await this.#database.close();
  }
}

interface Setup {
  readonly url: string;
  readonly body: RunBody;
  readonly database: PostgresDatabase;
  readonly leaseMs: number;
  readonly beatMs: number;
}

class DbosEngine implements Engine {
  readonly #setup: Setup;
  /** Of this process alone: with the default, `local`, a second one would take the runs of the first from under it. */
  readonly #executor = newHolder();
  readonly #closed = new AbortController();
  #workflow: ((run: string, input: string) => Promise<string>) | undefined;
  #client: DBOSClient | undefined;
  #isWatching = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  async launch(): Promise<void> {
    const { url } = this.#setup;
    await beat(this.#setup.database.db, this.#executor);
    DBOS.setConfig({
      name: application.name,
      applicationVersion: application.version,
      executorID: this.#executor,
      systemDatabaseUrl: url,
      // A process that stands still may hold rows: by default for a minute.
      systemDatabaseIdleTransactionTimeoutMs: this.#setup.leaseMs,
      logger: silent,
    });
    this.#workflow = DBOS.registerWorkflow((run: string, input: string) => this.#run(run, input), { name: workflow });
    await DBOS.launch();
    await DBOS.registerQueue(queue, queueOptions);
    // Asked by a client of our own: what a workflow asks DBOS itself becomes a step of it.
    this.#client = await clientOf(url);
    this.#nextBeat();
  }

  async start(run: string, input: Json): Promise<void> {
    this.#checkOpen();
    if (!this.#workflow) return;
    const handle = await DBOS.startWorkflow(this.#workflow, { workflowID: run })(run, JSON.stringify(input));
    handle.getResult().catch(() => undefined); // heard by whoever asks for it
  }

  async result(run: string): Promise<Json> {
    this.#checkOpen();
    return this.#client ? resultOf(this.#client, run) : null;
  }

  async recover(): Promise<readonly string[]> {
    this.#checkOpen();
    this.#isWatching = true;
    return this.#takeOver();
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(lost("the engine was closed"));
    clearTimeout(this.#timer);
    const { database } = this.#setup;
    await database.db.deleteFrom("executor").where("id", "=", this.#executor).execute();
    forgetHolder(this.#executor);
    await DBOS.shutdown({ deregister: true });
    await this.#client?.destroy();
    await database.close();
  }

  async #run(run: string, input: string): Promise<string> {
    const operations: Operations = {
      run,
      operation: (name, work) => this.#operation(run, { name, work }),
      result: other => this.result(other),
    };
    return JSON.stringify(await this.#unlessClosed(this.#setup.body(JSON.parse(input), operations)));
  }

  /** The step is begun before anything is waited for: DBOS knows steps by the order in which they begin. */
  async #operation<Outcome>(run: string, { name, work }: Work<Outcome>): Promise<Outcome> {
    const { signal } = this.#closed;
    const step = DBOS.runStep(
      async () => {
        const number = await attempt(this.#setup.database.db, run, name);
        return JSON.stringify(await work({ number, signal }));
      },
      { name },
    );
    return JSON.parse(await this.#unlessClosed(step));
  }

  /** After the end nothing settles: a workflow that heard of it would be kept as one that failed. */
  #unlessClosed<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#closed;
    return new Promise((resolve, reject) => {
      work.then(
        value => signal.aborted || resolve(value),
        error => signal.aborted || reject(error),
      );
    });
  }

  /**
   * DBOS recovers at its launch what its own executor left, and nothing else. One process at a time looks for what others
   * left, so that a run is not taken from whoever has just taken it.
   */
  async #takeOver(): Promise<readonly string[]> {
    const { database, leaseMs } = this.#setup;
    return database.db.transaction().execute(async tx => {
      const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${reaper}) as taken`.execute(tx);
      if (!rows[0]?.taken) return [];
      const pending = await this.#client?.listWorkflows({
        status: "PENDING",
        workflowName: workflow,
        loadInput: false,
        loadOutput: false,
      });
      if (!pending || pending.length === 0) return [];
      const beats = await tx
        .selectFrom("executor")
        .select("id")
        .where("beat_at", ">", sql<number>`${databaseNow} - ${leaseMs}`)
        .execute();
      const alive = new Set(beats.map(({ id }) => id));
      const left = pending.filter(({ executorId }) => !alive.has(executorId ?? "")).map(({ workflowID }) => workflowID);
      if (left.length > 0) await this.#client?.resumeWorkflows(left, { queueName: queue });
      return left;
    });
  }

  #nextBeat(): void {
    if (!this.#closed.signal.aborted) this.#timer = setTimeout(() => void this.#beat(), this.#setup.beatMs).unref();
  }

  /** A beat that fails is made up for by the next. */
  async #beat(): Promise<void> {
    try {
      await beat(this.#setup.database.db, this.#executor);
      if (this.#isWatching && !this.#closed.signal.aborted) await this.#takeOver();
    } catch {
      // as above
    }
    this.#nextBeat();
  }

  #checkOpen(): void {
    this.#closed.signal.throwIfAborted();
  }
}

interface Work<Outcome> {
  readonly name: string;
  readonly work: (attempt: { readonly number: number; readonly signal: AbortSignal }) => Promise<Outcome>;
}

/** Any number that is nobody else's in this database. */
const reaper = 7_232_019;

/** One clock for all machines, in milliseconds. */
const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

async function beat(db: Kysely<Tables>, id: string): Promise<void> {
  await db
    .insertInto("executor")
    .values({ id, beat_at: databaseNow })
    .onConflict(conflict => conflict.column("id").doUpdateSet({ beat_at: databaseNow }))
    .execute();
}

async function attempt(db: Kysely<Tables>, run: string, name: string): Promise<number> {
  const begun = await db
    .insertInto("attempt")
    .values({ run, name, attempts: 1 })
    .onConflict(conflict =>
      conflict.columns(["run", "name"]).doUpdateSet(({ eb }) => ({ attempts: eb("attempt.attempts", "+", 1) })),
    )
    .returning("attempts")
    .executeTakeFirstOrThrow();
  return begun.attempts;
}

async function resultOf(client: DBOSClient, run: string): Promise<Json> {
  const handle = client.retrieveWorkflow<string>(run);
  if (!(await handle.getStatus()))
    throw new TranslogueError("engine/unknown-run", `there is no run \`${run}\``, { data: { run } });
  try {
    return JSON.parse(await handle.getResult({ pollingIntervalMs: pollMs }));
  } catch (error) {
    if (isError(error)) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new TranslogueError("engine/failed", `the run \`${run}\` failed: ${said}`, { data: { run }, cause: error });
  }
}

const lost = (why: string): TranslogueError => new TranslogueError("engine/lost", why);
