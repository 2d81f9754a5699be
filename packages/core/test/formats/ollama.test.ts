import { corpus } from "@translogue/testkit/wire-samples";
import { type ChatRequest, type ChatResponse, Ollama } from "ollama";
import {
  accumulate,
  type Conversation,
  type Event,
  emit,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  type Settings,
} from "translogue";
import { decode, encode, frames, streamDecoder, streamEncoder } from "translogue/convert";
import { ollama } from "translogue/ollama";
import { openaiChat } from "translogue/openai-chat";
import { describe, expect, test } from "vitest";

const read = (value: Json, shape?: "messages" | "answer" | "request" | "error") =>
  decode(ollama, value, { ...(shape && { shape }) });
const history = (...list: readonly Json[]): readonly Message[] => read(list, "messages").conversation.messages;
const written = (conversation: Conversation, shape: "messages" | "request" | "answer" = "messages"): Json =>
  encode(ollama, conversation, { shape, recipient: "store", carry: false }).value;
const again = (value: Json, shape: "messages" | "answer" | "request"): Json =>
  written(read(value, shape).conversation, shape);
const called = (name: string, more: JsonObject = {}): JsonObject => ({ function: { name, arguments: {} }, ...more });
const asked = (...calls: readonly JsonObject[]): JsonObject => ({ role: "assistant", content: "", tool_calls: calls });
const returned = (more: JsonObject): JsonObject => ({ role: "tool", content: "x", ...more });
const answerOf = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: "m",
  created_at: "2026-01-02T03:04:05Z",
  message: { role: "assistant", content: "", ...message },
  done: true,
  done_reason: "stop",
  ...more,
});
const idsOf = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.flatMap(part => ("callId" in part ? [part.callId] : [])));

describe("calls and results", () => {
  test.each<[name: string, wire: readonly JsonObject[], answers: readonly (string | undefined)[]]>([
    [
      "in order, where nothing else is said",
      [asked(called("a"), called("b")), returned({}), returned({})],
      ["~0.0", "~0.1"],
    ],
    [
      "by the tool",
      [asked(called("a"), called("b"), called("a")), ...["b", "a", "a"].map(tool_name => returned({ tool_name }))],
      ["~0.1", "~0.0", "~0.2"],
    ],
    [
      "by the id",
      [
        asked(called("a", { id: "x" }), called("a", { id: "y" })),
        returned({ tool_call_id: "y" }),
        returned({ tool_call_id: "x" }),
      ],
      ["y", "x"],
    ],
    ["by the order, beside calls with ids", [asked(called("a", { id: "x" }), called("a")), returned({})], ["~0.1"]],
    ["not at all, where no call waits", [returned({ tool_name: "z" })], ["~0.0"]],
  ])("are paired %s, and written as they were", (_, wire, answers) => {
    const messages = history(...wire);
    expect(idsOf(messages.filter(({ role }) => role === "tool"))).toEqual(answers);
    expect(again(wire, "messages")).toEqual(wire);
  });

  test("get ids where their places would tell otherwise", () => {
    const [question, first, second] = history(asked(called("a"), called("a")), returned({}), returned({}));
    const turned = [question, second, first] as Message[]; // all three are there
    expect(idsOf(history(...(written({ messages: turned }) as Json[])))).toEqual([
      "call_0.0",
      "call_0.1",
      "call_0.1",
      "call_0.0",
    ]); // messages are a list
  });

  test("of another format have their ids, and the names of their tools", () => {
    const messages: Message[] = [
      { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "f", input: { a: 1 } }] },
      { role: "tool", parts: [{ type: "tool-result", callId: "c", output: [{ type: "text", text: "x" }] }] },
    ];
    expect(written({ messages })).toEqual([
      { role: "assistant", content: "", tool_calls: [{ id: "c", function: { name: "f", arguments: { a: 1 } } }] },
      { role: "tool", content: "x", tool_name: "f", tool_call_id: "c" },
    ]);
  });

  test.each<[wire: Json, input: object]>([
    [{ a: 1 }, { input: { a: 1 } }],
    ['{"a": 1}', { input: { a: 1 }, inputText: '{"a": 1}' }],
    ["no json", { inputText: "no json" }],
    [[1], { input: [1] }],
    [null, {}],
  ])("have arguments as they were: %j", (value, input) => {
    const wire = [asked({ function: { name: "f", arguments: value, index: 0 }, type: "function", id: "" })];
    const [part] = history(...wire)[0]?.parts ?? [];
    expect(part).toMatchObject({ type: "tool-call", name: "f", ...input });
    expect(again(wire, "messages")).toEqual(wire);
  });
});

describe("messages", () => {
  test("have pictures behind their words, told by their first bytes", () => {
    const wire = [{ role: "user", content: "a", images: ["iVBORw0KGgo=", "R0lGODlh", "AAAA"] }];
    const parts = history(...wire)[0]?.parts ?? [];
    expect(parts.map(part => (part.type === "file" ? part.mediaType : part.type))).toEqual([
      "text",
      "image/png",
      "image/gif",
      "image/*",
    ]);
    expect(again(wire, "messages")).toEqual(wire);
  });

  test.each<Json>([
    { role: "user", content: "" },
    { role: "user", content: "", images: ["AAAA"] },
    { role: "user", images: ["https://a", { odd: 1 }] },
    { role: "user", content: { odd: 1 } },
    { role: "assistant", content: "a", thinking: "" },
    { role: "assistant", content: "a", thinking: "t" },
    { role: "assistant", thinking: "t" },
    { role: "assistant", content: null, tool_calls: [{ odd: 1 }] },
    { role: "assistant", content: "a", tool_calls: [], images: [] },
    { role: "tool", content: null, tool_name: "" },
    { role: "tool", content: "", images: ["AAAA"], tool_call_id: null },
    { role: "critic", content: "a", note: 1 },
    { content: "no role" },
  ])("keep the spelling of %j", wire => {
    expect(again([wire], "messages")).toEqual([wire]);
  });
});

describe("a request", () => {
  test.each<[member: JsonObject, settings: Settings | undefined]>([
    [
      { options: { num_predict: 3, temperature: 0, top_p: 1, top_k: 2, seed: 1, stop: ["a"] } },
      { maxOutputTokens: 3, temperature: 0, topP: 1, topK: 2, seed: 1, stopSequences: ["a"] },
    ],
    [{ options: { frequency_penalty: 0.5, presence_penalty: 1 } }, { frequencyPenalty: 0.5, presencePenalty: 1 }],
    [{ options: { stop: "a", num_ctx: 9 } }, { stopSequences: ["a"] }],
    [{ options: { num_predict: -1 } }, undefined],
    [{ options: {} }, undefined],
    [{ think: false }, { reasoning: { effort: "none" } }],
    [{ think: "high" }, { reasoning: { effort: "high" } }],
    [{ think: true, keep_alive: 0, stream: true }, undefined],
    [{ format: "json" }, { responseFormat: { type: "json" } }],
    [{ format: { type: "object" } }, { responseFormat: { type: "json", schema: { type: "object" } } }],
    [{ format: "" }, undefined],
  ])("reads the setting %j, and writes it back", (member, settings) => {
    const wire = { model: "m", messages: [], ...member };
    expect(read(wire, "request").conversation.settings).toEqual(settings);
    expect(again(wire, "request")).toEqual(wire);
  });

  test("that only loads a model has no messages", () => {
    expect(again({ model: "m", keep_alive: "5m" }, "request")).toEqual({ model: "m", keep_alive: "5m" });
  });

  test("of Chat goes to Ollama, and its answer comes back", () => {
    const wire = {
      model: "m",
      messages: [{ role: "user", content: "Hi" }],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
      max_tokens: 5,
      reasoning_effort: "xhigh",
      response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } },
    };
    const { conversation } = decode(openaiChat, wire, { shape: "request" });
    expect(encode(ollama, conversation, { shape: "request" }).value).toEqual({
      model: "m",
      messages: [{ role: "user", content: "Hi" }],
      tools: wire.tools,
      options: { num_predict: 5 },
      think: "high",
      format: { type: "object" },
    });
    const answer = answerOf({ tool_calls: [{ id: "c", function: { name: "f", arguments: { a: 1 } } }] });
    expect(encode(openaiChat, read(answer, "answer").conversation, { shape: "answer" }).value).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: "c" }] }, finish_reason: "tool_calls" }],
    });
  });
});

describe("an answer", () => {
  test.each<[more: JsonObject, finish: object | undefined]>([
    [{}, { reason: "stop" }],
    [{ done_reason: "length" }, { reason: "length" }],
    [{ done_reason: "load" }, { reason: "other", raw: "load" }],
    [{ done: false, done_reason: undefined as unknown as Json }, { reason: "incomplete" }],
    [{ message: { role: "assistant", content: "", tool_calls: [called("f")] } }, { reason: "tool-calls" }],
    [{ created_at: "yesterday", model: "" }, { reason: "stop" }],
    [{ prompt_eval_count: 3, eval_count: 4, total_duration: 5 }, { reason: "stop" }],
    [{ message: { role: "critic", content: "a" } }, { reason: "stop" }],
  ])("with %j is read, and written as it was", (more, finish) => {
    const wire = JSON.parse(JSON.stringify(answerOf({}, more))) as JsonObject; // without what is undefined
    expect(read(wire, "answer").conversation.messages[0]?.finish).toEqual(finish);
    expect(again(wire, "answer")).toEqual(wire);
  });

  test("that does not say why it is done is done", () => {
    const { done_reason: _, ...wire } = answerOf({ content: "a" });
    expect(read(wire, "answer").conversation.messages[0]?.finish).toEqual({ reason: "stop" });
    expect(again(wire, "answer")).toEqual(wire);
  });

  test("that refuses a request is an error", () => {
    const wire = { error: "model not found" };
    const { messages } = read(wire, "answer").conversation;
    expect(messages).toMatchObject([{ parts: [{ type: "error", message: "model not found" }] }]);
    expect(again(wire, "answer")).toEqual(wire);
    expect(encode(ollama, { messages }, { shape: "error" }).value).toEqual(wire);
  });
});

// streams

const line = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: "m",
  created_at: "2026-01-02T03:04:05Z",
  message: { role: "assistant", content: "", ...message },
  done: false,
  ...more,
});
const last = answerOf({});
const stream = (wire: readonly Json[]): readonly Message[] => accumulate(runAll(streamDecoder(ollama), wire));
const write = (messages: readonly Message[]): readonly Json[] =>
  runAll(streamEncoder(ollama, { recipient: "store" }), emit(messages));

describe("a stream is read as its whole:", () => {
  test.each<[name: string, wire: readonly Json[], whole: JsonObject]>([
    [
      "thoughts and words",
      [line({ thinking: "t" }), line({ thinking: "u" }), line({ content: "a" }), last],
      answerOf({ thinking: "tu", content: "a" }),
    ],
    [
      "words that mix",
      [line({ content: "a", thinking: "t" }), line({ thinking: "u" }), last],
      answerOf({ content: "a", thinking: "tu" }),
    ],
    [
      "calls in several lines",
      [line({ tool_calls: [called("a")] }), line({ tool_calls: [called("b", { id: "x" }), { odd: 1 }] }), last],
      answerOf({ tool_calls: [called("a"), called("b", { id: "x" }), { odd: 1 }] }),
    ],
    ["pictures", [line({ images: ["AAAA"] }), last], answerOf({ images: ["AAAA"] })],
    ["all in one line", [answerOf({ content: "a" }, { eval_count: 3 })], answerOf({ content: "a" }, { eval_count: 3 })],
    [
      "probabilities and counts",
      [
        line({ content: "a" }, { logprobs: [1] }),
        line({ content: "b" }, { logprobs: [2] }),
        { ...last, eval_count: 2 },
      ],
      answerOf({ content: "ab" }, { logprobs: [1, 2], eval_count: 2 }),
    ],
  ])("%s", (_, wire, whole) => {
    const messages = stream(wire);
    expect(messages).toEqual(read(whole, "answer").conversation.messages);
    expect(stream(write(messages))).toEqual(messages);
  });

  test("every line at once", () => {
    const decoder = streamDecoder(ollama);
    const counts = [line({ thinking: "t" }), line({ content: "a" }), line({ tool_calls: [called("a")] })].map(
      wire => decoder.push(wire).filter(({ type }) => type === "part-delta").length,
    );
    expect(counts).toEqual([1, 1, 1]);
    const encoder = streamEncoder(ollama);
    const events: Event[] = emit(
      read(answerOf({ content: "a", tool_calls: [called("f")] }), "answer").conversation.messages,
    );
    const out = events.map(event => [event.type, encoder.push(event).length]);
    expect(out.filter(([, count]) => count === 1).map(([type]) => type)).toEqual(["part-delta", "part-end"]);
  });
});

describe("a stream that fails", () => {
  test("by a line is an error with what came before", () => {
    const messages = stream([line({ content: "a" }), { error: "unexpected EOF" }]);
    expect(messages).toMatchObject([
      {
        finish: { reason: "error" },
        parts: [
          { text: "a", partial: true },
          { type: "error", message: "unexpected EOF" },
        ],
      },
    ]);
    expect(stream(write(messages))).toEqual(messages);
  });

  test("by a cut is not finished", () => {
    const messages = stream([line({ thinking: "t" }), line({ content: "a" })]);
    expect(messages).toMatchObject([
      { finish: { reason: "incomplete" }, parts: [{ text: "t" }, { text: "a", partial: true }] },
    ]);
    expect(stream(write(messages))).toEqual(messages);
  });

  test("by a line that is no object goes on", () => {
    expect(stream([line({ content: "a" }), null, last])).toMatchObject([
      { finish: { reason: "stop" }, parts: [{ text: "a" }] },
    ]);
  });
});

test.each<[code: string, events: readonly Event[]]>([
  ["already-sent", [{ type: "message-start", message: 0, head: { role: "assistant" } }]],
  ["open", [{ type: "message-end", message: 0 }]],
])("says where a stream cannot say it: %s", (code, events) => {
  const encoder = streamEncoder(ollama);
  runAll(encoder, [
    { type: "message-start", message: 0, head: { role: "assistant", finish: { reason: "stop" } } },
    { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
    { type: "part-delta", message: 0, part: 0, of: "text", text: "a" },
    ...events,
  ]);
  expect(encoder.losses.map(loss => loss.code)).toContain(code);
});

// the official client

/** The official client over a host that answers with this body, and what the host was asked. */
function clientOf(body: BodyInit) {
  const seen: Json[] = [];
  const host = async (_: unknown, init?: RequestInit): Promise<Response> => {
    seen.push(JSON.parse(String(init?.body)) as Json); // the client sends JSON
    return new Response(body);
  };
  return { seen, client: new Ollama({ host: "http://localhost", fetch: host }) };
}

test("what the official client sends is read, and written as it was", async () => {
  const request: ChatRequest & { stream: false } = {
    model: "m",
    messages: [
      { role: "user", content: "q", images: ["iVBORw0KGgo="] },
      { role: "assistant", content: "", thinking: "t", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] },
      { role: "tool", content: "x", tool_name: "f" },
    ],
    stream: false,
    format: { type: "object" },
    keep_alive: "5m",
    tools: [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }],
    think: "low",
    logprobs: true,
    top_logprobs: 2,
    options: { num_predict: 3, stop: ["a"], mirostat: 1 },
  };
  const { seen, client } = clientOf(JSON.stringify(last));
  await client.chat(request);
  const [wire = null] = seen;
  const { conversation } = read(wire, "request");
  const out = encode(ollama, conversation, { shape: "request", recipient: "store", carry: false });
  expect(out.value).toEqual(wire);
  expect(out.losses).toEqual([]);
});

const spoken = corpus.filter(([, { messages }]) => messages.some(({ role }) => role === "assistant"));

describe("what is written is what the official client reads", () => {
  test.each(spoken)("of `%s` as an answer", async (_, conversation) => {
    const { value } = encode(ollama, conversation, { shape: "answer" });
    const { client } = clientOf(JSON.stringify(value));
    const failed = isJsonObject(value) && Object.hasOwn(value, "error");
    if (!failed) expect(await client.chat({ model: "m", stream: false })).toEqual(value);
  });

  test.each(spoken)("of `%s` as a stream, as far as it has an end", async (_, { messages }) => {
    const wire = runAll(streamEncoder(ollama), emit(messages.filter(({ role }) => role === "assistant")));
    const { stream: codec } = ollama;
    if (!codec) throw new Error("Ollama streams");
    const { client } = clientOf(new Uint8Array(Buffer.concat(runAll(frames.encoder(codec), wire))));
    const chunks: ChatResponse[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of await client.chat({ model: "m", stream: true })) chunks.push(chunk);
    };
    const isDone = wire.some(each => isJsonObject(each) && each["done"] === true);
    if (isDone) await reading();
    else await expect(reading()).rejects.toThrow();
    expect(chunks).toEqual(wire.filter(each => isJsonObject(each) && !Object.hasOwn(each, "error")));
  });
});

test.each<[value: Json, shape: string, confidence: number]>([
  [{ model: "m", messages: [{ role: "user", content: "a" }], options: {} }, "request", 0.9],
  [{ model: "m", messages: [asked(called("f"))] }, "request", 0.9],
  [last, "answer", 0.9],
  [[line({})], "stream", 0.9],
  [[returned({ tool_name: "f" })], "messages", 0.9],
  [[{ role: "user", content: "a", images: ["AAAA"] }], "messages", 0.8],
  [{ error: "no" }, "error", 0.5],
])("recognises %j as a %s", (value, shape, confidence) => {
  const [found] = ollama.sniff(value);
  expect(found?.shape).toBe(shape);
  expect(found?.confidence).toBeGreaterThan(confidence);
});
