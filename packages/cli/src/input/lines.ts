/** Whole lines, as bytes: what comes before the last line end. */
export interface LineBatch {
  readonly bytes: Buffer;
  /** Number of its first line, from 1. */
  readonly line: number;
}

const lineFeed = 10;

/** Bytes as they come → batches of whole lines. Holds no more than one line; the cost is that of the bytes. */
export class LineBatches {
  /** Of a line that has not ended. */
  #pending: Buffer[] = [];
  #line = 1;

  push(chunk: Buffer): LineBatch | undefined {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end === 0) {
      this.#pending.push(chunk);
      return undefined;
    }
    const whole = chunk.subarray(0, end);
    const bytes = this.#pending.length === 0 ? whole : Buffer.concat([...this.#pending, whole]);
    this.#pending = end < chunk.length ? [chunk.subarray(end)] : [];
    return this.#batch(bytes);
  }

  /** A last line needs no line end. */
  end(): LineBatch | undefined {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    return bytes.length === 0 ? undefined : this.#batch(bytes);
  }

  #batch(bytes: Buffer): LineBatch {
    const batch = { bytes, line: this.#line };
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) this.#line++;
    return batch;
  }
}

/** The lines of a batch, each with its number and without its end. */
export function* linesOf({
  bytes,
  line: first,
}: LineBatch): Generator<{ readonly bytes: Buffer; readonly line: number }> {
  let line = first;
  for (let at = 0; at < bytes.length; line++) {
    const found = bytes.indexOf(lineFeed, at);
    const end = found === -1 ? bytes.length : found;
    yield { bytes: bytes.subarray(at, end), line };
    at = end + 1;
  }
}
