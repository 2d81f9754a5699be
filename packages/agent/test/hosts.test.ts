import { jsonReply, type Reply, sseReply } from "@translogue/testkit/fake-host";
import type { Event } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientModel, createAgent, createModel, defineTool, type Model } from "../src/index.ts";
import { chunks, content, toolCall } from "./chat-chunks.ts";
import { ask, endpointOf, forget, hosted, key } from "./hosted.ts";
import { fixed } from "./scripted-model.ts";

const hello = sseReply(chunks("chatcmpl-1", content("Hel", "lo")));

test("a recorded answer with a tool call, and the next one with its result, go through the agent end to end", async () => {
  const { host, model } = await hosted([
    sseReply(chunks("chatcmpl-1", toolCall("call_1", "add", ['{"a":1', '9,"b":23}']), "tool_calls")),
    sseReply(chunks("chatcmpl-2", content("19 + 23 ", "= 42."))),
  ]);
  const add = defineTool({
    name: "add",
    description: "Adds.",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  });
  const agent = createAgent({ ...fixed(), id: "ada", model, tools: [add], instructions: "Be exact." });
  const response = await agent.run("19 + 23?");
  expect(response.text).toBe("19 + 23 = 42.");
  expect(response.messages.map(({ role, model, provider, responseId }) => [role, model, provider, responseId])).toEqual(
    [
      ["assistant", "gpt-5.2-2025-12-11", "openai", "chatcmpl-1"],
      ["tool", undefined, undefined, undefined],
      ["assistant", "gpt-5.2-2025-12-11", "openai", "chatcmpl-2"],
    ],
  );
  expect(response.usage).toEqual({ input: 32, cacheRead: 8, output: 14, reasoning: 0 });
  const [first, second] = host.requests;
  expect(first).toMatchObject({
    method: "POST",
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: {
      model: "gpt-5.2",
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "Be exact." },
        { role: "user", content: "19 + 23?" },
      ],
      tools: [{ type: "function", function: { name: "add", description: "Adds.", parameters: { type: "object" } } }],
    },
  });
  expect(second?.body).toMatchObject({
    messages: [
      { role: "system" },
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "call_1", function: { name: "add", arguments: '{"a":19,"b":23}' } }] },
      { role: "tool", tool_call_id: "call_1", content: "42" },
    ],
  });
});

describe("an answer", () => {
  test("comes as it is sent, before its end", async () => {
    const { model } = await hosted([{ ...hello, pieces: hello.pieces?.slice(0, 2) ?? [], end: "hold" }]);
    const texts: string[] = [];
    for await (const { text } of createAgent({ ...fixed(), model }).runStreaming("Hi")) {
      texts.push(text);
      if (text !== "") break;
    }
    expect(texts.at(-1)).toBe("Hel");
  });

  test("may be whole, from a host that does not stream, whatever it says of itself", async () => {
    const whole = {
      id: "chatcmpl-9",
      object: "chat.completion",
      created: 1_796_000_000,
      model: "local",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    };
    for (const headers of [{ "content-type": "application/json" }, { "content-type": "text/event-stream" }]) {
      const { model } = await hosted([jsonReply(whole, { headers, pieces: ["\n ", JSON.stringify(whole)] })]);
      const { response, reports } = await ask(model);
      expect(response.text).toBe("Hello");
      expect(response.usage).toEqual({ input: 3, output: 1 });
      expect(reports.find(({ raw }) => raw)?.raw).toEqual(whole);
    }
  });

  test("that is cut is no success, whether it ends cleanly or not", async () => {
    const cut = sseReply(chunks("chatcmpl-1", content("Hel"), null));
    for (const end of ["close", "cut"] as const) {
      const { model } = await hosted([{ ...cut, pieces: cut.pieces?.slice(0, -1) ?? [], end }]);
      const { response } = await ask(model);
      expect(response).toMatchObject({
        text: "Hel",
        finish: { reason: "error" },
        error: { code: "model/cut", retryable: true },
      });
    }
  });

  test("that had its finish before the connection broke is whole", async () => {
    const { model } = await hosted([{ ...hello, pieces: hello.pieces?.slice(0, -1) ?? [], end: "cut" }]);
    const { response } = await ask(model);
    expect([response.text, response.finish?.reason]).toEqual(["Hello", "stop"]);
  });

  test("that turns into an error ends with it, and what came stays", async () => {
    const failing = chunks("chatcmpl-1", content("Hel"), null);
    const { model } = await hosted([sseReply([...failing, { error: { message: "Overloaded", code: "overloaded" } }])]);
    const { response } = await ask(model);
    expect(response).toMatchObject({ text: "Hel", finish: { reason: "error" }, error: { message: "Overloaded" } });
  });

  test("that turns into an error tells what it had cost by then, before it", async () => {
    const begun = {
      id: "m",
      type: "message",
      role: "assistant",
      content: [],
      model: "m",
      usage: { input_tokens: 3, output_tokens: 1 },
    };
    const values = [
      { type: "message_start", message: begun },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hel" } },
    ];
    const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const endpoint = endpointOf("anthropic");
    const { model } = await hosted([sseReply([...values, overloaded])], { endpoint });
    const told = async (each: Model) => {
      const { text, error, usage } = (await ask(each)).response;
      return [text, error?.code, usage];
    };
    const failing = ["Hel", "model/unavailable", { input: 3, output: 1 }];
    expect(await told(model)).toEqual(failing);
    async function* thrown() {
      yield* values;
      throw Object.assign(new Error("Overloaded"), { status: 529 });
    }
    for (const client of [
      () => thrown(),
      async function* () {
        yield* values;
        yield overloaded;
      },
    ]) {
      expect(await told(clientModel({ endpoint, model: "m", client }))).toEqual(failing);
    }
  });

  test("that is neither a stream nor JSON says what it is", async () => {
    const { model } = await hosted([{ pieces: ["{<html>no</html>"] }]);
    const { response } = await ask(model);
    expect(response.error).toMatchObject({
      code: "model/not-understood",
      message: expect.stringMatching(/: an HTML page$/),
    });
  });

  test("that stops coming is given up, and its connection closed", async () => {
    const { host, model } = await hosted([{ ...hello, pieces: hello.pieces?.slice(0, 2) ?? [], end: "hold" }], {
      idleMs: 7,
    });
    const { response } = await ask(model);
    expect(response).toMatchObject({ text: "Hel", error: { code: "model/timeout", retryable: true } });
    await expect.poll(() => host.open).toBe(0);
  });

  test("keeps the headers by which it can be found again, and no others", async () => {
    const { model } = await hosted([
      { ...hello, headers: { "content-type": "text/event-stream", "x-request-id": "req_1", "set-cookie": "a=b" } },
    ]);
    const { metadata } = await createAgent({ ...fixed(), model }).run("Hi");
    expect(metadata?.["headers"]).toEqual({ "x-request-id": "req_1" });
  });
});

describe("a refusal", () => {
  const error = {
    message: `Incorrect API key provided: ${key}`,
    type: "invalid_request_error",
    param: null,
    code: "invalid_api_key",
  };

  test.each<[number, string, boolean]>([
    [400, "model/refused", false],
    [401, "model/unauthorised", false],
    [403, "model/unauthorised", false],
    [404, "model/not-found", false],
    [408, "model/timeout", true],
    [429, "model/rate-limited", true],
    [500, "model/unavailable", true],
    [503, "model/unavailable", true],
  ])("of %i says so, in the host's words and without the key", async (status, code, retryable) => {
    const { model } = await hosted(() => jsonReply({ error }, { status }));
    const { response } = await ask(model);
    expect(response.error).toMatchObject({ code, ...(retryable && { retryable }) });
    expect(response.error?.message).toBe(
      `OpenAI answered ${status}: Incorrect API key provided: [key] (invalid_api_key)`,
    );
    expect(JSON.stringify(response)).not.toContain(key);
  });

  test.each<[string, Reply, string]>([
    ["a page", { status: 502, pieces: ["<h1>Bad gateway</h1>"] }, "OpenAI answered 502: an HTML page"],
    ["nothing", { status: 500 }, "OpenAI answered 500"],
    [
      "a text alone",
      jsonReply({ error: "model not loaded" }, { status: 400 }),
      "OpenAI answered 400: model not loaded",
    ],
  ])("may be %s", async (_, reply, message) => {
    const { model } = await hosted(() => reply);
    expect((await ask(model)).response.error?.message).toBe(message);
  });
});

describe("a call is made again", () => {
  test("after 429 and 5xx, as long as nothing of an answer came, waiting twice as long each time", async () => {
    const { host, model, waits } = await hosted([{ status: 503 }, { status: 429 }, hello]);
    expect((await ask(model)).response.text).toBe("Hello");
    expect(host.requests).toHaveLength(3);
    expect(waits).toEqual([500, 1000]);
    expect(host.requests.map(({ body }) => JSON.stringify(body))).toEqual(
      Array(3).fill(JSON.stringify(host.requests[0]?.body)),
    );
  });

  test.each<[string, Record<string, string>, number[]]>([
    ["seconds", { "retry-after": "3" }, [3000]],
    ["a date", { "retry-after": "Mon, 30 Nov 2026 08:00:20 GMT" }, [20_000]],
    ["milliseconds", { "retry-after-ms": "120", "retry-after": "3" }, [120]],
    ["what nobody understands", { "retry-after": "soon" }, [500]],
  ])("when the answer says: %s", async (_, headers, expected) => {
    const { model, waits } = await hosted([{ status: 429, headers }, hello]);
    expect((await ask(model)).response.text).toBe("Hello");
    expect(waits).toEqual(expected);
  });

  test("not where it asks for more than a minute", async () => {
    const { host, model } = await hosted([{ status: 429, headers: { "retry-after": "3600" } }, hello]);
    expect((await ask(model)).response.error?.code).toBe("model/rate-limited");
    expect(host.requests).toHaveLength(1);
  });

  test("three times at most, and never after other refusals", async () => {
    const down = await hosted(() => ({ status: 503 }));
    await ask(down.model);
    expect(down.host.requests).toHaveLength(3);
    const refused = await hosted(() => ({ status: 400 }));
    await ask(refused.model);
    expect(refused.host.requests).toHaveLength(1);
  });

  test("where the connection broke before the first byte, and not after it", async () => {
    const before = await hosted([{ pieces: [], end: "cut" }, hello]);
    expect((await ask(before.model)).response.text).toBe("Hello");
    const after = await hosted([{ ...hello, pieces: hello.pieces?.slice(0, 2) ?? [], end: "cut" }, hello]);
    expect((await ask(after.model)).response.finish?.reason).toBe("error");
    expect(after.host.requests).toHaveLength(1);
  });

  test("in vain where nobody listens: the error says who and where", async () => {
    const { host, model, waits } = await hosted([]);
    await host.close();
    forget();
    const { response } = await ask(model);
    expect(response.error).toMatchObject({ code: "model/unreachable", retryable: true });
    expect(response.error?.message).toMatch(
      /^cannot reach OpenAI at http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions: ECONNREFUSED$/,
    );
    expect(waits).toHaveLength(2);
  });
});

test("a stop closes the connection, though the host goes on", async () => {
  const { host, model } = await hosted([{ ...hello, pieces: hello.pieces?.slice(0, 2) ?? [], end: "hold" }]);
  const stop = new AbortController();
  const events: Event[] = [];
  for await (const update of createAgent({ ...fixed(), model }).runStreaming("Hi", { signal: stop.signal })) {
    events.push(...update.events);
    if (update.text !== "") stop.abort();
    if (update.isFinal) expect(update.finish).toEqual({ reason: "aborted" });
  }
  await expect.poll(() => host.open).toBe(0);
});

test("what the host's format cannot take is in the response, by its path in the session", async () => {
  const { model } = await hosted([hello]);
  const agent = createAgent({ ...fixed(), model, instructions: "Be brief." });
  const { metadata } = await agent.run([
    { role: "user", parts: [{ type: "text", text: "a" }] },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm", seal: { maker: "anthropic", values: { signature: "s" } } },
        { type: "text", text: "b" },
      ],
    },
    { role: "user", parts: [{ type: "text", text: "c" }] },
  ]);
  expect(metadata?.["losses"]).toContainEqual(expect.objectContaining({ path: ["messages", 1, "parts", 0, "seal"] }));
});

test.each(["openrouter", "ollama", "lmstudio", "llama.cpp", "vllm"])("%s answers by the same way", async id => {
  const { host, model } = await hosted([hello], { endpoint: endpointOf(id) });
  const { response } = await ask(model);
  expect(response.messages[0]).toMatchObject({ provider: id, parts: [{ type: "text", text: "Hello" }] });
  expect(host.requests[0]?.path).toBe("/v1/chat/completions");
});

test("an endpoint that needs a key says which variable may hold it", () => {
  expect(() => createModel({ endpoint: endpointOf("openai"), model: "gpt-5.2" })).toThrow(
    expect.objectContaining({ code: "model/no-key", message: expect.stringContaining("OPENAI_API_KEY") }),
  );
});
