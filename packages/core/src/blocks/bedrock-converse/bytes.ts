/** Bytes as Bedrock's JSON has them: base64. */

/** The bytes of base64 as text, a character a byte; undefined where it is no base64. */
function binary(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined; // atob throws at what is none
  }
}

const printable = /^[\x20-\x7e]+$/;

/** The text whose bytes these are, where base64 of it is what stood there. */
export function textOfBase64(base64: string): string | undefined {
  const text = binary(base64);
  return text !== undefined && printable.test(text) && btoa(text) === base64 ? text : undefined;
}

/** Undefined where the text has more than plain ASCII. */
export const base64OfText = (text: string): string | undefined => (printable.test(text) ? btoa(text) : undefined);

/** The base64 of bytes that came in pieces, each as base64 of its own. */
export function joinBase64(pieces: readonly string[]): string {
  const isPlain = pieces.every(
    (piece, index) => piece.length % 4 === 0 && (index === pieces.length - 1 || !piece.endsWith("=")),
  );
  if (isPlain || pieces.length < 2) return pieces.join("");
  const all = pieces.map(binary);
  return all.every(piece => piece !== undefined) ? btoa(all.join("")) : pieces.join("");
}

/** As `String.fromCharCode` takes them at once. */
const chunk = 0x8000;

export function base64OfBytes(bytes: Uint8Array): string {
  const texts: string[] = [];
  for (let start = 0; start < bytes.length; start += chunk) {
    texts.push(String.fromCharCode(...bytes.subarray(start, start + chunk)));
  }
  return btoa(texts.join(""));
}

/** Undefined where it is no base64. */
export function bytesOfBase64(base64: string): Uint8Array | undefined {
  const text = binary(base64);
  return text === undefined ? undefined : Uint8Array.from(text, character => character.charCodeAt(0));
}
