import { sseReply } from "@translogue/testkit/fake-host";
import type { Event, JsonObject } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  accumulateUpdates,
  createAgent,
  defineTool,
  fallbackModel,
  type Middleware,
  type Model,
  type RunError,
  retrying,
} from "../../src/index.ts";
import { chunks, content, toolCall } from "../chat-chunks.ts";
import { endpointOf, hosted } from "../hosted.ts";
import { providers, replyOf } from "../provider-answers.ts";
import { collected, fixed, type ScriptedModel, scripted, type Turn } from "../scripted-model.ts";

/** What went wrong elsewhere where another model goes on, by the thread that tells it. */

const add = defineTool({
  name: "add",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const named = (id: string, model: ScriptedModel): ScriptedModel => ({ ...model, id, provider: `of ${id}` });

describe("a conversation that another provider goes on with (NousResearch/hermes-agent#24401)", () => {
  const { Anthropic } = providers;
  if (!Anthropic) throw new Error("there are no answers of Anthropic");
  /** Its thoughts are unsigned. */
  const thinking = () =>
    hosted(
      [
        sseReply(
          chunks(
            "m1",
            [{ reasoning_content: "Let me add." }, ...toolCall("call_1", "add", ['{"a":1,"b":2}'])],
            "tool_calls",
          ),
        ),
        sseReply(chunks("m2", content("Back again."))),
      ],
      { endpoint: endpointOf("deepseek"), model: "deepseek-chat" },
    );
  const signing = () =>
    hosted([replyOf("Anthropic", Anthropic.call), replyOf("Anthropic", Anthropic.words)], {
      endpoint: Anthropic.endpoint,
      model: Anthropic.model,
    });

  test("between two steps, and back in the next turn: each reads its own thoughts alone, every call with its result", async () => {
    const [m, n] = [await thinking(), await signing()];
    const routed: Middleware = {
      model: (context, next) =>
        next(context.run === first && context.step > 1 ? { ...context, model: n.model } : context),
    };
    let first: string | undefined;
    const noting: Middleware = {
      model: (context, next) => {
        first ??= context.run;
        return next();
      },
    };
    const agent = createAgent({ ...fixed(), model: m.model, tools: [add], middleware: [noting, routed] });
    const session = await agent.createSession();
    expect((await agent.run("1 + 2, then 19 + 23", { session })).text).toBe("42.");
    expect((await agent.run("And now?", { session })).text).toBe("Back again.");
    const [toN, againToN] = n.host.requests.map(({ body }) => body as JsonObject); // bodies are objects
    const [, toM] = m.host.requests;
    expect(JSON.stringify(toN)).not.toMatch(/thinking|Let me add/);
    expect(toN?.["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "add", input: { a: 1, b: 2 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1" }] },
    ]);
    expect(JSON.stringify(againToN)).toMatch(/"thinking":"Hm\.","signature":"U0lH"/);
    expect(JSON.stringify(toM?.body)).not.toMatch(/U0lH|signature/);
    expect(toM?.body).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", tool_calls: [{ id: "call_1" }] },
        { role: "tool", tool_call_id: "call_1" },
        { role: "assistant", tool_calls: [{ id: "toolu_1" }] },
        { role: "tool", tool_call_id: "toolu_1" },
        { role: "assistant", content: "42." },
        { role: "user" },
      ],
    });
    const answers = session.messages.filter(({ role }) => role === "assistant");
    expect(answers.map(({ provider, parts }) => [provider, parts.some(({ type }) => type === "reasoning")])).toEqual([
      ["deepseek", true],
      ["anthropic", true],
      ["anthropic", false],
      ["deepseek", false],
    ]);
  });
});

describe("an error inside an answer that began well (mastra-ai/mastra#21876)", () => {
  const limited = { message: "too many", code: "model/rate-limited", retryable: true };
  const overloaded = { message: "overloaded", code: "model/unavailable", retryable: true };
  const whole: Turn = { text: "whole answer", usage: { input: 5, output: 3 } };
  /** Fails after it told what it read. */
  const failing = (id: string, error: RunError): Model => ({
    id,
    provider: `of ${id}`,
    async *stream() {
      const events: Event[] = [
        { type: "message-start", message: 0, head: { role: "assistant" } },
        { type: "message-set", message: 0, set: { usage: { input: 60 } } },
        { type: "error", error },
      ];
      yield* events.map(event => [event]);
    },
  });

  test.each([true, false])(
    "is the next model's chance while nothing is said; what was spent counts; streamed: %s",
    async streamed => {
      const models = [failing("A", limited), failing("B", overloaded), named("C", scripted([whole]))];
      const agent = createAgent({ ...fixed(), model: fallbackModel({ models }) });
      const session = await agent.createSession();
      const response = streamed
        ? accumulateUpdates(await collected(agent.runStreaming("Go", { session })))
        : await agent.run("Go", { session });
      expect([response.text, response.usage, response.error]).toEqual([
        "whole answer",
        { input: 125, output: 3 },
        undefined,
      ]);
      expect(response.metadata?.["fallbacks"]).toMatchObject([
        { model: "A", error: { code: "model/rate-limited" }, usage: { input: 60 } },
        { model: "B", error: { code: "model/unavailable" }, usage: { input: 60 } },
      ]);
      expect(session.messages.slice(1).map(({ model, usage }) => [model, usage])).toEqual([
        ["C", { input: 5, output: 3 }],
      ]);
    },
  );

  test("ends the run once something is said: nothing of it is taken back, and it is marked", async () => {
    const b = named("B", scripted([{ text: "par", error: overloaded }]));
    const c = named("C", scripted([whole]));
    const response = await createAgent({
      ...fixed(),
      model: fallbackModel({ models: [failing("A", limited), b, c] }),
    }).run("Go");
    expect([response.text, response.finish?.reason, c.requests.length]).toEqual(["par", "error", 0]);
    expect(response.metadata?.["fallbacks"]).toMatchObject([{ model: "A" }]);
  });

  test("of all of them is one error that says how each failed; every token counts once", async () => {
    const models = [failing("A", limited), failing("B", overloaded), failing("C", overloaded)];
    const { error, usage } = await createAgent({ ...fixed(), model: fallbackModel({ models }) }).run("Go");
    expect(error?.message).toMatch(/^all 3 models failed: .*A: too many; .*B: overloaded; .*C: overloaded$/);
    expect(usage).toEqual({ input: 180 });
  });
});

describe("a list of models (PrimeIntellect-ai/prime-agent#1465)", () => {
  const t = defineTool({ name: "t", parameters: z.object({}), execute: () => "x" });
  const list = (error: RunError, limits = {}) => {
    const a = named(
      "A",
      scripted(() => ({ error })),
    );
    const b = named(
      "B",
      scripted((_, call) => ({ calls: [[`c${call}`, "t", {}]], usage: { input: 60, output: 10 } })),
    );
    const model = fallbackModel({ models: [retrying(a, { retries: 1, sleep: async () => {} }), b] });
    const agent = createAgent({ ...fixed(), model, tools: [t], limits: { maxSteps: 4, ...limits } });
    return { a, b, agent };
  };

  test.each<[string, RunError, number, number]>([
    ["takes no more", { code: "model/rate-limited", message: "429", retryable: true }, 8, 4],
    ["cannot be had", { code: "model/unavailable", message: "503", retryable: true }, 8, 4],
    ["cannot be reached", { code: "model/unreachable", message: "reset", retryable: true }, 8, 4],
    ["refuses the key", { code: "model/unauthorised", message: "401" }, 1, 0],
    ["refuses the request", { code: "model/refused", message: "400" }, 1, 0],
    ["is too small for the history", { code: "model/context-overflow", message: "too long" }, 1, 0],
  ])("is gone through where the first %s, or not, after its own tries; limits go on", async (_, error, ofA, ofB) => {
    const { a, b, agent } = list(error);
    const { finish } = await agent.run("Go");
    expect([a.requests.length, b.requests.length, finish?.reason]).toEqual([ofA, ofB, ofB > 0 ? "other" : "error"]);
  });

  test("takes no setting that nothing would come of", () => {
    const models = [scripted([])];
    const misspelled = { models, retriesPerModel: 1 };
    expect(() => fallbackModel(misspelled)).toThrow(/have no `retriesPerModel`: there are `models`, `when`/);
    const limits = { maxModelCalls: 4 } as object;
    expect(() => createAgent({ model: scripted([]), limits })).toThrow(/`limits` have no `maxModelCalls`/);
  });

  test("spends of one budget, whichever of them answers", async () => {
    const { b, agent } = list(
      { code: "model/unavailable", message: "503", retryable: true },
      { maxSteps: 40, maxTokens: 200 },
    );
    const { finish, usage } = await agent.run("Go");
    expect([finish?.raw, usage, b.requests.length]).toEqual(["max-tokens", { input: 180, output: 30 }, 3]);
  });
});
