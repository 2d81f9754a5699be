import {
  type Generation,
  generations,
  readChunks,
  refusedChunk,
  refusedMessages,
} from "@translogue/testkit/generations";
import {
  assistant,
  type Conversation,
  decode,
  detect,
  emit,
  encode,
  type Json,
  type Message,
  type Part,
  runAll,
  streamEncoder,
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

describe("what an older generation does not have", () => {
  const asked = tool("approval-requested", { approval: { id: "q" } });
  const denied = tool("output-denied", { approval: { id: "q", approved: false, reason: "too late" } });
  const custom = { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { itemId: "cmp" } } };

  test("an approval goes to v5 as data beside the call, and is read from there", async () => {
    const { conversation } = read([ui("assistant", asked)]);
    const { value, losses } = write(conversation, "v5");
    expect(partsOf(value)).toEqual([
      tool("input-available"),
      { type: "data-approval", id: "q", data: { id: "q", toolCallId: "c" } },
    ]);
    expect(await refusedMessages("v5", value as Json)).toBeUndefined(); // UI messages
    expect(losses).toEqual([]);
    expect(write(read(value as Json, "v5").conversation, "v7").value).toEqual([ui("assistant", asked)]);
  });

  test("a denied call goes to v5 as a failed one that says why, and is read as denied", () => {
    const { value } = write(read([ui("assistant", denied)]).conversation, "v5");
    expect(partsOf(value)[0]).toEqual(tool("output-error", { errorText: "too late" }));
    expect(write(read(value as Json, "v5").conversation, "v7").value).toEqual([ui("assistant", denied)]); // UI messages
  });

  test.each<[generation: Generation, since: Json, wanted: Json, loss: string]>([
    [
      "v6",
      custom,
      { type: "data-custom", data: { kind: custom.kind, providerMetadata: custom.providerMetadata } },
      "late-part",
    ],
    [
      "v5",
      { type: "reasoning-file", mediaType: "image/png", url: "https://x.test/a.png" },
      { type: "file", mediaType: "image/png", url: "https://x.test/a.png" },
      "reasoning-file",
    ],
    [
      "v6",
      { type: "file", mediaType: "image/png", url: "", providerReference: { openai: "file_1" } },
      { type: "data-file", data: { id: "file_1", provider: "openai", mediaType: "image/png" } },
      "file-reference",
    ],
  ])("%s takes it as something it knows: %j", async (generation, part, wanted, loss) => {
    const { value, losses } = write(read([ui("assistant", part)]).conversation, generation);
    expect(partsOf(value)).toEqual([wanted]);
    expect(losses.map(({ code }) => code)).toEqual([loss]);
    expect(await refusedMessages(generation, value as Json)).toBeUndefined(); // UI messages
  });

  test.each<[what: string, reason: string | undefined, state: string, errorText: string | undefined]>([
    ["waits", undefined, "input-available", undefined],
    ["was granted", undefined, "input-available", undefined],
    ["was refused", "too far", "output-error", "too far"],
    ["was refused", undefined, "output-error", "Tool call execution denied."],
  ])("v5 sees of a call that %s (%s): %s, written and streamed", async (what, reason, state, errorText) => {
    const said = what === "waits" ? {} : { approved: what === "was granted", ...(reason !== undefined && { reason }) };
    const asked = tool(what === "waits" ? "approval-requested" : "approval-responded", {
      approval: { id: "q", ...said },
    });
    const { conversation } = read([ui("assistant", asked)], "v6");
    const { value } = write(conversation, "v5");
    const seen = [
      {
        type: "tool-weather",
        toolCallId: "c",
        state,
        input: { city: "Rome" },
        ...(errorText !== undefined && { errorText }),
      },
      { type: "data-approval", id: "q", data: { id: "q", toolCallId: "c", ...said } },
    ];
    expect(partsOf(value)).toEqual(seen);
    expect(await refusedMessages("v5", value as Json)).toBeUndefined(); // UI messages
    const chunks = runAll(streamEncoder("ai-sdk-ui:v5", { recipient: "store" }), emit(conversation.messages));
    expect(await refusedChunk("v5", chunks)).toBeUndefined();
    const { message } = await readChunks("v5", chunks);
    expect(partsOf([message])).toEqual(seen);
    const { value: kept } = encode(conversation, { to: "ai-sdk-ui:v5", shape: "messages", recipient: "store" });
    expect(read(kept as Json, "v5").conversation).toEqual(conversation); // with carry, all of it
  });

  test("what it let through without reading it goes back to it as it was", () => {
    const message = ui("assistant", { type: "text", text: "a", state: "done", citations: [{ type: "url", url: "u" }] });
    expect(write(read([message], "v5").conversation, "v5")).toMatchObject({ value: [message], losses: [] });
  });
});

describe("a provider's metadata", () => {
  const thought = (providerMetadata: Json): Json => ui("assistant", { type: "reasoning", text: "r", providerMetadata });
  test.each<[maker: string, metadata: Json, part: Partial<Part>]>([
    ["anthropic", { anthropic: { signature: "s" } }, { seal: { maker: "anthropic", values: { signature: "s" } } }],
    [
      "openai",
      { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } },
      { seal: { maker: "openai", values: { id: "rs_1", encrypted_content: "e" } } },
    ],
    ["google", { google: { thoughtSignature: "t" } }, { seal: { maker: "google", values: { thoughtSignature: "t" } } }],
  ])("of %s is a seal", (_, metadata, part) => {
    const { conversation } = read([thought(metadata)]);
    expect(conversation.messages[0]?.parts[0]).toMatchObject(part);
    expect(write(conversation, "v7").value).toEqual([thought(metadata)]);
  });

  test("of any other stays as it is", () => {
    const { conversation } = read([thought({ mine: { a: 1 } })]);
    expect(conversation.messages[0]?.parts[0]).toMatchObject({
      native: { "ai-sdk": { providerMetadata: { mine: { a: 1 } } } },
    });
  });

  test("a seal that the SDK has no key for travels under ours", () => {
    const seal = { maker: "someone", model: "m-1", values: { x: "y" } };
    const messages: Message[] = [assistant({ type: "reasoning", text: "r", seal })];
    const { value, losses } = write({ messages }, "v7");
    expect(partsOf(value)[1]).toMatchObject({ providerMetadata: { translogue: { seal } } });
    expect(losses).toEqual([]);
    expect(read(value as Json).conversation.messages[0]?.parts[0]).toMatchObject({ seal }); // UI messages
  });
});

describe("what has no place travels in the metadata of its message", () => {
  const spent: Message = assistant("a", { id: "m", model: "m-1", usage: { input: 1, output: 2 } });
  const stored = (message: Message): Json =>
    encode({ messages: [message] }, { to: "ai-sdk-ui:v7", shape: "messages", recipient: "store" }).value as Json; // UI messages

  test.each<[name: string, metadata: { metadata?: Json }]>([
    ["without any", {}],
    ["beside the application's", { metadata: { mine: 1 } }],
    ["around what is no object", { metadata: "mine" }],
    ["around an empty one", { metadata: {} }],
  ])("%s", (_, metadata) => {
    const message = { ...spent, ...metadata };
    const value = stored(message);
    expect(value).toMatchObject([{ metadata: { translogue: { v: 1 } } }]);
    expect(read(value).conversation.messages).toMatchObject([message]);
  });

  test("a client sees none of it unless it asks, and the loss says so", () => {
    const { value, losses } = encode({ messages: [spent] }, { to: "ai-sdk-ui:v7", shape: "messages" });
    expect(value).toEqual([ui("assistant", mark, said("a"))]);
    expect(losses.map(({ code }) => code).sort()).toEqual(["message.model", "message.usage"]);
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
