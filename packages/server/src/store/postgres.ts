import { openPostgres } from "./postgres-database.ts";
import { notify, SessionWatch } from "./session-watch.ts";
import { SqlStore, type StoreOptions } from "./sql-store.ts";
import type { SessionKey, Store } from "./store.ts";

export interface PostgresStoreOptions extends StoreOptions {
  readonly url: string;
}

export interface PostgresStore extends Store {
  /**
   * Calls back whenever any process has added to the session or removed it, once that can be read; the session may be one
   * that is still to be made. Resolves when it listens: read behind that. Gives what ends it. Where the connection breaks it is made
   * anew, and everybody is called: read again.
   */
  watch(key: SessionKey, changed: () => void): Promise<() => Promise<void>>;
}

/**
 * Sessions on Postgres, for processes of many machines: the tables and queries of the SQLite store. The clocks of the
 * machines have to agree better than the lease is long.
 */
export async function postgresStore({ url, ...options }: PostgresStoreOptions): Promise<PostgresStore> {
  const database = await openPostgres(url);
  const watched = new SessionWatch(url);
  const close = async (): Promise<void> => {
    await watched.close();
    await database.close();
  };
  const store = new SqlStore({ db: database.db, close }, { ...options, kind: "postgres", changed: notify });
  const watch: PostgresStore["watch"] = (key, changed) => watched.watch(key, changed);
  return Object.assign(store, { watch });
}
