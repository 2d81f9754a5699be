import type { Conversation } from "translogue";
import { explain } from "translogue/targets";
import { describe, expect, it } from "vitest";
import { assistant, call, result, results, text, user } from "./samples.ts";

const tools = [{ name: "weather" }];
const ask = user("How is the weather?");
const open: Conversation = { messages: [ask, assistant(call("toolu_1"), call("toolu_2")), results("toolu_1")], tools };
const orphan: Conversation = { messages: [ask, assistant("Fine."), results("toolu_9")], tools };
const unlike: Conversation = { messages: [ask, assistant("Fine."), ask] };
const reasoning = {
  type: "reasoning" as const,
  text: "Hm.",
  seal: { maker: "openai", values: { id: "rs_7" } },
};

/** Error texts as providers give them → rule, path, what they named. */
const rows: readonly (readonly [
  target: string,
  error: string,
  rule: string,
  about?: [Conversation, string, string?],
])[] = [
  [
    "anthropic-messages",
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_2. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    "calls-answered",
    [open, "messages.1.parts.1.callId"],
  ],
  [
    "anthropic-messages",
    "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    "results-called",
    [orphan, "messages.2.parts.0.callId"],
  ],
  [
    "anthropic-messages",
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
    "reasoning-first",
    [
      { messages: [ask, assistant(call("a")), results("a")], tools, settings: { reasoning: { budget: 1024 } } },
      "messages.1.parts.0",
    ],
  ],
  [
    "anthropic-messages",
    "messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    "seals-at-home",
  ],
  [
    "anthropic-messages",
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "seals-at-home",
    [{ messages: [ask, assistant(text("Hm."))] }, "messages.1.parts.0"],
  ],
  [
    "anthropic-messages",
    "messages: text content blocks must be non-empty",
    "text-not-empty",
    [{ messages: [user("Look", "")] }, "messages.0.parts.1.text"],
  ],
  [
    "anthropic-messages",
    "messages: text content blocks must contain non-whitespace text",
    "text-not-empty",
    [{ messages: [user("\n")] }, "messages.0.parts.0.text"],
  ],
  [
    "anthropic-messages",
    "messages.1: all messages must have non-empty content except for the optional final assistant message",
    "message-not-empty",
    [{ messages: [ask, assistant(), ask] }, "messages.1.parts"],
  ],
  [
    "anthropic-messages",
    "messages: final assistant content cannot end with trailing whitespace",
    "prefill-trimmed",
    [{ messages: [ask, assistant("It is ")] }, "messages.1.parts.0.text"],
  ],
  [
    "anthropic-messages",
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    "call-ids",
    [{ messages: [ask, assistant(call("f.x:0")), results("f.x:0")], tools }, "messages.1.parts.0.callId"],
  ],
  [
    "anthropic-messages",
    "The request body is not valid JSON: no low surrogate in string: line 1 column 812 (char 811)",
    "well-formed-text",
    [{ messages: [user("bad \ud83d")] }, "messages.0.parts.0.text"],
  ],
  ["anthropic-messages", "prompt is too long: 208310 tokens > 200000 maximum", "sizes"],
  [
    "openai-chat",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: toolu_2",
    "calls-answered",
    [open, "messages.1.parts.1.callId"],
  ],
  [
    "openai-chat",
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    "results-called",
    [orphan, "messages.2.parts.0.callId"],
  ],
  [
    "openai-chat",
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 45 instead.",
    "call-ids",
    [{ messages: [ask, assistant(call("c".repeat(45))), results("c".repeat(45))] }, "messages.1.parts.0.callId"],
  ],
  [
    "openai-responses",
    "No tool output found for function call toolu_2.",
    "calls-answered",
    [open, "messages.1.parts.1.callId", "toolu_2"],
  ],
  [
    "openai-responses",
    "No tool call found for function call output with call_id toolu_9.",
    "results-called",
    [orphan, "messages.2.parts.0.callId", "toolu_9"],
  ],
  [
    "openai-responses",
    "Item 'rs_7' of type 'reasoning' was provided without its required following item.",
    "reasoning-followed",
    [{ messages: [ask, assistant(reasoning), ask] }, "messages.1.parts.0", "rs_7"],
  ],
  [
    "openai-responses",
    "Item 'fc_3' of type 'function_call' was provided without its required 'reasoning' item: 'rs_7'.",
    "item-ids",
    [
      { messages: [ask, assistant(call("a", { seal: { maker: "openai", values: { id: "fc_3" } } })), results("a")] },
      "messages.1.parts.0",
      "fc_3",
    ],
  ],
  [
    "openai-responses",
    "Item with id 'rs_7' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    "item-ids",
    [
      { messages: [ask, assistant(reasoning, "Fine."), ask], native: { "openai-responses": { store: false } } },
      "messages.1.parts.0.seal",
      "rs_7",
    ],
  ],
  [
    "openai-responses",
    "Duplicate item found with id rs_7. Remove duplicate items from your input and try again.",
    "item-ids",
    [{ messages: [ask, assistant(reasoning, "Fine."), ask] }, "messages.1.parts.0", "rs_7"],
  ],
  [
    "openai-responses",
    "Invalid 'input[1].id': 'call_4'. Expected an ID that begins with 'fc'.",
    "item-ids",
    [
      { messages: [ask, assistant(call("a", { seal: { maker: "openai", values: { id: "call_4" } } })), results("a")] },
      "messages.1.parts.0.seal.values.id",
      "call_4",
    ],
  ],
  [
    "gemini",
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    "calls-answered",
    [open, "messages.1.parts.1.callId"],
  ],
  [
    "gemini",
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    "first-turn",
    [{ messages: [assistant(call("a")), results("a")] }, "messages.0.role"],
  ],
  [
    "gemini",
    "Please ensure that function response turn comes immediately after a function call turn.",
    "results-called",
    [orphan, "messages.2.parts.0.callId"],
  ],
  [
    "gemini",
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:weather` , position 2.",
    "calls-sealed",
  ],
  ["vertex", "Thought signature is not valid", "seals-at-home"],
  [
    "bedrock-converse",
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    "tools-declared",
    [{ messages: [ask, assistant(call("a")), results("a")] }, "tools"],
  ],
  ["bedrock-converse", "Input is too long for requested model.", "sizes"],
  [
    "mistral",
    "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
    "call-ids",
    [{ messages: [ask, assistant(call("call_1")), results("call_1")] }, "messages.1.parts.0.callId", "call_1"],
  ],
  [
    "mistral",
    "Not the same number of function calls and responses",
    "calls-answered",
    [open, "messages.1.parts.1.callId"],
  ],
  [
    "mistral",
    "Unexpected role 'user' after role 'tool'",
    "answer-after-results",
    [{ messages: [ask, assistant(call("callAAAA1")), results("callAAAA1"), ask] }, "messages.3.role"],
  ],
  ["deepseek-chat", "The `reasoning_content` in the thinking mode must be passed back to the API.", "reasoning-kept"],
  ["ollama", "Value looks like object, but can't find closing '}' symbol", "arguments"],
];

const dotted = (path: readonly (string | number)[] | undefined): string | undefined => path?.join(".");

describe("what an error text means", () => {
  for (const [target, error, rule, about] of rows) {
    it(`${target}: ${error.slice(0, 70)}`, () => {
      expect(explain(error, { target })).toMatchObject({ target, rule });
      expect(explain(JSON.stringify({ error: { message: error } }))?.rule).toBe(rule);
      if (!about) return;
      const [conversation, path, id] = about;
      const explained = explain(error, { target, conversation });
      expect([explained?.rule, dotted(explained?.path)]).toEqual([rule, path]);
      if (id !== undefined) expect(explained?.values["id"]).toBe(id);
    });
  }

  it.each([
    "Rate limit reached for requests",
    "model: claude-sonet-4-5",
    "",
    "Invalid 'temperature': decimal below minimum value.",
  ])("is nothing that a history is to blame for: %j", error => {
    expect(explain(error)).toBeUndefined();
  });

  it("leads nowhere in a conversation that has nothing of the kind", () => {
    const explained = explain("No tool output found for function call call_x.", {
      target: "openai-responses",
      conversation: unlike,
    });
    expect(explained).toMatchObject({ rule: "calls-answered", values: { id: "call_x" } });
    expect(explained).not.toHaveProperty("path");
  });

  it("counts messages as the provider does: results by themselves, system text apart, what was one message together", () => {
    const long = "c".repeat(50);
    const conversation: Conversation = {
      messages: [
        { role: "system", parts: [text("Be brief.")] },
        ask,
        assistant(call("a"), call("b")),
        { role: "tool", parts: [result("a"), result("b")] },
        assistant(call(long)),
        { role: "tool", parts: [result(long)] },
      ],
      tools,
    };
    const chat = explain(
      "Invalid 'messages[5].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 50 instead.",
      { target: "openai-chat", conversation },
    );
    expect(dotted(chat?.path)).toBe("messages.4.parts.0.callId");
    const anthropic = explain("messages.2.content.1: Invalid `signature` in `thinking` block", {
      target: "anthropic-messages",
      conversation,
    });
    expect(dotted(anthropic?.path)).toBe("messages.3.parts.1");
  });
});
