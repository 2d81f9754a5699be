import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Transaction } from "kysely";
import { Client } from "pg";
import type { Tables } from "./schema.ts";

const channel = "translogue_session";

/** Tells who watches these sessions, once the transaction is committed. */
export async function notify(tx: Transaction<Tables>, sessions: readonly number[]): Promise<void> {
  // Ids alone: a payload has room for less than 8 kB, and the rows are read anyway.
  for (const session of sessions) await sql`select pg_notify(${channel}, ${String(session)})`.execute(tx);
}

/** How soon a database that was away is listened to again. */
const awayMs = 200;

interface Watcher {
  /** The session's number; undefined while there is no such session. */
  readonly session: () => Promise<string | undefined>;
  readonly changed: () => void;
  known: string | undefined;
}

/** One connection that listens for all who watch, for as long as anybody does. */
export class SessionWatch {
  readonly #url: string;
  readonly #watchers = new Set<Watcher>();
  #listening: Promise<Client> | undefined;
  /** The connection that listens: where another ends, nothing is to be done. */
  #client: Client | undefined;
  /** Notifications are looked at one after the other, as they came. */
  #looked: Promise<void> = Promise.resolve();

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves once nothing that is added from here on goes by unheard. */
  async watch(session: Watcher["session"], changed: () => void): Promise<() => Promise<void>> {
    const watcher: Watcher = { session, changed, known: undefined };
    this.#watchers.add(watcher);
    const leave = async (): Promise<void> => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) await this.close();
    };
    try {
      this.#listening ??= this.#listen();
      await this.#listening;
      watcher.known = await session();
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  }

  /** Nobody is told of anything any more. */
  async close(): Promise<void> {
    this.#watchers.clear();
    const listening = this.#listening;
    this.#listening = undefined;
    const client = await listening?.catch(() => undefined);
    if (this.#client === client) this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #listen(): Promise<Client> {
    const client = new Client({ connectionString: this.#url, keepAlive: true });
    client.on("notification", ({ payload }) => {
      this.#looked = this.#looked.then(() => this.#heard(payload));
    });
    client.on("error", () => undefined); // it ends then, too
    client.once("end", () => this.#client === client && void this.#again());
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    return client;
  }

  async #heard(payload: string | undefined): Promise<void> {
    for (const watcher of [...this.#watchers]) {
      // A session that was not there may have been made since: its first entry tells.
      watcher.known ??= await watcher.session().catch(() => undefined);
      if (watcher.known !== payload) continue;
      this.#tell(watcher);
      // Of one that was removed and made again, the number is another.
      watcher.known = await watcher.session().catch(() => watcher.known);
    }
  }

  #tell(watcher: Watcher): void {
    if (this.#watchers.has(watcher)) watcher.changed();
  }

  /** The connection broke. Once there is another, all are told: nobody knows what went by. */
  async #again(): Promise<void> {
    while (this.#watchers.size > 0) {
      try {
        this.#listening = this.#listen();
        await this.#listening;
        for (const watcher of [...this.#watchers]) this.#tell(watcher);
        return;
      } catch {
        await sleep(awayMs, undefined, { ref: false });
      }
    }
    this.#listening = undefined;
  }
}
