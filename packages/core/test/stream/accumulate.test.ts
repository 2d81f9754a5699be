import { arbitraryConversation, arbitraryJson, arbitraryPart } from "@translogue/testkit/arbitrary";
import { difference } from "@translogue/testkit/difference";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../../src/model/check.ts";
import type { Event, PartMembers } from "../../src/model/events.ts";
import type { Part, PartOf } from "../../src/model/parts.ts";
import { accumulate, accumulator } from "../../src/stream/accumulate.ts";
import { emit } from "../../src/stream/emit.ts";

// One message, number 0, unless another is named.
const begin: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
const finish: Event = { type: "message-end", message: 0 };
const start = (value: Part, part = 0): Event => ({ type: "part-start", message: 0, part, value });
const whole = (value: Part, part = 0): Event => ({ type: "part", message: 0, part, value });
const delta = (
  of: PartOf<"text" | "reasoning" | "refusal" | "tool-call" | "tool-result">["type"],
  text: string,
  part = 0,
): Event => ({
  type: "part-delta",
  message: 0,
  part,
  of,
  text,
});
const set = (members: PartMembers, part = 0): Event => ({ type: "part-set", message: 0, part, set: members });
const end = (part = 0): Event => ({ type: "part-end", message: 0, part });
const failure: Event = { type: "error", error: { message: "overloaded", code: "529", retryable: true } };

const text: Part = { type: "text", text: "" };
const call: Part = { type: "tool-call", callId: "c", name: "add" };
const result: Part = { type: "tool-result", callId: "c" };

const only = (...events: Event[]): Part | undefined => accumulate([begin, ...events, finish])[0]?.parts[0];

describe("messages and parts", () => {
  test("messages stand in order of start, parts by number", () => {
    const messages = accumulate([
      { type: "message-start", message: 7, head: { role: "assistant" } },
      { type: "message-start", message: 2, head: { role: "tool" } },
      { type: "part", message: 7, part: 30, value: { type: "text", text: "c" } },
      { type: "part", message: 2, part: 0, value: result },
      { type: "part", message: 7, part: 4, value: { type: "text", text: "a" } },
      { type: "part", message: 7, part: 12, value: { type: "text", text: "b" } },
      { type: "message-end", message: 2 },
      { type: "message-end", message: 7 },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
    expect(messages[0]?.parts).toMatchObject([{ text: "a" }, { text: "b" }, { text: "c" }]);
  });

  test.each<[PartOf<"text" | "reasoning" | "refusal">]>([
    [{ type: "text", text: "" }],
    [{ type: "reasoning" }],
    [{ type: "refusal", text: "" }],
  ])("%j is partial and grows until it ends", value => {
    const { type } = value;
    const stream = accumulator();
    stream.pushAll([begin, start({ ...value, id: "p" }), delta(type, "Hel"), delta(type, "lo")]);
    expect(stream.messages[0]?.parts).toEqual([{ type, id: "p", text: "Hello", partial: true }]);
    stream.push(end());
    expect(stream.messages[0]?.parts).toEqual([{ type, id: "p", text: "Hello" }]);
  });

  test("reasoning without a delta stays hidden", () => {
    expect(only(start({ type: "reasoning" }), end())).toEqual({ type: "reasoning" });
    expect(only(start({ type: "reasoning", text: "" }), end())).toEqual({ type: "reasoning", text: "" });
  });

  test("a whole part is not partial, and replaces the part of its number", () => {
    expect(only(start({ type: "reasoning", text: "" }), delta("reasoning", "x"), whole({ type: "reasoning" }))).toEqual(
      { type: "reasoning" },
    );
    expect(only(whole({ type: "file", source: { id: "f" } }))).toEqual({ type: "file", source: { id: "f" } });
  });

  test("the same message number starts over, in its place (E9)", () => {
    const messages = accumulate([
      begin,
      whole({ type: "text", text: "first" }),
      { type: "message-start", message: 1, head: { role: "tool" } },
      { type: "message-start", message: 0, head: { role: "assistant", id: "again" } },
      whole({ type: "text", text: "second" }, 3),
      finish,
      { type: "message-end", message: 1 },
    ]);
    expect(messages).toEqual([
      { role: "assistant", id: "again", parts: [{ type: "text", text: "second" }] },
      { role: "tool", parts: [] },
    ]);
  });

  test("a late delta, a late part and a late member still count (E8)", () => {
    const messages = accumulate([
      begin,
      start(text),
      delta("text", "a"),
      end(),
      finish,
      delta("text", "b"),
      set({ phase: "final" } as PartMembers),
      whole(call, 1),
    ]);
    expect(messages[0]?.parts).toEqual([{ type: "text", text: "ab", phase: "final" }, call]);
  });
});

describe("a tool call's arguments (R7)", () => {
  test.each<[text: string, read: Partial<PartOf<"tool-call">>]>([
    ["", {}],
    ['{"a":1}', { input: { a: 1 } }],
    ['{"a": 1}', { input: { a: 1 }, inputText: '{"a": 1}' }],
    ['{"a":1.0}', { input: { a: 1 }, inputText: '{"a":1.0}' }],
    ["null", { input: null }],
    [" ", { inputText: " " }],
    ['{"a":1', { inputText: '{"a":1' }],
    ['{"a":1}}', { inputText: '{"a":1}}' }],
    ["1e999", { input: Number.MAX_VALUE, inputText: "1e999" }],
    ["[".repeat(1001) + "]".repeat(1001), { inputText: "[".repeat(1001) + "]".repeat(1001) }],
  ])("%j is read at its end", (written, read) => {
    const pieces = [...written.matchAll(/.{1,3}/gs)].map(([piece]) => delta("tool-call", piece));
    for (const options of [{}, { liveInput: true }]) {
      const stream = accumulator(options);
      stream.pushAll([begin, start(call), ...pieces, end(), finish]);
      expect(stream.messages[0]?.parts).toEqual([{ ...call, ...read }]);
    }
  });

  test("a custom tool's input is the text itself, also while it comes", () => {
    const stream = accumulator();
    stream.pushAll([begin, start({ ...call, kind: "custom" }), delta("tool-call", '{"a"')]);
    expect(stream.messages[0]?.parts).toEqual([{ ...call, kind: "custom", input: '{"a"', partial: true }]);
    stream.push(end());
    expect(stream.end()[0]?.parts).toEqual([{ ...call, kind: "custom", input: '{"a"' }]);
  });

  test("while it comes there is the text, and with `liveInput` what it holds so far", () => {
    const events = [begin, start(call), delta("tool-call", '{"a":[1,'), delta("tool-call", "2")];
    const raw = accumulator();
    raw.pushAll(events);
    expect(raw.messages[0]?.parts).toEqual([{ ...call, inputText: '{"a":[1,2', partial: true }]);
    const live = accumulator({ liveInput: true });
    live.pushAll(events);
    expect(live.messages[0]?.parts).toEqual([{ ...call, input: { a: [1, 2] }, inputText: '{"a":[1,2', partial: true }]);
    expect(live.end()[0]?.parts).toEqual([{ ...call, inputText: '{"a":[1,2', partial: true }]);
  });

  test("a call that never ended is read when its message ends, and stays partial", () => {
    expect(only(start(call), delta("tool-call", "{}"))).toEqual({ ...call, input: {}, partial: true });
  });

  test("the deltas of a started call are its whole text; those after a whole call continue it", () => {
    expect(only(start({ ...call, input: {} }), delta("tool-call", '{"a":1}'), end())).toEqual({
      ...call,
      input: { a: 1 },
    });
    expect(only(start({ ...call, input: { b: 1 } }), end())).toEqual({ ...call, input: { b: 1 } });
    expect(only(whole({ ...call, input: {} }), delta("tool-call", " "))).toEqual({
      ...call,
      input: {},
      inputText: "{} ",
    });
  });

  test.each<[what: string, members: PartMembers, read: Partial<PartOf<"tool-call">>]>([
    ["an input drops a text that reads otherwise", { input: { b: 2 } }, { input: { b: 2 } }],
    ["an input keeps a text that reads as it", { input: { a: 1 } }, { input: { a: 1 }, inputText: '{"a": 1}' }],
    ["a text is read in place of the deltas", { inputText: '{"a":1}' }, { input: { a: 1 } }],
    ["a text that does not parse leaves no input", { inputText: "{" }, { inputText: "{" }],
    ["both stand as they are", { input: { a: 1 }, inputText: "{ }" }, { input: { a: 1 }, inputText: "{ }" }],
  ])("members that are set win over the text, before and after it: %s", (_, members, read) => {
    const deltas = [delta("tool-call", '{"a":'), delta("tool-call", " 1}")];
    const expected = { ...call, ...read };
    expect(only(start(call), ...deltas, end(), set(members))).toEqual(expected);
    expect(only(start(call), ...deltas, set(members), end())).toEqual(expected);
    expect(only(start(call), set(members), ...deltas, end())).toEqual(expected);
  });

  test("a late delta is read with the rest", () => {
    expect(only(start(call), delta("tool-call", '{"a":1}'), end(), delta("tool-call", "}"))).toEqual({
      ...call,
      inputText: '{"a":1}}',
    });
  });
});

describe("a tool result's text", () => {
  const image: Part = { type: "file", source: { id: "f" } };
  test.each<[output: readonly Part[] | undefined, expected: readonly Part[]]>([
    [undefined, [{ type: "text", text: "ab" }]],
    [[], [{ type: "text", text: "ab" }]],
    [[image], [image, { type: "text", text: "ab" }]],
    [
      [image, { type: "text", text: "", id: "t" }],
      [image, { type: "text", text: "ab", id: "t" }],
    ],
  ])("ends an output that began as %j", (output, expected) => {
    const events = [
      start({ ...result, ...(output && { output }) } as Part),
      delta("tool-result", "a"),
      delta("tool-result", "b"),
    ];
    expect(only(...events)).toEqual({ ...result, output: expected, partial: true });
    expect(only(...events, end())).toEqual({ ...result, output: expected });
  });

  test("an output that is set stands in its place, and later deltas continue that", () => {
    const output: readonly Part[] = [image, { type: "text", text: "x" }];
    const events = [start(result), delta("tool-result", "a"), set({ output }), end()];
    expect(only(...events)).toEqual({ ...result, output });
    expect(only(...events, delta("tool-result", "y"))).toEqual({
      ...result,
      output: [image, { type: "text", text: "xy" }],
    });
  });
});

describe("members known later", () => {
  test("citations join the text they are on", () => {
    const cite = (url: string): Event => ({ type: "citation", message: 0, part: 0, citation: { url } });
    const stream = accumulator();
    stream.pushAll([begin, start({ type: "text", text: "", citations: [{ url: "a" }] }), cite("b")]);
    const [before] = stream.messages;
    stream.pushAll([delta("text", "x"), cite("c"), end()]);
    expect(stream.messages[0]?.parts).toEqual([
      { type: "text", text: "x", citations: [{ url: "a" }, { url: "b" }, { url: "c" }] },
    ]);
    expect(before?.parts).toMatchObject([{ citations: [{ url: "a" }, { url: "b" }] }]);
    stream.pushAll([set({ citations: [] } as PartMembers), cite("d")]);
    expect(stream.messages[0]?.parts).toMatchObject([{ citations: [{ url: "d" }] }]);
  });

  test("members are replaced, native members merged deep into objects by family", () => {
    const before = { native: { x: { a: { b: 1, list: [1] }, kept: 1 }, y: { c: 1 } }, seal: { values: { id: "1" } } };
    const after = { native: { x: { a: { b: 2, d: null, list: [2] } }, z: {} }, seal: { values: { signature: "s" } } };
    const merged = {
      native: { x: { a: { b: 2, d: null, list: [2] }, kept: 1 }, y: { c: 1 }, z: {} },
      seal: { values: { signature: "s" } },
    };
    expect(only(start({ ...text, ...before }), end(), set(after))).toEqual({ ...text, ...merged });
    const { seal: _, ...native } = before;
    const [message] = accumulate([
      { ...begin, head: { role: "assistant", id: "m", ...native } } as Event,
      { type: "message-set", message: 0, set: { native: after.native, model: "x", finish: { reason: "stop" } } },
      finish,
    ]);
    expect(message).toEqual({
      role: "assistant",
      id: "m",
      model: "x",
      finish: { reason: "stop" },
      native: merged.native,
      parts: [],
    });
    expect(before.native.x.a).toEqual({ b: 1, list: [1] });
  });
});

describe("a stream that does not end well (R25)", () => {
  const cut = [begin, start(text), delta("text", "Hel")];
  const hel = { type: "text", text: "Hel", partial: true };

  test("cut: what is open is incomplete, unless it says how it finished", () => {
    expect(accumulate(cut)).toEqual([{ role: "assistant", finish: { reason: "incomplete" }, parts: [hel] }]);
    expect(
      accumulate([...cut, { type: "message-set", message: 0, set: { finish: { reason: "length" } } }]),
    ).toMatchObject([{ finish: { reason: "length" } }]);
    expect(accumulate([begin, finish])).toEqual([{ role: "assistant", parts: [] }]);
  });

  test("failed: what is open ends in error, and the last message has the error after all its parts", () => {
    const second: Event = { type: "message-start", message: 1, head: { role: "tool", finish: { reason: "stop" } } };
    const late: Event = { type: "part", message: 1, part: 5, value: result };
    expect(accumulate([...cut, second, failure, late])).toEqual([
      { role: "assistant", finish: { reason: "error" }, parts: [hel] },
      {
        role: "tool",
        finish: { reason: "error" },
        parts: [result, { type: "error", message: "overloaded", code: "529" }],
      },
    ]);
  });

  test("failed after the end of its last message: that keeps its finish", () => {
    const stop: Event = { type: "message-set", message: 0, set: { finish: { reason: "stop" } } };
    expect(accumulate([begin, stop, finish, failure])).toEqual([
      { role: "assistant", finish: { reason: "stop" }, parts: [{ type: "error", message: "overloaded", code: "529" }] },
    ]);
  });

  test("failed before any message: a message of the error alone", () => {
    expect(accumulate([failure])).toEqual([
      {
        role: "assistant",
        finish: { reason: "error" },
        parts: [{ type: "error", message: "overloaded", code: "529" }],
      },
    ]);
  });

  test("any prefix of any stream gives messages without an error", () => {
    fc.assert(
      fc.property(arbitraryConversation, fc.nat(), ({ messages }, place) => {
        const events = emit(messages);
        const prefix = accumulate(events.slice(0, place % (events.length + 1)));
        const issues = check({ messages: prefix }).filter(
          ({ severity, code }) => severity === "error" && !code.includes("parent") && code !== "unknown-head",
        );
        expect(issues).toEqual([]);
      }),
    );
  });
});

describe("events that fit nowhere (E8)", () => {
  test.each<[code: string, event: Event]>([
    ["unknown-message", { type: "message-set", message: 9, set: {} }],
    ["unknown-message", { type: "part", message: 9, part: 0, value: text }],
    ["unknown-part", delta("text", "x", 9)],
    ["unknown-part", end(9)],
    ["not-its-text", delta("reasoning", "x")],
    ["not-its-text", { ...delta("text", "x", 1), of: "file" } as unknown as Event],
    ["not-its-text", { type: "citation", message: 0, part: 1, citation: {} }],
    ["not-settable", set({ text: "x", type: "data" } as PartMembers)],
    ["unknown-event", { type: "ping" } as unknown as Event],
    ["malformed-event", null as unknown as Event],
    ["malformed-event", start(null as unknown as Part, 3)],
    ["malformed-event", delta("text", 1 as unknown as string)],
  ])("are left out and reported: %s", (code, event) => {
    const before = [begin, start(text), delta("text", "kept"), whole({ type: "file", source: { id: "f" } }, 1)];
    const stream = accumulator();
    stream.pushAll([...before, event]);
    expect(stream.issues).toMatchObject([{ code: `stream/${code}`, severity: "warning", path: ["events", 4] }]);
    expect(stream.end()).toEqual(accumulate(before));
  });

  test("are listed up to a limit", () => {
    const stream = accumulator();
    for (let count = 0; count < 5000; count++) stream.push(end());
    expect(stream.issues).toHaveLength(1001);
    expect(stream.issues.at(-1)).toMatchObject({ code: "stream/more-issues", path: ["events", 1000] });
  });

  test("whatever comes, nothing is thrown", () => {
    const unprintable = fc.constant({ toString: "" });
    const number = fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, arbitraryJson, unprintable);
    const junk = fc.record(
      {
        type: fc.constantFrom(
          "message-start",
          "message-set",
          "message-end",
          "part-start",
          "part-delta",
          "citation",
          "part-set",
          "part-end",
          "part",
          "error",
        ),
        message: number,
        part: number,
        head: arbitraryJson,
        set: arbitraryJson,
        value: fc.oneof(
          arbitraryPart,
          arbitraryJson,
          fc.record({
            type: fc.constantFrom("text", "tool-call", "tool-result"),
            output: arbitraryJson,
            text: fc.oneof(arbitraryJson, unprintable),
            citations: arbitraryJson,
            native: arbitraryJson,
          }),
        ),
        of: fc.constantFrom("text", "reasoning", "refusal", "tool-call", "tool-result"),
        text: fc.oneof(fc.string(), arbitraryJson, unprintable),
        citation: arbitraryJson,
        error: arbitraryJson,
      },
      { requiredKeys: ["type", "message", "part"] },
    );
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 20 }), fc.boolean(), (events, liveInput) => {
        const stream = accumulator({ liveInput });
        stream.push(begin);
        for (const event of events) {
          stream.push(event as unknown as Event);
          expect(stream.messages.every(({ parts }) => Array.isArray(parts))).toBe(true);
        }
        stream.end();
      }),
      { numRuns: 500 },
    );
  });
});

describe("reading at any moment", () => {
  test("changes nothing of what comes out", () => {
    fc.assert(
      fc.property(arbitraryConversation, fc.boolean(), ({ messages }, liveInput) => {
        const stream = accumulator({ liveInput });
        for (const event of emit(messages)) {
          stream.push(event);
          expect(stream.messages).toBe(stream.messages);
        }
        expect(difference(stream.end(), messages)).toBeUndefined();
      }),
    );
  });

  test("shares what did not change, and leaves what was read as it was", () => {
    const stream = accumulator();
    stream.pushAll([
      begin,
      whole(call),
      start(text, 1),
      finish,
      { type: "message-start", message: 1, head: { role: "tool" } },
    ]);
    const [first, second] = stream.messages;
    stream.push({ type: "part", message: 1, part: 0, value: result });
    expect(stream.messages[0]).toBe(first);
    expect(stream.messages[1]).not.toBe(second);
    stream.push(delta("text", "x", 1));
    expect(stream.messages[0]?.parts[0]).toBe(first?.parts[0]);
    expect(stream.messages[0]?.parts[1]).toEqual({ ...text, text: "x", partial: true });
    expect(first?.parts[1]).toEqual({ ...text, partial: true });
    expect(second?.parts).toEqual([]);
    stream.push(whole({ type: "data", data: 1 }, -1));
    expect(stream.messages[0]?.parts[1]).toBe(first?.parts[0]);
  });
});
