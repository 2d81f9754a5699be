import { formatPath, isJsonObject, type Path } from "translogue";

/** The first place where two JSON values differ, as a sentence; undefined where they are equal. Key order does not count. */
export function difference(actual: unknown, expected: unknown): string | undefined {
  const stack: [unknown, unknown, Path][] = [[actual, expected, []]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [a, b, path] = next;
    if (Object.is(a, b) || a === b) continue;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return say(path, `${a.length} items ${clip(a)}`, `${b.length} items ${clip(b)}`);
      for (let index = a.length - 1; index >= 0; index--) stack.push([a[index], b[index], [...path, index]]);
    } else if (isJsonObject(a) && isJsonObject(b)) {
      const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
      for (const key of [...keys].reverse()) stack.push([own(a, key), own(b, key), [...path, key]]);
    } else return say(path, clip(a), clip(b));
  }
  return undefined;
}

const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined; // any object may be asked for a member

const say = (path: Path, actual: string, expected: string): string =>
  `at ${formatPath(path) || "the top"}: got ${actual}, expected ${expected}`;

function clip(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/** The value and everything in it, frozen: an input that must come out untouched. */
export function deepFreeze<T>(value: T): T {
  const stack: unknown[] = [value];
  for (let next = stack.pop(); stack.length > 0 || next !== undefined; next = stack.pop()) {
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    stack.push(...Object.values(next));
  }
  return value;
}
