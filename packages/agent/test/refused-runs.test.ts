import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type ChatHistoryProvider,
  type ContextProvider,
  createAgent,
  defineTool,
  type Operations,
  sessionHistory,
} from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

const said = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const texts = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.map(part => (part.type === "text" ? part.text : part.type)));
const elsewhere: ChatHistoryProvider = { load: () => [said("theirs")], store: () => {} };

/** Fails before the first run begins. */
function failingOnce(): ContextProvider {
  let asked = 0;
  return {
    name: "memory",
    before: () => {
      if (asked++ === 0) throw new Error("the memory is down");
      return undefined;
    },
  };
}

describe("a run that is refused before it begins leaves the session as it was", () => {
  test.each([
    ["a history of its own", { history: elsewhere }, {}],
    ["a filtered history", {}, { history: sessionHistory({ provide: all => all.slice(-1) }) }],
    ["a reduced history", {}, { history: sessionHistory({ reduce: all => all.slice(-1) }) }],
    ["a first message", {}, { history: sessionHistory({ initial: [said("hello")] }) }],
  ])("with %s", async (_, ofRun, ofAgent) => {
    const model = scripted(() => ({ text: "ok" }));
    const agent = createAgent({ ...fixed(), model, context: [failingOnce()], ...ofAgent });
    const session = await agent.createSession({ messages: [said("one"), said("two")] });
    const before = await agent.serializeSession(session);
    await expect(agent.run("three", { session, ...ofRun })).rejects.toThrow("the memory is down");
    expect(await agent.serializeSession(session)).toEqual(before);
  });

  test("and what was queued meanwhile stays queued", async () => {
    const agent = createAgent({ ...fixed(), model: scripted(() => ({ text: "ok" })), context: [failingOnce()] });
    const session = await agent.createSession();
    const run = agent.run("one", { session });
    session.inject("later");
    await expect(run).rejects.toThrow("the memory is down");
    expect(texts(session.injectedMessages)).toEqual(["later"]);
  });

  test("where its conversation is named, and its input is not taken", async () => {
    const agent = createAgent({ ...fixed(), model: scripted(() => ({ text: "ok" })) });
    const session = await agent.createSession({ messages: [said("one")] });
    const answer: Message = { role: "user", parts: [{ type: "approval-response", requestId: "none", approved: true }] };
    await expect(agent.run(answer, { session, conversationId: "r1" })).rejects.toThrow("did not ask");
    expect(session.conversationId).toBeUndefined();
  });
});

test("a session is free again where its engine is lost at the end of the run", async () => {
  const agent = createAgent({ ...fixed(), model: scripted(() => ({ text: "ok" })), history: elsewhere });
  const session = await agent.createSession();
  const operations: Operations = {
    run: "r",
    operation: async (name, work) => {
      if (name === "settle") throw new Error("the engine is lost");
      return work({ number: 1, signal: new AbortController().signal, operations });
    },
    result: async () => null,
    continueFrom: async () => {},
  };
  await expect(agent.run("Go", { session, operations })).rejects.toThrow("the engine is lost");
  expect(texts((await agent.run("Again", { session })).messages)).toEqual(["ok"]);
});

describe("a run that is stopped before its answered calls have begun", () => {
  const pay = defineTool({ name: "pay", parameters: z.object({}), needsApproval: true, execute: () => "paid" });
  const look = defineTool({ name: "look", parameters: z.object({}) });
  const calls = [["c1", "pay", {}] as const, ["c2", "look", {}] as const, ["c3", "pay", {}] as const];
  const resultsOf = (messages: readonly Message[]) =>
    messages.flatMap(({ parts }) =>
      parts.flatMap(part => (part.type === "tool-result" ? [`${part.callId} ${part.outcome ?? "ok"}`] : [])),
    );

  test("gives each call one result: its own, that it was denied, or that it was stopped", async () => {
    const agent = createAgent({ ...fixed(), model: scripted([{ calls }]), tools: [pay, look] });
    const session = await agent.createSession();
    await agent.run("Go", { session });
    const [first, last] = session.pendingApprovals;
    const answers: Message[] = [
      { role: "tool", parts: [{ type: "tool-result", callId: "c2", name: "look", output: [] }] },
      {
        role: "user",
        parts: [
          { type: "approval-response", requestId: first?.requestId ?? "", approved: false },
          { type: "approval-response", requestId: last?.requestId ?? "", approved: true },
        ],
      },
    ];
    const { finish } = await agent.run(answers, { session, signal: AbortSignal.abort() });
    expect(finish?.reason).toBe("aborted");
    expect(resultsOf(session.messages)).toEqual(["c2 ok", "c1 denied", "c3 interrupted"]);
    expect([session.pendingApprovals, session.pendingCalls]).toEqual([[], []]);
  });

  test("and answered nothing closes them, and waits for nothing", async () => {
    const agent = createAgent({ ...fixed(), model: scripted([{ calls }]), tools: [pay, look] });
    const session = await agent.createSession();
    await agent.run("Go", { session });
    await agent.run(undefined, { session, signal: AbortSignal.abort() });
    expect(resultsOf(session.messages).sort()).toEqual(["c1 interrupted", "c2 interrupted", "c3 interrupted"]);
    expect([session.pendingApprovals, session.pendingCalls]).toEqual([[], []]);
  });
});
