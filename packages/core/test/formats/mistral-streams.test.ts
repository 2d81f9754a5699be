import { accumulate, type Event, emit, type Json, type JsonObject, type Message, runAll } from "translogue";
import { decode, encode, streamDecoder, streamEncoder } from "translogue/convert";
import { mistral } from "translogue/mistral";
import { describe, expect, test } from "vitest";

const head = { id: "h", object: "chat.completion.chunk", created: 1_764_500_000, model: "m" };
const chunk = (delta: JsonObject, end: JsonObject = { finish_reason: null }, more: JsonObject = {}): JsonObject => ({
  ...head,
  choices: [{ index: 0, delta, ...end }],
  ...more,
});
const stop = chunk({}, { finish_reason: "stop" });
const say = (...contents: readonly Json[]): JsonObject[] => contents.map(content => chunk({ content }));
const think = (pieces: readonly Json[], more: JsonObject = {}): Json => [
  { type: "thinking", thinking: pieces, ...more },
];
const text = (words: string): JsonObject => ({ type: "text", text: words });
const find = { type: "tool_reference", tool: "web_search", title: "A", url: "https://a" };
const call = (id: Json, args: Json, more: JsonObject = {}): JsonObject => ({
  id,
  function: { name: "f", arguments: args },
  ...more,
});

const heard = (chunks: readonly Json[]): Message[] => accumulate(runAll(streamDecoder(mistral), chunks));
const events = (chunks: readonly Json[]): Event[] => runAll(streamDecoder(mistral), chunks);
const written = (from: readonly Event[]) => {
  const encoder = streamEncoder(mistral, { recipient: "client" });
  return { chunks: runAll(encoder, from), losses: encoder.losses };
};
const whole = (message: JsonObject, finish = "stop"): readonly Message[] =>
  decode(
    mistral,
    {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, finish_reason: finish, message: { role: "assistant", ...message } }],
    },
    { shape: "answer" },
  ).conversation.messages;

describe("a stream reads as the answer that it is in pieces", () => {
  test.each<[name: string, chunks: readonly JsonObject[], message: JsonObject, finish?: string]>([
    ["words", say("", "a", "", "b"), { content: "ab" }],
    ["words in chunks", say([text("a")], [text("b")]), { content: "ab" }],
    ["nothing", say(""), { content: "" }],
    [
      "thoughts, then words",
      say(think([text("a")]), think([text("b")]), "c", "d"),
      { content: [{ type: "thinking", thinking: [text("ab")] }, text("cd")] },
    ],
    [
      "a signature behind its thought",
      say(think([text("a")]), think([], { signature: "s" }), think([text("b")]), "c"),
      {
        content: [
          { type: "thinking", thinking: [text("a")], signature: "s" },
          { type: "thinking", thinking: [text("b")] },
          text("c"),
        ],
      },
    ],
    [
      "a hidden thought",
      say(think([], { signature: "s" }), "a"),
      { content: [{ type: "thinking", thinking: [], signature: "s" }, text("a")] },
    ],
    [
      "a thought that is closed",
      say(think([text("a")], { closed: true }), think([text("b")])),
      {
        content: [
          { type: "thinking", thinking: [text("a")], closed: true },
          { type: "thinking", thinking: [text("b")] },
        ],
      },
    ],
    [
      "references among thoughts",
      say(think([text("a"), { type: "reference", reference_ids: [1] }]), think([text("b"), find]), "c"),
      {
        content: [
          { type: "thinking", thinking: [text("a"), { type: "reference", reference_ids: [1] }, text("b"), find] },
          text("c"),
        ],
      },
    ],
    ["finds among words", say("a", [find, find], "b"), { content: [text("a"), find, find, text("b")] }],
    [
      "a chunk of next year",
      say("a", [{ type: "x", y: 1 }], "b"),
      { content: [text("a"), { type: "x", y: 1 }, text("b")] },
    ],
    [
      "whole calls",
      [...say("", null), chunk({ tool_calls: [call("a", "{}", { index: 0 }), call("b", "{}", { index: 1 })] })],
      { content: null, tool_calls: [call("a", "{}", { index: 0 }), call("b", "{}", { index: 1 })] },
    ],
    [
      "calls without a count",
      [chunk({ tool_calls: [call("a", "{}")] }), chunk({ tool_calls: [call("b", { c: 1 })] })],
      { tool_calls: [call("a", "{}"), call("b", { c: 1 })] },
    ],
    [
      "calls of one count",
      [chunk({ tool_calls: [call("a", "{}", { index: 0 })] }), chunk({ tool_calls: [call("b", "{}", { index: 0 })] })],
      { tool_calls: [call("a", "{}", { index: 0 }), call("b", "{}", { index: 0 })] },
    ],
    [
      "a call in pieces, as servers of open models send it",
      [
        chunk({ tool_calls: [call("a", "{", { index: 0 })] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: "}" } }] }),
      ],
      { tool_calls: [call("a", "{}", { index: 0 })] },
    ],
    ["members of next year", [chunk({ content: "a", mood: "good" })], { content: "a", mood: "good" }],
  ])("%s", (_, chunks, message) => {
    expect(heard([...chunks, stop])).toEqual(whole(message));
    const again = written(events([...chunks, stop]));
    expect(heard(again.chunks)).toEqual(heard([...chunks, stop]));
  });

  test("with the counts of its last chunk", () => {
    const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3, num_cached_tokens: 1 };
    const [message] = heard([...say("a"), { ...stop, usage }]);
    expect(message?.usage).toEqual({ input: 1, cacheRead: 1, output: 1 });
  });

  test("of several choices", () => {
    const choice = (index: number, content: string): Json => ({
      ...head,
      choices: [{ index, delta: { content }, finish_reason: null }],
    });
    const end = { ...head, choices: [0, 1].map(index => ({ index, delta: {}, finish_reason: "stop" })) };
    const chunks = [choice(0, "a"), choice(1, "b"), choice(0, "c"), end];
    expect(heard(chunks).map(({ parts }) => parts)).toEqual([[text("ac")], [text("b")]]);
    expect(heard(written(events(chunks)).chunks)).toEqual(heard(chunks));
  });
});

describe("a stream without its end", () => {
  test("is an unfinished message, of which the last words are open", () => {
    expect(heard(say(think([text("a")]), "b"))).toMatchObject([
      {
        finish: { reason: "incomplete" },
        parts: [
          { type: "reasoning", text: "a" },
          { type: "text", text: "b", partial: true },
        ],
      },
    ]);
  });

  test.each<[name: string, failure: JsonObject]>([
    [
      "as Mistral says it",
      { object: "error", message: "Service tier capacity exceeded", type: "t", param: null, code: "3505" },
    ],
    ["as others say it", { error: { message: "Service tier capacity exceeded", code: "3505" } }],
  ])("failed, if an error ends it: %s", (_, failure) => {
    const chunks = [...say("a"), failure];
    expect(heard(chunks)).toMatchObject([
      {
        finish: { reason: "error" },
        parts: [
          { type: "text", text: "a", partial: true },
          { type: "error", message: "Service tier capacity exceeded", code: "3505" },
        ],
      },
    ]);
    expect(heard(written(events(chunks)).chunks)).toEqual(heard(chunks));
  });

  test("gives valid messages at every place", () => {
    const chunks = [
      ...say("", think([text("a"), find]), think([text("b")], { signature: "s" }), "c", [find], "d"),
      stop,
    ];
    for (let length = 0; length <= chunks.length; length++) {
      const messages = heard(chunks.slice(0, length));
      expect(accumulate(emit(messages))).toEqual(messages);
    }
  });
});

describe("what is written", () => {
  const at = (part: number) => ({ message: 0, part });
  const begin: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
  const part = (number: number, value: Message["parts"][number]): Event => ({
    type: "part-start",
    ...at(number),
    value,
  });
  const delta = (number: number, of: "text" | "reasoning" | "tool-call", words: string): Event => ({
    type: "part-delta",
    ...at(number),
    of,
    text: words,
  });
  const contents = (chunks: readonly Json[]): Json[] =>
    chunks.flatMap(each => {
      const [choice] = (each as { choices: readonly { delta: JsonObject }[] }).choices; // chunks
      return choice?.delta["content"] ?? choice?.delta["tool_calls"] ?? [];
    });

  test("passes words on as they come", () => {
    const encoder = streamEncoder(mistral, { recipient: "client" });
    encoder.push(begin);
    encoder.push(part(0, { type: "text", text: "" }));
    expect(contents(encoder.push(delta(0, "text", "a")))).toEqual(["a"]);
    expect(contents(encoder.push(delta(0, "text", "b")))).toEqual(["b"]);
  });

  test("has calls whole, for the SDK takes no others", () => {
    const encoder = streamEncoder(mistral, { recipient: "client" });
    encoder.push(begin);
    encoder.push(part(0, { type: "tool-call", callId: "c", name: "f" }));
    expect(encoder.push(delta(0, "tool-call", '{"a":'))).toEqual([]);
    expect(encoder.push(delta(0, "tool-call", "1}"))).toEqual([]);
    expect(contents(encoder.push({ type: "part-end", ...at(0) }))).toEqual([
      { type: "function", ...call("c", '{"a":1}'), index: 0 },
    ]);
  });

  test("does not wait for thoughts that nobody ended", () => {
    const { chunks } = written([
      begin,
      part(0, { type: "reasoning", text: "" }),
      delta(0, "reasoning", "a"),
      part(1, { type: "text", text: "" }),
      delta(1, "text", "b"),
    ]);
    expect(contents(chunks)).toEqual([{ type: "thinking", thinking: [text("a")] }, "b"]);
  });

  test("ends as the answer does that is written whole", () => {
    const message: Message = {
      role: "assistant",
      parts: [{ type: "text", text: "a", citations: [{ url: "https://a" }] }],
      responseId: "h",
      finish: { reason: "context" },
      usage: { input: 2, output: 1 },
    };
    const { chunks } = written(emit([message]));
    const answer = encode(mistral, { messages: [message] }, { shape: "answer", recipient: "client" }).value;
    const back = decode(mistral, answer, { shape: "answer" }).conversation.messages;
    expect(heard(chunks)).toEqual(back);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: "model_length" }], usage: { total_tokens: 3 } });
  });
});
