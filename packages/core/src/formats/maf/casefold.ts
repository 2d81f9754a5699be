/** Keys, roles and finish reasons as .NET compares them: StringComparer.OrdinalIgnoreCase, simple upper-casing over all of Unicode 16. */

/**
 * Every code point that .NET takes for an earlier one, in runs of equal distance, numbers in base 36: the gap to the code
 * point before, `*` or `/` and a count where a run goes on (by one, by two), and the distance to the code point it equals.
 * From a complete run over .NET 10.0.12, 2026-11-30; no engine's tables agree with it (ı is not I, ſ is not s, K is not k).
 */
const folds =
  "2p*q-w 2u*n-w 2*7-w 3/o-1 4/3-1 3/8-1 3/n-1 1-3d 2/3-1 5/2-1 3-1 4-1 6-1 7-1 8/3-1 3-1 5-1 3-1 4/2-1 3-1 " +
  "4-1 8-1 1-2 2-1 1-2 2-1 1-2 2/8-1 1-27 2/9-1 3-1 1-2 2-1 1-2p 1-1k 2/k-1 1-3m 3/9-1 9-1 1-4j 5-1 1-5f 4/5-1 " +
  "4-5u 1-5q 2*2-5p 2-5m 2-5n 5-5p 3-5r 5-5t 1-5v 6-5v 3-5x 3-5y b-62 3-62 5-62 1-1x 1*2-61 1-1z 6-63 67/2-1 " +
  "4-1 y-2c 3-kn g-12 1*3-11 2*8-w 1-38 1*2-w 1-lj 1*5-w 1-v 1*9-w 1-1s 1*2-1r 2-1q 1-1l 4-1b 1-1i 1-8 2/c-1 " +
  "1-2e 1-28 2-38 2-2o 3-1 1-7 2-1 2*3-3m 1d*w-w 1*g-28 2/h-1 a/r-1 3/7-1 1-f 2/1c-1 1e*12-1c 2uq*6-8 1oj-4tq " +
  "1-4tp 1-4tg 1*2-4te 1-4tf 1-4t8 1-4rp 9*17-2bk 3*3-2bk 8y/23-1 6-1n 6/1c-1 9*8-8 9*6-8 b*8-8 9*8-8 9*6-8 " +
  "c/4-8 9*8-8 p*8-8 9*8-8 9*8-8 9*2-8 1*2-22 1-9 2-5mh a*4-2e 1-9 c*2-8 1*2-2s d*2-8 1*2-34 1-7 c*2-3k 1*2-3i " +
  "1-9 9e-s y*g-g 5-1 ng*q-q 1fr*1c-1c 2-1 1-8af 1-2xy 1-89z 1-8bv 1-8bs 2/3-1 1-8bg 1-8al 1-8bj 1-8bi 3-1 3-1 " +
  "8*2-8cf 2/1e-1 9/2-1 5-1 d*12-5ls 2-5ls 6-5ls nx0/5-1 1-r7m 1-r7n 2/h-1 k/e-1 3s/7-1 4/v-1 b/2-1 1-r9g " +
  "2/5-1 5-1 1-wmg 4/2-1 4/a-1 1-wn8 1-wnj 1-wnf 1-wn5 1-wn8 2-wlu 1-wmi 1-wlx 3/8-1 1-1c 1-wn7 1-raw 2/2-1 " +
  "7-1 6/2-1 t-1 nx-ps t*28-tzk ghu*q-w y6*14-14 3t*10-14 4c*b-13 2*f-13 2*7-13 2*2-13 1dw*1f-1s 3i*m-w " +
  "27v*w-w gw1*w-w o83*y-y";

let table: ReadonlyMap<string, string> | undefined;

function readFolds(): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  let code = 0;
  for (const run of folds.split(" ")) {
    const [, gap = "", step, count = "1", sign, distance = ""] = /^(\w+)(?:([*/])(\w+))?([+-])(\w+)$/.exec(run) ?? [];
    const delta = Number.parseInt(distance, 36) * (sign === "-" ? -1 : 1);
    code += Number.parseInt(gap, 36);
    for (let left = Number.parseInt(count, 36); left > 0; left--) {
      read.set(String.fromCodePoint(code), String.fromCodePoint(code + delta));
      if (left > 1) code += step === "/" ? 2 : 1;
    }
  }
  return read;
}

/** A key in the spelling that all its equals share. Only to be compared, not to be shown. */
export function foldKey(key: string): string {
  if (/^[ -`{-~]*$/.test(key)) return key;
  table ??= readFolds();
  let folded = "";
  for (const character of key) folded += table.get(character) ?? character;
  return folded;
}

/** Whether .NET takes two keys for the same. */
export const sameKey = (a: string, b: string): boolean => a === b || foldKey(a) === foldKey(b);
