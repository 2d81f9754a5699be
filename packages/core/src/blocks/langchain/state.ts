import { kept, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { memberOf } from "./escape.ts";
import { family } from "./wire.ts";

/** A graph's state: its messages, and channels of its own, which the conversation keeps. */
export interface State {
  readonly messages: readonly Json[];
  /** Where a message stands, by its number. */
  readonly pathOf: (index: number) => Path;
  readonly native: Pick<Conversation, "native">;
}

/** What a message says, whatever its id and form: equal texts say the same. */
export type Says = (wire: Json) => string;

/** What LangGraph's server puts a state into: a thread's `values`, and the `input` of a run. */
const holders = ["values", "input"];

interface Found {
  readonly messages: readonly Json[];
  readonly inner: JsonObject;
  readonly holder: string | undefined;
}

/** Where the messages of a state are; undefined where it is none. */
export function stateOf(value: unknown): Found | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const holder of [undefined, ...holders]) {
    const inner = holder === undefined ? value : memberOf(value, holder);
    const messages = isJsonObject(inner) ? memberOf(inner, "messages") : undefined;
    if (isJsonObject(inner) && Array.isArray(messages)) return { messages, inner, holder };
  }
  return undefined;
}

/** The state that came out of a run, beside the one that was put in. */
export function outputOf(value: unknown, { holder }: Found): Found | undefined {
  const inner = holder === "input" && isJsonObject(value) ? memberOf(value, "output") : undefined;
  const messages = isJsonObject(inner) ? memberOf(inner, "messages") : undefined;
  return isJsonObject(inner) && Array.isArray(messages) ? { messages, inner, holder: "output" } : undefined;
}

export function readState(value: unknown, says: Says): State | undefined {
  const found = stateOf(value);
  if (!found || !isJsonObject(value)) return undefined;
  const output = outputOf(value, found);
  return (output && readRun(value, { input: found, output, says })) ?? readHeld(found, value, {});
}

/**
 * A run's input and output: of a graph the output goes on from the input and has it all; of a node it is what is new. Where
 * it is neither the input alone is read.
 */
function readRun(
  value: JsonObject,
  { input, output, says }: { readonly input: Found; readonly output: Found; readonly says: Says },
): State | undefined {
  const put = input.messages.map(says);
  const made = output.messages.map(says);
  const rest = (inner: JsonObject): JsonObject => without(inner, "messages", null);
  if (put.length <= made.length && put.every((text, index) => text === made[index])) {
    const around = without(value, "input", rest(input.inner));
    return readHeld(output, around, { $input: input.messages });
  }
  const known = new Set(put);
  if (made.some(text => known.has(text))) return undefined;
  const all = { ...input, messages: [...input.messages, ...output.messages] };
  const count = input.messages.length;
  const read = readHeld(all, without(value, "output", rest(output.inner)), { $new: count });
  const pathOf = (index: number): Path =>
    index < count ? ["input", "messages", index] : ["output", "messages", index - count];
  return { ...read, pathOf };
}

function readHeld({ messages, inner, holder }: Found, value: JsonObject, run: JsonObject): State {
  const order = Object.keys(inner);
  const around = holder === undefined ? {} : { $holder: holder, $$around: without(value, holder, null), ...run };
  const hints = { ...(order.at(-1) !== "messages" && { $order: order }), ...around };
  return {
    messages,
    pathOf: index => (holder === undefined ? ["messages", index] : [holder, "messages", index]),
    native: kept(family, without(inner, "messages"), hints),
  };
}

/** The state that was read, with these messages. */
export function writeState(conversation: Conversation, messages: readonly Json[], says: Says): JsonObject {
  const rest = remainderOf(conversation, family);
  const hints = conversation.native?.[family] ?? {};
  const { $order: order, $holder: holder, $$around: kept, $new: count, $input: input } = hints;
  const around = isJsonObject(kept) ? kept : {};
  const given = Array.isArray(order) ? order.filter(key => typeof key === "string") : Object.keys(rest);
  const inner: MutableJsonObject = {};
  const isApart = holder === "input" && typeof count === "number" && isJsonObject(around["output"]);
  const own = isApart ? messages.slice(0, count) : messages;
  for (const key of [...given, ...Object.keys(rest)]) {
    const value = key === "messages" ? own : memberOf(rest, key);
    if (value !== undefined) setMember(inner, key, value);
  }
  if (!Object.hasOwn(inner, "messages")) setMember(inner, "messages", own);
  if (isApart) return { ...around, output: withMessages(around["output"], messages.slice(count)), input: inner };
  if (holder === "output" && Array.isArray(input) && isJsonObject(around["input"])) {
    const put = input.map((wire, index) => {
      const now = messages[index];
      return now === undefined || says(now) === says(wire) ? wire : now;
    });
    return { ...around, input: withMessages(around["input"], put), output: inner };
  }
  if (typeof holder !== "string" || !holders.includes(holder)) return inner;
  return { ...around, [holder]: inner };
}

const withMessages = (inner: Json | undefined, messages: readonly Json[]): JsonObject => ({
  ...(isJsonObject(inner) && inner),
  messages,
});

/** The object without a member, or with another value in its place. */
function without(object: JsonObject, name: string, instead?: Json): JsonObject {
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(object)) {
    const value = key === name ? instead : object[key];
    if (value !== undefined) setMember(rest, key, value);
  }
  return rest;
}
