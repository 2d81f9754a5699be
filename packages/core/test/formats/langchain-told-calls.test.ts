import fc from "fast-check";
import {
  accumulate,
  type FormatRef,
  type Issue,
  type Json,
  type JsonObject,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { mergeChunks } from "translogue/langchain";
import { describe, expect, test } from "vitest";
import { chunk, last, piece } from "./langchain-chunk-wire.ts";

type Told = readonly [callId: string | undefined, name: string, input: Json | undefined];

const call = (name: string, args: Json, id: string | null = null): JsonObject => ({
  name,
  args,
  id,
  type: "tool_call",
});
const invalid = (name: string, args: Json, members: JsonObject = {}): JsonObject => ({
  ...{ name, args, id: null, error: null, type: "invalid_tool_call" },
  ...members,
});
const fragment = (name: string | null, args: Json, members: JsonObject = {}): JsonObject => ({
  tool_call_chunks: [piece({ name, args, id: null, index: 0, ...members })],
});

interface Read {
  readonly parts: readonly Part[];
  readonly issues: readonly Issue[];
}

function read(format: "langchain" | "langchain-events", wire: readonly Json[]): Read {
  const decoder = streamDecoder(format);
  const messages = accumulate(runAll(decoder, wire));
  return { parts: messages.flatMap(({ parts }) => parts), issues: decoder.issues };
}
const stream = (...chunks: JsonObject[]): Read => read("langchain", [...chunks.map(each => chunk(each)), last]);

/** A run whose end tells the whole message. */
function run(chunks: readonly JsonObject[], whole: JsonObject): Read {
  const record = (event: string, data: JsonObject): Json => ({
    event,
    run_id: "r",
    name: "M",
    tags: [],
    metadata: {},
    data,
  });
  return read("langchain-events", [
    record("on_chat_model_start", { input: { messages: [[]] } }),
    ...chunks.map(each => record("on_chat_model_stream", { chunk: chunk(each) })),
    record("on_chat_model_end", { output: chunk(whole) }),
  ]);
}

const callsOf = ({ parts }: Read): readonly Told[] =>
  parts.flatMap(part =>
    part.type === "tool-call"
      ? [[part.callId.startsWith("~") ? undefined : part.callId, part.name, part.input ?? part.inputText] as const]
      : [],
  );
const saysOf = ({ issues }: Read): readonly unknown[] => issues.map(({ code, wirePath }) => [code, wirePath]);
const differ = (number: number, list = "tool_calls"): readonly unknown[] => [["chunks-differ", [number, list]]];

describe("calls whose ids come late take no other call's place", () => {
  const pieces = [fragment("f", '{"a":1}'), fragment("f", '{"a":2}', { index: 1 })];
  test.each<[what: string, whole: readonly JsonObject[], calls: readonly Told[]]>([
    [
      "in another order",
      [call("f", { a: 2 }, "y"), call("f", { a: 1 }, "x")],
      [
        ["x", "f", { a: 1 }],
        ["y", "f", { a: 2 }],
      ],
    ],
    [
      "beside a third of that name",
      [call("f", { a: 3 }, "z"), call("f", { a: 2 }, "y")],
      [
        [undefined, "f", { a: 1 }],
        ["y", "f", { a: 2 }],
        ["z", "f", { a: 3 }],
      ],
    ],
  ])("%s", (_, whole, calls) => {
    expect(callsOf(stream(...pieces, { tool_calls: whole }))).toEqual(calls);
  });

  test("where the message comes whole behind its chunks", () => {
    const whole = chunk({ tool_calls: [call("f", { a: 2 }, "y"), call("f", { a: 1 }, "x")], id: "m" }, "AIMessage");
    const wire = [...pieces.map(each => chunk({ ...each, id: "m" })), whole];
    expect([...callsOf(read("langchain", wire))].sort()).toEqual([
      ["x", "f", { a: 1 }],
      ["y", "f", { a: 2 }],
    ]);
  });

  test("where the whole has other arguments of the same id, they are sent", () => {
    const whole = chunk({ tool_calls: [call("f", { a: 2 }, "c")], id: "m" }, "AIMessage");
    const wire = [chunk({ ...fragment("f", '{"a":1}', { id: "c" }), id: "m" }), whole];
    expect(callsOf(read("langchain", wire))).toEqual([["c", "f", { a: 2 }]]);
  });
});

test.each<FormatRef>(["langchain:js-lc", "langchain:python"])("a call that %s has sent is no other of its name", to => {
  const at = (part: number): { message: number; part: number } => ({ message: 0, part });
  const of = { type: "tool-call", name: "f" } as const;
  const encoder = streamEncoder(to, { recipient: "store" });
  const wire = runAll(encoder, [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    { type: "part-start", value: { ...of, callId: "~2" }, ...at(2) },
    { type: "part-delta", of: "tool-call", text: '{"a":1}', ...at(2) },
    { type: "part-end", ...at(2) },
    { type: "part", value: { ...of, callId: "~1", input: { a: 2 } }, ...at(1) },
    { type: "message-end", message: 0 },
  ]);
  const inputs = callsOf(read("langchain", wire)).map(([, , input]) => JSON.stringify(input));
  expect([inputs.sort(), encoder.losses]).toEqual([['{"a":1}', '{"a":2}'], []]);
});

describe("a whole call beside the fragments of its id", () => {
  test.each<[what: string, text: string, wholes: readonly JsonObject[], input: Json, says: readonly unknown[]]>([
    ["fills in for no arguments", "", [call("f", { a: 2 }, "c")], { a: 2 }, []],
    ["fills in for empty ones", "{}", [call("f", { a: 2 }, "c")], { a: 2 }, []],
    ["fills in for a text that broke off", '{"a":', [call("f", { a: 2 }, "c")], { a: 2 }, []],
    ["fills in for a text of something else, and it is told", "oops", [call("f", { a: 2 }, "c")], { a: 2 }, differ(1)],
    ["says the same", '{"a": 2}', [call("f", { a: 2 }, "c")], { a: 2 }, []],
    ["knows less", '{"a":2}', [call("f", {}, "c")], { a: 2 }, []],
    ["says what a language reads of the text", '{"a":2,"b', [call("f", { a: 2 }, "c")], '{"a":2,"b', []],
    ["differs, and it is told", '{"a":1}', [call("f", { a: 2 }, "c")], { a: 1 }, differ(1)],
    ["differs as text", '{"a":1}', [invalid("f", "oops", { id: "c" })], { a: 1 }, differ(1, "invalid_tool_calls")],
    ["grows", "", [call("f", { a: "x" }, "c"), call("f", { a: "xy" }, "c")], { a: "xy" }, []],
    ["is told twice", "", [call("f", { a: 2 }, "c"), call("f", { a: 3 }, "c")], { a: 2 }, differ(2)],
  ])("%s", (...[, text, wholes, input, says]) => {
    const chunks = [
      fragment("f", text, { id: "c" }),
      ...wholes.map(whole => {
        const list = whole["type"] === "tool_call" ? "tool_calls" : "invalid_tool_calls";
        return { [list]: [whole] };
      }),
    ];
    const back = stream(...chunks);
    expect([callsOf(back), saysOf(back)]).toEqual([[["c", "f", input]], says]);
  });

  test("gives a fragment without a name its own", () => {
    const named = [{ tool_calls: [call("f", { a: 1 }, "c")] }, { tool_calls: [call("g", { a: 1 }, "c")] }];
    expect(callsOf(stream(fragment(null, '{"a":1}', { id: "c" }), ...named))).toEqual([
      ["c", "f", { a: 1 }],
      ["c", "g", { a: 1 }],
    ]);
  });

  test("keeps why it is invalid, and what else it says", () => {
    const whole = invalid("f", '{"a":1}', { id: "c", error: "no such tool", extras: { x: 1 } });
    const { message } = mergeChunks([
      { content: "", ...fragment("f", '{"a":1}', { id: "c" }) },
      { content: "", invalid_tool_calls: [whole] },
    ]);
    expect(message).toMatchObject({ tool_calls: [], invalid_tool_calls: [whole] });
  });
});

describe("the whole message at the end of a run fills in what no chunk told", () => {
  const [f, g] = [call("f", { a: 1 }, "a"), call("g", { b: 1 }, "b")];
  const streamed = fragment("f", '{"a":1}', { id: "a" });
  const bad = invalid("h", "oops", { id: "e" });
  test.each<[what: string, chunks: readonly JsonObject[], whole: JsonObject, calls: readonly Told[]]>([
    [
      "a call, and one that is not valid",
      [streamed],
      { tool_calls: [f, g], invalid_tool_calls: [bad] },
      [
        ["a", "f", { a: 1 }],
        ["b", "g", { b: 1 }],
        ["e", "h", "oops"],
      ],
    ],
    [
      "a call that its fragments alone tell",
      [streamed],
      { tool_call_chunks: [piece({ name: "g", args: '{"b":1}', id: "b", index: 1 })] },
      [
        ["a", "f", { a: 1 }],
        ["b", "g", { b: 1 }],
      ],
    ],
    [
      "the id of a call that came whole without one",
      [{ tool_calls: [{ ...f, id: null }] }],
      { tool_calls: [f] },
      [["a", "f", { a: 1 }]],
    ],
    [
      "no call that came whole, with an id or without",
      [{ tool_calls: [f] }, { tool_calls: [{ ...g, id: null }] }],
      {
        tool_calls: [
          { ...f, id: null },
          { ...g, id: null },
        ],
      },
      [
        ["a", "f", { a: 1 }],
        [undefined, "g", { b: 1 }],
      ],
    ],
    [
      "one more of two that are alike",
      [{ tool_calls: [{ ...g, id: null }] }],
      {
        tool_calls: [
          { ...g, id: null },
          { ...g, id: null },
        ],
      },
      [
        [undefined, "g", { b: 1 }],
        [undefined, "g", { b: 1 }],
      ],
    ],
    [
      "a call of the provider's in the content",
      [{ content: [{ type: "text", text: "hi", index: 0 }] }],
      {
        content: [
          { type: "text", text: "hi" },
          { type: "server_tool_call", id: "s", name: "web_search", args: { q: 1 } },
        ],
      },
      [["s", "web_search", { q: 1 }]],
    ],
  ])("%s", (_, chunks, whole, calls) => {
    const back = run(chunks, whole);
    expect([callsOf(back), saysOf(back)]).toEqual([calls, []]);
  });

  test.each<[text: string, whole: string, back: string, says: readonly unknown[]]>([
    ["hi", "hi", "hi", []],
    ["hi", "hi there", "hi there", []],
    ["hi", "", "hi", []],
    ["hi", "no", "hi", [["chunks-differ", [1, "content"]]]],
  ])("the text %j goes on as %j", (text, whole, said, says) => {
    const back = run([{ content: text }], { content: whole });
    expect([back.parts, saysOf(back)]).toMatchObject([[{ type: "text", text: said }], says]);
  });
});

describe("a call that is said again without an id is another call", () => {
  const twice = (name: string, input: Json): readonly Told[] => [
    [undefined, "f", { a: 1 }],
    [undefined, name, input],
  ];
  test.each<[what: string, chunks: readonly JsonObject[], calls: readonly Told[]]>([
    ["whole", [{ tool_calls: [call("f", { a: 1 })] }, { tool_calls: [call("f", { a: 1 })] }], twice("f", { a: 1 })],
    ["in fragments of one index", [fragment("f", '{"a":1}'), fragment("f", '{"a":1}')], twice("f", { a: 1 })],
    ["in fragments of no index", Array(2).fill(fragment("f", '{"a":1}', { index: null })), twice("f", { a: 1 })],
    ["with another name", [fragment("f", '{"a":1}'), fragment("g", "{}")], twice("g", {})],
    [
      "in pieces",
      [fragment("f", '{"a"'), fragment(null, ":1}"), fragment("f", '{"a'), fragment(null, '":2}')],
      twice("f", { a: 2 }),
    ],
    ["as an object", [fragment("f", { a: 1 }), fragment("f", { a: 1 })], twice("f", { a: 1 })],
    [
      "in the content",
      Array(2).fill({ content: [{ type: "functionCall", functionCall: { name: "f", args: { a: 1 } }, index: 0 }] }),
      twice("f", { a: 1 }),
    ],
    ["with its id it is the same", Array(2).fill(fragment("f", '{"a":1}', { id: "c" })), [["c", "f", { a: 1 }]]],
    [
      "with its id and in the content it is the same",
      Array(2).fill({ content: [{ type: "tool_use", id: "c", name: "f", input: { a: "x" }, index: 0 }] }),
      [["c", "f", { a: "x" }]],
    ],
    [
      "with its name only it goes on",
      [fragment("f", '{"a":'), fragment("f", "1"), fragment("f", "}")],
      [[undefined, "f", { a: 1 }]],
    ],
  ])("%s", (_, chunks, calls) => {
    const back = stream(...chunks);
    expect([callsOf(back), saysOf(back)]).toEqual([calls, []]);
  });

  test("however many there are", () => {
    const chunks = Array.from({ length: 900 }, (_, a) => fragment("f", JSON.stringify({ a })));
    expect(callsOf(stream(...chunks))).toEqual(chunks.map((_, a) => [undefined, "f", { a }]));
  });
});

describe("calls come back however an integration cuts them", () => {
  interface Call {
    readonly name: string;
    readonly args: JsonObject;
    readonly id: string | null;
  }
  const inputs: readonly JsonObject[] = [{}, { a: 1 }, { a: 2 }, { a: "}{" }, { a: { b: [{}] } }];
  const arbitraryCalls = fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom("f", "g", "fg"), fc.constantFrom(...inputs)), { minLength: 1 }),
      fc.boolean(),
    )
    .map(([calls, isNamed]) => calls.map(([name, args], at): Call => ({ name, args, id: isNamed ? `c${at}` : null })));

  const cut = (text: string, size: number): readonly string[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
  const inPieces = ({ name, args, id }: Call, size: number, index: number): readonly JsonObject[] => [
    fragment(name, "", { id, index }),
    ...cut(JSON.stringify(args), size).map(text => fragment(null, text, { index })),
  ];
  const inOne = ({ name, args, id }: Call, index: number | null): JsonObject =>
    fragment(name, JSON.stringify(args), { id: id ?? "", index });

  type Cut = (calls: readonly Call[], size: number) => readonly JsonObject[];
  const wholes = (calls: readonly Call[]): JsonObject => ({
    tool_calls: calls.map(({ name, args, id }) => call(name, args, id)),
  });
  test.each<[what: string, cut: Cut]>([
    ["one behind another", (calls, size) => calls.flatMap((each, at) => inPieces(each, size, at))],
    [
      "in turns",
      (calls, size) => {
        const all = calls.map((each, at) => inPieces(each, size, at));
        const turns = Math.max(...all.map(({ length }) => length));
        return Array.from({ length: turns }, (_, turn) => turn).flatMap(turn =>
          all.flatMap(pieces => pieces.slice(turn, turn + 1)),
        );
      },
    ],
    ["with one index", calls => calls.map(each => inOne(each, 0))],
    ["without an index", calls => calls.map(each => inOne(each, null))],
    ["as such", calls => calls.map(each => wholes([each]))],
    [
      "with all of them at the end",
      (calls, size) => [...calls.flatMap((each, at) => inPieces(each, size, at)), wholes(calls)],
    ],
  ])("%s", (_, cutAs) => {
    fc.assert(
      fc.property(arbitraryCalls, fc.integer({ min: 1, max: 6 }), (calls, size) => {
        const chunks = cutAs(calls, size);
        const told = calls.map(({ name, args, id }) => [id ?? undefined, name, args]);
        expect(callsOf(stream(...chunks))).toEqual(told);
        expect(callsOf(run(chunks, wholes(calls)))).toEqual(told);
      }),
      { seed: Number(process.env["TRANSLOGUE_SEED"] ?? 20261130), numRuns: 30 },
    );
  });
});
