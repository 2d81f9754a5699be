/** Told of the tokens of a JSON text, in their order. Offsets are UTF-16 units of the text. */
export interface JsonSink {
  open(at: number, isObject: boolean): void;
  close(at: number): void;
  /** A member's name, with its quotes. */
  key(from: number, to: number): void;
  leaf(from: number, to: number): void;
}

/** Of a text that a reader has already accepted: one pass, one step a token, no recursion. */
export function scanJson(text: string, sink: JsonSink, [from, to]: readonly [number, number] = [0, text.length]): void {
  const areObjects: boolean[] = [];
  let isKeyNext = false;
  for (let at = from; at < to; ) {
    const sign = text[at];
    if (sign === "{" || sign === "[") {
      isKeyNext = sign === "{";
      areObjects.push(isKeyNext);
      sink.open(at++, isKeyNext);
    } else if (sign === "}" || sign === "]") {
      areObjects.pop();
      isKeyNext = false;
      sink.close(++at);
    } else if (sign === ",") {
      isKeyNext = areObjects.at(-1) ?? false;
      at++;
    } else if (sign === '"') {
      const end = stringEnd(text, at);
      if (isKeyNext) sink.key(at, end);
      else sink.leaf(at, end);
      isKeyNext = false;
      at = end;
    } else if (sign === ":" || isSpace(text.charCodeAt(at))) at++;
    else {
      const end = wordEnd(text, at, to);
      sink.leaf(at, end);
      at = end;
    }
  }
}

const backslash = 92;

function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9 || code === 0xfeff;

function wordEnd(text: string, start: number, to: number): number {
  let at = start + 1;
  while (at < to && !/[\s,\]}:]/.test(text[at] ?? "")) at++;
  return at;
}
