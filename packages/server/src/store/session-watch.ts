import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { ListenLine } from "./listen-line.ts";
import type { Tables } from "./schema.ts";
import type { SessionKey } from "./store.ts";

// Not `translogue_session`: there, earlier versions told numbers of rows.
const channel = "translogue_session_name";

/** A payload has room for less than 8 kB, and owners and ids may be longer. It is known before there is such a session, and asks for no row. */
const nameOf = ({ owner, id }: SessionKey): string =>
  createHash("sha256")
    .update(JSON.stringify([owner, id]))
    .digest("base64url");

/** Tells who watches these sessions, once the transaction is committed. */
export async function notify(tx: Transaction<Tables>, sessions: readonly SessionKey[]): Promise<void> {
  for (const session of sessions) await sql`select pg_notify(${channel}, ${nameOf(session)})`.execute(tx);
}

interface Watcher {
  readonly changed: () => void;
  isHere: boolean;
}

/** One connection that listens for all who watch, for as long as anybody does. */
export class SessionWatch {
  readonly #url: string;
  /** By the name of their session. */
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** Ended with the last who watched; who comes after that has another. */
  #line: ListenLine | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves once nothing that is added from here on goes by unheard. */
  async watch(session: SessionKey, changed: () => void): Promise<() => Promise<void>> {
    const name = nameOf(session);
    const watcher: Watcher = { changed, isHere: true };
    const beside = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, beside.add(watcher));
    const leave = async (): Promise<void> => {
      watcher.isHere = false;
      beside.delete(watcher);
      if (beside.size === 0 && this.#watchers.get(name) === beside) this.#watchers.delete(name);
      if (this.#watchers.size === 0) await this.close();
    };
    this.#line ??= new ListenLine({
      url: this.#url,
      channel,
      heard: payload => this.#tell(this.#watchers.get(payload) ?? []),
      // Nobody knows what went by.
      mended: () => this.#tell([...this.#watchers.values()].flatMap(each => [...each])),
    });
    try {
      await this.#line.listening();
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  }

  /** Nobody is told of anything any more. */
  async close(): Promise<void> {
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher.isHere = false;
    this.#watchers.clear();
    const line = this.#line;
    this.#line = undefined;
    await line?.close();
  }

  #tell(watchers: Iterable<Watcher>): void {
    // One of them may leave while another is told.
    for (const watcher of [...watchers]) if (watcher.isHere) watcher.changed();
  }
}
