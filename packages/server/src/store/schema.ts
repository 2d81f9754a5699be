import type { Generated, Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { TranslogueError } from "translogue";

export interface Tables {
  session: SessionTable;
  event: EventTable;
}

/** One row a session: its place in lists, and who holds it. All else of it is its events. */
interface SessionTable {
  key: Generated<number>;
  owner: string;
  id: string;
  title: string | null;
  created_at: number;
  updated_at: number;
  /** The run that holds the session, by which process, until when. */
  run: string | null;
  holder: string | null;
  lease_until: number | null;
}

/** The history and the resumable stream. `seq` numbers events within their session; a row of `count` events has its first's. */
interface EventTable {
  session: number;
  seq: number;
  count: number;
  kind: string;
  run: string | null;
  at: number;
  body: string;
}

/** In the order of their names. What was released is never edited: a new one is added. */
const migrations: { readonly [name: string]: Migration } = {
  "0001_sessions_and_events": {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("session")
        .addColumn("key", "integer", column => column.primaryKey().autoIncrement())
        .addColumn("owner", "text", column => column.notNull())
        .addColumn("id", "text", column => column.notNull())
        .addColumn("title", "text")
        .addColumn("created_at", "integer", column => column.notNull())
        .addColumn("updated_at", "integer", column => column.notNull())
        .addColumn("run", "text")
        .addColumn("holder", "text")
        .addColumn("lease_until", "integer")
        .addUniqueConstraint("session_of_owner", ["owner", "id"])
        .execute();
      await db.schema.createIndex("session_by_change").on("session").columns(["owner", "updated_at"]).execute();
      await db.schema
        .createTable("event")
        .addColumn("session", "integer", column => column.notNull().references("session.key").onDelete("cascade"))
        .addColumn("seq", "integer", column => column.notNull())
        .addColumn("count", "integer", column => column.notNull())
        .addColumn("kind", "text", column => column.notNull())
        .addColumn("run", "text")
        .addColumn("at", "integer", column => column.notNull())
        .addColumn("body", "text", column => column.notNull())
        .addPrimaryKeyConstraint("event_of_session", ["session", "seq"])
        .execute();
    },
  },
};

/** Brings a database to this version's tables. Throws `store/newer` where a later version has been at it. */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const isNewer = error instanceof Error && /previously executed migration .* is missing/.test(error.message);
  if (!isNewer) throw error;
  const message =
    "the database was made by a later version of the server; run that version, or give this one a new file";
  throw new TranslogueError("store/newer", message, { cause: error });
}
