import type { Json } from "../model/json.ts";
import { type ExactText, parseJson } from "../model/json-text.ts";

/** A frame's JSON. Only where a number may be odd is it read slowly. Throws `SyntaxError`. */
export function parseFrame(text: string, exact: ExactText | undefined): Json {
  const value = JSON.parse(text) as Json; // JSON.parse gives JSON
  if (!exact || !mayHaveOddNumber(text)) return value;
  const parsed = parseJson(text);
  takeSpelling(parsed.exact, exact);
  return parsed.value;
}

/** Adds what one value's spelling says to that of a whole stream. */
export function takeSpelling(from: ExactText | undefined, to: ExactText | undefined): void {
  if (!from || !to) return;
  for (const [holder, texts] of from.numbers) to.numbers.set(holder, texts);
  for (const [holder, members] of from.members) to.members.set(holder, members);
}

const [minus, dot, zero, nine] = [45, 46, 48, 57];

/**
 * Whether digits stand somewhere that JavaScript may spell otherwise: long ones, with an exponent, with a zero at the end of
 * a fraction, less than nothing. In texts too, which costs only time. By hand, for every frame of a stream is asked: a
 * pattern takes three times as long, as much as half of its parsing.
 */
function mayHaveOddNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text.charCodeAt(at))) continue;
    const start = at;
    while (isDigit(text.charCodeAt(at + 1))) at++;
    if (isOdd(text, start, at)) return true;
  }
  return false;
}

/** The digits from `start` to `end`, both of them included. */
function isOdd(text: string, start: number, end: number): boolean {
  if (end - start >= 15) return true;
  const next = text.charCodeAt(end + 1);
  if (next === 101 || next === 69) return /^[+\-\d]$/.test(text.charAt(end + 2)); // e, E
  if (text.charCodeAt(end) !== zero) return false;
  const before = text.charCodeAt(start - 1);
  if (before === dot) return isDigit(text.charCodeAt(start - 2));
  return before === minus && start === end && next !== dot;
}

const isDigit = (code: number): boolean => code >= zero && code <= nine;
