import { anthropic, type ReadScope, type WriteScope } from "../../blocks/anthropic/node.ts";
import { readBlock } from "../../blocks/anthropic/reading.ts";
import { writeBlock } from "../../blocks/anthropic/writing.ts";
import { isJoined, reportSide, sideOf, sidesOf } from "../../blocks/sides.ts";
import { pairUnnamed, unnamedIn } from "../../blocks/unnamed-calls.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { envelopeMembers, family, plainText, readScope } from "./wire.ts";

// reading

interface ReadContent {
  readonly parts: readonly Part[];
  /** How the list was spelled. */
  readonly hints: JsonObject;
  readonly carry: Json | undefined;
}

/** Content is a list of blocks or a text. `made`: what ids are made of where a call has none (R8). */
export function readContent(
  content: Json | undefined,
  { path, made }: { readonly path: Path; readonly made: string },
  scope: ReadScope,
): ReadContent {
  const isNone = content === undefined;
  if (isNone) return { parts: [], hints: { $content: false }, carry: undefined };
  if (typeof content === "string") {
    return { parts: [{ type: "text", text: content }], hints: { $content: "string" }, carry: undefined };
  }
  if (!Array.isArray(content)) {
    scope.issue("unread-content", path, "expected a text or a list of blocks; kept as it is");
    return {
      parts: [{ type: "opaque", family: "anthropic", value: content }],
      hints: { $content: "value" },
      carry: undefined,
    };
  }
  let carry: Json | undefined;
  const parts = content.map((block: Json, index): Part => {
    const { own, carried } = index === 0 ? withoutCarry(block) : { own: block, carried: undefined };
    carry = carried ?? carry;
    return readBlock(own, { path: [...path, index], made: `${made}.${index}` }, scope);
  });
  return { parts, hints: {}, carry };
}

function withoutCarry(block: Json): { readonly own: Json; readonly carried: Json | undefined } {
  if (!isJsonObject(block) || block["translogue"] === undefined) return { own: block, carried: undefined };
  const { translogue, ...own } = block;
  return { own, carried: translogue };
}

interface ReadMessages {
  readonly messages: readonly Message[];
  readonly carry: Json | undefined;
}

/** A message; one of a user with results of tools and other content is several, each of one side (R15). */
function readMessage(
  wire: Json,
  about: { readonly index: number; readonly path: Path },
  scope: ReadScope,
): ReadMessages {
  const { index, path } = about;
  if (Array.isArray(wire)) return readSystem(wire, about, scope);
  if (!isJsonObject(wire)) {
    scope.issue("not-a-message", path, "expected an object; kept as it is");
    const part: Part = { type: "opaque", family: "anthropic", value: wire };
    return {
      messages: [{ role: "user", parts: [part], ...kept(family, undefined, { $message: "value" }) }],
      carry: undefined,
    };
  }
  const reader = new Reader(wire);
  const told = reader.string("role");
  const role = told ?? "user";
  const own = reader.json("translogue");
  const read = readContent(reader.json("content"), { path: [...path, "content"], made: `${index}` }, scope);
  const isKnown = role === "user" || role === "assistant" || role === "system";
  const isEmpty = read.parts.length === 0 && Object.keys(read.hints).length === 0;
  const hints = {
    ...read.hints,
    ...(isEmpty && { $content: "empty" }),
    ...(!isKnown && { $role: role }),
    ...(told === undefined && { $role: false }),
  };
  const native = kept(family, reader.rest(), hints, envelopeMembers);
  const parts = asSent(read);
  const [first, ...others] = role === "user" ? sidesOf(parts) : [{ role, parts }];
  const messages = [
    { ...(first ?? { role, parts: [] }), ...native },
    ...others.map(side => ({ ...side, ...kept(family, undefined, { $join: true }) })),
  ];
  return { messages, carry: read.carry ?? own };
}

/** Blocks of text that say nothing stay as somebody sent them. */
const asSent = ({ parts, hints }: ReadContent): readonly Part[] =>
  hints["$content"] === undefined ? parts.map(part => (isBlank(part) ? withBlank(part) : part)) : parts;

const isBlank = (part: Part): boolean => part.type === "text" && !/\S/.test(part.text);
const withBlank = (part: Part): Part => ({
  ...part,
  native: { ...part.native, [anthropic]: { ...part.native?.[anthropic], $blank: true } },
});

/** The blocks of a request's `system`. */
export function readSystem(
  wire: Json,
  { index, path }: { readonly index: number; readonly path: Path },
  scope: ReadScope,
): ReadMessages {
  const read = readContent(wire, { path, made: `${index}` }, scope);
  const message = { role: "system", parts: asSent(read), ...kept(family, undefined, read.hints) };
  return { messages: [message], carry: read.carry };
}

/** The messages of a list, the first of them of this number in the conversation. */
export function readList(
  list: readonly Json[],
  context: DecodeContext,
  { first = 0, path = [] }: { readonly first?: number; readonly path?: Path } = {},
): Message[] {
  const scope = readScope(context);
  const messages: Message[] = [];
  for (const [index, wire] of list.entries()) {
    const read = readMessage(wire, { index, path: [...path, index] }, scope);
    if (read.carry !== undefined) context.carried(first + messages.length, read.carry);
    messages.push(...read.messages);
  }
  return pairUnnamed(messages, unnamedIn(anthropic));
}

// writing

/** The wire messages of messages, each from one of them, or from those that were split of one. */
export function writeList(
  messages: readonly Message[],
  context: EncodeContext,
  { scope, first = 0 }: { readonly scope: WriteScope; readonly first?: number },
): Json[] {
  const wires: Json[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!message) continue;
    if (message.role === "control") {
      context.lose("control", ["messages", first + index]);
      continue;
    }
    let count = 1;
    if (sideOf(message, family) === "user") while (isJoined(messages[index + count], family)) count++;
    const group = messages.slice(index, index + count);
    const wire = writeMessage(group, first + index, { context, scope });
    if (isRefused(wire, message, context)) context.lose("empty-message", ["messages", first + index]);
    else {
      wires.push(wire);
      if (isJsonObject(wire)) context.wrote([wire], first + index, count);
    }
    index += count - 1;
  }
  return wires;
}

/** The provider refuses messages without content, unless somebody sent it one. */
const isRefused = (wire: Json, message: Message, { recipient }: EncodeContext): boolean =>
  recipient === "provider" &&
  isJsonObject(wire) &&
  Array.isArray(wire["content"]) &&
  wire["content"].length === 0 &&
  hintsOf(message, family)["$content"] !== "empty";

function writeMessage(
  group: readonly Message[],
  first: number,
  { context, scope }: { readonly context: EncodeContext; readonly scope: WriteScope },
): Json {
  const [head] = group;
  if (!head) return null;
  const hints = hintsOf(head, family);
  const [only] = head.parts;
  if (hints["$message"] === "value" && head.parts.length === 1 && only?.type === "opaque") return only.value;
  for (const [index, message] of group.entries()) reportSide(message, ["messages", first + index], { context, family });
  const content = writeContent(group, first, scope);
  const isUnsaid = hints["$role"] === false && head.role === "user";
  return fillAll(
    present({ role: isUnsaid ? undefined : sideOf(head, family), content }),
    remainderOf(head, family, envelopeMembers),
  );
}

/** The content of neighbours, spelled as that of the first was. */
export function writeContent(messages: readonly Message[], first: number, scope: WriteScope): Json | undefined {
  const [head] = messages;
  const { $content: told } = head ? hintsOf(head, family) : {};
  const parts = messages.length === 1 && head ? head.parts : messages.flatMap(message => message.parts);
  const [only] = parts;
  if (told === false && parts.length === 0) return undefined;
  if (told === "value" && parts.length === 1 && only?.type === "opaque") return only.value;
  const text = told === "string" ? plainText(parts) : undefined;
  return text ?? writeBlocks(messages, first, scope);
}

function writeBlocks(messages: readonly Message[], first: number, scope: WriteScope): Json[] {
  const blocks: Json[] = [];
  for (const [index, { parts }] of messages.entries()) {
    for (let place = 0; place < parts.length; place++) {
      const part = parts[place] as Part; // place < length
      const path = ["messages", first + index, "parts", place];
      for (const block of writeBlock({ part, path }, scope)) blocks.push(block);
    }
  }
  return blocks;
}

/** Puts a carry where a client sends it back: into the first block, where there is one. */
export function carryInto(wire: object, carry: Json): void {
  const content: unknown = Array.isArray(wire) ? wire : "content" in wire ? wire.content : undefined;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  const holder = isJsonObject(first) ? first : Array.isArray(wire) ? undefined : wire;
  if (holder) Object.assign(holder, { translogue: carry });
}
