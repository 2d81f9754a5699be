import { Kysely, PostgresDialect } from "kysely";
import { Pool, types } from "pg";
import { migrate, type Tables } from "./schema.ts";
import type { OpenDatabase } from "./sqlite-file.ts";

export interface PostgresDatabase extends OpenDatabase {
  readonly pool: Pool;
}

/** Object id of `bigint`, which pg gives as text: all of ours are exact as numbers. */
const bigint = 20;

/** A process that stands still in a transaction holds its locks: the server takes them from it after this time. */
const stillMs = 5000;

/** Opens a database, brought to this version's tables. Throws `store/newer`. */
export async function openPostgres(url: string, idleMs = stillMs): Promise<PostgresDatabase> {
  const pool = new Pool({
    connectionString: url,
    max: 5,
    idle_in_transaction_session_timeout: idleMs,
    types: { getTypeParser: (oid, format) => (oid === bigint ? Number : types.getTypeParser(oid, format)) },
  });
  // A connection that breaks, at rest or in use, would end the process by its event; whoever uses it is told by its query.
  pool.on("error", () => undefined);
  pool.on("connect", client => void client.on("error", () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, "postgres");
    return { db, pool, close: () => db.destroy() };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
