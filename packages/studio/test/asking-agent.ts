import { type Agent, createAgent, defineTool, type Model } from "@translogue/agent";
import type { Event, Json } from "translogue";
import { z } from "zod";

/** Of every kind of field one. */
export const paintForm: Json = {
  type: "object",
  properties: {
    title: { type: "string", title: "Title" },
    count: { type: "integer", title: "How many", description: "Pictures to paint." },
    framed: { type: "boolean", title: "Framed" },
    colour: { enum: ["red", "blue"], title: "Colour" },
    more: { type: "object", title: "Anything else" },
  },
  required: ["title", "count", "colour"],
};

/** Calls `paint`, and says what came of it. */
export const painter: Model = {
  id: "painter",
  provider: "test",
  async *stream({ conversation }) {
    yield [{ type: "message-start", message: 0, head: { role: "assistant" } }];
    const last = conversation.messages.at(-1);
    const result = last?.parts.find(part => part.type === "tool-result");
    const text = result?.output?.flatMap(part => (part.type === "text" ? [part.text] : [])).join("");
    const value =
      text === undefined
        ? { type: "tool-call" as const, callId: "c1", name: "paint", input: {} }
        : { type: "text" as const, text };
    const end: readonly Event[] = [
      { type: "part", message: 0, part: 0, value },
      { type: "message-set", message: 0, set: { finish: { reason: text === undefined ? "tool-calls" : "stop" } } },
      { type: "message-end", message: 0 },
    ];
    yield end;
  },
};

/** An agent whose tool asks a person what is to be painted. */
export const askingAgent = (schema: Json = paintForm): Agent =>
  createAgent({
    id: "painter",
    model: painter,
    tools: [
      defineTool({
        name: "paint",
        parameters: z.object({}),
        execute: async (_, { ask }) =>
          `painted ${JSON.stringify(await ask({ message: "What shall I paint?", schema }))}`,
      }),
    ],
  });
