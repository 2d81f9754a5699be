import { readFileSync } from "node:fs";
import type { Conversation, Message } from "../../src/model/conversation.ts";
import type { Event } from "../../src/model/events.ts";
import type { Part } from "../../src/model/parts.ts";

export const modelText = readFileSync(new URL("../../../../docs/model.md", import.meta.url), "utf8");

/** The JSON blocks of docs/model.md, by what their fence says they are. */
function examples<T>(kind: "conversation" | "message" | "part" | "event"): readonly T[] {
  const blocks = [...modelText.matchAll(/```json (\w+)\n([\s\S]*?)```/g)];
  return blocks.filter(([, name]) => name === kind).map(([, , json = ""]) => JSON.parse(json) as T);
}

export const conversationExamples = examples<Conversation>("conversation");
export const messageExamples = examples<Message>("message");
export const partExamples = examples<Part>("part");
export const eventExamples = examples<Event>("event");

/** One conversation with every part of the specification, and one of each node inside the parts that hold some. */
export const everyPart: Conversation = {
  ...(conversationExamples[0] as Conversation), // the first example
  messages: [
    { role: "user", parts: partExamples },
    {
      role: "assistant",
      parts: [
        { type: "file", source: { parts: partExamples } },
        { type: "source", parts: partExamples },
        { type: "compaction", summary: partExamples },
        { type: "tool-result", callId: "x", output: partExamples, display: partExamples },
        {
          type: "approval-response",
          requestId: "r",
          approved: true,
          call: { type: "tool-call", callId: "x", name: "f" },
        },
      ],
    },
  ],
};
