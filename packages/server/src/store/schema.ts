import type { Generated, Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { TranslogueError } from "translogue";

export interface Tables {
  session: SessionTable;
  event: EventTable;
  run: RunTable;
  operation: OperationTable;
  executor: ExecutorTable;
  attempt: AttemptTable;
  continuation: ContinuationTable;
  "dbos.workflow_status": DbosRunTable;
}

/** One row a session: its place in lists, and who holds it. All else of it is its events. */
interface SessionTable {
  key: Generated<number>;
  owner: string;
  id: string;
  title: string | null;
  created_at: number;
  updated_at: number;
  /** The run that holds the session, by which process, until when. */
  run: string | null;
  holder: string | null;
  lease_until: number | null;
}

/** The history and the resumable stream. `seq` numbers events within their session; a row of `count` events has its first's. */
interface EventTable {
  session: number;
  seq: number;
  count: number;
  kind: string;
  run: string | null;
  at: number;
  body: string;
}

/** A durable run: what it was given, who does it, and how it ended. Of one that ended, the input is `null`. */
interface RunTable {
  id: string;
  input: string;
  created_at: number;
  holder: string | null;
  lease_until: number | null;
  /** How often it was begun. */
  executions: number;
  ended_at: number | null;
  result: string | null;
  error: string | null;
  /** The run that goes on from this one. */
  next: Generated<string | null>;
}

/** An operation of an unfinished run. Without an outcome it began, and did not end. */
interface OperationTable {
  run: string;
  name: string;
  attempts: number;
  outcome: Generated<string | null>;
}

/** Where a process does runs on Postgres, and when it last said so, by the clock of the database. */
interface ExecutorTable {
  id: string;
  beat_at: number;
}

/** How often an operation was begun, on Postgres; of one within another, what it gave. */
interface AttemptTable {
  run: string;
  name: string;
  attempts: number;
  outcome: Generated<string | null>;
}

/** The run that goes on from another, on Postgres. */
interface ContinuationTable {
  run: string;
  next: string;
}

/** DBOS's own, by the columns that are read. */
interface DbosRunTable {
  workflow_uuid: string;
  status: string;
  executor_id: string | null;
}

export type SqlKind = "sqlite" | "postgres";

/** In the order of their names. What was released is never edited: a new one is added. */
const migrations = (kind: SqlKind): { readonly [name: string]: Migration } => ({
  "0001_sessions_and_events": { up: db => makeSessions(db, kind) },
  "0002_runs_and_operations": { up: kind === "sqlite" ? makeRuns : makeExecutors },
  "0003_claims_and_inner_outcomes": { up: kind === "sqlite" ? addNext : addContinuations },
});

async function makeSessions(db: Kysely<unknown>, kind: SqlKind): Promise<void> {
  const number = kind === "sqlite" ? "integer" : "bigint";
  await db.schema
    .createTable("session")
    .addColumn("key", number, column =>
      kind === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey().generatedAlwaysAsIdentity(),
    )
    .addColumn("owner", "text", column => column.notNull())
    .addColumn("id", "text", column => column.notNull())
    .addColumn("title", "text")
    .addColumn("created_at", number, column => column.notNull())
    .addColumn("updated_at", number, column => column.notNull())
    .addColumn("run", "text")
    .addColumn("holder", "text")
    .addColumn("lease_until", number)
    .addUniqueConstraint("session_of_owner", ["owner", "id"])
    .execute();
  await db.schema.createIndex("session_by_change").on("session").columns(["owner", "updated_at"]).execute();
  await db.schema
    .createTable("event")
    .addColumn("session", number, column => column.notNull().references("session.key").onDelete("cascade"))
    .addColumn("seq", number, column => column.notNull())
    .addColumn("count", number, column => column.notNull())
    .addColumn("kind", "text", column => column.notNull())
    .addColumn("run", "text")
    .addColumn("at", number, column => column.notNull())
    .addColumn("body", "text", column => column.notNull())
    .addPrimaryKeyConstraint("event_of_session", ["session", "seq"])
    .execute();
}

async function makeRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("run")
    .addColumn("id", "text", column => column.primaryKey())
    .addColumn("input", "text", column => column.notNull())
    .addColumn("created_at", "integer", column => column.notNull())
    .addColumn("holder", "text")
    .addColumn("lease_until", "integer")
    .addColumn("executions", "integer", column => column.notNull())
    .addColumn("ended_at", "integer")
    .addColumn("result", "text")
    .addColumn("error", "text")
    .execute();
  await db.schema.createIndex("run_by_end").on("run").column("ended_at").execute();
  await db.schema
    .createTable("operation")
    .addColumn("run", "text", column => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("name", "text", column => column.notNull())
    .addColumn("attempts", "integer", column => column.notNull())
    .addColumn("outcome", "text")
    .addPrimaryKeyConstraint("operation_of_run", ["run", "name"])
    .execute();
}

/** Runs and outcomes are DBOS's there; what it does not know is here. */
async function makeExecutors(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("executor")
    .addColumn("id", "text", column => column.primaryKey())
    .addColumn("beat_at", "bigint", column => column.notNull())
    .execute();
  await db.schema
    .createTable("attempt")
    .addColumn("run", "text", column => column.notNull())
    .addColumn("name", "text", column => column.notNull())
    .addColumn("attempts", "bigint", column => column.notNull())
    .addPrimaryKeyConstraint("attempt_of_operation", ["run", "name"])
    .execute();
}

async function addNext(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("run").addColumn("next", "text").execute();
}

async function addContinuations(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("attempt").addColumn("outcome", "text").execute();
  await db.schema
    .createTable("continuation")
    .addColumn("run", "text", column => column.primaryKey())
    .addColumn("next", "text", column => column.notNull())
    .execute();
}

/** Brings a database to this version's tables. Throws `store/newer` where a later version has been at it. */
export async function migrate(db: Kysely<Tables>, kind: SqlKind): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(kind) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const isNewer = error instanceof Error && /previously executed migration .* is missing/.test(error.message);
  if (!isNewer) throw error;
  const message =
    "the database was made by a later version of the server; run that version, or give this one a new file";
  throw new TranslogueError("store/newer", message, { cause: error });
}
