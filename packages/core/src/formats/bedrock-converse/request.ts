import { vendorOf, type WriteScope } from "../../blocks/bedrock-converse/node.ts";
import {
  addedTools,
  readTools,
  type ToolScope,
  type WrittenTools,
  writeTools,
} from "../../blocks/bedrock-converse/tools.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Message, Tool } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readList, readSystem, writeList, writeParts } from "./messages.ts";
import { readSettings, writeSettings } from "./settings.ts";
import { family, readScope, writeScope } from "./wire.ts";

export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const model = reader.string("modelId");
  const system = readTop(reader, context);
  const list = reader.array("messages");
  if (!list && reader.peek("messages") !== undefined) {
    context.issue("unread-messages", ["messages"], "expected a list of messages; kept as it is");
  }
  const messages = readList(list ?? [], context, { first: system.length, path: ["messages"], model });
  const { tools, rest } = readConfig(reader, model, context);
  const { settings, left } = readSettings(reader, rest);
  return {
    messages: [...system, ...inPlace(messages)],
    ...defined<Omit<Conversation, "messages">>({
      model,
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...kept(family, reader.rest(), { ...left, ...(list === undefined && { $messages: false }) }),
  };
}

/** `system` as a message at the front (R19). */
function readTop(reader: Reader, context: DecodeContext): readonly Message[] {
  const wire = reader.peek("system");
  if (!Array.isArray(wire) || wire.length === 0) return [];
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

/** The tools, and what else their configuration has. */
function readConfig(
  reader: Reader,
  model: string | undefined,
  context: DecodeContext,
): { readonly tools?: readonly Tool[]; readonly rest?: JsonObject } {
  const wire = reader.peek("toolConfig");
  if (!isJsonObject(wire)) return {};
  const { tools: list, ...rest } = wire;
  if (list === undefined) return { rest };
  if (Array.isArray(list) && list.every(isJsonObject)) return { tools: readTools(list, vendorOf(model)), rest };
  context.issue("unread-tools", ["toolConfig", "tools"], "expected a list of objects; kept as it is");
  return { rest: wire };
}

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { messages, model } = conversation;
  const { toolConfig, ...settings } = writeSettings(conversation, context);
  const tools = toolsOf(conversation, context);
  const scope = { ...writeScope(messages, context), ...(tools && { declares: tools.declares }) };
  const found = messages.findIndex(message => !isTop(message));
  const count = found < 0 ? messages.length : found;
  const system = count === 0 ? undefined : writeTop(messages.slice(0, count), context, scope);
  const list = writeList(messages.slice(count), context, { scope, first: count });
  const { $messages: told } = hintsOf(conversation, family);
  const fields = present({
    modelId: model,
    messages: told === false && list.length === 0 ? undefined : list,
    system,
    ...settings,
    toolConfig: tools || toolConfig ? present({ tools: tools?.wire, ...toolConfig }) : undefined,
  });
  return fillAll(fields, remainderOf(conversation, family));
}

const isTop = (message: Message): boolean =>
  (message.role === "system" || message.role === "developer") && hintsOf(message, family)["$place"] !== "messages";

/** The leading system messages, in the place for them. */
function writeTop(messages: readonly Message[], context: EncodeContext, scope: WriteScope): Json {
  messages.forEach(({ role }, index) => {
    if (role === "developer") context.lose("developer", ["messages", index, "role"]);
    if (messages.length > 1) context.lose("system-joined", ["messages", index]);
  });
  const blocks = messages.flatMap((message, index) => writeParts(message, index, scope));
  context.wrote([blocks], 0, messages.length);
  return blocks;
}

/** Models that must not call get no tools, unless calls of them are in the history: then the API wants them. */
function toolsOf(conversation: Conversation, context: EncodeContext): WrittenTools | undefined {
  const { messages, tools, settings, model } = conversation;
  const added = addedTools(conversation);
  if (!tools && added.length === 0) return undefined;
  const isNone = settings?.toolChoice === "none" && context.recipient === "provider";
  const isUsed = messages.some(({ parts }) => parts.some(({ type }) => type === "tool-call" || type === "tool-result"));
  if (isNone && !isUsed) {
    context.lose("no-tools", ["tools"]);
    return undefined;
  }
  const scope: ToolScope = {
    recipient: context.recipient,
    vendor: vendorOf(model),
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
  return writeTools([...(tools ?? []).map((tool, index) => ({ tool, path: ["tools", index] })), ...added], scope);
}
