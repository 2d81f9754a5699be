/** Inputs of the loop in their order. Who puts one waits until it is taken, so that a slow reader slows the model down. */
export class Inbox<Input> {
  #waiting: Entry<Input>[] = [];
  #taker: ((input: Input) => void) | undefined;
  #isClosed = false;

  /** Resolves when the input is taken, or given up by `interrupt`. */
  put(input: Input): Promise<void> {
    if (this.#hand(input) || this.#isClosed) return Promise.resolve();
    return new Promise(taken => this.#waiting.push({ input, taken }));
  }

  /** In place of one of the same key that still waits: of what changes fast only the newest counts. */
  putLatest(key: string, input: Input): void {
    if (this.#hand(input) || this.#isClosed) return;
    const same = this.#waiting.find(entry => entry.key === key);
    if (same) same.input = input;
    else this.#waiting.push({ input, key });
  }

  /** Before all that waits, and instead of it. */
  interrupt(input: Input): void {
    this.#giveUp();
    if (!this.#hand(input)) this.#waiting.push({ input });
  }

  /** Nobody takes any more: whoever waits, and whoever comes, goes on at once. */
  close(): void {
    this.#isClosed = true;
    this.#giveUp();
  }

  take(): Promise<Input> {
    const next = this.#waiting.shift();
    if (!next) return new Promise(taker => (this.#taker = taker));
    next.taken?.();
    return Promise.resolve(next.input);
  }

  #giveUp(): void {
    const given = this.#waiting;
    this.#waiting = [];
    for (const { taken } of given) taken?.();
  }

  #hand(input: Input): boolean {
    const taker = this.#taker;
    this.#taker = undefined;
    taker?.(input);
    return taker !== undefined;
  }
}

interface Entry<Input> {
  input: Input;
  readonly key?: string;
  readonly taken?: () => void;
}
