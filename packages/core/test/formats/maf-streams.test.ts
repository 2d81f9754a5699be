import {
  accumulate,
  decode,
  type Event,
  emit,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { toAgentResponse, toChatResponse } from "translogue/maf";
import { describe, expect, test } from "vitest";

const format = "maf";
const text = (value: string, members: JsonObject = {}): Json => ({ $type: "text", text: value, ...members });
const update = (...contents: readonly Json[]): JsonObject => ({ contents });
const citation = { $type: "citation", title: "t" };
const python = (code: string): Json => ({ $type: "codeInterpreterToolCall", inputs: [text(code)], callId: "p" });

describe("accumulated updates are what the combined response says", () => {
  test.each<[what: string, updates: readonly JsonObject[]]>([
    ["a date that comes first", [{ ...update(text("a")), createdAt: "2026-01-01T00:00:00Z", role: "Assistant" }]],
    ["pieces of a text", [update(text("a", { additionalProperties: { k: 1 } })), update(text("b")), update(text("c"))]],
    ["a null between texts", [update(text("a"), null, text("b"))]],
    ["a text with annotations", [update(text("a"), text("b", { annotations: [citation] }), text("c"))]],
    ["annotations after a text", [update(text("a")), update({ annotations: [citation] }), update(text("b"))]],
    [
      "reasoning up to its protected data",
      [
        update({ $type: "reasoning", text: "a" }, null),
        update({ $type: "reasoning", text: "b", protectedData: "p" }, { $type: "reasoning", text: "c" }),
      ],
    ],
    ["hidden reasoning", [update({ $type: "reasoning", text: "", protectedData: "p" }), update(text("a"))]],
    ["pieces of code", [update(python("a")), update(python("b")), update(text("x"), python("c"))]],
    [
      "later pictures of one call",
      ["AQ==", "Ag=="].map(data =>
        update(
          {
            $type: "imageGenerationToolResult",
            callId: "i",
            outputs: [{ $type: "data", uri: `data:image/png;base64,${data}` }],
          },
          text("x"),
        ),
      ),
    ],
    [
      "searches of one call",
      [
        update({ $type: "webSearchToolCall", callId: "w", queries: ["a"] }, text("x")),
        update(
          { $type: "webSearchToolCall", callId: "w", queries: ["b"] },
          { $type: "webSearchToolResult", callId: "w" },
        ),
      ],
    ],
    [
      "messages by role, id and author",
      [
        { ...update(text("a")), role: "user" },
        { ...update(text("b")), role: "assistant", messageId: "1", authorName: "A" },
        { ...update(text("c")), messageId: "2" },
        { ...update(text("d")), authorName: "B" },
        { ...update({ $type: "functionResult", result: "r", callId: "c" }), role: "tool" },
      ],
    ],
    [
      "an envelope that comes late",
      [
        { ...update(text("a")), createdAt: "1970-01-01T00:00:00Z" },
        {
          ...update({ $type: "usage", details: { inputTokenCount: 1 } }),
          responseId: "r",
          modelId: "m",
          conversationId: "c",
        },
        {
          ...update({ $type: "usage", details: { inputTokenCount: 2 } }),
          createdAt: "2026-01-01T00:00:00+00:00",
          finishReason: "stop",
          additionalProperties: { k: 1 },
        },
      ],
    ],
    [
      "properties of a message with an id",
      [
        { ...update(text("a")), messageId: "m", additionalProperties: { K: 1 } },
        { ...update(text("b")), messageId: "m", additionalProperties: { k: { x: 2 } } },
      ],
    ],
  ])("%s", (_, updates) => {
    const whole = decode(toChatResponse(updates), { from: format, shape: "answer", dialect: "chat" });
    expect(accumulate(runAll(streamDecoder(format), updates))).toEqual(whole.conversation.messages);
    const agentWhole = decode(toAgentResponse(updates), { from: format, shape: "answer", dialect: "agent" });
    expect(accumulate(runAll(streamDecoder(format, { dialect: "agent" }), updates))).toEqual(
      agentWhole.conversation.messages,
    );
  });

  test("and every beginning of them is a message", () => {
    const updates = [update(text("a"), python("x")), update({ $type: "reasoning", text: "b" }), update(text("c"))];
    for (let count = 1; count <= updates.length; count++) {
      const [message] = accumulate(runAll(streamDecoder(format), updates.slice(0, count)));
      expect(message?.parts.length).toBeGreaterThan(0);
    }
  });
});

test("a text goes on as it comes", () => {
  const decoder = streamDecoder(format);
  decoder.push(update(text("a")));
  expect(decoder.push(update(text("b")))).toEqual([{ type: "part-delta", message: 0, part: 0, of: "text", text: "b" }]);
});

test.each<[what: string, value: Json, code: string]>([
  ["no update", 5, "not-an-update"],
  ["an unknown kind", update({ $type: "hologram" }), "unknown-kind"],
  ["a blank role", { role: " ", contents: [] }, "not-dotnet"],
  ["counts that are none", update({ $type: "usage", details: { inputTokenCount: 1.5 } }), "malformed-usage"],
])("%s is an issue and ends nothing", (_, value, code) => {
  const decoder = streamDecoder(format);
  const messages = accumulate(runAll(decoder, [update(text("a")), value, update(text("b"))]));
  expect(decoder.issues.map(issue => issue.code)).toContain(code);
  expect(JSON.stringify(messages)).toContain('b"');
});

test("a continuation token is not carried on, and that is said", () => {
  const decoder = streamDecoder(format);
  runAll(decoder, [{ ...update(text("a")), continuationToken: "AQID" }]);
  expect(decoder.losses.map(loss => loss.code)).toEqual(["continuation-token"]);
});

const written = (events: readonly Event[], dialect = "chat") => {
  const encoder = streamEncoder(format, { recipient: "store", dialect });
  return { updates: runAll(encoder, events), losses: encoder.losses.map(loss => loss.code) };
};
const answer = (...parts: readonly Part[]): Message => ({
  role: "assistant",
  id: "m",
  responseId: "r",
  model: "x",
  parts,
});

describe("events are written as updates", () => {
  test("one a delta, with the message's words on each and the end on the last", () => {
    const message: Message = {
      ...answer({ type: "text", text: "ab" }),
      finish: { reason: "stop" },
      usage: { input: 1 },
    };
    const events = emit([message]).flatMap((event): Event[] =>
      event.type === "part-delta" ? [...event.text].map(piece => ({ ...event, text: piece })) : [event],
    );
    const head = { role: "assistant", responseId: "r", messageId: "m", modelId: "x" };
    expect(written(events)).toEqual({
      updates: [
        { ...head, contents: [text("a")] },
        { ...head, contents: [text("b")] },
        {
          ...head,
          contents: [{ $type: "usage", details: { inputTokenCount: 1, totalTokenCount: 1 } }],
          finishReason: "stop",
        },
      ],
      losses: [],
    });
  });

  test("neighbours without ids get made ones, which are read as none", () => {
    const messages = ["a", "b"].map((word): Message => ({ role: "assistant", parts: [{ type: "text", text: word }] }));
    const { updates, losses } = written(emit(messages));
    expect(updates).toMatchObject([{ messageId: "~0" }, { messageId: "~1" }]);
    expect(losses).toEqual([]);
    expect(accumulate(runAll(streamDecoder(format), updates))).toEqual(messages);
  });

  test("messages and parts that overlap follow one another", () => {
    const [first, second] = [emit([answer({ type: "text", text: "a" })]), emit([answer({ type: "text", text: "b" })])];
    const later = second.map(event => ("message" in event ? { ...event, message: 1 } : event));
    const events = first.flatMap((event, index) => [event, ...(later[index] ? [later[index]] : [])]);
    const { updates } = written(events);
    expect(updates.map(each => JSON.stringify((each as JsonObject)["contents"]))).toEqual([
      // updates are objects
      JSON.stringify([text("a")]),
      JSON.stringify([text("b")]),
    ]);
  });

  test("an error ends the message", () => {
    const events: Event[] = [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "error", error: { message: "gone", code: "x" } },
    ];
    const { updates } = written(events);
    expect(updates.at(-1)).toMatchObject({
      contents: [{ $type: "error", message: "gone", errorCode: "x" }],
      finishReason: "error",
    });
  });

  test.each<[code: string, events: readonly Event[], dialect?: string]>([
    ["text-joined", emit([answer({ type: "text", text: "a" }, { type: "text", text: "b" })])],
    ["no-citations", emit([answer({ type: "text", text: "a", citations: [] })])],
    ["message-id", emit([{ ...answer(), id: "~7" }])],
    ["message-native", emit([{ ...answer(), native: { maf: { other: 1 } } }])],
    ["usage-joined", emit([1, 2].map(input => ({ ...answer(), id: `${input}`, usage: { input } })))],
    ["model", emit([answer()]), "agent"],
    ["unfinished", emit([answer({ type: "text", text: "a", partial: true })])],
    [
      "order",
      [
        ...emit([answer({ type: "text", text: "a" })]).slice(0, 1),
        { type: "part", message: 0, part: 5, value: { type: "text", text: "a" } },
        { type: "part", message: 0, part: 1, value: { type: "error", message: "b" } },
      ],
    ],
    ["restarted", [...emit([answer()]), ...emit([answer()])]],
    [
      "late",
      [
        ...emit([answer({ type: "error", message: "b" })]),
        { type: "part-set", message: 0, part: 0, set: { code: "x" } },
      ],
    ],
  ])("the loss %s is said", (code, events, dialect) => {
    expect(written(events, dialect).losses).toContain(code);
  });
});
