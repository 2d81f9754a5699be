import type { JsonObject } from "translogue";

interface Opening {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** As much as tells what it is: the first brace, or the first few letters. White space before it means nothing in any framing. */
export async function opening(pieces: AsyncIterator<Uint8Array>): Promise<Opening> {
  let bytes: Uint8Array = new Uint8Array();
  let text = "";
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const from = bytes.length === 0 ? next.value.findIndex(byte => byte > 32) : 0;
    if (from === -1) continue;
    bytes = joined(bytes, next.value.subarray(from));
    text = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
    if (/^[[{<:]/.test(text) || text.length >= 8) break;
  }
  return { bytes, text };
}

const longestBody = 64 * 1024;

/** The beginning of a body: until it is whole, where it is JSON, else its first piece. What breaks is what there is. */
export async function bodyOf(pieces: AsyncIterator<Uint8Array>): Promise<Opening> {
  let bytes: Uint8Array = new Uint8Array();
  let text = "";
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      bytes = joined(bytes, next.value);
      text = new TextDecoder().decode(bytes);
      if (!/^\s*(?:[[{]|$)/.test(text) || parsed(text) || bytes.length > longestBody) break;
    }
  } catch {
    // Its status says enough.
  }
  return { bytes, text };
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}

export async function* rejoined(begin: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield begin;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** The text of an answer, up to this many bytes. */
export async function textOf(pieces: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const utf8 = new TextDecoder();
  const texts: string[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) break;
    texts.push(utf8.decode(piece, { stream: true }));
  }
  return texts.join("") + utf8.decode();
}

export function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonObject) : undefined; // what JSON.parse gives
  } catch {
    return undefined;
  }
}
