/** A toy: `{ notes: [{ by, says }] }`. It holds one text a message and nothing else (CONTRIBUTING, the ten steps). */
import { isJsonObject, type Json } from "translogue";
import { defineCodec, fill, type Holds, native, Reader, unsupported } from "translogue/codec";

const nothing = unsupported("a note says one text");

const holds: Holds = {
  conversation: [],
  message: [],
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
    opaque: nothing,
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
    role: { kind: "approximated", note: "a note is by me or by you" },
  },
  holds: () => holds,
  sniff: value =>
    isJsonObject(value) && Array.isArray(value["notes"])
      ? [{ shape: "messages", confidence: 0.9, keys: ["notes"] }]
      : [],
  decode(value, context) {
    const list = isJsonObject(value) && Array.isArray(value["notes"]) ? value["notes"] : [];
    const messages = list.map((note: Json, index: number) => {
      const reader = new Reader(isJsonObject(note) ? note : {});
      const by = reader.string("by");
      const text = reader.string("says");
      if (text === undefined) context.issue("no-text", ["notes", index], "expected a string in `says`");
      const role = by === "me" || by === "you" ? roles[by] : "user";
      return {
        role,
        parts: text === undefined ? [] : [{ type: "text" as const, text }],
        ...native("notes", reader.rest(), by === undefined || by in roles ? undefined : { $by: by }),
      };
    });
    return { messages };
  },
  encode(conversation, context) {
    const written = conversation.messages.map((message, index) => {
      const path = ["messages", index];
      const by = message.role === "user" ? "me" : "you";
      if (roles[by] !== message.role) context.lose("role", [...path, "role"], message.role);
      if (message.parts.length !== 1) context.lose("text-joined", [...path, "parts"]);
      const says = message.parts.map(part => (part.type === "text" ? part.text : "")).join("");
      const note = fill({ by, says }, message.native?.["notes"]);
      context.wrote([note], index, 1);
      return note;
    });
    return { notes: written };
  },
});
