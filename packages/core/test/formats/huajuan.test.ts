import {
  assistant,
  convert,
  decode,
  detect,
  encode,
  type Json,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { describe, expect, test } from "vitest";

const again = (value: Json, shape: "request" | "answer" | "messages" | "message" | "error"): unknown => {
  const { conversation } = decode(value, { from: "huajuan", shape });
  return encode(conversation, { to: "huajuan", shape, recipient: "store", carry: false }).value;
};
const faults = (body: Json): [string, string][] =>
  decode(body, { from: "huajuan", shape: "request" })
    .issues.filter(({ severity }) => severity === "error")
    .map(({ wirePath, message }) => [wirePath?.join(".") ?? "", message]);

const asked = (...messages: Json[]): Json => ({ model: "anthropic/claude-3-7-sonnet-20250219", messages });
const ui = (members: object): Json => ({
  id: "msg_1",
  role: "user",
  parts: [{ type: "text", text: "hello" }],
  ...members,
});

describe("a request", () => {
  test.each<[name: string, body: Json]>([
    [
      "in the simplified form",
      asked({ role: "user", content: "1+1等于几？" }, { role: "assistant", content: "1+1等于2" }),
    ],
    ["in the SDK's form", asked(ui({ metadata: { k: 1 }, status: "ready" }))],
    ["of both forms", asked({ role: "user", content: "a" }, ui({ id: "msg_2", role: "assistant" }))],
    [
      "with the document's file part",
      asked(ui({ parts: [{ type: "file", data: "iVBORw0KGgo=", mimeType: "image/png" }] })),
    ],
    ["with a system message in the SDK's form", asked(ui({ role: "system" }))],
    [
      "with everything else that it may ask",
      {
        ...(asked({ role: "user", content: "x" }) as object),
        systemPrompt: "Be brief.",
        prune: true,
        context: { snake_case: { Kept: 1 } },
      },
    ],
    ["with members that nobody knows", asked({ role: "user", content: "x", mood: "good" })],
  ])("%s is read without a complaint and written as it was", (_, body) => {
    expect(faults(body)).toEqual([]);
    expect(again(body, "request")).toEqual(body);
  });

  test.each<[name: string, body: Json, path: string, cure: RegExp]>([
    [
      "parts without an id",
      asked({ role: "user", parts: [{ type: "text", text: "hello" }] }),
      "messages.0.id",
      /UUID.*simplified/,
    ],
    ["no parts", asked(ui({ parts: [] })), "messages.0.parts", /at least one part/],
    ["content that is no string", asked({ role: "user", content: ["x"] }), "messages.0.content", /`content`, a string/],
    ["an unknown role", asked({ role: "robot", content: "x" }), "messages.0.role", /`user` or `assistant`/],
    ["an unknown role in the SDK's form", asked(ui({ role: "tool" })), "messages.0.role", /`system`/],
    [
      "system text in the simplified form",
      asked({ role: "system", content: "x" }),
      "messages.0.role",
      /`systemPrompt`/,
    ],
    ["an unknown status", asked(ui({ status: "done" })), "messages.0.status", /submitted, streaming, ready, error/],
    ["a part without a type", asked(ui({ parts: [{}] })), "messages.0.parts.0", /`type`/],
    ["a model without a provider", { model: "gpt-5", messages: [] }, "model", /provider\/model/],
    ["no model", { messages: [] }, "model", /provider\/model/],
    ["messages that are no list", { model: "a/b", messages: "x" }, "messages", /an array/],
    ["a message that is none", asked(5), "messages.0", /an object/],
  ])("with %s is told where and what to do", (_, body, path, cure) => {
    const [[where, what] = ["", ""]] = faults(body);
    expect(where).toBe(path);
    expect(what).toMatch(cure);
    expect(again(body, "request")).toEqual(body);
  });

  test("of the SDK's own client needs no model, and its empty answers are dropped with a loss", () => {
    const body = {
      id: "chat",
      trigger: "submit-message",
      messages: [ui({}), ui({ id: "a", role: "assistant", parts: [] }), ui({ id: "b" })],
    };
    const { conversation, losses } = decode(body, { from: "huajuan", shape: "request" });
    expect(faults(body)).toEqual([]);
    expect(conversation.messages.map(({ id }) => id)).toEqual(["msg_1", "b"]);
    expect(losses.map(({ code }) => code)).toEqual(["empty-answer"]);
  });

  test("gets ids for its simplified messages where the caller makes them, and keeps the others'", () => {
    let made = 0;
    const newId = (): string => `made-${++made}`;
    const body = asked({ role: "user", content: "a" }, ui({ id: "own" }), { role: "user", content: "b" });
    const { conversation } = decode(body, { from: "huajuan", shape: "request", newId });
    expect(conversation.messages.map(({ id }) => id)).toEqual(["made-1", "own", "made-2"]);
  });
});

describe("an answer", () => {
  const messages = [
    { ...assistant(toolCall({ callId: "call_abc123", name: "reply", input: { brand: "蜀地源冒菜" } })), id: "msg_001" },
    toolMessage(toolResult("call_abc123", [{ type: "data", data: { reply: "您好！" } }])),
    {
      ...assistant("已为您生成专业的招聘回复"),
      id: "msg_002",
      usage: { input: 140, cacheRead: 10, output: 60, reasoning: 20 },
    },
  ];

  test("is one message a step, call and result in one part, one usage of just three counts, and the tools that were called", () => {
    const { value } = encode({ messages }, { to: "huajuan", shape: "answer" });
    expect(JSON.stringify(value)).toBe(
      JSON.stringify({
        success: true,
        data: {
          messages: [
            {
              id: "msg_001",
              role: "assistant",
              parts: [
                {
                  type: "dynamic-tool",
                  toolName: "reply",
                  toolCallId: "call_abc123",
                  state: "output-available",
                  input: { brand: "蜀地源冒菜" },
                  output: { reply: "您好！" },
                },
              ],
            },
            {
              id: "msg_002",
              role: "assistant",
              parts: [{ type: "text", text: "已为您生成专业的招聘回复", state: "done" }],
            },
          ],
          usage: { inputTokens: 150, outputTokens: 80, totalTokens: 230 },
          tools: { used: ["reply"], skipped: [] },
        },
      }),
    );
  });

  test("counts an answer of several messages once, and adds up several answers", () => {
    const usage = { input: 1, output: 2 };
    const one = { ...assistant("a"), responseId: "r1", usage };
    const { value, losses } = encode(
      { messages: [one, one, { ...assistant("b"), responseId: "r2", usage }] },
      { to: "huajuan", shape: "answer" },
    );
    expect((value as { data: { usage: object } }).data.usage).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      totalTokens: 6,
    }); // as the codec writes it
    expect(losses.map(({ code }) => code)).toContain("usage-summed");
  });

  test("tells a failed tool by its error's text", () => {
    const failed = toolMessage(toolResult("call_abc123", "it broke", { outcome: "error" }));
    const { value } = encode({ messages: [messages[0] ?? user(""), failed] }, { to: "huajuan", shape: "answer" });
    expect(JSON.stringify(value)).toContain('"state":"output-error"');
    expect(JSON.stringify(value)).toContain('"errorText":"it broke"');
  });

  test.each<[name: string, value: Json]>([
    [
      "as the server writes it",
      {
        success: true,
        data: {
          correlationId: "req-1",
          messages: [ui({ role: "assistant" })],
          usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 0, cachedInputTokens: 0 },
          tools: { used: ["a"], skipped: ["b"] },
        },
      },
    ],
    [
      "without messages",
      {
        success: true,
        data: {
          messages: [],
          usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
          tools: { used: [], skipped: [] },
        },
      },
    ],
    ["without usage or tools", { data: { messages: [ui({ role: "assistant" })] } }],
  ])("%s is written as it was", (name, value) => {
    if (name === "without usage or tools") expect(again(value, "answer")).toMatchObject(value as object);
    else expect(again(value, "answer")).toEqual(value);
  });
});

test("what an envelope says beside its messages is no spelling: another format reports it as lost", () => {
  const value = {
    success: true,
    correlationId: "C",
    data: { messages: [ui({ role: "assistant" })], tools: { used: ["w"], skipped: ["s"] } },
  };
  const { losses } = convert(value, { from: "huajuan", to: "ai-sdk-ui:v7" });
  expect(losses.map(({ code, message }) => `${code} ${message}`)).toEqual([
    expect.stringMatching(/^message.native .*`envelope`/),
  ]);
});

test("usage that was carried along is counted once", () => {
  const parts = [
    { type: "dynamic-tool", toolName: "w", toolCallId: "c", state: "output-available", input: {}, output: 1 },
  ];
  const messages = [ui({ role: "assistant", parts }), ui({ id: "b", role: "assistant" })];
  const value = {
    success: true,
    data: {
      messages,
      usage: { inputTokens: 150, outputTokens: 80, totalTokens: 230 },
      tools: { used: ["w"], skipped: [] },
    },
  };
  const chat = convert(value, { from: "huajuan", to: "openai-chat", carry: true }).value;
  const back = convert(chat, { from: "openai-chat", to: "huajuan", as: "answer", carry: true }).value;
  expect((back as { data: { usage: object } }).data.usage).toEqual(value.data.usage); // as the codec writes it
});

test("an error body is read as an error of the answer, and written as it was", () => {
  const body = {
    error: "Forbidden",
    message: "Model 'x' is not in the allowed list.",
    statusCode: 403,
    correlationId: "req-1",
    details: { a: 1 },
  };
  const [message] = decode(body, "huajuan").conversation.messages;
  expect(message).toMatchObject({ finish: { reason: "error" }, parts: [{ type: "error", code: "Forbidden" }] });
  expect(again(body, "error")).toEqual(body);
});

test("a simplified message that has since learned more is written in the SDK's form", () => {
  const { conversation } = decode(asked({ role: "user", content: "a" }), { from: "huajuan", shape: "request" });
  const [message = user("")] = conversation.messages;
  const { value } = encode(
    { messages: [{ ...message, parts: [...message.parts, text("b")] }] },
    { to: "huajuan", shape: "messages" },
  );
  expect(value).toMatchObject([{ role: "user", parts: [{ text: "a" }, { text: "b" }] }]);
});

test("metadata that looks like ours and is not stays the application's, with a warning", () => {
  const body = asked(ui({ metadata: { translogue: { reads: 1, messages: [] } } }));
  const { conversation, issues } = decode(body, { from: "huajuan", shape: "request" });
  expect(conversation.messages[0]?.metadata).toEqual({ translogue: { reads: 1, messages: [] } });
  expect(issues).toMatchObject([{ code: "not-a-carry", severity: "warning" }]);
  expect(again(body, "request")).toEqual(body);
});

test("two messages of one id are read, with a warning at the second", () => {
  const { conversation, issues } = decode(asked(ui({}), ui({ role: "assistant" })), {
    from: "huajuan",
    shape: "request",
  });
  expect(conversation.messages).toHaveLength(2);
  expect(issues).toMatchObject([{ code: "duplicate-id", severity: "warning", wirePath: ["messages", 1, "id"] }]);
});

describe("an error body", () => {
  test.each<[name: string, body: Json, confidence: number]>([
    [
      "of the API",
      {
        error: "BadRequest",
        message: "Missing required field: model",
        statusCode: 400,
        correlationId: "req-1-a",
        details: { field: "model" },
      },
      0.95,
    ],
    ["of the gate before it", { error: "Unauthorized", message: "Missing authorization header", statusCode: 401 }, 0.5],
  ])("%s is told, read and written as it was", (_, body, confidence) => {
    expect(detect(body)[0]).toMatchObject({ format: "huajuan", shape: "error", confidence });
    expect(again(body, "error")).toEqual(body);
  });
});

test.each([{ prune: true }, { sandboxId: "s" }, { promptType: "generalComputerSystemPrompt" }])(
  "a request with %j is no other API's",
  member => {
    const [surest] = detect({ model: "m/x", messages: [{ role: "user", content: "hi" }], ...member });
    expect(surest).toMatchObject({ format: "huajuan", shape: "request" });
  },
);

test("a request that says nothing of its own is told by its address", () => {
  const body = { model: "qwen/qwen-max-latest", messages: [{ role: "user", content: "hi" }] };
  expect(detect(body, { host: "huajune.duliday.com", path: "/api/v1/chat" })[0]?.format).toBe("huajuan");
});
