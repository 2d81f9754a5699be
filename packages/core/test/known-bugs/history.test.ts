import { decode, encode, type FormatId, type Json, type JsonObject } from "translogue";
import { describe, expect, test } from "vitest";
import { all, anthropic, ask, block, called, png, read, request, to, transcoded } from "./wire.ts";

describe("what must go back", () => {
  test.each<[report: string, body: Json, format: FormatId]>([
    [
      "results of a provider's tools, sealed or not (vercel/ai 13046)",
      ask([
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "srvtoolu_1", name: "code_execution", input: { code: "1" } },
            {
              type: "code_execution_tool_result",
              tool_use_id: "srvtoolu_1",
              content: {
                type: "encrypted_code_execution_result",
                encrypted_stdout: "E",
                stderr: "",
                return_code: 0,
                content: [],
              },
            },
          ],
        },
      ]),
      "anthropic-messages",
    ],
    [
      "citations of a search (vercel/ai 17379)",
      ask([
        {
          role: "assistant",
          content: [
            {
              type: "text",
              text: "x",
              citations: [
                { type: "web_search_result_location", url: "u", title: "t", encrypted_index: "I", cited_text: "c" },
              ],
            },
          ],
        },
      ]),
      "anthropic-messages",
    ],
    [
      "a compaction from before, as an item (codex2api 347)",
      {
        model: "m",
        input: [
          { type: "compaction", encrypted_content: "E" },
          { role: "user", content: "go" },
        ],
      },
      "openai-responses",
    ],
    [
      "what the system says in the middle (litellm 36559, mlx-serve 365)",
      ask([
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
        { role: "user", content: "c" },
        { role: "system", content: "new rule" },
      ]),
      "anthropic-messages",
    ],
  ])("goes back as it came: %s", (_, body, format) => {
    expect(to(body, format, format).wire).toEqual(body);
  });

  test("what the system says in the middle stays there where there is no such role (litellm 36559)", () => {
    const messages = ["a", "b", "rule", "c"].map((content, index) => ({
      role: ["user", "assistant", "system", "user"][index] ?? "user",
      content,
    }));
    const { wire, codes } = to({ model: "m", messages }, "openai-chat", "gemini");
    expect(all(wire, "text")).toEqual(["a", "b", "rule", "c"]);
    expect(codes).toContain("role");
  });

  test("survives that a message is appended (llm-bridge 2.0.1)", () => {
    const input: Json[] = [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" },
      { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}" },
    ];
    const { conversation } = decode({ model: "m", input }, { from: "openai-responses", ...request });
    const messages = [...conversation.messages, { role: "user", parts: [{ type: "text", text: "next" }] } as const];
    const { value } = encode({ ...conversation, messages }, { to: "openai-responses", ...request });
    const written = (value as { input: Json[] }).input; // a request
    expect(written.slice(0, 2)).toEqual(input);
    expect(written).toHaveLength(3);
  });

  test("has its calls and results, not its texts alone (n8n 14361, mastra 6767)", () => {
    const turn: Json = [
      { type: "human", content: "q" },
      { type: "ai", content: "", tool_calls: [{ id: "c", name: "f", args: {}, type: "tool_call" }] },
      { type: "tool", content: "1", tool_call_id: "c" },
      { type: "ai", content: "a" },
    ];
    const { wire } = to(turn, "langchain", "ai-sdk-model", { as: "messages" });
    expect(all(wire, "role")).toEqual(["user", "assistant", "tool", "assistant"]);
    const parts: Json = [
      {
        type: "tool-invocation",
        toolInvocation: { state: "result", toolCallId: "c", toolName: "f", args: {}, result: 1 },
      },
      { type: "text", text: "a" },
    ];
    const old = to([{ id: "1", role: "assistant", content: "a", parts }], "ai-sdk-ui", "ai-sdk-model", {
      dialect: "v4",
      as: "messages",
    });
    expect(all(old.wire, "type").filter(type => /^(tool-|text$)/.test(String(type)))).toEqual([
      "tool-call",
      "tool-result",
      "text",
    ]);
  });

  test("is nothing where nothing was said (n8n 14812)", () => {
    const { wire, codes } = to([{ type: "ai" }], "langchain", "anthropic-messages", { as: "request" });
    expect(wire).toMatchObject({ messages: [] });
    expect(codes).toContain("empty-message");
  });
});

describe("counts and ends", () => {
  test.each([
    ["litellm 11789", { input_tokens: 4, cache_read_input_tokens: 2455, output_tokens: 1 }, [2459, 2455]],
    ["any-llm 622", { input_tokens: 10, cache_read_input_tokens: 5000, output_tokens: 1 }, [5010, 5000]],
  ])("count what the cache gave (%s)", (_, usage, [prompt, cached]) => {
    const wire = anthropic([block({ type: "text", text: "" }, { type: "text_delta", text: "a" })], { usage });
    const chunks = transcoded(wire, "anthropic-messages", "openai-chat") as Json; // a list of chunks
    expect(all(chunks, "prompt_tokens").at(-1)).toBe(prompt);
    expect(all(chunks, "cached_tokens").at(-1)).toBe(cached);
    expect(all(chunks, "completion_tokens").at(-1)).toBe(30);
  });

  const counts = (input: number | null, cached: number | null, written: number | null): JsonObject => ({
    input_tokens: input,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
  });
  const first = counts(9, 5, 2);
  test.each<[how: string, begun: JsonObject, told: JsonObject]>([
    ["at the beginning alone", first, {}],
    ["twice", first, first],
    ["and then as nothing", first, counts(null, null, null)],
    ["and then as none", first, counts(0, 0, 0)],
    ["at the end alone", counts(0, 0, 0), first],
  ])("are sums, once, where a host tells them %s (envoyproxy/ai-gateway 2236, langchainjs 10250)", (_, begun, told) => {
    const wire = anthropic([], { usage: { ...begun, output_tokens: 1 }, told: { ...told, output_tokens: 30 } });
    expect(read(wire, "anthropic-messages")[0]?.usage).toEqual({ input: 9, cacheRead: 5, cacheWrite: 2, output: 30 });
  });

  test("an answer that calls tools ends for them, whatever its host says (litellm 10485, OpenRouter 288)", () => {
    const parts: Json = [{ functionCall: { name: "f", args: {} } }];
    const candidate: Json = { candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts } }] };
    expect(all(to(candidate, "gemini", "openai-chat", { shape: "answer" }).wire, "finish_reason")).toEqual([
      "tool_calls",
    ]);
    const choice: Json = {
      index: 0,
      finish_reason: "stop",
      message: { role: "assistant", content: null, tool_calls: [called("c")] },
    };
    const { conversation } = decode(
      { id: "x", object: "chat.completion", created: 1, model: "m", choices: [choice] },
      { from: "openai-chat" },
    );
    expect(conversation.messages[0]?.finish).toEqual({ reason: "tool-calls", raw: "stop" });
  });

  test("a filtered answer does not end well (litellm 40861)", () => {
    const choice: Json = { index: 0, finish_reason: "content_filter", message: { role: "assistant", content: "" } };
    const answer: Json = { id: "x", object: "chat.completion", created: 1, model: "m", choices: [choice] };
    expect(all(to(answer, "openai-chat", "anthropic-messages", { shape: "answer" }).wire, "stop_reason")).toEqual([
      "refusal",
    ]);
  });
});

describe("pictures that tools return", () => {
  const image: Json = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
  const inChat = ask([
    { role: "assistant", tool_calls: [called("t")] },
    {
      role: "tool",
      tool_call_id: "t",
      content: [
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
  ]);
  const inResponses: Json = {
    model: "m",
    input: [
      { type: "function_call", call_id: "t", name: "f", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: "t",
        output: [
          { type: "input_text", text: "x" },
          { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" },
        ],
      },
    ],
  };

  test.each<[report: string, value: Json, from: FormatId]>([
    ["litellm 6953", inChat, "openai-chat"],
    ["command-code 902", inResponses, "openai-responses"],
  ])("stay pictures (%s)", (_, value, from) => {
    const { wire } = to(value, from, "anthropic-messages");
    expect(all(wire, "content").at(-1)).toEqual([{ type: "text", text: "x" }, image]);
  });

  test("are a loss where there is no place for them, and never text (vercel/ai 21174)", () => {
    const messages: Json = [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "t", toolName: "f", input: {} }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "t",
            toolName: "f",
            output: { type: "content", value: [{ type: "media", mediaType: "image/png", data: png }] },
          },
        ],
      },
    ];
    const { wire, codes } = to(messages, "ai-sdk-model", "openai-chat", { as: "request", toDialect: "deepseek" });
    expect(JSON.stringify(wire)).not.toContain(png);
    expect(codes).toContain("tool-media");
  });
});
