import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient, RequestError } from "../src/client.ts";
import { bearerKeys, hashKey, type Listening, serve } from "../src/index.ts";
import { readerOf, until } from "./read.ts";
import { serverOf } from "./scripted.ts";

const key = "key-of-ann";
let listening: Listening;
let client: Client;
beforeAll(async () => {
  const server = await serverOf({
    authenticate: bearerKeys([{ name: "ann", sha256: hashKey(key) }]),
    maxBodyBytes: 20_000,
    maxBodyDepth: 64,
  });
  listening = await serve(server, { signals: false });
  client = createClient({ baseUrl: listening.url, key });
});
afterAll(() => listening.close());

const post = (path: string, body: BodyInit, type?: string): Promise<Response> =>
  fetch(`${listening.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...(type !== undefined && { "content-type": type }) },
    body,
    ...(body instanceof ReadableStream && { duplex: "half" }),
  });
const json = "application/json";
const bodyOf = async (response: Response): Promise<unknown> => response.json();

const chat = {
  model: "gpt-5",
  messages: [
    { role: "system", content: "be brief" },
    { role: "user", content: "where?" },
    { role: "assistant", content: null, tool_calls: [called("functions.find:0", '{"n":1.0}')] },
  ],
} as const;

function called(id: string, args: string) {
  return { id, type: "function", function: { name: "find", arguments: args } } as const;
}

describe("an option that is none", () => {
  const message = [{ role: "user", content: "hi" }];
  it.each([
    ["/api/v1/convert", { input: message, to: "maf", bogus: 1 }, ["bogus"], "there are"],
    ["/api/v1/convert", { input: message, to: "maf", stict: true }, ["stict"], "did you mean `strict`?"],
    ["/api/v1/convert?to=maf&form=openai-chat", message, ["form"], "did you mean `from`?"],
    ["/api/v1/convert?to=maf&to=openai-chat", message, ["to"], "given twice"],
    ["/api/v1/check?target=gemini&bogus=1", message, ["bogus"], "there are"],
    ["/api/v1/check", { input: message, target: "gemini", modle: "m" }, ["modle"], "did you mean `model`?"],
    ["/api/v1/repair?target=gemini&bogus=1", message, ["bogus"], "there are"],
    ["/api/v1/repair", { input: message, target: "gemini", policies: { foo: 1 } }, ["policies", "foo"], "there are"],
  ])("%s refuses it with what may have been meant", async (path, body, place, cure) => {
    const response = await post(path, JSON.stringify(body), json);
    expect(response.status).toBe(400);
    const answer = await bodyOf(response);
    expect(answer).toMatchObject({ message: expect.stringContaining(cure), details: { issues: [{ path: place }] } });
  });

  it.each(["", "\n\n"])("and a stream without events is refused: %j", async body => {
    const response = await post("/api/v1/convert?from=openai-chat&to=anthropic-messages", body, "text/event-stream");
    expect(response.status).toBe(400);
    expect(await bodyOf(response)).toMatchObject({ message: "the body is empty; send the stream's events" });
  });

  it("is refused of a stream too", async () => {
    const path = "/api/v1/convert?from=openai-chat&to=anthropic-messages&bogus=1";
    expect((await post(path, "data: [DONE]\n\n", "text/event-stream")).status).toBe(400);
  });
});

describe("convert", () => {
  it("turns a history of one format into another, says what it was read as, and what is lost", async () => {
    const answer = await client.convert({ input: chat, to: "anthropic-messages" });
    expect(answer.detected).toMatchObject({ format: "openai-chat", shape: "request", confidence: expect.any(Number) });
    expect(answer.output).toMatchObject({
      system: [{ text: "be brief" }],
      messages: [{ role: "user" }, { role: "assistant" }],
    });
    const named = { role: "user", name: "Ada", content: "hi" };
    const lossy = await client.convert({ input: [named], from: "openai-chat", to: "anthropic-messages" });
    expect(lossy.detected).toEqual({ format: "openai-chat", dialect: "openai", shape: "messages" });
    expect(lossy.losses).toMatchObject([{ path: ["messages", 0, "author"], message: expect.any(String) }]);
    expect(lossy.issues).toEqual([]);
  });

  it("writes the shape, for the reader, and with the carry that is asked for", async () => {
    const input = [{ role: "user", name: "Ada", content: "hi" }];
    const request = { input, from: "openai-chat", to: "ai-sdk-ui:v6", carry: true } as const;
    const { output } = await client.convert({ ...request, shape: "messages", recipient: "store" });
    expect(output).toMatchObject([{ role: "user", parts: [{ type: "text", text: "hi" }] }]);
    const { output: back } = await client.convert({ input: output, from: "ai-sdk-ui", to: "openai-chat" });
    expect(back).toEqual(input);
  });

  it("keeps the spelling of numbers, in either form", async () => {
    const text = '{"input":{"n":1.0,"q":9007199254740993},"type":"tool_use","id":"t","name":"f"}';
    const asked = `{"messages":[{"role":"assistant","content":[${text}]}]}`;
    const whole = await post("/api/v1/convert", `{"input":${asked},"from":"anthropic-messages","to":"gemini"}`, json);
    const bare = await post("/api/v1/convert?from=anthropic-messages&to=gemini", asked, json);
    for (const response of [whole, bare]) expect(await response.text()).toContain('{"n":1.0,"q":9007199254740993}');
  });

  it("takes the value itself as body, and answers with the value itself and the rest in headers", async () => {
    const response = await post("/api/v1/convert?to=mistral&recipient=provider", JSON.stringify(chat), json);
    expect(response.headers.get("x-detected")).toBe("openai-chat:openai, request");
    expect(await bodyOf(response)).toMatchObject({ model: "gpt-5", messages: [{ role: "system" }, {}, {}] });
    const named = [{ role: "user", name: "Ada", content: "hi" }];
    const lossy = await post("/api/v1/convert?from=openai-chat&to=mistral", JSON.stringify(named), json);
    expect([lossy.status, lossy.headers.get("x-losses")]).toEqual([200, "message.author=1"]);
  });

  it("says, and refuses where whole is asked for, what only a format's own text cannot hold", async () => {
    const cut = '[{"role":"user","content":"a\\ud800"}]';
    const response = await post("/api/v1/convert?from=openai-chat&to=maf", cut, json);
    expect([response.status, response.headers.get("x-losses")]).toEqual([200, "half-character=1"]);
    expect((await post("/api/v1/convert?from=openai-chat&to=maf&strict=true", cut, json)).status).toBe(422);
  });

  it("refuses what does not come through whole, where that is asked for", async () => {
    const input = [{ role: "user", name: "Ada", content: "hi" }];
    const request = { input, from: "openai-chat", to: "mistral", strict: true } as const;
    const refused = await client.convert(request).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      status: 422,
      body: { details: { losses: [{ path: ["messages", 0, "author"] }] } },
    });
    expect((await client.convert({ ...request, input: [{ role: "user", content: "hi" }] })).losses).toEqual([]);
    const bare = await post("/api/v1/convert?from=openai-chat&to=mistral&strict=true", JSON.stringify(input), json);
    expect(bare.status).toBe(422);
  });
});

describe("check", () => {
  it("says what a provider would refuse, where, by which rule, and what mends it", async () => {
    const { issues, detected } = await client.check({ input: chat, target: "mistral" });
    expect(detected.format).toBe("openai-chat");
    expect(issues.map(({ code, path, repair }) => [code, path, repair])).toEqual(
      expect.arrayContaining([
        ["calls-answered", ["messages", 2, "parts", 0, "callId"], "answer-calls"],
        ["call-ids", ["messages", 2, "parts", 0, "callId"], "fit-call-ids"],
      ]),
    );
    expect(issues[0]?.source).toMatch(/\d{4}-\d\d-\d\d$/);
  });

  it("asks for the model that is named, and takes the value itself", async () => {
    const input = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ];
    const codes = async (model: string) =>
      (await client.check({ input, from: "anthropic-messages", target: "anthropic-messages", model })).issues.map(
        ({ code }) => code,
      );
    expect(await codes("claude-sonnet-4-0")).toEqual([]);
    expect(await codes("claude-opus-4-8")).toEqual(["last-turn"]);
    const path = "/api/v1/check?from=anthropic-messages&target=anthropic-messages&model=claude-opus-4-8";
    expect(await bodyOf(await post(path, JSON.stringify(input), json))).toMatchObject({
      data: { issues: [{ code: "last-turn", path: ["messages", 1, "role"] }] },
    });
  });
});

describe("repair", () => {
  it("gives what the target takes, in its own format, and what was done", async () => {
    const { output, done, issues } = await client.repair({ input: chat, target: "mistral" });
    expect(done.map(({ repair }) => repair)).toEqual(["answer-calls", "fit-call-ids", "fit-call-ids"]);
    expect(issues).toEqual([]);
    expect((await client.check({ input: output, from: "mistral", target: "mistral" })).issues).toEqual([]);
    const again = await client.repair({ input: output, from: "mistral", target: "mistral" });
    expect([again.output, again.done]).toEqual([output, []]);
  });

  it("follows policies, in either form, and leaves a list a list", async () => {
    const policies = { calls: "drop" } as const;
    const { output, done } = await client.repair({ input: chat, target: "mistral", policies });
    expect(JSON.stringify(output)).not.toContain("tool_calls");
    expect(done).toMatchObject([{ repair: "answer-calls", path: ["messages", 2, "parts", 0] }]);
    const bare = await post("/api/v1/repair?target=openai-chat&calls=drop", JSON.stringify(chat.messages), json);
    expect(bare.headers.get("x-repairs")).toBe("answer-calls=1");
    expect(await bodyOf(bare)).toEqual(chat.messages.slice(0, 2));
  });
});

describe("a request that cannot be meant", () => {
  const faults: readonly [title: string, path: string, body: unknown, place: readonly string[], says: RegExp][] = [
    ["no input", "/api/v1/convert", { to: "gemini" }, ["input"], /Missing required field: input; send .*\?to=…/],
    ["no target format", "/api/v1/convert", { input: chat }, ["to"], /Missing required field: to/],
    ["an unknown format", "/api/v1/convert", { input: chat, to: "openai-chatt" }, ["to"], /did you mean `openai-chat`/],
    ["an unknown dialect", "/api/v1/convert", { input: chat, from: "gemini:x", to: "gemini" }, ["from"], /no dialect/],
    ["an input of no format", "/api/v1/convert", { input: 5, to: "gemini" }, ["input"], /fits no format that is known/],
    ["an input of another format", "/api/v1/convert", { input: 5, from: "gemini", to: "gemini" }, ["input"], /shapes/],
    ["a flag that is none", "/api/v1/convert", { input: chat, to: "gemini", carry: "x" }, ["carry"], /true or false/],
    ["a shape that is none", "/api/v1/convert", { input: chat, to: "gemini", shape: "x" }, ["shape"], /one of/],
    ["no endpoint", "/api/v1/check", { input: chat }, ["target"], /Missing required field: target/],
    ["an unknown endpoint", "/api/v1/check", { input: chat, target: "x" }, ["target"], /there are .*`mistral`/],
    [
      "an unknown policy",
      "/api/v1/repair",
      { input: chat, target: "mistral", policies: { calls: "x" } },
      ["policies", "calls"],
      /`policies.calls` must be one of `move`, `error`, `drop`/,
    ],
    ["an address without a format", "/api/v1/convert?from=gemini&to=", {}, ["to"], /there is no format/],
    ["an address with an unknown policy", "/api/v1/repair?target=mistral&calls=x", chat, ["calls"], /one of `move`/],
  ];
  it.each(faults)("is a 400 that leads to the place: %s", async (...row) => {
    const [, path, body, place, says] = row;
    const response = await post(path, JSON.stringify(body), json);
    expect([response.status, await bodyOf(response)]).toEqual([
      400,
      expect.objectContaining({
        message: expect.stringMatching(says),
        details: expect.objectContaining({ issues: [expect.objectContaining({ path: place })] }),
      }),
    ]);
  });

  it("is refused for its size, depth, kind, JSON and key, as on every address", async () => {
    const statuses = async (path: string) =>
      Promise.all([
        post(path, JSON.stringify({ input: "x".repeat(30_000) }), json).then(({ status }) => status),
        post(path, `{"input":${"[".repeat(100)}${"]".repeat(100)}}`, json).then(({ status }) => status),
        post(path, "input=1", "application/x-www-form-urlencoded").then(({ status }) => status),
        post(path, "{", json).then(({ status }) => status),
        fetch(`${listening.url}${path}`, { method: "POST", body: "{}" }).then(({ status }) => status),
        fetch(`${listening.url}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status),
      ]);
    for (const path of ["/api/v1/convert", "/api/v1/check", "/api/v1/repair"]) {
      expect([path, await statuses(path)]).toEqual([path, [413, 400, 415, 400, 401, 405]]);
    }
  });

  it("is told by the typed client as an error with the server's body", async () => {
    const failed = client.convert({ input: 5, to: "gemini" });
    await expect(failed).rejects.toBeInstanceOf(RequestError);
  });
});

const event = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const stream = (...words: readonly string[]): string =>
  [
    event({ role: "assistant" }),
    ...words.map(content => event({ content })),
    event({}, "stop"),
    "data: [DONE]\n\n",
  ].join("");
const sse = "text/event-stream";
const names = (text: string): string[] => [...text.matchAll(/^event: (.*)$/gm)].map(([, name = ""]) => name);

describe("a stream", () => {
  it("is converted as the target's own, framed as its host frames it", async () => {
    const response = await post("/api/v1/convert?from=openai-chat&to=anthropic-messages", stream("Hel", "lo"), sse);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, sse]);
    const text = await response.text();
    expect(names(text)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    const lines = await post("/api/v1/convert?from=openai-chat&to=ollama", stream("Hi"), sse);
    expect(lines.headers.get("content-type")).toBe("application/x-ndjson");
    const ndjson = await lines.text();
    const again = await post("/api/v1/convert?from=ollama&to=openai-chat", ndjson, "application/x-ndjson");
    expect(await again.text()).toMatch(/"content":"Hi"[\s\S]*data: \[DONE\]/);
  });

  it("comes while it is sent", async () => {
    const heard = Promise.withResolvers<void>();
    async function* sent(): AsyncGenerator<Uint8Array> {
      const utf8 = new TextEncoder();
      yield utf8.encode(event({ role: "assistant" }) + event({ content: "first" }));
      await heard.promise;
      yield utf8.encode(event({ content: "second" }) + event({}, "stop"));
    }
    const response = await overSocket("/api/v1/convert?from=openai-chat&to=anthropic-messages", sent());
    const reader = readerOf(response);
    expect(await until(reader, "first")).not.toContain("second");
    heard.resolve();
    expect(await until(reader, "message_stop")).toContain("second");
  });

  it("is converted by the typed client too", async () => {
    const bytes = new Response(stream("Hi")).body;
    if (!bytes) throw new Error("a text has a body");
    const converted = await client.convertStream(bytes, { from: "openai-chat", to: "anthropic-messages" });
    expect(await new Response(converted).text()).toContain('"text":"Hi"');
  });

  it("that is cut, too large, or has a frame that is no JSON says so in itself", async () => {
    const path = "/api/v1/convert?from=openai-chat&to=anthropic-messages";
    const cut = await (await post(path, event({ role: "assistant", content: "Half" }), sse)).text();
    expect(names(cut)).toContain("error");
    const long = Array.from({ length: 200 }, (_, index) => `word ${index}`);
    const grown = new Response(stream(...long)).body;
    const large = await (await post(path, grown ?? "", sse)).text();
    expect(names(large)).toContain("error");
    const odd = await (await post(path, `data: {no\n\n${stream("Hi")}`, sse)).text();
    expect(names(odd)).toContain("message_stop");
    expect(odd).toMatch(/^: .*stream\/not-json=1$/m);
    expect((await post(path, stream(...long), sse)).status).toBe(413);
  });

  it.each([
    ["/api/v1/convert?to=gemini", ["from"], /both formats are named/],
    ["/api/v1/convert?from=gemini", ["to"], /both formats are named/],
    ["/api/v1/convert?from=lighter&to=gemini", ["to"], /stream/],
  ])("that cannot be converted is a 400 before it begins: %s", async (path, place, says) => {
    const response = await post(path, stream("Hi"), sse);
    expect([response.status, await bodyOf(response)]).toMatchObject([
      400,
      { message: expect.stringMatching(says), details: { issues: [{ path: place }] } },
    ]);
  });
});

/** A request whose answer is read while its body is sent, which `fetch` does not promise. */
function overSocket(path: string, chunks: AsyncIterable<Uint8Array>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(`${listening.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": sse },
    });
    sending.on("error", reject);
    sending.on("response", incoming => {
      resolve(new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>)); // the same, typed by another library
    });
    const send = async (): Promise<void> => {
      for await (const chunk of chunks) sending.write(chunk);
      sending.end();
    };
    send().catch(reject);
  });
}
