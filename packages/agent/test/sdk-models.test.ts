import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessageChunk } from "@langchain/core/messages";
import { FakeListChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { ChatOpenAI } from "@langchain/openai";
import { type FakeHost, type Reply, sseReply, startFakeHost } from "@translogue/testkit/fake-host";
import { createOpenAI as createOpenAIV3 } from "ai-openai-v3";
import { createOpenAI as createOpenAIV4 } from "ai-openai-v4";
import { simulateReadableStream } from "ai-v5";
import { MockLanguageModelV2 } from "ai-v5/test";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { languageModel } from "../src/ai-sdk/index.ts";
import { clientModel, createAgent, defineTool, type Model } from "../src/index.ts";
import { chatModel } from "../src/langchain/index.ts";
import { chunks, content, toolCall } from "./chat-chunks.ts";
import { endpointOf } from "./hosted.ts";
import { providers, replyOf } from "./provider-answers.ts";
import { fixed } from "./scripted-model.ts";

const hosts: FakeHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const add = defineTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

/** A model by the provider's own software, and how its host answers: a call, then words. */
interface Door {
  readonly model: (url: string) => Model;
  readonly replies: readonly Reply[];
  /** What of the second request shows the call and its result. */
  readonly home: object;
}

const chat = {
  replies: [
    sseReply(chunks("c1", toolCall("call_1", "add", ['{"a":19,', '"b":23}']), "tool_calls")),
    sseReply(chunks("c2", content("4", "2."))),
  ],
  home: {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "call_1", function: { name: "add" } }] },
      { role: "tool", tool_call_id: "call_1", content: "42" },
    ],
  },
} as const;
const by = (name: "Anthropic" | "Google"): Pick<Door, "replies" | "home"> => {
  const { call, words, home } = providers[name] as (typeof providers)[string]; // both are rows
  const { stream: _, ...shown } = home;
  return { replies: [replyOf(name, call), replyOf(name, words)], home: shown };
};
const answered = (id: string, output: readonly object[], ...more: readonly object[]): Reply => {
  const response = {
    id,
    object: "response",
    created_at: 1_764_500_000,
    model: "gpt-5.2",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tools: [],
  };
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 14,
  };
  const events: readonly object[] = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...more,
    { type: "response.completed", response: { ...response, status: "completed", output, usage } },
  ];
  const data = events.map((event, index) => ({ ...event, sequence_number: index }));
  return {
    headers: { "content-type": "text/event-stream" },
    pieces: data.map(event => `event: ${(event as { type?: string }).type}\ndata: ${JSON.stringify(event)}\n\n`), // all have one
  };
};
const called = { type: "function_call", id: "fc_1", call_id: "call_1", name: "add", arguments: '{"a":19,"b":23}' };
const said = { type: "output_text", text: "42.", annotations: [], logprobs: [] };
const spoken = { type: "message", id: "msg_1", role: "assistant" };
const whole = { ...spoken, status: "completed", content: [said] };
const at = { output_index: 0, item_id: "msg_1", content_index: 0 };
const responses = {
  replies: [
    answered(
      "resp_1",
      [{ ...called, status: "completed" }],
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...called, arguments: "", status: "in_progress" },
      },
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"a":19,' },
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '"b":23}' },
      {
        type: "response.function_call_arguments.done",
        output_index: 0,
        item_id: "fc_1",
        name: "add",
        arguments: called.arguments,
      },
      { type: "response.output_item.done", output_index: 0, item: { ...called, status: "completed" } },
    ),
    answered(
      "resp_2",
      [whole],
      { type: "response.output_item.added", output_index: 0, item: { ...spoken, status: "in_progress", content: [] } },
      { type: "response.content_part.added", ...at, part: { ...said, text: "" } },
      { type: "response.output_text.delta", ...at, delta: "4", logprobs: [] },
      { type: "response.output_text.delta", ...at, delta: "2.", logprobs: [] },
      { type: "response.output_text.done", ...at, text: "42.", logprobs: [] },
      { type: "response.content_part.done", ...at, part: said },
      { type: "response.output_item.done", output_index: 0, item: whole },
    ),
  ],
  home: {
    input: [
      { type: "function_call", call_id: "call_1", name: "add" },
      { type: "function_call_output", call_id: "call_1", output: "42" },
    ],
  },
} as const;
const client = (endpoint: string, model: string, of: object): Model =>
  clientModel({ endpoint: endpointOf(endpoint), model, client: of });

const doors: { readonly [name: string]: Door } = {
  "AI SDK 6, OpenAI Chat": {
    ...chat,
    model: url => languageModel(createOpenAIV3({ apiKey: "k", baseURL: url }).chat("gpt-5.2")),
  },
  "AI SDK 7, OpenAI Chat": {
    ...chat,
    model: url => languageModel(createOpenAIV4({ apiKey: "k", baseURL: url }).chat("gpt-5.2")),
  },
  "LangChain, ChatOpenAI": {
    ...chat,
    model: url =>
      chatModel(new ChatOpenAI({ apiKey: "k", model: "gpt-4o", maxRetries: 0, configuration: { baseURL: url } })),
  },
  "LangChain, ChatAnthropic": {
    ...by("Anthropic"),
    model: url =>
      chatModel(
        new ChatAnthropic({
          apiKey: "k",
          model: "claude-opus-5-5",
          anthropicApiUrl: url,
          maxRetries: 0,
          streaming: true,
        }),
      ),
  },
  "LangChain, ChatOpenAI by Responses": {
    ...responses,
    model: url =>
      chatModel(
        new ChatOpenAI({
          apiKey: "k",
          model: "gpt-5.2",
          maxRetries: 0,
          useResponsesApi: true,
          configuration: { baseURL: url },
        }),
      ),
  },
  "AI SDK 7, OpenAI Responses": {
    ...responses,
    model: url => languageModel(createOpenAIV4({ apiKey: "k", baseURL: url }).responses("gpt-5.2")),
  },
  "OpenAI's client, Chat": {
    ...chat,
    model: url => client("openai", "gpt-5.2", new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 })),
  },
  "OpenAI's client, Responses": {
    ...responses,
    model: url => client("openai-responses", "gpt-5.2", new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 })),
  },
  "Anthropic's client": {
    ...by("Anthropic"),
    model: url => client("anthropic", "claude-opus-5-5", new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 })),
  },
  "Google's client": {
    ...by("Google"),
    model: url => client("google", "gemini-3-pro", new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url } })),
  },
};

async function opened(door: Door, replies: readonly Reply[] = door.replies) {
  const host = await startFakeHost(replies);
  hosts.push(host);
  return { host, model: door.model(host.url) };
}

describe.each(Object.entries(doors))("%s", (_, door) => {
  test("leads an agent's loop: the call is run, and its result goes home", async () => {
    const { host, model } = await opened(door);
    const agent = createAgent({ ...fixed(), id: "ada", model, tools: [add], instructions: "Be brief." });
    const response = await agent.run("19 + 23?");
    expect(response.error).toBeUndefined();
    expect(response.text).toBe("42.");
    expect(response.usage).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
    expect(response.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(host.requests).toHaveLength(2);
    interface Body {
      readonly messages?: readonly { readonly role: string }[];
      readonly contents?: readonly object[];
      readonly input?: readonly object[];
    }
    const { messages, contents, input } = door.home as Body; // each has one
    const sent = host.requests[1]?.body as Body; // what the client wrote
    if (input) expect(sent.input?.slice(-2)).toMatchObject(input);
    else if (contents) expect(sent.contents).toMatchObject(contents);
    else expect(sent.messages?.slice(-3)).toMatchObject((messages ?? []).slice(-3));
  });

  test("tells what the host refuses in our words", async () => {
    const body = {
      error: { type: "rate_limit_error", code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED" },
    };
    const busy: Reply = {
      status: 429,
      headers: { "content-type": "application/json", "retry-after": "120" },
      pieces: [JSON.stringify({ type: "error", ...body })],
    };
    const { model } = await opened(door, [busy, busy, busy]);
    const { error, finish } = await createAgent({ ...fixed(), id: "ada", model }).run("Hi");
    expect(finish).toEqual({ reason: "error" });
    expect(error).toMatchObject({ code: "model/rate-limited", retryable: true, details: { status: 429 } });
  });

  test("stops when the run is stopped, and leaves the host", async () => {
    const [, words] = door.replies;
    const { host, model } = await opened(door, [{ ...words, pieces: words?.pieces?.slice(0, 1) ?? [], end: "hold" }]);
    const stop = new AbortController();
    const agent = createAgent({ ...fixed(), id: "ada", model });
    const run = agent.run("Hi", { signal: stop.signal });
    await expect.poll(() => host.requests.length).toBe(1);
    stop.abort();
    expect((await run).finish).toEqual({ reason: "aborted" });
    await expect.poll(() => host.open).toBe(0);
  });
});

describe("AI SDK 5", () => {
  test("gives a file's address as a URL, and is asked again while nothing came", async () => {
    const prompts: unknown[] = [];
    let calls = 0;
    const model = new MockLanguageModelV2({
      doStream: async ({ prompt }) => {
        prompts.push(prompt);
        if (calls++ === 0) throw Object.assign(new Error("busy"), { statusCode: 503 });
        const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };
        return {
          stream: simulateReadableStream({
            chunks: [
              { type: "stream-start", warnings: [] },
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: "A cat." },
              { type: "text-end", id: "t" },
              { type: "finish", finishReason: "stop", usage },
            ],
          }),
        };
      },
    });
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => void waits.push(ms);
    const agent = createAgent({ ...fixed(), model: languageModel(model, { sleep: wait, random: () => 1 }) });
    const { text, usage } = await agent.run({
      role: "user",
      parts: [{ type: "file", mediaType: "image/png", source: { url: "https://example.com/cat.png" } }],
    });
    expect([text, usage, waits]).toEqual(["A cat.", { input: 3, output: 2 }, [500]]);
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toEqual([
      {
        role: "user",
        content: [{ type: "file", mediaType: "image/png", data: new URL("https://example.com/cat.png") }],
      },
    ]);
  });

  test.each<[string, (leave: () => void) => unknown]>([
    ["the run is stopped", leave => setImmediate(leave)],
    ["the run was stopped before", leave => leave()],
  ])("leaves the stream of a model that is deaf to its signal, where %s", async (_, when) => {
    const stop = new AbortController();
    const left: { reason?: unknown } = {};
    const model = new MockLanguageModelV2({
      doStream: async () => {
        when(() => stop.abort("enough"));
        return { stream: new ReadableStream({ cancel: reason => void Object.assign(left, { reason }) }) };
      },
    });
    const agent = createAgent({ ...fixed(), model: languageModel(model) });
    expect((await agent.run("Hi", { signal: stop.signal })).finish).toEqual({ reason: "aborted" });
    await expect.poll(() => left.reason).toBe("enough");
  });

  test("is refused at once in a version that we do not know", () => {
    expect(() => languageModel({ ...new MockLanguageModelV2(), specificationVersion: "v9" } as never)).toThrow("v9");
  });
});

describe("a chat model of one's own, whose chunks name neither their provider nor a finish", () => {
  const call = { name: "add", args: '{"a":19,"b":23}', id: "c1", index: 0, type: "tool_call_chunk" } as const;

  test("has answered when its stream is over, and its calls are run", async () => {
    const turns = [
      [new AIMessageChunk({ content: "", tool_call_chunks: [call] })],
      [new AIMessageChunk("4"), new AIMessageChunk("2.")],
    ];
    const fake = new FakeStreamingChatModel({});
    fake.bindTools = () => Object.assign(new FakeStreamingChatModel({ chunks: turns.shift() ?? [] }));
    const { finish, text, messages } = await createAgent({ ...fixed(), model: chatModel(fake), tools: [add] }).run(
      "Hi",
    );
    expect([finish, text]).toEqual([{ reason: "stop" }, "42."]);
    expect(messages.map(({ role, finish }) => [role, finish?.reason])).toEqual([
      ["assistant", "tool-calls"],
      ["tool", undefined],
      ["assistant", "stop"],
    ]);
  });

  test("has failed where its stream fails", async () => {
    const model = chatModel(new FakeListChatModel({ responses: ["hello"], emitCustomEvent: false, sleep: 0 }));
    expect(await createAgent({ ...fixed(), model }).run("Hi")).toMatchObject({
      finish: { reason: "stop" },
      text: "hello",
    });
    const failing = chatModel(
      new FakeStreamingChatModel({ chunks: [new AIMessageChunk("Hel")], thrownErrorString: "gone" }),
    );
    expect((await createAgent({ ...fixed(), model: failing }).run("Hi")).finish).toEqual({ reason: "error" });
  });
});

test("a chat model of a provider whose chunks stop without a finish was cut", async () => {
  const chunk = new AIMessageChunk({ content: "Hel", response_metadata: { model_provider: "openai" } });
  const model = chatModel({
    _llmType: () => "openai",
    stream: async () =>
      (async function* () {
        yield chunk;
      })(),
  });
  const { error } = await createAgent({ ...fixed(), model }).run("Hi");
  expect(error).toMatchObject({ code: "model/cut" });
});

test("a client without the method of its endpoint is refused at once", () => {
  expect(() => client("openai", "gpt-5.2", {})).toThrow("chat.completions.create");
});
