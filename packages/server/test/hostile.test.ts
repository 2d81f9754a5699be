import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, said, serverOf, text, toolOf } from "./scripted.ts";

const model = "demo/scripted";
let server: Fixture;
beforeAll(async () => {
  server = await serverOf({ agentTools: [toolOf("look", () => "seen")] });
});
afterAll(() => server.close());

/** What is answered: never a failure of ours, always whole. */
async function answered(body: string, path = "/api/v1/chat"): Promise<number> {
  server.model.answer(said(text("ok")));
  const response = await server.post(path, body);
  const answer = await response.text();
  if (response.headers.get("content-type") === "application/json") JSON.parse(answer);
  else expect(answer.endsWith("data: [DONE]\n\n")).toBe(true);
  return response.status;
}

const nested = (depth: number, around: readonly [string, string]): string =>
  around[0].repeat(depth) + around[1].repeat(depth);
const user = (part: object) => ({ id: "u", role: "user", parts: [part] });
const chat = (messages: unknown, more: object = {}) => JSON.stringify({ model, stream: false, messages, ...more });
const call = { type: "dynamic-tool", toolName: "t", toolCallId: "c", state: "input-available", input: {} };

const bodies: { readonly [title: string]: readonly [string, number] } = {
  nothing: ["", 400],
  "white space": [" \n ", 400],
  "no JSON": ["{", 400],
  "a bare word": ["hello", 400],
  "a list": ["[]", 400],
  null: ["null", 400],
  "a number too large for any type": ['{"model":1e999,"messages":[]}', 400],
  "arrays in arrays, ten thousand deep": [nested(10_000, ["[", "]"]), 400],
  "objects in objects, ten thousand deep": [`{"messages":${nested(10_000, ['{"a":', "}"]).replace("}", "1}")}}`, 400],
  "a tool's input a thousand deep": [
    chat([]).replace(
      "[]",
      `[{"id":"a","role":"assistant","parts":[{"type":"dynamic-tool","toolName":"t","toolCallId":"c","state":"input-available","input":${nested(1000, ["[", "]"])}}]}]`,
    ),
    400,
  ],
  "no message at all": [chat([]), 400],
  "an empty text": [chat([{ role: "user", content: "" }]), 200],
  "a lone surrogate": [
    '{"model":"demo/scripted","stream":false,"messages":[{"role":"user","content":"\\ud800"}]}',
    200,
  ],
  "a zero byte": [chat([{ role: "user", content: "\0" }]), 200],
  "two messages of one id": [chat([user({ type: "text", text: "a" }), user({ type: "text", text: "b" })]), 400],
  "two calls of one id": [
    chat([
      { id: "a", role: "assistant", parts: [call, call] },
      { role: "user", content: "go on" },
    ]),
    200,
  ],
  "a result without a call": [
    chat([{ id: "a", role: "assistant", parts: [{ ...call, state: "output-available", output: 1 }] }]),
    200,
  ],
  "a part of no type": [chat([user({})]), 400],
  "a part of an unknown type": [chat([user({ type: "hologram" })]), 400],
  "a part of an unknown type in an answer of old": [
    chat([
      { id: "a", role: "assistant", parts: [{ type: "hologram" }] },
      { role: "user", content: "x" },
    ]),
    200,
  ],
  "a file of no data": [chat([user({ type: "file", mediaType: "image/png" })]), 400],
  "a tool part without a name": [chat([{ id: "a", role: "assistant", parts: [{ ...call, toolName: 5 }] }]), 400],
  "__proto__ as a member": [
    '{"__proto__":{"stream":false},"model":"demo/scripted","messages":[{"role":"user","content":"x"}]}',
    200,
  ],
  "__proto__ as context and tool": [
    '{"model":"demo/scripted","stream":false,"context":{"__proto__":{"polluted":1}},"toolContext":{"__proto__":{"polluted":1}},"allowedTools":["__proto__","constructor"],"messages":[{"role":"user","content":"x"}]}',
    200,
  ],
  "__proto__ in a tool's input": [
    '{"model":"demo/scripted","stream":false,"messages":[{"id":"a","role":"assistant","parts":[{"type":"dynamic-tool","toolName":"t","toolCallId":"c","state":"output-available","input":{"__proto__":{"polluted":1}},"output":{"constructor":{"prototype":{"polluted":1}}}}]},{"role":"user","content":"x"}]}',
    200,
  ],
  "__proto__ as a session": [
    chat([{ role: "user", content: "x" }], { id: "__proto__", trigger: "submit-message" }),
    200,
  ],
};

describe("bodies that mean no good", () => {
  it.each(Object.entries(bodies))("%s", async (_title, [body, status]) => {
    expect(await answered(body)).toBe(status);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("that are no UTF-8", async () => {
    const request = new Request("http://server.test/api/v1/chat", {
      method: "POST",
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    const response = await server.fetch(request);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { message: expect.stringContaining("UTF-8") },
    ]);
  });

  it("that break off", async () => {
    const body = new ReadableStream({
      start: controller => {
        controller.enqueue(new TextEncoder().encode('{"model":'));
        controller.error(new Error("gone"));
      },
    });
    const request = new Request("http://server.test/api/v1/chat", {
      method: "POST",
      body,
      duplex: "half",
    } as RequestInit);
    expect((await server.fetch(request)).status).toBe(400);
  });
});

const word = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("__proto__", "constructor", "toString", ""),
);
const { json } = fc.letrec(tie => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, 0, -1, 1e308, 2 ** 60),
    word,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(word, tie("json"), { maxKeys: 4 }),
  ),
}));
const part = fc.oneof(
  json,
  fc.record(
    {
      type: fc.constantFrom(
        "text",
        "file",
        "reasoning",
        "dynamic-tool",
        "tool-look",
        "step-start",
        "source-url",
        "data-x",
        "tool-invocation",
      ),
      text: json,
      url: json,
      data: json,
      mediaType: json,
      toolName: json,
      toolCallId: json,
      state: fc.constantFrom(
        "input-streaming",
        "input-available",
        "output-available",
        "output-error",
        "approval-responded",
        "output-denied",
        "none",
      ),
      input: json,
      output: json,
      errorText: json,
      approval: json,
      providerMetadata: json,
    },
    { requiredKeys: ["type"] },
  ),
);
const message = fc.oneof(
  json,
  fc.record(
    {
      id: fc.oneof(word, json),
      role: fc.constantFrom("user", "assistant", "system", "tool", "data"),
      content: json,
      parts: fc.array(part, { maxLength: 3 }),
      metadata: json,
      status: json,
    },
    { requiredKeys: ["role"] },
  ),
);
const body = fc.record(
  {
    model: fc.oneof(fc.constant(model), json),
    messages: fc.oneof(fc.array(message, { maxLength: 4 }), json),
    message,
    stream: fc.oneof(fc.boolean(), json),
    id: fc.oneof(word, json),
    trigger: fc.oneof(fc.constantFrom("submit-message", "regenerate-message"), json),
    allowedTools: fc.oneof(fc.array(word, { maxLength: 2 }), json),
    context: json,
    toolContext: json,
    contextStrategy: json,
    systemPrompt: json,
    promptType: json,
    thinking: json,
    validateOnly: json,
    prune: json,
  },
  { requiredKeys: ["model", "messages"] },
);

/** What a client could send: the right members, with anything inside. */
const text1 = fc.record({ type: fc.constant("text"), text: word });
const toolPart = fc
  .record({
    call: fc.record(
      {
        toolCallId: fc.constantFrom("c1", "c2", "__proto__"),
        toolName: fc.constantFrom("look", "none", "constructor"),
        input: json,
      },
      { requiredKeys: ["toolCallId", "toolName", "input"] },
    ),
    isDynamic: fc.boolean(),
    outcome: fc.oneof(
      fc.record({ state: fc.constantFrom("input-available", "input-streaming") }),
      fc.record({ state: fc.constant("output-available"), output: json }),
      fc.record({ state: fc.constant("output-error"), errorText: word }),
      fc.record({
        state: fc.constant("approval-responded"),
        approval: fc.record({ id: word, approved: fc.boolean() }),
      }),
      fc.record({
        state: fc.constant("output-denied"),
        approval: fc.record({ id: word, approved: fc.constant(false) }),
      }),
    ),
  })
  .map(({ call: { toolName, ...given }, isDynamic, outcome }) =>
    isDynamic
      ? { type: "dynamic-tool", toolName, ...given, ...outcome }
      : { type: `tool-${toolName}`, ...given, ...outcome },
  );
const answerPart = fc.oneof(
  text1,
  toolPart,
  fc.record({
    type: fc.constantFrom("reasoning", "step-start", "data-x", "source-url"),
    text: word,
    data: json,
    sourceId: word,
    url: word,
  }),
  json,
);
const messageId = fc.constantFrom("m1", "m2", "m3", "m1:1", "__proto__");
const plausible = fc
  .record(
    {
      messages: fc.uniqueArray(
        fc.oneof(
          fc.record({ role: fc.constantFrom("user", "assistant"), content: word }),
          fc.record({
            id: messageId,
            role: fc.constantFrom("user", "system"),
            parts: fc.array(text1, { minLength: 1, maxLength: 3 }),
            metadata: json,
          }),
          fc.record({
            id: messageId,
            role: fc.constant("assistant"),
            parts: fc.array(answerPart, { minLength: 1, maxLength: 4 }),
          }),
        ),
        { minLength: 1, maxLength: 5, selector: message => ("id" in message ? message.id : Symbol()) },
      ),
      stream: fc.boolean(),
      session: fc.oneof(fc.constantFrom(undefined, "s1", "__proto__"), fc.uuid()),
      systemPrompt: word,
      allowedTools: fc.array(word, { maxLength: 2 }),
      context: fc.dictionary(word, json, { maxKeys: 3 }),
    },
    { requiredKeys: ["messages", "stream"] },
  )
  .map(({ session, ...rest }) =>
    session === undefined ? { model, ...rest } : { id: session, trigger: "submit-message", ...rest },
  );

describe("any body at all", () => {
  it("that a client could send is answered, mostly with an answer, and never with a failure of the server", async () => {
    const statuses: number[] = [];
    await fc.assert(
      fc.asyncProperty(plausible, async value => {
        const status = await answered(JSON.stringify(value));
        expect(status).toBeLessThan(500);
        statuses.push(status);
      }),
      { numRuns: 500 },
    );
    expect(statuses.filter(status => status === 200).length).toBeGreaterThan(statuses.length / 3);
  });

  it("is answered, and never with a failure of the server", async () => {
    await fc.assert(
      fc.asyncProperty(body, async value => {
        expect(await answered(JSON.stringify(value))).toBeLessThan(500);
      }),
      { numRuns: 400 },
    );
  });

  it("is answered at every address", async () => {
    const segment = fc.oneof(
      fc.webPath(),
      fc.constantFrom(
        "/api/v1/sessions/%",
        "/api/v1/chat/%2e%2e/stream",
        "/api/v1/sessions?limit=-1",
        "/api/v1/sessions?before=x",
        "//",
        "/%00",
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        segment,
        fc.constantFrom("GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS"),
        async (path, method) => {
          const response = await server.fetch(
            new Request(`http://server.test/${path.replace(/^\/+/, "")}`, { method }),
          );
          await response.text();
          expect(response.status).toBeLessThan(500);
          expect(response.headers.get("x-correlation-id")).not.toBeNull();
        },
      ),
      { numRuns: 200 },
    );
  });
});
