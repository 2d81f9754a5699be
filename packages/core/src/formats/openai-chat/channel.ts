interface Waiting {
  readonly pieces: string[];
  isEnded: boolean;
}

/**
 * One text of the wire that several parts share: they pass one after another in the order of their start. What comes of a
 * later one waits until those before it have ended.
 */
export class Channel {
  readonly #parts = new Map<string, Waiting>();
  readonly #order: string[] = [];
  readonly #sent: string[] = [];
  #current = 0;

  /** All that is out. */
  get sent(): string {
    return this.#sent.join("");
  }

  has(key: string): boolean {
    return this.#parts.has(key);
  }

  open(key: string): void {
    if (this.#parts.has(key)) return;
    this.#parts.set(key, { pieces: [], isEnded: false });
    this.#order.push(key);
  }

  /** Text of a part: what of it goes out now. */
  push(key: string, text: string): string {
    const part = this.#parts.get(key);
    if (!part) return "";
    if (this.#order[this.#current] === key) return this.send(text);
    part.pieces.push(text);
    return "";
  }

  /** No more text of a part: what may follow now. */
  end(key: string): string {
    const part = this.#parts.get(key);
    if (part) part.isEnded = true;
    return this.#order[this.#current] === key ? this.#advance() : "";
  }

  endAll(): string {
    for (const part of this.#parts.values()) part.isEnded = true;
    return this.#current < this.#order.length ? this.#advance() : "";
  }

  #advance(): string {
    let text = "";
    while (this.#current < this.#order.length) {
      const part = this.#parts.get(this.#order[this.#current] ?? "");
      text += part?.pieces.splice(0).join("") ?? "";
      if (!part?.isEnded) break;
      this.#current++;
    }
    return text === "" ? "" : this.send(text);
  }

  send(text: string): string {
    this.#sent.push(text);
    return text;
  }
}
