import { decode, encode, type Json, type Message, type Part } from "translogue";
import { contentBlocks } from "translogue/langchain";
import { describe, expect, test } from "vitest";

const written = (message: Message) =>
  encode({ messages: [message] }, { to: "langchain:js-lc", shape: "message", recipient: "client", carry: false });
const kwargsOf = (value: unknown) => (value as { kwargs: { [member: string]: Json } }).kwargs; // what the dialect writes
const read = (kwargs: Json): Message | undefined => {
  const wire = { lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessage"], kwargs };
  return decode(wire, { from: "langchain", shape: "message" }).conversation.messages[0];
};
const sent = (messages: readonly Message[], to: "openai-chat" | "openai-responses") =>
  encode({ model: "m", messages }, { to, shape: "request" }).value as unknown as { [member: string]: Json };

describe("an answer that LangChain's adapters are given", () => {
  test.each([
    [
      "openai-chat",
      { completion: { system_fingerprint: "fp" }, choice: { logprobs: { content: [] } } },
      ["system_fingerprint", "logprobs"],
    ],
    ["openai-responses", { response: { service_tier: "flex", user: null } }, ["service_tier"]],
  ])("has what %s says around it in `response_metadata`, and says so", (family, native, names) => {
    const { value, losses } = written({
      role: "assistant",
      parts: [],
      native: { [family]: native as { [name: string]: Json } },
    });
    expect(Object.keys(kwargsOf(value)["response_metadata"] as object)).toEqual(names);
    expect(losses).toMatchObject([{ code: "envelope", kind: "approximated", path: ["messages", 0, "native", family] }]);
  });

  test.each<[string, Part]>([
    ["a text", { type: "text", text: "t", native: { "openai-responses": { logprobs: [1] } } }],
    [
      "a call",
      { type: "tool-call", callId: "c", name: "f", input: {}, native: { "openai-responses": { namespace: "n" } } },
    ],
  ])("loses no other members of %s in silence", (_, part) => {
    expect(written({ role: "assistant", parts: [part] }).losses).toMatchObject([{ code: "foreign-members" }]);
  });

  test("has its maker's seals where they look for them, under the maker's name", () => {
    const seal = { maker: "openai", values: { id: "rs_1", encrypted_content: "e" } };
    const { value, losses } = written({
      role: "assistant",
      parts: [
        { type: "reasoning", text: "why", summary: true, seal },
        { type: "text", text: "t", seal: { maker: "openai", values: { id: "msg_1" } } },
      ],
    });
    expect(kwargsOf(value)).toMatchObject({
      content: [
        { type: "reasoning", reasoning: "why", id: "rs_1", encrypted_content: "e" },
        { type: "text", text: "t", id: "msg_1" },
      ],
      response_metadata: { model_provider: "openai", output_version: "v1" },
    });
    expect(losses).toMatchObject([{ code: "provider", kind: "synthesised" }]);
    expect(contentBlocks(value as unknown as Json, { language: "js" })).toEqual(kwargsOf(value)["content"]);
  });

  test("of two makers names neither", () => {
    const parts = ["openai", "anthropic"].map(
      (maker): Part => ({ type: "reasoning", text: "r", seal: { maker, values: { signature: "s" } } }),
    );
    expect(kwargsOf(written({ role: "assistant", parts }).value)["response_metadata"]).toEqual({});
  });

  test("keeps the files that a search found, with their texts", () => {
    const found: Part = { type: "source", fileId: "f", name: "a.pdf", parts: [{ type: "text", text: "t" }] };
    const parts: Part[] = [
      { type: "tool-call", callId: "s", name: "file_search", kind: "file-search", executedBy: "provider", input: {} },
      { type: "tool-result", callId: "s", output: [found] },
    ];
    const { value, losses } = written({ role: "assistant", parts });
    expect(kwargsOf(value)["content"]).toMatchObject([
      {},
      { output: { results: [{ file_id: "f", filename: "a.pdf", text: "t" }] } },
    ]);
    expect(losses).toEqual([]);
    expect(read(kwargsOf(value))?.parts[1]).toMatchObject({ output: [found] });
  });
});

describe("an answer of LangChain's", () => {
  test("goes back to OpenAI with its reasoning as the summary that it is", () => {
    const message = read({
      content: [{ type: "reasoning", id: "rs_1", reasoning: "why" }],
      response_metadata: { output_version: "v1", model_provider: "openai" },
    });
    expect(sent(message ? [message] : [], "openai-responses")["input"]).toEqual([
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "why" }] },
    ]);
  });

  test("has one call where Google's block of it has no id, and comes back as it was", () => {
    const kwargs = {
      content: [{ type: "functionCall", functionCall: { name: "f", args: { a: 1 } } }],
      tool_calls: [{ name: "f", args: { a: 1 }, id: "c", type: "tool_call" }],
      response_metadata: { model_provider: "google" },
    };
    const message = read(kwargs);
    expect(message?.parts).toMatchObject([{ type: "tool-call", callId: "c", name: "f", input: { a: 1 } }]);
    expect(message && kwargsOf(written(message).value)).toMatchObject(kwargs);
  });

  test.each<[string, { [member: string]: Json }, Partial<Message>]>([
    [
      "Claude's, streamed",
      {
        content: "Hi",
        additional_kwargs: {
          id: "msg_1",
          type: "message",
          model: "claude",
          stop_reason: "end_turn",
          stop_sequence: null,
        },
        response_metadata: { model_provider: "anthropic", usage: {} },
      },
      { finish: { reason: "stop", raw: "end_turn" }, model: "claude", responseId: "msg_1", provider: "anthropic" },
    ],
    [
      "Claude's, told twice",
      { content: "Hi", additional_kwargs: { id: "a", model: "m" }, response_metadata: { model: "m", id: "a" } },
      { model: "m", responseId: "a" },
    ],
    [
      "OpenAI's by Responses",
      { content: "Hi", response_metadata: { object: "response", status: "completed", model_name: "gpt" } },
      { finish: { reason: "stop" }, model: "gpt" },
    ],
    [
      "OpenAI's by Responses, cut",
      {
        content: "Hi",
        response_metadata: {
          object: "response",
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
        },
      },
      { finish: { reason: "length" } },
    ],
    [
      "OpenAI's by Responses, with a call",
      {
        content: "",
        tool_calls: [{ name: "f", args: {}, id: "c", type: "tool_call" }],
        response_metadata: { object: "response", status: "completed" },
      },
      { finish: { reason: "tool-calls" } },
    ],
  ])("says how it ended wherever its adapter says it, and says it there again: %s", (_, kwargs, head) => {
    const message = read(kwargs);
    expect(message).toMatchObject(head);
    expect(message && kwargsOf(written(message).value)).toMatchObject(kwargs);
    const changed = message && written({ ...message, finish: { reason: "length" } });
    const again = changed && read(kwargsOf(changed.value) as Json);
    expect(again?.finish?.reason).toBe("length");
  });
});
