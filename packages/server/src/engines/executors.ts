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

export async function forgetAttempts(db: Kysely<Tables>, runs: readonly string[]): Promise<void> {
  await db.deleteFrom("attempt").where("run", "in", runs).execute();
}
