import { type DecodeContext, defineCodec, type EncodeContext } from "../../codec/codec.ts";
import { hintsOf, kept } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { emit } from "../../stream/emit.ts";
import { runAll } from "../../stream/machine.ts";
import { readAnswer, readUpdate, writeAnswer, writeUpdate } from "./answer.ts";
import { CallIds, readContents } from "./decode-content.ts";
import { carryKey, paired, placesHint, readMessage, withoutKnownKinds, withoutUsage } from "./decode-message.ts";
import { withDenials } from "./denials.ts";
import { writeContents } from "./encode-content.ts";
import { surroundings, withUsage, writeMessages } from "./encode-message.ts";
import { holdsOf } from "./holds.ts";
import { losses } from "./losses.ts";
import { readTyped } from "./read.ts";
import { readSession, writeSession } from "./session.ts";
import { sniff } from "./sniff.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { type Declared, declared } from "./type-rows.ts";
import { family, type Reading } from "./wire.ts";
import { type StyleName, styles, writeTyped } from "./write.ts";

/** The .NET type of a shape. */
const typeNames = {
  message: "ChatMessage",
  messages: "ChatMessage[]",
  block: "AIContent",
  file: "ChatClientAgentSession",
} as const;

function typeOf(shape: string, dialect: string, isList: boolean): Declared {
  const isAgent = dialect === "agent";
  const update = isAgent ? "AgentResponseUpdate" : "ChatResponseUpdate";
  const answer = isAgent ? "AgentResponse" : "ChatResponse";
  const name =
    shape === "answer"
      ? answer
      : shape === "event"
        ? update
        : shape === "stream"
          ? `${update}[]`
          : (typeNames[shape as keyof typeof typeNames] ?? typeNames.messages); // another shape has no row
  return declared(shape === "block" && isList ? `${name}[]` : name) as Declared; // every name here is in the table
}

/** Microsoft.Extensions.AI's and the Microsoft Agent Framework's JSON: messages, contents, responses, updates, sessions. */
export const maf = defineCodec<Json>({
  id: family,
  title: "Microsoft Agent Framework",
  spec: "https://learn.microsoft.com/dotnet/api/microsoft.extensions.ai",
  shapes: ["messages", "message", "answer", "block", "event", "stream", "file"],
  dialects: ["chat", "agent"],
  losses,
  holds: ({ shape }) => holdsOf(shape),
  oneAnswer: true,
  slot: { write: writeCarrySlot },
  sniff,
  decode,
  encode,
  stream: { framing: "ndjson", decoder: streamDecoder, encoder: streamEncoder },
  text: {
    styles: Object.keys(styles) as [StyleName, ...StyleName[]], // the table has rows
    stringify: (given, { shape, dialect, style, exact, lose }) => {
      const value = given as Json; // what codecs write and read
      const type = typeOf(shape, dialect, Array.isArray(value));
      return writeTyped(value, type, { style: style as StyleName, exact, lose }); // an unknown style was refused before
    },
  },
});

function writeCarrySlot(message: object, carry: Json): void {
  const wire = message as MutableJsonObject; // the encoder has just made it
  const own = wire["additionalProperties"];
  wire["additionalProperties"] = { ...(isJsonObject(own) ? own : {}), [carryKey]: carry };
}

function decode(value: unknown, context: DecodeContext): Conversation {
  const { shape, dialect } = context;
  if (!isJsonObject(value) && !Array.isArray(value) && !(shape === "block" && value === null)) {
    const message = `MAF's ${shape} is a JSON object or a list of them; this is neither`;
    throw new TranslogueError("decode/not-this-format", message, { data: { format: family } });
  }
  const { exact } = context;
  const issue = (code: string, path: readonly (string | number)[], message: string): void =>
    context.issue(code, path, message, code === "legacy" ? "info" : "warning");
  const json = value as Json; // an object or list of JSON
  const typed = readTyped(json, typeOf(shape, dialect, Array.isArray(json)), { exact, issue });
  const conversation = decodeTyped(typed, { context, exact });
  // A stream is read as it comes.
  return shape === "stream" ? conversation : { ...conversation, messages: withDenials(conversation.messages) };
}

function decodeTyped(value: Json, reading: Reading): Conversation {
  const { shape } = reading.context;
  if (shape === "block") return { messages: [readBlocks(value, reading)] };
  if (isJsonObject(value)) {
    if (shape === "answer") return { messages: readAnswer(value, reading) };
    if (shape === "event") return { messages: [readUpdate(value, reading)] };
    if (shape === "file") return readSession(value, reading);
  }
  const list: readonly Json[] = Array.isArray(value) ? value : [value];
  if (shape === "stream") return { messages: accumulate(runAll(streamDecoder(reading.context), list)) };
  const path = (index: number) => (Array.isArray(value) ? [index] : []);
  return {
    messages: paired(list.map((message, index) => readMessage(message, { index, path: path(index) }, reading))),
  };
}

/** Contents without a message: those of an assistant's, which says that they stood alone. */
function readBlocks(value: Json, reading: Reading): Conversation["messages"][number] {
  const isList = Array.isArray(value);
  const list: readonly Json[] = isList ? value : [value];
  const ids = new CallIds("0");
  const read = (contents: readonly Json[]) => readContents(contents, [], { ...reading, ids });
  const { parts, usage, places } = withoutUsage(list, read);
  const hints: JsonObject = { ...(isList && { $list: true }), ...placesHint(places) };
  return {
    role: "assistant",
    parts: withoutKnownKinds(parts, "assistant"),
    ...(usage && { usage }),
    ...kept(family, undefined, hints),
  };
}

function encode(conversation: Conversation, context: EncodeContext): Json {
  switch (context.shape) {
    case "answer":
      return writeAnswer(conversation, context);
    case "file":
      return writeSession(conversation, context);
    case "event":
      return writeUpdate(only(conversation, context), context);
    case "block":
      return writeBlocks(only(conversation, context), context);
    case "message":
      return writeMessages({ messages: [only(conversation, context)] }, context)[0] ?? null;
    case "stream":
      return runAll(streamEncoder(context), emit(conversation.messages));
    default:
      return writeMessages(conversation, context);
  }
}

function only({ messages }: Conversation, { shape }: EncodeContext): Conversation["messages"][number] {
  const [message, ...others] = messages;
  if (message && others.length === 0) return message;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`${family}\` writes one message as a ${shape}, and these are ${messages.length}; ask for the shape \`messages\``,
  );
}

function writeBlocks(message: Conversation["messages"][number], context: EncodeContext): Json {
  const path = ["messages", 0];
  const contents = writeContents(message.parts, { path: [...path, "parts"], context }, surroundings([message]));
  const all = withUsage(message, contents, { path, context });
  const [content = null, ...others] = all;
  const isList = others.length > 0 || all.length === 0 || hintsOf(message, family)["$list"] === true;
  return isList ? all : content;
}
