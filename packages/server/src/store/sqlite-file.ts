import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { TranslogueError } from "translogue";
import { nodeSqliteDialect } from "./dialect.ts";
import { migrate, type Tables } from "./schema.ts";
import { busyMs, speaking } from "./sqlite-errors.ts";

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

/** Opens a file (made if need be, with its folder) or `:memory:`, brought to this version's tables. Throws `store/newer`, and in words what SQLite finds: `store/not-a-database`, … */
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

async function opened(path: string): Promise<Kysely<Tables>> {
  if (path !== ":memory:") makeFolder(path);
  const database = speaking(path, () => connected(path));
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database, path) });
  try {
    await migrate(db, "sqlite");
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function makeFolder(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const message = `the folder \`${folder}\` of the database can't be made: name another file, or let this process write there`;
    throw new TranslogueError("store/not-opened", message, { cause: error, data: { path } });
  }
}

function connected(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyMs, enableForeignKeyConstraints: true });
  try {
    database.exec("pragma journal_mode = wal; pragma synchronous = full");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
