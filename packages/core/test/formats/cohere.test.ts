import type { Conversation, Json, JsonObject, Message, Settings } from "translogue";
import { cohere } from "translogue/cohere";
import { decode, encode } from "translogue/convert";
import { openaiChat } from "translogue/openai-chat";
import { describe, expect, test } from "vitest";

const read = (value: Json, shape?: "messages" | "answer" | "request" | "error") =>
  decode(cohere, value, { ...(shape && { shape }) });
const history = (...list: readonly Json[]): readonly Message[] => read(list, "messages").conversation.messages;
const written = (conversation: Conversation, shape: "messages" | "request" | "answer" = "messages"): Json =>
  encode(cohere, conversation, { shape, recipient: "store", carry: false }).value;
const again = (value: Json, shape: "messages" | "answer" | "request"): Json =>
  written(read(value, shape).conversation, shape);
const document = (data: Json, more: JsonObject = {}): JsonObject => ({ type: "document", document: { data, ...more } });
const answerOf = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: "a",
  message: { role: "assistant", ...message },
  finish_reason: "COMPLETE",
  ...more,
});
const cited = (words: string, ...citations: readonly JsonObject[]): JsonObject =>
  answerOf({ content: [{ type: "text", text: words }], citations });
const citationsOf = (value: JsonObject) => {
  const [part] = read(value, "answer").conversation.messages[0]?.parts ?? [];
  return part?.type === "text" ? part.citations : undefined;
};
const source = { type: "document", id: "doc:0", document: { id: "doc:0", title: "T", url: "https://a", text: "x" } };

describe("a history", () => {
  test.each<[name: string, block: Json, part: object]>([
    ["a text", { type: "text", text: "a" }, { type: "text", text: "a" }],
    [
      "a picture",
      { type: "image_url", image_url: { url: "https://a", detail: "low" } },
      { type: "file", detail: "low" },
    ],
    ["a bare picture", { type: "image_url", image_url: "https://a" }, { source: { url: "https://a" } }],
    [
      "a picture as data",
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      { mediaType: "image/png", source: { data: "iVBORw0KGgo=" } },
    ],
    ["a detail that is new", { type: "image_url", image_url: { url: "u", detail: "new" } }, { type: "file" }],
    ["a new kind", { type: "hologram", depth: 3 }, { type: "opaque" }],
    ["thoughts that are not the user's", { type: "thinking", thinking: "t" }, { type: "opaque" }],
  ])("reads %s, and writes it back", (_, block, part) => {
    const wire = [{ role: "user", content: [block] }];
    expect(history(...wire)[0]?.parts[0]).toMatchObject(part);
    expect(again(wire, "messages")).toEqual(wire);
  });

  test.each<[name: string, content: Json, output: readonly object[] | undefined]>([
    ["a text", "x", [{ type: "text", text: "x" }]],
    ["a document", [document({ a: 1 }, { id: "d" })], [{ type: "data", id: "d", data: { a: 1 } }]],
    ["a document of JSON text", [document('{"a":1}')], [{ type: "text", text: '{"a":1}' }]],
    ["a document with another member", [document({ a: 1 }, { rank: 2 })], [{ type: "data", data: { a: 1 } }]],
    ["several", [{ type: "text", text: "x" }, document({})], [{ type: "text" }, { type: "data", data: {} }]],
    ["nothing", [], []],
    ["null", null, undefined],
  ])("reads %s of a tool as its output, and writes it back", (_, content, output) => {
    const wire = [{ role: "tool", tool_call_id: "c", content }];
    const [part] = history(...wire)[0]?.parts ?? [];
    expect(part?.type === "tool-result" ? part.output : null).toEqual(
      output?.map(each => expect.objectContaining(each)) ?? output,
    );
    expect(again(wire, "messages")).toEqual(wire);
  });

  test("reads a plan as reasoning in its place, before the calls, and writes it as a plan", () => {
    const calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
    const wire = [{ role: "assistant", tool_plan: "I will look.", tool_calls: calls }];
    const parts = history(...wire)[0]?.parts ?? [];
    expect(parts.map(({ type }) => type)).toEqual(["reasoning", "tool-call"]);
    expect(again(wire, "messages")).toEqual(wire);
    expect(
      written({ messages: [{ role: "assistant", parts: [{ type: "reasoning", text: "r" }, ...parts.slice(1)] }] }),
    ).toEqual([{ role: "assistant", content: [{ type: "thinking", thinking: "r" }], tool_calls: calls }]);
  });

  test("pairs results without ids with calls without ids, in order, and makes up none when it writes", () => {
    const called = { type: "function", function: { name: "f", arguments: "{}" } };
    const wire = [
      { role: "assistant", tool_calls: [called, called] },
      { role: "tool", content: "1" },
      { role: "tool", content: "2" },
    ];
    const ids = history(...wire).flatMap(({ parts }) => parts.map(part => ("callId" in part ? part.callId : "")));
    expect(ids).toEqual(["~0.0", "~0.1", "~0.0", "~0.1"]);
    expect(again(wire, "messages")).toEqual(wire);
  });

  test.each<Json>([
    { role: "assistant", content: "" },
    { role: "assistant", content: null },
    { role: "assistant", content: [] },
    { role: "assistant", content: "a", tool_plan: "" },
    { role: "assistant", content: [{ type: "text", text: "a" }], citations: [] },
    { role: "assistant", content: { odd: 1 }, tool_calls: { odd: 1 } },
    { role: "assistant", tool_calls: [{ odd: 1 }] },
    { role: "chatbot", content: "a", note: 1 },
    { content: "no role" },
    { role: "tool", tool_call_id: null, content: "x" },
  ])("keeps the spelling of %j", wire => {
    expect(again([wire], "messages")).toEqual([wire]);
  });
});

describe("an answer", () => {
  test("has a citation a source, on the text that it is of, and writes them as the one that they were", () => {
    const other = { type: "tool", id: "c:0", tool_output: { a: 1 } };
    const wire = cited("So it is.", { start: 3, end: 5, text: "it", sources: [source, other], type: "TEXT_CONTENT" });
    const place = { start: 3, end: 5 };
    expect(citationsOf(wire)).toMatchObject([{ ...place, title: "T", url: "https://a" }, place]);
    expect(again(wire, "answer")).toEqual(wire);
  });

  test.each<[name: string, citation: JsonObject]>([
    ["without sources", { start: 0, end: 1, text: "a", type: "TEXT_CONTENT" }],
    ["without a type", { start: 0, end: 1, text: "a", sources: [] }],
    ["with other words", { start: 0, end: 1, text: "b", sources: [source], type: "TEXT_CONTENT" }],
    ["with its block", { start: 0, end: 1, text: "a", sources: [source], content_index: 0, type: "TEXT_CONTENT" }],
    ["of the plan", { start: 0, end: 1, text: "p", sources: [source], type: "PLAN" }],
    ["of another block", { start: 0, end: 1, text: "p", sources: [source], content_index: 7 }],
    ["outside of the text", { start: 0, end: 99, text: "p", sources: [source], type: "TEXT_CONTENT" }],
    ["with an unknown source", { start: 0, end: 1, text: "a", sources: [{ type: "oracle" }], type: "TEXT_CONTENT" }],
  ])("writes a citation %s as it was", (_, citation) => {
    const wire = cited("a", citation, { start: 0, end: 1, text: "a", sources: [source], type: "TEXT_CONTENT" });
    expect(again(wire, "answer")).toEqual(wire);
  });

  test("counts citations by characters, where the model counts UTF-16 units", () => {
    const wire = cited("🐦🐦 wren", { start: 3, end: 7, text: "wren", sources: [source], type: "TEXT_CONTENT" });
    expect(citationsOf(wire)).toMatchObject([{ start: 5, end: 9 }]);
    expect(again(wire, "answer")).toEqual(wire);
    const units = cited("🐦🐦 wren", { start: 5, end: 9, text: "wren", sources: [source], type: "TEXT_CONTENT" });
    expect(citationsOf(units)).toMatchObject([{ start: 5, end: 9 }]);
    expect(again(units, "answer")).toEqual(units);
  });

  test("keeps the order of citations of several texts", () => {
    const one = (content_index: number): JsonObject => ({
      start: 0,
      end: 1,
      text: "a",
      sources: [source],
      ...(content_index > 0 && { content_index }),
      type: "TEXT_CONTENT",
    });
    const texts = ["a", "a"].map(text => ({ type: "text", text }));
    const wire = answerOf({ content: texts, citations: [one(1), one(0), one(1)] });
    expect(again(wire, "answer")).toEqual(wire);
  });

  test.each<[usage: JsonObject, read: object | undefined]>([
    [
      { tokens: { input_tokens: 9, output_tokens: 2 }, cached_tokens: 4 },
      { input: 5, cacheRead: 4, output: 2 },
    ],
    [{ tokens: { input_tokens: 9 }, billed_units: { input_tokens: 3, search_units: 1 } }, { input: 9 }],
    [{ billed_units: { input_tokens: 3, output_tokens: 1 } }, { input: 3, output: 1 }],
    [
      { tokens: { input_tokens: 1 }, cached_tokens: 4 },
      { input: 1, cacheRead: 4 },
    ],
    [{ tokens: {} }, undefined],
  ])("reads the usage %j in buckets that do not overlap, and writes it back", (usage, expected) => {
    const wire = answerOf({ content: [] }, { usage });
    expect(read(wire, "answer").conversation.messages[0]?.usage).toEqual(expected);
    expect(again(wire, "answer")).toEqual(wire);
  });

  test.each([
    ["COMPLETE", "stop"],
    ["STOP_SEQUENCE", "stop-sequence"],
    ["MAX_TOKENS", "length"],
    ["TOOL_CALL", "tool-calls"],
    ["ERROR", "error"],
    ["TIMEOUT", "error"],
    ["ERROR_TOXIC", "content-filter"],
    ["constructor", "other"],
  ])("reads the end %s as %s, and writes it back", (finish_reason, reason) => {
    const wire = answerOf({ content: [] }, { finish_reason });
    expect(read(wire, "answer").conversation.messages[0]?.finish?.reason).toBe(reason);
    expect(again(wire, "answer")).toEqual(wire);
  });

  test("that refuses a request is an error", () => {
    const wire = { id: "e", message: "invalid request" };
    const { messages } = read(wire, "answer").conversation;
    expect(messages).toMatchObject([
      { parts: [{ type: "error", message: "invalid request" }], finish: { reason: "error" } },
    ]);
    expect(again(wire, "answer")).toEqual(wire);
    expect(encode(cohere, { messages }, { shape: "error" }).value).toEqual(wire);
  });
});

describe("a request", () => {
  test.each<[member: JsonObject, settings: Settings | undefined]>([
    [
      { p: 0.5, k: 3, max_tokens: 4 },
      { topP: 0.5, topK: 3, maxOutputTokens: 4 },
    ],
    [{ tool_choice: "REQUIRED" }, { toolChoice: "required" }],
    [{ tool_choice: "NONE" }, { toolChoice: "none" }],
    [{ tool_choice: "SOME" }, undefined],
    [{ thinking: { type: "enabled", token_budget: 9 } }, { reasoning: { budget: 9 } }],
    [{ thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
    [{ thinking: { type: "enabled" } }, undefined],
    [{ response_format: { type: "json_object" } }, { responseFormat: { type: "json" } }],
    [{ response_format: { type: "json_object", schema: {} } }, { responseFormat: { type: "json", schema: {} } }],
    [{ response_format: { type: "text" } }, { responseFormat: { type: "text" } }],
    [
      { stop_sequences: ["a"], frequency_penalty: 0.5 },
      { stopSequences: ["a"], frequencyPenalty: 0.5 },
    ],
    [{ documents: ["a"], safety_mode: "OFF", citation_options: { mode: "FAST" } }, undefined],
  ])("reads the setting %j, and writes it back", (member, settings) => {
    const wire = { model: "m", messages: [], ...member };
    expect(read(wire, "request").conversation.settings).toEqual(settings);
    expect(again(wire, "request")).toEqual(wire);
  });

  test("has tools that are strict all together", () => {
    const tools = ["a", "b"].map(name => ({ type: "function", function: { name, parameters: {} } }));
    const wire = { model: "m", messages: [], tools, strict_tools: true };
    expect(read(wire, "request").conversation.tools).toMatchObject([{ strict: true }, { strict: true }]);
    expect(again(wire, "request")).toEqual(wire);
  });

  test("of Chat goes to Cohere, and its answer comes back", () => {
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" }, strict: true } }];
    const asked = {
      model: "m",
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      tools,
      tool_choice: "required",
      top_p: 0.5,
    };
    expect(
      encode(cohere, decode(openaiChat, asked, { shape: "request" }).conversation, { shape: "request" }).value,
    ).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
      strict_tools: true,
      tool_choice: "REQUIRED",
      p: 0.5,
    });
    const calls = [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } }];
    const answer = answerOf({ tool_plan: "First f.", tool_calls: calls }, { finish_reason: "TOOL_CALL" });
    expect(encode(openaiChat, read(answer, "answer").conversation, { shape: "answer" }).value).toMatchObject({
      choices: [{ message: { tool_calls: calls }, finish_reason: "tool_calls" }],
    });
  });
});

test.each<[value: Json, shape: string, confidence: number]>([
  [{ model: "m", messages: [{ role: "user", content: "a" }], documents: [] }, "request", 0.9],
  [{ model: "m", messages: [], tool_choice: "REQUIRED" }, "request", 0.9],
  [answerOf({}), "answer", 0.9],
  [[{ type: "message-start", delta: {} }], "stream", 0.9],
  [[{ role: "tool", content: [document({})] }], "messages", 0.9],
  [[{ role: "user", content: "a" }], "messages", 0.2],
  [{ message: "no" }, "error", 0.2],
])("recognises %j as a %s", (value, shape, confidence) => {
  const [found] = cohere.sniff(value);
  expect(found?.shape).toBe(shape);
  expect(found?.confidence).toBeGreaterThan(confidence);
});

test.each<Json>([
  { model: "m", messages: [], contents: [] },
  [{ type: "text-start", id: "a" }],
  [{ role: "user", content: [{ type: "tool_result" }] }],
])("does not take %j for its own", value => {
  expect(cohere.sniff(value)).toEqual([]);
});
