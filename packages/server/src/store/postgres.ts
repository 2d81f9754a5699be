import { sql } from "kysely";
import { Client } from "pg";
import { openPostgres } from "./postgres-database.ts";
import { SqlStore, type StoreOptions } from "./sql-store.ts";
import type { SessionKey, Store } from "./store.ts";

export interface PostgresStoreOptions extends StoreOptions {
  readonly url: string;
}

export interface PostgresStore extends Store {
  /**
   * Calls back whenever any process has added to the session, once what it added can be read. Gives what ends it. Where the
   * connection breaks it calls back too: read again, and watch anew.
   */
  watch(key: SessionKey, changed: () => void): Promise<() => Promise<void>>;
}

const channel = "translogue_session";

/**
 * Sessions on Postgres, for processes of many machines: the tables and queries of the SQLite store. The clocks of the
 * machines have to agree better than the lease is long.
 */
export async function postgresStore({ url, ...options }: PostgresStoreOptions): Promise<PostgresStore> {
  const database = await openPostgres(url);
  const store = new SqlStore(database, {
    ...options,
    kind: "postgres",
    // Ids alone: a payload has room for less than 8 kB, and the rows are read anyway.
    changed: async (tx, sessions) => {
      for (const session of sessions) await sql`select pg_notify(${channel}, ${String(session)})`.execute(tx);
    },
  });
  const watch: PostgresStore["watch"] = async ({ owner, id }, changed) => {
    const found = database.db.selectFrom("session").select("key").where("owner", "=", owner).where("id", "=", id);
    const session = String((await found.executeTakeFirst())?.key ?? "");
    const client = new Client({ connectionString: url });
    client.on("notification", ({ payload }) => payload === session && changed());
    client.on("error", changed);
    await client.connect();
    await client.query(`listen ${channel}`);
    return () => client.end();
  };
  return Object.assign(store, { watch });
}
