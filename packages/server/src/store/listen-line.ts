import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

export interface ListenLineOptions {
  readonly url: string;
  readonly channel: string;
  readonly heard: (payload: string) => void;
  /** It broke and listens again: what was said in between went by. */
  readonly mended: () => void;
}

/** How soon a database that was away is listened to again. */
const awayMs = 200;

/** A connection to Postgres that listens to a channel, and is made anew where it breaks, until it is closed. */
export class ListenLine {
  readonly #options: ListenLineOptions;
  readonly #closed = new AbortController();
  /** The connection there is, or that is being made: one at a time. */
  #client: Promise<Client>;

  constructor(options: ListenLineOptions) {
    this.#options = options;
    this.#client = this.#connected();
    this.#client.catch(() => undefined); // heard by `listening`
  }

  /** Resolves once it listens. Rejects where the first connection cannot be made. */
  async listening(): Promise<void> {
    await this.#client;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const client = await this.#client.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  async #connected(): Promise<Client> {
    const { url, channel, heard } = this.#options;
    const client = new Client({ connectionString: url, keepAlive: true });
    client.on("notification", ({ payload }) => payload !== undefined && !this.#closed.signal.aborted && heard(payload));
    client.on("error", () => undefined); // it ends then, too
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.once("end", () => this.#broke());
    return client;
  }

  #broke(): void {
    if (this.#closed.signal.aborted) return;
    this.#client = this.#again();
    this.#client.catch(() => undefined); // closed meanwhile
  }

  async #again(): Promise<Client> {
    const { signal } = this.#closed;
    for (;;) {
      signal.throwIfAborted();
      const client = await this.#connected().catch(() => undefined);
      if (client) {
        if (!signal.aborted) this.#options.mended();
        return client;
      }
      await sleep(awayMs, undefined, { ref: false, signal });
    }
  }
}
