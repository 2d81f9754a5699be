/** The exact spelling of a conversation's values (R6): from the texts that were read into its nodes, and out again. */

import type { Conversation } from "./conversation.ts";
import {
  copyExact,
  type ExactText,
  isEmptyExact,
  isNumberText,
  noExactText,
  readNumber,
  setNumberText,
} from "./exact-text.ts";
import { equalJson, type Json } from "./json.ts";
import { type ParsedJson, parseJson } from "./json-reader.ts";
import { stringifyJson } from "./json-writer.ts";
import type { Node, ToolCallPart } from "./parts.ts";
import { childNodes, eachNode } from "./walk.ts";

/** Texts of objects within objects that have one themselves: more levels are in the outer texts only, so that hostile nesting stays linear. */
const levelsOfTexts = 8;
/** Below a longer pointer there are no pointers, but one text of the whole: for the same reason. */
const longPointer = 512;

/**
 * What a node must keep as `exact`: the spelling of the objects and numbers below it that `exact` knows, by their pointer
 * in the node. Child nodes keep their own. Undefined where there is nothing.
 */
export function exactPointers(node: Node, exact: ExactText): { readonly [pointer: string]: string } | undefined {
  if (isEmptyExact(exact)) return undefined;
  const children = new Set<unknown>(childNodes(node));
  const pointers: { [pointer: string]: string } = {};
  const pending: { holder: object; pointer: string; level: number }[] = [{ holder: node, pointer: "", level: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { holder, pointer } = next;
    let { level } = next;
    if (pointer.length > longPointer) {
      const text = stringifyJson(holder, exact);
      if (text !== undefined && text !== stringifyJson(holder)) pointers[pointer] = text;
      continue;
    }
    for (const [key, text] of exact.numbers.get(holder) ?? []) pointers[below(pointer, key)] = text;
    if (pointer !== "" && exact.members.has(holder) && level++ < levelsOfTexts) {
      pointers[pointer] = stringifyJson(holder, exact) ?? "null"; // an object has a text
    }
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value !== "object" || value === null || children.has(value)) continue;
      pending.push({ holder: value, pointer: below(pointer, key), level });
    }
  }
  return Object.keys(pointers).length > 0 ? pointers : undefined;
}

const below = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

const stepsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map(step => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/**
 * The reverse: the spelling of all values of a conversation by identity, from the `exact` of its nodes and the `inputText`
 * of its calls, where they still read as the values (R1). For `stringifyJson` of whatever holds these values themselves.
 */
export function exactTable(conversation: Conversation): ExactText | undefined {
  const table = noExactText();
  eachNode(conversation, node => {
    if (node.exact) addPointers(node, Object.entries(node.exact), table);
    if ("inputText" in node) addInput(node as ToolCallPart, table); // only calls have one
  });
  return isEmptyExact(table) ? undefined : table;
}

function addInput({ input, inputText }: ToolCallPart, table: ExactText): void {
  if (inputText !== undefined) addText(input, inputText, table);
}

function addPointers(node: Node, pointers: readonly (readonly [string, string])[], table: ExactText): void {
  for (const [pointer, text] of pointers) {
    const { holder, key, value } = lookUp(node, pointer);
    if (typeof value === "object") {
      addText(value as Json, text, table); // what a node holds is JSON
    } else if (holder && isNumberText(text) && value === readNumber(text)) {
      setNumberText(table, { holder, key: Array.isArray(holder) ? Number(key) : key }, text);
    }
  }
}

/** What a JSON pointer leads to in a node. */
function lookUp(
  node: Node,
  pointer: string,
): { readonly holder?: object; readonly key: string; readonly value: unknown } {
  const steps = stepsOf(pointer);
  const key = steps.pop() ?? "";
  const holder = steps.reduce<unknown>(memberOf, node);
  const value = memberOf(holder, key);
  return { key, value, ...(typeof holder === "object" && holder !== null && { holder }) };
}

/** The pointers of a node's `exact` whose text no longer reads as what they lead to (R1). */
export function stalePointers(node: Node): readonly string[] {
  const stale = ([pointer, text]: readonly [string, string]): boolean => {
    const { value } = lookUp(node, pointer);
    if (typeof value === "number") return !isNumberText(text) || readNumber(text) !== value;
    return value === undefined || !isSpellingOf(text, value as Json); // what a node holds is JSON
  };
  return Object.entries(node.exact ?? {})
    .filter(stale)
    .map(([pointer]) => pointer);
}

const memberOf = (holder: unknown, key: string): unknown =>
  typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
    ? (holder as { readonly [key: string]: unknown })[key] // it has the member
    : undefined;

/** Gives an object or list the spelling of a text, if it reads as it. */
function addText(value: Json | undefined, text: string, table: ExactText): void {
  if (typeof value !== "object" || value === null || table.members.has(value)) return;
  const parsed = tryParse(text);
  if (parsed && !isEmptyExact(parsed.exact) && equalJson(parsed.value, value)) transplant(parsed, value, table);
}

function tryParse(text: string): ParsedJson | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What is known of the parsed value's objects becomes known of those of its equal. */
function transplant({ value: parsed, exact }: ParsedJson, value: Json, table: ExactText): void {
  const pairs: (readonly [unknown, unknown])[] = [[parsed, value]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [from, to] = pair;
    if (typeof from !== "object" || from === null || typeof to !== "object" || to === null) continue;
    copyExact(exact, from, to);
    const members = exact.members.get(from);
    if (members) {
      const last = new Map(members.map((member, index) => [member.key, index]));
      const own = (key: string, index: number, held: Json) =>
        last.get(key) === index ? (memberOf(to, key) as Json) : held; // equal values have the same members
      table.members.set(
        to,
        members.map((member, index) => ({ ...member, value: own(member.key, index, member.value) })),
      );
    }
    for (const [key, held] of Object.entries(from)) pairs.push([held, memberOf(to, key)]);
  }
  for (const [holder, members] of exact.members) table.members.set(holder, members);
  for (const [holder, texts] of exact.numbers) table.numbers.set(holder, texts);
}

/** The JSON text of a member of a node, with the spelling that the node keeps. Undefined where the node has no such member. */
export function jsonTextOf<N extends Node>(node: N, member: keyof N & string): string | undefined {
  const pointers = Object.entries(node.exact ?? {}).filter(
    ([pointer]) => pointer === `/${member}` || pointer.startsWith(`/${member}/`),
  );
  const value = node[member];
  if (pointers.length === 0) return stringifyJson(value);
  const table = noExactText();
  addPointers(node, pointers, table);
  return (typeof value === "number" && table.numbers.get(node)?.get(member)) || stringifyJson(value, table);
}

/**
 * A call's arguments as text (R7): as sent, where that still reads as the input, else the input written with its exact
 * spelling. Undefined = no arguments were given.
 */
export function inputTextOf(call: ToolCallPart): string | undefined {
  const { input, inputText } = call;
  if (inputText === undefined) return jsonTextOf(call, "input");
  if (input === undefined || isSpellingOf(inputText, input)) return inputText;
  return jsonTextOf(call, "input");
}

/** Whether a text reads as the value (R1). */
export function isSpellingOf(text: string, value: Json): boolean {
  const parsed = tryParse(text);
  return parsed !== undefined && equalJson(parsed.value, value);
}
