import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool } from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** What went wrong in other runtimes, by the thread that tells it; those that are the topic of another file are there. */

const none = z.object({});
const resultFor = (callId: string, words: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, output: [{ type: "text", text: words }] }],
});
const calls = (messages: readonly Message[], type: "tool-call" | "tool-result"): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === type && "callId" in part ? [part.callId] : [])));

describe("several calls that others run (google/adk-python#5450)", () => {
  async function brewing() {
    const brew = defineTool({ name: "brew", parameters: z.object({ pot: z.number() }) });
    const pots = [1, 2, 3].map(pot => [`c${pot}`, "brew", { pot }] as const);
    const model = scripted([{ calls: pots }, { text: "all pots ready" }]);
    const agent = createAgent({ ...fixed(), model, tools: [brew] });
    const session = await agent.createSession();
    await agent.run("Brew", { session });
    return { agent, session, model };
  }

  test("are answered one by one in any order, and the model is asked once all are", async () => {
    const { agent, session, model } = await brewing();
    for (const callId of ["c2", "c1"]) {
      const { finish } = await agent.run(resultFor(callId, "ready"), { session });
      expect([finish?.reason, model.requests.length]).toEqual(["tool-calls", 1]);
    }
    expect(session.pendingCalls.map(({ callId }) => callId)).toEqual(["c3"]);
    expect((await agent.run(resultFor("c3", "ready"), { session })).text).toBe("all pots ready");
    expect(calls(model.requests[1]?.conversation.messages ?? [], "tool-result").sort()).toEqual(["c1", "c2", "c3"]);
  });

  test("take no second answer, which changes nothing", async () => {
    const { agent, session } = await brewing();
    await agent.run(resultFor("c1", "ready"), { session });
    const before = JSON.stringify(await agent.serializeSession(session));
    await expect(agent.run(resultFor("c1", "again"), { session })).rejects.toMatchObject({
      code: "input/unexpected-result",
    });
    expect(JSON.stringify(await agent.serializeSession(session))).toBe(before);
  });
});

describe("an approval that comes when things have changed (vercel/ai#15947, openai/openai-agents-python#4244)", () => {
  async function asked() {
    const seen: unknown[] = [];
    const pay = defineTool({
      name: "pay",
      parameters: none,
      needsApproval: true,
      execute: (_, { additionalProperties }) => seen.push(additionalProperties) && "paid",
    });
    const model = scripted([
      { calls: [["c1", "pay", {}]], usage: { input: 7 } },
      { text: "ok", usage: { input: 9 } },
    ]);
    const options = { ...fixed(), model };
    const agent = createAgent({ ...options, tools: [pay] });
    const session = await agent.createSession();
    await agent.run("Pay", { session, additionalProperties: { tenant: "t1" } });
    const stored = await agent.serializeSession(session);
    const [request] = session.pendingApprovals;
    const yes: Message = {
      role: "user",
      parts: [{ type: "approval-response", requestId: request?.requestId ?? "", approved: true }],
    };
    return { agent, seen, stored, yes, options, pay };
  }

  test("runs the tool once, with what the resumed run was given", async () => {
    const { agent, seen, stored, yes } = await asked();
    const session = await agent.deserializeSession(stored);
    const after = await agent.run(yes, { session, additionalProperties: { tenant: "t1", db: "live" } });
    expect([after.text, seen]).toEqual(["ok", [{ tenant: "t1", db: "live" }]]);
  });

  test("runs nothing where the tool is gone, or a middleware lets it through no more", async () => {
    const { seen, stored, yes, options, pay } = await asked();
    const without = createAgent({ ...options, model: scripted([{ text: "gone" }]) });
    const gone = await without.deserializeSession(stored);
    await without.run(yes, { session: gone });
    const denying = createAgent({
      ...options,
      model: scripted([{ text: "no" }]),
      tools: [pay],
      middleware: [{ tool: () => Promise.reject(new Error("payments are closed today")) }],
    });
    const denied = await denying.deserializeSession(stored);
    await denying.run(yes, { session: denied });
    expect(seen).toEqual([]);
    for (const session of [gone, denied]) expect(calls(session.messages, "tool-result")).toEqual(["c1"]);
    expect(JSON.stringify(denied.messages)).toContain("payments are closed today");
  });
});

test("what a limit ended can be looked into and gone on with (pydantic/pydantic-ai#931)", async () => {
  const t = defineTool({ name: "t", parameters: none, execute: () => "x" });
  const endless = scripted((_, call) => ({ calls: [[`c${call}`, "t", {}]], usage: { input: 10, output: 1 } }));
  const agent = createAgent({ ...fixed(), model: endless, tools: [t], limits: { maxSteps: 3 } });
  const { finish, usage, messages, metadata } = await agent.run("Go");
  expect([finish, usage, metadata?.["limit"]]).toEqual([
    { reason: "other", raw: "max-steps" },
    { input: 30, output: 3 },
    "max-steps",
  ]);
  expect(calls(messages, "tool-result")).toEqual(calls(messages, "tool-call"));
  const next = createAgent({ ...fixed(), model: scripted([{ text: "done" }]), tools: [t] });
  expect((await next.run(messages)).text).toBe("done");
});

test("leaving a stream stops the agents below it too (anthropics/claude-agent-sdk-typescript#132)", async () => {
  let chips = 0;
  const chip = defineTool({ name: "chip", parameters: none, execute: () => `${++chips}` });
  const endless = scripted((_, call) => ({ calls: [[`w${call}`, "chip", {}]] }));
  const worker = createAgent({ ...fixed(), model: endless, tools: [chip] });
  const ask = defineTool({
    name: "worker",
    parameters: none,
    execute: async (_, { signal, progress }) => {
      for await (const { text } of worker.runStreaming("Work", { signal })) progress(text);
      return "worked";
    },
  });
  const boss = createAgent({ ...fixed(), model: scripted([{ calls: [["b1", "worker", {}]] }]), tools: [ask] });
  for await (const { events } of boss.runStreaming("Go")) {
    if (events.some(event => event.type === "part" && event.value.type === "tool-result")) break;
  }
  const [calledThen, askedThen] = [chips, endless.requests.length];
  for (let turn = 0; turn < 20; turn++) await new Promise<void>(resolve => setImmediate(resolve));
  expect(chips - calledThen).toBeLessThanOrEqual(1);
  expect(endless.requests.length - askedThen).toBeLessThanOrEqual(1);
});
