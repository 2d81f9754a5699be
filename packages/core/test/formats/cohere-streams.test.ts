import { accumulate, type Event, emit, type Json, type JsonObject, type Message, type Part, runAll } from "translogue";
import { cohere } from "translogue/cohere";
import { decode, streamDecoder, streamEncoder } from "translogue/convert";
import { describe, expect, test } from "vitest";

const of = (type: string, index: number, message?: JsonObject): JsonObject => ({
  type,
  index,
  ...(message && { delta: { message } }),
});
const start: Json = {
  id: "a",
  type: "message-start",
  delta: { message: { role: "assistant", content: [], tool_plan: "" } },
};
const end = (delta: JsonObject = { finish_reason: "COMPLETE" }): Json => ({ type: "message-end", delta });
const block = (index: number, type = "text"): Json =>
  of("content-start", index, { content: { type, [type === "text" ? "text" : "thinking"]: "" } });
const words = (index: number, content: JsonObject): Json => of("content-delta", index, { content });
const said = (...content: readonly JsonObject[]): Json[] => [
  start,
  ...content.flatMap((piece, index): Json[] => [
    block(index, Object.hasOwn(piece, "thinking") ? "thinking" : "text"),
    words(index, piece),
    of("content-end", index),
  ]),
];
const cite = (index: number, citation: JsonObject): Json => of("citation-start", index, { citations: citation });
const citation = { start: 0, end: 1, text: "a", sources: [], type: "TEXT_CONTENT" };
const call = (index: number, ...pieces: readonly string[]): Json[] => [
  of("tool-call-start", index, {
    tool_calls: { id: `c${index}`, type: "function", function: { name: "f", arguments: "" } },
  }),
  ...pieces.map(text => of("tool-call-delta", index, { tool_calls: { function: { arguments: text } } })),
  of("tool-call-end", index),
];
const plan = (text: string): Json => ({ type: "tool-plan-delta", delta: { message: { tool_plan: text } } });

const eventsOf = (wire: readonly Json[]): readonly Event[] => runAll(streamDecoder(cohere), wire);
const read = (wire: readonly Json[]): readonly Message[] => accumulate(eventsOf(wire));
const write = (messages: readonly Message[]): readonly Json[] =>
  runAll(streamEncoder(cohere, { recipient: "store" }), emit(messages));
const whole = (message: JsonObject, more: JsonObject = {}): readonly Message[] => {
  const body = { id: "a", message: { role: "assistant", ...message }, finish_reason: "COMPLETE", ...more };
  return decode(cohere, body, { shape: "answer" }).conversation.messages;
};

test("what a text rests on comes before the text ends, and once", () => {
  const [second, third] = [block(1), words(1, { text: "a" })];
  const late = { ...citation, content_index: 1 };
  const wire = [
    ...said({ text: "a" }).slice(0, -1),
    cite(0, citation),
    cite(1, late),
    of("content-end", 0),
    second,
    third,
    of("content-end", 1),
    end(),
  ];
  const order = eventsOf(wire).flatMap(event =>
    "part" in event && event.type !== "part-delta" ? [`${event.type} ${event.part}`] : [],
  );
  expect(order).toEqual(["part-start 0", "citation 0", "part-end 0", "part-start 1", "citation 1", "part-end 1"]);
});

describe("a stream is read as its whole", () => {
  test.each<[name: string, wire: readonly Json[], message: JsonObject, more?: JsonObject]>([
    [
      "thoughts and words",
      [...said({ thinking: "t" }, { text: "a" }), end()],
      {
        content: [
          { type: "thinking", thinking: "t" },
          { type: "text", text: "a" },
        ],
      },
    ],
    [
      "a plan and calls",
      [start, plan("I "), plan("will."), ...call(0, '{"a"', ":1}"), ...call(1), end({ finish_reason: "TOOL_CALL" })],
      {
        tool_plan: "I will.",
        tool_calls: ['{"a":1}', ""].map((text, index) => ({
          id: `c${index}`,
          type: "function",
          function: { name: "f", arguments: text },
        })),
      },
      { finish_reason: "TOOL_CALL" },
    ],
    [
      "citations, before and behind the end of their text",
      [start, block(0), words(0, { text: "a" }), cite(0, citation), of("content-end", 0), cite(1, citation), end()],
      { content: [{ type: "text", text: "a" }], citations: [citation, citation] },
    ],
    [
      "blocks that mix",
      [
        start,
        block(1),
        block(0, "thinking"),
        words(1, { text: "a" }),
        words(0, { thinking: "t" }),
        words(1, { text: "b" }),
        end(),
      ],
      {
        content: [
          { type: "thinking", thinking: "t" },
          { type: "text", text: "ab" },
        ],
      },
    ],
    [
      "a block that is not announced",
      [start, words(0, { text: "a" }), end()],
      { content: [{ type: "text", text: "a" }] },
    ],
    [
      "a block of a new kind",
      [start, of("content-start", 0, { content: { type: "hologram", depth: 3 } }), of("content-end", 0), end()],
      { content: [{ type: "hologram", depth: 3 }] },
    ],
    [
      "what older versions put into lists",
      [
        start,
        of("tool-call-start", 0, {
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
        }),
        end(),
      ],
      { tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
    ],
    [
      "counts and probabilities",
      [
        start,
        block(0),
        { ...(words(0, { text: "a" }) as JsonObject), logprobs: { text: "a", token_ids: [1] } },
        end({
          finish_reason: "MAX_TOKENS",
          usage: { tokens: { output_tokens: 1 }, billed_units: { output_tokens: 1 } },
        }),
      ],
      { content: [{ type: "text", text: "a" }] },
      {
        finish_reason: "MAX_TOKENS",
        usage: { tokens: { output_tokens: 1 }, billed_units: { output_tokens: 1 } },
        logprobs: [{ text: "a", token_ids: [1] }],
      },
    ],
  ])("%s", (_, wire, message, more) => {
    const messages = read(wire);
    expect(messages).toEqual(whole(message, more));
    expect(read(write(messages))).toEqual(messages);
  });
});

test("a call without arguments is written again as one", () => {
  const wire = [start, ...call(0), end({ finish_reason: "TOOL_CALL" })];
  expect(read(runAll(streamEncoder(cohere, { recipient: "store" }), eventsOf(wire)))).toEqual(read(wire));
});

describe("what comes is told at once:", () => {
  test("words, plans and arguments, with the event that brings them", () => {
    const decoder = streamDecoder(cohere);
    const deltas = [start, block(0), words(0, { text: "a" }), plan("p"), ...call(0, "{}")].map(wire =>
      decoder.push(wire).flatMap(event => (event.type === "part-delta" ? [event.text] : [])),
    );
    expect(deltas.flat()).toEqual(["a", "p", "{}"]);
    expect(deltas[2]).toEqual(["a"]);
  });

  test("words of two parts that mix go out as they come", () => {
    const encoder = streamEncoder(cohere);
    const events: Event[] = [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
      { type: "part-start", message: 0, part: 1, value: { type: "tool-call", callId: "c", name: "f" } },
      { type: "part-delta", message: 0, part: 1, of: "tool-call", text: "{" },
      { type: "part-delta", message: 0, part: 0, of: "text", text: "a" },
      { type: "part-delta", message: 0, part: 1, of: "tool-call", text: "}" },
    ];
    expect(events.map(event => encoder.push(event).length)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

describe("a stream that fails", () => {
  test.each<[name: string, tail: readonly Json[]]>([
    ["by its end", [end({ finish_reason: "ERROR", error: "overloaded" })]],
    ["by an event", [{ type: "error", message: "overloaded" }]],
    ["by a body", [{ id: "e", message: "overloaded" }]],
  ])("%s is an error with what came before", (_, tail) => {
    const messages = read([...said({ text: "a" }), ...tail]);
    expect(messages).toMatchObject([
      {
        parts: [
          { type: "text", text: "a" },
          { type: "error", message: "overloaded" },
        ],
        finish: { reason: "error" },
      },
    ]);
    expect(read(write(messages))).toEqual(messages);
  });

  test("by a cut is not finished, and what was open stays open", () => {
    const messages = read([start, block(0), words(0, { text: "a" })]);
    expect(messages).toEqual([
      {
        role: "assistant",
        responseId: "a",
        finish: { reason: "incomplete" },
        parts: [{ type: "text", text: "a", partial: true }],
      },
    ]);
    expect(read(write(messages))).toEqual(messages);
  });
});

test("an event that is not known is kept in its place, with an issue", () => {
  const decoder = streamDecoder(cohere);
  const debug = { type: "debug", prompt: "p" };
  const messages = accumulate(runAll(decoder, [...said({ text: "a" }), debug, end()]));
  expect(messages[0]?.parts[1]).toMatchObject({ type: "opaque", value: debug });
  expect(decoder.issues.map(({ code }) => code)).toEqual(["unknown-event"]);
  expect(write(messages)).toContainEqual(debug);
});

test("an answer that is announced anew takes the place of the one before", () => {
  const other = { ...(start as JsonObject), id: "b" };
  expect(read([...said({ text: "a" }), other, block(0), words(0, { text: "b" }), end()])).toMatchObject([
    { responseId: "b", parts: [{ type: "text", text: "b" }] },
  ]);
});

test("an answer behind another one is a message of its own", () => {
  const messages = read([...said({ text: "a" }), end(), ...said({ text: "b" }), end()]);
  expect(messages.map(({ parts }) => parts)).toMatchObject([[{ text: "a" }], [{ text: "b" }]]);
});

test.each<[code: string, events: readonly Event[]]>([
  [
    "already-sent",
    [
      { type: "part-delta", message: 0, part: 0, of: "text", text: "a" },
      { type: "part", message: 0, part: 0, value: { type: "text", text: "b" } },
    ],
  ],
  ["already-sent", [{ type: "message-start", message: 0, head: { role: "assistant" } }]],
  ["open", [{ type: "message-end", message: 0 }]],
])("says where a stream cannot say it: %s", (code, events) => {
  const encoder = streamEncoder(cohere);
  runAll(encoder, [
    { type: "message-start", message: 0, head: { role: "assistant", finish: { reason: "stop" } } },
    { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
    ...events,
  ]);
  expect(encoder.losses.map(loss => loss.code)).toContain(code);
});

test("a citation is of its own text, where another text of the answer came first", () => {
  const cited: Part = { type: "text", text: "abc", citations: [{ url: "https://a.example/", start: 0, end: 1 }] };
  const messages: readonly Message[] = [
    {
      role: "assistant",
      finish: { reason: "stop" },
      parts: [
        { type: "compaction", summary: [cited] },
        { type: "text", text: "first" },
      ],
    },
  ];
  expect(read(write(messages))).toMatchObject([{ parts: [{ type: "text", text: "first" }, cited] }]);
});
