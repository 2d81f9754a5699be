import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { family } from "./wire.ts";

/** Reports something that the wire cannot say. */
export type Lose = (code: string, path: Path, detail?: string) => void;

/** A member of `tool_calls`; undefined where it has no name. `made` is its id where the wire has none (R8). */
export function readCall(wire: Json, { made, position }: { made: string; position: number }): ToolCallPart | undefined {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const holder = reader?.object("function");
  const inner = holder && new Reader(holder);
  const name = inner?.string("name");
  if (!reader || !inner || name === undefined) return undefined;
  const id = readId(reader, "id");
  const { hints, ...input } = readArguments(inner);
  const isCounted = inner.literal("index", position);
  const isTyped = reader.literal("type", "function");
  const rest = inner.rest();
  return {
    type: "tool-call",
    callId: id.callId ?? made,
    name,
    ...defined<Partial<ToolCallPart>>(input),
    ...kept(family, reader.rest(), {
      ...id.hints,
      ...hints,
      ...(isCounted && { $index: true }),
      ...(isTyped && { $type: true }),
      ...(rest && { function: rest }),
    }),
  };
}

/** An id that is there; how it is not there, as a hint. */
export function readId(
  reader: Reader,
  member: string,
): { readonly callId: string | undefined; readonly hints: JsonObject } {
  const id = reader.peek(member);
  const isMissing = id === undefined || id === null || id === "";
  if (isMissing || typeof id === "string") reader.take(member);
  if (isMissing) return { callId: undefined, hints: { $id: id === undefined ? false : id } };
  if (typeof id !== "string") return { callId: undefined, hints: { $id: false } };
  return { callId: id, hints: id.startsWith("~") ? { $id: id } : {} };
}

/** An object; a text of JSON is what models of other makers write. */
function readArguments(inner: Reader): {
  readonly input?: Json;
  readonly inputText?: string;
  readonly hints: JsonObject;
} {
  const given = inner.peek("arguments");
  inner.take("arguments");
  if (isJsonObject(given)) return { input: given, hints: {} };
  if (given === undefined || given === null) return { hints: { $arguments: given === null ? given : false } };
  if (typeof given === "string") return { ...readInput(given), hints: { $arguments: "text" } };
  return { input: given, hints: { $arguments: "any" } };
}

/** A member of `tool_calls`, with this id. */
export function writeCall(
  call: ToolCallPart,
  path: Path,
  { id, position, lose }: { readonly id: Json | undefined; readonly position: number; readonly lose: Lose },
): JsonObject {
  if (call.kind !== undefined) lose("tool-kind", [...path, "kind"], call.kind);
  const hints = hintsOf(call, family);
  const remainder = remainderOf(call, family);
  const fields = present({
    id: Object.hasOwn(remainder, "id") ? undefined : id,
    type: hints["$type"] === true ? "function" : undefined,
    function: present({
      index: hints["$index"] === true ? position : undefined,
      name: call.name,
      arguments: writeArguments(call, path, lose),
    }),
  });
  return fillAll(fields, remainder);
}

/** Arguments as the object that the wire wants. */
export function writeArguments(call: ToolCallPart, path: Path, lose: Lose): Json | undefined {
  const { input, inputText } = call;
  const { $arguments: told } = hintsOf(call, family);
  const isAsText = told === "text";
  if (input === undefined) {
    if (isAsText) return inputText ?? "";
    if (inputText !== undefined) {
      lose("unread-input", [...path, "inputText"]);
      return { input: inputText };
    }
    if (told === false) return undefined;
    if (told === null) return null;
    lose("no-arguments", path);
    return {};
  }
  if (isAsText) return inputText ?? JSON.stringify(input);
  if (isJsonObject(input) || told === "any") return input;
  lose("input-shape", [...path, "input"]);
  return { input };
}

// pairing

/** A call is asked for by its id, its tool, or nothing; calls that have no id either come first where none is named. */
export function ask(waiting: WaitingCalls, { name, callId }: ToolCallPart, isMade: boolean): void {
  const names = [`name ${name}`, "any"];
  waiting.ask([`id ${callId}`, ...names, ...(isMade ? names.map(key => `made ${key}`) : [])], callId);
}

/** A result that says which call it answers. */
export const answer = (waiting: WaitingCalls, callId: string): string | undefined => waiting.answer(`id ${callId}`);

/** The call that a result without an id answers. */
export function next(waiting: WaitingCalls, name: string | undefined): string | undefined {
  const key = name === undefined ? "any" : `name ${name}`;
  return waiting.answer(`made ${key}`) ?? waiting.answer(key);
}

/**
 * Ids that the wire has to say: made ones of which nothing says that the wire had none, and those whose result would be read
 * as that of another call.
 */
export function idsToName(
  messages: readonly Message[],
  nameOf: (result: PartOf<"tool-result">) => string | undefined,
): ReadonlySet<string> {
  const named = new Set<string>();
  const waiting = new WaitingCalls();
  const asked = new Set<string>();
  let isLost = false;
  // What answers no call is read so again.
  const isFound = (callId: string, found: string | undefined): boolean =>
    found === undefined ? !asked.has(callId) : found === callId;
  const look = (part: Part): void => {
    if (part.type === "tool-call" && !part.executedBy) {
      const isNamed = saysId(part);
      if (isNamed && part.callId.startsWith("~")) named.add(part.callId);
      ask(waiting, part, !isNamed);
      asked.add(part.callId);
    } else if (part.type === "tool-result") {
      const isNamed = saysId(part);
      if (isNamed) answer(waiting, part.callId);
      // Behind one that would be read otherwise, no place tells anything.
      else if (isLost || !isFound(part.callId, next(waiting, nameOf(part)))) isLost = true;
      if (isLost || (isNamed && part.callId.startsWith("~"))) named.add(part.callId);
    }
  };
  for (const { role, parts } of messages) {
    if (role !== "assistant" && role !== "control") waiting.endTurn();
    for (const part of parts) look(part);
  }
  return named;
}

/** Whether its id is on the wire by itself. */
const saysId = (part: Part): boolean => {
  const { $id: id } = hintsOf(part, family);
  return id === undefined || (typeof id === "string" && id !== "");
};

/** An id as the wire has it. Undefined = it has none. */
export function callIdOf(
  part: PartOf<"tool-call" | "tool-result">,
  path: Path,
  { named, lose }: { readonly named: ReadonlySet<string>; readonly lose: Lose },
): Json | undefined {
  const { $id: hint } = hintsOf(part, family);
  const isNamed = named.has(part.callId);
  if (hint === undefined || hint === part.callId) {
    if (part.callId.startsWith("~") && hint === undefined) {
      lose("made-id", [...path, "callId"]);
      return validId(part.callId);
    }
    return part.callId;
  }
  if (isNamed) {
    if (!part.callId.startsWith("~")) return part.callId;
    lose("made-id", [...path, "callId"]);
    return validId(part.callId);
  }
  return hint === false ? undefined : hint;
}

/** What is made by us is told by its first letter, which a reader would take for its own. */
const validId = (id: string): string => `call_${id.slice(1)}`;
