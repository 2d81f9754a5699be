/** How .NET 10 spells a floating-point number in JSON: the shortest digits that read back as the same. */

export type FloatType = "double" | "float" | "half";

/** From this decimal exponent on the number has an exponent. */
const largest: { readonly [type in FloatType]: number } = { double: 17, float: 9, half: 9 };

/** A number as .NET writes a double, a float or a half of this value. Undefined where JSON has no word for it: NaN, infinities. */
export function dotnetNumber(value: number, type: FloatType = "double"): string | undefined {
  const rounded = roundTo[type](value);
  if (!Number.isFinite(rounded)) return undefined;
  if (rounded === 0) return Object.is(rounded, -0) ? "-0" : "0";
  const [, sign = "", first = "", rest = "", exponent = "0"] =
    /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(shortest(rounded, type)) ?? [];
  const power = Number(exponent);
  const digits = first + rest;
  if (power >= largest[type] || power <= -5) {
    const mantissa = rest === "" ? first : `${first}.${rest}`;
    return `${sign}${mantissa}E${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
  const fraction = digits.slice(power + 1);
  return sign + (fraction === "" ? whole : `${whole}.${fraction}`);
}

const roundTo: { readonly [type in FloatType]: (value: number) => number } = {
  double: value => value,
  float: Math.fround,
  half: roundToHalf,
};

/** In exponent form. JavaScript knows the shortest digits of a double only. */
function shortest(value: number, type: FloatType): string {
  if (type === "double") return value.toExponential();
  for (let digits = 0; digits < 9; digits++) {
    const text = tiesToEven(value, digits);
    if (roundTo[type](Number(text)) === value) return text.replace(/(\.\d*?)0+e/, "$1e").replace(".e", "e");
  }
  return value.toExponential();
}

/** JavaScript rounds a tie away from zero, .NET to the even digit. */
function tiesToEven(value: number, digits: number): string {
  const text = value.toExponential(digits);
  const [, exact = ""] = /^-?(.+)e/.exec(value.toExponential(100)) ?? [];
  const place = digits === 0 ? 1 : digits + 2;
  const isTie = /^\.?50*$/.test(exact.slice(place)) && Number(exact[place - 1]) % 2 === 0;
  return isTie ? `${value < 0 ? "-" : ""}${exact.slice(0, place)}${text.slice(text.indexOf("e"))}` : text;
}

/** IEEE 754 binary16, ties to even. */
function roundToHalf(value: number): number {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(size)) return value;
  const quantum = 2 ** (Math.max(Math.floor(Math.log2(size)), -14) - 10);
  const steps = size / quantum;
  const below = Math.floor(steps);
  const isUp = steps - below > 0.5 || (steps - below === 0.5 && below % 2 === 1);
  const rounded = (isUp ? below + 1 : below) * quantum;
  return Math.sign(value) * (rounded >= 65_520 ? Number.POSITIVE_INFINITY : rounded);
}
