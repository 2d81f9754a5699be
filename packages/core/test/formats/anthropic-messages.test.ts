import { type Conversation, convert, decode, encode, type Json, type JsonObject, type Part } from "translogue";
import { anthropicMessages } from "translogue/anthropic-messages";
import { describe, expect, test } from "vitest";

const read = (value: Json, shape: "request" | "answer" | "messages" | "error", dialect = "anthropic") =>
  decode(value, { from: "anthropic-messages", shape, dialect });
const block = (wire: Json, role = "assistant"): Part | undefined =>
  read([{ role, content: [wire] }], "messages").conversation.messages[0]?.parts[0];
const written = (parts: readonly Part[], role = "assistant"): Json => {
  const { value } = encode({ messages: [{ role, parts }] }, { to: "anthropic-messages", shape: "messages" });
  return value as Json; // codecs write JSON
};
const request = (conversation: Conversation) => encode(conversation, { to: "anthropic-messages", shape: "request" });
const seal = (values: { readonly [name: string]: string }) => ({ maker: "anthropic", values });
const text = (words: string): Part => ({ type: "text", text: words });

describe("a block is read as the part that says the same", () => {
  const result = (content: Json, type: string): Json => ({ type, tool_use_id: "srvtoolu_1", content });
  test.each<[what: string, wire: Json, part: object]>([
    [
      "thinking",
      { type: "thinking", thinking: "t", signature: "S" },
      { type: "reasoning", text: "t", seal: seal({ signature: "S" }) },
    ],
    ["thinking that is not shown", { type: "thinking", thinking: "", signature: "S" }, { type: "reasoning", text: "" }],
    ["redacted thinking", { type: "redacted_thinking", data: "D" }, { type: "reasoning", seal: seal({ data: "D" }) }],
    [
      "a call",
      { type: "tool_use", id: "t1", name: "f", input: { a: 1 } },
      { type: "tool-call", callId: "t1", name: "f", input: { a: 1 } },
    ],
    [
      "a call of a program",
      { type: "tool_use", id: "t1", name: "f", input: {}, caller: { type: "code_execution_20260120", tool_id: "s1" } },
      { caller: "s1" },
    ],
    [
      "a call of a hosted tool",
      { type: "server_tool_use", id: "s1", name: "bash_code_execution", input: {} },
      { kind: "code-interpreter", executedBy: "provider" },
    ],
    [
      "a call of an MCP tool",
      { type: "mcp_tool_use", id: "m1", name: "f", server_name: "s", input: {} },
      { kind: "mcp", server: "s", executedBy: "provider" },
    ],
    [
      "a failed result",
      { type: "tool_result", tool_use_id: "t1", content: "no", is_error: true },
      { output: [text("no")], outcome: "error" },
    ],
    [
      "hits of a search",
      result([{ type: "web_search_result", url: "u", title: "t", encrypted_content: "E" }], "web_search_tool_result"),
      { output: [{ type: "source", url: "u", title: "t", seal: seal({ encrypted_content: "E" }) }] },
    ],
    [
      "a search that failed",
      result({ type: "web_search_tool_result_error", error_code: "unavailable" }, "web_search_tool_result"),
      { output: [{ type: "error", message: "unavailable", code: "unavailable" }], outcome: "error" },
    ],
    [
      "a page that was fetched",
      result(
        {
          type: "web_fetch_result",
          url: "u",
          content: { type: "document", source: { type: "text", media_type: "text/plain", data: "p" } },
        },
        "web_fetch_tool_result",
      ),
      {
        output: [
          { type: "source", url: "u", parts: [{ type: "file", mediaType: "text/plain", source: { text: "p" } }] },
        ],
      },
    ],
    [
      "what a program printed, with its files",
      result(
        { type: "code_execution_result", stdout: "1", content: [{ type: "code_execution_output", file_id: "f" }] },
        "code_execution_tool_result",
      ),
      {
        output: [
          { type: "data", data: { stdout: "1" } },
          { type: "file", source: { id: "f", provider: "anthropic" } },
        ],
      },
    ],
    [
      "what only its maker can read of it",
      result({ type: "encrypted_code_execution_result", encrypted_stdout: "E" }, "code_execution_tool_result"),
      { output: [{ type: "data", data: {}, seal: seal({ encrypted_stdout: "E" }) }] },
    ],
    [
      "tools that were found",
      result(
        { type: "tool_search_tool_search_result", tool_references: [{ type: "tool_reference", tool_name: "f" }] },
        "tool_search_tool_result",
      ),
      { output: [{ type: "change", toolsAdded: ["f"] }] },
    ],
    ["advice", result({ type: "advisor_result", text: "a" }, "advisor_tool_result"), { output: [text("a")] }],
    [
      "an image by URL",
      { type: "image", source: { type: "url", url: "u" } },
      { type: "file", mediaType: "image/*", source: { url: "u" } },
    ],
    [
      "a PDF by URL",
      { type: "document", source: { type: "url", url: "u" } },
      { mediaType: "application/pdf", source: { url: "u" } },
    ],
    [
      "a document of blocks",
      { type: "document", title: "T", source: { type: "content", content: [{ type: "text", text: "a" }] } },
      { name: "T", source: { parts: [text("a")] } },
    ],
    [
      "a search result",
      { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "a" }] },
      { type: "source", url: "s", title: "t", parts: [text("a")] },
    ],
    [
      "a compaction",
      { type: "compaction", content: "c", encrypted_content: "E" },
      { type: "compaction", summary: [text("c")], seal: seal({ encrypted_content: "E" }) },
    ],
    [
      "a model that took over",
      { type: "fallback", from: { model: "a" }, to: { model: "b" } },
      { type: "change", model: "b" },
    ],
    [
      "a tool that goes",
      { type: "tool_removal", tool: { type: "tool_reference", name: "f" } },
      { type: "change", toolsRemoved: ["f"] },
    ],
    [
      "a tool that comes defined",
      { type: "tool_addition", tool: { type: "tool_definition", definition: { name: "f", input_schema: {} } } },
      { toolsAdded: [{ name: "f", input: {} }] },
    ],
    [
      "a cache mark",
      { type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "a", cache: { ttl: "1h" } },
    ],
    ["a block that nobody knows", { type: "tomorrow", x: 1 }, { type: "opaque", value: { type: "tomorrow", x: 1 } }],
  ])("%s", (_, wire, part) => {
    expect(block(wire)).toMatchObject(part);
    const messages: Json = [{ role: "assistant", content: [wire] }];
    const { value, losses } = encode(read(messages, "messages").conversation, {
      to: "anthropic-messages",
      shape: "messages",
      recipient: "store",
      carry: false,
    });
    expect([value, losses]).toEqual([messages, []]);
  });
});

test("a change of several tools has its cache mark once, behind all of it", () => {
  const change = { type: "change", toolsAdded: ["f", "g"], toolsRemoved: ["h"], cache: {} } as const;
  const wire = JSON.stringify(written([change], "system"));
  expect(wire.match(/tool_addition|tool_removal|cache_control/g)).toEqual([
    "tool_addition",
    "tool_addition",
    "tool_removal",
    "cache_control",
  ]);
});

test("a user's results and words are messages of their sides, and one message again", () => {
  const result = (id: string): JsonObject => ({ type: "tool_result", tool_use_id: id, content: "r" });
  const wire: Json = [{ role: "user", content: [result("a"), { type: "text", text: "q" }, result("b")] }];
  const { conversation } = read(wire, "messages");
  expect(conversation.messages.map(({ role }) => role)).toEqual(["tool", "user", "tool"]);
  const options = { to: "anthropic-messages", shape: "messages", recipient: "store", carry: false } as const;
  expect(encode(conversation, options).value).toEqual(wire);
  const [first, , last] = conversation.messages;
  const apart = encode({ messages: [first, last].filter(message => message !== undefined) }, options);
  expect(apart.value).toHaveLength(1);
});

test("the system's messages before all others go to its place, those in the middle stay", () => {
  const system = (words: string) => ({ role: "system", parts: [text(words)] });
  const { value } = request({ messages: [system("a"), { role: "user", parts: [text("q")] }, system("b")] });
  expect(value).toMatchObject({
    system: [{ type: "text", text: "a" }],
    messages: [{ role: "user" }, { role: "system", content: [{ type: "text", text: "b" }] }],
  });
});

describe("settings are the same on the wire", () => {
  test.each<[what: string, settings: NonNullable<Conversation["settings"]>, wire: object]>([
    ["a limit", { maxOutputTokens: 9 }, { max_tokens: 9 }],
    ["a choice of any tool", { toolChoice: "required" }, { tool_choice: { type: "any" } }],
    [
      "one tool, and no two at once",
      { toolChoice: { name: "f" }, parallelToolCalls: false },
      { tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true } },
    ],
    ["a budget of thought", { reasoning: { budget: 2000 } }, { thinking: { type: "enabled", budget_tokens: 2000 } }],
    ["effort", { reasoning: { effort: "high" } }, { output_config: { effort: "high" } }],
    ["no thought at all", { reasoning: { effort: "none" } }, { thinking: { type: "disabled" } }],
    [
      "a schema of the answer",
      { responseFormat: { type: "json", schema: { type: "object" } } },
      { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
    ],
    [
      "sampling",
      { temperature: 1, topP: 0.5, topK: 3, stopSequences: ["x"] },
      { temperature: 1, top_p: 0.5, top_k: 3, stop_sequences: ["x"] },
    ],
  ])("%s", (_, settings, wire) => {
    const { value, losses } = request({ messages: [], settings });
    expect(value).toMatchObject(wire);
    expect(losses.map(({ code }) => code)).not.toContain("effort");
    expect(read(value as Json, "request").conversation.settings).toMatchObject(settings); // codecs write JSON
  });

  test("a request to the provider has a limit that leaves room for thought", () => {
    const { value } = request({ messages: [], settings: { reasoning: { budget: 2000 } } });
    expect(value).toMatchObject({ max_tokens: 6096 });
  });
});

describe("an answer", () => {
  const answer = (more: JsonObject = {}): JsonObject => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-4-8",
    content: [{ type: "text", text: "a" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 7 },
    ...more,
  });

  test("has buckets of usage that add up to what is billed", () => {
    const usage: JsonObject = {
      input_tokens: 5,
      cache_creation_input_tokens: 10,
      cache_read_input_tokens: 20,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 3 },
    };
    const [message] = read(answer({ usage }), "answer").conversation.messages;
    expect(message?.usage).toEqual({ input: 5, cacheWrite: 10, cacheRead: 20, output: 4, reasoning: 3 });
  });

  test.each([
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["stop_sequence", "stop-sequence"],
    ["tool_use", "tool-calls"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context"],
    ["compaction", "compaction"],
    ["tomorrow", "other"],
  ])("that stopped by `%s` finished by `%s`, and back", (stop, reason) => {
    const { conversation } = read(answer({ stop_reason: stop }), "answer");
    expect(conversation.messages[0]?.finish?.reason).toBe(reason);
    expect(encode(conversation, { to: "anthropic-messages", shape: "answer" }).value).toMatchObject({
      stop_reason: stop,
    });
  });

  test("keeps its container out of the next request", () => {
    const { conversation } = read(answer({ container: { id: "c" } }), "answer");
    expect(JSON.stringify(request(conversation).value)).not.toContain("container");
    expect(encode(conversation, { to: "anthropic-messages", shape: "answer" }).value).toMatchObject({
      container: { id: "c" },
    });
  });

  test("goes to a client of Chat, and its seal comes home with the next request", () => {
    const content = [
      { type: "thinking", thinking: "t", signature: "SIGNATURE" },
      { type: "text", text: "a" },
    ];
    const chat = convert(answer({ content }), { from: "anthropic-messages", to: "openai-chat", shape: "answer" }).value;
    const { messages } = decode(chat, { from: "openai-chat", shape: "answer" }).conversation;
    expect(JSON.stringify(request({ messages }).value)).toContain('"signature":"SIGNATURE"');
    expect(JSON.stringify(encode({ messages }, { to: "openai-chat", shape: "request" }).value)).not.toContain(
      "SIGNATURE",
    );
  });

  test("of another host has seals that go nowhere", () => {
    const content = [{ type: "thinking", thinking: "t", signature: "SIGNATURE" }];
    const { conversation } = read(answer({ content }), "answer", "compatible");
    expect(conversation.messages[0]?.parts[0]?.seal).toEqual({ values: { signature: "SIGNATURE" } });
    const host = encode(conversation, { to: "anthropic-messages", dialect: "compatible", shape: "request" });
    expect(host.value).toMatchObject({ messages: [{ content: [{ type: "thinking", thinking: "t" }] }] });
    expect(JSON.stringify([host.value, request(conversation).value])).not.toContain("SIGNATURE");
  });
});

test("a call of another provider's tool is no server tool of this one, whose ids it refuses", () => {
  const call: Part = {
    type: "tool-call",
    callId: "ws_1",
    name: "web_search",
    kind: "web-search",
    executedBy: "provider",
    input: {},
  };
  const result: Part = { type: "tool-result", callId: "ws_1", output: [] };
  const { value, losses } = request({ messages: [{ role: "assistant", parts: [call, result, text("a")] }] });
  expect(value).toMatchObject({ messages: [{ content: [{ type: "text" }] }] });
  expect(losses.map(({ code }) => code).filter(code => code === "foreign-call")).toHaveLength(2);
});

test("free text of a custom tool is the one member of an object, as its tool declares it", () => {
  const call: Part = { type: "tool-call", callId: "c", name: "f", kind: "custom", input: "x = 1" };
  expect(written([call])).toMatchObject([{ content: [{ input: { input: "x = 1" } }] }]);
  const { value } = request({ messages: [], tools: [{ name: "f", kind: "custom" }] });
  expect(value).toMatchObject({ tools: [{ input_schema: { required: ["input"] } }] });
});

describe("values are recognised", () => {
  test.each<[what: string, value: Json, shape: string]>([
    ["an answer", { type: "message", role: "assistant", content: [], stop_reason: null }, "answer"],
    ["an error", { type: "error", error: { type: "overloaded_error", message: "m" } }, "error"],
    ["an event", { type: "content_block_stop", index: 0 }, "stream"],
    ["a request", { model: "m", max_tokens: 1, system: "s", messages: [{ role: "user", content: "q" }] }, "request"],
    [
      "a message with a call",
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
      "message",
    ],
    ["messages", [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }], "messages"],
  ])("%s", (_, value, shape) => {
    const [surest] = anthropicMessages.sniff(value);
    expect([surest?.shape, (surest?.confidence ?? 0) > 0.8]).toEqual([shape, true]);
  });

  test.each<[what: string, value: Json]>([
    ["calls of Chat", [{ role: "assistant", tool_calls: [], content: "a" }]],
    ["an image of Chat", [{ role: "user", content: [{ type: "image_url", image_url: { url: "u" } }] }]],
    ["a message of Responses", { type: "message", role: "assistant", content: [] }],
    ["an error of Responses' stream", { type: "error", sequence_number: 1, error: { type: "t", message: "m" } }],
  ])("%s is none", (_, value) => expect(anthropicMessages.sniff(value)).toEqual([]));
});

test.each<[from: string, to: string]>([
  ["anthropic", "compatible"],
  ["compatible", "anthropic"],
])("containers and tokens of servers that %s was given do not go to %s, and go back", (from, to) => {
  const wire = {
    model: "m",
    max_tokens: 9,
    messages: [{ role: "user", content: "a" }],
    container: "container_x",
    mcp_servers: [{ type: "url", name: "s", url: "https://s.example", authorization_token: "t" }],
  };
  const { conversation } = read(wire, "request", from);
  expect(encode(conversation, { to: "anthropic-messages", dialect: from, shape: "request" }).value).toEqual(wire);
  const { value, losses } = encode(conversation, { to: "anthropic-messages", dialect: to, shape: "request" });
  expect(Object.keys(value as object)).toEqual(["model", "max_tokens", "messages"]); // a request
  expect(losses.filter(({ code }) => code.endsWith("foreign-state"))).toHaveLength(2);
});
