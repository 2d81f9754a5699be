import { OpenCalls } from "../../blocks/gemini/calls.ts";
import { NodeReader, writerOf } from "../../blocks/gemini/node.ts";
import type { Writing } from "../../blocks/gemini/writing.ts";
import { writePart, writingOf } from "../../blocks/gemini/writing.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined } from "../../codec/reader.ts";
import { fillAll, hintsOf, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { hostHint, isAway, stateOf } from "./host.ts";
import { readContents, readParts } from "./read-contents.ts";
import { readSettings, writeSettings } from "./settings.ts";
import { readTools, writeTools } from "./tools.ts";
import { envelopeMembers, family, routeOf } from "./wire.ts";
import { writeContents } from "./write-contents.ts";

const place = "systemInstruction";

export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new NodeReader(wire);
  const system = readSystem(reader, context);
  const contents = reader.peek("contents");
  const isList = Array.isArray(contents);
  if (isList || isJsonObject(contents)) reader.take("contents");
  else context.issue("no-contents", ["contents"], "a request has a list of contents");
  const list: readonly Json[] = isList ? contents : isJsonObject(contents) ? [contents] : [];
  const history = readContents(list, context, { path: ["contents"], first: system ? 1 : 0 });
  const toolList = reader.peek("tools");
  const tools = toolList === undefined || toolList === null ? undefined : readTools(toolList, context);
  if (tools) reader.take("tools");
  const { settings, hints } = readSettings(reader);
  const model = reader.string("model");
  const host = hostHint(reader.peek("cachedContent"), tools, context.dialect);
  const missing = contents === undefined ? { $contents: false } : isList ? {} : { $contents: "object" };
  const isOneTool = tools && !Array.isArray(toolList) ? { $tools: "object" } : {};
  const empties = Object.fromEntries(
    ["generationConfig", "toolConfig"].flatMap(member => (isEmpty(reader.peek(member)) ? [[`$${member}`, true]] : [])),
  );
  return {
    messages: system ? [system, ...history] : history,
    ...defined<Omit<Conversation, "messages">>({
      model,
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...reader.kept({ ...hints, ...missing, ...isOneTool, ...empties, ...host }),
  };
}

/** An object that says nothing is still there. */
const isEmpty = (value: Json | undefined): boolean => isJsonObject(value) && Object.keys(value).length === 0;

/** The system instruction → a message at the front (R19). */
function readSystem(reader: NodeReader, context: DecodeContext): Message | undefined {
  const wire = reader.object(place);
  if (!wire) return undefined;
  const inner = new NodeReader(wire);
  const role = inner.string("role");
  const scope = { context, path: [place], made: "system", open: new OpenCalls(), isModel: false };
  const { parts, hints } = readParts(inner, scope);
  return {
    role: "system",
    parts,
    ...inner.kept({ $place: place, ...hints, ...(role !== undefined && { $role: role }) }, envelopeMembers),
  };
}

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { messages, model, tools, settings = {} } = conversation;
  const hints = hintsOf(conversation, family);
  const writer = writerOf(conversation);
  const writing = writingOf(messages, context, routeOf(context.dialect));
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const count = first < 0 ? messages.length : first;
  const systemInstruction = writeSystem(messages.slice(0, count), writing);
  const contents = writeContents(messages, writing, count);
  const remainder = stateOf(conversation, context);
  const { generationConfig, toolConfig } = writeSettings(settings, { hints, writer, context });
  const [only] = contents;
  const isOne = hints["$contents"] === "object" && contents.length === 1 && only !== undefined;
  const isMissing = contents.length === 0 && (hints["$contents"] === false || Object.hasOwn(remainder, "contents"));
  const fields = writer.object({
    model,
    systemInstruction,
    contents: isMissing ? undefined : isOne ? only : contents,
    tools:
      tools && writeTools(tools, { ...context, isAway: isAway(conversation, context) }, hints["$tools"] === "object"),
    toolConfig: toolConfig ?? (hints["$toolConfig"] === true ? {} : undefined),
    generationConfig: generationConfig ?? (hints["$generationConfig"] === true ? {} : undefined),
  });
  return fillAll(fields, remainder);
}

/** The API has one place for all that the system says before the first turn. */
function writeSystem(messages: readonly Message[], writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const [first] = messages;
  if (!first) return undefined;
  const parts = messages.flatMap((message, index) => {
    const path = ["messages", index];
    if (index > 0) context.lose("system-joined", path);
    if (message.role === "developer") context.lose("role", [...path, "role"], message.role);
    return message.parts.flatMap((part, number) => writePart(part, [...path, "parts", number], writing));
  });
  const { $role: role, $parts: form } = hintsOf(first, family);
  const [only] = parts;
  const isMissing = form === false && parts.length === 0;
  const fields = present({
    role: typeof role === "string" ? role : undefined,
    parts: isMissing ? undefined : form === "object" && parts.length === 1 && only ? only : parts,
  });
  return fillAll(fields, remainderOf(first, family, envelopeMembers));
}
