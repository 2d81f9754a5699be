/** How .NET's two JSON encoders spell a string. */

/**
 * UTF-16 units that `JavaScriptEncoder.UnsafeRelaxedJsonEscaping` does not write as themselves, as runs in base 36: the gap
 * after the run before, and `+` with how many more. Controls, separators, private use, surrogates and all that Unicode 16 does
 * not assign, after a complete run over .NET 10.0.12, 2026-11-30.
 */
const escaped =
  "1+v 3 1m z+x k8+1 7+3 8 2 l b2 13+1 1f+1 4 1k+7 s+3 7+a 7j 1p+1 2u+d 1o+1 1e+1 g t+1 2 c+4 w 3+4 6m 9+1 3+1 " +
  "n 8 2+2 5+1 a+1 3+1 5+7 2+3 3 6+1 q+1 4 7+3 3+1 n 8 3 3 3+1 2 6+3 3+1 4+2 2+6 5 2+6 i+9 4 a 4 n 8 3 6+1 b 4 " +
  "4+1 2+e 5+1 d+6 8 4 9+1 3+1 n 8 3 6+1 a+1 3+1 4+6 4+3 3 6+1 j+9 3 7+2 4 5+2 3 2 3+2 3+2 4+2 d+3 6+2 4 5+1 " +
  "2+5 2+d m+4 e 4 o h+1 a 4 5+6 3 4+1 2+1 5+1 b+6 n 4 o b 6+1 a 4 5+6 3+5 3 5+1 b 4+b e 4 1g 4 7+3 h+1 r 4 " +
  "j+2 p a 2+1 8+2 2+3 7 2 9+5 b+1 4+b 1n+3 u+10 3 2 6 p 2 o+1 6 2 8 b+1 5+v 21 11+3 14 11 g e+10 5j 2+4 2+1 " +
  "ai 5+1 8 2 5+1 16 5+1 y 5+1 8 2 5+1 g 1m 5+1 1w+1 x+2 r+5 2f+1 7+1 ht t+2 2i+6 n+8 p+8 l+b e 4 3+b 2n+1 b+5 " +
  "b+5 r+5 2i+6 18+4 1z+9 w d+3 d+3 2+2 17+1 6+a 19+3 r+5 c+2 1r+1 1u u+1 c+5 b+5 f+1 w+1c 26 4n+7 1p+2 g+2 " +
  "1r+4 18+1 c+7 18+4 ev+1 7+1 13+1 7+1 9 2 2 2 w+1 1i g f+1 7 k+1 4 a+b u+1 6 1c 6 d+1 s e+2 y+e y+e 3x+3 " +
  "ij+l c+k 1ed+1 x 9q+4 1a 2+4 2+1 1l+6 3+d p+8 8 8 8 8 8 8 8 8 3j+x r 2i+b 5z+p h 1s 2f+1 2w+4 18 2n 2f+8 1d " +
  "mlq+2 1k+8 9p+j 55+7 5r+1 3 2 9+k 1o+2 b+5 1l+7 1z+7 d+5 39+a v+2 27 c+3 y 1k+8 f+1 b+1 2w+n t+9 7+1 7+1 " +
  "7+8 8 8 1p+3 3j+1 b+5 8md+b o+3 1e+6ir a7+1 2z+11 8+b 6+4 r 6 2 3 3 3i+f ce+1 1j+6 2+v 17+5 1g k 5+3 6 3s+3 " +
  "5b+2 7+1 7+1 7+1 4+2 8 8+9 6+1";

/** The same for `JavaScriptEncoder.Default`, which is safe inside HTML: quotes too have no short form. */
const defaultClass = "\\u0000-\\u001f\"&'+<>\\\\`\\u007f-\\uffff";

function relaxedClass(): string {
  let text = "";
  let code = -1;
  for (const run of escaped.split(" ")) {
    const [gap = "", more] = run.split("+");
    code += Number.parseInt(gap, 36);
    text += unit(code);
    if (more === undefined) continue;
    code += Number.parseInt(more, 36);
    text += `-${unit(code)}`;
  }
  return text;
}

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0");
const unit = (code: number): string => `\\u${hex(code)}`;

export type Encoder = "relaxed" | "default";

const patterns = new Map<Encoder, RegExp>();

function patternOf(encoder: Encoder): RegExp {
  const known = patterns.get(encoder);
  if (known) return known;
  const set = encoder === "relaxed" ? relaxedClass() : defaultClass;
  const pattern = new RegExp(`[\\ud800-\\udbff][\\udc00-\\udfff]|[${set}]`, "g");
  patterns.set(encoder, pattern);
  return pattern;
}

const short: { readonly [character: string]: string } = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "\\": "\\\\",
};

/** A string as JSON text, with its quotes, as .NET's encoder writes it. A surrogate alone becomes U+FFFD. */
export function dotnetString(text: string, encoder: Encoder = "relaxed"): string {
  const spelled = text.replace(patternOf(encoder), found => {
    if (found.length === 2) return unit(found.charCodeAt(0)) + unit(found.charCodeAt(1));
    const code = found.charCodeAt(0);
    if (code >= 0xd800 && code <= 0xdfff) return "\\uFFFD";
    if (found === '"' && encoder === "relaxed") return '\\"';
    return short[found] ?? unit(code);
  });
  return `"${spelled}"`;
}

/** Whether a text has half a surrogate pair, which .NET refuses to read and cannot write. */
export const hasLoneSurrogate = (text: string): boolean =>
  /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
