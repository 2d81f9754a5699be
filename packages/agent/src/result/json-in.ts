import type { Json } from "translogue";
import { fencedIn, isWrapper, unwrapped } from "./fences.ts";

/**
 * The JSON values of an answer, first to last: what it begins with, whatever follows, fenced as a whole or not; then objects
 * and lists among its words, fenced or not; then numbers, `true`, `false` and `null` in fences of their own. Of one that is
 * cut nothing is given, nor of what stands behind its beginning, nor of a draft among thoughts that a host left in the text.
 */
export function* jsonIn(answer: string): Generator<Json, void, undefined> {
  const said = behindThoughts(answer);
  const text = unwrapped(said) ?? said;
  const first = plain.exec(text);
  let end: number | undefined = first?.[0].length ?? 0;
  if (first) yield* parsed(first[0]);
  let unclosed = 0;
  for (let start = opening(text, end); start !== -1; start = opening(text, end)) {
    const behind = endOfNested(text, start);
    if (behind !== undefined) yield* parsed(text.slice(start, behind));
    else unclosed += 1;
    end = behind ?? (unclosed > mostUnclosed ? undefined : brokenAt(text, start));
    if (end === undefined) return;
  }
  // A text is one among its words.
  for (const { language, body } of fencedIn(text)) if (isWrapper(language) && bare.test(body)) yield* parsed(body);
}

/** The answer as words, without a fence around all of them before with it; of what begins as JSON does none: what is cut there is no text that was meant. */
export function wordsIn(answer: string): readonly string[] {
  const said = behindThoughts(answer).trim();
  const inside = unwrapped(said)?.trim();
  const isJson = /^[[{"]/.test(inside ?? said);
  return isJson ? [] : [inside, said].filter((words): words is string => words !== undefined && words !== "");
}

/** Hosts without a parser for a model's thoughts give them as tags; where their prompt opens them, there is the end alone. */
function behindThoughts(text: string): string {
  if (/^\s*[[{"]/.test(text)) return text;
  const ends = /<\/think>/gi;
  let from = 0;
  let isOpen = opensThoughts(text, from);
  do {
    const end = ends.exec(text);
    if (!end) return isOpen ? "" : text;
    if (!isOpen && isInValue(text, end.index)) return text;
    from = ends.lastIndex;
    isOpen = opensThoughts(text, from);
  } while (isOpen);
  return text.slice(from);
}

function opensThoughts(text: string, from: number): boolean {
  const tag = /\s*<think>/iy;
  tag.lastIndex = from;
  return tag.test(text);
}

/** Whether a value that is whole has what stands there: an answer may speak of tags. */
function isInValue(text: string, place: number): boolean {
  let end: number | undefined = 0;
  for (let start = opening(text, end); start !== -1 && start < place; start = opening(text, end)) {
    end = endOfNested(text, start);
    if (end === undefined) return false;
    if (end > place) return [...parsed(text.slice(start, end))].length > 0;
  }
  return false;
}

function opening(text: string, from: number): number {
  const bracket = /[[{]/g;
  bracket.lastIndex = from;
  return bracket.exec(text)?.index ?? -1;
}

function* parsed(text: string): Generator<Json, void, undefined> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return; // brackets alone make no JSON
  }
  yield value;
}

/** Behind the bracket that closes the one at `start`; brackets in strings are text, in one that is cut too. */
function endOfNested(text: string, start: number): number | undefined {
  let depth = 0;
  const marks = /"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|[[\]{}]/g;
  marks.lastIndex = start;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === "{" || mark[0] === "[") depth += 1;
    else if (mark[0] === "}" || mark[0] === "]") depth -= 1;
    if (depth === 0) return marks.lastIndex;
  }
  return undefined;
}

/** Each costs a look at all that follows. */
const mostUnclosed = 32;

/** Where what begins at a bracket that nothing closes turns out to be no JSON, as in `[0, 1)`; undefined where it is a value that is cut. */
function brokenAt(text: string, start: number): number | undefined {
  // Keys without quotes, or in single ones, are a value that somebody meant.
  if (/^\{\s*(?:[\w$-]+|'[^']*')\s*:/.test(text.slice(start, start + 200))) return undefined;
  const token = /\s*(?:("(?:[^"\\]|\\[\s\S])*"|-?\d[\d.eE+-]*|true|false|null)|([[{])|([\]}])|([,:]))/y;
  token.lastIndex = start;
  let at = start;
  let before = "";
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [all, scalar, open, close] = found;
    const isValue = scalar !== undefined || open !== undefined;
    const mayFollow = isValue ? /^[[{,:]?$/ : close === undefined ? /^[^[{,:]$/ : /^[^,:]$/;
    if (!mayFollow.test(before) || (before === "{" && isValue && !scalar?.startsWith('"'))) return at;
    before = scalar === undefined ? all.trim() : "0";
    at = token.lastIndex;
  }
  return /^\s*(?:$|"|-$|t(?:r|ru)?$|f(?:a|al|als)?$|n(?:u|ul)?$)/.test(text.slice(at, at + 200)) ? undefined : at;
}

const plain = /^\s*(?:"(?:[^"\\]|\\[\s\S])*"|true|false|null|-?\d[\d.eE+-]*)(?![\w.])/;
const bare = /^\s*(?:true|false|null|-?\d[\d.eE+-]*)\s*$/;
