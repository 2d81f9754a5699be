import { sdkMessage } from "@translogue/testkit/anthropic-oracle";
import {
  accumulate,
  decode,
  type Event,
  emit,
  encode,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const begun = (id = "msg_1"): Json => ({
  type: "message_start",
  message: {
    id,
    type: "message",
    role: "assistant",
    model: "claude-opus-4-8",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 1 },
  },
});
const start = (index: number, block: JsonObject): Json => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, given: JsonObject): Json => ({ type: "content_block_delta", index, delta: given });
const stop = (index: number): Json => ({ type: "content_block_stop", index });
const words = (index: number, text: string): Json => delta(index, { type: "text_delta", text });
const args = (index: number, text: string): Json => delta(index, { type: "input_json_delta", partial_json: text });
const ended = (reason = "end_turn"): readonly Json[] => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const call: JsonObject = { type: "tool_use", id: "toolu_1", name: "f", input: {} };

const read = (...wire: readonly Json[]): readonly Message[] =>
  accumulate(runAll(streamDecoder("anthropic-messages"), wire));
const issuesOf = (...wire: readonly Json[]): readonly string[] => {
  const decoder = streamDecoder("anthropic-messages");
  runAll(decoder, wire);
  return decoder.issues.map(({ code }) => code);
};
const write = (events: readonly Event[]) => {
  const encoder = streamEncoder("anthropic-messages");
  return { wire: runAll(encoder, events), codes: encoder.losses.map(({ code }) => code) };
};
const typesOf = (wire: readonly Json[]): readonly string[] =>
  wire.map(event => {
    const { type, content_block: block, delta: given } = event as JsonObject; // events are objects
    const inner = (block ?? given) as JsonObject | undefined; // as above
    return typeof inner?.["type"] === "string" ? inner["type"] : String(type);
  });

describe("a stream is read as the answer that it makes", () => {
  const whole = (...content: readonly Json[]): readonly Message[] => {
    const body = { ...((begun() as JsonObject)["message"] as JsonObject), content }; // as it was made above
    const value = { ...body, stop_reason: "end_turn", usage: { input_tokens: 5, output_tokens: 9 } };
    return decode(value, { from: "anthropic-messages", shape: "answer" }).conversation.messages;
  };

  test.each<[what: string, wire: readonly Json[], content: readonly Json[]]>([
    [
      "words",
      [start(0, { type: "text", text: "" }), words(0, "It is "), words(0, "14:04."), stop(0)],
      [{ type: "text", text: "It is 14:04." }],
    ],
    [
      "words that came with the announcement",
      [start(0, { type: "text", text: "It" }), words(0, " is"), stop(0)],
      [{ type: "text", text: "It is" }],
    ],
    [
      "thinking, and its signature",
      [
        start(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "t" }),
        delta(0, { type: "signature_delta", signature: "S" }),
        stop(0),
      ],
      [{ type: "thinking", thinking: "t", signature: "S" }],
    ],
    [
      "arguments in pieces",
      [start(0, call), args(0, ""), args(0, '{"a":'), args(0, "1}"), stop(0)],
      [{ ...call, input: { a: 1 } }],
    ],
    ["a call without arguments", [start(0, call), stop(0)], [call]],
    [
      "arguments that came with the announcement",
      [start(0, { ...call, input: { a: 1 } }), stop(0)],
      [{ ...call, input: { a: 1 } }],
    ],
    [
      "citations before the words",
      [
        start(0, { type: "text", text: "", citations: [] }),
        delta(0, {
          type: "citations_delta",
          citation: {
            type: "char_location",
            cited_text: "c",
            document_index: 0,
            document_title: null,
            start_char_index: 0,
            end_char_index: 1,
          },
        }),
        words(0, "a"),
        stop(0),
      ],
      [
        {
          type: "text",
          text: "a",
          citations: [
            {
              type: "char_location",
              cited_text: "c",
              document_index: 0,
              document_title: null,
              start_char_index: 0,
              end_char_index: 1,
            },
          ],
        },
      ],
    ],
    [
      "a compaction",
      [
        start(0, { type: "compaction", content: null }),
        delta(0, { type: "compaction_delta", content: "c", encrypted_content: "E" }),
        stop(0),
      ],
      [{ type: "compaction", content: "c", encrypted_content: "E" }],
    ],
    [
      "blocks that come whole",
      [start(0, { type: "redacted_thinking", data: "D" }), stop(0), start(1, { type: "tomorrow", x: 1 }), stop(1)],
      [
        { type: "redacted_thinking", data: "D" },
        { type: "tomorrow", x: 1 },
      ],
    ],
    ["blocks that nobody closed", [start(0, { type: "text", text: "" }), words(0, "a")], [{ type: "text", text: "a" }]],
    ["words that nobody announced", [words(0, "a"), stop(0)], [{ type: "text", text: "a" }]],
  ])("%s", (_, wire, content) => {
    expect(read(begun(), { type: "ping" }, ...wire, ...ended())).toEqual(whole(...content));
  });
});

test("arguments that do not parse stay as their text", () => {
  const [message] = read(begun(), start(0, call), args(0, '{"a": "b'), stop(0), ...ended("max_tokens"));
  expect(message).toMatchObject({ parts: [{ inputText: '{"a": "b' }], finish: { reason: "length" } });
});

test("a stream that breaks off is no success, and its counts are kept", () => {
  const [message] = read(begun(), start(0, { type: "text", text: "" }), words(0, "a"));
  expect(message).toMatchObject({
    parts: [{ text: "a", partial: true }],
    finish: { reason: "incomplete" },
    usage: { input: 5, output: 1 },
  });
  const [late] = read(begun(), ...ended().slice(0, 1));
  expect(late?.finish?.reason).toBe("incomplete");
});

test("an error in the middle is the end of the answer", () => {
  const error = { type: "error", error: { type: "overloaded_error", message: "busy" } };
  const [message] = read(begun(), start(0, { type: "text", text: "" }), words(0, "a"), error);
  expect(message?.finish?.reason).toBe("error");
  expect(message?.parts.at(-1)).toMatchObject({ type: "error", message: "busy", code: "overloaded_error" });
});

test("an answer that is announced twice is one, and one that another interrupts starts over", () => {
  const one = [start(0, { type: "text", text: "" }), words(0, "a"), stop(0)];
  expect(read(begun(), begun(), ...one, ...ended())).toEqual(read(begun(), ...one, ...ended()));
  const other = read(begun(), start(0, call), args(0, '{"a'), begun("msg_2"), ...one, ...ended());
  expect(other).toEqual(read(begun("msg_2"), ...one, ...ended()));
});

test("answers one after another are messages of their own", () => {
  expect(read(begun(), ...ended(), begun("msg_2"), ...ended()).map(({ responseId }) => responseId)).toEqual([
    "msg_1",
    "msg_2",
  ]);
});

test("what is not understood is reported and left out", () => {
  expect(
    issuesOf(7, { type: "tomorrow" }, begun(), start(0, call), words(0, "a"), delta(3, { type: "tomorrow" })),
  ).toEqual(["not-an-event", "unknown-event", "unknown-event", "unknown-event"]);
});

describe("events are written in blocks that follow one another", () => {
  const at = (part: number) => ({ message: 0, part });
  const text = (part: number): Event => ({ type: "part-start", value: { type: "text", text: "" }, ...at(part) });
  const called = (part: number): Event => ({
    type: "part-start",
    value: { type: "tool-call", callId: `c${part}`, name: "f" },
    ...at(part),
  });
  const more = (part: number, of: "text" | "tool-call", words: string): Event => ({
    type: "part-delta",
    of,
    text: words,
    ...at(part),
  });
  const over = (part: number): Event => ({ type: "part-end", ...at(part) });
  const opened: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
  const end: Event = { type: "message-end", message: 0 };

  test("words that go on after others are a block of their own, at once", () => {
    const events = [opened, text(0), more(0, "text", "a"), text(1), more(1, "text", "b"), more(0, "text", "c")];
    expect(typesOf(write(events).wire)).toEqual([
      "message_start",
      ...["text", "text_delta", "content_block_stop", "text", "text_delta", "content_block_stop", "text", "text_delta"],
    ]);
  });

  test("only what comes beside a half-told call waits for it", () => {
    const encoder = streamEncoder("anthropic-messages");
    const push = (event: Event): number => encoder.push(event).length;
    expect(
      [
        opened,
        called(0),
        more(0, "tool-call", '{"a"'),
        called(1),
        more(1, "tool-call", "{}"),
        text(2),
        more(2, "text", "b"),
      ].map(push),
    ).toEqual([1, 1, 1, 0, 0, 0, 0]);
    expect(typesOf(encoder.push(more(0, "tool-call", ":1}")))).toEqual(["input_json_delta"]);
    expect(typesOf(encoder.push(over(0)))).toEqual(["content_block_stop", "tool_use", "input_json_delta"]);
    expect(typesOf(encoder.push(over(1)))).toEqual(["content_block_stop", "text", "text_delta"]);
  });

  test("free text is escaped as it comes", () => {
    const custom: Event = {
      type: "part-start",
      value: { type: "tool-call", callId: "c", name: "f", kind: "custom" },
      ...at(0),
    };
    const { wire } = write([opened, custom, more(0, "tool-call", 'say "'), more(0, "tool-call", 'a"\n'), over(0)]);
    const pieces = wire.flatMap(event => {
      const { delta: given } = event as JsonObject; // events are objects
      return given ? [(given as JsonObject)["partial_json"]] : []; // as above
    });
    expect(JSON.parse(pieces.join(""))).toEqual({ input: 'say "a"\n' });
  });

  test.each([
    ["[1]", { input: [1] }],
    ['"x"', { input: "x" }],
    ["[1", { rawInvalidInput: "[1" }],
    [' {"a":1.0}', { a: 1 }],
  ])("arguments that are no object go out as one, whole: %s", (told, input) => {
    const pieces = [...told].map(each => more(0, "tool-call", each));
    const { wire } = write([opened, called(0), ...pieces, over(0)]);
    const texts = wire.flatMap(event => (event as { delta?: { partial_json?: string } }).delta?.partial_json ?? []); // as above
    expect(JSON.parse(texts.join(""))).toEqual(input);
  });

  test("citations that are set are told, as those that come one by one", () => {
    const [first, second] = [{ url: "https://a" }, { url: "https://b" }];
    const cited = (...citations: readonly { readonly url: string }[]): Event => ({
      type: "part-set",
      set: { citations },
      ...at(0),
    });
    const { wire, codes } = write([opened, text(0), more(0, "text", "a"), cited(first), cited(first, second), over(0)]);
    expect(typesOf(wire).filter(type => type === "citations_delta")).toHaveLength(2);
    expect(codes).not.toContain("already-sent");
    expect(write([opened, text(0), cited(first), cited(second), over(0), end]).codes).toContain("already-sent");
    expect(write([opened, text(0), more(0, "text", "a"), over(0), cited(first), end]).codes).toContain("already-sent");
  });

  test("what is told too late or out of order is reported", () => {
    const late: Event = { type: "part-set", set: { callId: "other" }, ...at(0) };
    const known: Event = { type: "message-set", message: 0, set: { responseId: "msg_2" } };
    expect(write([opened, known, end]).codes).toContain("already-sent");
    expect(write([opened, called(0), over(0), late, end]).codes).toContain("already-sent");
    expect(write([opened, text(0), end]).codes).toContain("open");
    expect(write([opened, text(3), over(3), text(1), over(1), end]).codes).toContain("order");
  });

  test("a stream that breaks off has no end", () => {
    expect(typesOf(write([opened, text(0), more(0, "text", "a")]).wire)).not.toContain("message_stop");
  });
});

test("the official SDK makes of what is written what the message is", async () => {
  const parts: readonly Part[] = [
    { type: "reasoning", text: "r", seal: { maker: "anthropic", values: { signature: "S" } } },
    { type: "reasoning", seal: { maker: "anthropic", values: { data: "D" } } },
    {
      type: "text",
      text: "a",
      citations: [
        { url: "https://a", title: "A", quote: "q", seal: { maker: "anthropic", values: { encrypted_index: "I" } } },
      ],
    },
    {
      type: "tool-call",
      callId: "srvtoolu_1",
      name: "web_search",
      kind: "web-search",
      executedBy: "provider",
      input: { query: "q" },
    },
    {
      type: "tool-result",
      callId: "srvtoolu_1",
      output: [
        {
          type: "source",
          url: "https://a",
          title: "A",
          seal: { maker: "anthropic", values: { encrypted_content: "E" } },
        },
      ],
    },
    {
      type: "compaction",
      summary: [{ type: "text", text: "s" }],
      seal: { maker: "anthropic", values: { encrypted_content: "E" } },
    },
    { type: "tool-call", callId: "toolu_1", name: "f", input: { a: [1, "ü"] } },
  ];
  const message: Message = {
    role: "assistant",
    parts,
    model: "claude-opus-4-8",
    responseId: "msg_1",
    finish: { reason: "tool-calls" },
    usage: { input: 5, cacheRead: 2, output: 7, reasoning: 2 },
  };
  const { wire, codes } = write(emit([message]));
  const { value } = encode({ messages: [message] }, { to: "anthropic-messages", shape: "answer" });
  expect(codes).toEqual([]);
  expect(JSON.parse(JSON.stringify(await sdkMessage(wire)))).toMatchObject(value as object); // an answer is an object
});

test.each<[string, Json]>([
  ["0", { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }],
  ["null", { ephemeral_5m_input_tokens: null, ephemeral_1h_input_tokens: null }],
  ["a part", { ephemeral_5m_input_tokens: 60 }],
])("counts inside of counts say nothing by %s behind a sum", (_, later) => {
  const sums = { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 };
  const said = (usage: JsonObject): Json[] => [
    {
      type: "message_start",
      message: {
        ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
        ...{ stop_reason: null, stop_sequence: null },
        usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 100, cache_creation: sums },
      },
    },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  const read = (usage: JsonObject) => decode(said(usage), { from: "anthropic-messages", shape: "stream" }).conversation;
  expect(read({ output_tokens: 5, cache_creation: later })).toEqual(read({ output_tokens: 5 }));
});
