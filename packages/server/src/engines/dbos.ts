import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import { type Engine, keptText, type RunBody } from "@translogue/agent";
import { sql } from "kysely";
import { isError, type Json, TranslogueError } from "translogue";
import { forgetHolder, newHolder } from "../store/holder.ts";
import { openPostgres, type PostgresDatabase } from "../store/postgres-database.ts";
import { DbosExecution, unlessClosed } from "./dbos-execution.ts";
import { beat, forgetExecutor, livingExecutors } from "./executors.ts";
import { forgetRuns } from "./forgetting.ts";
import { keptMs } from "./kept.ts";

export interface DbosEngineOptions {
  /** Address of a Postgres database; it may be the one of the sessions. */
  readonly url: string;
  /** What its runs do. Without one it only keeps what is to be run, and reads results. */
  readonly body?: RunBody;
  /** How long a process that gives no sign of life keeps its runs. Default 5 s. */
  readonly leaseMs?: number;
  /** How often it gives a sign of life and, once it was asked to recover, looks for dead executors. Default 500 ms. */
  readonly beatMs?: number;
  /** How long results of runs are kept, once it was asked to recover. Default 7 days. */
  readonly keepMs?: number;
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

/** How often it looks for results that are older than they are kept. */
const forgetEveryMs = 60_000;

/**
 * Durable runs on Postgres, for processes of many machines, by DBOS Transact. One a process: DBOS itself is one. A run is a
 * workflow and an operation a step of it; what DBOS leaves to its commercial part, finding executors that are dead, is
 * done here. Throws `engine/failed` where this process has one already.
 */
export async function dbosEngine(options: DbosEngineOptions): Promise<Engine> {
  const { url, body, leaseMs = 5000, beatMs = 500, keepMs = keptMs } = options;
  if (!body) return keeper(await openPostgres(url, leaseMs), url);
  if (isTaken || DBOS.isInitialized())
    throw new TranslogueError("engine/failed", "this process has a DBOS engine already, and there can be one only");
  isTaken = true;
  try {
    const database = await openPostgres(url, leaseMs);
    const engine = new DbosEngine({ url, body, database, leaseMs, beatMs, keepMs });
    await engine.launch().catch(async error => {
      await engine.close();
      throw error;
    });
    return engine;
  } catch (error) {
    isTaken = false;
    throw error;
  }
}

/** From the first step of the opening on: of two that are opened at once, one is the second. */
let isTaken = false;

async function keeper(database: PostgresDatabase, url: string): Promise<Engine> {
  try {
    return new DbosKeeper(database, await clientOf(url));
  } catch (error) {
    await database.close();
    throw error;
  }
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
      inputText(run, input),
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
  readonly keepMs: number;
}

class DbosEngine implements Engine {
  readonly #setup: Setup;
  /** Of this process alone: with the default, `local`, a second one would take the runs of the first from under it. */
  readonly #executor = newHolder();
  readonly #closed = new AbortController();
  #workflow: ((run: string, input: string) => Promise<string>) | undefined;
  /**
   * Asked by a client of our own: what a workflow asks DBOS itself becomes a step of it. DBOS begins what waits in its queue
   * while it is launched: such a run waits for the client.
   */
  readonly #client = Promise.withResolvers<DBOSClient>();
  #isWatching = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #here = new Map<string, DbosExecution>();
  #forgetAt = 0;
  /** What is forgotten at this time. */
  #forgetting: Promise<void> = Promise.resolve();

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
    this.#client.resolve(await clientOf(url));
    this.#nextBeat();
  }

  async start(run: string, input: Json): Promise<void> {
    this.#checkOpen();
    if (!this.#workflow) return;
    const text = inputText(run, input);
    const handle = await DBOS.startWorkflow(this.#workflow, { workflowID: run })(run, text);
    handle.getResult().catch(() => undefined); // heard by whoever asks for it
  }

  async result(run: string): Promise<Json> {
    this.#checkOpen();
    return resultOf(await this.#client.promise, run);
  }

  async recover(): Promise<readonly string[]> {
    this.#checkOpen();
    this.#isWatching = true;
    const taken = await this.#takeOver();
    await this.#forgetOld();
    return taken;
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(lost("the engine was closed"));
    this.#client.reject(this.#closed.signal.reason); // where it never came to be
    this.#client.promise.catch(() => undefined);
    clearTimeout(this.#timer);
    const { database } = this.#setup;
    // Where the database is away, its last sign of life is over by itself.
    await forgetExecutor(database.db, this.#executor).catch(() => undefined);
    forgetHolder(this.#executor);
    await this.#forgetting;
    await DBOS.shutdown({ deregister: true });
    await this.#client.promise.then(
      client => client.destroy(),
      () => undefined,
    );
    await database.close();
    isTaken = false;
  }

  async #run(run: string, input: string): Promise<string> {
    const { database, body } = this.#setup;
    const execution = new DbosExecution({
      run,
      db: database.db,
      executor: this.#executor,
      closed: this.#closed.signal,
      client: this.#client.promise,
      result: other => this.result(other),
    });
    // One that this process began before it lost the run, and got it back.
    this.#here.get(run)?.lose();
    this.#here.set(run, execution);
    const work = async (): Promise<string> => keptText(await body(JSON.parse(input), execution), "its result");
    return unlessClosed(work(), this.#closed.signal).finally(() => {
      if (this.#here.get(run) === execution) this.#here.delete(run);
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
      const client = await this.#client.promise;
      const pending = await client.listWorkflows({
        status: "PENDING",
        workflowName: workflow,
        loadInput: false,
        loadOutput: false,
      });
      if (pending.length === 0) return [];
      const alive = await livingExecutors(tx, leaseMs);
      const left = pending.filter(({ executorId }) => !alive.has(executorId ?? "")).map(({ workflowID }) => workflowID);
      if (left.length > 0) await client.resumeWorkflows(left, { queueName: queue });
      return left;
    });
  }

  /** DBOS keeps all results for ever. Beside the beats: there may be much to forget. What fails is made up for by the next. */
  #forgetOld(): Promise<void> {
    if (performance.now() < this.#forgetAt) return this.#forgetting;
    this.#forgetAt = performance.now() + forgetEveryMs;
    const { database, keepMs } = this.#setup;
    const forget = async (): Promise<void> =>
      forgetRuns({ db: database.db, client: await this.#client.promise, workflow, keepMs, until: this.#closed.signal });
    this.#forgetting = this.#forgetting.then(forget).catch(() => undefined);
    return this.#forgetting;
  }

  #nextBeat(): void {
    if (!this.#closed.signal.aborted) this.#timer = setTimeout(() => void this.#beat(), this.#setup.beatMs).unref();
  }

  /** A beat that fails is made up for by the next. */
  async #beat(): Promise<void> {
    try {
      await beat(this.#setup.database.db, this.#executor);
      if (this.#isWatching && !this.#closed.signal.aborted) {
        await this.#takeOver();
        void this.#forgetOld();
      }
    } catch {
      // as above
    }
    this.#nextBeat();
  }

  #checkOpen(): void {
    this.#closed.signal.throwIfAborted();
  }
}

/** Any number that is nobody else's in this database. */
const reaper = 7_232_019;

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

const inputText = (run: string, input: Json): string => keptText(input, `the input of the run \`${run}\``);

const lost = (why: string): TranslogueError => new TranslogueError("engine/lost", why);
