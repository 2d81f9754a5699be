/** Google counts the bytes of a text in UTF-8, the model its UTF-16 units (providers.md 9). */
export class ByteMap {
  readonly text: string;
  /** Where the bytes of each unit begin; undefined where each unit is one byte. */
  readonly #offsets: Uint32Array | undefined;
  /** Length in bytes. */
  readonly length: number;

  constructor(text: string) {
    this.text = text;
    this.#offsets = isAscii(text) ? undefined : offsetsOf(text);
    this.length = this.#offsets?.[text.length] ?? text.length;
  }

  byteAt(unit: number): number {
    return this.#offsets?.[unit] ?? unit;
  }

  /** Undefined inside of a character, and behind the text. */
  unitAt(byte: number): number | undefined {
    if (!this.#offsets) return byte <= this.length ? byte : undefined;
    let [low, high] = [0, this.text.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#offsets[middle] ?? 0) < byte) low = middle + 1;
      else high = middle;
    }
    return this.#offsets[low] === byte ? low : undefined;
  }
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

function offsetsOf(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length + 1);
  let byte = 0;
  for (let unit = 0; unit < text.length; unit++) {
    offsets[unit] = byte;
    const code = text.codePointAt(unit) ?? 0;
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code > 0xffff) offsets[++unit] = byte - 2; // the other half of a pair stands inside of a character
  }
  offsets[text.length] = byte;
  return offsets;
}
