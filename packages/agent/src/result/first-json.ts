import type { Json } from "translogue";

/** The first JSON value that a text begins with, whatever follows it; undefined where there is none, or it is cut. */
export function firstJson(text: string): { readonly value: Json } | undefined {
  const rest = text.trimStart();
  const end = rest[0] === "{" || rest[0] === "[" ? endOfNested(rest) : endOfPlain(rest);
  if (end === undefined) return undefined;
  try {
    return { value: JSON.parse(rest.slice(0, end)) as Json }; // what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
}

/** Behind the bracket that closes the first one; brackets in strings are text. */
function endOfNested(text: string): number | undefined {
  let depth = 0;
  const marks = /"(?:[^"\\]|\\[\s\S])*"|[[\]{}]/g;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === "{" || mark[0] === "[") depth += 1;
    else if (mark[0] === "}" || mark[0] === "]") depth -= 1;
    if (depth === 0) return marks.lastIndex;
  }
  return undefined;
}

const plain = /^(?:"(?:[^"\\]|\\[\s\S])*"|true|false|null|-?\d[\d.eE+-]*)(?![\w.])/;

const endOfPlain = (text: string): number | undefined => plain.exec(text)?.[0].length;
