const digits = String.raw`-?\d+(?:\.\d+)?`;
/** `-` and `/` without spaces are dates and fractions of sentences. */
const sum = new RegExp(String.raw`${digits}(?:(?:\s*[+*]\s*|\s+[-/]\s+)${digits})+`, "g");

const spelled: readonly (readonly [RegExp, string])[] = [
  [/(\d)\s*(?:plus|加上?)\s*(?=-?\d)/gi, "$1 + "],
  [/(\d)\s*(?:minus|减去?)\s*(?=-?\d)/gi, "$1 - "],
  [/(\d)\s*(?:times|乘以?|×)\s*(?=-?\d)/gi, "$1 * "],
  [/(\d)\s*(?:divided by|除以|÷)\s*(?=-?\d)/gi, "$1 / "],
  [/\s−\s/g, " - "],
];

/** The sums in a text: `what is 2*3 and 19 plus 23` has two. */
export function sumsIn(text: string): string[] {
  const plain = spelled.reduce((words, [word, sign]) => words.replace(word, sign), text);
  return plain.match(sum)?.map(found => found.replace(/\s*([+*])\s*/g, " $1 ").trim()) ?? [];
}

/** The two numbers of a plain addition. */
export function additionOf(expression: string): { readonly a: number; readonly b: number } | undefined {
  const [, a, b] = new RegExp(`^(${digits}) \\+ (${digits})$`).exec(expression) ?? [];
  return a === undefined || b === undefined ? undefined : { a: Number(a), b: Number(b) };
}

/** The value of numbers with `+ - * / ( )`. Throws for anything else, and for a division by zero. */
export function evaluate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const product = (): number => {
    let value = factor();
    while (tokens[at] === "*" || tokens[at] === "/") {
      const isProduct = tokens[at++] === "*";
      const right = factor();
      if (!isProduct && right === 0) throw new Error(`"${expression}" divides by zero.`);
      value = isProduct ? value * right : value / right;
    }
    return value;
  };
  const total = (): number => {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-") value += tokens[at++] === "+" ? product() : -product();
    return value;
  };
  const factor = (): number => {
    const token = tokens[at++];
    if (token === "-") return -factor();
    if (token === "(") {
      const value = total();
      if (tokens[at++] !== ")") throw new Error(`A bracket of "${expression}" is not closed.`);
      return value;
    }
    if (token === undefined || !/^\d/.test(token)) {
      throw new Error(
        `"${expression}" cannot be calculated: ${token === undefined ? "it ends too early" : `"${token}" is out of place`}.`,
      );
    }
    return Number(token);
  };
  const value = total();
  if (at < tokens.length) throw new Error(`"${expression}" cannot be calculated: "${tokens[at]}" is out of place.`);
  // 0.1 + 0.2 is 0.3 to everyone who asks.
  return Number(value.toPrecision(12));
}
