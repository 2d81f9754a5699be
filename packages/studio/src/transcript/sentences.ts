/** Where the last whole sentence of a text ends, from a place on; the place itself where none does. */
export function sentenceEnd(text: string, from: number): number {
  const ends = /[.!?]["'”’)\]*_]*(?=\s)|[。…\uFF01\uFF1F\uFF1B]["'”’\uFF09」』]*|\n/g;
  ends.lastIndex = from;
  let end = from;
  for (let found = ends.exec(text); found; found = ends.exec(text)) end = found.index + found[0].length;
  return end;
}

/** Markdown without its marks, as one says it. */
export const spoken = (markdown: string): string =>
  markdown
    .replaceAll(/^\s*(?:`{3,}|~{3,}).*$/gm, "")
    .replaceAll(/^\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*$/gm, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*_`#>|]+/g, " ")
    .replaceAll(/\s+/g, " ")
    .replace(/^[\s.,;:!?]+/, "")
    .trim();
