import { decode, type Json, type JsonObject, type Message, type Part, type Seal } from "translogue";
import { describe, expect, test } from "vitest";
import { call, codes, comesBack, format, forProvider, parts, plain, read, text, write } from "./openai-chat-values.ts";

const signed = (maker: string, values: { readonly [name: string]: string }, more: Partial<Seal> = {}): Seal => ({
  maker,
  values,
  ...more,
});
const opened = { route: "openrouter" };

describe("a request", () => {
  test.each<[name: string, wire: JsonObject, meaning: JsonObject]>([
    [
      "sampling",
      { temperature: 0.5, top_p: 1, seed: 1, parallel_tool_calls: false },
      { settings: { temperature: 0.5, topP: 1, seed: 1, parallelToolCalls: false } },
    ],
    ["the limit", { max_completion_tokens: 5 }, { settings: { maxOutputTokens: 5 } }],
    ["the limit by its old name", { max_tokens: 5 }, { settings: { maxOutputTokens: 5 } }],
    [
      "both limits",
      { max_tokens: 5, max_completion_tokens: 6 },
      { settings: { maxOutputTokens: 6 }, native: { [format]: { max_tokens: 5 } } },
    ],
    ["stop as a string", { stop: "x" }, { settings: { stopSequences: ["x"] } }],
    ["stop as a list", { stop: ["x", "y"] }, { settings: { stopSequences: ["x", "y"] } }],
    [
      "penalties",
      { frequency_penalty: 0.5, presence_penalty: -1 },
      { settings: { frequencyPenalty: 0.5, presencePenalty: -1 } },
    ],
    ["effort", { reasoning_effort: "low" }, { settings: { reasoning: { effort: "low" } } }],
    [
      "OpenRouter's reasoning",
      { reasoning: { effort: "low", max_tokens: 9, exclude: true } },
      { settings: { reasoning: { effort: "low", budget: 9 } }, native: { [format]: { reasoning: { exclude: true } } } },
    ],
    ["any JSON", { response_format: { type: "json_object" } }, { settings: { responseFormat: { type: "json" } } }],
    [
      "JSON of a schema",
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "n", schema: {}, strict: true, description: "d" },
        },
      },
      {
        settings: { responseFormat: { type: "json", name: "n", description: "d", schema: {}, strict: true } },
      },
    ],
    [
      "a grammar of the host",
      { response_format: { type: "grammar" } },
      { native: { [format]: { response_format: { type: "grammar" } } } },
    ],
    [
      "one tool",
      { tool_choice: { type: "function", function: { name: "f" } } },
      { settings: { toolChoice: { name: "f" } } },
    ],
    [
      "some tools",
      {
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
        },
      },
      { settings: { toolChoice: { allowed: ["f"], required: true } } },
    ],
    ["any tool, as some hosts say it", { tool_choice: "any" }, { settings: { toolChoice: "required" } }],
    [
      "a tool",
      { tools: [{ type: "function", function: { name: "f", description: "d", parameters: {}, strict: true } }] },
      { tools: [{ name: "f", description: "d", input: {}, strict: true }] },
    ],
    [
      "a custom tool",
      { tools: [{ type: "custom", custom: { name: "f", format: { type: "text" } } }] },
      { tools: [{ name: "f", kind: "custom", native: { [format]: { custom: { format: { type: "text" } } } } }] },
    ],
    [
      "a tool of the host",
      { tools: [{ type: "web_search", x: 1 }, { type: "web_search" }] },
      {
        tools: [
          { name: "web_search", kind: "web-search", native: { [format]: { type: "web_search", x: 1 } } },
          { name: "web_search:2", kind: "web-search", native: { [format]: { type: "web_search" } } },
        ],
      },
    ],
    [
      "functions of the old form",
      { functions: [{ name: "f" }], function_call: { name: "f" } },
      { tools: [{ name: "f" }], settings: { toolChoice: { name: "f" } } },
    ],
    ["no tools", { tools: [] }, { tools: [] }],
    [
      "everything else",
      { stream: true, n: 1, stop: null, tools: [5], $x: 1, ["__proto__"]: 1 },
      { native: { [format]: { stream: true, n: 1, stop: null, tools: [5], ["__proto__"]: 1 } } },
    ],
  ])("%s", (_, wire, meaning) => {
    const value = { model: "m", messages: [{ role: "user", content: "a" }], ...wire };
    const { messages, model, ...rest } = comesBack(value, "request");
    expect([messages.length, model]).toEqual([1, "m"]);
    expect(plain(rest)).toEqual(meaning);
  });

  test.each([[{ model: "m" }], [{ messages: null }], [{ messages: 5, model: 5 }], [{ messages: {}, tools: {} }], [{}]])(
    "of wrong types is kept, and said to be wrong: %j",
    wire => {
      comesBack(wire, "request");
      expect(decode(wire, { from: format, shape: "request" }).issues).not.toEqual([]);
    },
  );

  test.each([null, 5, "x", []])("is an object, not %j", wire => {
    expect(() => decode(wire, { from: format, shape: "request" })).toThrow(
      expect.objectContaining({ code: "decode/not-this-format" }),
    );
  });
});

describe("reasoning", () => {
  const detail = (type: string, more: JsonObject): JsonObject => ({ type: `reasoning.${type}`, ...more });
  test.each<[name: string, wire: JsonObject, read: readonly object[]]>([
    ["as reasoning_content", { reasoning_content: "r" }, [{ text: "r" }]],
    ["as reasoning", { reasoning: "r" }, [{ text: "r" }]],
    ["as reasoning_text", { reasoning_text: "r" }, [{ text: "r" }]],
    ["under two names", { reasoning: "r", reasoning_content: "r" }, [{ text: "r" }]],
    ["none, said so", { reasoning: null, reasoning_content: "", reasoning_details: [] }, []],
    [
      "in details, and again as text",
      { reasoning: "rs", reasoning_details: [detail("text", { text: "r" }), detail("text", { text: "s" })] },
      [{ text: "r" }, { text: "s" }],
    ],
    [
      "signed by Anthropic",
      { reasoning_details: [detail("text", { text: "r", signature: "S", format: "anthropic-claude-v1", index: 0 })] },
      [{ text: "r", seal: signed("anthropic", { signature: "S" }, opened), native: { [format]: { index: 0 } } }],
    ],
    [
      "hidden by OpenAI, with its item id",
      {
        reasoning_details: [
          detail("summary", { summary: "s", format: "openai-responses-v1" }),
          detail("encrypted", { data: "E", id: "rs_1", format: "openai-responses-v1" }),
        ],
      },
      [
        { text: "s", summary: true, native: { [format]: { format: "openai-responses-v1" } } },
        { seal: signed("openai", { encrypted_content: "E", id: "rs_1" }, opened) },
      ],
    ],
    [
      "signed by Google",
      { reasoning_details: [detail("encrypted", { data: "G", id: "tool_1", format: "google-gemini-v1" })] },
      [{ id: "tool_1", seal: signed("google", { thoughtSignature: "G" }, opened) }],
    ],
    [
      "sealed by nobody known",
      { reasoning_details: [detail("text", { text: "r", signature: "S" })] },
      [{ text: "r", seal: { route: "openrouter", values: { signature: "S" } } }],
    ],
    [
      "as parts of the content",
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "r" }] },
          { type: "thinking", thinking: "q", signature: "S" },
          { type: "text", text: "a" },
        ],
      },
      [{ text: "r" }, { text: "q", seal: signed("anthropic", { signature: "S" }) }],
    ],
  ])("%s", (_, wire, expected) => {
    const message = { role: "assistant", content: "a", ...wire };
    const [{ parts: all } = { parts: [] }] = read(message);
    expect(all.filter(({ type }) => type === "reasoning").map(plain)).toEqual(
      expected.map(part => ({ type: "reasoning", ...part })),
    );
    comesBack([message], "messages");
  });

  test.each<[wire: JsonObject, dialect: string]>([
    [{ reasoning_content: "r" }, "deepseek"],
    [{ reasoning: "r" }, "vllm"],
    [{ reasoning: "r", reasoning_details: [detail("text", { text: "r", signature: "S", index: 0 })] }, "openrouter"],
    [
      { tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" }, extra_content: {} }] },
      "gemini",
    ],
  ])("%j goes back to a host that takes it", (wire, dialect) => {
    const value = { model: "m", messages: [{ role: "assistant", content: null, ...wire }] };
    expect(decode(value, format).dialect).toBe(dialect);
    comesBack(value, "request");
  });

  test.each<[dialect: string, message: JsonObject]>([
    ["openai", {}],
    ["deepseek", { reasoning_content: "r\n\ns" }],
    ["groq", { reasoning: "r\n\ns" }],
    [
      "openrouter",
      {
        reasoning: "rs",
        reasoning_details: [
          { type: "reasoning.text", text: "r" },
          { type: "reasoning.text", text: "s", signature: "O", format: "anthropic-claude-v1" },
        ],
      },
    ],
  ])("%s gets of foreign reasoning what it takes", (dialect, wanted) => {
    const thought: Part[] = [
      { type: "reasoning", text: "r", seal: signed("anthropic", { signature: "S" }) },
      { type: "reasoning", text: "s", seal: signed("anthropic", { signature: "O" }, opened) },
    ];
    const { value, losses } = forProvider([{ role: "assistant", parts: [...thought, text("a")] }], dialect);
    expect(value).toEqual({ messages: [{ role: "assistant", content: "a", ...wanted }] });
    expect(codes(losses)).toContain("foreign-seal");
    expect(codes(losses).includes("reasoning")).toBe(dialect === "openai");
  });

  test.each<[name: string, seal: Seal]>([
    ["of Anthropic itself", signed("anthropic", { signature: "S" })],
    ["of one model on one route", signed("google", { thoughtSignature: "S" }, { model: "m", route: "vertex" })],
    ["with values of their own names", { values: { a: "1", b: "2" } }],
    ["of OpenAI, two in one", signed("openai", { id: "rs_1", encrypted_content: "E" })],
  ])("a client brings home the seal %s, on any part", (_, seal) => {
    const messages: Message[] = [
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "r", seal },
          { type: "reasoning", seal },
          { ...call("c", "f", {}), seal } as Part,
        ],
      }, // a call with a seal
      { role: "assistant", parts: [{ type: "text", text: "a", seal }] },
    ];
    const { value, losses } = write({ messages }, { recipient: "client" });
    expect(losses).toEqual([]);
    expect(plain(read(...(value as Json[])))).toEqual(messages); // a list of messages
  });

  test("the signature of a whole message is on its first call, else its last text, else an empty text (R13)", () => {
    const extra = { extra_content: { google: { thought_signature: "s" } }, thought_signature: "s" };
    const seal = signed("google", { thoughtSignature: "s" });
    const tool_calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
    expect(parts({ role: "assistant", content: "a", tool_calls, ...extra })).toEqual([
      text("a"),
      { ...call("c", "f", {}), seal },
    ]);
    expect(parts({ role: "assistant", content: "a", ...extra })).toEqual([{ ...text("a"), seal }]);
    expect(parts({ role: "assistant", content: null, ...extra })).toEqual([{ ...text(""), seal }]);
    for (const more of [{ content: "a", tool_calls }, { content: "a" }, { content: null }]) {
      const { messages } = comesBack([{ role: "assistant", ...more, ...extra }], "messages");
      expect(forProvider(messages, "gemini").value).toEqual({ messages: [{ role: "assistant", ...more, ...extra }] });
    }
  });
});
