import {
  accumulate,
  decode,
  emit,
  encode,
  type FormatRef,
  type Json,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { expect, test } from "vitest";

const custom: Json = { type: "custom_tool_call", call_id: "c", name: "f", input: "x" };
const fn: Json = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
const ofCustom: Json = { type: "custom_tool_call_output", call_id: "c", output: "1" };
const ofFunction: Json = { type: "function_call_output", call_id: "c", output: "2" };
const user: Json = { role: "user", content: "a" };

test.each<[what: string, items: readonly Json[]]>([
  ["one behind the other", [custom, ofCustom, fn, ofFunction]],
  ["with a second result of the first", [custom, ofCustom, ofCustom, fn, ofFunction]],
  ["with a second result of the last", [fn, ofFunction, custom, ofCustom, ofCustom]],
  ["in one message", [custom, fn, ofCustom, ofFunction]],
  ["in one message, the function's first", [fn, custom, ofFunction, ofCustom]],
  ["each with the other's result", [custom, fn, ofFunction, ofCustom]],
  ["with a message of the user between", [fn, user, custom, ofCustom, ofFunction]],
  ["before the first of them is answered", [custom, fn, ofFunction, ofFunction, ofCustom]],
])("calls of two kinds that have one id keep results of their kinds: %s", (_, items) => {
  const { conversation } = decode(items as Json, { from: "openai-responses", shape: "messages" });
  const { value, losses } = encode(conversation, { to: "openai-responses", shape: "messages" });
  expect(value).toEqual(items);
  expect(losses).toEqual([]);
});

test("a result that stands behind two calls of one id is each one's own", () => {
  const said = (role: string, ...parts: readonly Part[]): Message => ({ role, parts });
  const call = { type: "tool-call", callId: "c", name: "f", input: "x" } as const;
  const shared: Part = { type: "tool-result", callId: "c", output: [{ type: "text", text: "1" }] };
  const messages = [
    said("assistant", { ...call, kind: "custom" }),
    said("tool", shared),
    said("assistant", call),
    said("tool", shared),
  ];
  const items = encode({ messages }, { to: "openai-responses", shape: "messages" }).value as { type: string }[]; // a list of items
  expect(items.map(({ type }) => type)).toEqual([
    "custom_tool_call",
    "custom_tool_call_output",
    "function_call",
    "function_call_output",
  ]);
});

const asked = (callId: string, input: string): Part => ({ type: "tool-call", callId, name: "f", input: { input } });
const words: Part = { type: "text", text: "w" };

test.each<[what: string, parts: readonly Part[]]>([
  ["side by side", [asked("c", "1"), asked("c", "2")]],
  ["around a text", [asked("c", "1"), words, asked("c", "2"), asked("d", "3")]],
])("calls of one id in one message stay apart in a stream: %s", (_, parts) => {
  for (const to of ["langchain:python", "langchain-events:protocol", "openai-chat"] satisfies FormatRef[]) {
    const encoder = streamEncoder(to, { recipient: "store" });
    const written = runAll(encoder, emit([{ role: "assistant", parts, finish: { reason: "stop" } }]));
    const read = accumulate(runAll(streamDecoder(to), written)).flatMap(message => message.parts);
    const inputsOf = (list: readonly Part[]) => list.flatMap(part => (part.type === "tool-call" ? [part.input] : []));
    expect(inputsOf(read), to).toEqual(inputsOf(parts));
    expect(
      encoder.losses.filter(({ code }) => code === "already-sent"),
      to,
    ).toEqual([]);
  }
});
