import type { DecodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { WaitingCalls } from "../waiting-calls.ts";
import { besideNames, type ReadHead, readBeside, readStatus } from "./answer-head.ts";
import { isBlock } from "./call-hints.ts";
import { type Opened, open } from "./container.ts";
import { readContent } from "./content.ts";
import { readAssistant } from "./decode-assistant.ts";
import { splitBySide } from "./join.ts";
import { type AnswerHead, hasSpelling, isSameOrder, needsVersion, readMetadata, readUsage } from "./metadata.ts";
import { readState } from "./state.ts";
import { besideMembers, type Class, type Form, family, usualClass } from "./wire.ts";

/** Reads a message, a list of messages, or a graph's state with such a list; each message of any form. */
export function decode(value: unknown, context: DecodeContext): Conversation {
  const state = context.shape === "log" ? readState(value, says) : undefined;
  const isList = Array.isArray(value);
  if ((!isList && !isJsonObject(value)) || (context.shape === "log" && !state)) {
    const message = `LangChain's ${
      context.shape === "log"
        ? "state is an object with a list of `messages`; this is none"
        : "messages are an array of objects, or one of them; this is neither"
    }`;
    throw new TranslogueError("decode/not-this-format", message, { data: { format: family, shape: context.shape } });
  }
  const list: readonly Json[] = state ? state.messages : isList ? value : [value as JsonObject]; // or there was nothing to read
  const unanswered = new WaitingCalls();
  const messages: Message[] = [];
  for (const [index, wire] of list.entries()) {
    const path = state ? state.pathOf(index) : isList ? [index] : [];
    const message = decodeMessage(wire, { context, path, index, first: messages.length, unanswered });
    messages.push(...splitBySide(message));
  }
  return { messages, ...state?.native };
}

/** What a message says, whatever its id and form. */
export function says(wire: Json): string {
  const scope: Scope = { context: silent, path: [], index: 0, unanswered: new WaitingCalls() };
  const { role, parts, author } = decodeMessage(wire, scope);
  const said = parts.map(({ id: _, ...part }) => part);
  return JSON.stringify([role, author, said], (key, value: unknown) => (unsaid.has(key) ? undefined : value));
}

const unsaid: ReadonlySet<string> = new Set(["native", "exact"]);

const silent: DecodeContext = {
  shape: "message",
  dialect: "python",
  issue: () => undefined,
  lose: () => undefined,
  carried: () => undefined,
  newId: undefined,
};

export interface Scope {
  readonly context: DecodeContext;
  readonly path: Path;
  /** The wire message's number, and that of the first message that is read of it. */
  readonly index: number;
  readonly first?: number;
  /** Calls without an id that wait for a result without one. */
  readonly unanswered: WaitingCalls;
}

export function decodeMessage(wire: Json, scope: Scope): Message {
  const opened = open(wire, scope.path, scope.context);
  if (opened) return readBody(opened, scope);
  scope.context.issue(
    "not-a-message",
    scope.path,
    "this is no message of LangChain's in any of its forms; kept as it is",
  );
  return { role: "control", parts: [{ type: "opaque", family, value: wire }] };
}

/** A message out of its container; what is left of its members is its native. */
export function readBody({ body, form, hints }: Opened, scope: Scope): Message {
  const { row, members } = body;
  const reader = new Reader(members);
  const kwargs = readKwargs(reader);
  if (kwargs.carry !== undefined) scope.context.carried(scope.first ?? scope.index, kwargs.carry);
  if (row.base === "RemoveMessage") return readRemoval(reader, kwargs, hints);
  if (row.base !== "AIMessage") scope.unanswered.endTurn();
  const metadata = readResponseMetadata(reader, { row, form });
  const reading: Reading = { reader, row, form, scope, kwargs: kwargs.inner, metadata: metadata.object, opened: hints };
  const told = readBase(reader);
  const read = readers[row.base](reading);
  const usage = readUsageOf(reader, row);
  const answer = row.base === "AIMessage" ? readAnswer(reading, metadata.head, read.parts) : undefined;
  const additional = kwargs.rest(besideNames(answer?.hints ?? {}));
  return {
    ...told.head,
    ...read.head,
    ...defined<Pick<Message, "usage">>({ usage: usage.usage }),
    ...metadata.head,
    ...answer?.head,
    parts: read.parts,
    ...kept(
      family,
      { ...reader.rest(), ...additional.rest, ...(metadata.rest && { response_metadata: metadata.rest }) },
      {
        ...withoutDeveloper(hints),
        ...classHint(row, read.head.role),
        ...told.hints,
        ...read.hints,
        ...usage.hints,
        ...metadata.hints,
        ...answer?.hints,
        ...additional.hints,
      },
    ),
  };
}

/** What is said of the answer elsewhere than in the words of `response_metadata`. */
function readAnswer({ kwargs, metadata }: Reading, known: AnswerHead, parts: readonly Part[]): ReadHead {
  const beside = readBeside(kwargs, known);
  const status = readStatus(metadata, { ...known, ...beside.head }, parts);
  return { head: { ...beside.head, ...status.head }, hints: { ...beside.hints, ...status.hints } };
}

function withoutDeveloper({ $developer: _, ...hints }: JsonObject): JsonObject {
  return hints as JsonObject; // members of it
}

export interface Reading {
  readonly reader: Reader;
  readonly row: Class;
  readonly form: Form;
  readonly scope: Scope;
  /** `additional_kwargs`. */
  readonly kwargs: Reader;
  /** `response_metadata` as a whole. */
  readonly metadata: JsonObject;
  /** How the container was spelled. */
  readonly opened: JsonObject;
}

export interface Read {
  readonly head: Pick<Message, "role" | "author">;
  readonly parts: readonly Part[];
  readonly hints: JsonObject;
}

/** The class where its role does not tell it. */
function classHint(row: Class, role: string): JsonObject {
  return row.name === usualClass(role) ? {} : { $class: row.name };
}

const readers: { readonly [base in Exclude<Class["base"], "RemoveMessage">]: (reading: Reading) => Read } = {
  SystemMessage: reading => readPlain(reading, isDeveloper(reading) ? "developer" : "system"),
  HumanMessage: reading => readPlain(reading, "user"),
  ChatMessage: reading => {
    const role = reading.reader.string("role");
    return { ...readPlain(reading, role ?? "user"), ...(role === undefined && { hints: { $role: false } }) };
  },
  AIMessage: readAssistant,
  ToolMessage: reading => readResult(reading, "tool"),
  FunctionMessage: reading => readResult(reading, "function"),
};

/** OpenAI's developer messages are system messages with a flag. */
const isDeveloper = ({ kwargs, opened }: Reading): boolean =>
  opened["$developer"] === true || kwargs.literal("__openai_role__", "developer");

function readPlain(reading: Reading, role: string): Read {
  const { parts, hints } = readContentOf(reading);
  const name = reading.reader.string("name");
  return { head: { role, ...(name !== undefined && { author: { name } }) }, parts, hints };
}

// members of all classes

function readBase(reader: Reader): { readonly head: Pick<Message, "id">; readonly hints: JsonObject } {
  for (const member of ["name", "id", "usage_metadata", "chunk_position"]) reader.literal(member, null);
  const id = reader.peek("id");
  if (typeof id === "number") {
    reader.take("id");
    return { head: { id: `${id}` }, hints: { $id: id } };
  }
  if (typeof id !== "string") return { head: {}, hints: {} };
  reader.take("id");
  return id === "" ? { head: {}, hints: { $id: id } } : { head: { id }, hints: {} };
}

function readResponseMetadata(
  reader: Reader,
  of: Pick<Reading, "row" | "form">,
): {
  readonly object: JsonObject;
  readonly head: AnswerHead;
  readonly rest: JsonObject | undefined;
  readonly hints: JsonObject;
} {
  const object = reader.object("response_metadata");
  const isVersioned = needsVersion(givenContent(reader) ?? null, { ...of, provider: object?.["model_provider"] });
  if (!object) return { object: {}, head: {}, rest: undefined, hints: isVersioned ? { $version: false } : {} };
  return { object, ...readMetadata(object, isVersioned) };
}

function readUsageOf(reader: Reader, row: Class): ReturnType<typeof readUsage> {
  const wire = reader.peek("usage_metadata");
  const read = isJsonObject(wire) && row.base === "AIMessage" ? readUsage(wire) : { usage: undefined, hints: {} };
  if (read.usage) reader.take("usage_metadata");
  return read;
}

interface Kwargs {
  readonly inner: Reader;
  readonly carry: Json | undefined;
  /** @param named the members that were read of the answer */
  rest(named: readonly string[]): { readonly rest: JsonObject; readonly hints: JsonObject };
}

/** `additional_kwargs`: what the readers of the message leave in it is kept, and the order that it had. */
function readKwargs(reader: Reader): Kwargs {
  const given = reader.object("additional_kwargs");
  const inner = new Reader(given ?? {});
  const own = inner.json("translogue");
  const carry = own ?? reader.json("translogue");
  const rest: Kwargs["rest"] = named => {
    const left = inner.rest();
    const keys = Object.keys(given ?? {}).filter(key => key !== "translogue");
    const kept = Object.keys(left ?? {});
    const taken = [...besideMembers, ...named].filter(member => keys.includes(member) && !kept.includes(member));
    if (given && left && own === undefined && (taken.length === 0 || hasSpelling(given))) {
      // The very object keeps the spelling of its numbers (R6).
      return { rest: { additional_kwargs: given }, hints: taken.length > 0 ? { $taken: taken } : {} };
    }
    const hints = isSameOrder([...kept, ...taken], keys) ? {} : { $kwargs: keys };
    return { rest: left ? { additional_kwargs: left } : {}, hints };
  };
  return { inner, carry, rest };
}

// content

export interface ReadContent {
  readonly parts: readonly Part[];
  readonly hints: JsonObject;
}

/** `content`, or `content_blocks` of a message that has only these. */
export function readContentOf(reading: Reading): ReadContent {
  const { reader, row, form, scope, metadata } = reading;
  const content = reader.peek("content");
  const member = blockMembers.find(each => reader.peek(each) !== undefined) ?? "content_blocks";
  const blocks = reader.peek(member);
  const isOfBlocks = content === undefined && Array.isArray(blocks);
  if (Array.isArray(blocks) && (isOfBlocks || isView(blocks, content))) reader.take(member);
  const given = isOfBlocks ? blocks : content;
  if (given === undefined) return { parts: [], hints: {} };
  reader.take("content");
  if (given === null) return { parts: [], hints: { $content: null } };
  const { model_provider: modelProvider, output_version: outputVersion } = metadata;
  const parts = readContent(
    given,
    {
      language: form.language,
      role: row.js,
      path: [...scope.path, isOfBlocks ? member : "content"],
      made: position => `~${scope.index}.${position}`,
      modelProvider: typeof modelProvider === "string" ? modelProvider : undefined,
      outputVersion: typeof outputVersion === "string" ? outputVersion : undefined,
    },
    scope.context,
  );
  const hints = Array.isArray(given) && parts.length === 0 ? { $content: "list" } : {};
  return { parts: form.container === "dict" ? parts.map(markOwn) : parts, hints };
}

const givenContent = (reader: Reader): Json | undefined =>
  ["content", ...blockMembers].map(member => reader.peek(member)).find(value => value !== undefined);

/** OpenAI's form of a file is the usual one in a dict. */
const markOwn = (part: Part): Part =>
  part.type === "file" && !isBlock(part)
    ? { ...part, native: { ...part.native, [family]: { ...hintsOf(part, family), $own: true } } }
    : part;

/** What JavaScript calls the blocks, in its text and in its constructors. */
export const blockMembers: readonly string[] = ["content_blocks", "contentBlocks"];

/** The blocks that JavaScript derives say nothing that the content does not. */
function isView(blocks: readonly Json[], content: Json | undefined): boolean {
  return JSON.stringify(blocks) === JSON.stringify(viewOf(content));
}

export const viewOf = (content: Json | undefined): Json | undefined =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

// results

function readResult(reading: Reading, key: "tool" | "function"): Read {
  const { reader } = reading;
  const name = reader.string("name");
  const id = readCallId(reading, key, name);
  const content = reader.peek("content");
  const isData = isJsonObject(content) || typeof content === "number" || typeof content === "boolean";
  if (isData) reader.take("content");
  const read: ReadContent = isData
    ? { parts: [{ type: "data", data: content }], hints: { $content: "json" } }
    : readContentOf(reading);
  const isNothing = read.parts.length === 0 && read.hints["$content"] !== "list";
  const { outcome, hints } = readOutcome(reader);
  const isAbsent = reader.literal("artifact", null);
  const structured = !isAbsent ? reader.json("artifact") : undefined;
  const part = defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId: id.callId,
    name,
    output: isNothing ? undefined : read.parts,
    structured,
    outcome,
    ...kept(family, undefined, id.hints),
  });
  const isList = read.hints["$content"] === "list";
  return { head: { role: "tool" }, parts: [part], hints: { ...(isList ? {} : read.hints), ...hints } };
}

function readCallId(
  { reader, scope }: Reading,
  key: string,
  name: string | undefined,
): { callId: string; hints: JsonObject } {
  const id = reader.peek("tool_call_id");
  if (typeof id === "string" && id !== "") {
    reader.take("tool_call_id");
    return { callId: id, hints: {} };
  }
  if (typeof id === "number") {
    reader.take("tool_call_id");
    return { callId: `${id}`, hints: { $call: { number: id } } };
  }
  if (id === null || id === "") reader.take("tool_call_id");
  const queue = key === "function" ? `function ${name ?? ""}` : key;
  const callId = scope.unanswered.answer(queue) ?? `~${scope.index}.0`;
  return { callId, hints: { $call: { id: id === null || id === "" ? id : false } } };
}

/** JavaScript's messages have no status unless one was given: then success is told, too, by the order of the members. */
function readOutcome(reader: Reader): { readonly outcome: "error" | undefined; readonly hints: JsonObject } {
  reader.literal("status", "success");
  return { outcome: reader.literal("status", "error") ? "error" : undefined, hints: {} };
}

// removals

/** No turn: what a reducer takes out of a history. Its id is another message's. */
function readRemoval(reader: Reader, kwargs: Kwargs, hints: JsonObject): Message {
  const content = reader.peek("content");
  if (content === "" || (Array.isArray(content) && content.length === 0)) reader.take("content");
  const metadata = reader.peek("response_metadata");
  if (isJsonObject(metadata) && Object.keys(metadata).length === 0) reader.take("response_metadata");
  reader.literal("name", null);
  const value = { type: "remove", ...reader.rest(), ...kwargs.rest([]).rest };
  return {
    role: "control",
    parts: [{ type: "opaque", family, value }],
    ...kept(family, undefined, { ...hints, $class: "RemoveMessage" }),
  };
}
