import type { Event, Json, JsonObject, Message, Part } from "translogue";
import { accumulate, emit, encodeSse, runAll } from "translogue";
import { decode, streamDecoder, streamEncoder, transcode } from "translogue/convert";
import { geminiInteractions } from "translogue/gemini-interactions";
import { openaiChat } from "translogue/openai-chat";
import { describe, expect, test } from "vitest";

const created = (more: JsonObject = {}): JsonObject => ({
  event_type: "interaction.created",
  interaction: { id: "v1_s", status: "in_progress", object: "interaction", model: "m", ...more },
});
const completed = (status = "completed", more: JsonObject = {}): JsonObject => ({
  event_type: "interaction.completed",
  interaction: { id: "v1_s", status, object: "interaction", model: "m", ...more },
});
const start = (index: number, step: Json): JsonObject => ({ event_type: "step.start", index, step });
const delta = (index: number, said: Json): JsonObject => ({ event_type: "step.delta", index, delta: said });
const stop = (index: number, more: JsonObject = {}): JsonObject => ({ event_type: "step.stop", index, ...more });
const text = (words: string, more: JsonObject = {}): JsonObject => ({ type: "text", text: words, ...more });
const summary = (content: JsonObject): JsonObject => ({ type: "thought_summary", content });
const png: JsonObject = { type: "image", mime_type: "image/png", data: "AAAA" };
const args = (words: string): JsonObject => ({ type: "arguments_delta", arguments: words });

const heard = (...wire: readonly Json[]): readonly Event[] => runAll(streamDecoder(geminiInteractions), wire);
const whole = (...wire: readonly Json[]): readonly Message[] => accumulate(heard(...wire));
const answered = (status: string, steps: readonly Json[], more: JsonObject = {}): readonly Message[] =>
  decode(
    geminiInteractions,
    { id: "v1_s", status, object: "interaction", model: "m", steps, ...more },
    { shape: "answer" },
  ).conversation.messages;
const told = (events: readonly Event[]) => {
  const encoder = streamEncoder(geminiInteractions, { recipient: "store" });
  const wire = runAll(encoder, events) as JsonObject[]; // events of this format are objects
  return { wire, codes: encoder.losses.map(({ code }) => code) };
};

describe("a stream that is read", () => {
  test.each<[name: string, events: readonly Json[], steps: readonly Json[], status?: string]>([
    [
      "a text in pieces, with what it cites",
      [
        start(0, { type: "model_output" }),
        delta(0, text("é ")),
        delta(0, text("b")),
        delta(0, {
          type: "text_annotation_delta",
          annotations: [{ type: "url_citation", url: "u", start_index: 0, end_index: 2 }],
        }),
        delta(0, {
          type: "text_annotation_delta",
          annotations: [{ type: "url_citation", url: "u", start_index: 0, end_index: 2 }],
        }),
        stop(0),
      ],
      [
        {
          type: "model_output",
          content: [text("é b", { annotations: [{ type: "url_citation", url: "u", start_index: 0, end_index: 2 }] })],
        },
      ],
    ],
    [
      "a thought whose signature comes last",
      [
        start(0, { type: "thought" }),
        delta(0, summary(text("a"))),
        delta(0, summary(text("b"))),
        delta(0, summary(png)),
        delta(0, summary(text("c"))),
        delta(0, { type: "thought_signature", signature: "c2ln" }),
        stop(0),
      ],
      [{ type: "thought", summary: [text("ab"), png, text("c")], signature: "c2ln" }],
    ],
    [
      "a thought that is not shown",
      [start(0, { type: "thought" }), delta(0, { signature: "c2ln" }), stop(0)],
      [{ type: "thought", signature: "c2ln" }],
    ],
    [
      "texts with a picture between them",
      [
        start(0, { type: "model_output" }),
        delta(0, text("a")),
        delta(0, png),
        delta(0, text("b")),
        delta(0, text("c")),
        stop(0),
      ],
      [{ type: "model_output", content: [text("a"), png, text("bc")] }],
    ],
    [
      "a call in pieces",
      [
        start(0, { type: "function_call", id: "c", signature: "", name: "f", arguments: {} }),
        delta(0, args('{"a"')),
        delta(0, args(":1}")),
        stop(0),
      ],
      [{ type: "function_call", id: "c", signature: "", name: "f", arguments: { a: 1 } }],
      "requires_action",
    ],
    [
      "a call that is signed late, and one that needs nothing",
      [
        start(0, { type: "function_call", id: "c", signature: "", name: "f", arguments: {} }),
        delta(0, { ...args("{}"), signature: "c2ln" }),
        stop(0),
        start(1, { type: "function_call", id: "d", name: "g", arguments: {} }),
        stop(1),
      ],
      [
        { type: "function_call", id: "c", signature: "c2ln", name: "f", arguments: {} },
        { type: "function_call", id: "d", name: "g", arguments: {} },
      ],
      "requires_action",
    ],
    [
      "a call that came at once",
      [start(0, { type: "function_call", id: "c", name: "f", arguments: { a: [1] } }), stop(0)],
      [{ type: "function_call", id: "c", name: "f", arguments: { a: [1] } }],
      "requires_action",
    ],
    [
      "the provider's own tools",
      [
        start(0, { type: "google_search_call", id: "s", signature: "" }),
        delta(0, { type: "google_search_call", arguments: { queries: ["q"] }, signature: "c2ln" }),
        stop(0),
        start(1, { type: "google_search_result", call_id: "s", signature: "" }),
        delta(1, { type: "google_search_result", result: [{ url: "u" }], is_error: false }),
        stop(1),
        start(2, { type: "mcp_server_tool_call", id: "t" }),
        delta(2, { type: "mcp_server_tool_call", name: "n", server_name: "s", arguments: {} }),
        stop(2),
      ],
      [
        { type: "google_search_call", id: "s", signature: "c2ln", arguments: { queries: ["q"] } },
        { type: "google_search_result", call_id: "s", signature: "", result: [{ url: "u" }], is_error: false },
        { type: "mcp_server_tool_call", id: "t", name: "n", server_name: "s", arguments: {} },
      ],
    ],
    [
      "steps side by side",
      [
        start(0, { type: "model_output" }),
        delta(0, text("a")),
        start(1, { type: "function_call", id: "c", name: "f", arguments: {} }),
        delta(1, args('{"a":')),
        delta(0, text("b")),
        delta(1, args("1}")),
        stop(1),
        delta(0, text("c")),
        stop(0),
      ],
      [
        { type: "model_output", content: [text("abc")] },
        { type: "function_call", id: "c", name: "f", arguments: { a: 1 } },
      ],
      "requires_action",
    ],
    [
      "steps that are not known",
      [start(0, { type: "later", a: 1 }), delta(0, { type: "later_delta", b: 2 }), stop(0)],
      [{ type: "later", a: 1, b: 2 }],
    ],
    [
      "steps that say nothing",
      [start(0, { type: "model_output" }), stop(0), start(1, { type: "model_output", content: [text("a")] }), stop(1)],
      [{ type: "model_output" }, { type: "model_output", content: [text("a")] }],
    ],
    [
      "steps of several sides",
      [
        start(0, { type: "user_input", content: [text("q")] }),
        stop(0),
        start(1, { type: "function_call", id: "c", name: "f", arguments: {} }),
        stop(1),
        start(2, { type: "function_result", call_id: "c" }),
        delta(2, { type: "function_result", result: "x", is_error: true }),
        stop(2),
        start(3, { type: "model_output" }),
        delta(3, text("a")),
        stop(3),
      ],
      [
        { type: "user_input", content: [text("q")] },
        { type: "function_call", id: "c", name: "f", arguments: {} },
        { type: "function_result", call_id: "c", result: "x", is_error: true },
        { type: "model_output", content: [text("a")] },
      ],
    ],
    [
      "deltas of a step that nobody announced",
      [delta(0, text("a")), stop(0), delta(1, summary(text("t"))), stop(1)],
      [
        { type: "model_output", content: [text("a")] },
        { type: "thought", summary: [text("t")] },
      ],
    ],
    [
      "the same index twice",
      [
        start(0, { type: "model_output" }),
        delta(0, text("a")),
        stop(0),
        start(0, { type: "model_output" }),
        delta(0, text("b")),
        stop(0),
      ],
      [
        { type: "model_output", content: [text("a")] },
        { type: "model_output", content: [text("b")] },
      ],
    ],
    [
      "steps under their first name",
      [
        { event_type: "content.start", index: 0, content: text("") },
        { event_type: "content.delta", index: 0, delta: text("a") },
        { event_type: "content.stop", index: 0 },
      ],
      [{ type: "model_output", content: [text("a")] }],
    ],
  ])("gives what it holds as a whole: %s", (_, events, steps, status = "completed") => {
    expect(whole(created(), ...events, completed(status))).toEqual(answered(status, steps));
    expect(whole(created(), ...events, completed(status, { steps }))).toEqual(answered(status, steps));
    const again = told(heard(created(), ...events, completed(status)));
    expect(whole(...again.wire)).toEqual(answered(status, steps));
    expect(again.codes).toEqual([]);
  });

  test("passes words on as they come", () => {
    const decoder = streamDecoder(geminiInteractions);
    expect(decoder.push(created())).toMatchObject([
      { type: "message-start", head: { responseId: "v1_s", model: "m" } },
    ]);
    expect(decoder.push(start(0, { type: "model_output" }))).toEqual([]);
    expect(decoder.push(delta(0, text("a")))).toMatchObject([
      { type: "part-start" },
      { type: "part-delta", text: "a" },
    ]);
    expect(decoder.push(delta(0, text("b")))).toMatchObject([{ type: "part-delta", text: "b" }]);
    expect(decoder.push(stop(0))).toMatchObject([{ type: "part-end" }]);
    expect(decoder.push(completed())).toMatchObject([
      { type: "message-set", set: { finish: { reason: "stop" } } },
      { type: "message-end" },
    ]);
  });

  test("that breaks off is no success, whatever was said of its status", () => {
    const events = [
      created(),
      start(0, { type: "model_output" }),
      delta(0, text("a")),
      delta(0, { type: "text_annotation_delta", annotations: [{ type: "url_citation", url: "u" }] }),
      { event_type: "interaction.status_update", interaction_id: "v1_s", status: "completed" },
    ];
    expect(whole(...events)).toMatchObject([
      {
        finish: { reason: "incomplete" },
        parts: [{ type: "text", text: "a", partial: true, citations: [{ url: "u" }] }],
      },
    ]);
    const machine = transcode({ from: geminiInteractions, to: openaiChat });
    const bytes = events.map(event => new TextEncoder().encode(encodeSse({ data: JSON.stringify(event) })));
    runAll(machine, bytes);
    expect(machine.issues).toMatchObject([{ code: "stream/cut", severity: "error" }]);
  });

  test("knows the counts of a step where it breaks off", () => {
    const usage = { total_tokens: 3, total_input_tokens: 1, total_output_tokens: 2 };
    const events = [created(), start(0, { type: "model_output" }), delta(0, text("a")), stop(0, { usage })];
    expect(whole(...events)).toMatchObject([{ usage: { input: 1, output: 2 }, finish: { reason: "incomplete" } }]);
  });

  test("that fails says why, with the words that came", () => {
    const failure = { event_type: "error", error: { code: "overloaded", message: "later" } };
    expect(whole(created(), start(0, { type: "model_output" }), delta(0, text("a")), failure)).toMatchObject([
      {
        finish: { reason: "error" },
        parts: [
          { type: "text", text: "a", partial: true },
          { type: "error", code: "overloaded", message: "later" },
        ],
      },
    ]);
    expect(whole(failure)).toMatchObject([{ finish: { reason: "error" } }]);
  });

  test("may hold several interactions, one after another", () => {
    const other = { ...created({ id: "v1_t" }) };
    const messages = whole(
      created(),
      start(0, { type: "model_output" }),
      delta(0, text("a")),
      stop(0),
      completed("requires_continuation"),
      other,
      start(0, { type: "model_output" }),
      delta(0, text("b")),
      stop(0),
      completed("completed", { id: "v1_t" }),
    );
    expect(messages).toMatchObject([
      { responseId: "v1_s", finish: { reason: "pause" }, parts: [{ text: "a" }] },
      { responseId: "v1_t", finish: { reason: "stop" }, parts: [{ text: "b" }] },
    ]);
  });

  test.each<[name: string, event: Json, code: string]>([
    ["no event", "words", "not-an-event"],
    ["an event that is not known", { event_type: "interaction.later" }, "unknown-event"],
    ["a delta that is not known", delta(0, { type: "later" }), "unknown-delta"],
    ["counts of one step", stop(1, { step_usage: { total_tokens: 1 } }), "unknown-delta"],
    ["arguments of a text", delta(0, args("{}")), "unknown-delta"],
  ])("leaves out and reports %s", (_, event, code) => {
    const decoder = streamDecoder(geminiInteractions);
    const events = runAll(decoder, [
      created(),
      start(0, { type: "model_output" }),
      event,
      delta(0, text("a")),
      stop(0),
      completed(),
    ]);
    expect(decoder.issues).toMatchObject([{ code }]);
    expect(accumulate(events)).toMatchObject([{ parts: [{ type: "text", text: "a" }] }]);
  });

  test("gives a whole that has other steps in place of those that came", () => {
    const steps = [
      { type: "user_input", content: [text("q")] },
      { type: "model_output", content: [text("b")] },
    ];
    const events = [
      created(),
      start(0, { type: "model_output" }),
      delta(0, text("a")),
      stop(0),
      completed("completed", { steps }),
    ];
    expect(whole(...events)).toEqual(answered("completed", steps));
  });
});

describe("a stream that is written", () => {
  const message = (parts: readonly Part[], more: Partial<Message> = {}): readonly Message[] => [
    { role: "assistant", responseId: "r", model: "m", parts, finish: { reason: "stop" }, ...more },
  ];
  const kinds = (wire: readonly JsonObject[]) =>
    wire.map(({ event_type: type, index }) => (index === undefined ? type : `${type} ${index}`)); // names and numbers

  test("begins a step for each text, and stands files beside them", () => {
    const file: Part = { type: "file", mediaType: "image/png", source: { data: "AAAA" } };
    const { wire, codes } = told(
      emit(message([{ type: "text", text: "a" }, file, { type: "text", text: "b" }, { type: "text", text: "c" }])),
    );
    expect(kinds(wire)).toEqual([
      "interaction.created",
      "step.start 0",
      "step.delta 0",
      "step.delta 0",
      "step.delta 0",
      "step.stop 0",
      "step.start 1",
      "step.delta 1",
      "step.stop 1",
      "interaction.completed",
    ]);
    expect(codes).toEqual([]);
    expect(whole(...wire)).toEqual(
      message([{ type: "text", text: "a" }, file, { type: "text", text: "b" }, { type: "text", text: "c" }]),
    );
  });

  test("says what is new at once, and nothing waits for anything", () => {
    const encoder = streamEncoder(geminiInteractions, { recipient: "client" });
    const at = (part: number) => ({ message: 0, part });
    expect(encoder.push({ type: "message-start", message: 0, head: { role: "assistant" } })).toMatchObject([
      { interaction: { id: "" } },
    ]);
    expect(encoder.push({ type: "part-start", value: { type: "text", text: "" }, ...at(0) })).toEqual([]);
    expect(encoder.push({ type: "part-delta", of: "text", text: "a", ...at(0) })).toHaveLength(2);
    expect(
      encoder.push({ type: "part-start", value: { type: "tool-call", callId: "c", name: "f" }, ...at(1) }),
    ).toEqual([start(1, { id: "c", type: "function_call", name: "f", arguments: {} })]);
    expect(encoder.push({ type: "part-delta", of: "tool-call", text: '{"a":', ...at(1) })).toEqual([
      delta(1, args('{"a":')),
    ]);
    expect(encoder.push({ type: "part-delta", of: "text", text: "b", ...at(0) })).toEqual([delta(0, text("b"))]);
    expect(encoder.push({ type: "part-end", ...at(1) })).toEqual([stop(1)]);
  });

  test("leaves an answer open that was cut", () => {
    const events = heard(created(), start(0, { type: "model_output" }), delta(0, text("a")));
    const { wire, codes } = told(events);
    expect(kinds(wire)).toEqual(["interaction.created", "step.start 0", "step.delta 0"]);
    expect(whole(...wire)).toEqual(accumulate(events));
    expect(codes).toEqual([]);
  });

  test("tells an error of the stream as an event, behind what was counted", () => {
    const { wire } = told([
      { type: "message-start", message: 0, head: { role: "assistant", responseId: "r" } },
      { type: "message-set", message: 0, set: { usage: { input: 1, output: 2 } } },
      { type: "error", error: { message: "later", code: "overloaded" } },
    ]);
    expect(wire.slice(1)).toEqual([
      {
        event_type: "interaction.status_update",
        interaction_id: "r",
        status: "failed",
        usage: { total_tokens: 3, total_input_tokens: 1, total_output_tokens: 2 },
      },
      { event_type: "error", error: { code: "overloaded", message: "later" } },
    ]);
  });

  test("keeps arguments that do not parse as the text they are", () => {
    const parts: readonly Part[] = [{ type: "tool-call", callId: "c", name: "f", inputText: '{"a": 1' }];
    const { wire, codes } = told(emit(message(parts, { finish: { reason: "tool-calls" } })));
    expect(whole(...wire)[0]?.parts).toMatchObject(parts);
    expect(codes).toEqual([]);
  });
});

test.each<[name: string, kind: string, input: Json]>([
  ["code_execution", "code-interpreter", { code: "1" }],
  ["list", "mcp", { a: 1 }],
  ["google_search", "web-search", { queries: ["q"] }],
])("a stream writes what %s gave, whose arguments came as text", (name, kind, input) => {
  const encoder = streamEncoder(geminiInteractions, { recipient: "client" });
  const wire = runAll(encoder, [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    {
      type: "part-start",
      message: 0,
      part: 0,
      value: { type: "tool-call", callId: "c", name, kind, executedBy: "provider" },
    },
    { type: "part-delta", message: 0, part: 0, of: "tool-call", text: JSON.stringify(input) },
    { type: "part-end", message: 0, part: 0 },
    {
      type: "part",
      message: 0,
      part: 1,
      value: { type: "tool-result", callId: "c", output: [{ type: "text", text: "1" }] },
    },
    { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
    { type: "message-end", message: 0 },
  ]);
  expect(encoder.losses.filter(({ code }) => code.endsWith("server-tool"))).toEqual([]);
  expect(wire.filter(event => JSON.stringify(event).includes('_result"'))).not.toEqual([]);
});
