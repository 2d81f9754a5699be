import { type Reply, sseReply } from "@translogue/testkit/fake-host";
import type { Json, JsonObject } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, createModel, defineTool, type Endpoint } from "../src/index.ts";
import { ask, endpointOf, hosted, key } from "./hosted.ts";
import { fixed } from "./scripted-model.ts";

/** One host: how it answers, streamed and as a whole, with a call and then with words, and how it says that it cannot. */
interface Provider {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: readonly Json[];
  readonly words: readonly Json[];
  readonly whole: Json;
  readonly busy: { readonly status: number; readonly body: Json };
  /** What of the next request brings seal and result home. */
  readonly home: JsonObject;
}

const named = (events: readonly Json[]): Reply => ({
  headers: { "content-type": "text/event-stream" },
  pieces: events.map(event => `event: ${(event as JsonObject)["type"]}\ndata: ${JSON.stringify(event)}\n\n`), // objects all
});

const block = (index: number, start: Json, ...deltas: readonly Json[]): Json[] => [
  { type: "content_block_start", index, content_block: start },
  ...deltas.map(delta => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const message = { id: "msg_01", type: "message", role: "assistant", model: "claude-opus-5-5" };
const anthropic = (id: string, reason: string, ...blocks: readonly Json[]): Json[] => [
  {
    type: "message_start",
    message: {
      ...message,
      id,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  },
  { type: "ping" },
  ...blocks,
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const google = (parts: readonly Json[], more: JsonObject = {}, responseId = "r1"): Json => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
  modelVersion: "gemini-3-pro",
  responseId,
});
const signed = { functionCall: { id: "c1", name: "add", args: { a: 19, b: 23 } }, thoughtSignature: "c2ln" };

const providers: { readonly [name: string]: Provider } = {
  Anthropic: {
    endpoint: endpointOf("anthropic"),
    model: "claude-opus-5-5",
    path: "/v1/messages",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01" },
    call: anthropic(
      "msg_01",
      "tool_use",
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "Hm." },
        { type: "signature_delta", signature: "U0lH" },
      ),
      ...block(
        1,
        { type: "tool_use", id: "toolu_1", name: "add", input: {} },
        { type: "input_json_delta", partial_json: '{"a":19,' },
        { type: "input_json_delta", partial_json: '"b":23}' },
      ),
    ),
    words: anthropic(
      "msg_02",
      "end_turn",
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "42." }),
    ),
    whole: {
      ...message,
      content: [{ type: "text", text: "42." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 5 },
    },
    busy: { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
    home: {
      model: "claude-opus-5-5",
      stream: true,
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "U0lH" },
            { type: "tool_use", id: "toolu_1", name: "add", input: { a: 19, b: 23 } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
      ],
    },
  },
  Google: {
    endpoint: endpointOf("google"),
    model: "models/gemini-3-pro",
    path: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": key },
    call: [google([{ text: "Hm.", thought: true }]), google([signed], { finishReason: "STOP" })],
    words: [google([{ text: "4" }], {}, "r2"), google([{ text: "2." }], { finishReason: "STOP" }, "r2")],
    whole: google([{ text: "42." }], { finishReason: "STOP" }),
    busy: {
      status: 503,
      body: { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
    },
    home: {
      contents: [
        { role: "user" },
        { role: "model", parts: [{}, signed] },
        { role: "user", parts: [{ functionResponse: { id: "c1", name: "add" } }] },
      ],
    },
  },
};

const add = defineTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

describe.each(Object.entries(providers))("%s", (name, provider) => {
  const { endpoint, model: id } = provider;
  const reply = (events: readonly Json[]): Reply => (name === "Anthropic" ? named(events) : sseReply(events));
  const options = { endpoint, model: id, retries: 0 };

  test("runs an agent's loop: the key in its header, seal and result at home by the next request", async () => {
    const { host, model } = await hosted([reply(provider.call), reply(provider.words)], options);
    const response = await createAgent({ ...fixed(), id: "ada", model, tools: [add] }).run("19 + 23?");
    expect([response.text, response.usage]).toEqual(["42.", { input: 18, output: 10 }]);
    const [first, second] = host.requests;
    expect(first).toMatchObject({ path: provider.path, headers: provider.headers });
    expect(first?.headers["authorization"]).toBeUndefined();
    expect(second?.body).toMatchObject(provider.home);
    expect(Object.hasOwn(second?.body as object, "model")).toBe(!endpoint.path.includes("{model}")); // a body is an object
  });

  test("may answer as a whole", async () => {
    const whole: Reply = { headers: { "content-type": "application/json" }, pieces: [JSON.stringify(provider.whole)] };
    const { model } = await hosted([whole], options);
    const { response } = await ask(model);
    expect([response.text, response.usage]).toEqual(["42.", { input: 9, output: 5 }]);
  });

  test("says in our words that it cannot, and is asked again", async () => {
    const { status, body } = provider.busy;
    const busy: Reply = { status, pieces: [JSON.stringify(body)] };
    const { model, host } = await hosted([busy, busy], { ...options, retries: 1 });
    const { error } = (await ask(model)).response;
    expect(host.requests).toHaveLength(2);
    expect(error).toMatchObject({ code: "model/unavailable", retryable: true, details: { status } });
    expect(error?.message).toMatch(/overloaded/i);
  });

  test("that breaks off is a failure of the run", async () => {
    const { model } = await hosted([reply(provider.words.slice(0, -1))], options);
    expect((await ask(model)).response.error).toBeDefined();
  });

  test("needs a key, and a setting says which", () => {
    expect(() => createModel({ endpoint, model: id })).toThrow(String(endpoint.keyVariable));
  });
});
