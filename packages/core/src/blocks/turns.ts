/** What formats share whose history is a list of messages with a role, each result a message of its own. */

import type { EncodeContext, LossTable } from "../codec/codec.ts";
import type { Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Part, PartOf } from "../model/parts.ts";

/** Where something stands in the value given to an encoder. */
export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

export const turnLosses = {
  order: { kind: "approximated", note: "a message has one member for each kind of part, and no order among them" },
  control: { kind: "dropped", note: "what is no turn has no message" },
  split: { kind: "approximated", note: "each result is a message of its own" },
  "no-content": { kind: "synthesised", note: "a message without parts is written with an empty text" },
  "result-role": { kind: "approximated", note: "a result is a message of the role tool" },
  "empty-message": { kind: "dropped", note: "nothing of the message can be said on this wire" },
  "no-result": { kind: "dropped", note: "a tool's message is its result, and here is none" },
  misplaced: { kind: "dropped", note: "a message of this role has no place for the part" },
  compaction: { kind: "flattened", note: "a compaction is written as its summary" },
  "hidden-compaction": { kind: "dropped", note: "only its maker can read this compaction" },
  developer: { kind: "approximated", note: "the API knows no developer: written as system" },
  refusal: { kind: "flattened", note: "nobody refuses on this wire: written as text" },
  outcome: { kind: "approximated", note: "a result does not say that it failed; its text has to" },
  "no-output": { kind: "approximated", note: "no output is written as an empty one" },
} as const satisfies LossTable;

export interface TurnWriters {
  assistant(parts: readonly Located[], message: Message, path: Path): JsonObject;
  /** `message`: the one whose own members the wire message has, if it has any. */
  result(result: Located<PartOf<"tool-result">>, message: Message | undefined): JsonObject;
  turn(parts: readonly Located[], message: Message, path: Path): JsonObject;
}

/** The wire messages of a history, each message by itself: neighbours are never joined (R15). */
export function writeTurns(messages: readonly Message[], context: EncodeContext, writers: TurnWriters): Json[] {
  return messages.flatMap((message, index) => {
    const all = writeMessage(message, ["messages", index], { context, writers });
    const written = withoutHusk(all, message, { path: ["messages", index], context });
    // What is no object has no room for a carry, and says all that there is to say.
    const [first, ...rest] = written.map(wire => (isJsonObject(wire) ? wire : {}));
    if (first) context.wrote([first, ...rest], index, 1);
    return written;
  });
}

/** A provider gets no message of whose parts nothing could be written: it refuses it, or takes it for a turn. */
export function withoutHusk(
  written: Json[],
  message: Message,
  { path, context }: { readonly path: Path; readonly context: EncodeContext },
): Json[] {
  const { recipient, shape } = context;
  const [only] = written;
  const isHeld = message.parts.length === 0 || message.parts.some(({ type }) => type === "text" || type === "opaque");
  const isRequest = recipient === "provider" && (shape === "request" || shape === "messages");
  if (!isRequest || isHeld || written.length !== 1 || !isJsonObject(only) || !isSilent(only)) return written;
  context.lose("empty-message", path);
  return [];
}

function isSilent(wire: JsonObject): boolean {
  const { role, content, ...others } = wire;
  const isEmpty = content === "" || content === null || (Array.isArray(content) && content.length === 0);
  return role !== "tool" && role !== "function" && isEmpty && Object.keys(others).length === 0;
}

/** A compaction is its summary, as text where it stands (R26). */
export function flattened(parts: readonly Part[], path: Path, context: EncodeContext): Located[] {
  return parts.flatMap((part, index): Located[] => {
    const place = [...path, index];
    if (part.type !== "compaction") return [{ part, path: place }];
    context.lose(part.summary ? "compaction" : "hidden-compaction", place);
    return (part.summary ?? []).map((inner, at) => ({ part: inner, path: [...place, "summary", at] }));
  });
}

function writeMessage(
  message: Message,
  path: Path,
  { context, writers }: { readonly context: EncodeContext; readonly writers: TurnWriters },
): Json[] {
  const parts = flattened(message.parts, [...path, "parts"], context);
  if (message.role === "control") return writeControl(parts, path, context);
  if (message.role === "assistant") return [writers.assistant(parts, message, path)];
  const results = parts.filter(isResult);
  const others = parts.filter(each => !isResult(each));
  const isTool = message.role === "tool";
  const count = results.length + (isTool || others.length === 0 ? 0 : 1);
  if (count > 1) context.lose("split", path);
  if (isTool) {
    for (const { part, path: place } of others) context.lose("misplaced", place, part.type);
    if (count === 0) context.lose("no-result", path);
    return results.map((result, index) => writers.result(result, index === 0 ? message : undefined));
  }
  if (count === 1 && results.length === 1) context.lose("result-role", [...path, "role"], message.role);
  const written = results.map(result => writers.result(result, undefined));
  if (others.length === 0 && results.length > 0) return written;
  // Results stand right behind their calls, so they go first (R15).
  const isMoved = results.length > 0 && parts.findIndex(each => !isResult(each)) < results.length;
  if (isMoved) context.lose("order", path);
  return [...written, writers.turn(others, message, path)];
}

const isResult = (each: Located): each is Located<PartOf<"tool-result">> => each.part.type === "tool-result";

function writeControl(parts: readonly Located[], path: Path, context: EncodeContext): Json[] {
  const [only] = parts;
  if (parts.length === 1 && only?.part.type === "opaque") {
    const { value } = only.part;
    return [isJsonObject(value) ? { ...value } : value]; // a copy: what is written may get a carry
  }
  context.lose("control", path);
  return [];
}

/** The role as the API knows it. */
export function roleOf({ role }: Message, path: Path, context: EncodeContext): string {
  if (role !== "developer") return role;
  context.lose("developer", [...path, "role"]);
  return "system";
}
