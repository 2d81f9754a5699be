import { decode, type Json, type JsonObject, type Message, type Part } from "translogue";
import { describe, expect, test } from "vitest";
import { answer, call, codes, comesBack, format, plain, result, text, write } from "./openai-chat-values.ts";

describe("an answer", () => {
  test("says on its message who answered, when, and how it ended", () => {
    const [message] = comesBack(
      answer({ content: "a", refusal: null }, { service_tier: "default" }, { logprobs: null }),
      "answer",
    ).messages;
    expect(plain(message)).toEqual({
      role: "assistant",
      responseId: "chatcmpl-1",
      model: "m",
      createdAt: "2025-11-30T10:53:20Z",
      finish: { reason: "stop" },
      parts: [text("a")],
      native: { [format]: { refusal: null, choice: { logprobs: null }, completion: { service_tier: "default" } } },
    });
  });

  const called = {
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
  };
  test.each<[raw: Json, message: JsonObject, finish: JsonObject | undefined]>([
    ["stop", { content: "a" }, { reason: "stop" }],
    ["length", { content: "a" }, { reason: "length" }],
    ["content_filter", { content: "a" }, { reason: "content-filter" }],
    ["tool_calls", called, { reason: "tool-calls" }],
    ["stop", called, { reason: "tool-calls", raw: "stop" }],
    [
      "function_call",
      { content: null, function_call: { name: "f", arguments: "{}" } },
      { reason: "tool-calls", raw: "function_call" },
    ],
    ["stop", { content: null, refusal: "no" }, { reason: "refusal" }],
    ["eos", { content: "a" }, { reason: "stop", raw: "eos" }],
    ["model_length", { content: "a" }, { reason: "context", raw: "model_length" }],
    ["network_error", { content: "a" }, { reason: "error", raw: "network_error" }],
    ["whim", { content: "a" }, { reason: "other", raw: "whim" }],
    ["", { content: "a" }, undefined],
    [null, { content: "a" }, undefined],
  ])("that ends with %j after %j", (raw, message, finish) => {
    expect(comesBack(answer(message, {}, { finish_reason: raw }), "answer").messages[0]?.finish).toEqual(finish);
  });

  test.each<[host: string, wire: JsonObject, usage: JsonObject]>([
    [
      "OpenAI",
      {
        prompt_tokens: 20,
        completion_tokens: 30,
        total_tokens: 50,
        prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 2, audio_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 10 },
      },
      { input: 10, cacheRead: 8, cacheWrite: 2, output: 20, reasoning: 10, modalities: { "input.audio": 3 } },
    ],
    [
      "xAI: reasoning beside",
      {
        prompt_tokens: 12,
        completion_tokens: 2,
        total_tokens: 334,
        completion_tokens_details: { reasoning_tokens: 320 },
      },
      { input: 12, output: 2, reasoning: 320 },
    ],
    [
      "Gemini: thoughts in the total only",
      { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 },
      { input: 35, output: 12, other: 62 },
    ],
    [
      "Portkey: the cache beside",
      { prompt_tokens: 4, completion_tokens: 1, total_tokens: 25, prompt_tokens_details: { cached_tokens: 20 } },
      { input: 4, cacheRead: 20, output: 1 },
    ],
    [
      "DeepSeek: hits and misses",
      {
        prompt_tokens: 10,
        completion_tokens: 1,
        total_tokens: 11,
        prompt_cache_hit_tokens: 6,
        prompt_cache_miss_tokens: 4,
      },
      { input: 4, cacheRead: 6, output: 1 },
    ],
    [
      "Moonshot: hits at the top",
      { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, cached_tokens: 6 },
      { input: 4, cacheRead: 6, output: 1 },
    ],
    [
      "OpenRouter: with a price",
      { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 0.5, is_byok: false },
      { input: 1, output: 1, cost: { amount: 0.5, currency: "USD" } },
    ],
    [
      "nulls for details",
      { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, prompt_tokens_details: null },
      { input: 1, output: 1 },
    ],
  ])("with the counts of %s", (_, wire, usage) => {
    expect(comesBack(answer({ content: "a" }, { usage: wire }), "answer").messages[0]?.usage).toEqual(usage);
  });

  test("whose total holds more than its counts says so", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 9 };
    const { losses } = decode(answer({ content: "a" }, { usage }), { from: format, shape: "answer" });
    expect(losses).toMatchObject([
      { kind: "approximated", code: "usage-other", path: ["messages", 0, "usage", "other"] },
    ]);
  });

  test.each([
    [{ prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 20 } }, true],
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 6 } },
      true,
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 35, prompt_tokens_details: { cached_tokens: 20 } },
      false,
    ],
    [
      {
        prompt_tokens: 12,
        completion_tokens: 2,
        total_tokens: 334,
        completion_tokens_details: { reasoning_tokens: 320 },
      },
      false,
    ],
  ])("whose parts are more than their count says so, unless the total does (R24): %j", (usage, isReported) => {
    const { issues } = decode(answer({ content: "a" }, { usage }), { from: format, shape: "answer" });
    expect(issues.map(({ code }) => code)).toEqual(isReported ? ["usage-parts"] : []);
  });

  test("with citations, which count in its text, and other annotations at their places", () => {
    const url_citation = { start_index: 0, end_index: 1, title: "t", url: "u" };
    const annotations = [{ type: "file", file: {} }, { type: "url_citation", url_citation }, { type: "x" }];
    const [message] = comesBack(answer({ content: "ab", annotations }), "answer").messages;
    expect(plain(message?.parts[0])).toEqual({
      ...text("ab"),
      citations: [{ url: "u", title: "t", start: 0, end: 1 }],
    });
    const joined: Message = {
      role: "assistant",
      finish: { reason: "stop" },
      parts: [text("12"), ...(message?.parts.slice(0, 1) ?? [])],
    };
    const { value, losses } = write({ messages: [joined] }, { shape: "answer" });
    expect(value).toMatchObject({
      choices: [{ message: { content: "12ab", annotations: [{ url_citation: { start_index: 2, end_index: 3 } }] } }],
    });
    expect(codes(losses)).toEqual(["citations", "text-joined", "no-envelope"]);
  });

  test("joined of several texts has the citations of each under its own words", () => {
    const cited = (words: string, url: string): Part => ({ type: "text", text: words, citations: [{ url }] });
    const parts = [text("See: "), cited("grass", "https://a"), text(", "), cited("sky", "https://b")];
    const { value } = write({ messages: [{ role: "assistant", parts }] }, { shape: "answer" });
    const under = (url: string, start_index: number, end_index: number): JsonObject => ({
      type: "url_citation",
      url_citation: { url, start_index, end_index },
    });
    expect(value).toMatchObject({
      choices: [
        {
          message: { content: "See: grass, sky", annotations: [under("https://a", 5, 10), under("https://b", 12, 15)] },
        },
      ],
    });
  });

  test("of several choices is siblings, with the answer's usage once (R16)", () => {
    const choices = ["a", "b"].map((content, index) => ({
      index,
      message: { role: "assistant", content },
      finish_reason: "stop",
    }));
    const { messages, head } = comesBack(
      { ...answer({}), choices, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
      "answer",
    );
    expect(messages.map(({ id, parent, usage }) => [id, parent, usage !== undefined])).toEqual([
      ["~chatcmpl-1:0", null, false],
      ["~chatcmpl-1:1", null, true],
    ]);
    expect(head).toBe("~chatcmpl-1:0");
  });

  test.each<[name: string, wire: JsonObject]>([
    ["no choices", { id: "x", object: "chat.completion", created: 1, model: "m", choices: [] }],
    ["nothing", { choices: null }],
    ["choices that are none", { ...answer({}), choices: [null, { index: 7 }, { message: 5, finish_reason: 5 }] }],
    [
      "members of our own names",
      answer({ content: "a", choice: 1, completion: 2, usage: 3, $content: "list", ["__proto__"]: 4 }),
    ],
    [
      "a body of odd types",
      {
        ...answer({ content: "a", tool_calls: {}, annotations: 5, refusal: 1 }),
        id: 5,
        created: 1.5,
        model: null,
        usage: [],
      },
    ],
  ])("of %s comes back", (_, wire) => void comesBack(wire, "answer"));

  test("that failed halfway has its error at its end", () => {
    const wire = answer(
      { content: "a" },
      { error: { message: "bad", code: 502, metadata: { x: 1 } } },
      { finish_reason: "error" },
    );
    const [message] = comesBack(wire, "answer").messages;
    expect(message?.finish).toEqual({ reason: "error" });
    expect(message?.parts.at(-1)).toEqual({ type: "error", message: "bad", code: "502" });
  });

  test("is what the assistant said last, joined, and the rest is reported", () => {
    const messages: Message[] = [
      { role: "user", parts: [text("q")] },
      { role: "assistant", parts: [text("a"), call("c", "f", {})] },
      { role: "tool", parts: [result("c", text("r"))] },
      { role: "assistant", parts: [text("b")], finish: { reason: "stop" } },
    ];
    const { value, losses } = write({ messages }, { shape: "answer" });
    expect(value).toMatchObject({ choices: [{ message: { content: "ab", tool_calls: [{ id: "c" }] } }] });
    expect(codes(losses)).toEqual([
      "not-the-answer",
      "messages-joined",
      "order",
      "text-joined",
      "finish",
      "no-envelope",
    ]);
  });
});

describe("an error body", () => {
  test.each<[name: string, wire: JsonObject, part: JsonObject]>([
    ["OpenAI's", { error: { message: "m", type: "t", param: null, code: "c" } }, { message: "m", code: "c" }],
    ["with a number for a code", { error: { message: "m", code: 429 }, user_id: "u" }, { message: "m", code: "429" }],
    ["of a text alone", { error: "m" }, { message: "m" }],
    ["without its wrapper", { object: "error", message: "m", type: "t", code: 400 }, { message: "m", code: "400" }],
    ["of another shape", { error: { x: 1 } }, { message: '{"x":1}' }],
  ])("%s", (_, wire, part) => {
    const [message] = comesBack(wire, "error").messages;
    expect(plain(message?.parts)).toMatchObject([{ type: "error", ...part }]);
    expect(message?.finish).toEqual({ reason: "error" });
  });

  test("is written with all four members of OpenAI's", () => {
    const failed: Message = { role: "assistant", parts: [text("a"), { type: "error", message: "m", code: "c" }] };
    const { value, losses } = write({ messages: [failed] }, { shape: "error" });
    expect(value).toEqual({ error: { message: "m", type: null, param: null, code: "c" } });
    expect(codes(losses)).toEqual(["not-the-error"]);
  });
});
