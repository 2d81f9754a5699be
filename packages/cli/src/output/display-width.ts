/** How wide text stands in a terminal: East Asian wide characters and emoji take two columns, what combines none. */

/** UAX #11 (Unicode 16): what is Wide or Fullwidth, by block where all of a block is; emoji by their property. https://www.unicode.org/reports/tr11/ (read 2026-11-30) */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/v;
/** A symbol that is shown as an emoji, keycaps and flags too. */
const emoji = /\ufe0f|\u20e3|^\p{Regional_Indicator}{2}$/u;
const unseen = /^[\p{Mark}\p{Format}\p{Control}\p{Default_Ignorable_Code_Point}]*$/u;
const plain = /^[\u0020-\u007e]*$/;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns of a text without line ends, tabs or escape sequences. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= " " && grapheme <= "~") return 1;
  if (unseen.test(grapheme)) return 0;
  return wide.test(grapheme) || emoji.test(grapheme) ? 2 : 1;
}

/** A text that fits the columns: itself, or its beginning and `…`. */
export function fitted(text: string, columns: number): string {
  if (text.length <= columns && plain.test(text)) return text;
  let [end, width, kept] = [0, 0, 0];
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns) return `${text.slice(0, kept)}…`;
    end += segment.length;
    if (width < columns) kept = end;
  }
  return text;
}

/** Lines that fit the columns, broken at spaces where there are some. Tabs are two spaces wide. */
export function wrapped(text: string, columns: number): string[] {
  return text.split("\n").flatMap(line => wrappedLine(line.replaceAll("\t", "  "), columns));
}

function wrappedLine(line: string, columns: number): string[] {
  if (line.length <= columns && plain.test(line)) return [line];
  const lines: string[] = [];
  // `start` of the line, `space` = behind the last space in it, and the width up to there.
  let [start, at, width, space, spaceWidth] = [0, 0, 0, -1, 0];
  for (const { segment } of graphemes.segment(line)) {
    const own = graphemeWidth(segment);
    if (width + own > columns && at > start && segment !== " ") {
      const isAtSpace = space > start;
      const end = isAtSpace ? space : at;
      lines.push(line.slice(start, end).trimEnd());
      width = isAtSpace ? width - spaceWidth : 0;
      [start, space] = [end, -1];
    }
    at += segment.length;
    width += own;
    if (segment === " ") [space, spaceWidth] = [at, width];
  }
  return [...lines, line.slice(start)];
}
