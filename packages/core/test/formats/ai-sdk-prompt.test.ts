import { type Generation, generations } from "@translogue/testkit/generations";
import { runOfParts } from "@translogue/testkit/model-generations";
import {
  accumulate,
  assistant,
  type Conversation,
  decode,
  detect,
  emit,
  encode,
  type Json,
  type Message,
  reasoning,
  runAll,
  streamDecoder,
  streamEncoder,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { describe, expect, test } from "vitest";

const versions = { v5: "v2", v6: "v3", v7: "v4" } as const;
type Version = (typeof versions)[Generation];
type Shape = "request" | "messages" | "answer";

const read = (value: unknown, shape: Shape, version: Version = "v4") =>
  decode(value, { from: `ai-sdk-prompt:${version}`, shape });
const write = (
  conversation: Conversation,
  shape: Shape,
  version: Version = "v4",
  recipient: "store" | "provider" = "store",
) => encode(conversation, { to: `ai-sdk-prompt:${version}`, shape, recipient, carry: false });
const codes = (losses: readonly { readonly code: string }[]): string[] => losses.map(({ code }) => code);

describe("calls", () => {
  const call = {
    prompt: [{ role: "user", content: [{ type: "text", text: "a" }] }],
    maxOutputTokens: 5,
    temperature: 0.5,
    topP: 0.1,
    topK: 2,
    stopSequences: ["x"],
    seed: 3,
    reasoning: "low",
    toolChoice: { type: "tool", toolName: "f" },
    responseFormat: { type: "json", schema: { type: "object" }, name: "n", description: "d" },
    tools: [
      { type: "function", name: "f", description: "d", inputSchema: { type: "object" }, strict: true },
      { type: "provider", id: "openai.web_search_preview", name: "search", args: { max: 1 } },
    ],
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    providerOptions: { openai: { store: false } },
  };

  test("settings and tools become ours, and the rest comes back", () => {
    const { conversation } = read(call, "request");
    expect(conversation.settings).toEqual({
      maxOutputTokens: 5,
      temperature: 0.5,
      topP: 0.1,
      topK: 2,
      stopSequences: ["x"],
      seed: 3,
      reasoning: { effort: "low" },
      toolChoice: { name: "f" },
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      responseFormat: { type: "json", schema: { type: "object" }, name: "n", description: "d" },
    });
    expect(conversation.tools?.map(({ native: _, ...tool }) => tool)).toEqual([
      { name: "f", description: "d", input: { type: "object" }, strict: true },
      { name: "search", kind: "web-search" },
    ]);
    expect(write(conversation, "request")).toMatchObject({ value: call, losses: [] });
  });

  test.each<[id: string, kind: string]>([
    ["anthropic.web_search_20250305", "web-search"],
    ["google.google_search", "web-search"],
    ["google.url_context", "web-fetch"],
    ["anthropic.code_execution_20250825", "code-interpreter"],
    ["openai.file_search", "file-search"],
    ["openai.image_generation", "image-generation"],
    ["anthropic.computer_20250124", "computer"],
    ["openai.local_shell", "shell"],
    ["mine.unheard_of", "provider"],
  ])("the tool %s is of the kind %s", (id, kind) => {
    const { conversation } = read({ prompt: [], tools: [{ type: "provider", id, name: "t", args: {} }] }, "request");
    expect(conversation.tools?.[0]?.kind).toBe(kind);
  });

  test.each<[settings: object, version: Version, path: string]>([
    [{ reasoning: { budget: 1 } }, "v4", "settings.reasoning.budget"],
    [{ reasoning: { effort: "low" } }, "v3", "settings.reasoning"],
    [{ parallelToolCalls: true }, "v4", "settings.parallelToolCalls"],
    [{ toolChoice: { allowed: ["f"] } }, "v4", "settings.toolChoice"],
    [{ responseFormat: { type: "json", strict: true } }, "v4", "settings.responseFormat.strict"],
  ])("%j has no place in %s", (settings, version, path) => {
    const { losses } = write({ messages: [], settings }, "request", version);
    expect(losses.map(loss => loss.path.join("."))).toEqual([path]);
  });

  test("a hosted tool of another format is offered as a function, and said so", () => {
    const { value, losses } = write({ messages: [], tools: [{ name: "search", kind: "web-search" }] }, "request");
    expect(value).toMatchObject({ tools: [{ type: "function", name: "search" }] });
    expect(codes(losses)).toContain("tool");
  });

  test("a provider gets bytes as bytes, no empty texts, no questions, and arguments for every call", () => {
    const messages = [
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data: "data:image/gif;base64,AAAA" },
          { type: "text", text: "" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "c", toolName: "f" },
          { type: "tool-approval-request", approvalId: "a", toolCallId: "c" },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
    ];
    const { conversation } = decode(messages, { from: "ai-sdk-model:v6", shape: "messages" });
    const { value, losses } = write(conversation, "request", "v4", "provider");
    expect(value).toEqual({
      prompt: [
        { role: "user", content: [{ type: "file", mediaType: "image/gif", data: { type: "data", data: "AAAA" } }] },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
      ],
    });
    expect(codes(losses)).toEqual(["media-type", "empty-text", "no-input", "own-request", "own-answer"]);
  });
});

describe("answers", () => {
  const answer = (members: object): Json =>
    ({
      content: [],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: {}, outputTokens: {} },
      warnings: [],
      ...members,
    }) as Json; // JSON

  test.each<[version: Version, usage: object, buckets: object]>([
    ["v2", { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, { input: 10, output: 5 }],
    [
      "v2",
      { inputTokens: 10, outputTokens: 5, totalTokens: 20, reasoningTokens: 2, cachedInputTokens: 4 },
      { input: 6, cacheRead: 4, output: 3, reasoning: 2, other: 5 },
    ],
    [
      "v4",
      {
        inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
        outputTokens: { total: 5, text: 3, reasoning: 2 },
      },
      { input: 4, cacheRead: 5, cacheWrite: 1, output: 3, reasoning: 2 },
    ],
    ["v3", { inputTokens: { total: 10 }, outputTokens: { total: 5 }, raw: { x: 1 } }, { input: 10, output: 5 }],
  ])("usage of %s: %j", (version, usage, buckets) => {
    const finishReason = version === "v2" ? "stop" : { unified: "stop", raw: "stop" };
    const value = answer({ usage, finishReason });
    const { conversation } = read(value, "answer", version);
    expect(conversation.messages[0]?.usage).toEqual(buckets);
    expect(write(conversation, "answer", version)).toMatchObject({ value, losses: [] });
  });

  test.each<[wire: Json, finish: object]>([
    [{ unified: "stop", raw: "stop" }, { reason: "stop" }],
    [
      { unified: "stop", raw: "end_turn" },
      { reason: "stop", raw: "end_turn" },
    ],
    [{ unified: "content-filter", raw: "refusal" }, { reason: "refusal" }],
    [{ unified: "other", raw: "pause" }, { reason: "pause" }],
    [{ unified: "tool-calls" }, { reason: "tool-calls" }],
  ])("the end %j", (finishReason, finish) => {
    const value = answer({ finishReason });
    const { conversation } = read(value, "answer");
    expect(conversation.messages[0]?.finish).toEqual(finish);
    expect(write(conversation, "answer")).toMatchObject({ value, losses: [] });
  });

  test("arguments are the model's own text, and stay it", () => {
    const content = ['{"a": 1}', '{"a":', ""].map((input, index) => ({
      type: "tool-call",
      toolCallId: `c${index}`,
      toolName: "f",
      input,
    }));
    const value = answer({ content });
    const { conversation } = read(value, "answer");
    expect(conversation.messages[0]?.parts).toMatchObject([
      { input: { a: 1 }, inputText: '{"a": 1}' },
      { inputText: '{"a":' },
      { name: "f" },
    ]);
    expect(write(conversation, "answer")).toMatchObject({ value, losses: [] });
  });

  test("what is known of the answer alone is said once, of several messages the last's", () => {
    const messages: Message[] = [
      user("a"),
      assistant("b", { responseId: "r", finish: { reason: "tool-calls" } }),
      assistant("c", { responseId: "r", finish: { reason: "stop" } }),
    ];
    const { value, losses } = write({ messages }, "answer");
    expect(value).toMatchObject({
      content: [{ text: "b" }, { text: "c" }],
      finishReason: { unified: "stop" },
      response: { id: "r" },
    });
    expect(codes(losses)).toEqual(["not-answer", "answers-joined"]);
  });

  test.each<[value: Json, found: string]>([
    [{ prompt: [{ role: "user", content: [{ type: "text", text: "a" }] }] }, "request v4"],
    [answer({}), "answer v4"],
    [answer({ finishReason: "stop" }), "answer v2"],
  ])("%j is detected", (value, found) => {
    const [first] = detect(value);
    expect([first?.format, `${first?.shape} ${first?.dialect}`]).toEqual(["ai-sdk-prompt", found]);
  });
});

const thought = reasoning("Hm.", { seal: { maker: "anthropic", values: { signature: "c2ln" } } });

describe.each(generations)("the stream that ai %s reads", version => {
  const said: Message = {
    role: "assistant",
    parts: [thought, text("Hello"), toolCall({ callId: "c", name: "f", input: { a: 1 } })],
    responseId: "r",
    model: "m",
    finish: { reason: "tool-calls" },
    usage: { input: 10, output: 5 },
  };
  const parts = runAll(streamEncoder(`ai-sdk-prompt:${versions[version]}`, { recipient: "store" }), emit([said]));

  test("gives its run the same message, and ours reads the run as it was told", async () => {
    const messages = [{ role: "user", content: "hi" }];
    const run = await runOfParts(version, { messages, parts });
    const { conversation } = decode(run.messages, { from: `ai-sdk-model:${version}`, shape: "messages" });
    const answered = [...(conversation.messages[0]?.parts ?? [])].map(({ native: _, ...part }) => part);
    expect(answered).toEqual(said.parts);
    const [streamed] = accumulate(runAll(streamDecoder(`ai-sdk-model:${version}`), run.stream as Json[])); // may hold live values
    expect(streamed).toMatchObject({ ...said, parts: said.parts });
  });

  test("is called with the prompt that we write of the messages", async () => {
    const history: Message[] = [
      user([text("a"), { type: "file", mediaType: "application/pdf", name: "a.pdf", source: { data: "JVBERg==" } }]),
      { role: "assistant", parts: [thought, toolCall({ callId: "c", name: "f", input: { a: 1 } })] },
      toolMessage(toolResult("c", "done", { name: "f" })),
    ];
    const { value } = encode(
      { messages: history },
      { to: `ai-sdk-model:${version}`, shape: "messages", recipient: "client" },
    );
    const run = await runOfParts(version, { messages: value, parts });
    const ours = write({ messages: history }, "messages", versions[version], "provider").value;
    expect(JSON.parse(JSON.stringify(run.prompt))).toEqual(ours);
  });
});

test.each([
  ["iVBORw0KGgo=", "image/png"],
  ["/9j/4AAQ", "image/jpeg"],
  ["R0lGODlh", "image/gif"],
  ["Qk0AAAAA", "image/bmp"],
  ["AAAA", "image/*"],
  ["data:image/webp;base64,AAAA", "image/webp"],
])("a picture %s without a type is told by its bytes, or by its data URL: %s", (image, mediaType) => {
  const { conversation } = decode([{ role: "user", content: [{ type: "image", image }] }], "ai-sdk-model:v6");
  expect(write(conversation, "messages", "v3", "provider").value).toMatchObject([{ content: [{ mediaType }] }]);
});

test("an empty text with options is the assistant's to say, and not a user's", () => {
  const content = [{ type: "text", text: "", providerOptions: { mock: { id: "x" } } }];
  const messages = ["user", "assistant"].map(role => ({ role, content }));
  const written = write(decode(messages, "ai-sdk-model:v6").conversation, "messages", "v3", "provider");
  expect(written.value).toMatchObject([{ content: [] }, { content }]);
  expect(codes(written.losses)).toEqual(["empty-text"]);
});
