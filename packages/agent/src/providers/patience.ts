import type { Sleep } from "../time.ts";

export interface PatienceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Resolves when the time is up by another clock. */
  readonly time?: Promise<void> | undefined;
  readonly sleep: Sleep;
}

/** How long a run waits for its providers: until it is stopped, or its time is up. It is to be ended. */
export class Patience {
  /** For those who are waited for. */
  readonly signal: AbortSignal | undefined;
  readonly #ended = new AbortController();

  constructor({ signal, timeoutMs, time, sleep }: PatienceOptions) {
    const own = timeoutMs === undefined ? undefined : sleep(timeoutMs, this.#ended.signal);
    const times = [time, own].filter(each => each !== undefined);
    const late = new AbortController();
    const isLate = (): void => late.abort(new Error("the time of the run is up"));
    for (const each of times) each.then(isLate, () => undefined);
    if (times.length === 0) this.signal = signal;
    else this.signal = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  }

  get isOver(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** What the work gives; undefined where it was not waited for to its end. */
  async for<T>(work: () => T | Promise<T>): Promise<{ readonly value: T } | undefined> {
    const { signal } = this;
    if (!signal) return { value: await work() };
    let leave = (): void => {};
    const over = new Promise<undefined>(resolve => (leave = () => resolve(undefined)));
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    const done = (async () => ({ value: await work() }))();
    try {
      return await Promise.race([done, over]);
    } catch (cause) {
      if (this.isOver) return undefined; // it listened to the signal
      throw cause;
    } finally {
      signal.removeEventListener("abort", leave);
      done.catch(() => undefined); // who is left is heard by nobody
    }
  }

  end(): void {
    this.#ended.abort();
  }
}
