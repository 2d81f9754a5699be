import { type Engine, journalEngine, type RunBody } from "@translogue/agent";
import { openSqlite } from "../store/sqlite-file.ts";
import { keptMs } from "./kept.ts";
import { TableJournal } from "./table-journal.ts";

export interface SqliteEngineOptions {
  /** A file, made if need be with its folder; it may be the one of the sessions. */
  readonly path: string;
  /** What its runs do. Without one it only keeps what is to be run, and reads results. */
  readonly body?: RunBody;
  /** How long a process that gives no sign of life keeps its runs. Default 10 s; one that is known to be gone loses them at once. */
  readonly leaseMs?: number;
  /** How often it gives a sign of life and looks for dead executors. Default 1 s. */
  readonly beatMs?: number;
  /** How often a run that ends its process is begun. Default 50. */
  readonly maxExecutions?: number;
  /** How long results of runs are kept: until then a run of the id is the same run. Default 7 days. */
  readonly keepMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const mostExecutions = 50;

/** Durable runs in one SQLite file, for the processes of one machine. Throws `store/newer`. */
export async function sqliteEngine(options: SqliteEngineOptions): Promise<Engine> {
  const { path, body, leaseMs = 10_000, maxExecutions = mostExecutions, keepMs = keptMs, now = Date.now } = options;
  const { db, close } = await openSqlite(path);
  const journal = new TableJournal({ db, now, leaseMs, maxExecutions, keepMs, close });
  return journalEngine({
    journal,
    ...(body && { body }),
    ...(options.beatMs !== undefined && { beatMs: options.beatMs }),
  });
}
