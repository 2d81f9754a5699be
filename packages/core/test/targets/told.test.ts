import type { Conversation, Message } from "translogue";
import { explain } from "translogue/targets";
import { describe, expect, it } from "vitest";
import { assistant, call, result, results, text, user } from "./samples.ts";

const tools = [{ name: "weather" }];
const ask = user("How is the weather?");
const image = { type: "file" as const, mediaType: "image/bmp", source: { data: "Qk0=" } };
const unnamed = { type: "file" as const, mediaType: "application/pdf", source: { data: "JVBE" } };
const letter = { type: "file" as const, mediaType: "application/pdf", name: "a.b.pdf", source: { data: "JVBE" } };
const thought = { type: "reasoning" as const, text: "Hm." };
const sealed = (maker: string, values: { readonly [name: string]: string }) => ({
  ...thought,
  seal: { maker, values },
});
const signed = sealed("anthropic", { signature: "c2ln" });
const of = (...messages: Message[]): Conversation => ({ messages, tools });
const developer: Message = { role: "developer", parts: [text("Be brief.")] };
const system: Message = { role: "system", parts: [text("Be brief.")] };
const tool = (...parts: Message["parts"]): Message => ({ role: "tool", parts });
const called = of(ask, assistant(call("callAAAA1")), results("callAAAA1"));
const twins: Conversation = { messages: [ask], tools: [{ name: "a" }, { name: "b" }, { name: "a" }] };

const thinking = (settings: Conversation["settings"]): Conversation => ({
  ...of(ask),
  settings: { reasoning: { budget: 2048 }, maxOutputTokens: 4096, ...settings },
});

/** Texts that were reported → the rule, and the path inside of what was sent. */
const rows: { readonly [target: string]: readonly (readonly [string, string, Conversation, string])[] } = {
  "anthropic-messages": [
    [
      "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation.",
      "thinking-settings",
      thinking({ temperature: 0.05 }),
      "settings.temperature",
    ],
    [
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
      "thinking-settings",
      thinking({ maxOutputTokens: 1000 }),
      "settings.maxOutputTokens",
    ],
    [
      "Thinking may not be enabled when tool_choice forces tool use.",
      "thinking-settings",
      thinking({ toolChoice: "required" }),
      "settings.toolChoice",
    ],
    [
      "messages.1.content.0: 'thinking' blocks in the latest assistant message cannot be modified",
      "seals-at-home",
      of(ask, assistant(signed, call("callAAAA1")), results("callAAAA1")),
      "messages.1.parts.0",
    ],
    [
      "messages.1: use the top-level 'system' parameter for the initial system prompt",
      "system-place",
      of(ask, system, ask),
      "messages.1.role",
    ],
    ["prompt is too long: 3000000 tokens > 200000 maximum", "sizes", of(ask), "messages"],
    ["tools: Tool names must be unique.", "tool-names", twins, "tools.2.name"],
    [
      "messages.1.content.0.thinking.signature: Field required",
      "reasoning-sealed",
      of(ask, assistant(thought, "Fine."), ask),
      "messages.1.parts.0",
    ],
    [
      "messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
      "last-turn",
      of(ask, assistant(signed, "It is")),
      "messages.1.parts.0",
    ],
    [
      "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.",
      "last-turn",
      of(ask, assistant(signed, "It is")),
      "messages.1.parts.0",
    ],
    [
      "messages.1: The final block in an assistant message cannot be `thinking`.",
      "reasoning-not-last",
      of(ask, assistant("Fine.", signed), ask),
      "messages.1.parts.1",
    ],
    [
      "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes",
      "sizes",
      of({ role: "user", parts: [text("See"), image] }),
      "messages.0.parts.1",
    ],
    [
      "messages.0.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
      "media",
      of({ role: "user", parts: [text("See"), image] }),
      "messages.0.parts.1",
    ],
    [
      "messages.2.content.0.tool_result.content.1.image.source.base64: Could not process image",
      "media",
      of(
        ask,
        assistant(call("a")),
        tool({ type: "tool-result", callId: "a", output: [text("See"), { ...image, mediaType: "image/png" }] }),
      ),
      "messages.2.parts.0.output.1",
    ],
    [
      'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
      "turns-alternate",
      of(ask, ask),
      "",
    ],
    ['messages: first message must use the "user" role', "first-turn", of(assistant("Hello!"), ask), "messages.0.role"],
    [
      'messages.2.content.0.tool_result: all content must be type "text" if "is_error" is true',
      "failed-results",
      of(ask, assistant(call("a")), tool({ type: "tool-result", callId: "a", outcome: "error", output: [image] })),
      "messages.2.parts.0.output.0",
    ],
    ["tools: Tool names must be unique.", "tool-names", twins, "tools.2.name"],
    [
      "messages.5.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
      "seals-at-home",
      of(
        ask,
        assistant(sealed("openai", { id: "rs_1" }), "A"),
        ask,
        assistant("B"),
        ask,
        assistant(signed, signed, "C"),
        ask,
      ),
      "messages.5.parts.1",
    ],
    [
      "messages.1.content.2: `tool_use` ids must be unique",
      "call-ids-unique",
      of(ask, assistant("Wait.", call("a"), call("a")), results("a")),
      "messages.1.parts.2.callId",
    ],
    [
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
      "results-once",
      of(ask, assistant(call("a")), results("a", "a")),
      "messages.2.parts.1.callId",
    ],
    [
      "messages.3.content.0: Invalid `signature` in `thinking` block",
      "seals-at-home",
      of(ask, assistant("A"), ask, assistant(signed, "B"), ask),
      "messages.3.parts.0",
    ],
  ],
  "openai-chat": [
    [
      "Missing required parameter: 'messages[0].content[1].file.file_id'.",
      "documents-named",
      of(user("Read:", unnamed)),
      "messages.0.parts.1",
    ],
    [
      "Invalid file data: 'messages[0].content[1].file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got an invalid base64-encoded value.",
      "media-source",
      of(user("Read:", { ...unnamed, source: { url: "https://example.org/a.pdf" } })),
      "messages.0.parts.1.source",
    ],
    [
      'Invalid parameter: messages with role "tool" must follow a preceding message with "tool_calls".',
      "results-called",
      of(ask, results("callAAAA1"), ask),
      "messages.1.parts.0.callId",
    ],
    [
      "Invalid value for 'content': expected a string, got null.",
      "message-not-empty",
      of(ask, assistant(call("a")), tool({ type: "tool-result", callId: "a" })),
      "messages.2.parts.0",
    ],
    [
      '{"error":{"message":"Invalid value for \'content\': expected a string, got null.","param":"messages.[1].content"}}',
      "message-not-empty",
      of(ask, assistant(), ask),
      "messages.1",
    ],
    [
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "known-members",
      of(ask, assistant("Fine."), ask),
      "messages.1",
    ],
    [
      "Invalid 'messages[0]'. Image URLs are only allowed for messages with role 'user', but this message with role 'system' contains an image URL.",
      "media",
      of({ role: "system", parts: [text("See"), image] }, ask),
      "messages.0.parts.1",
    ],
    [
      "Duplicate value for 'tool_call_id' of 'a' in message[3]",
      "results-once",
      of(ask, assistant(call("a")), results("a", "a")),
      "messages.2.parts.1.callId",
    ],
    [
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "history-not-empty",
      of(),
      "messages",
    ],
  ],
  "openai-responses": [
    [
      "Missing required parameter: 'input[0].content[1]'.",
      "documents-named",
      of(user("Read:", unnamed)),
      "messages.0.parts.1",
    ],
    [
      "[invalid_request_error] reasoning `encrypted_content` was not issued to this caller",
      "seals-at-home",
      of(ask, assistant(sealed("openai", { encrypted_content: "gAAA" }), call("callAAAA1")), results("callAAAA1")),
      "messages.1.parts.0",
    ],
    [
      "The encrypted content gAAA...6KFQ could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
      "seals-at-home",
      of(
        ask,
        assistant(sealed("openai", { id: "rs_1", encrypted_content: "gAAAxx6KFQ" }), "A"),
        ask,
        assistant(sealed("openai", { id: "rs_2", encrypted_content: "gAAAyyZZ" }), "B"),
        ask,
      ),
      "messages.1.parts.0",
    ],
    [
      "The encrypted content for item rs_2 could not be verified.",
      "seals-at-home",
      of(ask, assistant(sealed("openai", { id: "rs_1" }), "A", sealed("openai", { id: "rs_2" }), "B"), ask),
      "messages.1.parts.2",
    ],
    [
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      "media",
      of(ask, assistant("Fine."), ask),
      "messages.1",
    ],
    [
      '{"message":"Invalid value: \'input_text\'. Supported values are: \'output_text\' and \'refusal\'.","param":"input[2].content[0]"}',
      "media",
      of(ask, assistant(call("a"), "Fine."), ask),
      "messages.1.parts.1",
    ],
    [
      "Invalid value: 'developers'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
      "roles",
      of(ask),
      "",
    ],
  ],
  gemini: [
    [
      "Requests ending with a model turn are not supported",
      "last-turn",
      of(ask, assistant("It is")),
      "messages.1.role",
    ],
    [
      "Unable to submit request because it has a stopSequences value of 6 but the supported range is from 1 (inclusive) to 6 (exclusive). Update the value and try again.",
      "setting-ranges",
      { ...of(ask), settings: { stopSequences: ["a", "b", "c", "d", "e", "f"] } },
      "settings.stopSequences",
    ],
    [
      "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
      "message-not-empty",
      of(ask, assistant(), ask),
      "messages.1",
    ],
    ["* GenerateContentRequest.contents: contents is not specified", "history-not-empty", of(), "messages"],
    ["Content with system role is not supported.", "system-place", of(ask, system, ask), "messages.1.role"],
    [
      "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
      "tool-names",
      called,
      "messages.2.parts.0",
    ],
    ["Duplicate function declaration found: a", "tool-names", twins, "tools.2.name"],
    [
      "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one initialized field",
      "text-not-empty",
      of(ask, assistant(""), ask),
      "messages.1.parts.0",
    ],
    [
      "function call turn comes immediately after a user turn",
      "first-turn",
      of(assistant(call("a")), results("a")),
      "messages.0.role",
    ],
    [
      "function response turn comes immediately after a function call turn",
      "results-called",
      of(ask, assistant("A"), results("a")),
      "messages.2.parts.0.callId",
    ],
    [
      "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"!\"",
      "seals-at-home",
      of(ask, assistant(call("a", { seal: { maker: "google", values: { signature: "!" } } })), results("a")),
      "messages.1.parts.0",
    ],
    [
      "thought_signature (TYPE_BYTES), Base64 decoding failed",
      "seals-at-home",
      of(ask, assistant(call("a", { seal: { maker: "google", values: { signature: "!" } } })), results("a")),
      "messages.1.parts.0",
    ],
  ],
  vertex: [
    [
      "Unable to submit request because it must have a text parameter. Add a text parameter and try again.",
      "text-not-empty",
      of(user(""), assistant("A"), ask),
      "messages.0.parts.0",
    ],
    [
      "Unable to submit request because function call `weather` in the 2. content block is missing a `thought_signature`.",
      "calls-sealed",
      of(ask, assistant("Wait.", call("a")), results("a")),
      "messages.1.parts.1",
    ],
  ],
  "bedrock-converse": [
    [
      "Malformed input request: #/p: 1 is not less or equal to 0.99, please reformat your input and try again.",
      "setting-ranges",
      { ...of(ask), model: "cohere.command-r-v1:0", settings: { topP: 1 } },
      "settings.topP",
    ],
    [
      "1 validation error detected: Value 'x' at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: Member must have length less than or equal to 64",
      "tool-names",
      of(ask, assistant(call("a", { name: "n".repeat(65) })), results("a")),
      "messages.1.parts.0.name",
    ],
    [
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.",
      "media",
      of({ role: "user", parts: [text("See"), letter] }),
      "messages.0.parts.1",
    ],
    [
      "A text block must be included when providing a document.",
      "documents-introduced",
      of({ role: "user", parts: [letter] }),
      "messages.0.parts.0",
    ],
    [
      "Conversation blocks and tool result blocks cannot be provided in the same turn.",
      "answer-after-results",
      of(ask, assistant(call("a")), { role: "user", parts: [result("a"), text("And?")] }),
      "messages.2.parts.1",
    ],
  ],
  "deepseek-chat": [
    [
      "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool` at line 1 column 5",
      "roles",
      of(developer, ask),
      "messages.0.role",
    ],
    [
      "messages[1]: unknown variant image_url, expected text at line 1 column 460917",
      "media",
      of(ask, { role: "user", parts: [text("See"), image] }),
      "messages.1.parts.1",
    ],
    [
      "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on.",
      "last-turn",
      of(ask, assistant("It is")),
      "messages.1.role",
    ],
    [
      "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input).",
      "turns-alternate",
      of(system, ask, ask),
      "messages.2",
    ],
    [
      "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
      "results-called",
      of(ask, assistant("A"), results("a")),
      "messages.2.parts.0.callId",
    ],
    [
      "The reasoning_content in the thinking mode must be passed back to the API.",
      "reasoning-kept",
      called,
      "messages.1.parts",
    ],
    [
      "The `reasoning_content` in the thinking mode must be passed back to the API.",
      "reasoning-kept",
      called,
      "messages.1.parts",
    ],
  ],
  groq: [
    [
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
      "reasoning-sealed",
      of(ask, assistant("A", thought), ask),
      "messages.1.parts.1",
    ],
    [
      "'messages.2' : for 'role:tool' the following must be satisfied[('messages.2.content' : value must be a string)]",
      "media",
      of(ask, assistant(call("a")), tool({ type: "tool-result", callId: "a", output: [image] })),
      "messages.2.parts.0.output.0",
    ],
  ],
  mistral: [
    [
      '{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be less than or equal to 1.5","input":2}',
      "setting-ranges",
      { ...of(ask), settings: { temperature: 2 } },
      "settings.temperature",
    ],
    [
      "Unexpected role RoleEnum.tool",
      "results-called",
      of(ask, results("callAAAA1"), ask),
      "messages.1.parts.0.callId",
    ],
    [
      "Assistant message must have either content or tool_calls",
      "message-not-empty",
      of(ask, assistant(), ask),
      "messages.1",
    ],
    [
      "Function name was a.b but must be a-z, A-Z",
      "tool-names",
      { messages: [ask], tools: [{ name: "c.d" }, { name: "a.b" }] },
      "tools.1.name",
    ],
    [
      "Duplicate tool call id in assistant messages",
      "call-ids-unique",
      of(ask, assistant(call("callAAAA1")), results("callAAAA1"), assistant(call("callAAAA1")), results("callAAAA1")),
      "messages.3.parts.0.callId",
    ],
  ],
  xai: [
    [
      "Invalid request content: Each message must have at least one content element.",
      "message-not-empty",
      called,
      "messages.1",
    ],
  ],
  chat: [
    [
      "After the (optional) system message(s), user and assistant roles should be alternating.",
      "turns-alternate",
      of(ask, ask),
      "messages.1",
    ],
    ["prompt too long; exceeded max context length by 20 tokens (ref: 1)", "sizes", of(ask), "messages"],
    ["The total length of all messages is too long.", "sizes", of(ask), "messages"],
  ],
  ollama: [
    ["prompt too long; exceeded max context length by 20 tokens", "sizes", of(ask), "messages"],
    ["invalid message role: developer", "roles", of(developer, ask), "messages.0.role"],
  ],
};

describe("texts that providers were reported to answer", () => {
  for (const [target, cases] of Object.entries(rows)) {
    it.each(cases)(`${target}: %s`, (error, rule, conversation, path) => {
      const explained = explain(error, { target, conversation });
      expect(explained?.rule).toBe(rule);
      expect(explained?.path?.join(".") ?? "").toMatch(new RegExp(`^${path}(?:\\.|$)`));
      expect(explained?.source).toMatch(/, \d{4}-\d\d-\d\d$/);
      // Nobody said whose it is; the body is passed on as text within text.
      const body = JSON.stringify({ error: { message: JSON.stringify({ error: { message: error } }) } });
      expect(explain(body)?.rule).toBe(rule);
    });
  }
});

describe("the place that an error text names", () => {
  const files = { role: "user" as const, parts: [text("See"), image, image] };
  it.each([
    ["messages.2.content.1", "anthropic-messages"],
    ["messages[2].content[1]", "openai-chat"],
    ["messages.[2].content.[1]", "openai-chat"],
    ["contents[2].parts[1]", "gemini"],
    ["contents.2.parts.1", "gemini"],
    ["#/messages/2/content/1", "bedrock-converse"],
    ["'messages.3.member.content.2.member.image'", "bedrock-converse"],
    ["input[2].content[1]", "openai-responses"],
    ['["body","messages",2,"user","content",1]', "mistral"],
  ])("is read in %s", (place, target) => {
    const said: { readonly [target: string]: string } = {
      "openai-chat": "Invalid image data",
      "openai-responses": "Invalid image data",
      gemini: "Unsupported MIME type: image/bmp",
      "anthropic-messages": "Could not process image",
      "bedrock-converse": "Could not process image",
      mistral: "Image input is not enabled for this model",
    };
    const conversation = of(ask, assistant("A"), files);
    expect(explain(`${said[target]} (${place})`, { target, conversation })?.path?.join(".")).toBe("messages.2.parts.1");
    expect(explain(`${place}: ${said[target]}`, { target, conversation })?.path?.join(".")).toBe("messages.2.parts.1");
  });

  it("counts items: what stands between two calls is one, and each call another", () => {
    const conversation = of(ask, assistant(thought, "A", call("a"), call("c".repeat(70))), ask);
    const error =
      "Invalid 'input[4].call_id': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.";
    expect(explain(error, { target: "openai-responses", conversation })?.path?.join(".")).toBe(
      "messages.1.parts.3.callId",
    );
  });
});
