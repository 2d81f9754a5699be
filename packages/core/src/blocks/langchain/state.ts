import { kept, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { memberOf } from "./escape.ts";
import { family } from "./wire.ts";

/** A graph's state: its messages, and channels of its own, which the conversation keeps. */
export interface State {
  readonly messages: readonly Json[];
  /** Where they stand. */
  readonly path: Path;
  readonly native: Pick<Conversation, "native">;
}

/** What LangGraph's server puts a state into: a thread's `values`, and the `input` of a run. */
const holders = ["values", "input"];

/** Where the messages of a state are; undefined where it is none. */
export function stateOf(
  value: unknown,
): { readonly messages: readonly Json[]; readonly inner: JsonObject; readonly holder: string | undefined } | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const holder of [undefined, ...holders]) {
    const inner = holder === undefined ? value : memberOf(value, holder);
    const messages = isJsonObject(inner) ? memberOf(inner, "messages") : undefined;
    if (isJsonObject(inner) && Array.isArray(messages)) return { messages, inner, holder };
  }
  return undefined;
}

export function readState(value: unknown): State | undefined {
  const found = stateOf(value);
  if (!found || !isJsonObject(value)) return undefined;
  const { messages, inner, holder } = found;
  const order = Object.keys(inner);
  const around = holder === undefined ? {} : { $holder: holder, $around: without(value, holder, null) };
  const hints = { ...(order.at(-1) !== "messages" && { $order: order }), ...around };
  return {
    messages,
    path: holder === undefined ? ["messages"] : [holder, "messages"],
    native: kept(family, without(inner, "messages"), hints),
  };
}

/** The state that was read, with these messages. */
export function writeState(conversation: Conversation, messages: readonly Json[]): JsonObject {
  const rest = remainderOf(conversation, family);
  const { $order: order, $holder: holder, $around: around } = conversation.native?.[family] ?? {};
  const given = Array.isArray(order) ? order.filter(key => typeof key === "string") : Object.keys(rest);
  const inner: MutableJsonObject = {};
  for (const key of [...given, ...Object.keys(rest)]) {
    const value = key === "messages" ? messages : memberOf(rest, key);
    if (value !== undefined) setMember(inner, key, value);
  }
  if (!Object.hasOwn(inner, "messages")) setMember(inner, "messages", messages);
  if (typeof holder !== "string" || !holders.includes(holder)) return inner;
  return { ...(isJsonObject(around) && around), [holder]: inner };
}

/** The object without a member, or with another value in its place. */
function without(object: JsonObject, name: string, instead?: Json): JsonObject {
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(object)) {
    const value = key === name ? instead : object[key];
    if (value !== undefined) setMember(rest, key, value);
  }
  return rest;
}
