/**
 * Cuts a text that grows into pieces that never change again, and one that is still open: between lines, and inside of
 * lines that are very long. Reading costs what is new.
 */
export class TextCutter {
  readonly #size: number;
  #pieces: readonly string[] = [];
  #start = 0;
  #seen = "";

  /** `size`: the characters of a piece, about. */
  constructor(size: number) {
    this.#size = size;
  }

  read(text: string): { readonly pieces: readonly string[]; readonly open: string } {
    if (!continues(this.#seen, text)) {
      this.#pieces = [];
      this.#start = 0;
    }
    this.#seen = text;
    const cut: string[] = [];
    for (let end = this.#endOfPiece(text); end !== undefined; end = this.#endOfPiece(text)) {
      cut.push(text.slice(this.#start, end));
      this.#start = text[end] === "\n" ? end + 1 : end;
    }
    if (cut.length > 0) this.#pieces = [...this.#pieces, ...cut];
    return { pieces: this.#pieces, open: text.slice(this.#start) };
  }

  #endOfPiece(text: string): number | undefined {
    if (text.length - this.#start <= this.#size) return undefined;
    const lineEnd = text.indexOf("\n", this.#start + this.#size - 1);
    const most = this.#start + this.#size * 2;
    if (lineEnd >= 0 && lineEnd <= most) return lineEnd;
    if (text.length <= most) return undefined;
    return /[\uD800-\uDBFF]/.test(text[most - 1] ?? "") ? most + 1 : most;
  }
}

const tail = 64;

/** Whether a text is an earlier one with more behind it, as far as its last characters tell. */
export function continues(before: string, now: string): boolean {
  if (now.length < before.length) return false;
  const from = Math.max(0, before.length - tail);
  return now.startsWith(before.slice(from), from);
}
