/** A toy: `{ notes: [{ by, says }] }`. It holds one text a message and nothing else (CONTRIBUTING, the ten steps). */
import { isJsonObject, type Json, type Message, type Path } from "translogue";
import {
  type DecodeContext,
  defineCodec,
  type EncodeContext,
  fill,
  type Holds,
  native,
  Reader,
  unsupported,
} from "translogue/codec";

const nothing = unsupported("a note says one text");

const holds: Holds = {
  conversation: [],
  message: ["author"],
  parts: {
    text: ["text"],
    reasoning: nothing,
    refusal: nothing,
    file: nothing,
    "tool-call": nothing,
    "tool-result": nothing,
    "approval-request": nothing,
    "approval-response": nothing,
    "input-request": nothing,
    "input-response": nothing,
    source: nothing,
    data: nothing,
    error: nothing,
    change: nothing,
    compaction: nothing,
    opaque: ["family", "value"],
  },
  citation: [],
  tool: [],
  settings: [],
  usage: [],
  families: ["notes"],
};

/** The format's words for the roles, both ways. */
const roles = { me: "user", you: "assistant" } as const;

export const notes = defineCodec<Json>({
  id: "notes",
  title: "Notes",
  spec: "https://example.com/notes",
  shapes: ["messages"],
  dialects: ["notes"],
  losses: {
    "text-joined": { kind: "merged", note: "a note says one text" },
    role: { kind: "approximated", note: "a note is by me, by you or by a name" },
    author: { kind: "dropped", note: "an author is a name" },
  },
  holds: () => holds,
  sniff: value =>
    isJsonObject(value) && Array.isArray(value["notes"])
      ? [{ shape: "messages", confidence: 0.9, keys: ["notes"] }]
      : [],
  decode(value, context) {
    const reader = new Reader(isJsonObject(value) ? value : {});
    const messages = (reader.array("notes") ?? []).map((note, index) => decodeNote(note, ["notes", index], context));
    return { messages, ...native("notes", reader.rest()) };
  },
  encode(conversation, context) {
    const notes = conversation.messages.map((message, index) => encodeNote(message, index, context));
    return fill({ notes }, conversation.native?.["notes"]);
  },
});

/** A note that cannot be read stays in its place, whole, with an issue (R4). */
function decodeNote(note: Json, path: Path, context: DecodeContext): Message {
  const reader = new Reader(isJsonObject(note) ? note : {});
  const by = reader.string("by");
  const says = reader.string("says");
  if (by === undefined || says === undefined) {
    context.issue("not-a-note", path, "expected `by` and `says`, both strings; kept as it is");
    return { role: "control", parts: [{ type: "opaque", family: "notes", value: note }] };
  }
  const known = by === "me" || by === "you";
  const author = known ? {} : { author: { name: by } };
  return {
    role: known ? roles[by] : "user",
    ...author,
    parts: [{ type: "text", text: says }],
    ...native("notes", reader.rest()),
  };
}

function encodeNote(message: Message, index: number, context: EncodeContext): Json {
  const [part] = message.parts;
  if (message.role === "control" && part?.type === "opaque") return part.value;
  const path = ["messages", index];
  const { name, ...others } = message.author ?? {};
  const who = message.role === "user" ? "me" : "you";
  if (name === undefined ? roles[who] !== message.role : message.role !== "user")
    context.lose("role", [...path, "role"], message.role);
  if (Object.keys(others).length > 0) context.lose("author", [...path, "author"]);
  if (message.parts.length !== 1) context.lose("text-joined", [...path, "parts"]);
  const says = message.parts.map(each => (each.type === "text" ? each.text : "")).join("");
  const note = fill({ by: name ?? who, says }, message.native?.["notes"]);
  context.wrote([note], index, 1);
  return note;
}
