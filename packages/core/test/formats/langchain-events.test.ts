import { protocolOutput } from "@translogue/testkit/langchain-protocol";
import {
  accumulate,
  decode,
  detect,
  type Event,
  emit,
  encode,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const read = (records: readonly Json[]): ReturnType<typeof decode> =>
  decode(records, { from: "langchain-events", shape: "stream" });
const write = (messages: readonly Message[], dialect?: string): ReturnType<typeof encode> =>
  encode(
    { messages },
    {
      to: dialect === undefined ? "langchain-events" : `langchain-events:${dialect}`,
      shape: "stream",
      recipient: "store",
    },
  );
const heard = (records: readonly Json[]): Message[] => accumulate(runAll(streamDecoder("langchain-events"), records));

const start: JsonObject = { event: "message-start", id: "m" };
const block = (index: number, content: JsonObject): JsonObject => ({ event: "content-block-start", index, content });
const delta = (index: number, of: JsonObject): JsonObject => ({ event: "content-block-delta", index, delta: of });
const finish = (index: number, content: JsonObject): JsonObject => ({ event: "content-block-finish", index, content });
const textDelta = (text: string): JsonObject => ({ type: "text-delta", text });
const end: JsonObject = { event: "message-finish", reason: "stop" };

const message = (name: string, kwargs: JsonObject): JsonObject => ({
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "messages", name],
  kwargs: { content: "", additional_kwargs: {}, response_metadata: {}, ...kwargs },
});
const run = (event: string, data: JsonObject, run_id = "r1"): JsonObject => ({
  event,
  data,
  name: "M",
  tags: ["t"],
  run_id,
  metadata: { ls: 1 },
});
const answered = [
  run("on_chain_start", { input: "q" }, "r0"),
  run("on_chat_model_start", { input: { messages: [[]] } }),
  run("on_chat_model_stream", { chunk: message("AIMessageChunk", { content: "Hel" }) }),
  run("on_chain_stream", { chunk: "Hel" }, "r0"),
  run("on_chat_model_stream", { chunk: message("AIMessageChunk", { content: "lo" }) }),
  run("on_chat_model_end", { output: message("AIMessageChunk", { content: "Hello", id: "run-r1" }) }),
  run("on_tool_start", { input: "{}" }, "r2"),
  run("on_tool_end", { output: message("ToolMessage", { content: "7", tool_call_id: "c" }) }, "r2"),
  run("on_chain_end", { output: "Hello" }, "r0"),
];

describe("the protocol's events", () => {
  test.each<[what: string, records: readonly Json[], parts: readonly unknown[]]>([
    [
      "blocks that overlap",
      [
        start,
        block(0, { type: "text", text: "" }),
        block(1, { type: "tool_call_chunk", id: "c", name: "f", args: "" }),
        delta(1, { type: "tool-call-delta", args: '{"a": ' }),
        delta(0, textDelta("x")),
        delta(1, { type: "tool-call-delta", args: "1}" }),
        finish(0, { type: "text", text: "x" }),
        finish(1, { type: "tool_call", id: "c", name: "f", args: { a: 1 } }),
        end,
      ],
      [
        { type: "text", text: "x" },
        { type: "tool-call", callId: "c", input: { a: 1 }, inputText: '{"a": 1}' },
      ],
    ],
    [
      "arguments as snapshots",
      [
        start,
        block(0, { type: "tool_call_chunk", id: "c", name: "f", args: "" }),
        delta(0, { type: "block-delta", fields: { type: "tool_call_chunk", args: '{"a"' } }),
        delta(0, { type: "block-delta", fields: { type: "tool_call_chunk", args: '{"a":1}' } }),
        finish(0, { type: "tool_call", id: "c", name: "f", args: { a: 1 } }),
        end,
      ],
      [{ type: "tool-call", callId: "c", input: { a: 1 } }],
    ],
    [
      "data in pieces",
      [
        start,
        block(0, { type: "image", mime_type: "image/png", base64: "" }),
        delta(0, { type: "data-delta", data: "aGk" }),
        delta(0, { type: "data-delta", data: "=" }),
        end,
      ],
      [{ type: "file", mediaType: "image/png", source: { data: "aGk=" } }],
    ],
    [
      "a piece of reasoning that has no text, spoilt by the bridge",
      [
        start,
        block(0, { type: "reasoning", reasoning: "Think" }),
        delta(0, { type: "reasoning-delta" }),
        finish(0, { type: "reasoning", reasoning: "Thinkundefined" }),
        end,
      ],
      [{ type: "reasoning", text: "Think" }],
    ],
    [
      "an id that is gone in the end",
      [
        start,
        block(0, { type: "tool_call_chunk", id: "c", name: "f", args: "{}" }),
        finish(0, { type: "tool_call", id: "", name: "f", args: {} }),
        end,
      ],
      [{ type: "tool-call", callId: "c", name: "f" }],
    ],
    [
      "deltas of no known kind, and a block whose start was missed",
      [start, delta(0, textDelta("a")), delta(0, { type: "tomorrow", x: 1 }), end],
      [{ type: "text", text: "a" }],
    ],
    [
      "an answer that starts over",
      [
        start,
        block(0, { type: "text", text: "wrong" }),
        { ...start, id: "n" },
        block(0, { type: "text", text: "right" }),
        end,
      ],
      [{ type: "text", text: "right" }],
    ],
  ])("are read as a message: %s", (_, records, parts) => {
    const [only, ...others] = read(records).conversation.messages;
    expect(others).toEqual([]);
    expect(only?.parts).toMatchObject(parts);
    expect(only?.parts).toHaveLength(parts.length);
    expect(heard(records)[0]?.parts).toEqual(only?.parts);
    expect(write(only ? [only] : []).value).toEqual(records);
  });

  test("say how the answer ended, what it cost and who gave it", () => {
    const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
    const [only] = heard([
      start,
      { event: "usage", usage: { ...usage, output_tokens: 1 } },
      { ...end, reason: "tool_use", usage, responseMetadata: { model_provider: "openai", model_name: "m-1" } },
    ]);
    expect(only).toMatchObject({
      role: "assistant",
      id: "m",
      usage: { input: 3, output: 2 },
      provider: "openai",
      model: "m-1",
      finish: { reason: "tool-calls" },
    });
  });

  test("pass texts on as they come", () => {
    const decoder = streamDecoder("langchain-events");
    runAll({ push: record => decoder.push(record), end: () => [] }, [start, block(0, { type: "text", text: "" })]);
    expect(decoder.push(delta(0, textDelta("a")))).toMatchObject([
      { type: "part-start" },
      { type: "part-delta", text: "a" },
    ]);
    expect(decoder.push(delta(0, textDelta("b")))).toEqual([
      { type: "part-delta", of: "text", message: 0, part: 1000, text: "b" },
    ]);
  });

  test("that stop leave an unfinished message, and an error says why", () => {
    const records = [start, block(0, { type: "text", text: "Ha" })];
    expect(heard(records)).toMatchObject([
      { finish: { reason: "incomplete" }, parts: [{ text: "Ha", partial: true }] },
    ]);
    const failed = heard([...records, { event: "error", message: "gone", code: "x" }]);
    expect(failed).toMatchObject([
      { finish: { reason: "error" }, parts: [{ text: "Ha" }, { type: "error", message: "gone", code: "x" }] },
    ]);
  });

  test("in the envelopes of a graph are those of several messages, with the results of tools", () => {
    const wrap = (data: JsonObject, method = "messages", namespace = ["agent:1"]): JsonObject => ({
      type: "event",
      seq: 1,
      method,
      params: { namespace, timestamp: 1, data },
    });
    const records = [
      wrap({ event: "running" }, "lifecycle", []),
      wrap(start),
      wrap({ ...start, id: "other" }, "messages", ["agent:2"]),
      wrap(block(0, { type: "text", text: "a" })),
      wrap(block(0, { type: "text", text: "b" }), "messages", ["agent:2"]),
      wrap(end),
      wrap(end, "messages", ["agent:2"]),
      wrap(
        {
          event: "tool-finished",
          tool_call_id: "c",
          output: message("ToolMessage", { content: "7", tool_call_id: "c" }),
        },
        "tools",
      ),
    ];
    const { messages } = read(records).conversation;
    expect(messages.map(({ role, id, parts }) => [role, id, parts.length])).toEqual([
      ["control", undefined, 1],
      ["assistant", "m", 1],
      ["assistant", "other", 1],
      ["tool", undefined, 1],
    ]);
    expect(write(messages).value).toEqual(records);
  });
});

describe("the records of runs", () => {
  test("are the answer of the model's run and the tool's result; all others stand where they were", () => {
    const { messages } = read(answered).conversation;
    expect(messages.map(({ role }) => role)).toEqual(["control", "assistant", "control", "control", "tool", "control"]);
    expect(messages[1]).toMatchObject({
      id: "run-r1",
      parts: [{ type: "text", text: "Hello" }],
      native: { "langchain-events": { run_id: "r1", name: "M", tags: ["t"], metadata: { ls: 1 } } },
    });
    expect(write(messages, "v2-js").value).toEqual(answered);
  });

  test("tell a live reader of messages only, and say which others there were", () => {
    const decoder = streamDecoder("langchain-events");
    expect(accumulate(runAll(decoder, answered)).map(({ role }) => role)).toEqual(["assistant", "tool"]);
    expect(decoder.losses.map(({ code, message: said }) => [code, said.split(": ")[1]])).toEqual(
      ["on_chain_start", "on_chain_stream", "on_tool_start", "on_chain_end"].map(name => ["record", name]),
    );
  });

  test("keep the places of the others when a message is edited, and its own are written anew", () => {
    const { messages } = read(answered).conversation;
    const edited = messages.map(
      (each): Message => (each.role === "assistant" ? { ...each, parts: [{ type: "text", text: "Bye" }] } : each),
    );
    const { value } = write(edited, "v2-js");
    const records = Array.isArray(value) ? (value as Json[]) : [];
    const own = records.filter(record => isJsonObject(record) && record["run_id"] === "r1");
    expect(own.map(record => isJsonObject(record) && record["event"])).toEqual([
      "on_chat_model_start",
      "on_chat_model_stream",
      "on_chat_model_stream",
      "on_chat_model_stream",
      "on_chat_model_end",
    ]);
    expect(records.filter(record => !own.includes(record))).toEqual(answered.filter(({ run_id }) => run_id !== "r1"));
    expect(heard(records)[0]?.parts).toMatchObject([{ text: "Bye" }]);
  });

  test("of a run that gave nothing are an empty answer, of one that was cut an unfinished one", () => {
    expect(heard([run("on_chat_model_start", {}), run("on_chat_model_end", {})])).toMatchObject([
      { role: "assistant", parts: [] },
    ]);
    expect(heard(answered.slice(0, 3))).toMatchObject([
      { finish: { reason: "incomplete" }, parts: [{ text: "Hel", partial: true }] },
    ]);
  });

  test("of the first version are read too", () => {
    const output = { generations: [[{ text: "", message: message("AIMessageChunk", { content: "a", id: "x" }) }]] };
    expect(heard([run("on_llm_start", {}), run("on_llm_end", { output })])).toMatchObject([
      { id: "x", parts: [{ text: "a" }] },
    ]);
  });
});

describe("a message that is written", () => {
  const answer: Message = {
    role: "assistant",
    id: "m",
    provider: "anthropic",
    parts: [
      { type: "reasoning", text: "r", seal: { maker: "anthropic", values: { signature: "c2ln" } } },
      { type: "text", text: "t" },
      { type: "tool-call", callId: "c1", name: "f", input: { a: 1 } },
      { type: "tool-call", callId: "c2", name: "g", input: {} },
    ],
    usage: { input: 1, output: 2 },
    finish: { reason: "tool-calls" },
  };

  test.each(["protocol", "v2-js", "v2-python"])("in the dialect %s is read again as it was", dialect => {
    const { value, losses } = write([answer], dialect);
    expect(losses).toEqual([]);
    const [again] = read(value as Json[]).conversation.messages;
    expect(write(again ? [{ ...again, native: {} }] : [], dialect).value).toEqual(value);
    expect(again).toMatchObject({ role: "assistant", id: "m", usage: answer.usage, finish: answer.finish });
    expect(again?.parts.map(({ native: _, ...part }) => part)).toEqual(answer.parts);
  });

  test("is read by the protocol's own reader", async () => {
    const events = runAll(streamEncoder("langchain-events"), emit([answer]));
    expect(await protocolOutput(events, answer)).toBeUndefined();
  });

  test("begins with its first event, and each text goes on at once", () => {
    const encoder = streamEncoder("langchain-events");
    const at = { message: 0, part: 0 };
    const push = (event: Event): readonly Json[] => encoder.push(event);
    expect(push({ type: "message-start", message: 0, head: { role: "assistant", id: "m" } })).toEqual([
      { event: "message-start", role: "ai", id: "m" },
    ]);
    expect(push({ type: "part-start", value: { type: "text", text: "" }, ...at })).toEqual([]);
    expect(push({ type: "part-delta", of: "text", text: "a", ...at })).toEqual([
      block(0, { type: "text", text: "" }),
      delta(0, textDelta("a")),
    ]);
    expect(push({ type: "part-delta", of: "text", text: "b", ...at })).toEqual([delta(0, textDelta("b"))]);
  });

  test("keeps the order of its blocks where one of them has no text", () => {
    const parts: Message["parts"] = [
      { type: "reasoning", text: "" },
      { type: "file", mediaType: "text/plain", source: { text: "" } },
    ];
    const { value } = write([{ role: "assistant", parts }]);
    expect(read(value as Json[]).conversation.messages).toMatchObject([{ parts }]); // a list of records
  });

  test("of a tool has an output where it has a block, and an empty one is a loss", () => {
    const result = { type: "tool-result", callId: "c" } as const;
    const none = write([{ role: "tool", parts: [result] }]);
    expect(none.losses).toEqual([]);
    const [message] = read(none.value as Json[]).conversation.messages; // a list of records
    expect(message?.parts).toEqual([result]);
    const { losses } = write([{ role: "tool", parts: [{ ...result, output: [] }] }]);
    expect(losses.map(({ code, path }) => [code, path])).toEqual([
      ["empty-output", ["messages", 0, "parts", 0, "output"]],
    ]);
  });

  test("of a person is no record of a run, and the protocol has it", () => {
    const user: Message = { role: "user", parts: [{ type: "text", text: "Hi" }] };
    expect(write([user]).losses).toEqual([]);
    expect(write([user], "v2-js").losses.map(({ code, path }) => [code, path])).toEqual([["input", ["messages", 0]]]);
  });
});

test.each<[records: readonly Json[], dialect: string]>([
  [[start, end], "protocol"],
  [answered, "v2-js"],
  [answered.map(record => ({ ...record, parent_ids: [] })), "v2-python"],
])("is detected: %#", (records, dialect) => {
  const [first] = detect(records);
  expect([first?.format, first?.dialect]).toEqual(["langchain-events", dialect]);
});

test("a call whose block is whole keeps the text of its arguments behind a block that is no call of the list", () => {
  const messages: readonly Message[] = [
    {
      role: "assistant",
      parts: [
        { type: "tool-call", callId: "a", name: "f", executedBy: "provider", kind: "custom", input: "" },
        { type: "tool-call", callId: "b", name: "f", input: { p: false }, inputText: '{ "p": false }' },
      ],
    },
  ];
  const once = read(write(messages, "protocol").value as readonly Json[]).conversation.messages; // records are a list
  const twice = heard(
    write(
      once.map(({ native: _, ...message }) => message),
      "protocol",
    ).value as readonly Json[],
  ); // records are a list
  expect(twice[0]?.parts[1]).toMatchObject({ callId: "b", inputText: '{ "p": false }' });
});
