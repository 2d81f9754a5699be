import type { ReactNode } from "react";

/** A string with the colon that makes it a key, a number, a word. */
const token = /("(?:[^"\\\n]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Lines of JSON with keys, strings and other values told apart. */
export function paintJson(lines: string): ReactNode {
  const painted: ReactNode[] = [];
  let at = 0;
  for (const found of lines.matchAll(token)) {
    const [text, string, colon] = found;
    if (found.index > at) painted.push(lines.slice(at, found.index));
    painted.push(
      <span key={found.index} className={colon !== undefined ? "name" : string === undefined ? "literal" : "string"}>
        {text}
      </span>,
    );
    at = found.index + text.length;
  }
  painted.push(lines.slice(at));
  return painted;
}
