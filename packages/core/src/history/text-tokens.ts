/** Sorts of UTF-16 units that tokenisers of large vocabularies treat alike. */
const space = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const mark = 4;
const control = 5;
const han = 6;
const kana = 7;
const hangul = 8;
const otherScript = 9;
const latin1 = 10;
const wideMark = 11;
const surrogate = 12;
const latinMore = 13;

/** First unit of each range and its sort, ascending. */
const ranges: readonly (readonly [from: number, sort: number])[] = [
  [0x00, control],
  [0x20, space],
  [0x21, mark],
  [0x30, digit],
  [0x3a, mark],
  [0x41, upper],
  [0x5b, mark],
  [0x61, lower],
  [0x7b, mark],
  [0x7f, control],
  [0xa0, latin1],
  [0x100, latinMore],
  [0x250, otherScript],
  [0x1100, hangul],
  [0x1200, otherScript],
  [0x1e00, latinMore],
  [0x1f00, otherScript],
  [0x2000, wideMark],
  [0x3040, kana],
  [0x3100, wideMark],
  [0x3400, han],
  [0xa000, otherScript],
  [0xac00, hangul],
  [0xd7b0, otherScript],
  [0xd800, surrogate],
  [0xe000, otherScript],
  [0xf900, han],
  [0xfb00, otherScript],
  [0xff00, wideMark],
];

/** Tokens that a unit adds, wherever it stands. */
const each = new Map([
  [lower, 0.098],
  [digit, 0.326],
  [mark, 0.209],
  [han, 0.777],
  [kana, 0.638],
  [hangul, 0.684],
  [otherScript, 0.261],
  [latin1, 0.778],
  [latinMore, 1.467],
  [wideMark, 0.979],
  [surrogate, 0.967],
]);

const letters: ReadonlySet<number> = new Set([lower, upper, latin1, latinMore]);

/** What a unit adds by what stands before it: words, numbers and marks have a beginning, and case may change within a word. */
function beginning(before: number, sort: number): number {
  if (letters.has(sort) && !letters.has(before)) return 0.539;
  if (sort === upper) return before === upper ? 0.726 : before === lower || before === latin1 ? 0.312 : 0;
  if (sort === lower) return before === upper ? 0.6 : 0;
  if (sort === digit) return before === digit ? 0 : 1.169;
  if (sort === mark) return before === mark ? 0 : 0.5;
  if (sort === control) return before === control ? 0 : 0.643;
  return sort === space && before === space ? 0.027 : 0;
}

interface Tables {
  readonly sorts: Uint8Array;
  /** By the sort before, times 16, and the sort. */
  readonly weights: Float64Array;
}

let made: Tables | undefined;

function tables(): Tables {
  if (made) return made;
  const sorts = new Uint8Array(0x10000);
  ranges.forEach(([from, sort], index) => {
    sorts.fill(sort, from, ranges[index + 1]?.[0] ?? 0x10000);
  });
  const weights = new Float64Array(256).map((_, pair) => (each.get(pair & 15) ?? 0) + beginning(pair >> 4, pair & 15));
  made = { sorts, weights };
  return made;
}

/**
 * About how many tokens a text is. Fitted on 2026-11-30 to the vocabulary o200k on samples of 1,200 characters: English prose,
 * documentation, code, JSON, Chinese, Japanese, Korean, Russian, five more European languages, Turkish, base64, hex, numbers,
 * emoji. Each sample within 25 %, the mean of each sort within 15 %; a text of a few words within 3 tokens or 50 %. Older or
 * smaller vocabularies (cl100k) have up to 50 % more for Chinese, Japanese and Korean. One table look-up a character.
 */
export function estimateText(text: string): number {
  const { sorts, weights } = tables();
  let before = control;
  let tokens = 0;
  for (let index = 0; index < text.length; index++) {
    const sort = sorts[text.charCodeAt(index)] ?? 0;
    tokens += weights[(before << 4) | sort] ?? 0;
    before = sort;
  }
  return Math.ceil(tokens);
}
