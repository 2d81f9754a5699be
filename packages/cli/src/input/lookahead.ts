/** Decides something by the first bytes of an input: undefined until it is sure. */
export interface Scout<T> {
  push(chunk: Buffer): T | undefined;
  end(): T;
}

/** An input of which the beginning is looked at before it is read. */
export class Lookahead {
  readonly #held: Buffer[] = [];
  readonly #rest: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.#rest = source[Symbol.asyncIterator]();
  }

  /** Shows the beginning to a scout, and reads no further than it must: a live stream is not held up. */
  async scan<T>(scout: Scout<T>): Promise<T> {
    for (const chunk of this.#held) {
      const found = scout.push(chunk);
      if (found !== undefined) return found;
    }
    for (let next = await this.#rest.next(); !next.done; next = await this.#rest.next()) {
      this.#held.push(next.value);
      const found = scout.push(next.value);
      if (found !== undefined) return found;
    }
    return scout.end();
  }

  /** All bytes from the first. Once only: what was held is let go as it is read. */
  async *bytes(): AsyncGenerator<Buffer> {
    for (let chunk = this.#held.shift(); chunk !== undefined; chunk = this.#held.shift()) yield chunk;
    yield* { [Symbol.asyncIterator]: () => this.#rest };
  }

  /** What was not read will not be. */
  async close(): Promise<void> {
    await this.#rest.return?.();
  }
}
