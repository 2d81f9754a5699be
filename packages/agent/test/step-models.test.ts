import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, defineTool, type Model, type StepContext } from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

const look = defineTool({ name: "look", parameters: z.object({}), execute: () => "seen" });
const calls: Turn = { calls: [["c1", "look", {}]], usage: { input: 1 } };
const answer: Turn = { text: "ok", usage: { input: 1 } };
const named = (id: string, turns: readonly Turn[], provider = "test") => ({ ...scripted(turns), id, provider });

function agentOf(modelFor: (context: StepContext) => Model | undefined, options: Partial<AgentOptions> = {}) {
  const main = named("main", [calls, answer]);
  return { main, agent: createAgent({ ...fixed(), model: main, tools: [look], modelFor, ...options }) };
}

describe("a step", () => {
  test("is made by the model that is chosen for it, and its messages say so", async () => {
    const other = named("other", [answer], "elsewhere");
    const seen: unknown[] = [];
    const { agent, main } = agentOf(({ step, model, messages }) => {
      seen.push([step, model.id, messages.length]);
      return step === 2 ? other : undefined;
    });
    const { messages } = await agent.run("Go");
    expect(seen).toEqual([
      [1, "main", 1],
      [2, "main", 3],
    ]);
    expect([main.requests.length, other.requests.length]).toEqual([1, 1]);
    const answers = messages.filter(({ role }) => role === "assistant");
    expect(answers.map(({ model, provider }) => `${provider}/${model}`)).toEqual(["test/main", "elsewhere/other"]);
    expect(other.requests[0]?.conversation.model).toBe("other");
  });

  test("costs what its own model costs", async () => {
    const dear = named("dear", [calls, answer]);
    const price = (input: number) => ({ input: input * 1_000_000, output: 0 });
    const prices = { main: price(1), dear: price(10) };
    const options = { limits: { maxCost: 5 }, prices };
    const { finish } = await agentOf(({ step }) => (step === 1 ? dear : undefined), options).agent.run("Go");
    expect(finish?.raw).toBe("max-cost");
    const { error } = await agentOf(() => named("unknown", [answer]), options).agent.run("Go");
    expect(error).toMatchObject({
      code: "agent/invalid",
      message: expect.stringContaining("give `prices` for `unknown`"),
    });
  });

  test("fails where what is chosen is no model", async () => {
    const { error } = await agentOf(() => ({}) as Model).agent.run("Go"); // what JavaScript may give
    expect(error?.code).toBe("agent/invalid");
  });

  test("of another provider gets no conversation that the first one keeps", async () => {
    const other = named("other", [answer], "elsewhere");
    const main = named("main", [{ ...calls, conversationId: "r1" }]);
    const { agent } = agentOf(({ step }) => (step === 2 ? other : undefined), { model: main });
    await agent.run("Go");
    expect([other.requests[0]?.conversationId, other.requests[0]?.conversation.messages.length]).toEqual([
      undefined,
      3,
    ]);
  });

  test("fails where a middleware sends it, without its history, to another provider", async () => {
    const other = named("other", [answer], "elsewhere");
    const main = named("main", [{ ...calls, conversationId: "r1" }]);
    const { agent } = agentOf(() => undefined, {
      model: main,
      middleware: [{ model: (context, next) => next(context.step === 2 ? { ...context, model: other } : context) }],
    });
    const { error } = await agent.run("Go");
    expect([error?.code, other.requests.length]).toEqual(["agent/invalid", 0]);
  });
});
