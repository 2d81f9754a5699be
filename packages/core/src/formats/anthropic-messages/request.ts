import type { WriteScope } from "../../blocks/anthropic/node.ts";
import { readTool, type Taken, writeTool } from "../../blocks/anthropic/tools.ts";
import { writeBlock } from "../../blocks/anthropic/writing.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Conversation, Message, Tool } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { hostHint, stateOf } from "./host.ts";
import { readList, readSystem, writeList } from "./messages.ts";
import { readSettings, writeSettings } from "./settings.ts";
import { family, plainText, readScope, writeScope } from "./wire.ts";

export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const model = reader.string("model");
  const system = readTop(reader, context);
  const list = reader.array("messages");
  if (!list && reader.peek("messages") !== undefined) {
    context.issue("unread-messages", ["messages"], "expected a list of messages; kept as it is");
  }
  const messages = readList(list ?? [], context, { first: system.length, path: ["messages"] });
  const tools = readTools(reader, context);
  const { settings, hints } = readSettings(reader);
  const rest = reader.rest();
  const host = hostHint(rest, context.dialect);
  return {
    messages: [...system, ...inPlace(messages)],
    ...defined<Omit<Conversation, "messages">>({
      model,
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...kept(family, rest, { ...hints, ...(list === undefined && { $messages: false }), ...host }),
  };
}

/** `system` as a message at the front (R19). */
function readTop(reader: Reader, context: DecodeContext): readonly Message[] {
  const wire = reader.peek("system");
  if (typeof wire !== "string" && (!Array.isArray(wire) || wire.length === 0)) return [];
  reader.take("system");
  const { messages, carry } = readSystem(wire, { index: 0, path: ["system"] }, readScope(context));
  if (carry !== undefined) context.carried(0, carry);
  return messages.map(message => withHint(message, "system"));
}

/** System messages that stand before all others without being in the place for them. */
function inPlace(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex(({ role }) => role !== "system");
  const count = end < 0 ? messages.length : end;
  if (count === 0) return messages;
  return messages.map((message, index) => (index < count ? withHint(message, "messages") : message));
}

const withHint = (message: Message, place: string): Message => ({
  ...message,
  native: { ...message.native, [family]: { ...hintsOf(message, family), $place: place } },
});

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { messages, model, tools } = conversation;
  const scope = writeScope(messages, context);
  const found = messages.findIndex(message => !isTop(message));
  const count = found < 0 ? messages.length : found;
  const system = count === 0 ? undefined : writeTop(messages.slice(0, count), context, scope);
  const list = writeList(messages.slice(count), context, { scope, first: count });
  const { $messages: told } = hintsOf(conversation, family);
  const fields = present({
    model,
    ...writeSettings(conversation, context),
    system,
    messages: told === false && list.length === 0 ? undefined : list,
    tools: tools && writeTools(tools, context, scope),
  });
  return fillAll(fields, stateOf(conversation, context));
}

const isTop = (message: Message): boolean =>
  (message.role === "system" || message.role === "developer") && hintsOf(message, family)["$place"] !== "messages";

/** The leading system messages, in the place for them: nothing may stand there in the list. */
function writeTop(messages: readonly Message[], context: EncodeContext, scope: WriteScope): Json {
  const [first] = messages;
  messages.forEach(({ role }, index) => {
    if (role === "developer") context.lose("developer", ["messages", index, "role"]);
    if (messages.length > 1) context.lose("system-joined", ["messages", index]);
  });
  const text = first && messages.length === 1 ? plainText(first.parts) : undefined;
  if (first && text !== undefined && hintsOf(first, family)["$content"] === "string") return text;
  const blocks = messages.flatMap(({ parts }, index) =>
    parts.flatMap((part, place) => writeBlock({ part, path: ["messages", index, "parts", place] }, scope)),
  );
  context.wrote([blocks], 0, messages.length);
  return blocks;
}

function readTools(reader: Reader, context: DecodeContext): readonly Tool[] | undefined {
  const wire = reader.peek("tools");
  if (wire === undefined || wire === null) return undefined;
  if (!Array.isArray(wire) || !wire.every(isJsonObject)) {
    context.issue("unread-tools", ["tools"], "expected a list of objects; kept as it is");
    return undefined;
  }
  reader.take("tools");
  const taken: Taken = new Map();
  return wire.map(tool => readTool(tool, taken));
}

const writeTools = (tools: readonly Tool[], context: EncodeContext, { maker }: WriteScope): Json[] =>
  tools.flatMap((tool, index) => {
    const wire = writeTool(tool, ["tools", index], {
      recipient: context.recipient,
      maker,
      lose: (code, path, detail) => context.lose(code, path, detail),
    });
    return wire ? [wire] : [];
  });
