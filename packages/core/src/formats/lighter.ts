/**
 * The message classes of `@yong_xie/lighter`, as a drop-in module, and their codec (seed document read 2026-11-30).
 * They cannot say: files, several texts of one message, order of text and calls, results that are neither text nor JSON.
 */

import { withEmptyIds, withMadeIds } from "../blocks/unnamed-calls.ts";
import type { DecodeContext } from "../codec/codec.ts";
import {
  defineCodec,
  type EncodeContext,
  type Holds,
  type PartHolds,
  type Sniff,
  unsupported,
} from "../codec/codec.ts";
import { defined, fill, native, Reader } from "../codec/reader.ts";
import { deniedText } from "../codec/refusals.ts";
import type { Conversation, Message } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import type { Path } from "../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { inputTextOf, jsonTextOf } from "../model/json-text.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../model/parts.ts";
import { readInput } from "../stream/input.ts";

// classes

/** A call that a model asks for; `arguments` is JSON text, neither parsed nor checked. */
export interface ToolCall {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: string;
}

export class SystemMessage {
  readonly role = "system" as const;
  readonly content: string;

  constructor(content: string) {
    this.content = content;
  }
}

export class UserMessage {
  readonly role = "user" as const;
  readonly content: string;

  constructor(content: string) {
    this.content = content;
  }
}

export class AssistantMessage {
  readonly role = "assistant" as const;
  readonly content: string;
  readonly reasoning: string | undefined;
  readonly toolCalls: ToolCall[];

  constructor(content: string, options: { reasoning?: string | undefined; toolCalls?: ToolCall[] | undefined } = {}) {
    this.content = content;
    this.reasoning = options.reasoning;
    this.toolCalls = options.toolCalls ?? [];
  }
}

export class ToolMessage {
  readonly role = "tool" as const;
  readonly callId: string;
  readonly toolName: string;
  readonly toolOutput: string;
  readonly isError: boolean;

  constructor(result: { callId: string; toolName: string; toolOutput: string; isError?: boolean | undefined }) {
    this.callId = result.callId;
    this.toolName = result.toolName;
    this.toolOutput = result.toolOutput;
    this.isError = result.isError ?? false;
  }
}

export type BaseMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
export type BaseMessages = BaseMessage[];

// tables

const family = "lighter";
/** Where an instance keeps what its class has no field for: seals, ids. Not enumerable: no reader of the class sees it. */
const contextKey = Symbol.for("translogue.lighter");
/** The member that it is written under as JSON, where it was asked for. */
const contextMember = "translogue";

const onlyText: PartHolds = {
  text: ["text"],
  reasoning: unsupported("a tool's output is one text"),
  refusal: unsupported("a tool's output is one text"),
  file: unsupported("there is no place for files"),
  "tool-call": unsupported("a tool's output is one text"),
  "tool-result": unsupported("a tool's output is one text"),
  "approval-request": unsupported("approvals have no message"),
  "approval-response": unsupported("approvals have no message"),
  "input-request": unsupported("questions to people have no message"),
  "input-response": unsupported("questions to people have no message"),
  source: unsupported("there is no place for sources"),
  data: ["data"],
  error: ["message"],
  change: unsupported("tools and models do not change inside a history"),
  compaction: unsupported("there are no summaries"),
  opaque: unsupported("a tool's output is one text"),
};

const holds: Holds = {
  conversation: [],
  message: [],
  parts: {
    ...onlyText,
    reasoning: ["text"],
    refusal: ["text"],
    "tool-call": ["callId", "name", "input", "inputText"],
    "tool-result": ["callId", "name", "output", "outcome"],
    data: unsupported("only tools give data"),
    error: unsupported("there is no error message"),
    opaque: ["family", "value"],
  },
  output: onlyText,
  citation: [],
  tool: [],
  settings: [],
  usage: [],
  families: [family],
};

// codec

export const lighter = defineCodec<BaseMessages | BaseMessage>({
  id: "lighter",
  title: "lighter",
  spec: "https://www.npmjs.com/package/@yong_xie/lighter",
  shapes: ["messages", "message"],
  dialects: ["lighter"],
  losses: {
    "text-joined": { kind: "merged", note: "a message has one text" },
    "empty-text": { kind: "dropped", note: "an empty text is no text" },
    "hidden-reasoning": { kind: "dropped", note: "reasoning without a text has no place" },
    "reasoning-joined": { kind: "merged", note: "a message has one reasoning" },
    order: { kind: "approximated", note: "a message says reasoning, then text, then calls" },
    refusal: { kind: "flattened", note: "a refusal becomes text" },
    role: { kind: "approximated", note: "the role has no class" },
    "results-apart": { kind: "approximated", note: "each result is a message of its own" },
    outcome: { kind: "approximated", note: "a result is an error or it is not" },
    output: { kind: "flattened", note: "a result is one text" },
    "no-arguments": { kind: "synthesised", note: "a call without arguments gets an empty object" },
    "tool-name": { kind: "synthesised", note: "a result names its tool, and here neither it nor its call does" },
    misplaced: { kind: "dropped", note: "the role's class has no place for the part" },
  },
  holds: () => holds,
  slot: {
    hidden: true,
    write: writeContext,
  },
  sniff,
  decode,
  encode,
});

function writeContext(message: object, carry: Json, isAsked: boolean): void {
  Object.defineProperty(message, contextKey, { value: carry, configurable: true, writable: true });
  if (!isAsked || Object.hasOwn(message, contextMember)) return;
  const toJSON = (): object => ({ ...message, [contextMember]: carry });
  Object.defineProperty(message, "toJSON", { value: toJSON, configurable: true, writable: true });
}

/** What an instance keeps, or its JSON says. */
function contextOf(wire: JsonObject): { readonly carry: Json; readonly isMember: boolean } | undefined {
  if (contextKey in wire) return { carry: (wire as { [contextKey]?: Json })[contextKey] ?? null, isMember: false };
  const carry = wire[contextMember];
  const isCarry = isJsonObject(carry) && carry["v"] === 1 && typeof carry["base"] === "string";
  return isCarry ? { carry, isMember: true } : undefined;
}

function sniff(value: unknown): readonly Sniff[] {
  const list = Array.isArray(value) ? value : [value];
  const confidence = Math.max(0, ...list.slice(0, 50).map(likeness));
  if (confidence === 0) return [];
  return [
    { shape: Array.isArray(value) ? "messages" : "message", confidence, keys: ["role", "toolOutput", "toolCalls"] },
  ];
}

function likeness(message: unknown): number {
  if (!isJsonObject(message)) return 0;
  if ([SystemMessage, UserMessage, AssistantMessage, ToolMessage].some(type => message instanceof type)) return 1;
  if (typeof message["toolOutput"] === "string" && typeof message["toolName"] === "string") return 0.95;
  if (Array.isArray(message["toolCalls"]) && typeof message["content"] === "string") return 0.8;
  return typeof message["content"] === "string" && typeof message["role"] === "string" ? 0.3 : 0;
}

// decode

function decode(value: unknown, context: DecodeContext): Conversation {
  if (!Array.isArray(value) && !isJsonObject(value)) {
    const message = "lighter's messages are an array of objects, or one of them; this is neither";
    throw new TranslogueError("decode/not-this-format", message, { data: { format: lighter.id } });
  }
  const list: readonly Json[] = Array.isArray(value) ? value : [value];
  const messages = list.map((wire, index) => {
    const kept = isJsonObject(wire) ? contextOf(wire) : undefined;
    if (kept) context.carried(index, kept.carry);
    if (!kept?.isMember || !isJsonObject(wire)) return decodeMessage(wire, [index], context);
    const { [contextMember]: _, ...message } = wire;
    return decodeMessage(message, [index], context);
  });
  return { messages: withMadeIds(messages, family) };
}

function decodeMessage(wire: Json, path: Path, context: DecodeContext): Message {
  const role = isJsonObject(wire) ? wire["role"] : undefined;
  const fits = isJsonObject(wire) && typeof (role === "tool" ? wire["callId"] : wire["content"]) === "string";
  if (!fits || typeof role !== "string" || !["system", "user", "assistant", "tool"].includes(role)) {
    context.issue(
      "not-a-message",
      path,
      "expected a role of system, user, assistant or tool with its fields; kept as it is",
    );
    return { role: "control", parts: [{ type: "opaque", family, value: wire }] };
  }
  const reader = new Reader(wire);
  reader.take("role");
  const parts = role === "tool" ? [decodeResult(reader)] : decodeParts(reader, path, context);
  // Members of a result's message are kept on its result: that is the only node both forms have.
  return { role, parts, ...(role !== "tool" && native(family, reader.remainder())) };
}

function decodeParts(reader: Reader, path: Path, context: DecodeContext): Part[] {
  const parts: Part[] = [];
  const reasoning = reader.string("reasoning");
  if (reasoning !== undefined) parts.push({ type: "reasoning", text: reasoning });
  const content = reader.string("content");
  if (content) parts.push({ type: "text", text: content });
  for (const [index, call] of (reader.array("toolCalls") ?? []).entries()) {
    parts.push(decodeCall(call, [...path, "toolCalls", index], context));
  }
  return parts;
}

function decodeCall(wire: Json, path: Path, context: DecodeContext): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const callId = reader?.string("callId");
  const name = reader?.string("toolName");
  const text = reader?.string("arguments");
  if (!reader || callId === undefined || name === undefined || text === undefined) {
    context.issue("not-a-tool-call", path, "expected `callId`, `toolName` and `arguments`, all strings; kept as it is");
    return { type: "opaque", family, value: wire };
  }
  return {
    type: "tool-call",
    callId,
    name,
    ...readInput(text),
    ...native(family, reader.remainder(), text === "" ? { $arguments: "" } : undefined),
  };
}

function decodeResult(reader: Reader): ToolResultPart {
  const callId = reader.string("callId") ?? "";
  const name = reader.string("toolName");
  const failed = reader.boolean("isError");
  const text = reader.string("toolOutput");
  const { output, spelling } =
    text === undefined || text === "" ? {} : failed ? { output: textOutput(text) } : decodeOutput(text);
  return {
    type: "tool-result",
    callId,
    ...defined<Partial<ToolResultPart>>({ name, output, outcome: failed ? "error" : undefined }),
    ...native(family, reader.remainder(), spelling === undefined ? undefined : { $toolOutput: spelling }),
  };
}

/** A successful output is JSON: a string is text, anything else data. Text that is no JSON was put there by hand. */
function decodeOutput(text: string): { output?: readonly Part[]; spelling?: string } {
  const value = parsed(text);
  const output =
    value === undefined ? textOutput(text) : typeof value === "string" ? textOutput(value) : [dataPart(value)];
  return { output, ...(value !== undefined && JSON.stringify(value) === text ? {} : { spelling: text }) };
}

const textOutput = (text: string): readonly Part[] => [{ type: "text", text }];
const dataPart = (data: Json): Part => ({ type: "data", data });

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

// encode

function encode(conversation: Conversation, context: EncodeContext): BaseMessages | BaseMessage {
  const names = new Map<string, string>();
  const all: BaseMessage[] = [];
  for (const [index, message] of withEmptyIds(conversation.messages, family).entries()) {
    for (const part of message.parts) if (part.type === "tool-call") names.set(part.callId, part.name);
    const written = encodeMessage(message, { path: ["messages", index], names, context });
    const [first, ...rest] = written;
    if (isJsonObject(first)) context.wrote([first, ...rest], index, 1); // what was no object when read has no slot
    all.push(...written);
  }
  if (context.shape === "messages") return all;
  const [only, ...others] = all;
  if (only && others.length === 0) return only;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`lighter\` writes these as ${all.length} messages; ask for the shape \`messages\``,
  );
}

interface Place {
  readonly path: Path;
  /** Tool names by call id: a result must name its tool. */
  readonly names: ReadonlyMap<string, string>;
  readonly context: EncodeContext;
}

function encodeMessage(message: Message, place: Place): BaseMessage[] {
  const { path, context } = place;
  const [opaque] = message.parts;
  if (message.role === "control" && opaque?.type === "opaque") return [opaque.value as unknown as BaseMessage]; // as it was read
  if (message.role === "tool") return encodeResults(message, place);
  const said = speechOf(message, place);
  const known = ["system", "developer", "user", "assistant"].includes(message.role);
  if (message.role === "developer" || !known) context.lose("role", [...path, "role"], message.role);
  const create = (): BaseMessage => {
    if (message.role === "assistant") return new AssistantMessage(said.content, said);
    return message.role === "system" || message.role === "developer"
      ? new SystemMessage(said.content)
      : new UserMessage(said.content);
  };
  return [withNative(create(), message.native?.[family]), ...providersResults(message, place)];
}

/** Results of the provider's own tools stand among what the assistant says: here each follows it, as its caller's do. */
function providersResults({ role, parts }: Message, place: Place): BaseMessage[] {
  if (role !== "assistant") return [];
  return parts.flatMap((part, index) => {
    if (part.type !== "tool-result") return [];
    const path = [...place.path, "parts", index];
    place.context.lose("results-apart", path);
    return [encodeResult(part, path, place)];
  });
}

function speechOf(
  message: Message,
  { path, context }: Place,
): { content: string; reasoning?: string; toolCalls: ToolCall[] } {
  const texts: string[] = [];
  const reasonings: string[] = [];
  const toolCalls: ToolCall[] = [];
  const order = { reasoning: 0, text: 1, refusal: 1, "tool-call": 2, opaque: 2 } as const;
  let last = 0;
  for (const [index, part] of message.parts.entries()) {
    const where = [...path, "parts", index];
    if (part.type === "tool-result" && message.role === "assistant") continue;
    if (!(part.type in order) || (part.type !== "text" && message.role !== "assistant")) {
      context.lose("misplaced", where, `${part.type} in a ${message.role} message`);
      continue;
    }
    const rank = order[part.type as keyof typeof order]; // part.type is in order
    if (rank < last) context.lose("order", where);
    last = Math.max(last, rank);
    if (part.type === "refusal") context.lose("refusal", where);
    if (part.type === "text" || part.type === "refusal") texts.push(part.text);
    else if (part.type === "reasoning" && part.text === undefined) context.lose("hidden-reasoning", where);
    else if (part.type === "reasoning") reasonings.push(part.text ?? "");
    else if (part.type === "tool-call") toolCalls.push(encodeCall(part, where, context));
    else if (part.type === "opaque") toolCalls.push(part.value as unknown as ToolCall); // as it was read
  }
  if (texts.length > 1) context.lose("text-joined", [...path, "parts"]);
  if (texts.length === 1 && texts[0] === "") context.lose("empty-text", [...path, "parts"]);
  if (reasonings.length > 1) context.lose("reasoning-joined", [...path, "parts"]);
  return { content: texts.join(""), ...(reasonings.length > 0 && { reasoning: reasonings.join("\n\n") }), toolCalls };
}

function encodeCall(part: ToolCallPart, path: Path, context: EncodeContext): ToolCall {
  const remainder = part.native?.[family];
  const given = inputTextOf(part) ?? (remainder?.["$arguments"] === "" ? "" : undefined);
  if (given === undefined) context.lose("no-arguments", [...path, "input"]);
  return withNative({ callId: part.callId, toolName: part.name, arguments: given ?? "{}" }, remainder);
}

function encodeResults(message: Message, place: Place): BaseMessage[] {
  const { path, context } = place;
  const results: BaseMessage[] = [];
  for (const [index, part] of message.parts.entries()) {
    const where = [...path, "parts", index];
    if (part.type === "tool-result") results.push(encodeResult(part, where, place));
    else context.lose("misplaced", where, `${part.type} in a tool message`);
  }
  if (results.length !== 1) context.lose("results-apart", [...path, "parts"]);
  return results;
}

function encodeResult(part: ToolResultPart, path: Path, { names, context }: Place): BaseMessage {
  const toolName = part.name ?? names.get(part.callId);
  if (part.name === undefined) context.lose("tool-name", path, toolName ?? "written as an empty name");
  if (part.outcome && part.outcome !== "error") context.lose("outcome", [...path, "outcome"], part.outcome);
  const toolOutput = encodeOutput(part, path, context);
  const message = new ToolMessage({
    callId: part.callId,
    toolName: toolName ?? "",
    toolOutput,
    isError: isFailed(part),
  });
  return withNative(message, part.native?.[family]);
}

/** What a provider's own tool says of its failure may stand in the output alone. */
const isFailed = ({ outcome, output }: ToolResultPart): boolean =>
  outcome !== undefined || output?.some(({ type }) => type === "error") === true;

function encodeOutput(part: ToolResultPart, path: Path, context: EncodeContext): string {
  const output = part.output ?? [];
  const [only] = output;
  const failed = isFailed(part);
  const spelling = part.native?.[family]?.["$toolOutput"];
  if (!failed && typeof spelling === "string" && equalJson(decodeOutput(spelling).output, output)) return spelling;
  const lose = (): void => context.lose("output", [...path, "output"]);
  if (!only) {
    const isDenied = part.outcome === "denied";
    if (part.output || isDenied) lose(); // an empty text is read as no output
    return isDenied ? deniedText : "";
  }
  const isEmpty = failed && only.type === "text" && only.text === "";
  if (output.length > 1 || only.type === "error" || isEmpty || (failed && only.type === "data")) lose();
  if (output.length === 1 && !failed && only.type === "text") return JSON.stringify(only.text);
  return output.map(plain).join("\n");
}

function plain(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "error") return part.message;
  return part.type === "data" ? (jsonTextOf(part, "data") ?? "") : "";
}

/** Members read from a plain object that its class does not have, or has nothing to say in where they were of another type. */
function withNative<T extends object>(message: T, remainder: JsonObject | undefined): T {
  for (const [key, value] of Object.entries(fill({}, remainder))) {
    const own = Object.hasOwn(message, key) ? message[key as keyof T] : undefined; // it has the member
    const isEmpty = own === undefined || own === "" || own === false || (Array.isArray(own) && own.length === 0);
    if (!isEmpty) continue;
    Object.defineProperty(message, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return message;
}
