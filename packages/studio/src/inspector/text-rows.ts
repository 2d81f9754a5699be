/** How a text stands in rows of some width: where each begins, and the line that it begins, or 0 where it goes on with one. */
export interface TextRows {
  readonly starts: readonly number[];
  readonly lines: readonly number[];
}

/** Breaks lines that are too long; wide characters count two. Linear. */
export function rowsOfText(text: string, columns: number): TextRows {
  const starts: number[] = [];
  const lines: number[] = [];
  const most = Math.max(20, columns);
  let line = 1;
  for (let at = 0; at <= text.length; line++) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline;
    starts.push(at);
    lines.push(line);
    let from = breakOf(text, at, { end, most });
    while (from < end) {
      starts.push(from);
      lines.push(0);
      from = breakOf(text, from, { end, most });
    }
    at = end + 1;
  }
  return { starts, lines };
}

function breakOf(text: string, from: number, { end, most }: { readonly end: number; readonly most: number }): number {
  // So many fit whatever they are.
  let at = Math.min(end, from + (most >> 1));
  if (at === end) return end;
  let used = widthOf(text, from, at);
  while (at < end) {
    used += columnsOf(text.charCodeAt(at));
    if (used > most) break;
    at++;
  }
  const isHalf = at < end && at > from + 1 && isLow(text.charCodeAt(at));
  return isHalf ? at - 1 : at;
}

function widthOf(text: string, from: number, to: number): number {
  let width = 0;
  for (let at = from; at < to; at++) width += columnsOf(text.charCodeAt(at));
  return width;
}

const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
/** Of two halves of a character the first counts for both. */
const columnsOf = (code: number): number => (code < 0x1100 ? 1 : isLow(code) ? 0 : 2);

/** The row that has the place. */
export function rowAt({ starts }: TextRows, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low;
}
