import { convert, decode, type FormatId, type Json, type JsonObject, runAll, streamDecoder } from "translogue";
import { describe, expect, test } from "vitest";
import {
  all,
  anthropic,
  ask,
  called,
  chunk,
  functionAdded,
  read,
  request,
  responses,
  to,
  transcoded,
  use,
} from "./wire.ts";

describe("calls in streams", () => {
  test.each([
    [
      "in every delta (deepagentsjs 33)",
      [
        { id: "c", function: { name: "f", arguments: "{" } },
        { id: "c", function: { arguments: "}" } },
      ],
    ],
    [
      "with type and name (SillyTavern 5948, plexus 722)",
      [
        { id: "c", type: "function", function: { name: "f", arguments: "{" } },
        { id: "c", type: "function", function: { name: "f", arguments: "}" } },
      ],
    ],
  ])("an id that is repeated %s is set once", (_, deltas) => {
    const wire = [...deltas.map(call => chunk({ tool_calls: [{ index: 0, ...call }] })), chunk({}, "tool_calls")];
    expect(read(wire, "openai-chat")[0]?.parts).toEqual([{ type: "tool-call", callId: "c", name: "f", input: {} }]);
    const names = all(transcoded(wire, "openai-chat", "openai-responses") as Json, "name"); // a list of events
    expect(new Set(names)).toEqual(new Set(["f"]));
  });

  const query = (q: string): JsonObject => ({ name: "w", arguments: `{"q":"${q}"}` });
  test.each<[which: string, deltas: readonly JsonObject[], inputs: readonly Json[]]>([
    [
      "whose hosts number none of them, and give no ids (smolagents 1569)",
      [
        { index: 0, function: query("A") },
        { index: 0, function: query("B") },
      ],
      [{ q: "A" }, { q: "B" }],
    ],
    [
      "whose index goes on with every delta (dirac 215)",
      [
        { index: 0, id: "a", function: { name: "w", arguments: '{"q":' } },
        { index: 1, function: { arguments: '"A' } },
        { index: 2, function: { arguments: '"}' } },
      ],
      [{ q: "A" }],
    ],
    [
      "whose name comes in pieces, of which the last counts",
      [
        { index: 0, id: "a", function: { name: "get_", arguments: "" } },
        { index: 0, function: { name: "w", arguments: "" } },
        { index: 0, function: { arguments: '{"q":"A"}' } },
      ],
      [{ q: "A" }],
    ],
    [
      "that are the same, without index and id",
      [{ function: query("A") }, { function: query("A") }],
      [{ q: "A" }, { q: "A" }],
    ],
    [
      "that come by turns (continue 13223)",
      [
        { index: 0, id: "a", function: { name: "w", arguments: "" } },
        { index: 1, id: "b", function: { name: "w", arguments: "" } },
        { index: 0, function: { arguments: '{"q":"A"}' } },
        { index: 1, function: { arguments: '{"q":"B"}' } },
      ],
      [{ q: "A" }, { q: "B" }],
    ],
    [
      "whose name is empty at first (vercel/ai 16507)",
      [
        { index: 0, id: "a", function: { name: "", arguments: "" } },
        { index: 0, function: query("A") },
      ],
      [{ q: "A" }],
    ],
    [
      "whose name is said again with every delta, without an id (llama.cpp 13774)",
      [
        { index: 0, id: "a", function: { name: "w", arguments: '{"q":' } },
        { index: 0, function: { name: "w", arguments: '{"r":1}' } },
        { index: 0, function: { name: "w", arguments: "}" } },
        { index: 0, function: { name: "w", arguments: "" } },
      ],
      [{ q: { r: 1 } }],
    ],
    [
      "whose index goes on with every delta, the first without arguments",
      [
        { index: 0, id: "a", function: { name: "w", arguments: "" } },
        { index: 1, function: { arguments: '{"q":' } },
        { index: 2, function: { arguments: '"A"}' } },
      ],
      [{ q: "A" }],
    ],
    [
      "of one index, without ids, when they come as objects",
      [
        { index: 0, function: { name: "w", arguments: { q: "A" } } },
        { index: 0, function: { name: "w", arguments: { q: "B" } } },
      ],
      [{ q: "A" }, { q: "B" }],
    ],
    [
      "that are said twice, without ids",
      [
        { index: 0, function: query("A") },
        { index: 0, function: query("A") },
      ],
      [{ q: "A" }],
    ],
    [
      "that are said twice, with an id",
      [
        { index: 0, id: "a", function: query("A") },
        { index: 0, id: "a", function: query("A") },
      ],
      [{ q: "A" }],
    ],
    [
      "whose name is said again with every delta, without an index",
      [
        { function: { name: "w", arguments: "" } },
        { function: { name: "w", arguments: '{"q":' } },
        { function: { name: "w", arguments: '"A"}' } },
      ],
      [{ q: "A" }],
    ],
  ])("are told apart %s", (_, deltas, inputs) => {
    const wire = [...deltas.map(call => chunk({ tool_calls: [call] })), chunk({}, "tool_calls")];
    const parts = read(wire, "openai-chat").flatMap(message => message.parts);
    expect(parts.map(part => part.type === "tool-call" && [part.name, part.input])).toEqual(
      inputs.map(input => ["w", input]),
    );
  });

  test.each<FormatId>(["openai-chat", "mistral"])("that are none are told: %s", from => {
    const decoder = streamDecoder(from);
    runAll(decoder, [chunk({ tool_calls: ["x", null] }), chunk({}, "stop")]);
    expect(decoder.issues.map(({ code }) => code)).toEqual(["not-a-tool-call", "not-a-tool-call"]);
  });

  test.each<[which: string, more: JsonObject]>([
    ["without index", {}],
    ["of one index", { index: 0 }],
    ["with no index", { index: null }],
  ])("are two where one list has the same twice without ids: %s", (_, more) => {
    for (const arguments_ of ['{"sides":6}', "{}"]) {
      const roll = { ...more, function: { name: "roll", arguments: arguments_ } };
      const wire = [chunk({ tool_calls: [roll, roll] }), chunk({}, "tool_calls")];
      expect(read(wire, "openai-chat").flatMap(({ parts }) => parts)).toHaveLength(2);
    }
  });

  const whole = (name: string, args: Json): JsonObject => ({ index: 0, function: { name, arguments: args } });
  test.each<[how: string, deltas: readonly JsonObject[], second: Json]>([
    [
      "whose arguments come in pieces",
      [whole("f", "{}"), whole("g", ""), { index: 0, function: { arguments: '{"x":1}' } }],
      { x: 1 },
    ],
    ["without arguments", [whole("f", ""), whole("g", "")], {}],
    ["of objects", [whole("f", { a: 1 }), whole("g", { b: 1 })], { b: 1 }],
  ])("another name at the same index is another call %s", (_, deltas, second) => {
    const wire = [...deltas.map(call => chunk({ tool_calls: [call] })), chunk({}, "tool_calls")];
    const parts = read(wire, "openai-chat").flatMap(message => message.parts);
    expect(parts.map(part => part.type === "tool-call" && part.name)).toEqual(["f", "g"]);
    expect(parts[1]?.type === "tool-call" && (parts[1].input ?? {})).toEqual(second);
  });

  test("arguments that come with null for id and name go to the open call, not to the text (litellm 13638)", () => {
    const pieces = [called("c", "w", '{"city"'), { id: null, function: { name: null, arguments: ': "San"}' } }];
    const wire = [
      ...pieces.map(call => chunk({ tool_calls: [{ index: 0, ...(call as JsonObject) }] })),
      chunk({}, "tool_calls"),
    ]; // calls are objects
    const events = transcoded(wire, "openai-chat", "anthropic-messages") as Json; // a list of events
    expect(all(events, "partial_json").join("")).toBe('{"city": "San"}');
    expect(JSON.stringify(events)).not.toContain("text_delta");
  });

  test("arguments that are told only at their end are told (litellm 25321)", () => {
    const done: Json = {
      type: "response.function_call_arguments.done",
      item_id: "fc_1",
      output_index: 0,
      arguments: '{"a":1}',
    };
    const wire = responses(functionAdded, done);
    expect(all(transcoded(wire, "openai-responses", "anthropic-messages") as Json, "partial_json")).toEqual([
      '{"a":1}',
    ]);
  });

  test("a call after a text is told too (litellm 17246)", () => {
    const text = (event: JsonObject): Json => ({ item_id: "msg_1", output_index: 1, content_index: 0, ...event });
    const wire = responses(
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] },
      },
      text({ type: "response.content_part.added", part: { type: "output_text", text: "", annotations: [] } }),
      text({ type: "response.output_text.delta", delta: "hi" }),
      functionAdded,
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: "{}" },
    );
    const chunks = transcoded(wire, "openai-responses", "openai-chat") as Json; // a list of chunks
    expect(all(chunks, "content").join("")).toBe("hi");
    expect(all(chunks, "arguments").join("")).toBe("{}");
    expect(all(chunks, "finish_reason").at(-1)).toBe("tool_calls");
  });

  test("two calls are numbered 0 and 1 (Portkey 1275)", () => {
    const wire = anthropic([use("A", "f", "{}"), use("B", "g", "{}")], { reason: "tool_use" });
    const calls = all(transcoded(wire, "anthropic-messages", "openai-chat") as Json, "tool_calls") as Json; // lists of calls
    expect(new Map(all(calls, "id").map((id, index) => [id, index]))).toEqual(
      new Map([
        ["A", 0],
        ["B", 1],
      ]),
    );
    expect(new Set(all(calls, "index"))).toEqual(new Set([0, 1]));
  });

  test("deltas do not stay in what is kept of them (langchainjs 9798)", () => {
    const content: Json = [
      { type: "tool_use", id: "t", name: "f", input: "" },
      { type: "input_json_delta", index: 1, input: '{"a":1}' },
    ];
    const { wire } = to(
      [{ type: "ai", content, tool_calls: [{ id: "t", name: "f", args: { a: 1 } }] }],
      "langchain",
      "anthropic-messages",
      { as: "request" },
    );
    expect(all(wire, "content")).toEqual([[{ type: "tool_use", id: "t", name: "f", input: { a: 1 } }]]);
  });
});

describe("arguments", () => {
  test.each<[report: string, value: Json, from: FormatId]>([
    ["litellm 5063", ask([{ role: "assistant", tool_calls: [called("c", "f", "")] }]), "openai-chat"],
    [
      "pxpipe 131",
      { model: "m", input: [{ type: "function_call", call_id: "c", name: "f", arguments: "" }] },
      "openai-responses",
    ],
  ])("that are empty are an empty object (%s)", (_, value, from) => {
    const { wire, codes } = to(value, from, "anthropic-messages");
    expect(all(wire, "input")).toEqual([{}]);
    expect(codes).toContain("no-arguments");
  });

  test.each<FormatId>(["openai-chat", "anthropic-messages", "gemini"])(
    "of a bare call become a call of the assistant in %s (llm-bridge 2.0.1)",
    target => {
      const input: Json = [
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "custom_tool_call", call_id: "d", name: "p", input: "x" },
        { type: "function_call_output", call_id: "c", output: "1" },
        { type: "custom_tool_call_output", call_id: "d", output: "2" },
      ];
      const { conversation } = decode(to({ model: "m", input }, "openai-responses", target).wire, {
        from: target,
        ...request,
      });
      expect(conversation.messages.map(({ role }) => role).filter(role => role !== "tool")).toEqual(["assistant"]);
      const types = conversation.messages.flatMap(({ parts }) => parts.map(({ type }) => type));
      expect(types).toEqual(["tool-call", "tool-call", "tool-result", "tool-result"]);
    },
  );
});

describe("a tool without parameters", () => {
  const bodyWith = (tool: object) => ({ model: "m", messages: [{ role: "user", content: "Hi" }], tools: [tool] });
  const bare = { type: "function", function: { name: "now" } };

  test.each(["mistral", "cohere"] as const)("says to %s that it takes none, and stays as it is at home", to => {
    const { value } = convert(bodyWith(bare), { from: "openai-chat", to, shape: "request" });
    expect(value).toMatchObject({
      tools: [{ function: { name: "now", parameters: { type: "object", properties: {} } } }],
    });
    expect(convert(bodyWith(bare), { from: to, to, shape: "request" }).value).toEqual(bodyWith(bare));
  });
});
