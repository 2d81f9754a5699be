import { type Generation, generations } from "@translogue/testkit/generations";
import { refusedModelMessage } from "@translogue/testkit/model-generations";
import { corpus } from "@translogue/testkit/wire-samples";
import {
  assistant,
  type Conversation,
  decode,
  detect,
  encode,
  fileData,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { withUrls } from "translogue/ai-sdk-model";
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
const _deniedText = "Tool call execution denied.";

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

  const resultOf = (item: Json): Json[] => [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "content", value: [item] } }],
    },
  ];
  const itemIn = (messages: readonly Json[]): unknown =>
    (messages[1] as { content: { output: { value: unknown[] } }[] }).content[0]?.output.value[0]; // as resultOf makes it

  test.each<[what: string, file: object, item: object]>([
    ["an address", { mediaType: "application/pdf" }, { type: "file-url", mediaType: "application/pdf" }],
    ["an address of a picture", { mediaType: "image/*" }, { type: "image-url" }],
    ["an address of anything", {}, { type: "file-url" }],
  ])("%s in a tool's output is written as the SDK takes it of JSON", (_, file, item) => {
    const url = "https://x.test/a";
    const output: Part[] = [{ type: "file", source: { url }, ...file }];
    const messages: Message[] = [
      assistant(toolCall({ callId: "c", name: "f", input: {} })),
      toolMessage({ type: "tool-result", callId: "c", name: "f", output }),
    ];
    const { value } = encode({ messages }, { to: "ai-sdk-model:v7", shape: "messages", recipient: "client" });
    expect(itemIn(value as Json[])).toEqual({ url, ...item }); // a list of messages
    expect((value as Json[]).map(message => refusedModelMessage("v7", message))).toEqual([undefined, undefined]);
    expect(partsOf(read(value as Json[], "v7").conversation).at(-1)).toMatchObject({ output });
  });

  test.each<[what: string, item: JsonObject]>([
    ["a file", { type: "file", data: { type: "url", url: "https://x.test/a" }, mediaType: "image/png", filename: "a" }],
    ["a file's address", { type: "file-url", url: "https://x.test/a", mediaType: "image/png" }],
    ["a picture's address", { type: "image-url", url: "https://x.test/a" }],
  ])("%s that was read of a tool's output is written as it was", (_, item) => {
    expect(again(resultOf(item), "v7")).toEqual({ value: resultOf(item), losses: [] });
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

  test.each<[type: string, part: Json, path: (string | number)[]]>([
    ["a bare text", { type: "file", mediaType: "image/jpeg", data: `data:image/png;base64,${png}` }, ["data"]],
    [
      "a tagged object",
      { type: "file", mediaType: "image/jpeg", data: { type: "url", url: `data:image/png;base64,${png}` } },
      ["data"],
    ],
    ["an image", { type: "image", mediaType: "image/jpeg", image: `data:image/png;base64,${png}` }, ["image"]],
  ])("whose data URL is of another type than the part is reported: %s", (_, part, path) => {
    const { conversation, issues } = read([{ role: "user", content: [part] }]);
    expect(partsOf(conversation)).toMatchObject([{ mediaType: "image/jpeg", source: { data: png } }]);
    expect(issues).toMatchObject([{ code: "other-media-type", wirePath: [0, "content", 0, ...path] }]);
  });

  test.each(["image/*", "application/octet-stream", "IMAGE/PNG"])("and is not where the part says `%s`", mediaType => {
    const part = { type: "file", mediaType, data: `data:image/png;base64,${png}` };
    expect(read([{ role: "user", content: [part] }]).issues).toEqual([]);
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

  const mark = (ttl?: string): JsonObject => ({
    anthropic: { cacheControl: { type: "ephemeral", ...(ttl && { ttl }) } },
  });
  const words = { type: "text", text: "a" };
  test.each<[what: string, message: JsonObject, cached: (number | undefined)[], left?: object]>([
    ["a user's text", { role: "user", content: "a", providerOptions: mark() }, [0]],
    ["the last part", { role: "user", content: [words, words], providerOptions: mark("1h") }, [undefined, 1]],
    [
      "no empty text",
      { role: "user", content: [words, { ...words, text: "" }], providerOptions: mark() },
      [0, undefined],
    ],
    [
      "a result, by Bedrock's word",
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "x" } }],
        providerOptions: { bedrock: { cachePoint: { type: "default" } } },
      },
      [0],
    ],
    [
      "beside other options",
      {
        role: "assistant",
        content: [words],
        providerOptions: { anthropic: { a: 1, ...(mark()["anthropic"] as JsonObject) } },
      },
      [0],
      { anthropic: { a: 1 } },
    ],
    [
      "no reasoning",
      { role: "assistant", content: [{ type: "reasoning", text: "a" }], providerOptions: mark() },
      [undefined],
      mark(),
    ],
    [
      "no part that marks its own",
      { role: "user", content: [{ ...words, providerOptions: mark("5m") }], providerOptions: mark() },
      [0],
      mark(),
    ],
  ])(
    "a breakpoint in the options of a message is its last part's, and goes back there: %s",
    (_, message, cached, left) => {
      const { conversation } = read([message]);
      expect(partsOf(conversation).map(({ cache }, at) => (cache ? at : undefined))).toEqual(cached);
      expect(conversation.messages[0]?.native?.["ai-sdk-model"]?.["providerOptions"]).toEqual(left);
      expect(again([message])).toEqual({ value: [message], losses: [] });
      const sent = encode(conversation, { to: "anthropic-messages", shape: "messages", carry: false });
      const marks = JSON.stringify(sent.value).split('"cache_control"').length - 1;
      expect(marks).toBe(cached.some(at => at !== undefined) ? 1 : 0);
      if (!left) expect(codes(sent.losses).filter(code => code.startsWith("message"))).toEqual([]);
    },
  );

  test("a breakpoint in the options of a message stays when the system says it", () => {
    const { conversation } = read([{ role: "user", content: "a", providerOptions: mark() }]);
    const told = conversation.messages.map(message => ({ ...message, role: "system" }));
    expect(write(told)).toMatchObject({
      value: [{ role: "system", content: "a", providerOptions: mark() }],
      losses: [],
    });
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
    const live = (value as Json[]).map(withUrls); // a list of messages
    const refused = [...(value as Json[]), ...live].map(message => refusedModelMessage(version, message)); // as above
    expect(refused.filter(reason => reason !== undefined)).toEqual([]);
  });
});
