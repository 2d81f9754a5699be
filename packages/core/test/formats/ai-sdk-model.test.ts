import { type Generation, generations, refusedMessages } from "@translogue/testkit/generations";
import { refusedModelMessage } from "@translogue/testkit/model-generations";
import { corpus } from "@translogue/testkit/wire-samples";
import {
  assistant,
  type Conversation,
  convert,
  decode,
  detect,
  encode,
  fileData,
  type Json,
  type Message,
  type Part,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { toModelMessages, toUIMessages, withUrls } from "translogue/ai-sdk-model";
import { describe, expect, test } from "vitest";

const read = (messages: unknown, version: Generation | "v4" = "v7") =>
  decode(messages, { from: `ai-sdk-model:${version}`, shape: "messages" });
const write = (messages: readonly Message[], version: Generation = "v7", recipient: "store" | "provider" = "store") =>
  encode({ messages }, { to: `ai-sdk-model:${version}`, shape: "messages", recipient, carry: false });
const again = (messages: Json, version: Generation = "v7") => {
  const { conversation } = read(messages, version);
  const { value, losses } = write(conversation.messages, version);
  return { value, losses };
};
const partsOf = (conversation: Conversation): readonly Part[] => conversation.messages.flatMap(({ parts }) => parts);
const plain = ({ native: _, ...part }: Part): object => part;
const codes = (losses: readonly { readonly code: string }[]): string[] => losses.map(({ code }) => code);

const png = "iVBORw0KGgo=";
const deniedText = "Tool call execution denied.";

describe("files", () => {
  const image = { mediaType: "image/png" };
  test.each<[form: string, version: Generation, wire: object, part: object]>([
    ["bytes", "v7", { data: { type: "data", data: png } }, { ...image, source: { data: png } }],
    [
      "an address",
      "v7",
      { data: { type: "url", url: "https://x.test/a" } },
      { ...image, source: { url: "https://x.test/a" } },
    ],
    ["a text", "v7", { data: { type: "text", text: "hi" } }, { ...image, source: { text: "hi" } }],
    [
      "a provider's",
      "v7",
      { data: { type: "reference", reference: { openai: "f1" } } },
      { ...image, source: { provider: "openai", id: "f1" } },
    ],
    ["a bare reference", "v7", { data: { openai: "f1" } }, { ...image, source: { provider: "openai", id: "f1" } }],
    [
      "a data URL",
      "v7",
      { data: { type: "url", url: `data:image/png;base64,${png}` } },
      { ...image, source: { data: png } },
    ],
    ["a data URL of another type", "v6", { data: `data:image/gif;base64,${png}` }, { ...image, source: { data: png } }],
    ["bare bytes", "v6", { data: png }, { ...image, source: { data: png } }],
    ["a bare address", "v5", { data: "gs://b/a.png" }, { ...image, source: { url: "gs://b/a.png" } }],
    ["a path", "v5", { data: "/uploads/1.png" }, { ...image, source: { url: "/uploads/1.png" } }],
    [
      "tagged bytes in an older generation",
      "v6",
      { data: { type: "data", data: png } },
      { ...image, source: { data: png } },
    ],
    [
      "a kind alone",
      "v7",
      { data: { type: "data", data: png }, mediaType: "image" },
      { mediaType: "image/*", source: { data: png } },
    ],
    ["no type at all", "v7", { data: { type: "data", data: png }, mediaType: undefined }, { source: { data: png } }],
  ])("%s of %s is read and written as it was", (_, version, wire, part) => {
    const messages = [{ role: "user", content: [JSON.parse(JSON.stringify({ type: "file", ...image, ...wire }))] }];
    expect(partsOf(read(messages, version).conversation).map(plain)).toEqual([{ type: "file", ...part }]);
    expect(again(messages, version)).toEqual({ value: messages, losses: [] });
  });

  test("an image part without a type is every image", () => {
    const messages = [{ role: "user", content: [{ type: "image", image: "https://x.test/a" }] }];
    expect(partsOf(read(messages).conversation).map(plain)).toEqual([
      { type: "file", mediaType: "image/*", source: { url: "https://x.test/a" } },
    ]);
    expect(again(messages)).toEqual({ value: messages, losses: [] });
  });

  test("references to several providers stay together", () => {
    const data = { type: "reference", reference: { openai: "f1", anthropic: "f2" } };
    const messages = [{ role: "user", content: [{ type: "file", mediaType: "image/png", data }] }];
    expect(again(messages)).toEqual({ value: messages, losses: [] });
  });

  test("live values are read as the JSON that says the same, and nothing is written that JSON does not have", () => {
    const bytes = Uint8Array.from(atob(png), char => char.charCodeAt(0));
    const live = [
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data: { type: "data", data: bytes } },
          { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://x.test/a b") } },
          { type: "image", image: bytes.buffer, providerOptions: undefined },
        ],
      },
    ];
    const json = [
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data: { type: "data", data: png } },
          { type: "file", mediaType: "image/png", data: { type: "url", url: "https://x.test/a%20b" } },
          { type: "image", image: png },
        ],
      },
    ];
    expect(read(live).conversation).toEqual(read(json).conversation);
    expect(withUrls(json)).toEqual([
      {
        role: "user",
        content: [
          json[0]?.content[0],
          { ...json[0]?.content[1], data: { type: "url", url: new URL("https://x.test/a b") } },
          json[0]?.content[2],
        ],
      },
    ]);
  });
});

describe("outputs", () => {
  const file: Part = fileData(png, "image/png");
  test.each<[version: Generation, output: object, result: object]>([
    ["v7", { type: "text", value: "a" }, { output: [text("a")] }],
    ["v7", { type: "json", value: "a" }, { output: [{ type: "data", data: "a" }] }],
    ["v7", { type: "json", value: null }, { output: [{ type: "data", data: null }] }],
    ["v7", { type: "error-text", value: "a" }, { outcome: "error", output: [text("a")] }],
    ["v7", { type: "error-json", value: { a: 1 } }, { outcome: "error", output: [{ type: "data", data: { a: 1 } }] }],
    ["v7", { type: "execution-denied", reason: "no" }, { outcome: "denied", output: [text("no")] }],
    ["v6", { type: "execution-denied" }, { outcome: "denied" }],
    ["v7", { type: "content", value: [{ type: "text", text: "a" }] }, { output: [text("a")] }],
    [
      "v7",
      { type: "content", value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: png } }] },
      { output: [file] },
    ],
    ["v7", { type: "content", value: [{ type: "image-data", mediaType: "image/png", data: png }] }, { output: [file] }],
    ["v6", { type: "content", value: [{ type: "image-data", mediaType: "image/png", data: png }] }, { output: [file] }],
    [
      "v6",
      { type: "content", value: [{ type: "file-id", fileId: "f" }] },
      { output: [{ type: "file", source: { id: "f" } }] },
    ],
    ["v5", { type: "content", value: [{ type: "media", mediaType: "image/png", data: png }] }, { output: [file] }],
  ])("in %s %j", (version, output, result) => {
    const messages = [
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output }] },
    ] as unknown as Json; // JSON, as written above
    const [part] = partsOf(read(messages, version).conversation);
    const { callId: _, name: __, type: ___, ...said } = plain(part as Part) as { [member: string]: unknown };
    const bare = (said["output"] as Part[] | undefined)?.map(plain);
    expect({ ...said, ...(bare && { output: bare }) }).toEqual(result);
    expect(again(messages, version)).toEqual({ value: messages, losses: [] });
  });

  test("an error beside the answer that denied its call is a denial, and goes back as it was", () => {
    const messages = [
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c", toolName: "f", input: {} },
          { type: "tool-approval-request", approvalId: "a", toolCallId: "c" },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-approval-response", approvalId: "a", approved: false },
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "f",
            output: { type: "error-text", value: "Tool call execution denied." },
          },
        ],
      },
    ];
    expect(partsOf(read(messages).conversation).at(-1)).toMatchObject({ outcome: "denied" });
    expect(partsOf(read(messages).conversation).at(-1)).not.toHaveProperty("output");
    expect(again(messages)).toEqual({ value: messages, losses: [] });
  });

  test("of preliminary results the last counts", () => {
    const messages = [
      assistant(toolCall({ callId: "c", name: "f", input: {} })),
      toolMessage(toolResult("c", "1", { preliminary: true })),
      toolMessage(toolResult("c", "2")),
    ];
    expect(write(messages).value).toEqual([
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
      { role: "tool", content: [] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "2" } }],
      },
    ]);
  });
});

describe("messages", () => {
  test("text content stays a text while it is one, and becomes a list once it is edited", () => {
    const { conversation } = read([{ role: "user", content: "a" }]);
    const [message] = conversation.messages as [Message];
    expect(write([message]).value).toEqual([{ role: "user", content: "a" }]);
    const edited = { ...message, parts: [...message.parts, text("b")] };
    expect(write([edited]).value).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });

  test("the options of system text are those of its one part", () => {
    const messages = [
      { role: "system", content: "a", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
    ];
    expect(partsOf(read(messages).conversation)).toEqual([text("a", { cache: {} })]);
    expect(again(messages)).toEqual({ value: messages, losses: [] });
  });

  test("what is no message or part is kept, and named", () => {
    const messages = [
      { role: "robot", content: "a" },
      {
        role: "user",
        content: [{ type: "hologram" }, { type: "text" }, { type: "text", text: "a", mine: 1 }],
        extra: true,
      },
      7,
    ];
    const { issues } = read(messages);
    expect(issues.map(({ code, wirePath }) => [code, wirePath])).toEqual([
      ["not-a-message", [0]],
      ["unknown-part", [1, "content", 0]],
      ["malformed-part", [1, "content", 1]],
      ["not-a-message", [2]],
    ]);
    expect(again(messages)).toEqual({ value: messages, losses: [] });
  });

  test("a part goes to a message of the role that has a place for it", () => {
    const call = toolCall({ callId: "c", name: "f", input: {} });
    const { value, losses } = write([user([text("a"), call, toolResult("c", "1"), text("b")])]);
    expect((value as { role: string }[]).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(codes(losses)).toContain("misplaced");
  });

  test("what a message cannot say travels in its options, and is void once the message was edited", () => {
    const messages: Message[] = [
      user("a", { id: "m1", createdAt: "2026-11-30T10:00:00Z" }),
      assistant("b", { usage: { input: 1 } }),
    ];
    const { value } = encode({ messages }, { to: "ai-sdk-model", shape: "messages", recipient: "store" });
    expect(read(value).conversation.messages).toEqual(messages);
    const [first, second] = value as [{ content: Json }, Json];
    const edited = [{ ...first, content: [{ type: "text", text: "c" }] }, second];
    expect(read(edited).conversation.messages[0]).toEqual(user("c"));
  });

  test("generation 4 is read and not written", () => {
    const { conversation, issues } = read(
      [
        { role: "user", content: [{ type: "image", image: png, mimeType: "image/png" }] },
        {
          role: "assistant",
          id: "m",
          content: [
            { type: "reasoning", text: "r", signature: "s" },
            { type: "redacted-reasoning", data: "d" },
            { type: "tool-call", toolCallId: "c", toolName: "f", args: { a: 1 } },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c", toolName: "f", result: { b: 2 } },
            { type: "tool-result", toolCallId: "d", toolName: "f", result: "no", isError: true },
            {
              type: "tool-result",
              toolCallId: "e",
              toolName: "f",
              result: 1,
              experimental_content: [{ type: "image", data: png }],
            },
          ],
        },
      ],
      "v4",
    );
    expect(issues).toEqual([]);
    expect(conversation.messages[1]?.id).toBe("m");
    expect(partsOf(conversation).map(plain)).toEqual([
      { type: "file", mediaType: "image/png", source: { data: png } },
      { type: "reasoning", text: "r", seal: { maker: "anthropic", values: { signature: "s" } } },
      { type: "reasoning", seal: { maker: "anthropic", values: { data: "d" } } },
      { type: "tool-call", callId: "c", name: "f", input: { a: 1 } },
      { type: "tool-result", callId: "c", name: "f", output: [{ type: "data", data: { b: 2 } }] },
      { type: "tool-result", callId: "d", name: "f", outcome: "error", output: [text("no")] },
      { type: "tool-result", callId: "e", name: "f", output: [fileData(png, "image/png")] },
    ]);
    expect(() => encode(conversation, { to: "ai-sdk-model:v4", shape: "messages" })).toThrow("read and not written");
  });

  test.each<[value: Json, found: string]>([
    [
      [
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "" } }],
        },
      ],
      "ai-sdk-model:v7",
    ],
    [
      [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", args: {} }] }],
      "ai-sdk-model:v4",
    ],
    [[{ role: "user", content: [{ type: "file", mediaType: "image/png", data: png }] }], "ai-sdk-model:v6"],
  ])("%j is detected", (value, found) => {
    const [first] = detect(value);
    expect(`${first?.format}:${first?.dialect}`).toBe(found);
  });
});

describe.each(generations)("the schema of ai %s takes what is written of", version => {
  test.each(corpus)("the conversation `%s`", (_, conversation) => {
    const hasRaw = ({ parts }: Message): boolean => parts.some(({ type }) => type === "opaque");
    const { messages } = { messages: conversation.messages.filter(message => !hasRaw(message)) };
    const { value } = encode(
      { messages },
      { to: `ai-sdk-model:${version}`, shape: "messages", recipient: "client", carry: false },
    );
    const refused = (value as Json[]).map(message => refusedModelMessage(version, withUrls(message)));
    expect(refused.filter(reason => reason !== undefined)).toEqual([]);
  });
});

describe("UI messages", () => {
  const tool = (state: string, members: object = {}): Json => ({ type: "tool-f", toolCallId: "c", state, ...members });
  const ui = (...parts: Json[]): Json => [
    { id: "u", role: "user", parts: [{ type: "text", text: "a" }] },
    { id: "m", role: "assistant", parts },
  ];
  const call = { type: "tool-call", toolCallId: "c", toolName: "f", input: {} };
  const toolOf = (output: object): object => ({ type: "tool-result", toolCallId: "c", toolName: "f", output });

  test.each<[state: string, part: Json, content: object[], results: object[]]>([
    [
      "output-available",
      tool("output-available", { input: {}, output: "x" }),
      [call],
      [toolOf({ type: "text", value: "x" })],
    ],
    [
      "output-error",
      tool("output-error", { input: {}, errorText: "x" }),
      [call],
      [toolOf({ type: "error-text", value: "x" })],
    ],
    [
      "output-error of the provider's",
      tool("output-error", { input: {}, errorText: "x", providerExecuted: true }),
      [{ ...call, providerExecuted: true }, toolOf({ type: "error-json", value: "x" })],
      [],
    ],
    ["input-available", tool("input-available", { input: {} }), [call], []],
    [
      "approval-responded",
      tool("approval-responded", { input: {}, approval: { id: "a", approved: false, reason: "no" } }),
      [call, { type: "tool-approval-request", approvalId: "a", toolCallId: "c" }],
      [
        { type: "tool-approval-response", approvalId: "a", approved: false, reason: "no" },
        toolOf({ type: "execution-denied", reason: "no" }),
      ],
    ],
  ])("a tool in the state %s becomes its model messages", async (_, part, content, results) => {
    const { messages } = await toModelMessages(ui(part));
    expect(messages.slice(1)).toEqual([
      { role: "assistant", content },
      ...(results.length > 0 ? [{ role: "tool", content: results }] : []),
    ]);
  });

  const denial = { input: {}, approval: { id: "a", approved: false } };
  const mock = { mock: { id: "x" } };
  const options = { providerOptions: mock };
  test.each<[what: string, part: Json, call: object, result: object | undefined]>([
    ["a stored denial", tool("output-denied", denial), {}, { output: { type: "error-text", value: deniedText } }],
    ["one of the provider's tools", tool("output-denied", { ...denial, providerExecuted: true }), {}, undefined],
    [
      "a result of the client's, by its call",
      tool("output-available", { input: {}, output: 1, callProviderMetadata: mock }),
      options,
      options,
    ],
    [
      "a call that failed, by its result",
      tool("output-error", { input: {}, errorText: "e", resultProviderMetadata: mock }),
      options,
      { output: { type: "error-text", value: "e" } },
    ],
    [
      "a refused call",
      tool("approval-responded", { ...denial, callProviderMetadata: mock }),
      options,
      { output: { type: "execution-denied" }, ...options },
    ],
  ])("options and denials are told as the SDK tells them: %s", async (_, part, call, result) => {
    const { messages } = await toModelMessages(ui(part));
    const content = messages.slice(1).flatMap(message => (message as { content: { type: string }[] }).content);
    expect(content.find(({ type }) => type === "tool-call")).toMatchObject(call);
    const found = content.find(({ type }) => type === "tool-result");
    expect(found).toEqual(result && { ...toolOf({ type: "json", value: 1 }), ...result });
  });

  test("options of a call that failed are its result's again in UI messages", async () => {
    const part = tool("output-error", { input: {}, errorText: "e", resultProviderMetadata: mock });
    const { messages } = await toModelMessages(ui(part));
    expect(toUIMessages(messages).messages[1]).toMatchObject({ parts: [{}, part] });
  });

  test("a call that still comes is left out, and said so; without a result it stays unless the caller says otherwise", async () => {
    const coming = await toModelMessages(ui(tool("input-streaming", { rawInput: "{" })));
    expect([coming.messages.length, codes(coming.losses)]).toEqual([1, expect.arrayContaining(["incomplete-call"])]);
    const open = ui(tool("input-available", { input: {} }));
    expect((await toModelMessages(open)).messages).toHaveLength(2);
    expect((await toModelMessages(open, { ignoreIncompleteToolCalls: true })).messages).toHaveLength(1);
  });

  test("data goes to the model as the application says, or not at all", async () => {
    const given = ui({ type: "data-card", id: "d", data: { a: 1 } }, { type: "text", text: "b" });
    const without = await toModelMessages(given);
    expect(without.messages[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "b" }] });
    expect(codes(without.losses)).toContain("data");
    const { messages } = await toModelMessages(given, {
      convertDataPart: ({ type, id, data }) => ({ type: "text", text: JSON.stringify({ type, id, data }) }),
    });
    expect(messages[1]).toMatchObject({
      content: [{ text: '{"type":"data-card","id":"d","data":{"a":1}}' }, { text: "b" }],
    });
  });

  test("a tool says its output in words of its own", async () => {
    const tools = { f: { toModelOutput: (about: unknown) => ({ type: "json", value: about }) } };
    const part = tool("output-available", { input: { a: 1 }, output: { b: 2 } });
    const { messages } = await toModelMessages(ui(part), { tools });
    expect(messages[2]).toMatchObject({
      content: [{ output: { value: { toolCallId: "c", input: { a: 1 }, output: { b: 2 } } } }],
    });
    const older = await toModelMessages(ui(part), { tools, version: "v5" });
    expect(older.messages[2]).toMatchObject({ content: [{ output: { value: { b: 2 } } }] });
  });

  const run: Json = [
    { role: "user", content: [{ type: "text", text: "a" }] },
    { role: "assistant", content: [{ type: "text", text: "b" }, call, { type: "text", text: "c" }] },
    { role: "tool", content: [toolOf({ type: "json", value: { d: 1 } })] },
    { role: "assistant", content: [{ type: "text", text: "e" }] },
    { role: "user", content: [{ type: "text", text: "f" }] },
  ] as unknown as Json; // JSON, as written above

  test("model messages become UI messages with stable ids, a step for each answer, and come back", async () => {
    const { messages, losses } = toUIMessages(run);
    expect(messages).toEqual([
      { id: "msg-0", role: "user", parts: [{ type: "text", text: "a" }] },
      {
        id: "msg-1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "text", text: "b", state: "done" },
          { type: "tool-f", toolCallId: "c", state: "output-available", input: {}, output: { d: 1 } },
          { type: "text", text: "c", state: "done" },
          { type: "step-start" },
          { type: "text", text: "e", state: "done" },
        ],
      },
      { id: "msg-4", role: "user", parts: [{ type: "text", text: "f" }] },
    ]);
    expect(codes(losses)).toEqual(["result-name"]);
    expect(toUIMessages(run)).toEqual(toUIMessages(run));
    expect((await toModelMessages(messages)).messages).toEqual(run);
  });

  test("the caller may give the ids", () => {
    let count = 0;
    const { messages } = toUIMessages(run, { newId: () => `id${count++}` });
    expect(messages.map(message => (message as { id: string }).id)).toEqual(["id0", "id1", "id2"]);
  });

  test.each(generations)("every generation's validator takes what is written for %s", async version => {
    expect(await refusedMessages(version, toUIMessages(run, { version }).messages as Json)).toBeUndefined();
  });

  test("convert does the same without options", async () => {
    const { messages } = toUIMessages(run);
    const { value } = convert(messages, { from: "ai-sdk-ui:v7", to: "ai-sdk-model" });
    expect(value).toEqual((await toModelMessages(messages)).messages);
  });
});
