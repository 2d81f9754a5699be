import type { CompiledQuery, Kysely, Selectable, SelectQueryBuilder, Transaction } from "kysely";
import { TranslogueError } from "translogue";
import { forgetHolder, isHeldAt, isLeasedAt, newHolder } from "./holder.ts";
import type { SqlKind, Tables } from "./schema.ts";
import type { OpenDatabase } from "./sqlite-file.ts";
import type { Claim, Entry, SessionKey, Store, StoredEntries, StoredSession } from "./store.ts";
import { type Append, Writer } from "./writer.ts";

export interface StoreOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long a process that gives no sign of life keeps its sessions. Default 20 s. */
  readonly leaseMs?: number;
  /** How long deltas may wait for their transaction. Default 30 ms. */
  readonly groupMs?: number;
}

type SessionRecord = Selectable<Tables["session"]>;

/** What the databases do each in their own way. */
export interface SqlStoreOptions extends StoreOptions {
  readonly kind: SqlKind;
  /** Called in the transaction that adds to these sessions, or removes them. */
  readonly changed?: (tx: Transaction<Tables>, sessions: readonly SessionKey[]) => Promise<void>;
}

/** Sessions in two tables: the same queries on SQLite, where transactions come one after another, and on Postgres, where rows are locked. */
export class SqlStore implements Store {
  readonly #database: OpenDatabase;
  readonly #db: Kysely<Tables>;
  readonly #settings: Required<StoreOptions>;
  readonly #kind: SqlKind;
  readonly #changed: SqlStoreOptions["changed"];
  readonly #holder = newHolder();
  readonly #writer: Writer;
  /** Sessions that runs of this process hold: the number of the next event. */
  readonly #held = new Map<number, number>();
  readonly #insert: CompiledQuery;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(database: OpenDatabase, options: SqlStoreOptions) {
    const { db } = database;
    const { kind, changed, now = Date.now, leaseMs = 20_000, groupMs = 30 } = options;
    this.#database = database;
    this.#db = db;
    this.#kind = kind;
    this.#changed = changed;
    this.#settings = { now, leaseMs, groupMs };
    this.#insert = db.insertInto("event").values(eventRow).compile();
    this.#writer = new Writer(groupMs, appends => this.#commit(appends));
  }

  async list(owner: string, page: { readonly limit: number; readonly before?: number }): Promise<StoredSession[]> {
    let query = this.#db.selectFrom("session").selectAll().where("owner", "=", owner);
    if (page.before !== undefined) query = query.where("updated_at", "<", page.before);
    const rows = await query.orderBy("updated_at", "desc").orderBy("key", "desc").limit(page.limit).execute();
    return rows.map(row => this.#session(row));
  }

  async read(key: SessionKey): Promise<StoredEntries | undefined> {
    const session = await find(this.#db, key);
    if (!session) return undefined;
    const events = this.#db.selectFrom("event").select("body").where("session", "=", session.key);
    const rows = await events.orderBy("seq").execute();
    return { session: this.#session(session), entries: rows.map(row => readEntry(row)) };
  }

  async claim(key: SessionKey, run: string): Promise<Claim> {
    const now = this.#settings.now();
    const held = { run, holder: this.#holder, lease_until: now + this.#settings.leaseMs };
    const { session, seq } = await this.#db.transaction().execute(async tx => {
      const made = { ...key, title: null, created_at: now, updated_at: now, ...held };
      const insert = tx
        .insertInto("session")
        .values(made)
        .onConflict(conflict => conflict.doNothing());
      const added = (await find(tx, key)) ? undefined : await insert.returning("key").executeTakeFirst();
      if (added) return { session: added.key, seq: 0 };
      const found = await this.#lock(tx, key);
      if (!found || this.#isHeld(found)) throw busy(key, found?.run ?? null);
      await tx.updateTable("session").set(held).where("key", "=", found.key).execute();
      return { session: found.key, seq: await nextSeq(tx, found.key) };
    });
    this.#held.set(session, seq);
    this.#heartbeat ??= setInterval(() => void this.#renew(), this.#settings.leaseMs / 4).unref();
    return {
      key,
      run,
      append: (entries, when) => this.#writer.add({ session, run, entries }, when),
      release: () => this.#release(session, run),
    };
  }

  async remove(key: SessionKey): Promise<boolean> {
    return this.#db.transaction().execute(async tx => {
      const found = await this.#lock(tx, key);
      if (!found) return false;
      if (this.#isHeld(found)) throw busy(key, found.run);
      await tx.deleteFrom("session").where("key", "=", found.key).execute();
      await this.#changed?.(tx, [key]);
      return true;
    });
  }

  async probe(): Promise<void> {
    await this.#db.selectFrom("session").select("key").limit(1).execute();
  }

  async close(): Promise<void> {
    await this.#writer.close();
    clearInterval(this.#heartbeat);
    forgetHolder(this.#holder);
    await this.#database.close();
  }

  /** One transaction for what many runs have waiting. Gives the appends that were fenced off. */
  async #commit(appends: readonly Append[]): Promise<ReadonlySet<Append>> {
    const at = this.#settings.now();
    const seqs = new Map<number, number>();
    const fenced = await this.#db.transaction().execute(async tx => {
      const sessions = appends.map(append => append.session);
      const holding = tx.selectFrom("session").select(["key", "run", "owner", "id"]).where("holder", "=", this.#holder);
      const ours = await this.#locked(holding.where("key", "in", sessions).orderBy("key")).execute();
      const held = new Map(ours.map(({ key, run }) => [key, run]));
      const refused = new Set<Append>();
      for (const append of appends) {
        const seq = this.#held.get(append.session);
        if (seq === undefined || held.get(append.session) !== append.run) refused.add(append);
        else seqs.set(append.session, await this.#write(tx, append, { seq, at }));
      }
      await this.#changed?.(
        tx,
        ours.filter(({ key }) => seqs.has(key)),
      );
      return refused;
    });
    for (const [session, seq] of seqs) this.#held.set(session, seq);
    for (const append of appends) if (!fenced.has(append) && endsRun(append)) this.#held.delete(append.session);
    return fenced;
  }

  /** Gives the number of the next event. */
  async #write(
    tx: Transaction<Tables>,
    { session, run, entries }: Append,
    from: { readonly seq: number; readonly at: number },
  ): Promise<number> {
    let { seq } = from;
    for (const entry of entries) {
      // The stream of a run that ended is kept for its readers until the next run begins; its messages stand in its `end`.
      if (entry.kind === "run") {
        await tx.deleteFrom("event").where("session", "=", session).where("kind", "=", "events").execute();
      }
      const count = entry.kind === "events" ? entry.events.length : 1;
      const of = "run" in entry ? entry.run : null;
      const parameters = [session, seq, count, entry.kind, of, from.at, JSON.stringify(entry)];
      await tx.executeQuery({ ...this.#insert, parameters });
      seq += count;
    }
    if (entries.some(entry => entry.kind !== "events")) {
      await tx.updateTable("session").set(changes({ run, entries }, from.at)).where("key", "=", session).execute();
    }
    return seq;
  }

  async #release(session: number, run: string): Promise<void> {
    this.#held.delete(session);
    await this.#db.transaction().execute(async tx => {
      const ours = tx.updateTable("session").set(free).where("key", "=", session).where("run", "=", run);
      await ours.where("holder", "=", this.#holder).execute();
      if ((await nextSeq(tx, session)) === 0) await tx.deleteFrom("session").where("key", "=", session).execute();
    });
  }

  #session(row: SessionRecord): StoredSession {
    return {
      key: { owner: row.owner, id: row.id },
      ...(row.title !== null && { title: row.title }),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...(row.run !== null && this.#isHeld(row) && { run: row.run }),
    };
  }

  /** The row, until the transaction ends nobody else's to change. */
  #lock(tx: Kysely<Tables>, key: SessionKey): Promise<SessionRecord | undefined> {
    return this.#locked(of(tx, key)).executeTakeFirst();
  }

  #locked<O>(query: SelectQueryBuilder<Tables, "session", O>): SelectQueryBuilder<Tables, "session", O> {
    return this.#kind === "postgres" ? query.forUpdate() : query;
  }

  /** Which processes are gone is known on one machine only. */
  #isHeld(row: SessionRecord): boolean {
    const isHeld = this.#kind === "sqlite" ? isHeldAt : isLeasedAt;
    return row.run !== null && isHeld(this.#settings.now(), row);
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    const lease = { lease_until: this.#settings.now() + this.#settings.leaseMs };
    const ours = this.#db.updateTable("session").set(lease).where("holder", "=", this.#holder);
    // A renewal that fails is tried again by the next; should the lease run out, the fence tells the run.
    await ours
      .where("key", "in", [...this.#held.keys()])
      .execute()
      .catch(() => undefined);
  }
}

const free = { run: null, holder: null, lease_until: null };

const of = (tx: Kysely<Tables>, { owner, id }: SessionKey) =>
  tx.selectFrom("session").selectAll().where("owner", "=", owner).where("id", "=", id);

const find = (tx: Kysely<Tables>, key: SessionKey): Promise<SessionRecord | undefined> =>
  of(tx, key).executeTakeFirst();

/** As it is compiled: its columns in order. */
const eventRow = { session: 0, seq: 0, count: 0, kind: "", run: "", at: 0, body: "" };

async function nextSeq(tx: Transaction<Tables>, session: number): Promise<number> {
  const last = tx.selectFrom("event").select(["seq", "count"]).where("session", "=", session);
  const found = await last.orderBy("seq", "desc").limit(1).executeTakeFirst();
  return found ? found.seq + found.count : 0;
}

type Added = Pick<Append, "run" | "entries">;

const endsRun = ({ run, entries }: Added): boolean => entries.some(entry => entry.kind === "end" && entry.run === run);

/** What entries change in the row of their session. */
function changes(added: Added, at: number) {
  const title = added.entries.findLast(entry => entry.kind === "title")?.title;
  return { updated_at: at, ...(title !== undefined && { title }), ...(endsRun(added) && free) };
}

const readEntry = (row: { readonly body: string }): Entry => JSON.parse(row.body) as Entry; // only `#write` writes rows

const busy = (key: SessionKey, run: string | null): TranslogueError =>
  new TranslogueError(
    "session/busy",
    `the session \`${key.id}\` is answering another request (run \`${run}\`); wait for its end, follow its stream, or stop it`,
    { data: { session: key.id, run }, retryable: true },
  );
