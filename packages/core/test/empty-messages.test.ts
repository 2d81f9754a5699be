import { type Conversation, convert, encode, type FormatId, type Json, type Part } from "translogue";
import { expect, test } from "vitest";

const searched: Part = { type: "tool-call", callId: "s", name: "web_search", executedBy: "provider", input: {} };
const asked: Conversation = {
  messages: [
    { role: "user", parts: [{ type: "text", text: "a" }] },
    { role: "assistant", parts: [searched] },
    { role: "user", parts: [{ type: "data", name: "draft", data: 1 }] },
  ],
};
const listOf = (value: unknown): readonly Json[] => {
  const { messages, input } = value as { readonly messages?: readonly Json[]; readonly input?: readonly Json[] }; // a request
  return messages ?? input ?? [];
};

test.each<FormatId>(["openai-chat", "mistral", "cohere", "ollama", "bedrock-converse"])(
  "a provider of %s gets no message of which nothing is left",
  to => {
    const { value, losses } = encode({ messages: asked.messages.slice(0, 2) }, { to, shape: "request" });
    expect(listOf(value)).toHaveLength(1);
    expect(losses.find(({ code }) => code === "empty-message")?.path).toEqual(["messages", 1]);
  },
);

test("the user's message of which nothing is left is no item of Responses", () => {
  const { value } = encode(asked, { to: "openai-responses", shape: "request" });
  expect(listOf(value).filter(item => JSON.stringify(item).includes('"content":[]'))).toEqual([]);
});

test.each<FormatId>(["openai-chat", "mistral", "cohere", "ollama", "bedrock-converse"])(
  "what %s said empty goes back so",
  format => {
    const content = format === "bedrock-converse" ? [] : "";
    const wire = {
      messages: [
        { role: "user", content },
        { role: "assistant", content },
      ],
    };
    const { value, losses } = convert(wire, { from: format, to: format, shape: "request", as: "request" });
    expect([value, losses]).toMatchObject([wire, []]);
  },
);
