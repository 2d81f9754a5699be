import { type Conversation, decode, encode, type Json, type JsonObject, type Message, type Part } from "translogue";
import { describe, expect, test } from "vitest";
import { call, codes, format, forProvider, result, text, write } from "./openai-chat-values.ts";

describe("what the wire cannot say is a loss that names it", () => {
  const png = { type: "file", mediaType: "image/png", source: { data: "AAAA" } } as const;
  const searched: Part = { type: "tool-call", callId: "s", name: "web_search", executedBy: "provider", input: {} };
  test.each<[code: string, role: string, parts: readonly Part[], wire: Json]>([
    ["order", "assistant", [call("c", "f", {}), text("a")], { content: "a", tool_calls: [{ id: "c" }] }],
    ["split", "tool", [result("c", text("1")), result("d", text("2"))], { role: "tool", tool_call_id: "c" }],
    ["result-role", "user", [result("c", text("1"))], { role: "tool", content: "1" }],
    ["order", "user", [text("a"), result("c", text("1"))], { role: "tool", content: "1" }],
    ["outcome", "tool", [{ ...result("c", text("1")), outcome: "error" } as Part], { content: "1" }], // a failed result
    ["data", "tool", [result("c", { type: "data", data: { a: 1 } })], { content: '{"a":1}' }],
    ["error-text", "tool", [result("c", { type: "error", message: "m" })], { content: "m" }],
    [
      "source-text",
      "tool",
      [result("c", { type: "source", title: "t", url: "u", parts: [text("b")] })],
      { content: "t\nu\nb" },
    ],
    ["tool-media", "tool", [result("c", text("1"), png)], { content: "1" }],
    ["assistant-media", "assistant", [png, text("a")], { content: "a" }],
    ["server-tool", "assistant", [searched, result("s", text("1")), text("a")], { content: "a" }],
    ["compaction", "user", [{ type: "compaction", summary: [text("s")] }], { content: "s" }],
    ["reasoning", "assistant", [{ type: "reasoning", text: "r" }, text("a")], { content: "a" }],
    [
      "file-source",
      "user",
      [{ type: "file", mediaType: "application/pdf", source: { url: "https://u" } }, text("a")],
      { content: "a" },
    ],
    [
      "foreign-state",
      "user",
      [{ type: "file", source: { id: "file_1", provider: "anthropic" } }, text("a")],
      { content: "a" },
    ],
    ["text-file", "user", [{ type: "file", source: { text: "d" } }], { content: [{ type: "text", text: "d" }] }],
    [
      "tool-kind",
      "assistant",
      [{ type: "tool-call", callId: "c", name: "f", kind: "mcp", input: {} }],
      { tool_calls: [{ type: "function" }] },
    ],
    [
      "no-arguments",
      "assistant",
      [{ type: "tool-call", callId: "c", name: "f" }],
      { tool_calls: [{ function: { arguments: "{}" } }] },
    ],
    [
      "cache-ttl",
      "user",
      [{ type: "text", text: "a", cache: { ttl: "1h" } }],
      { content: [{ prompt_cache_breakpoint: { mode: "explicit" } }] },
    ],
    ["data", "user", [{ type: "data", name: "n", data: 1 }, text("a")], { content: "a" }],
  ])("%s of a message of %s", (code, role, said, wire) => {
    const { value, losses } = forProvider([{ role, parts: said }], "openai");
    expect(value).toMatchObject({
      messages: expect.arrayContaining([expect.objectContaining({ role: expect.any(String) })]),
    });
    expect((value as { messages: Json[] }).messages[0]).toMatchObject(wire as object); // a request
    expect(codes(losses)).toContain(code);
  });

  const asked = (more: Partial<Conversation>): Conversation => ({ messages: [], ...more });
  const said = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "assistant", parts }] });
  const heard = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "user", parts }] });
  const heardBy = (author: Message["author"] & object, ...parts: readonly Part[]): Conversation => ({
    messages: [{ role: "user", author, parts }],
  });
  const told = (head: Partial<Message>): Conversation => ({
    messages: [{ role: "assistant", parts: [text("a")], ...head }],
  });
  const seal = { maker: "google", values: { thoughtSignature: "s" } } as const;
  const thought: Part = { type: "reasoning", text: "r" };
  type Options = Partial<Parameters<typeof encode>[1] & object>;
  const deepseek: Options = { shape: "request", dialect: "deepseek" };
  const whole: Options = { shape: "answer" };

  test.each<[code: string, conversation: Conversation, options: Options]>([
    ["file-member", heard({ ...png, name: "n" }), {}],
    ["media-type", heard({ ...png, source: { url: "https://u" } }), {}],
    ["custom-input", said({ type: "tool-call", callId: "c", name: "f", kind: "custom", input: { a: 1 } }), {}],
    ["empty-text", said(text("")), {}],
    ["reasoning-joined", said(thought, thought), deepseek],
    [
      "reasoning-piece",
      said(
        { type: "opaque", family: "openai-chat", value: {}, native: { [format]: { $place: "details" } } },
        { type: "reasoning" },
        thought,
      ),
      deepseek,
    ],
    ["no-error", said(text("a")), { shape: "error" }],
    ["message-id", told({ id: "m" }), whole],
    [
      "head",
      {
        messages: [
          { role: "assistant", model: "x", parts: [] },
          { role: "assistant", parts: [] },
        ],
      },
      whole,
    ],
    ["author", told({ author: { id: "i", name: "n" } }), {}],
    ["result-author", { messages: [{ role: "tool", author: { name: "n" }, parts: [result("c")] }] }, {}],
    ["result-author", heardBy({ name: "n" }, result("c", text("1"))), {}],
    ["no-content", heard(), {}],
    ["no-result", { messages: [{ role: "tool", parts: [] }] }, {}],
    ["misplaced", heard(call("c", "f", {})), {}],
    [
      "audio-by-id",
      said({ type: "file", mediaType: "audio/*", id: "au", source: { data: "AA" } }),
      { shape: "request" },
    ],
    ["no-output", { messages: [{ role: "tool", parts: [{ type: "tool-result", callId: "c" }] }] }, {}],
    ["part-seal", heard({ type: "text", text: "a", seal }), {}],
    ["seal-place", said({ type: "text", text: "a", seal }, call("c", "f", {})), {}],
    ["hidden-compaction", heard({ type: "compaction" }, text("a")), {}],
    [
      "open",
      { messages: [{ role: "assistant", parts: [text("a")], finish: { reason: "incomplete" } }] },
      { shape: "stream" },
    ],
    ["no-finish", told({}), whole],
    ["finish", told({ finish: { reason: "pause" } }), whole],
    ["time", told({ createdAt: "2025-01-01T00:00:00.123Z" }), whole],
    ["usage", told({ usage: { input: 1, output: 1, cost: { amount: 1, currency: "EUR" } } }), whole],
    ["setting", asked({ settings: { reasoning: { summary: "auto" } } }), { shape: "request" }],
    ["format-name", asked({ settings: { responseFormat: { type: "json", schema: {} } } }), { shape: "request" }],
    ["host-tool", asked({ tools: [{ name: "w", kind: "web-search" }] }), { shape: "request" }],
    ["custom-schema", asked({ tools: [{ name: "f", kind: "custom", input: {} }] }), { shape: "request" }],
    ["tool-cache", asked({ tools: [{ name: "f", cache: {} }] }), { shape: "request" }],
    ["control", { messages: [{ role: "control", parts: [text("a")] }] }, {}],
    ["refusal", heard({ type: "refusal", text: "no" }), {}],
    ["developer", { messages: [{ role: "developer", parts: [text("a")] }] }, deepseek],
  ])("%s", (code, conversation, options) => {
    const { losses } = write(conversation, options);
    expect(codes(losses)).toContain(code);
    for (const loss of losses) expect(["messages", "tools", "settings"]).toContain(loss.path[0]);
  });

  test("and travels in the message's member `translogue` where it is stored", () => {
    const messages: Message[] = [
      { role: "user", id: "u", parts: [{ type: "data", name: "n", data: 1 }, text("a")], metadata: { x: 1 } },
      { role: "tool", parts: [result("c", text("1")), result("d", { type: "data", data: 2 })] },
    ];
    const { value, losses } = write({ messages }, { recipient: "store", carry: true });
    expect(decode(value, { from: format, shape: "messages" }).conversation.messages).toEqual(messages);
    expect(losses.every(({ carried }) => carried)).toBe(true);
  });

  test.each<[dialect: string, settings: JsonObject]>([
    ["openai", { max_completion_tokens: 9, reasoning_effort: "low" }],
    ["deepseek", { max_tokens: 9, reasoning_effort: "low" }],
    ["openrouter", { max_tokens: 9, reasoning: { effort: "low", max_tokens: 3 }, top_k: 4 }],
  ])("%s is asked in its own words", (dialect, settings) => {
    const asked: Conversation = {
      messages: [{ role: "developer", parts: [text("d")] }],
      settings: { maxOutputTokens: 9, topK: 4, reasoning: { effort: "low", budget: 3 } },
    };
    const { value } = encode(asked, { to: format, shape: "request", dialect });
    const role = dialect === "deepseek" ? "system" : "developer";
    expect(value).toEqual({ messages: [{ role, content: "d" }], ...settings });
  });
});
