import { jsonReply, type Reply, sseReply } from "@translogue/testkit/fake-host";
import type { Json } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool, fallbackModel, type Model, retrying } from "../../src/index.ts";
import { chunks, content } from "../chat-chunks.ts";
import { endpointOf, hosted } from "../hosted.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";

/** Tries that came to nothing cost what their hosts told of them: it is in the account, whoever made them. */

const sleep = async (): Promise<void> => undefined;

/** Fails `times` times, each for so many tokens, and then answers for as many. */
const failing = (id: string, input: number, times = Number.POSITIVE_INFINITY, answer?: Turn): Model => {
  let asked = 0;
  return {
    id,
    provider: "test",
    stream: request => {
      asked += 1;
      const usage = { input };
      if (asked > times) return scripted([answer ?? { text: "done", usage }]).stream(request);
      return [
        [
          { type: "message-start", message: 0, head: { role: "assistant" } },
          { type: "message-set", message: 0, set: { usage } },
          { type: "error", error: { code: "model/unavailable", message: "busy", retryable: true } },
        ],
      ] as unknown as ReturnType<Model["stream"]>; // a list is read as a stream
    },
  };
};
const twice = (model: Model) => retrying(model, { retries: 2, sleep });

const said = (text: string): Json => [{ type: "output_text", text, annotations: [] }];

describe("tries that came to nothing", () => {
  test.each<[string, () => Model, number]>([
    ["of one model", () => twice(failing("a", 5, 2)), 15],
    ["of one model, in vain", () => twice(failing("a", 5)), 15],
    ["of several", () => fallbackModel({ models: [twice(failing("a", 1)), failing("b", 10, 0)] }), 13],
    ["of several, in vain", () => fallbackModel({ models: [twice(failing("a", 1)), twice(failing("b", 10))] }), 33],
    [
      "of several among several",
      () =>
        fallbackModel({
          models: [fallbackModel({ models: [failing("a", 1), failing("b", 10)] }), failing("c", 100, 0)],
        }),
      111,
    ],
    ["of several, asked again", () => twice(fallbackModel({ models: [failing("a", 1), failing("b", 10, 1)] })), 22],
  ])("%s, count", async (_, modelOf, input) => {
    const { usage } = await createAgent({ ...fixed(), model: modelOf() }).run("Go");
    expect(usage).toEqual({ input });
  });

  test("are no models of their own where all have failed", async () => {
    const model = fallbackModel({ models: [twice(failing("a", 1)), twice(failing("b", 10))] });
    const { error } = await createAgent({ ...fixed(), model }).run("Go");
    expect(error?.message).toBe("all 2 models failed: test/a: busy; test/b: busy");
  });

  test("count towards the limits", async () => {
    const tool = defineTool({ name: "t", parameters: z.object({}), execute: () => "x" });
    const answer = { calls: [["c", "t", {}] as const], usage: { input: 5 } };
    const model = twice(failing("a", 5, 2, answer));
    const { finish, usage } = await createAgent({ ...fixed(), model, tools: [tool], limits: { maxTokens: 15 } }).run(
      "Go",
    );
    expect([finish?.raw, usage]).toEqual(["max-tokens", { input: 15 }]);
  });

  test("of a host that says in a stream that it is busy", async () => {
    const begun = chunks("chatcmpl-1", []).at(-1) ?? null; // no more than what it read
    const busy: Reply = {
      headers: { "content-type": "text/event-stream" },
      pieces: [begun, { error: { message: "busy", code: 503 } }].map(value => `data: ${JSON.stringify(value)}\n\n`),
    };
    const { model } = await hosted([busy, busy, sseReply(chunks("chatcmpl-2", content("Hello")))]);
    const response = await createAgent({ ...fixed(), model }).run("Hi");
    expect([response.text, response.usage?.input, response.usage?.cacheRead]).toEqual(["Hello", 3 * 16, 3 * 4]);
    const { model: once } = await hosted([jsonReply({ error: { message: "no", code: 400 } })]);
    expect((await createAgent({ ...fixed(), model: once }).run("Hi")).usage).toBeUndefined();
  });

  test.each<[string, Json[], string]>([
    ["nothing", [], ""],
    [
      "something",
      [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content: said("Hel") }],
      "Hel",
    ],
  ])("of a host that answers whole, says %s, and has failed", async (_, output, text) => {
    const failed = {
      ...{ id: "resp_1", object: "response", created_at: 1790000000, model: "gpt-5.4", status: "failed", output },
      error: { code: "server_error", message: "Broken." },
      usage: { input_tokens: 7, output_tokens: 1, total_tokens: 8 },
    };
    const { model } = await hosted([jsonReply(failed)], { endpoint: endpointOf("openai-responses"), retries: 0 });
    const response = await createAgent({ ...fixed(), model }).run("Hi");
    expect(response.error?.message).toContain("Broken.");
    expect([response.text, response.usage]).toEqual([text, { input: 7, output: 1 }]);
  });
});
