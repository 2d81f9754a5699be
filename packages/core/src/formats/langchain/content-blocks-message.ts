/** What the derived view of content blocks is made of: a message out of its container, and small questions about JSON. */

import { parsedCallsJs } from "../../blocks/langchain/chunk-calls.ts";
import { open } from "../../blocks/langchain/container.ts";
import { memberOf } from "../../blocks/langchain/escape.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** The members of a message that its blocks are derived from. */
export interface ViewMessage {
  readonly isAssistant: boolean;
  readonly isChunk: boolean;
  /** A chunk that ends its message has whole calls. */
  readonly isLast: boolean;
  readonly id: string | undefined;
  readonly content: string | readonly Json[];
  /** The view itself, where JavaScript has written that instead of the content. */
  readonly written: Blocks | undefined;
  readonly calls: readonly JsonObject[];
  readonly invalidCalls: readonly JsonObject[];
  readonly callChunks: readonly JsonObject[];
  readonly kwargs: JsonObject;
  readonly metadata: JsonObject;
}

export type Blocks = readonly Json[];

/** A message of any form, as its class has it; undefined where the value is none. */
export function viewMessage(wire: Json, language: "python" | "js"): ViewMessage | undefined {
  const silent = { shape: "message", dialect: "", newId: undefined, issue() {}, lose() {}, carried() {} } as const;
  const opened = open(wire, [], silent);
  if (!opened) return undefined;
  const { row, members } = opened.body;
  const member = (name: string): Json | undefined => memberOf(members, name);
  const metadata = objectOf(member("response_metadata"));
  // JavaScript marks what it made of blocks with a version; under this name alone its constructor ignores them.
  const blocks = metadata["output_version"] !== undefined ? member("content_blocks") : undefined;
  const content = member("content") ?? blocks;
  const isWritten = member("content") === undefined && isList(blocks) && metadata["output_version"] !== "v1";
  const id = member("id");
  const isAssistant = row.base === "AIMessage";
  const kwargs = objectOf(member("additional_kwargs"));
  const lists = ["tool_calls", "invalid_tool_calls"].map(member);
  const hasLists = language === "js" ? lists[0] !== undefined : lists.some(list => objectsOf(list).length > 0);
  // Both constructors read OpenAI's calls where there are no others.
  const raw = isAssistant && row.name === row.base && !hasLists ? kwargs["tool_calls"] : undefined;
  const made = isList(raw) ? parsedCallsJs(raw) : undefined;
  return {
    isAssistant,
    isChunk: row.name !== row.base,
    isLast: member("chunk_position") === "last",
    id: typeof id === "string" ? id : undefined,
    content: typeof content === "string" || Array.isArray(content) ? content : [],
    written: isWritten ? blocks : undefined,
    calls: objectsOf(made?.tool_calls ?? lists[0]),
    invalidCalls: objectsOf(made?.invalid_tool_calls ?? lists[1]),
    callChunks: objectsOf(member("tool_call_chunks")),
    kwargs,
    metadata,
  };
}

export const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

export const objectsOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

export const isText = (value: Json | undefined): value is string => typeof value === "string";
export const isNumber = (value: Json | undefined): value is number => typeof value === "number";
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Own members only: `constructor` is no member. */
export const at = (value: Json | undefined, ...keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((inner, key) => (isJsonObject(inner) ? memberOf(inner, key) : undefined), value);

export const isBlock = (value: Json | undefined, type: string): value is JsonObject =>
  isJsonObject(value) && at(value, "type") === type;

/** The object without these members. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return present(Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key))));
}

export const nonStandard = (value: Json): JsonObject => ({ type: "non_standard", value });

/** A call of the message as JavaScript writes its block. */
export const callBlock = (call: JsonObject): JsonObject =>
  present({ type: "tool_call", id: call["id"], name: call["name"], args: call["args"] });

/** The texts of a list's `text` members, as one. */
export const joinTexts = (list: readonly Json[]): string =>
  list
    .map(item => at(item, "text"))
    .filter(isText)
    .join("");

/** JSON of a text, undefined where it is none. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON is Json
  } catch {
    return undefined;
  }
}
