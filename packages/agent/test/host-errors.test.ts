import { jsonReply, type Reply, sseReply } from "@translogue/testkit/fake-host";
import type { Json } from "translogue";
import { describe, expect, test } from "vitest";
import { type agentErrors, createAgent, retrying } from "../src/index.ts";
import { excerpt } from "../src/models/excerpt.ts";
import { chunks, content } from "./chat-chunks.ts";
import { ask, hosted } from "./hosted.ts";
import { fixed, scripted } from "./scripted-model.ts";

const events = (...lines: readonly string[]): Reply => ({
  headers: { "content-type": "text/event-stream" },
  pieces: lines.map(line => `${line}\n\n`),
});
const data = (value: Json): string => `data: ${JSON.stringify(value)}`;
const hello = sseReply(chunks("chatcmpl-1", content("Hello")));
const page = "<!DOCTYPE html>\n<html><title>Sign in</title></html>";

describe("an answer under 200 that is none", () => {
  test.each<[string, Reply, string]>([
    ["a page", { headers: { "content-type": "text/html" }, pieces: [page] }, "an HTML page"],
    ["a page called a stream", { ...events(), pieces: [page] }, "an HTML page"],
    ["a page that comes byte by byte", { pieces: [...page] }, "an HTML page"],
    ["a text", { pieces: ["upstream said no"] }, "upstream said no"],
    ["JSON of something else", jsonReply({ status: "ok" }), '{"status":"ok"}'],
    ["a list", jsonReply([1]), "[1]"],
    ["broken JSON", { pieces: ['{"choices":'] }, '{"choices":'],
  ])("is not understood, and asking again would not help: %s", async (_, reply, said) => {
    const { host, model } = await hosted([reply]);
    const { error } = (await ask(model)).response;
    expect(error).toEqual({
      code: "model/not-understood",
      message: `OpenAI answered with what is no answer of its format: ${said}`,
    });
    expect(host.requests).toHaveLength(1);
  });

  test.each<[string, Reply]>([
    ["nothing", { pieces: [] }],
    ["an empty stream", events()],
    ["blank lines", { ...events(), pieces: ["\n", "\n\n"] }],
    ["comments", events(": waiting")],
    ["an answer without choices", jsonReply({ id: "chatcmpl-1", choices: [] })],
    ["an end alone", events("data: [DONE]")],
    ["an end that comes byte by byte", { ...events(), pieces: [..."data: [DONE]\n\n"] }],
  ])("has no output: %s", async (_, reply) => {
    const { model } = await hosted([reply]);
    const { response } = await ask(model);
    expect(response.error).toMatchObject({ code: "model/no-output", retryable: true });
    expect(response.messages).toHaveLength(1);
  });
});

test("a stream of nothing that is JSON is not understood", async () => {
  const { model } = await hosted([events("data: oops", "data: [DONE]")]);
  const { error } = (await ask(model)).response;
  expect(error).toMatchObject({ code: "model/not-understood", message: expect.stringContaining("oops") });
  expect(error).not.toHaveProperty("retryable");
});

test("a line of a stream that is no JSON is left out, and told of", async () => {
  const [first = null, ...rest] = chunks("chatcmpl-1", content("Hello"));
  const { model } = await hosted([events(data(first), "data: {bro", "data: {ken", ...rest.map(data))]);
  const response = await createAgent({ ...fixed(), model }).run("Hi");
  expect([response.text, response.finish?.reason]).toEqual(["Hello", "stop"]);
  expect(response.metadata?.["issues"]).toEqual([
    expect.objectContaining({ code: "stream/not-json", kind: "error", count: 2, path: [1] }),
  ]);
});

describe("an error that comes as an answer", () => {
  type Case = [error: Json, code: keyof typeof agentErrors, retryable: boolean, details: object];
  const cases: Case[] = [
    [{ message: "busy", code: 503 }, "model/unavailable", true, { status: 503, code: "503" }],
    [{ message: "busy", code: "429" }, "model/rate-limited", true, { status: 429, code: "429" }],
    [{ message: "no", code: 400 }, "model/refused", false, { status: 400, code: "400" }],
    [{ message: "no", code: "invalid_api_key" }, "model/unauthorised", false, { status: 401, code: "invalid_api_key" }],
    [{ message: "no", type: "overloaded_error" }, "model/unavailable", true, { status: 503, code: "overloaded_error" }],
    [
      { message: "no", type: "server_error", code: null },
      "model/unavailable",
      true,
      { status: 500, code: "server_error" },
    ],
    [{ message: "no", code: "E77" }, "model/unavailable", false, { code: "E77" }],
  ];

  test.each(cases)("has a code of ours, whole: %j", async (error, code, retryable, details) => {
    const { model } = await hosted([jsonReply({ error })], { retries: 0 });
    const { response } = await ask(model);
    expect(response.error).toMatchObject({ code, details });
    expect(response.error?.retryable ?? false).toBe(retryable);
  });

  test.each(cases)("has a code of ours, in a stream: %j", async (error, code, retryable, details) => {
    const [first = null] = chunks("chatcmpl-1", content("Hel"));
    const { model } = await hosted([events(data(first), data({ error }))], { retries: 0 });
    const { response } = await ask(model);
    expect(response.error).toMatchObject({ code, details });
    expect(response.error?.retryable ?? false).toBe(retryable);
  });

  const busy = { error: { message: "busy", code: 503 } };
  const [head = null, some = null] = chunks("chatcmpl-1", content("Hel"));
  test.each<[string, Reply, number]>([
    ["is asked for again before the first output, whole", jsonReply(busy), 2],
    ["is asked for again before the first output, streamed", events(data(busy)), 2],
    ["is asked for again behind the mere beginning of a message", events(data(head), data(busy)), 2],
    ["is final once there was output", events(data(head), data(some), data(busy)), 1],
    ["is final where it will not pass", jsonReply({ error: { message: "no", code: 400 } }), 1],
  ])("%s", async (_, reply, requests) => {
    const { host, model, waits } = await hosted([reply, hello]);
    const { response } = await ask(model);
    expect(host.requests).toHaveLength(requests);
    expect(response.text).toBe(requests === 2 ? "Hello" : response.text);
    expect(response.error === undefined).toBe(requests === 2);
    expect(waits).toEqual(requests === 2 ? [500] : []);
  });

  test("is asked for again at a host that has no background, though the run may go on there", async () => {
    const { host, model } = await hosted([events(data(busy)), hello]);
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    const response = await agent.run("Hi", { session, allowBackgroundResponses: true });
    expect([response.text, response.error, host.requests.length]).toEqual(["Hello", undefined, 2]);
  });

  test("shares its tries with those that a status asks for", async () => {
    const { host, model } = await hosted(count => (count.body ? events(data(busy)) : { status: 503 }));
    expect((await ask(model)).response.error?.code).toBe("model/unavailable");
    expect(host.requests).toHaveLength(3);
  });
});

describe("how long to wait", () => {
  test.each<[string, Record<string, string>]>([
    ["is negative", { "retry-after": "-5" }],
    ["is over", { "retry-after": "Mon, 30 Nov 2026 07:00:00 GMT" }],
    ["is empty", { "retry-after": "", "retry-after-ms": "" }],
    ["is no number", { "retry-after-ms": "-1", "retry-after": "1e9x" }],
    ["is no time at all", { "retry-after": "0" }],
    ["is no time at all, by its milliseconds", { "retry-after-ms": "0", "retry-after": "3" }],
    ["is no date, though JavaScript reads it", { "retry-after": "Foo, 32 Jan" }],
  ])("is decided here where what the host asks for %s", async (_, headers) => {
    const { model, waits } = await hosted([{ status: 429, headers }, hello]);
    expect((await ask(model)).response.text).toBe("Hello");
    expect(waits).toEqual([500]);
  });

  test("is a minute at most, however often it was", async () => {
    const { model, waits } = await hosted([...Array.from({ length: 9 }, () => ({ status: 503 })), hello], {
      retries: 9,
    });
    expect((await ask(model)).response.text).toBe("Hello");
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  test("is told as a number that JSON has", async () => {
    const { model } = await hosted([{ status: 429, headers: { "retry-after": "9".repeat(400) } }]);
    expect((await ask(model)).response.error?.details?.retryAfterMs).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each<[string, number]>([
    ["retries", Number.NaN],
    ["retries", -1],
    ["retries", 1.5],
    ["firstByteMs", Number.NaN],
    ["idleMs", 0],
  ])("is refused where nobody could keep it: %s %d", async (name, value) => {
    await expect(hosted([hello], { [name]: value })).rejects.toMatchObject({
      code: "agent/invalid",
      message: expect.stringContaining(`\`${name}\` is ${value}`),
    });
    if (name === "retries") expect(() => retrying(scripted([]), { retries: value })).toThrow(/`retries` is/);
  });

  test("is told with the error, as the host asks for it", async () => {
    const { model } = await hosted([{ status: 429, headers: { "retry-after": "3600" } }]);
    expect((await ask(model)).response.error?.details).toEqual({ status: 429, retryAfterMs: 3_600_000 });
  });
});

test.each<[string, Json]>([
  ["no usage", {}],
  ["an empty one", { usage: {} }],
  ["null", { usage: null }],
  ["zeros", { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
])("of a host that counts nothing (%s) no usage is told", async (_, usage) => {
  const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
  const { model } = await hosted([jsonReply({ choices, ...(usage as object) })]);
  expect((await ask(model)).response).not.toHaveProperty("usage");
});

describe("what a host said is shown", () => {
  test.each<[string, string, string]>([
    ["without line breaks and control characters", "a\n\tb\u001b[31m", "a b [31m"],
    ["without a page", "<html><body>sk-secret</body></html>", "an HTML page"],
    ["without keys", "key sk-proj_abc***xyz is bad", "key [masked] is bad"],
    ["without bearers", "Authorization: Bearer abc.def-ghi", "Authorization: Bearer [masked]"],
    ["without named secrets", 'api_key="hunter2hunter2" denied', 'api_key="[masked]" denied'],
    ["without hex", "id deadbeefdeadbeefdead gone", "id [masked] gone"],
    ["without base64", "QWxhZGRpbjpvcGVuIHNlc2FtZQ== is it", "[masked] is it"],
    ["without Google's keys", "key AIzaSyD-9tSrke72PouQMnMX-a7eZ is it", "key [masked] is it"],
    ["without tokens of three pieces", "eyJhbGciOi.eyJzdWIi.abc-_x", "[masked]"],
    ["with names of models", "no claude-3-5-sonnet-20241022-v2 here", "no claude-3-5-sonnet-20241022-v2 here"],
    [
      "with long words",
      "invalid_request_error: context_length_exceeded",
      "invalid_request_error: context_length_exceeded",
    ],
    ["with paths", "POST /openai/v1/chat/completions", "POST /openai/v1/chat/completions"],
  ])("%s", (_, text, shown) => {
    expect(excerpt(text)).toBe(shown);
  });

  test("in short", () => {
    expect(excerpt("no ".repeat(1000)).length).toBeLessThanOrEqual(201);
  });
});

describe("losses", () => {
  const turn = (text: string) => [
    { role: "user" as const, parts: [{ type: "text" as const, text }] },
    {
      role: "assistant" as const,
      parts: [
        { type: "reasoning" as const, text: "hm", seal: { maker: "anthropic", values: { signature: "s" } } },
        { type: "text" as const, text },
      ],
    },
  ];
  const told = async (turns: number) => {
    const { model } = await hosted([hello]);
    const history = Array.from({ length: turns }, (_, index) => turn(`t${index}`)).flat();
    return (await createAgent({ ...fixed(), model }).run(history)).metadata;
  };

  test("are told by their codes, so that they do not grow with the history", async () => {
    const [few, many] = [await told(2), await told(50)];
    const size = (metadata: unknown) => JSON.stringify(metadata).length;
    expect(size(many)).toBeLessThan(size(few) + 20);
    expect(many?.["losses"]).toContainEqual({
      code: "foreign-seal",
      kind: "dropped",
      count: 50,
      path: ["messages", 1, "parts", 0, "seal"],
      message: expect.any(String),
    });
  });

  test("are counted and no more where only our own books are concerned", async () => {
    const { model } = await hosted([hello, hello]);
    const agent = createAgent({ ...fixed(), id: "ada", name: "Ada", model });
    const session = await agent.createSession();
    await agent.run("a", { session });
    const { metadata } = await agent.run("b", { session });
    expect(metadata).not.toHaveProperty("losses");
    expect(metadata?.["lossesOfBookkeeping"]).toBeGreaterThan(5);
  });
});
