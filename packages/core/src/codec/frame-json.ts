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

/**
 * A number that JavaScript may spell otherwise: "-0", one with a zero at the end of its fraction or six of them at its
 * begin, with an exponent, with 16 digits or more. Begins with what stands before a number, so that few places of a text are looked at closely: every frame
 * of a stream is asked. Also met inside of strings, which costs only time.
 */
const oddNumber = /[:,[\s](?:-0(?![.\d])|-?\d+(?:\.(?:0{6}|\d*0(?!\d))|(?:\.\d+)?[eE])|-?(?:\d{16}|[\d.]{17}))/;

/** A number alone has nothing before it. */
const mayHaveOddNumber = (text: string): boolean => oddNumber.test(text) || /^[-\d]/.test(text);
