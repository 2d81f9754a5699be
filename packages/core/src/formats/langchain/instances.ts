import { refusesBare, withoutBareReasoning } from "../../blocks/langchain/bare-reasoning.ts";
import { close } from "../../blocks/langchain/container.ts";
import { areOneHome, isHomeAt } from "../../blocks/langchain/content-seals.ts";
import { unwrapAll } from "../../blocks/langchain/escape.ts";
import { withoutKeptSeals } from "../../blocks/langchain/kept-seals.ts";
import { type Class, classNamed, classOf, classOfType, dialects } from "../../blocks/langchain/wire.ts";
import type { Codec, EncodeContext } from "../../codec/codec.ts";
import { type Decoded, decodeWith } from "../../codec/decode.ts";
import { encodeWith } from "../../codec/encode.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Issue, Loss, Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { langchain } from "./index.ts";

/** A live message of `@langchain/core`, by what is read of it. */
export interface MessageInstance {
  readonly content: unknown;
  /** `human`, `ai`, `tool`, … */
  readonly type: string;
  readonly [Symbol.toStringTag]: string;
  readonly lc_kwargs: object;
}

type MessageClass = new (fields: never) => unknown;
const classNames = [
  "SystemMessage",
  "HumanMessage",
  "AIMessage",
  "ToolMessage",
  "ChatMessage",
  "FunctionMessage",
  "RemoveMessage",
  "SystemMessageChunk",
  "HumanMessageChunk",
  "AIMessageChunk",
  "ToolMessageChunk",
  "ChatMessageChunk",
  "FunctionMessageChunk",
] as const;

/** The classes of `@langchain/core/messages`: hand over the module itself. */
export type MessagesModule = { readonly [name in (typeof classNames)[number]]: MessageClass };

type InstanceOf<Class> = Class extends new (fields: never) => infer Instance ? Instance : never;
/** A message of one of the module's classes. */
export type InstanceFrom<Module extends MessagesModule> = InstanceOf<Module[keyof MessagesModule]>;

/** Messages made by the caller's own module, and what they cannot hold. */
export interface Instances<Module extends MessagesModule> {
  readonly messages: InstanceFrom<Module>[];
  readonly losses: readonly Loss[];
}

/**
 * Live messages of `@langchain/core`, chunks included, → a conversation. Bytes become base64, dates ISO 8601; what is no
 * data (functions, circles) is left out with an issue. `wirePath` begins with the message's number.
 */
export function fromInstances(messages: readonly MessageInstance[]): Decoded {
  const issues: Issue[] = [];
  const wires = messages.map((message, index) => serialised(message, index, issues));
  const decoded = decodeWith(langchain, wires, { shape: "messages", dialect: "js-lc" });
  return { ...decoded, issues: [...issues, ...decoded.issues] };
}

export interface InstancesOptions {
  /**
   * Whose chat model reads the messages, by LangChain's name: its `_llmType()`, or `model_provider` of its answers. It gets
   * no other's signatures and ids, nor reasoning without one where it refuses that. Absent: they are to be kept, with all that there is.
   */
  readonly provider?: string | undefined;
}

/** A conversation → live messages of the classes in the module. Throws `langchain/no-such-class` where the module lacks one. */
export function toInstances<Module extends MessagesModule>(
  conversation: Conversation,
  module: Module,
  { provider }: InstancesOptions = {},
): Instances<Module> {
  const { value, losses } = encodeWith(provider === undefined ? langchain : writtenFor(provider), conversation, {
    shape: "messages",
    dialect: "js-lc",
    recipient: provider === undefined ? "store" : "provider",
    carry: false,
  });
  const wires = Array.isArray(value) ? (value as readonly Json[]) : []; // shape `messages` is a list
  return { messages: wires.map(wire => built(wire, module)), losses };
}

/** The codec as it writes for the chat model of a provider, which speaks for no other. */
const writtenFor = (provider: string): Codec<Json> => ({
  ...langchain,
  isHome: seal => isHomeAt(seal, provider),
  encode: (conversation, context) => {
    const isOwn = ({ provider: by }: Message): boolean => by !== undefined && areOneHome(by, provider);
    const open = withoutKeptSeals(conversation, context.lose, isOwn);
    const { conversation: sealed, home } = refusesBare(provider)
      ? withoutBareReasoning(open, isOwn, context.lose)
      : { conversation: open, home: (path: Path): Path => path };
    const lose: EncodeContext["lose"] = (code, path, detail) => context.lose(code, home(path), detail);
    return langchain.encode(sealed, { ...context, lose, recipient: "store" }) as Json; // it writes JSON
  },
});

// in

/** Whether a value is a live message, of whatever copy of `@langchain/core`: by its marks, not by its class. */
export function isInstance(value: unknown): value is MessageInstance {
  if (typeof value !== "object" || value === null) return false;
  const marks = value as { readonly [mark: PropertyKey]: unknown }; // what they are is looked at
  const isMarked = marks[Symbol.for("langchain.message")] === true || marks["lc_serializable"] === true;
  return isMarked && typeof marks["lc_kwargs"] === "object" && rowOf(value as MessageInstance) !== undefined; // `rowOf` looks
}

/** A live message or chunk as the dialect `js-lc` has it: what a stream decoder reads. What is no data goes into `issues`. */
export const asJson = (message: MessageInstance, issues: Issue[] = []): Json => serialised(message, 0, issues);

/** A live message as `JSON.stringify` would have it, with what was set since it was made. */
export function serialised(message: MessageInstance, index: number, issues: Issue[]): Json {
  const row = rowOf(message);
  if (!row) {
    throw new TranslogueError(
      "langchain/not-a-message",
      `item ${index} is no message of @langchain/core; give instances of its message classes`,
      { data: { index } },
    );
  }
  const live = message as unknown as { readonly [member: string]: unknown }; // a message has members beside those that are named
  const given = message.lc_kwargs;
  const isByBlocks = Object.hasOwn(given, "contentBlocks") && !Object.hasOwn(given, "content");
  const fields: MutableJsonObject = {};
  const set = (key: string, value: unknown, name = key): void => {
    const json = toJson(value, [index, key], { issues, seen: new Set() });
    if (json !== undefined) setMember(fields, name, json);
  };
  for (const key of new Set([...Object.keys(given), ...ownMembers])) {
    // The names are what the constructor was given and what every message has, the values those of the message now.
    if (key === "contentBlocks") {
      if (isByBlocks) set("content", live["content"], "content_blocks");
    } else if (key !== "content" || !isByBlocks)
      set(key, live[key] ?? (ownMembers.has(key) ? live[key] : memberOf(given, key)));
  }
  return close(fields, row, { form: dialects["js-lc"], hints: {} });
}

/** Members that a message may have without having got them from its constructor. */
const ownMembers: ReadonlySet<string> = new Set([
  "content",
  "name",
  "id",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "usage_metadata",
  "tool_call_chunks",
  "tool_call_id",
  "status",
  "artifact",
  "metadata",
  "role",
]);

const memberOf = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as { readonly [key: string]: unknown })[key] : undefined; // its own member

/** By the name of the class, or of the one that it extends: RemoveMessage has none, and subclasses may have their own. */
function rowOf(message: MessageInstance): Class | undefined {
  if (typeof message !== "object" || message === null || typeof message.lc_kwargs !== "object") return undefined;
  const tag: unknown = message[Symbol.toStringTag];
  const named = typeof tag === "string" ? classNamed(tag) : undefined;
  if (named) return named;
  const base = classOfType(message.type);
  if (!base) return undefined;
  const isChunk = base.name !== "SystemMessage" && "concat" in message;
  return isChunk ? classNamed(`${base.base}Chunk`) : classOf(base.name);
}

interface Reading {
  readonly issues: Issue[];
  /** The objects that the value is inside of. */
  readonly seen: Set<object>;
}

/** A value as JSON holds it; undefined where it holds nothing of it. */
function toJson(value: unknown, path: readonly (string | number)[], reading: Reading): Json | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : report(value, path, reading);
    case "bigint":
      return report(`${value}`, path, reading);
    case "object":
      return value === null ? null : objectToJson(value, path, reading);
    case "undefined":
      return undefined;
    default:
      report(undefined, path, reading);
      return undefined;
  }
}

/** Says that a value is no data, and gives what stands for it. */
function report(value: unknown, path: readonly (string | number)[], { issues }: Reading): Json {
  const stands = typeof value === "string" ? value : null;
  issues.push({
    code: "not-json",
    severity: "warning",
    path: [],
    wirePath: [...path],
    message: stands === null ? "this is no data; left out" : "this has no type in JSON; kept as its text",
  });
  return stands;
}

function objectToJson(value: object, path: readonly (string | number)[], reading: Reading): Json {
  if (reading.seen.has(value)) return report(undefined, path, reading);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return base64(value);
  reading.seen.add(value);
  const json = Array.isArray(value)
    ? value.map((item: unknown, index) => toJson(item, [...path, index], reading) ?? null)
    : membersToJson(value instanceof Map ? Object.fromEntries(value) : value, path, reading);
  reading.seen.delete(value);
  return json;
}

function membersToJson(value: object, path: readonly (string | number)[], reading: Reading): JsonObject {
  const object: MutableJsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const json = toJson(member, [...path, key], reading);
    if (json !== undefined) setMember(object, key, json);
  }
  return object;
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

// out

function built<Module extends MessagesModule>(wire: Json, module: Module): InstanceFrom<Module> {
  const id = isJsonObject(wire) ? wire["id"] : undefined;
  const kwargs = isJsonObject(wire) ? wire["kwargs"] : undefined;
  const name = Array.isArray(id) ? classNames.find(each => each === id.at(-1)) : undefined;
  const Class = name && module[name];
  if (!Class || !isJsonObject(kwargs)) {
    const message = name
      ? `the module has no class \`${name}\`; hand over \`@langchain/core/messages\``
      : "the conversation holds something that is no message of LangChain's; take it out before making instances";
    throw new TranslogueError("langchain/no-such-class", message, { data: { class: name ?? null } });
  }
  const { content_blocks: contentBlocks, ...fields } = unwrapAll(kwargs).value as JsonObject; // an object gives an object
  const given = { ...fields, ...(contentBlocks !== undefined && fields["content"] === undefined && { contentBlocks }) };
  // The constructor writes into what it is given: it gets a copy of its own.
  return new Class(structuredClone(given) as never) as InstanceFrom<Module>; // what its own JSON form says
}
