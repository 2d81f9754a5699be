import { isPlainNumber, orderedKey } from "./exact-text.ts";
import type { Json } from "./json.ts";

/**
 * Whether `JSON.stringify(value)` surely gives the text back, white space aside, and the value is no deeper than `limit`.
 * Cheap and on the safe side: a text may be plain and not be recognised, never the reverse.
 */
export function isPlainText(text: string, value: Json, limit: number): boolean {
  if (typeof value === "number") return isPlainNumber(text.trim());
  if (typeof value !== "object" || value === null) return true;
  const keys = countPlainKeys(value, limit);
  return keys !== undefined && keys === countColons(text) && numbersArePlain(text);
}

/** Number of all members; undefined where a key is one that JavaScript moves, or the value too deep. */
function countPlainKeys(root: object, limit: number): number | undefined {
  let count = 0;
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return undefined;
    const next: object[] = [];
    for (const holder of level) {
      const keys = Array.isArray(holder) ? [] : Object.keys(holder);
      if (keys.some(isMoved)) return undefined;
      count += keys.length;
      addContainers(Array.isArray(holder) ? holder : Object.values(holder), next);
    }
    level = next;
  }
  return count;
}

const isMoved = (key: string): boolean => orderedKey(key) !== undefined;

function addContainers(values: readonly unknown[], next: object[]): void {
  for (const value of values) if (typeof value === "object" && value !== null) next.push(value);
}

/**
 * Quotes followed by a colon: one for each member, and more where a string begins with a colon. A quote after an odd number
 * of backslashes is inside a string. More than the value has members = a name is repeated, or it cannot be told (-1).
 */
function countColons(text: string): number {
  if (/"[ \t\r\n]+:/.test(text)) return -1;
  let count = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) count++;
  }
  return count;
}

/** Numbers that JavaScript may spell otherwise: -0, fractions, exponents, 16 digits or more. Also met inside of strings, which costs only time. */
const suspect = /[:,[]\s*(-0|-?\d+\.[\d.eE+-]*|-?\d+[eE][\d+-]*|-?\d{16,})(?=\s*[,\]}])/g;

function numbersArePlain(text: string): boolean {
  suspect.lastIndex = 0;
  for (let found = suspect.exec(text); found; found = suspect.exec(text)) {
    const number = found[1];
    if (number !== undefined && !isShortFraction(number) && !isPlainNumber(number)) return false;
  }
  return true;
}

/** Up to 15 digits are told apart by every double, so JavaScript writes them back, but for a zero at the end and exponents (of its own below 1e-6). */
const isShortFraction = (number: string): boolean =>
  number.length <= 16 && /^-?(?:[1-9]\d*\.\d*|0\.0{0,5}[1-9]\d*)$/.test(number) && !number.endsWith("0");
