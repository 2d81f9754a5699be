/** What calls say, in any of the forms that stand in the lists of a message, so that they can be told apart. */

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** The name and the arguments, as a key: equal for calls that say the same, as text or not, in any order of members. */
export const sayingOf = (call: JsonObject): string => jsonKey([nameOf(call), argumentsOf(call)]);

/** The name; "" where it has none. */
export const nameOf = (call: JsonObject): Json => call["name"] || innerOf(call)["name"] || "";

/** The arguments as the text that a fragment has; "" where there are none. */
export function argumentsText(call: JsonObject): string {
  const args = givenOf(call);
  if (args === undefined || args === null) return "";
  return typeof args === "string" ? args : JSON.stringify(args);
}

/** The arguments read; text that is no JSON stands for itself, and none are an empty object. */
export function argumentsOf(call: JsonObject): Json {
  const args = givenOf(call);
  if (isBlank(args)) return {};
  if (typeof args !== "string") return args ?? {};
  try {
    return JSON.parse(args) as Json; // JSON.parse gives JSON
  } catch {
    return args.trim() === "" ? {} : args.trim();
  }
}

/** LangChain's own, Anthropic's and OpenAI's form. */
const givenOf = (call: JsonObject): Json | undefined =>
  call["args"] ?? (call["type"] === "tool_use" ? call["input"] : undefined) ?? innerOf(call)["arguments"];

const innerOf = ({ function: inner }: JsonObject): JsonObject => (isJsonObject(inner) ? inner : {});

export const isBlank = (value: Json | undefined): boolean => value === undefined || value === null || value === "";

/** A text that equal values share, whatever the order of their members. Iterative: safe at any depth. */
export function jsonKey(value: Json): string {
  const out: string[] = [];
  const stack: (Json | { readonly [raw]: string })[] = [value];
  const put = (text: string): unknown => stack.push({ [raw]: text });
  while (stack.length > 0) {
    const item = stack.pop() ?? null;
    if (isRaw(item)) out.push(item[raw]);
    else if (Array.isArray(item)) {
      put("]");
      for (const each of [...(item as readonly Json[])].reverse()) {
        stack.push(each);
        put(",");
      }
      put("[");
    } else if (isJsonObject(item)) {
      put("}");
      for (const key of Object.keys(item).sort().reverse()) {
        if (item[key] === undefined) continue;
        stack.push(item[key]);
        put(`,${JSON.stringify(key)}:`);
      }
      put("{");
    } else out.push(JSON.stringify(item));
  }
  return out.join("");
}

const raw = Symbol("text");
const isRaw = (item: unknown): item is { readonly [raw]: string } =>
  typeof item === "object" && item !== null && Object.hasOwn(item, raw);

/** Whether the value is what was there of the other while it came: with less text, fewer items or fewer members. */
export function isBeginning(start: Json, whole: Json): boolean {
  const stack: [Json | undefined, Json | undefined][] = [[start, whole]];
  for (let pair = stack.pop(); pair; pair = stack.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a === "string" && typeof b === "string") {
      if (!b.startsWith(a)) return false;
    } else if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length > b.length) return false;
      for (const [place, item] of a.entries()) stack.push([item as Json, b[place] as Json]); // items of JSON
    } else if (isJsonObject(a) && isJsonObject(b)) {
      for (const key of Object.keys(a)) {
        if (!Object.hasOwn(b, key)) return false;
        stack.push([a[key], b[key]]);
      }
    } else return false;
  }
  return true;
}
