import { TranslogueError } from "translogue";
import type { SessionKey } from "../store/store.ts";
import { LiveRun, type RunSetup } from "./live-run.ts";

/** The runs under way in this process. */
export class Runs {
  readonly #all = new Set<LiveRun>();
  readonly #bySession = new Map<string, LiveRun | Promise<LiveRun>>();
  #isDraining = false;

  /** Whether the server shuts down: no new run begins. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Throws `server/draining` once the server shuts down. */
  start(setup: RunSetup): LiveRun {
    if (this.#isDraining)
      throw new TranslogueError("server/draining", "the server shuts down; send the request again in a moment");
    const run = new LiveRun(setup);
    this.#all.add(run);
    void run.done.then(() => this.#all.delete(run));
    return run;
  }

  /** Starts the run of a session that is held for it. Who asks for it meanwhile waits until it has begun. */
  async startIn(key: SessionKey, begin: () => Promise<LiveRun>): Promise<LiveRun> {
    const name = nameOf(key);
    const beginning = begin();
    this.#bySession.set(name, beginning);
    try {
      const run = await beginning;
      this.#bySession.set(name, run);
      void run.done.then(() => this.#forget(name, run));
      return run;
    } catch (error) {
      this.#forget(name, beginning);
      throw error;
    }
  }

  /** The run of a session, where this process does it. */
  async of(key: SessionKey): Promise<LiveRun | undefined> {
    try {
      return await this.#bySession.get(nameOf(key));
    } catch {
      return undefined; // it never began, as the request for it is told
    }
  }

  /** Waits until all have ended; at the deadline what is left is stopped, and keeps what it has said. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true;
    const ended = Promise.all(Array.from(this.#all, run => run.done));
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, deadlineMs);
    await Promise.race([ended, deadline]);
    clearTimeout(timer);
    for (const run of this.#all) run.stop();
    await ended;
  }

  #forget(name: string, run: LiveRun | Promise<LiveRun>): void {
    if (this.#bySession.get(name) === run) this.#bySession.delete(name);
  }
}

const nameOf = ({ owner, id }: SessionKey): string => JSON.stringify([owner, id]);
