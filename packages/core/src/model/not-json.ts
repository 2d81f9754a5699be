import type { Path } from "./issue.ts";

/** The first place of a value that JSON has no word for, with what is there; undefined where all of it is JSON. Members without a value are none. */
export function notJsonIn(value: unknown): { readonly path: Path; readonly what: string } | undefined {
  const met = new Set<object>();
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: found, path } = next;
    const what = wordOf(found);
    if (what !== undefined) return { path, what };
    if (typeof found !== "object" || found === null || met.has(found)) continue;
    met.add(found);
    const members: readonly (readonly [string | number, unknown])[] = Array.isArray(found)
      ? Array.from(found, (item: unknown, index) => [index, item] as const)
      : Object.entries(found).filter(([, member]) => member !== undefined);
    // The last that is opened is looked at first.
    for (const [name, member] of members.toReversed()) open.push({ value: member, path: [...path, name] });
  }
  return undefined;
}

/** What no JSON holds, in words. */
function wordOf(value: unknown): string | undefined {
  if (value === undefined) return "nothing";
  return typeof value === "bigint" || typeof value === "symbol" || typeof value === "function"
    ? `a ${typeof value}`
    : undefined;
}
