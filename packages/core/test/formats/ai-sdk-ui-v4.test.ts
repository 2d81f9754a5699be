import { refusedMessages } from "@translogue/testkit/generations";
import {
  accumulate,
  decode,
  detect,
  encode,
  type Json,
  type Message,
  runAll,
  streamDecoder,
  transcode,
} from "translogue";
import { dataStreamLines } from "translogue/ai-sdk-ui";
import { describe, expect, test } from "vitest";

const readAll = (...messages: Json[]) => decode(messages, { from: "ai-sdk-ui:v4", shape: "messages" });
const partsOf = (message: Json): Message["parts"] =>
  readAll(message).conversation.messages.flatMap(({ parts }) => parts);
const invocation = (state: string, members: object = {}): Json => ({
  state,
  toolCallId: "c",
  toolName: "weather",
  args: { city: "Rome" },
  ...members,
});
const call = { type: "tool-call", callId: "c", name: "weather", input: { city: "Rome" } };
const found = { type: "tool-result", callId: "c", output: [{ type: "data", data: { temp: 21 } }] };
const result = { result: { temp: 21 } };

describe("a message of AI SDK 4 is read as what it said", () => {
  test.each<[name: string, message: Json, parts: Json[]]>([
    ["content", { role: "user", content: "hi" }, [{ type: "text", text: "hi" }]],
    [
      "parts and the same content",
      { role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] },
      [{ type: "text", text: "hi" }],
    ],
    [
      "attachments",
      {
        role: "user",
        content: "see",
        experimental_attachments: [
          { name: "a.png", contentType: "image/png", url: "data:image/png;base64,AAAA" },
          { url: "https://x.test/b" },
        ],
      },
      [
        { type: "text", text: "see" },
        { type: "file", mediaType: "image/png", name: "a.png", source: { data: "AAAA" } },
        { type: "file", source: { url: "https://x.test/b" } },
      ],
    ],
    ["system text", { role: "system", content: "Be brief." }, [{ type: "text", text: "Be brief." }]],
    ["data", { role: "data", content: "", data: { a: 1 } }, [{ type: "data", name: "custom", data: { a: 1 } }]],
    [
      "reasoning and text",
      { role: "assistant", content: "21°", reasoning: "look" },
      [
        { type: "reasoning", text: "look" },
        { type: "text", text: "21°" },
      ],
    ],
    [
      "reasoning with signatures",
      {
        role: "assistant",
        content: "",
        parts: [
          {
            type: "reasoning",
            reasoning: "look",
            details: [
              { type: "text", text: "look", signature: "s" },
              { type: "redacted", data: "d" },
            ],
          },
        ],
      },
      [
        { type: "reasoning", text: "look", seal: { maker: "anthropic", values: { signature: "s" } } },
        { type: "reasoning", seal: { maker: "anthropic", values: { data: "d" } } },
      ],
    ],
    ["a call", { role: "assistant", content: "", toolInvocations: [invocation("call")] }, [call]],
    [
      "arguments that still come",
      { role: "assistant", content: "", toolInvocations: [invocation("partial-call")] },
      [{ ...call, partial: true }],
    ],
    [
      "a result, and text after it",
      { role: "assistant", content: "21°", toolInvocations: [invocation("result", result)] },
      [call, found, { type: "text", text: "21°" }],
    ],
    [
      "a source and a file",
      {
        role: "assistant",
        content: "",
        parts: [
          { type: "source", source: { sourceType: "url", id: "s", url: "https://x.test", title: "X" } },
          { type: "file", mimeType: "image/png", data: "AAAA" },
        ],
      },
      [
        { type: "source", id: "s", url: "https://x.test", title: "X" },
        { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
      ],
    ],
  ])("%s", async (_, message, parts) => {
    const { conversation, issues } = readAll(message);
    expect(issues).toEqual([]);
    expect(partsOf(message)).toMatchObject(parts);
    expect(partsOf(message)).toHaveLength(parts.length);
    const { value } = encode(conversation, { to: "ai-sdk-ui:v7", shape: "messages" });
    expect(await refusedMessages("v7", value as Json)).toBeUndefined(); // UI messages
  });

  test.each<[name: string, message: object, roles: string[]]>([
    [
      "calls of several steps, by their numbers",
      {
        content: "end",
        toolInvocations: [
          invocation("result", { ...result, step: 0 }),
          invocation("result", { ...result, step: 1, toolCallId: "d" }),
        ],
      },
      ["assistant", "tool", "assistant", "tool", "assistant"],
    ],
    [
      "calls of one step",
      {
        content: "",
        toolInvocations: [invocation("result", result), invocation("result", { ...result, toolCallId: "d" })],
      },
      ["assistant", "tool"],
    ],
    [
      "parts without marks: what is said after a call is another step",
      {
        content: "b",
        parts: [
          { type: "text", text: "a" },
          { type: "tool-invocation", toolInvocation: invocation("result", result) },
          { type: "text", text: "b" },
        ],
      },
      ["assistant", "tool", "assistant"],
    ],
    [
      "parts with marks: as they say",
      {
        content: "b",
        parts: [
          { type: "step-start" },
          { type: "tool-invocation", toolInvocation: invocation("result", result) },
          { type: "text", text: "b" },
        ],
      },
      ["assistant", "tool"],
    ],
  ])("%s", (_, message, roles) => {
    const { messages } = readAll({ id: "m", role: "assistant", ...message }).conversation;
    expect(messages.map(({ role }) => role)).toEqual(roles);
    expect(messages.map(({ id }) => id)).toEqual(roles.map((_, index) => (index === 0 ? "m" : `m:${index}`)));
  });

  test("its time and its annotations stay", () => {
    const createdAt = "2025-01-01T00:00:00.000Z";
    for (const time of [createdAt, new Date(createdAt) as unknown as Json]) {
      const given = { id: "m", role: "assistant", content: "a", createdAt: time, annotations: [{ a: 1 }] };
      const [message] = readAll(given).conversation.messages;
      expect(message).toMatchObject({ createdAt, native: { "ai-sdk": { annotations: [{ a: 1 }] } } });
    }
  });

  test("content that says something else than the parts stays beside them", () => {
    const [message] = readAll({ role: "user", content: "x", parts: [{ type: "text", text: "y" }] }).conversation
      .messages;
    expect(message).toMatchObject({ parts: [{ text: "y" }], native: { "ai-sdk": { content: "x" } } });
  });

  test.each<[code: string, message: Json]>([
    ["unread-parts", { role: "system", content: "a", parts: [{ type: "text", text: "b" }] }],
    ["tool-state", { role: "assistant", content: "", toolInvocations: [invocation("gone")] }],
    ["malformed-part", { role: "user", content: "a", experimental_attachments: [{ url: 5 }] }],
    ["not-a-part", { role: "user", content: "a", experimental_attachments: [5] }],
  ])("%s is reported", (code, message) => {
    expect(readAll(message).issues.map(issue => issue.code)).toEqual([code]);
  });
});

test("rows of generation 4 among newer messages are read too", () => {
  const messages = [
    { id: "a", role: "user", content: "old" },
    { id: "b", role: "user", parts: [{ type: "text", text: "new" }] },
  ];
  const { conversation, issues } = decode(messages, { from: "ai-sdk-ui:v6", shape: "messages" });
  expect(issues).toEqual([]);
  expect(conversation.messages).toMatchObject([
    { id: "a", parts: [{ text: "old" }] },
    { id: "b", parts: [{ text: "new" }] },
  ]);
});

test("generation 4 is read and not written", () => {
  const refused = expect.objectContaining({ code: "encode/read-only-dialect" });
  for (const shape of ["messages", "request", "stream"] as const) {
    expect(() => encode({ messages: [] }, { to: "ai-sdk-ui:v4", shape })).toThrow(refused);
  }
});

test("a message of data is nobody's turn, and the newer generations get it as an answer's data, with a loss", async () => {
  const { conversation } = readAll(
    { role: "user", content: "hi" },
    { id: "d", role: "data", content: "", data: { a: 1 } },
    { role: "assistant", content: "yes" },
  );
  expect(conversation.messages.map(({ role }) => role)).toEqual(["user", "control", "assistant"]);
  for (const generation of ["v5", "v6", "v7"] as const) {
    const { value, losses } = encode(conversation, { to: `ai-sdk-ui:${generation}`, shape: "messages", carry: false });
    expect(value).toMatchObject([
      { role: "user" },
      { id: "d", role: "assistant", parts: [{ type: "data-custom", data: { a: 1 } }] },
      { role: "assistant", parts: [{ type: "text", text: "yes" }] },
    ]);
    expect(losses).toEqual([expect.objectContaining({ code: "role", path: ["messages", 1, "role"] })]);
    expect(await refusedMessages(generation, value as Json)).toBeUndefined();
    const carried = encode(conversation, { to: `ai-sdk-ui:${generation}`, shape: "messages", carry: true });
    expect(decode(carried.value, { from: `ai-sdk-ui:${generation}` }).conversation.messages[1]).toMatchObject({
      role: "control",
    });
  }
  const { value: request } = encode(conversation, { to: "openai-chat", shape: "request" });
  expect(request).toMatchObject({ messages: [{ role: "user" }, { role: "assistant", content: "yes" }] });
});

describe("its data stream", () => {
  const answer = [
    'f:{"messageId":"m"}',
    'g:"look"',
    'j:{"signature":"s"}',
    'i:{"data":"d"}',
    '0:"Let me "',
    '0:"look."',
    'b:{"toolCallId":"c","toolName":"weather"}',
    'c:{"toolCallId":"c","argsTextDelta":"{\\"city\\":"}',
    'c:{"toolCallId":"c","argsTextDelta":"\\"Rome\\"}"}',
    '9:{"toolCallId":"c","toolName":"weather","args":{"city":"Rome"}}',
    'a:{"toolCallId":"c","result":{"temp":21}}',
    'e:{"finishReason":"tool-calls","usage":{"promptTokens":10,"completionTokens":5},"isContinued":false}',
    'f:{"messageId":"m2"}',
    '0:"21°"',
    'h:{"sourceType":"url","id":"s1","url":"https://x.test"}',
    'k:{"data":"AAAA","mimeType":"image/png"}',
    '8:[{"note":1}]',
    'e:{"finishReason":"stop","usage":{"promptTokens":20,"completionTokens":2},"isContinued":false}',
    'd:{"finishReason":"stop","usage":{"promptTokens":30,"completionTokens":7}}',
  ];
  const read = (lines: readonly string[], end = "\n"): Message[] =>
    accumulate(runAll(streamDecoder("ai-sdk-ui:v4"), runAll(dataStreamLines(), [lines.join(end)])));

  test("is read as its messages", () => {
    expect(read(answer)).toMatchObject([
      {
        id: "m",
        role: "assistant",
        native: { "ai-sdk": { annotations: [{ note: 1 }] } },
        usage: { input: 10, output: 5 },
        parts: [
          { type: "reasoning", text: "look", seal: { values: { signature: "s" } } },
          { type: "reasoning", seal: { values: { data: "d" } } },
          { type: "text", text: "Let me look." },
          call,
        ],
      },
      { role: "tool", parts: [found] },
      {
        role: "assistant",
        usage: { input: 20, output: 2 },
        finish: { reason: "stop" },
        parts: [
          { type: "text", text: "21°" },
          { type: "source", id: "s1", url: "https://x.test" },
          { type: "file", source: { data: "AAAA" } },
        ],
      },
    ]);
  });

  test("wherever its text is cut, and however its lines end", () => {
    const text = answer.join("\n");
    const letters = runAll(dataStreamLines(), [...text]);
    expect(letters).toEqual(runAll(dataStreamLines(), [text]));
    expect(read(answer, "\r\n")).toEqual(read(answer));
    expect(read(answer, "\n\n")).toEqual(read(answer));
  });

  test("a step that says nothing has the tokens that it took", () => {
    const lines = [
      ["f", { messageId: "m" }],
      ["e", { finishReason: "tool-calls", usage: { promptTokens: 10, completionTokens: 5 } }],
      ["f", { messageId: "m" }],
      ["0", "Hi"],
      ["e", { finishReason: "stop", usage: { promptTokens: 3, completionTokens: 1 } }],
      ["d", { finishReason: "stop", usage: { promptTokens: 13, completionTokens: 6 } }],
    ];
    const messages = accumulate(runAll(streamDecoder("ai-sdk-ui:v4"), lines));
    expect(messages.map(({ usage }) => usage)).toEqual([
      { input: 10, output: 5 },
      { input: 3, output: 1 },
    ]);
  });

  test("without marks of steps, what is said after a step with calls is another", () => {
    const marked = read(answer);
    const bare = read(answer.filter(line => !line.startsWith("f:")));
    expect(bare.map(({ role, parts }) => ({ role, parts }))).toEqual(
      marked.map(({ role, parts }) => ({ role, parts })),
    );
  });

  test("a step that goes on has one text", () => {
    const [message] = read([
      '0:"a"',
      'e:{"finishReason":"length","isContinued":true}',
      '0:"b"',
      'e:{"finishReason":"stop","isContinued":false}',
    ]);
    expect(message).toMatchObject({ parts: [{ text: "ab" }], finish: { reason: "stop" } });
  });

  test.each<[line: string]>([["z:1"], ["0:hello"], ["0:5"], ["no line"], ["9:{}"], ["__proto__:1"]])(
    "the line %s is reported, and the rest is read",
    line => {
      const decoder = streamDecoder("ai-sdk-ui:v4");
      const messages = accumulate(runAll(decoder, runAll(dataStreamLines(), [`${line}\n0:"a"\n`])));
      expect(decoder.issues.map(({ code, wirePath }) => [code, wirePath])).toEqual([["not-a-chunk", [0]]]);
      expect(messages).toMatchObject([{ parts: [{ text: "a" }] }]);
    },
  );

  test("an error is read as the reason, and what was said stays", () => {
    const messages = read(['0:"a"', '3:"overloaded"']);
    expect(messages).toMatchObject([
      { finish: { reason: "error" }, parts: [{ text: "a" }, { message: "overloaded" }] },
    ]);
  });

  test("its text becomes any other stream as it arrives, and a line that is none is reported", () => {
    const bytes = new TextEncoder().encode('f:{"messageId":"m"}\n0:"Hé"\nnonsense\n0:"llo"\nd:{"finishReason":"stop"}');
    const into = () => transcode("ai-sdk-ui:v4", "ai-sdk-ui:v7");
    const whole = into();
    const text = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString();
    const written = text(runAll(whole, [bytes]));
    expect(written).toContain('{"type":"text-delta","id":"0","delta":"Hé"}');
    expect(written.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(whole.issues.map(({ code }) => code)).toEqual(["not-a-chunk"]);
    expect(
      text(
        runAll(
          into(),
          Array.from(bytes, byte => Uint8Array.of(byte)),
        ),
      ),
    ).toBe(written);
  });

  test("a line that is too long is cut and reported, and the next is read", () => {
    const lines = runAll(dataStreamLines({ maxLineBytes: 10 }), ['0:"', "x".repeat(20), '"\n0:"y"\n']);
    expect(lines).toEqual([expect.stringMatching(/^0:"x+$/), ["0", "y"]]);
  });

  const step = (promptTokens: number): Json => ["e", { usage: { promptTokens, completionTokens: 1 } }];
  const begun: Json = ["f", { messageId: "m" }];
  test.each<[where: string, lines: readonly Json[], usage: readonly (number | undefined)[]]>([
    ["with the message before it", [["0", "hi"], step(10), step(3)], [13]],
    ["with the first one where none is before it", [step(10), step(20), ["0", "hi"], step(3)], [33]],
    [
      "with its own message where it was begun by name",
      [begun, step(10), begun, step(20), begun, ["0", "hi"], step(3)],
      [10, 20, 3],
    ],
  ])("what a step counted that says nothing is kept, %s", (_, lines, usage) => {
    const messages = accumulate(runAll(streamDecoder("ai-sdk-ui:v4"), lines));
    expect(messages.map(message => message.usage?.input)).toEqual(usage);
  });

  test("one line is an event, whole lines are a stream", () => {
    expect(detect(["0", "hi"])[0]).toMatchObject({ format: "ai-sdk-ui", dialect: "v4", shape: "stream" });
    const { conversation } = decode(["0", "hi"], { from: "ai-sdk-ui:v4", shape: "stream" });
    expect(conversation.messages).toMatchObject([{ role: "assistant", parts: [{ type: "text", text: "hi" }] }]);
  });
});
