import { SqlStore, type StoreOptions } from "./sql-store.ts";
import { openSqlite } from "./sqlite-file.ts";
import type { Store } from "./store.ts";

export interface SqliteStoreOptions extends StoreOptions {
  /** A file, made if need be with its folder; `:memory:` for one that is gone with the process. */
  readonly path: string;
}

/**
 * Sessions in one SQLite file: WAL, every commit on disk before it counts. Two processes on one file are safe: a session
 * is held by a lease, and what a process writes after it lost the lease is refused.
 */
export const sqliteStore = async ({ path, ...options }: SqliteStoreOptions): Promise<Store> =>
  new SqlStore(await openSqlite(path), { ...options, kind: "sqlite" });
