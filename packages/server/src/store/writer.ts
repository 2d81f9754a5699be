import { type Event, TranslogueError } from "translogue";
import type { Entry } from "./store.ts";

export interface Append {
  /** Row key of the session. */
  readonly session: number;
  readonly run: string;
  readonly entries: readonly Entry[];
}

interface Waiter {
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

interface Waiting {
  readonly append: Append & { readonly entries: Entry[] };
  readonly waiters: Waiter[];
}

/** Commits a group; gives the appends that were fenced off. */
type Commit = (appends: readonly Append[]) => Promise<ReadonlySet<Append>>;

/** Group commit: what many runs add within some milliseconds shares one transaction and one write to the disk. */
export class Writer {
  readonly #groupMs: number;
  readonly #commit: Commit;
  #waiting = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  /** The last commit begun: the next waits for it, so that entries keep their order. */
  #last: Promise<void> = Promise.resolve();

  constructor(groupMs: number, commit: Commit) {
    this.#groupMs = groupMs;
    this.#commit = commit;
  }

  /** Resolves once the entries are durable. `now`: with whatever else is ready in this turn of the event loop. */
  add(append: Append, when: "now" | "soon"): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const key = `${append.session} ${append.run}`;
    const waiting = this.#waiting.get(key) ?? { append: { ...append, entries: [] }, waiters: [] };
    this.#waiting.set(key, waiting);
    for (const entry of append.entries) push(waiting.append.entries, entry);
    waiting.waiters.push({ done: resolve, failed: reject });
    if (when === "now") this.#immediate ??= setImmediate(() => this.#flush());
    else this.#timer ??= setTimeout(() => this.#flush(), this.#groupMs);
    return promise;
  }

  close(): Promise<void> {
    this.#flush();
    return this.#last;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
    const group = [...this.#waiting.values()];
    this.#waiting = new Map();
    if (group.length > 0) this.#last = this.#last.then(() => this.#write(group));
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    try {
      const refused = await this.#commit(group.map(({ append }) => append));
      for (const { append, waiters } of group) {
        for (const { done, failed } of waiters) refused.has(append) ? failed(fenced(append.run)) : done();
      }
    } catch (error) {
      for (const { waiters } of group) for (const { failed } of waiters) failed(error);
    }
  }
}

/** Events that follow each other share a row. The list of a shared row is ours, and grows in place. */
function push(entries: Entry[], entry: Entry): void {
  const last = entries.at(-1);
  if (entry.kind !== "events") entries.push(entry);
  else if (last?.kind === "events" && last.run === entry.run)
    for (const event of entry.events) (last.events as Event[]).push(event); // made below
  else entries.push({ ...entry, events: [...entry.events] });
}

const fenced = (run: string): TranslogueError =>
  new TranslogueError("store/fenced", `another process took the session of run \`${run}\` over`, { data: { run } });
