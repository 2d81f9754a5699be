import { arbitraryConversation, arbitraryMessage } from "@translogue/testkit/arbitrary";
import { deepFreeze, difference } from "@translogue/testkit/difference";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../src/model/check.ts";
import type { Message } from "../../src/model/conversation.ts";
import type { Part } from "../../src/model/parts.ts";
import { accumulate, accumulator } from "../../src/stream/accumulate.ts";
import { emit } from "../../src/stream/emit.ts";

test("accumulating the events gives the messages back, and the messages stay untouched", () => {
  const conversations = arbitraryConversation.map(({ messages }) => messages);
  fc.assert(
    fc.property(fc.oneof(conversations, fc.array(arbitraryMessage, { maxLength: 3 })), messages => {
      const stream = accumulator();
      stream.pushAll(emit(deepFreeze(messages)));
      expect(difference(stream.end(), messages)).toBeUndefined();
      expect(stream.issues).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("events are valid, start with empty texts and set none", () => {
  fc.assert(
    fc.property(arbitraryMessage, message => {
      for (const event of emit([message])) {
        if (event.type !== "part-start") continue;
        const { value } = event;
        const own = "text" in value ? value.text : undefined;
        const last = value.type === "tool-result" ? value.output?.at(-1) : undefined;
        expect([own ?? "", last?.type === "text" ? last.text : ""]).toEqual(["", ""]);
        expect(value).not.toHaveProperty("partial");
        if (value.type === "tool-call") expect([value.input, value.inputText]).toEqual([undefined, undefined]);
      }
    }),
  );
});

const typesOf = (part: Part): string[] =>
  emit([{ role: "assistant", parts: [part] }])
    .slice(1, -1)
    .map(({ type }) => type);

test.each<[types: string, part: Part]>([
  ["part-start part-delta part-end", { type: "text", text: "a" }],
  ["part-start part-end", { type: "text", text: "" }],
  ["part-start part-delta", { type: "refusal", text: "a", partial: true }],
  [
    "part-start part-delta citation citation part-end",
    { type: "text", text: "a", citations: [{ url: "a" }, { url: "b" }] },
  ],
  ["part-start part-end", { type: "text", text: "", citations: [] }],
  ["part-start part-end", { type: "reasoning", text: "" }],
  ["part", { type: "reasoning", seal: { values: { data: "x" } } }],
  ["part-start part-delta part-end", { type: "tool-call", callId: "c", name: "f", input: { a: 1 } }],
  [
    "part-start part-delta part-end",
    { type: "tool-call", callId: "c", name: "f", input: { a: 1 }, inputText: '{"a": 1}' },
  ],
  ["part-start part-delta", { type: "tool-call", callId: "c", name: "f", inputText: '{"a":', partial: true }],
  ["part-start part-end", { type: "tool-call", callId: "c", name: "f" }],
  // A value beside another spelling of something else, or beside no text that gives it, comes as it is.
  ["part", { type: "tool-call", callId: "c", name: "f", input: { a: 2 }, inputText: '{"a": 1}' }],
  ["part", { type: "tool-call", callId: "c", name: "f", input: { a: 1 }, exact: { "/input/a": "1.0" } }],
  ["part", { type: "tool-call", callId: "c", name: "f", inputText: "{}" }],
  ["part", { type: "tool-call", callId: "c", name: "f", inputText: "" }],
  ["part-start part-delta part-end", { type: "tool-call", callId: "c", name: "f", kind: "custom", input: "x" }],
  ["part", { type: "tool-call", callId: "c", name: "f", kind: "custom", input: "" }],
  ["part", { type: "tool-call", callId: "c", name: "f", kind: "custom", input: { a: 1 } }],
  [
    "part-start part-delta part-end",
    {
      type: "tool-result",
      callId: "c",
      output: [
        { type: "data", data: 1 },
        { type: "text", text: "a" },
      ],
    },
  ],
  [
    "part",
    {
      type: "tool-result",
      callId: "c",
      output: [
        { type: "text", text: "a" },
        { type: "data", data: 1 },
      ],
    },
  ],
  ["part", { type: "tool-result", callId: "c" }],
  ["part", { type: "file", source: { id: "f" }, text: "words", partial: true }],
])("%s: %j", (types, part) => {
  expect(typesOf(part).join(" ")).toBe(types);
  expect(accumulate(emit([{ role: "assistant", parts: [part] }]))).toEqual([{ role: "assistant", parts: [part] }]);
});

test("finish and usage come at the end, as in a live stream", () => {
  const message: Message = { role: "assistant", id: "m", finish: { reason: "stop" }, usage: { output: 1 }, parts: [] };
  expect(emit([message])).toEqual([
    { type: "message-start", message: 0, head: { role: "assistant", id: "m" } },
    { type: "message-set", message: 0, set: { finish: { reason: "stop" }, usage: { output: 1 } } },
    { type: "message-end", message: 0 },
  ]);
});

test("a value nested deeper than an engine writes as text comes back too", () => {
  let input: Part = { type: "tool-call", callId: "c", name: "f", input: [] };
  for (let depth = 0; depth < 20_000; depth++) input = { ...input, input: [input.input ?? null] };
  const messages: Message[] = [{ role: "assistant", parts: [input] }];
  expect(difference(accumulate(emit(messages)), messages)).toBeUndefined();
  expect(check({ messages }).map(({ code }) => code)).toEqual(["too-deep"]);
});
