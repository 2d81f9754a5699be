import { idSpelling, readToolCall } from "../../blocks/chat-parts/calls.ts";
import { chatParts, type Issues } from "../../blocks/chat-parts/parts.ts";
import { envelopeMembers, isText, type Placed, type ReadMessage } from "../../blocks/chat-parts/wire.ts";
import { readHistory, type HistoryScope as Scope, type Turns } from "../../blocks/history.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { at, defined, type Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { readChunks } from "./chunks.ts";
import { carryMember, family, places } from "./wire.ts";

const turns: Turns = {
  family,
  carryMember,
  assistant: readAssistant,
  result: (reader, role, scope) => (role === "tool" ? readResult(reader, scope) : undefined),
  other: (reader, role, scope) => {
    const { parts, hints } = readContent(reader, scope);
    return { head: { role, ...messageRest(reader, hints) }, parts: placed(places.content, parts) };
  },
};

/** The messages of a history. */
export const readMessages = (
  list: readonly Json[],
  context: DecodeContext,
  pathOf?: (index: number) => Path,
): Message[] => readHistory(list, turns, { context, pathOf });

const placed = (first: number, parts: readonly Part[]): Placed[] =>
  parts.map((part, index) => ({ place: first + index, part }));

/** What any message may have beside its content. */
function messageRest(reader: Reader, hints: JsonObject): Pick<MessageHead, "weight" | "native"> {
  const weight = reader.number("weight");
  return { ...(weight !== undefined && { weight }), ...kept(family, reader.rest(), hints, envelopeMembers) };
}

interface Content {
  readonly parts: readonly Part[];
  readonly hints: JsonObject;
}

/** A text or a list of chunks; what it is where its parts alone do not tell, as a hint. */
function readContent(reader: Reader, { context, path }: Scope): Content {
  const content = reader.peek("content");
  if (typeof content === "string") {
    reader.take("content");
    return { parts: [{ type: "text", text: content }], hints: {} };
  }
  if (Array.isArray(content)) {
    reader.take("content");
    const parts = readChunks(content, at(path, "content"), context);
    const isTold = parts.length > 1 || parts.some(part => part.type !== "text");
    return { parts, hints: isTold ? {} : { $content: "list" } };
  }
  if (content !== undefined && content !== null) {
    context.issue("unknown-content", at(path, "content"), "expected a text or a list of chunks; kept as it is");
  }
  return { parts: [], hints: content === undefined ? { $content: false } : {} };
}

// results

function readResult(reader: Reader, scope: Scope): Omit<ReadMessage, "carry"> {
  const id = reader.peek("tool_call_id");
  const spelling = idSpelling(id);
  const hasId = isText(id);
  if (hasId || spelling !== false) reader.take("tool_call_id");
  const callId = hasId ? id : (scope.unanswered.answer("tool") ?? `~${scope.made}.0`);
  const { output, hints } = readOutput(reader, scope);
  const part = defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId,
    name: reader.string("name"),
    output,
    ...kept(chatParts, undefined, spelling === undefined ? {} : { $id: spelling }),
  });
  return { head: { role: "tool", ...messageRest(reader, hints) }, parts: [{ place: 0, part }] };
}

function readOutput(
  reader: Reader,
  scope: Scope,
): { readonly output: readonly Part[] | undefined; readonly hints: JsonObject } {
  const content = reader.peek("content");
  // What a program put in without making it a text.
  if (isJsonObject(content) || typeof content === "number" || typeof content === "boolean") {
    reader.take("content");
    return { output: [{ type: "data", data: content }], hints: { $content: "json" } };
  }
  const { parts, hints } = readContent(reader, scope);
  const isNothing = content === undefined || content === null;
  return { output: isNothing ? undefined : parts, hints };
}

// assistant

/** Content in its order, then the calls. */
export function readAssistant(reader: Reader, scope: Scope): ReadMessage {
  const carry = reader.json(carryMember);
  const hasRole = reader.literal("role", "assistant");
  const { parts, hints } = readSaid(reader, scope);
  const calls = readCalls(reader, scope);
  const isBare = parts.length === 0 && calls.length === 0;
  const isUnsaid = hints["$content"] === false && !isBare;
  const rest = messageRest(reader, {
    ...(isUnsaid ? {} : hints),
    ...(!hasRole && reader.peek("role") === undefined && { $role: false }),
  });
  return { head: { role: "assistant", ...rest }, parts: [...placed(places.content, parts), ...calls], carry };
}

/** An empty text says nothing: it is a spelling of no content, as null is. */
function readSaid(reader: Reader, scope: Scope): Content {
  for (const empty of ["", null]) {
    if (reader.literal("content", empty)) return { parts: [], hints: { $content: empty } };
  }
  return readContent(reader, scope);
}

function readCalls(reader: Reader, scope: Scope): Placed[] {
  const wire = reader.peek("tool_calls");
  const list = Array.isArray(wire) ? (wire as readonly Json[]) : []; // a list of JSON
  if (list.length > 0) reader.take("tool_calls");
  else if (wire !== undefined && wire !== null && !Array.isArray(wire)) {
    scope.context.issue("unknown-tool-calls", at(scope.path, "tool_calls"), "expected a list; kept as it is");
  }
  return list.map((call, position): Placed => {
    const made = `~${scope.made}.${position}`;
    const path = at(scope.path, "tool_calls", position);
    const part = readCall(call, { made, position, path, issues: scope.context });
    if (part.type === "tool-call" && part.callId === made) scope.unanswered.ask(["tool"], made);
    return { place: places.calls + position, part };
  });
}

/**
 * A call. How Mistral spells it (no type, a count, arguments that are no text) is Mistral's: other hosts refuse such calls.
 * One that is none stays in the list of calls.
 */
export function readCall(
  call: Json,
  from: { readonly made: string; readonly position: number; readonly path: Path; readonly issues: Issues },
): Part {
  const part = readToolCall(call, from.path, from);
  const chat = { ...part.native?.[chatParts] };
  if (part.type === "opaque") return { ...part, native: { [chatParts]: { ...chat, $place: "calls" } } };
  const spelled: MutableJsonObject = {};
  for (const hint of callSpellings) {
    const value = chat[hint];
    if (value !== undefined) setMember(spelled, hint, value);
    delete chat[hint];
  }
  if (isJsonObject(call) && !Object.hasOwn(call, "index")) setMember(spelled, "$index", false);
  const { native: _, ...plain } = part;
  const native = { ...kept(chatParts, undefined, chat).native, ...kept(family, undefined, spelled).native };
  return Object.keys(native).length > 0 ? { ...plain, native } : plain;
}

/** Hints of a call that only a reader of Mistral's takes. */
export const callSpellings = ["$type", "$index", "$arguments"] as const;
