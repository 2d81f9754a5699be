import { scanJson } from "./json-scan.ts";

/** A line of this length is no line that a person reads. */
const longLine = 400;

/** Whether a text is better read when it is laid out anew. */
export function isCramped(text: string): boolean {
  const end = text.indexOf("\n");
  return text.length > longLine && (end === -1 || text.trimEnd().length <= end || end > longLine);
}

/** A JSON text with a line for each value: only white space is changed, so numbers and strings stay as they were written. */
export function tidyJson(text: string): string {
  const pieces: string[] = [];
  let depth = 0;
  let isFirst = true;
  let afterKey = false;
  const begin = (): void => {
    if (afterKey) pieces.push(" ");
    else if (depth > 0) pieces.push(isFirst ? "\n" : ",\n", "  ".repeat(depth));
    afterKey = false;
    isFirst = false;
  };
  scanJson(text, {
    open: (at, _isObject) => {
      begin();
      pieces.push(text[at] ?? "");
      depth++;
      isFirst = true;
    },
    close: at => {
      depth--;
      if (!isFirst) pieces.push("\n", "  ".repeat(depth));
      pieces.push(text[at - 1] ?? "");
      isFirst = false;
    },
    key: (from, to) => {
      begin();
      pieces.push(text.slice(from, to), ":");
      afterKey = true;
    },
    leaf: (from, to) => {
      begin();
      pieces.push(text.slice(from, to));
    },
  });
  return pieces.join("");
}
