/** The beginning of a text, at most so long: never with half a character at its end, which no host takes in JSON. */
export const headOf = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

/** The end of a text, likewise. */
export const tailOf = (text: string, length: number): string => text.slice(-length).replace(/^[\udc00-\udfff]/, "");

/** The text, or its beginning with a mark that there is more. */
export const clipped = (text: string, length: number): string =>
  text.length > length ? `${headOf(text, length)}…` : text;
