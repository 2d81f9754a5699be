import {
  accumulate,
  decode,
  type Event,
  emit,
  encode,
  type FormatRef,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type PartOf,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";
import { chunk, last, piece, read } from "./langchain-chunk-wire.ts";

const pieces = (...of: Json[]): JsonObject[] => of.map(each => chunk({ tool_call_chunks: [each] }));
const partsOf = (...of: Json[]): readonly Part[] => read(...pieces(...of), last)[0]?.parts ?? [];
const said = { type: "tool-call", callId: "c", name: "f" };
const withoutNative = ({ native: _, ...part }: Part): object => part;

describe("calls that are hard to read in a stream", () => {
  test.each<[what: string, of: readonly Json[], parts: readonly object[]]>([
    [
      "a beginning of arguments without a name keeps its text",
      [piece({ name: null, args: '{"a": 1', id: "c", index: 0 })],
      [{ ...said, name: "", inputText: '{"a": 1' }],
    ],
    [
      "blanks for arguments and for a name",
      [piece({ name: "", args: " ", id: "c", index: 0 })],
      [{ ...said, name: "", inputText: " " }],
    ],
    [
      "a name that comes last",
      [piece({ args: "{", id: "c", index: 0 }), piece({ name: "f", args: "}", index: 0 })],
      [{ ...said, input: {} }],
    ],
    [
      "arguments that break off into something else",
      [piece({ name: "f", args: '{"a":', id: "c", index: 0 }), piece({ args: "oops", index: 0 })],
      [{ ...said, inputText: '{"a":oops' }],
    ],
    [
      "arguments that are an object",
      [piece({ name: "f", args: { a: 1 }, id: "c", index: 0 })],
      [{ ...said, input: { a: 1 } }],
    ],
    ["arguments that are a list", [piece({ name: "f", args: [1], id: "c", index: 0 })], [{ ...said, input: [1] }]],
    ["a piece that is none", ["junk"], [{ type: "opaque", value: "junk" }]],
  ])("%s", (_, of, parts) => {
    expect(partsOf(...of)).toMatchObject(parts);
  });
});

describe("a call stands where its first piece was", () => {
  const text = (words: string): JsonObject => chunk({ content: [{ type: "text", text: words, index: words }] });
  const nameless = piece({ args: "{", index: 0 });
  test.each<[what: string, later: readonly Json[]]>([
    ["its name came later", pieces(piece({ name: "f", id: "c", args: "}", index: 0 }))],
    ["its name was lost", pieces(piece({ args: "}", index: 0 }))],
    ["there was no more of it", []],
  ])("where %s", (_, later) => {
    const [message] = read(text("a"), ...pieces(nameless), text("b"), ...later, text("c"), last);
    expect(message?.parts.map(({ type }) => type)).toEqual(["text", "tool-call", "text", "text"]);
  });

  test("or in its block, which has its id under another name", () => {
    const call = { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}", index: 0 };
    const fragment = piece({ name: "f", id: "c", args: "{}", index: 0 });
    const chunks = [chunk({ content: [call] }), text("a"), ...pieces(fragment), last];
    const [message] = read(...chunks);
    expect(message?.parts.map(({ type }) => type)).toEqual(["tool-call", "text"]);
  });
});

describe("calls beside the fragments of calls", () => {
  const whole = (name: string, args: JsonObject, id: string | null): JsonObject => ({
    name,
    args,
    id,
    type: "tool_call",
  });
  const [f, g] = [whole("f", { a: 1 }, "a"), whole("g", { b: 1 }, "b")];
  const fragmentOf = ({ name = null, args = null, id = null }: JsonObject, index: number): JsonObject =>
    piece({ name, args: JSON.stringify(args), id, index });
  const half = (from: JsonObject): JsonObject => piece({ name: null, id: null, index: 0, ...from });
  type Told = readonly [callId: string | undefined, name: string, input: Json | undefined];

  test.each<[what: string, chunks: readonly JsonObject[], calls: readonly Told[]]>([
    [
      "all of those so far are told once",
      [
        { tool_call_chunks: [fragmentOf(f, 0)], tool_calls: [f] },
        { tool_call_chunks: [fragmentOf(g, 1)], tool_calls: [f, g] },
      ],
      [
        ["a", "f", { a: 1 }],
        ["b", "g", { b: 1 }],
      ],
    ],
    [
      "arguments that only the whole one has are its fragment's, whichever comes first",
      [{ tool_call_chunks: [half({ name: "f", id: "a", args: "" })] }, { tool_calls: [f] }, { tool_calls: [g] }],
      [
        ["b", "g", { b: 1 }],
        ["a", "f", { a: 1 }],
      ],
    ],
    [
      "the whole one beside its last piece is told once",
      [
        { tool_call_chunks: [half({ name: "f", id: "a", args: '{"a":' })] },
        { tool_call_chunks: [half({ args: "1}" })], tool_calls: [f] },
      ],
      [["a", "f", { a: 1 }]],
    ],
    [
      "one that alone has the id gives it to its fragment",
      [{ tool_call_chunks: [fragmentOf({ ...f, id: null }, 0)], tool_calls: [f] }],
      [["a", "f", { a: 1 }]],
    ],
    [
      "what each language reads of a piece by itself is no call",
      [
        { tool_call_chunks: [half({ name: "f", args: '{"a":' })], tool_calls: [whole("f", {}, null)] },
        {
          tool_call_chunks: [half({ args: "1" })],
          invalid_tool_calls: [{ name: null, args: "1", id: null, error: null, type: "invalid_tool_call" }],
        },
        {
          tool_call_chunks: [half({ args: "}" })],
          invalid_tool_calls: [{ name: "", args: "}", error: "Malformed args.", type: "invalid_tool_call" }],
        },
      ],
      [[undefined, "f", { a: 1 }]],
    ],
    [
      "one without an id and with other arguments is another",
      [{ tool_call_chunks: [fragmentOf(f, 0)], tool_calls: [whole("f", { b: 2 }, null)] }],
      [
        [undefined, "f", { b: 2 }],
        ["a", "f", { a: 1 }],
      ],
    ],
    [
      "one without an id beside a piece without a name is another",
      [
        { tool_call_chunks: [half({ name: "f", id: "a", args: '{"a":' })] },
        { tool_call_chunks: [half({ args: "1}" })], tool_calls: [whole("g", { b: 1 }, null)] },
      ],
      [
        [undefined, "g", { b: 1 }],
        ["a", "f", { a: 1 }],
      ],
    ],
    [
      "one of the same id and with another name is another",
      [{ tool_call_chunks: [fragmentOf(f, 0)], tool_calls: [{ ...g, id: "a" }] }],
      [
        ["a", "g", { b: 1 }],
        ["a", "f", { a: 1 }],
      ],
    ],
    [
      "two alike are two where one alone has a fragment",
      [
        {
          tool_call_chunks: [fragmentOf({ ...f, id: null }, 0)],
          tool_calls: [f, { ...f, id: "b" }],
        },
      ],
      [
        ["b", "f", { a: 1 }],
        ["a", "f", { a: 1 }],
      ],
    ],
  ])("%s", (_, chunks, calls) => {
    const told = (parts: readonly Part[]): unknown[] =>
      parts.map(
        part =>
          part.type === "tool-call" && [part.callId.startsWith("~") ? undefined : part.callId, part.name, part.input],
      );
    const messages = read(...chunks.map(each => chunk(each)), last);
    const sorted = (list: readonly unknown[]): string[] => list.map(each => JSON.stringify(each)).sort();
    expect(messages.map(({ parts }) => sorted(told(parts)))).toEqual([sorted(calls)]);
  });
});

test.each<FormatRef>(["langchain:js-lc", "langchain:python"])("a call without a name is told once in %s", to => {
  const answers = read(...pieces(piece({ args: "}", index: 0 })), last);
  const wire = runAll(streamEncoder(to), emit(answers));
  expect(read(...wire).map(({ parts }) => parts.length)).toEqual([1]);
});

test("a call as OpenAI has it, whose arguments are no JSON, stays in its list", () => {
  const entry = { id: "c", type: "custom", function: { name: "f", arguments: "{" } };
  const { conversation } = decode(chunk({ tool_calls: [entry] }, "AIMessage"), { from: "langchain", shape: "message" });
  const { value } = encode(conversation, { to: "langchain:js-lc", shape: "message", recipient: "store" });
  expect(value).toMatchObject({ kwargs: { tool_calls: [entry] } });
});

test("a message that kept the fragments of its stream tells its calls once", () => {
  const fragment = piece({ name: "f", args: '{"a":1}', id: "c", index: 1 });
  const kwargs = {
    tool_calls: [{ name: "f", args: { a: 1 }, id: "c", type: "tool_call" }],
    tool_call_chunks: [fragment],
  };
  const answers = read(chunk(kwargs, "AIMessage"));
  const encoder = streamEncoder("langchain:js-lc", { recipient: "store" });
  expect(read(...runAll(encoder, emit(answers))).map(({ parts }) => parts)).toMatchObject([
    [{ ...said, input: { a: 1 } }],
  ]);
  expect(encoder.losses).toEqual([]);
});

test.each<[what: string, ends: readonly Event[]]>([
  ["stops", []],
  ["ends before its parts do", [{ type: "message-end", message: 0 }]],
])("an answer with reasoning beside the content that %s is told once", (_, ends) => {
  const events = [
    ...runAll(streamDecoder("langchain"), [
      chunk({ additional_kwargs: { reasoning_content: "hm" } }),
      chunk({ content: "It is " }),
      chunk({ content: "sunny." }),
    ]),
    ...ends,
  ];
  const wire = runAll(streamEncoder("langchain:js-lc", { recipient: "client" }), events);
  expect(accumulate(runAll(streamDecoder("langchain"), wire))).toMatchObject([
    {
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "It is sunny." },
      ],
    },
  ]);
  expect(read(...wire)[0]?.parts).toHaveLength(2);
});

test.each<FormatRef>(["langchain:js-lc", "langchain-events:protocol", "langchain-events:v2-js"])(
  "an unknown block's own index is a loss in a stream of %s, where an index is a place",
  to => {
    const value = { type: "input_json_delta", input: "{}", index: 7 };
    const encoder = streamEncoder(to, { recipient: "store" });
    runAll(encoder, emit([{ role: "assistant", parts: [{ type: "opaque", family: "langchain", value }] }]));
    expect(encoder.losses.map(({ code, path }) => [code, path])).toEqual([
      ["block-index", ["messages", 0, "parts", 0, "value"]],
    ]);
  },
);

test.each<FormatRef>(["langchain:js-lc", "langchain:python", "langchain-events:protocol", "langchain-events:v2-js"])(
  "a block of several parts is one block in a stream of %s",
  to => {
    const summary = ["a", "b"].map(text => ({ type: "summary_text", text }));
    const content = [
      { type: "text", text: "x" },
      { type: "reasoning", id: "rs_1", summary, encrypted_content: "e" },
      { type: "text", text: "y" },
    ];
    const answers = read(chunk({ content, response_metadata: { model_provider: "openai" } }, "AIMessage"));
    const encoder = streamEncoder(to, { recipient: "store" });
    const again = accumulate(runAll(streamDecoder(to), runAll(encoder, emit(answers))));
    const said = (messages: readonly Message[]) => messages.map(({ parts }) => parts.map(withoutNative));
    expect(said(again)).toEqual(said(answers));
    expect(encoder.losses).toEqual([]);
  },
);

test("speech that is told beside the content stays there when a call comes after it", () => {
  const answers = read(
    chunk({ content: "x", additional_kwargs: { audio: { id: "a1", data: "AAAA", transcript: "hi", expires_at: 1 } } }),
    ...pieces(piece({ name: "f", args: "{}", id: "c", index: 0 })),
    last,
  );
  const again = read(...runAll(streamEncoder("langchain:js-lc", { recipient: "client" }), emit(answers)));
  expect(again.map(({ parts }) => parts)).toEqual(answers.map(({ parts }) => parts));
});

describe.each<FormatRef>([
  "langchain:python",
  "langchain:python-stored",
  "langchain:js-lc",
  "langchain:js-flat",
  "langchain-events:protocol",
  "langchain-events:v2-js",
  "langchain-events:v2-python",
])("a call in a stream of %s", to => {
  type Call = PartOf<"tool-call">;
  const at = { message: 0, part: 0 };
  const whole = (value: Call): readonly Event[] => [{ type: "part", value, ...at }];
  const inPieces = ({ callId, name, input, inputText = JSON.stringify(input) }: Call): readonly Event[] => [
    { type: "part-start", value: { type: "tool-call", callId, name }, ...at },
    { type: "part-delta", of: "tool-call", text: inputText, ...at },
    { type: "part-end", ...at },
  ];

  test.each<Partial<Call>>([
    { name: "", input: { a: 1 } },
    { name: "", inputText: '{"a": 1' },
    { name: "", inputText: " " },
    { name: "f", inputText: "{bad" },
    { name: "f", inputText: '{"a":1}x' },
    { name: "f", input: [1] },
    { name: "f", input: null },
    { callId: "~1", name: "", inputText: "{" },
  ])("comes back as it was: %j", members => {
    const call: Call = { type: "tool-call", callId: "c", name: "f", ...members };
    for (const events of [whole(call), inPieces(call)]) {
      const encoder = streamEncoder(to, { recipient: "store" });
      const wire = runAll(encoder, [
        { type: "message-start", message: 0, head: { role: "assistant" } },
        ...events,
        { type: "message-end", message: 0 },
      ]);
      const [
        {
          parts: [back],
        } = { parts: [] },
      ] = accumulate(runAll(streamDecoder(to), wire));
      const { native: _, partial: __, ...part } = (back ?? {}) as Call; // a call was written
      expect(part).toEqual(call);
      expect(encoder.losses).toEqual([]);
    }
  });
});

test("arguments that come as a value, behind the beginning of their call, are sent as its pieces", () => {
  const encoder = streamEncoder("langchain:python");
  const wire = runAll(encoder, [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    { type: "part-start", message: 0, part: 0, value: { type: "tool-call", callId: "c", name: "f" } },
    { type: "part-set", message: 0, part: 0, set: { input: { a: 1 } } },
    { type: "part-end", message: 0, part: 0 },
    { type: "message-end", message: 0 },
  ]);
  const [{ parts } = { parts: [] }] = accumulate(runAll(streamDecoder("langchain:python"), wire));
  expect(parts.map(withoutNative)).toMatchObject([{ ...said, input: { a: 1 } }]);
  expect(encoder.losses).toEqual([]);
});
