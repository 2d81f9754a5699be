/** Providers' error texts, with `{name}` for what they fill in. */

import type { Values } from "./rules/rule.ts";

const blanks = /\{([a-zA-Z]+)\}/g;

/** The first text whose blanks are all known, filled. */
export function filled(templates: readonly string[], values: Values): string | undefined {
  const template = templates.find(each =>
    [...each.matchAll(blanks)].every(([, name = ""]) => Object.hasOwn(values, name)),
  );
  return template?.replace(blanks, (_, name: string) => String(values[name]));
}

const numbers: ReadonlySet<string> = new Set(["message", "part", "call", "length", "position"]);
/** These may have a fraction. */
const limits: ReadonlySet<string> = new Set(["least", "most"]);
const lists: ReadonlySet<string> = new Set(["ids", "rest"]);

/** What an error text fills into a template; undefined where it is another text. */
export function valuesIn(template: string, text: string): { readonly [name: string]: string } | undefined {
  const found = patternOf(template).exec(text);
  return found ? { ...found.groups } : undefined;
}

/** Quotes are lost, or become others, where an error is shown; a space may be broken or missing before a mark. */
const literal = (piece: string): string =>
  piece
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/["'`]/g, "[\"'`‘’“”]?")
    .replace(/\s+/g, "\\s+");

const patterns = new Map<string, RegExp>();

function formOf(name: string): string {
  if (numbers.has(name)) return "\\d+";
  if (limits.has(name)) return "-?\\d+(?:\\.\\d+)?";
  return lists.has(name) ? "[^\\n]{1,1000}?" : "[^\\s'\"`,]{1,1000}?";
}

function patternOf(template: string): RegExp {
  const known = patterns.get(template);
  if (known) return known;
  const met = new Set<string>();
  const source = template
    .split(blanks)
    .map((piece, index) => {
      if (index % 2 === 0) return literal(piece);
      if (met.has(piece)) return formOf(piece);
      met.add(piece);
      return `(?<${piece}>${formOf(piece)})`;
    })
    .join("");
  // A blank at the end reaches to where a word ends.
  const pattern = new RegExp(`${source}${/\}$/.test(template) ? `(?=[.,;]?(?:[\\s'"\`]|$))` : ""}`, "i");
  patterns.set(template, pattern);
  return pattern;
}
