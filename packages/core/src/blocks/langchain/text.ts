import type { TextCodec, TextOptions } from "../../codec/codec.ts";
import { isJsonObject, type Json, type MutableJsonObject, setMember } from "../../model/json.ts";
import { copyExact, type ExactText, type ParsedJson, parseJson, stringifyJson } from "../../model/json-text.ts";
import { formOf } from "./wire.ts";

/**
 * JSON as LangChain's two languages write it. `own` is what the dialect's package prints: JavaScript's `JSON.stringify`,
 * pydantic's `model_dump_json` for plain messages, `dumps` for serialised ones.
 */
const styles = ["own", "javascript", "pydantic", "dumps", "indented"] as const;
type Style = (typeof styles)[number];

export const text: TextCodec = {
  styles,
  parse: readPython,
  stringify: (value, options) => write(value, styleOf(options), options),
};

function styleOf({ style, dialect }: TextOptions): Style {
  const named = styles.find(each => each === style) ?? "own";
  if (named !== "own") return named;
  const { language, container } = formOf(dialect);
  if (language === "js") return "javascript";
  return container === "lc" ? "dumps" : "pydantic";
}

function write(value: unknown, style: Style, { exact, dialect }: TextOptions): string {
  const isPython = style === "dumps" || (style === "indented" && formOf(dialect).language === "python");
  const indent = style === "indented" ? 2 : 0;
  if (isPython) {
    const { marked, names } = mark(value, exact);
    const written = stringifyJson(marked, exact, indent) ?? "null";
    return named(respell(written, indent > 0 ? plainDumps : spacedDumps), names);
  }
  const written = stringifyJson(value, exact, indent) ?? "null";
  return style === "pydantic" ? respell(written, pydantic) : written;
}

/** Python's `json.dumps(value, ensure_ascii=False)`, which is how a call's arguments become text. */
export const dumpsText = (json: string): string => respell(json, { ...spacedDumps, isAscii: false });

// spelling

interface Spelling {
  readonly isSpaced: boolean;
  readonly isAscii: boolean;
  /** A number of JavaScript's that is below 0.0001 and not 0. */
  small(token: string): string;
}
/** `repr` of Python has two digits of exponent at least, from 1e-05 down. */
const pythonSmall = (token: string): string => token.replace(/e-(\d)$/, "e-0$1");
const spacedDumps: Spelling = { isSpaced: true, isAscii: true, small: token => pythonSmall(exponential(token)) };
const plainDumps: Spelling = { ...spacedDumps, isSpaced: false };
/** pydantic writes 0.00001 and 1e-6, JavaScript 0.000001 and 1e-7. */
const pydantic: Spelling = {
  isSpaced: false,
  isAscii: false,
  small: token => (/^-?0\.000000/.test(`${token}`) || /^-?0\.00000[1-9]/.test(token) ? exponential(token) : token),
};

const exponential = (token: string): string => Number(token).toExponential();

/** A string, a number that may be small, or a separator that Python puts a space behind. */
const tokens = /"(?:[^"\\]|\\.)*"|-?0\.0000\d*(?![\deE])|-?\d+(?:\.\d+)?e-\d(?!\d)|[,:]/g;

const respell = (json: string, { isSpaced, isAscii, small }: Spelling): string =>
  json.replace(tokens, token => {
    if (token.startsWith('"')) return isAscii ? ascii(token) : token;
    if (token === "," || token === ":") return isSpaced ? `${token} ` : token;
    return small(token);
  });

const ascii = (literal: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII
  literal.replace(/[^\u0000-\u007e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

// NaN and the infinities

/** Python writes and reads three numbers that JSON does not have. */
const notJson: { readonly [name: string]: number } = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};
const nonNumbers = /"(?:[^"\\]|\\.)*"|-?Infinity\b|\bNaN\b/g;

/** Reads JSON, and Python's numbers that are none. */
export function readPython(json: string): ParsedJson {
  if (!/NaN|Infinity/.test(json)) return parseJson(json);
  const mark = freeMark(json);
  const parsed = parseJson(
    json.replace(nonNumbers, token => (token.startsWith('"') ? token : JSON.stringify(mark + token))),
  );
  return { value: unmark(parsed.value, mark), exact: parsed.exact };
}

/** A beginning that no string of the text has. */
function freeMark(json: string): string {
  let mark = "~number ";
  while (json.includes(mark)) mark = `~${mark}`;
  return mark;
}

/** Numbers in place of their marks; in the objects themselves, which nobody else has yet. */
function unmark(root: Json, mark: string): Json {
  const numberOf = (value: Json): number | undefined =>
    typeof value === "string" && value.startsWith(mark) ? notJson[value.slice(mark.length)] : undefined;
  const holder: { value: Json } = { value: root };
  const pending: { [key: string]: Json }[] = [holder];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const key of Object.keys(next)) {
      const value = next[key] ?? null;
      const number = numberOf(value);
      if (number !== undefined) setMember(next, key, number);
      else if (typeof value === "object" && value !== null) pending.push(value as { [key: string]: Json }); // lists have keys as well
    }
  }
  return holder.value;
}

interface Marked {
  readonly marked: unknown;
  readonly names: string | undefined;
}

/** The value with such numbers as strings that nothing else in it has; itself where there are none. */
function mark(value: unknown, exact: ExactText | undefined): Marked {
  if (!hasNonNumber(value)) return { marked: value, names: undefined };
  const names = freeMark(JSON.stringify(value));
  const copy = (inner: unknown): unknown => {
    if (typeof inner === "number" && !Number.isFinite(inner)) return names + String(inner);
    if (typeof inner !== "object" || inner === null) return inner;
    const copied: MutableJsonObject | unknown[] = Array.isArray(inner) ? inner.map(copy) : {};
    if (!Array.isArray(copied)) {
      for (const key of Object.keys(inner))
        setMember(copied, key, copy((inner as { [key: string]: unknown })[key]) as Json); // copied JSON
    }
    if (exact) copyExact(exact, inner, copied);
    return copied;
  };
  return { marked: copy(value), names };
}

function hasNonNumber(root: unknown): boolean {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "number" && !Number.isFinite(value)) return true;
    if (Array.isArray(value)) for (const item of value) pending.push(item);
    else if (isJsonObject(value)) for (const key of Object.keys(value)) pending.push(value[key]);
  }
  return false;
}

function named(json: string, names: string | undefined): string {
  if (names === undefined) return json;
  const pattern = new RegExp(`"${names}(NaN|-?Infinity)"`, "g");
  return json.replace(pattern, "$1");
}
