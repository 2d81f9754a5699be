import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { nodeSqliteDialect } from "./dialect.ts";
import { migrate, type Tables } from "./schema.ts";

/** A database with its tables, for as long as somebody uses it. */
export interface OpenDatabase {
  readonly db: Kysely<Tables>;
  close(): Promise<void>;
}

interface Shared {
  readonly opening: Promise<Kysely<Tables>>;
  users: number;
}

/**
 * The files that are open. One connection a process: `node:sqlite` waits for another's lock without giving way to anything
 * else, so two connections of one process would wait for each other until both give up.
 */
const files = new Map<string, Shared>();

/** Opens a file (made if need be, with its folder) or `:memory:`, brought to this version's tables. Throws `store/newer`. */
export async function openSqlite(path: string): Promise<OpenDatabase> {
  if (path === ":memory:") {
    const db = await opened(path);
    return { db, close: () => db.destroy() };
  }
  const name = resolve(path);
  const shared = files.get(name) ?? { opening: opened(name), users: 0 };
  files.set(name, shared);
  shared.users++;
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    if (--shared.users > 0) return;
    files.delete(name);
    await (await shared.opening).destroy();
  };
  try {
    return { db: await shared.opening, close };
  } catch (error) {
    files.delete(name);
    throw error;
  }
}

const busyMs = 5000;

async function opened(path: string): Promise<Kysely<Tables>> {
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: busyMs, enableForeignKeyConstraints: true });
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) });
  try {
    await migrate(db, "sqlite");
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
