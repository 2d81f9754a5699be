import { type Generation, generations, refusedMessages } from "@translogue/testkit/generations";
import {
  assistant,
  type Conversation,
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

const read = (messages: Json, generation: Generation | "v4" = "v7") =>
  decode(messages, { from: `ai-sdk-ui:${generation}`, shape: "messages" });
const write = (conversation: Conversation, generation: Generation, recipient: "store" | "client" = "store") =>
  encode(conversation, { to: `ai-sdk-ui:${generation}`, shape: "messages", recipient, carry: false });
const partsOf = (value: unknown): Json[] => (value as { parts: Json[] }[]).flatMap(({ parts }) => parts); // UI messages

const ui = (role: string, ...parts: Json[]): Json => ({ id: "m", role, parts });
const mark = { type: "step-start" };
const said = (words: string): Json => ({ type: "text", text: words, state: "done" });
const tool = (state: string, members: object = {}): Json => ({
  type: "tool-weather",
  toolCallId: "c",
  state,
  input: { city: "Rome" },
  ...members,
});
const seals = {
  anthropic: { signature: "c2ln" },
  openai: { itemId: "rs_1", reasoningEncryptedContent: "x" },
  mine: { kept: 1 },
};

describe("a message that a generation takes comes back as it was", () => {
  const approval = { id: "q", approved: true };
  test.each<[name: string, since: Generation, ...messages: Json[]]>([
    ["text of a user", "v5", ui("user", { type: "text", text: "hi" })],
    ["system text", "v5", ui("system", { type: "text", text: "Be brief." })],
    ["text of an answer", "v5", ui("assistant", mark, said("hi"))],
    ["text that was cut off", "v5", ui("assistant", { type: "text", text: "h", state: "streaming" })],
    ["reasoning with seals", "v5", ui("assistant", { type: "reasoning", text: "r", providerMetadata: seals })],
    [
      "hidden reasoning",
      "v5",
      ui("assistant", { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "d" } } }),
    ],
    [
      "files",
      "v5",
      ui(
        "user",
        { type: "file", mediaType: "image/png", url: "data:image/png;base64,AAAA", filename: "a.png" },
        { type: "file", mediaType: "text/plain", url: "data:text/plain;charset=utf-8,hello" },
        { type: "file", mediaType: "application/pdf", url: "https://x.test/a.pdf" },
      ),
    ],
    [
      "sources",
      "v5",
      ui(
        "assistant",
        { type: "source-url", sourceId: "1", url: "https://x.test", title: "X" },
        { type: "source-document", sourceId: "2", mediaType: "text/plain", title: "Y", filename: "y.txt" },
      ),
    ],
    ["data of an application", "v5", ui("assistant", { type: "data-chart", id: "d", data: [1, { a: null }] })],
    [
      "metadata of an application",
      "v5",
      { id: "m", role: "user", metadata: { a: 1 }, parts: [{ type: "text", text: "" }] },
    ],
    ["an answer without parts", "v5", ui("assistant")],
    ["a message without an id", "v5", { id: "", role: "user", parts: [{ type: "text", text: "a" }] }],
    [
      "arguments that still come",
      "v5",
      ui("assistant", { type: "tool-weather", toolCallId: "c", state: "input-streaming", input: { ci: "R" } }),
    ],
    ["a call", "v5", ui("assistant", tool("input-available", { callProviderMetadata: seals }))],
    ["a result", "v5", ui("assistant", mark, tool("output-available", { output: { temp: 21 } }), mark, said("21°"))],
    ["a result of text", "v5", ui("assistant", tool("output-available", { output: "21°" }))],
    [
      "a result that is not the last",
      "v5",
      ui("assistant", tool("output-available", { output: 1, preliminary: true })),
    ],
    ["a result of none", "v5", ui("assistant", tool("output-available", { output: null }))],
    ["a failed call", "v5", ui("assistant", tool("output-error", { errorText: "no" }))],
    [
      "arguments that are no JSON",
      "v5",
      ui("assistant", {
        type: "tool-weather",
        toolCallId: "c",
        state: "output-error",
        rawInput: "{ city",
        errorText: "no",
      }),
    ],
    [
      "a call of a tool that was not known before",
      "v5",
      ui("assistant", {
        type: "dynamic-tool",
        toolName: "w",
        toolCallId: "c",
        state: "output-available",
        input: {},
        output: [],
      }),
    ],
    [
      "a tool that the provider ran",
      "v5",
      ui("assistant", said("a"), tool("output-available", { output: 1, providerExecuted: true }), said("b")),
    ],
    [
      "calls of one step",
      "v5",
      ui("assistant", mark, tool("output-available", { output: 1 }), tool("input-available")),
    ],
    ["marks of empty steps", "v5", ui("assistant", mark, mark, said("a"), mark)],
    ["a question", "v6", ui("assistant", tool("approval-requested", { approval: { id: "q" } }))],
    ["an answer to it", "v6", ui("assistant", tool("approval-responded", { approval: { ...approval, reason: "ok" } }))],
    ["a result after it", "v6", ui("assistant", tool("output-available", { output: 1, approval }))],
    [
      "a denial",
      "v6",
      ui("assistant", tool("output-denied", { approval: { id: "q", approved: false, reason: "no" } })),
    ],
    ["a call with a title", "v6", ui("assistant", tool("input-available", { title: "Weather" }))],
    [
      "metadata of a result",
      "v6",
      ui("assistant", tool("output-available", { output: 1, resultProviderMetadata: seals })),
    ],
    [
      "a question that answers itself",
      "v7",
      ui("assistant", tool("approval-responded", { approval: { ...approval, isAutomatic: true, requestReason: "r" } })),
    ],
    ["a part of one provider", "v7", ui("assistant", { type: "custom", kind: "openai.compaction" })],
    [
      "a file made while thinking",
      "v7",
      ui("assistant", { type: "reasoning-file", mediaType: "image/png", url: "data:image/png;base64,AAAA" }),
    ],
    [
      "a word of the user's during the run",
      "v7",
      ui(
        "assistant",
        said("a"),
        { type: "steering-message", id: "s", parts: [{ type: "text", text: "b" }] },
        said("c"),
      ),
    ],
    [
      "a file that a provider keeps",
      "v7",
      ui("user", { type: "file", mediaType: "image/png", url: "", providerReference: { openai: "file_1" } }),
    ],
    ["two messages of one run apart", "v5", ui("assistant", said("a")), ui("assistant", said("b"))],
  ])("%s, since %s", async (_, since, ...messages) => {
    for (const generation of generations.filter(each => each >= since)) {
      expect(await refusedMessages(generation, messages)).toBeUndefined();
      const { conversation, issues } = read(messages, generation);
      expect(issues).toEqual([]);
      expect(write(conversation, generation)).toMatchObject({ value: messages, losses: [] });
    }
  });
});

describe("a message that no generation takes comes back as it was, and is reported", () => {
  test.each<[code: string, message: Json]>([
    ["not-a-message", 5],
    ["not-a-message", { id: "m", role: "robot", parts: [] }],
    ["not-a-message", { id: "m", role: "user" }],
    ["not-a-part", ui("assistant", null)],
    ["unknown-part", ui("assistant", { type: "video", frames: 3 })],
    ["malformed-part", ui("assistant", { type: "text", text: 5 })],
    ["malformed-part", ui("assistant", { type: "tool-weather", state: "output-available" })],
    ["malformed-part", ui("user", { type: "file", url: 1 })],
    ["malformed-part", ui("assistant", { type: "source-document", sourceId: "s", mediaType: {}, title: "D" })],
  ])("%s", (code, message) => {
    const { conversation, issues } = read([message]);
    expect(issues.map(issue => issue.code)).toEqual([code]);
    expect(write(conversation, "v7").value).toEqual([message]);
  });

  test("names that reach prototypes are names like any other", () => {
    const messages = JSON.parse(
      '[{"id":"m","role":"assistant","parts":[{"type":"tool-__proto__","toolCallId":"constructor","state":"output-available","input":{"__proto__":{"a":1}},"output":{"constructor":1}}],"__proto__":1}]',
    ) as Json; // JSON.parse gives JSON
    expect(JSON.stringify(write(read(messages).conversation, "v7").value)).toBe(JSON.stringify(messages));
  });
});

describe("a run is one message there and one message a step here (R18)", () => {
  const run = ui(
    "assistant",
    mark,
    said("look"),
    tool("output-available", { output: { temp: 21 } }),
    mark,
    said("21°"),
  );

  test("the first step keeps the id, the others are numbered from it, and results follow their step", () => {
    expect(read([run]).conversation.messages).toMatchObject([
      { id: "m", run: "m", role: "assistant", parts: [{ text: "look" }, { callId: "c", input: { city: "Rome" } }] },
      { id: "m:1", run: "m", role: "tool", parts: [{ callId: "c", output: [{ type: "data", data: { temp: 21 } }] }] },
      { id: "m:2", run: "m", role: "assistant", parts: [{ text: "21°" }] },
    ]);
  });

  test("messages of ours that name no run are one message where they follow each other", () => {
    const messages = [
      user("Weather?"),
      assistant(toolCall({ callId: "c", name: "weather", input: { city: "Rome" } })),
      toolMessage(toolResult("c", [{ type: "data", data: { temp: 21 } }])),
      assistant("21°"),
      user("Thanks"),
    ];
    const { value, losses } = write({ messages }, "v5");
    expect((value as { role: string }[]).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(partsOf([(value as Json[])[1]])).toEqual([
      mark,
      tool("output-available", { output: { temp: 21 } }),
      mark,
      said("21°"),
    ]);
    expect(losses).toEqual([]);
    expect(write(read(value as Json, "v5").conversation, "v5").value).toEqual(value); // UI messages
  });

  test("results stand with the tool, whatever order they came in", () => {
    const messages = [
      assistant([toolCall({ callId: "a", name: "x", input: {} }), toolCall({ callId: "b", name: "x", input: {} })]),
      toolMessage(toolResult("b", "2"), toolResult("a", "1")),
    ];
    const { value, losses } = write({ messages }, "v7");
    expect(partsOf(value)).toMatchObject([mark, { toolCallId: "a", output: "1" }, { toolCallId: "b", output: "2" }]);
    expect(losses.map(({ code }) => code)).toContain("moved");
  });

  test("new tools are `tool-NAME`, and one read as `dynamic-tool` stays so", () => {
    const dynamic = { ...(tool("input-available") as object), type: "dynamic-tool", toolName: "weather" };
    const { conversation } = read([ui("assistant", dynamic)]);
    expect(partsOf(write(conversation, "v7").value)).toEqual([dynamic]);
    const fresh = { messages: [assistant(toolCall({ callId: "c", name: "weather", input: {} }))] };
    expect(partsOf(write(fresh, "v7").value)).toMatchObject([mark, { type: "tool-weather" }]);
  });
});

describe("a request of the SDK's client", () => {
  test.each<[name: string, body: Json]>([
    ["as useChat sends it", { id: "chat", messages: [ui("user", said("a"))], trigger: "submit-message" }],
    [
      "that asks again, with members of the application's",
      { id: "chat", messages: [], trigger: "regenerate-message", messageId: "m", model: "x" },
    ],
    ["without a reason", { messages: [ui("user", said("a"))] }],
    ["with no messages", { id: "chat" }],
    ["with messages that are none", { id: "chat", messages: "x", trigger: "submit-message" }],
  ])("%s is written as it was", (_, body) => {
    const { conversation } = decode(body, { from: "ai-sdk-ui", shape: "request" });
    expect(encode(conversation, { to: "ai-sdk-ui", shape: "request", recipient: "store" }).value).toEqual(body);
  });
});

describe("it is recognised", () => {
  test.each<[as: string, value: Json]>([
    ["messages v5", [ui("user", { type: "text", text: "a" })]],
    ["messages v6", [ui("assistant", tool("approval-requested", { approval: { id: "q" } }))]],
    ["messages v6", [ui("assistant", tool("input-available", { type: "dynamic-tool", toolName: "w", title: "W" }))]],
    ["messages v7", [ui("assistant", { type: "custom", kind: "x" })]],
    ["messages v7", [ui("assistant", { type: "text", text: "a", citations: [] })]],
    ["messages v7", [ui("assistant", tool("approval-responded", { approval: { id: "q", isAutomatic: true } }))]],
    ["message v5", ui("user", { type: "text", text: "a" })],
    ["request v5", { id: "c", trigger: "submit-message", messages: [ui("user", { type: "text", text: "a" })] }],
    ["stream", [{ type: "start" }, { type: "text-start", id: "0" }]],
    ["stream", { type: "text-delta", id: "0", delta: "a" }],
    ["stream v6", { type: "tool-approval-request", approvalId: "q", toolCallId: "c" }],
    ["stream v7", [{ type: "start-step" }, { type: "reset-step" }]],
    [
      "stream v4",
      [
        ["f", { messageId: "m" }],
        ["0", "a"],
      ],
    ],
    ["messages v4", [{ id: "m", role: "user", content: "a", experimental_attachments: [] }]],
    ["messages v4", [{ id: "m", role: "assistant", content: "", toolInvocations: [] }]],
    ["messages v4", [{ id: "m", role: "data", content: "", data: 1 }]],
    ["message v4", { id: "m", role: "assistant", content: "a", reasoning: "r" }],
  ])("as %s", (as, value) => {
    const [first] = detect(value);
    expect([first?.format, first?.shape, first?.dialect].filter(Boolean).join(" ")).toBe(`ai-sdk-ui ${as}`);
  });
});

test("what is no message at all is refused by name", () => {
  expect(() => decode(5, { from: "ai-sdk-ui", shape: "messages" })).toThrow(/expected UI messages.*type number/);
});

test("a run is not one message where more were asked for in one", () => {
  const messages = [user("a"), assistant([text("b")])];
  expect(() => encode({ messages }, { to: "ai-sdk-ui", shape: "message" })).toThrow(/2 messages.*`messages`/);
});
