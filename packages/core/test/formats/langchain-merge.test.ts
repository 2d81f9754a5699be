import { concatenated } from "@translogue/testkit/langchain-chunks";
import type { Json, JsonObject } from "translogue";
import { mergeChunks, parsePartialJson } from "translogue/langchain";
import { describe, expect, test } from "vitest";
import { chunk, piece } from "./langchain-chunk-wire.ts";

const call = (id: string): JsonObject => ({ name: "w", args: {}, id, type: "tool_call" });
const mergedBy = (rules: "lossless" | "python" | "js", ...chunks: JsonObject[]): JsonObject =>
  mergeChunks(chunks, { rules }).message;

describe("chunks are merged", () => {
  type Row = readonly [
    what: string,
    chunks: readonly JsonObject[],
    ours: JsonObject,
    python: JsonObject | "throws",
    js: JsonObject | "throws",
  ];
  const text = { type: "text", text: "a" };
  test.each<Row>([
    [
      "text after an empty list",
      [{ content: [] }, { content: "x" }],
      { content: [{ type: "text", text: "x" }] },
      { content: [] },
      { content: [{ type: "text", text: "x" }] },
    ],
    [
      "texts after a block",
      [{ content: [text] }, { content: "x" }, { content: "y" }],
      { content: [text, { type: "text", text: "xy" }] },
      { content: [text, "xy"] },
      { content: [text, { type: "text", text: "x" }, { type: "text", text: "y" }] },
    ],
    [
      "two kinds of one index",
      [{ content: [{ ...text, index: 0 }] }, { content: [{ type: "thinking", thinking: "h", index: 0 }] }],
      {
        content: [
          { ...text, index: 0 },
          { type: "thinking", thinking: "h", index: 0 },
        ],
      },
      { content: [{ ...text, index: 0, thinking: "h" }] },
      {
        content: [
          { ...text, index: 0 },
          { type: "thinking", thinking: "h", index: 0 },
        ],
      },
    ],
    [
      "a block without a text",
      [{ content: [text] }, { content: [{ type: "text", text: "", annotations: [{ url: "u" }] }] }],
      { content: [text, { type: "text", text: "", annotations: [{ url: "u" }] }] },
      { content: [text, { type: "text", text: "", annotations: [{ url: "u" }] }] },
      { content: [text] },
    ],
    [
      "a name in pieces",
      [
        { tool_call_chunks: [{ name: "get_", args: "{}", id: "c", index: 0 }] },
        { tool_call_chunks: [{ name: "tide", index: 0 }] },
      ],
      { tool_calls: [{ name: "get_tide", args: {}, id: "c", type: "tool_call" }] },
      { tool_calls: [{ name: "get_tide", args: {}, id: "c", type: "tool_call" }] },
      { tool_calls: [{ name: "tide", args: {}, id: "c", type: "tool_call" }] },
    ],
    [
      "a name said twice",
      [
        { tool_call_chunks: [{ name: "f", args: "{}", id: "c", index: 0 }] },
        { tool_call_chunks: [{ name: "f", index: 0 }] },
      ],
      { tool_calls: [{ name: "f", args: {}, id: "c", type: "tool_call" }] },
      { tool_calls: [{ name: "ff", args: {}, id: "c", type: "tool_call" }] },
      { tool_calls: [{ name: "f", args: {}, id: "c", type: "tool_call" }] },
    ],
    [
      "pieces of a call without an index",
      [{ tool_call_chunks: [{ name: "f", args: '{"a"', id: "c" }] }, { tool_call_chunks: [{ args: ":1}" }] }],
      { tool_calls: [{ name: "f", args: { a: 1 }, id: "c", type: "tool_call" }], invalid_tool_calls: [] },
      { tool_calls: [{ name: "f", args: {}, id: "c", type: "tool_call" }] },
      { tool_calls: [{ name: "f", args: {}, id: "c", type: "tool_call" }] },
    ],
    [
      "one id again with other arguments",
      [
        { content: "", tool_calls: [{ name: "f", args: { a: 1 }, id: "c" }] },
        { content: "", tool_calls: [{ name: "f", args: { a: 2 }, id: "c" }] },
      ],
      {
        tool_calls: [
          { name: "f", args: { a: 1 }, id: "c" },
          { name: "f", args: { a: 2 }, id: "c" },
        ],
      },
      {
        tool_calls: [
          { name: "f", args: { a: 1 }, id: "c", type: "tool_call" },
          { name: "f", args: { a: 2 }, id: "c", type: "tool_call" },
        ],
      },
      { tool_calls: [{ name: "f", args: { a: 3 }, id: "c" }] },
    ],
    [
      "facts said twice",
      [
        { content: "", response_metadata: { finish_reason: "stop", n: 1 } },
        { content: "", response_metadata: { finish_reason: "stop", n: 1 } },
      ],
      { response_metadata: { finish_reason: "stop", n: 1 } },
      { response_metadata: { finish_reason: "stopstop", n: 1 } },
      { response_metadata: { finish_reason: "stopstop", n: 2 } },
    ],
    [
      "numbers with a fraction",
      [
        { content: "", response_metadata: { t: 0.5 } },
        { content: "", response_metadata: { t: 0.25 } },
      ],
      { response_metadata: { t: 0.75 } },
      "throws",
      { response_metadata: { t: 0.75 } },
    ],
    [
      "values of two types",
      [
        { content: "", additional_kwargs: { a: 1 } },
        { content: "", additional_kwargs: { a: "x" } },
      ],
      { additional_kwargs: { a: "x" } },
      "throws",
      "throws",
    ],
    [
      "usage of unknown counts",
      [
        { content: "", usage_metadata: { input_tokens: 1, output_tokens: 0, total_tokens: 1, cost: 1 } },
        { content: "", usage_metadata: { input_tokens: 0, output_tokens: 2, total_tokens: 2, cost: 2 } },
      ],
      { usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost: 3 } },
      { usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost: 3 } },
      {
        usage_metadata: {
          input_tokens: 1,
          output_tokens: 2,
          total_tokens: 3,
          input_token_details: {},
          output_token_details: {},
        },
      },
    ],
    [
      "a run's id and the provider's",
      [
        { content: "", id: "lc_run--1" },
        { content: "", id: "chatcmpl-1" },
      ],
      { id: "chatcmpl-1" },
      { id: "chatcmpl-1" },
      { id: "lc_run--1" },
    ],
    [
      "a whole call beside the fragment of another",
      [
        {
          content: "",
          tool_calls: [call("w")],
          tool_call_chunks: [piece({ name: "f", args: "{}", id: "c", index: 0 })],
        },
      ],
      { tool_calls: [call("w"), { name: "f", args: {}, id: "c", type: "tool_call" }] },
      {},
      {},
    ],
    ["a name", [{ content: "", name: "bot" }, { content: "" }], { name: "bot" }, { name: null }, {}],
  ])("by ours, by Python's and by JavaScript's rules: %s", (...[, chunks, ours, python, js]) => {
    expect(mergedBy("lossless", ...chunks)).toMatchObject(ours);
    for (const [rules, expected] of [
      ["python", python],
      ["js", js],
    ] as const) {
      if (expected === "throws") expect(() => mergedBy(rules, ...chunks)).toThrow(/does not merge/);
      else expect(mergedBy(rules, ...chunks)).toMatchObject(expected);
    }
  });

  test("as the real package adds them up, in the form that they have", () => {
    const chunks = [
      chunk({ content: [{ type: "text", text: "a", index: 0 }], id: "m" }),
      chunk({
        content: [{ type: "text", text: "b", index: 0 }],
        tool_call_chunks: [piece({ name: "f", args: '{"x":', id: "c", index: 0 })],
      }),
      chunk({
        tool_call_chunks: [piece({ args: "1}", index: 0 })],
        usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      }),
    ];
    const { kwargs, ...envelope } = mergedBy("js", ...chunks);
    expect(envelope).toEqual({ lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessageChunk"] });
    expect(kwargs).toEqual(concatenated(chunks)[0]);
  });

  test("without touching them, however many there are", () => {
    const chunks = Array.from({ length: 20_000 }, (_, index) =>
      Object.freeze({
        content: Object.freeze([{ type: "text", text: `${index} ` }]),
        tool_call_chunks: [{ args: "1,", index: 0, ...(index === 0 && { name: "f", id: "c" }) }],
      }),
    );
    for (const rules of ["lossless", "python", "js"] as const) {
      const { content, tool_call_chunks } = mergedBy(rules, ...chunks);
      expect([content, tool_call_chunks]).toMatchObject([{ length: 20_000 }, [{ args: "1,".repeat(20_000) }]]);
    }
  });

  test("and say where two of them say two things", () => {
    const { issues } = mergeChunks([
      { content: "", response_metadata: { id: "a" } },
      { content: "", response_metadata: { id: "b" } },
    ]);
    expect(issues.map(({ code, wirePath }) => [code, wirePath])).toEqual([
      ["chunks-differ", [1, "response_metadata", "id"]],
    ]);
  });

  test("unless there are none, or something is none", () => {
    expect(() => mergeChunks([])).toThrow(/at least one/);
    expect(() => mergeChunks([{ content: "a" }, 7])).toThrow(/chunk 1 is no message chunk/);
  });
});

test.each<[text: string, ours: Json | undefined, python: Json | undefined, js: Json | undefined]>([
  ['{"a": "h', { a: "h" }, { a: "h" }, { a: "h" }],
  ['{"a": "h\\', { a: "h" }, { a: "h" }, { a: "h\\" }],
  ['{"a": "\\u00', { a: "" }, {}, { a: "u00" }],
  ['{"a": tr', {}, {}, { a: true }],
  ['{"a": -', {}, {}, { a: 0 }],
  ['{"a": [1, {"b": 2.', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }],
  ['{"a": 1} rest', undefined, { a: 1 }, undefined],
  ['{"a": 1}}', undefined, undefined, undefined],
  ['{"a": NaN}', undefined, { a: null }, undefined],
  ['{"a": "x\ny', { a: "x\ny" }, { a: "x\ny" }, { a: "x\ny" }],
  ["[1, 2", [1, 2], [1, 2], [1, 2]],
  ["", undefined, undefined, undefined],
])("the beginning of JSON %j is read as ours, as Python's and as JavaScript's", (text, ours, python, js) => {
  expect([parsePartialJson(text), parsePartialJson(text, "python"), parsePartialJson(text, "js")]).toEqual([
    ours,
    python,
    js,
  ]);
});
