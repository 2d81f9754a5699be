import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { tellsNumber } from "../../model/json-text.ts";
import type { Part } from "../../model/parts.ts";
import { splitBeside, withoutStatus } from "./answer-head.ts";
import { isBlock } from "./call-hints.ts";
import { arrange, close, keysOf } from "./container.ts";
import { type contentLosses, writeContent } from "./content.ts";
import { reportForeign } from "./content-places.ts";
import { blockMembers, says, viewOf } from "./decode.ts";
import { withProvider, writeAssistant } from "./encode-assistant.ts";
import { writeResult, writeResults } from "./encode-result.ts";
import { envelopeOf } from "./envelope.ts";
import { memberOf } from "./escape.ts";
import { joinedFrom } from "./join.ts";
import { withoutKeptSeals } from "./kept-seals.ts";
import type { messageLosses } from "./losses.ts";
import { withNamedCalls } from "./made-ids.ts";
import {
  type AnswerHead,
  inOrder,
  isFinishTold,
  isWritable,
  needsVersion,
  restoredUsage,
  writeMetadata,
} from "./metadata.ts";
import { writeState } from "./state.ts";
import { type Class, classOf, type Form, fallbackOf, family, formOf, hintedClass, typeOf, usualClass } from "./wire.ts";

export type LossCode = keyof typeof contentLosses | keyof typeof messageLosses;

export interface Writing {
  readonly context: EncodeContext;
  readonly isStreamed: boolean;
  readonly form: Form;
  readonly lose: (code: LossCode, path: Path, detail?: string) => void;
}

/** A part and where it stands in the conversation. */
export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

export function encode(given: Conversation, context: EncodeContext, isStreamed = false): Json {
  const named = withNamedCalls(given);
  const conversation = context.recipient === "provider" ? withoutKeptSeals(named, context.lose) : named;
  const writing: Writing = {
    context,
    isStreamed,
    form: formOf(context.dialect),
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
  const all: Json[] = [];
  const { messages } = conversation;
  reportForeign(conversation, family, { path: [], lose: writing.lose });
  for (let index = 0; index < messages.length; ) {
    const { head, messages: span } = joinedFrom(messages, index);
    const written = writeMessage(head, { index, messages: span }, writing).map(wire => asGiven(wire, head));
    const [first, ...rest] = written.filter(isJsonObject); // what was no object when it was read has no slot
    if (first) context.wrote([first, ...rest], index, span.length);
    for (const wire of written) all.push(wire);
    index += span.length;
  }
  if (context.shape === "log") return writeState(conversation, all, says);
  if (conversation.native?.[family] !== undefined) writing.lose("state", ["native", family]);
  if (context.shape !== "message") return all;
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`${family}\` writes this conversation as ${all.length} messages; ask for the shape \`messages\``,
    { data: { format: family, count: all.length } },
  );
}

/** A dict of a role and a content as the tuple that was read (R1). */
function asGiven(wire: Json, message: Message): Json {
  if (hintsOf(message, family)["$tuple"] !== true || !isJsonObject(wire)) return wire;
  const { role, content, ...others } = wire;
  const isTuple = role !== undefined && content !== undefined && Object.keys(others).length === 0;
  return isTuple ? [role, content] : wire;
}

/** Messages of the conversation that are one on the wire. */
interface Span {
  readonly index: number;
  readonly messages: readonly Message[];
}

function writeMessage(message: Message, { index, messages }: Span, writing: Writing): Json[] {
  const path = ["messages", index];
  const isChat = hintedClass(message)?.base === "ChatMessage";
  if (message.role === "control" && !isChat) return writeControl(message, path, writing);
  const parts = messages.flatMap((each, at) =>
    each.parts.map((part, place): Located => ({ part, path: ["messages", index + at, "parts", place] })),
  );
  if (message.role === "tool" && !isChat) return writeResults(message, parts, { path, writing });
  const isApart = ({ part }: Located): boolean =>
    message.role !== "assistant" && part.type === "tool-result" && !isBlock(part);
  const results = parts.filter(isApart);
  for (const { path: place } of results) writing.lose("result-role", place);
  const said = results.length === 0 ? parts : parts.filter(each => !isApart(each));
  const row = rowOfMessage(message);
  const isAnswer = row.base === "AIMessage";
  const named = isAnswer ? withProvider(message, parts, { path, writing }) : message;
  const fields = (isAnswer ? writeAssistant : writePlain)(said, named, { path, writing });
  const apart = results.flatMap(({ part, path: place }) =>
    part.type === "tool-result" ? [writeResult(part, place, { message: undefined, writing })] : [],
  );
  return [finish(fields, named, { row, path, writing }), ...apart];
}

/** The class that was read, where it still has this role (R1), else the role's own. */
function rowOfMessage(message: Message): Class {
  const row = hintedClass(message);
  const usual = classOf(usualClass(message.role));
  if (!row) return usual;
  return row.base === "ChatMessage" || row.base === usual.base ? row : usual;
}

// control

function writeControl(message: Message, path: Path, { form, lose }: Writing): Json[] {
  const [only, ...others] = message.parts;
  if (only?.type !== "opaque" || only.family !== family || others.length > 0) {
    lose("control", path);
    return [];
  }
  const { value } = only;
  const hints = hintsOf(message, family);
  if (hints["$class"] !== "RemoveMessage" || !isJsonObject(value) || value["type"] !== "remove") return [value];
  const row = classOf("RemoveMessage");
  const { type: _, ...members } = value;
  const content = form.language === "js" ? [] : "";
  const fields = {
    ...(form.container === "dict" && { role: "remove" }),
    ...(form.language === "python" && form.container !== "dict" && { type: typeOf(row, form.language) }),
    content: memberOf(members as JsonObject, "content") ?? content,
  };
  const fallback = (member: string): Json | undefined =>
    member === "type" ? typeOf(row, form.language) : fallbackOf(member);
  return [close(arrange(fields, members as JsonObject, { row, form, hints, fallback }), row, { form, hints })];
}

// all classes

export interface Fields {
  readonly content: Json;
  /** Members of the class's own. */
  readonly own: { readonly [member: string]: Json | undefined };
  /** Members of `additional_kwargs`. */
  readonly beside: { readonly [member: string]: Json | undefined };
}

export interface At {
  readonly path: Path;
  readonly writing: Writing;
}

/** A message with its own members, those of all classes, and what was kept beside them. */
export function finish(
  fields: Fields,
  message: Message | undefined,
  { row, path, writing }: At & { readonly row: Class },
): JsonObject {
  const { form, lose } = writing;
  const hints = message ? hintsOf(message, family) : {};
  const {
    additional_kwargs: kwargs,
    response_metadata: metadata,
    ...others
  } = message ? remainderOf(message, family) : {};
  const isDict = form.container === "dict";
  const rest = withoutShadowed(others, isDict ? "role" : "type", { path, lose });
  const type = memberTypeOf(hints, row, form);
  const { author, usage } = message ?? {};
  if (
    author &&
    (row.base === "ToolMessage" || row.base === "FunctionMessage" || Object.keys(author).some(key => key !== "name"))
  ) {
    lose("author", [...path, "author"]);
  }
  if (message?.finish && !isFinishTold(message.finish)) lose("finish", [...path, "finish"], message.finish.raw);
  if (usage && row.base !== "AIMessage") lose("usage-place", [...path, "usage"]);
  if (usage && row.base === "AIMessage" && !isWritable(usage, hints)) lose("usage", [...path, "usage"]);
  const envelope = message ? envelopeOf(message, { path, lose }) : {};
  const head = withoutStatus(message ? headOf(message) : {}, metadata, hints);
  const { head: held, beside: named } = splitBeside(head, isDict || row.base !== "AIMessage" ? {} : hints);
  const beside = { ...defined(fields.beside), ...named };
  const isVersioned =
    hints["$version"] !== false && needsVersion(fields.content, { row, form, provider: message?.provider });
  const all = {
    type: form.group === "python" || form.group === "python-lc" ? type : undefined,
    content: fields.content,
    name: author?.name,
    id: message && idOf(message),
    ...fields.own,
    usage_metadata: usage && row.base === "AIMessage" ? restoredUsage(usage, hints) : undefined,
    ...(isDict ? beside : { additional_kwargs: kwargsOf(beside, kwargs, hints) }),
    response_metadata: withNonObject(
      writeMetadata({ ...held, isVersioned }, withEnvelope(envelope, isJsonObject(metadata) ? metadata : {}), hints),
      metadata,
    ),
    ...(isDict && { role: dictRole(row, message, hints), additional_kwargs: kwargs }),
  };
  const keys = keysOf(hints, form);
  const member = keys && !keys.includes("content") ? blockMembers.find(each => keys.includes(each)) : undefined;
  const members = arrange(
    member ? { ...all, content: undefined, [member]: blocksOf(fields.content, rest[member]) } : all,
    rest,
    {
      row,
      form,
      hints,
      fallback: name => {
        if (name === "type") return type;
        return blockMembers.includes(name) ? viewOf(fields.content) : fallbackOf(name);
      },
    },
  );
  return close(members, row, { form, hints });
}

const headOf = ({ model, provider, responseId, finish: end }: Message): AnswerHead => ({
  ...defined({ model, provider, responseId }),
  ...(end && { finish: end }),
});

/** The type among a message's members, as it was read in this form. */
function memberTypeOf({ $memberType: types }: JsonObject, row: Class, form: Form): Json {
  const told = isJsonObject(types) ? memberOf(types, form.group) : undefined;
  return told === undefined ? typeOf(row, form.language) : told;
}

/** A member of a dict's, or of a message's, whose name says the class in the other. */
function withoutShadowed(
  members: JsonObject,
  name: "role" | "type",
  { path, lose }: { readonly path: Path; readonly lose: Writing["lose"] },
): JsonObject {
  if (!Object.hasOwn(members, name)) return members;
  const { [name]: _, ...others } = members;
  lose("class-word", [...path, "native", family, name]);
  return others;
}

const withEnvelope = (envelope: JsonObject, metadata: JsonObject): JsonObject =>
  Object.keys(envelope).length > 0 ? { ...envelope, ...metadata } : metadata;

const blocksOf = (content: Json, kept: Json | undefined): Json | undefined =>
  kept === undefined ? (content === "" ? [] : viewOf(content)) : undefined;

/** What was kept, with the members that have a part or role of their own; itself where they say what it says. */
function kwargsOf(
  own: JsonObject,
  kept: Json | undefined,
  { $kwargs: order, $taken: taken }: JsonObject,
): Json | undefined {
  const isWhole = isJsonObject(kept) && Array.isArray(taken);
  if (Object.keys(own).length === 0 && !isWhole) return kept;
  const rest = isJsonObject(kept) ? kept : {};
  const others = isWhole ? Object.fromEntries(Object.entries(rest).filter(([key]) => !taken.includes(key))) : rest;
  const all = inOrder(own, others, Array.isArray(order) ? order : Object.keys(rest));
  return isWhole && equalJson(all, kept) ? kept : all;
}

const withNonObject = (written: JsonObject, kept: Json | undefined): Json | undefined =>
  Object.keys(written).length > 0 || kept === undefined || isJsonObject(kept)
    ? Object.keys(written).length > 0
      ? written
      : undefined
    : kept;

const defined = (members: { readonly [member: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));

function idOf(message: Message): Json | undefined {
  const { $id: spelled } = hintsOf(message, family);
  if (message.id === undefined) return spelled === "" ? spelled : undefined;
  return typeof spelled === "number" && tellsNumber(message.id, spelled) ? spelled : message.id;
}

const dictRoles: { readonly [base in Class["base"]]: string } = {
  SystemMessage: "system",
  HumanMessage: "user",
  AIMessage: "assistant",
  ToolMessage: "tool",
  ChatMessage: "user",
  FunctionMessage: "function",
  RemoveMessage: "remove",
};
const otherWords: { readonly [role: string]: string } = { human: "user", ai: "assistant" };

function dictRole(row: Class, message: Message | undefined, { $role: spelled }: JsonObject): string {
  const role =
    row.base === "ChatMessage" || message?.role === "developer" ? (message?.role ?? "user") : dictRoles[row.base];
  return typeof spelled === "string" && memberOf(otherWords, spelled) === role ? spelled : role;
}

function writePlain(parts: readonly Located[], message: Message, { writing }: At): Fields {
  const { form } = writing;
  const hints = hintsOf(message, family);
  const row = rowOfMessage(message);
  return {
    content: contentOf(parts, { row, message, writing }),
    own: { role: row.base === "ChatMessage" && hints["$role"] !== false ? message.role : undefined },
    beside: {
      __openai_role__:
        message.role === "developer" && row.base === "SystemMessage" && form.container !== "dict"
          ? "developer"
          : undefined,
    },
  };
}

// content

/** The content: a text, or blocks. Calls among the parts are written as blocks. */
export function contentOf(
  parts: readonly Located[],
  { row, message, writing }: { readonly row: Class; readonly message: Message | undefined; readonly writing: Writing },
): Json {
  const { form, context } = writing;
  const { $content: hint } = message ? hintsOf(message, family) : {};
  if (parts.length === 0 && hint === null && form.container === "dict") return null;
  return writeContent(
    parts.map(({ part }) => (form.container === "dict" ? asChatBlock(part) : part)),
    {
      language: form.language,
      role: row.js,
      modelProvider: message?.provider,
      outputVersion: "v1",
      isList: parts.length === 0 && hint === "list",
      pathOf: index => parts[index]?.path ?? [],
    },
    context,
  );
}

/** A file as OpenAI has it, unless the dict itself had it as LangChain has it. */
function asChatBlock(part: Part): Part {
  if (part.type !== "file" || isBlock(part) || hintsOf(part, family)["$own"] === true) return part;
  const isSimple = part.text === undefined && part.id === undefined && !part.seal && !part.reasoning;
  return isSimple
    ? { ...part, native: { ...part.native, [family]: { ...hintsOf(part, family), $block: "chat" } } }
    : part;
}
