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

/** Codes of SQLSTATE that tell of the server and not of the query: no connection, no resources, an administrator's hand. */
const awayStates = /^(?:08|53|57P)/;
const awaySockets = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
]);

/** Whether the database could not be asked, so that asking again may find it back. */
export function isAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isAway);
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  // The words are those of pg, which has no codes for a connection that breaks.
  return (
    awayStates.test(code) ||
    awaySockets.has(code) ||
    /connection (?:terminated|ended)|timeout exceeded/i.test(error.message)
  );
}
