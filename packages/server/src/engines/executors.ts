import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.ts";

/** One clock for all machines, in milliseconds since 1970. */
const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Says that a process lives. */
export async function beat(db: Kysely<Tables>, id: string): Promise<void> {
  await db
    .insertInto("executor")
    .values({ id, beat_at: databaseNow })
    .onConflict(conflict => conflict.column("id").doUpdateSet({ beat_at: databaseNow }))
    .execute();
}

export async function forgetExecutor(db: Kysely<Tables>, id: string): Promise<void> {
  await db.deleteFrom("executor").where("id", "=", id).execute();
}

/** The processes that said within the last milliseconds that they live. Of those that did not, nothing is kept. */
export async function livingExecutors(db: Kysely<Tables>, leaseMs: number): Promise<ReadonlySet<string>> {
  await db.deleteFrom("executor").where("beat_at", "<=", sql<number>`${databaseNow} - ${leaseMs}`).execute();
  const living = await db.selectFrom("executor").select("id").execute();
  return new Set(living.map(({ id }) => id));
}

/** The moment so long ago, by the clock of the database. */
export async function momentAgo(db: Kysely<Tables>, ms: number): Promise<Date> {
  const { at } = await db.selectNoFrom(sql<number>`${databaseNow} - ${ms}`.as("at")).executeTakeFirstOrThrow();
  return new Date(at);
}

/** Notes that an operation begins; gives the number of the attempt. */
export async function countAttempt(db: Kysely<Tables>, run: string, name: string): Promise<number> {
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

/** An operation within an operation, and the process that does it. */
export interface Inner {
  readonly run: string;
  readonly name: string;
  readonly executor: string;
}

/** As above, with what an earlier attempt gave. Undefined: the run is not this process's any more. */
export async function beginInner(db: Kysely<Tables>, { run, name, executor }: Inner) {
  return db
    .insertInto("attempt")
    .columns(["run", "name", "attempts"])
    .expression(own(db, run, executor).select(({ val }) => [val(run).as("run"), val(name).as("name"), val(1).as("n")]))
    .onConflict(conflict =>
      conflict.columns(["run", "name"]).doUpdateSet(({ eb }) => ({ attempts: eb("attempt.attempts", "+", 1) })),
    )
    .returning(["attempts", "outcome"])
    .executeTakeFirst();
}

/** Keeps what it gave. False: as above, and nothing was kept. */
export async function keepInner(db: Kysely<Tables>, { run, name, executor }: Inner, outcome: string): Promise<boolean> {
  const kept = await db
    .updateTable("attempt")
    .set({ outcome })
    .where("run", "=", run)
    .where("name", "=", name)
    .where(({ exists }) => exists(own(db, run, executor).select("workflow_uuid")))
    .executeTakeFirst();
  return kept.numUpdatedRows > 0n;
}

/** A run's row where this process does it: DBOS says so in a table of its own. */
const own = (db: Kysely<Tables>, run: string, executor: string) =>
  db
    .selectFrom("dbos.workflow_status")
    .where("workflow_uuid", "=", run)
    .where("status", "=", "PENDING")
    .where("executor_id", "=", executor);

/** What runs did in their turn, which DBOS does not keep. */
export async function forgetAttempts(db: Kysely<Tables>, runs: readonly string[]): Promise<void> {
  await db.deleteFrom("attempt").where("run", "in", runs).execute();
}

/** Which run went on from one that DBOS has no more. */
export async function forgetContinuations(db: Kysely<Tables>): Promise<void> {
  await db
    .deleteFrom("continuation")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("dbos.workflow_status").select("workflow_uuid").whereRef("workflow_uuid", "=", "continuation.run"),
        ),
      ),
    )
    .execute();
}
