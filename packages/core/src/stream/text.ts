/** Bytes as they arrive → text, a character split between two chunks included. Text passes through. Bytes that are no UTF-8 become U+FFFD. */
export class ChunkText {
  /** The byte order mark is left in: only the framing knows where one may stand. */
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

  push(chunk: Uint8Array | string): string {
    return typeof chunk === "string" ? chunk : this.#utf8.decode(chunk, { stream: true });
  }

  /** What is left of a character that never came to its end. */
  end(): string {
    return this.#utf8.decode();
  }
}

export const byteOrderMark = 0xfeff;

/** What a frame may take by default: far above any real one, far below what hurts a server. */
export const maxFrame = 64 * 1024 * 1024;
