import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSession, approve, createAgent, defineTool, deny } from "../../src/index.ts";
import { collected, fixed, scripted } from "../scripted-model.ts";
import { outline, resultsIn, said } from "./reading.ts";
import { strict } from "./strict-host.ts";

/** What went wrong elsewhere with calls that a person has to let through, by the thread that tells it. */

const none = z.object({});
const first = (session: AgentSession) => {
  const [request] = session.pendingApprovals;
  if (!request) throw new Error("nothing waits");
  return request;
};
const answer = (session: AgentSession, isYes: boolean): Message => ({
  role: "user",
  parts: [isYes ? approve(first(session)) : deny(first(session))],
});

describe("a call that needs no approval beside one that does", () => {
  function house() {
    const ran = { clock: 0, gate: 0 };
    const clock = defineTool({ name: "read_clock", parameters: none, execute: () => ++ran.clock && "09:30" });
    const gate = defineTool({
      name: "open_gate",
      parameters: z.object({ gate: z.string() }),
      needsApproval: true,
      execute: () => ++ran.gate && "open",
    });
    return { ran, tools: [clock, gate] };
  }
  const calls = [["c1", "read_clock", {}] as const, ["c2", "open_gate", { gate: "north" }] as const];
  const denied = expect.stringMatching(/^Tool call invocation was rejected/);

  test.each([
    ["let through", calls, true, [{ clock: 1, gate: 1 }, "open"]],
    ["denied", calls, false, [{ clock: 1, gate: 0 }, denied]],
    ["let through, though it was called first,", calls.toReversed(), true, [{ clock: 1, gate: 1 }, "open"]],
    ["denied, though it was called first,", calls.toReversed(), false, [{ clock: 1, gate: 0 }, denied]],
  ] as const)(
    "is run once and asks nobody; the other is %s after a restart (microsoft/agent-framework#6264)",
    async (_, calls, isYes, [counts, words]) => {
      const { ran, tools } = house();
      const model = strict([{ calls }, { text: "Gate is open, it is 09:30." }]);
      const agent = createAgent({ ...fixed(), model, tools });
      const before = await agent.createSession();
      await agent.run("Open the north gate", { session: before });
      expect(before.pendingApprovals.map(({ call }) => call.callId)).toEqual(["c2"]);
      const session = await agent.deserializeSession(await agent.serializeSession(before));
      const { callId } = first(session).call;
      expect(callId).toBe("c2");
      const response = await agent.run(answer(session, isYes), { session });
      expect([response.text, ran]).toEqual(["Gate is open, it is 09:30.", counts]);
      const results = { c1: ["ok", "09:30"], c2: [isYes ? "ok" : "denied", words] };
      expect(resultsIn(model.requests[1]?.conversation.messages ?? [])).toEqual(
        calls.map(([callId]) => [callId, ...results[callId]]),
      );
    },
  );
});

describe("a yes with a message behind it", () => {
  function shelf() {
    let erased = 0;
    const erase = defineTool({
      name: "erase_shelf",
      parameters: z.object({ shelf: z.string() }),
      needsApproval: true,
      execute: () => ++erased && "erased",
    });
    const model = strict([{ calls: [["c1", "erase_shelf", { shelf: "B7" }]] }, { text: "Shelf B7 is empty." }]);
    return { model, agent: createAgent({ ...fixed(), model, tools: [erase] }), erased: () => erased };
  }
  const tuesday = said("user", "By the way, it is Tuesday");

  test("has the tool run first, whether it comes to the session or in a transcript (vercel/ai#17033)", async () => {
    for (const isTranscript of [false, true]) {
      const { agent, model, erased } = shelf();
      const before = await agent.createSession();
      await agent.run("Clear shelf B7", { session: before });
      const yes = answer(before, true);
      const response = isTranscript
        ? await agent.run(undefined, {
            session: await agent.createSession({ messages: [...before.messages, yes, tuesday] }),
          })
        : await agent.run([yes, tuesday], { session: before });
      expect([response.text, erased()]).toEqual(["Shelf B7 is empty.", 1]);
      expect(outline(model.requests[1]?.conversation.messages ?? [])).toEqual([
        "user: Clear shelf B7",
        "assistant: tool-call c1",
        "tool: tool-result c1",
        "user: By the way, it is Tuesday",
      ]);
    }
  });
});

describe("two decisions about one call", () => {
  test.each([
    ["that differ", [true, false]],
    ["that agree", [true, true]],
  ])("at once, %s: one is followed, the other is told (heymrun/heym#563)", async (_, decisions) => {
    let shipped = 0;
    const ship = defineTool({
      name: "ship_order",
      parameters: none,
      needsApproval: true,
      execute: async () => {
        await new Promise(resolve => setImmediate(resolve));
        return ++shipped;
      },
    });
    const agent = createAgent({
      ...fixed(),
      model: scripted([{ calls: [["c1", "ship_order", {}]] }, { text: "shipped" }]),
      tools: [ship],
    });
    const session = await agent.createSession();
    await agent.run("Ship it", { session });
    const given = decisions.map(isYes => answer(session, isYes));
    const [won, lost] = await Promise.allSettled(given.map(each => agent.run(each, { session })));
    expect([won?.status, lost]).toEqual([
      "fulfilled",
      { status: "rejected", reason: expect.objectContaining({ code: "session/busy" }) },
    ]);
    const responses = session.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "approval-response"));
    expect([shipped, responses.length]).toEqual([decisions[0] ? 1 : 0, 1]);
  });
});

test("two sessions of one stored state share nothing, agents inside included (openai/openai-agents-python#2501)", async () => {
  function branch(label: string, stamped: string[]) {
    const stamp = defineTool({
      name: "stamp",
      parameters: none,
      needsApproval: true,
      execute: () => `${stamped.push(label)}`,
    });
    const helper = createAgent({
      ...fixed(),
      name: "helper",
      model: scripted(({ conversation: { messages } }) =>
        messages.length === 1 ? { calls: [["k1", "stamp", {}]] } : { text: "ok" },
      ),
      tools: [stamp],
    });
    return createAgent({
      ...fixed(),
      model: scripted(({ conversation: { messages } }) =>
        messages.length === 1 ? { calls: [["a1", "helper", { query: "x" }]] } : { text: "done" },
      ),
      tools: [helper.asTool()],
    });
  }
  const stamped: string[] = [];
  const lead = branch("S1", stamped);
  const session = await lead.createSession();
  await lead.run("Go", { session });
  const stored = await lead.serializeSession(session);
  const [s1, s2] = [await lead.deserializeSession(stored), await lead.deserializeSession(stored)];
  const [yes, no] = [answer(s1, true), answer(s2, false)];
  expect((await lead.run(no, { session: s2 })).text).toBe("done");
  expect(stamped).toEqual([]);
  expect((await lead.run(yes, { session: s1 })).text).toBe("done");
  expect(stamped).toEqual(["S1"]);
  expect((await lead.deserializeSession(stored)).pendingApprovals).toHaveLength(1);
});

test("a request is told once the session is stored, and can be answered at once (mastra-ai/mastra#22413)", async () => {
  let cut = 0;
  const rope = defineTool({ name: "cut_rope", parameters: none, needsApproval: true, execute: () => ++cut && "cut" });
  const written = Promise.withResolvers<void>();
  const kept: Message[] = [];
  const agent = createAgent({
    ...fixed(),
    model: scripted([{ calls: [["c9", "cut_rope", {}]] }, { text: "cut" }]),
    tools: [rope],
    history: {
      load: () => [...kept],
      store: async (_, messages) => {
        await written.promise;
        kept.push(...messages);
      },
    },
  });
  const session = await agent.createSession({ messages: [said("user", "word ".repeat(20_000))] });
  let isAsked = false;
  const texts: string[] = [];
  const run = (async () => {
    for await (const { events } of agent.runStreaming("Cut it", { session })) {
      if (!events.some(event => event.type === "part" && event.value.type === "approval-request")) continue;
      isAsked = true;
      texts.push((await agent.run(answer(session, true), { session })).text);
    }
  })();
  for (let turn = 0; turn < 20; turn++) await new Promise<void>(resolve => setImmediate(resolve));
  expect([isAsked, cut]).toEqual([false, 0]);
  written.resolve();
  await run;
  expect([texts, cut]).toEqual([["cut"], 1]);
});

describe("a question of an agent inside", () => {
  test("comes behind the call that it is about, whole, and once (agentclientprotocol/claude-agent-acp#820)", async () => {
    let removed = 0;
    const rm = defineTool({ name: "rm", parameters: none, needsApproval: true, execute: () => ++removed && "removed" });
    const sub = createAgent({
      ...fixed(),
      name: "sub",
      model: scripted([{ reasoning: "I look.", calls: [["k1", "rm", {}]] }, { text: "gone" }]),
      tools: [rm],
    });
    const main = createAgent({
      ...fixed(),
      model: scripted([{ calls: [["m1", "sub", { query: "Tidy up" }]] }, { text: "done" }]),
      tools: [sub.asTool()],
    });
    const session = await main.createSession();
    const shown = async (input: Parameters<typeof main.run>[0]) =>
      (await collected(main.runStreaming(input, { session }))).flatMap(({ events }) =>
        events.flatMap(event => {
          if (event.type !== "part" && event.type !== "part-start") return event.type === "part-end" ? ["end"] : [];
          const { value } = event;
          return [`${value.type} ${"callId" in value ? value.callId : ""}`];
        }),
      );
    expect(await shown("Go")).toEqual(["tool-call m1", "end", "approval-request k1"]);
    expect(first(session).call).toEqual({ type: "tool-call", callId: "k1", name: "rm", input: {} });
    expect(await shown(answer(session, true))).toEqual(["tool-result m1", "text ", "end"]);
    expect(removed).toBe(1);
  });
});

describe("an approval that comes when things have changed", () => {
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
    const yes = answer(session, true);
    return { agent, seen, stored, yes, options, pay };
  }

  test("runs the tool once, with what the resumed run was given (openai/openai-agents-python#4244)", async () => {
    const { agent, seen, stored, yes } = await asked();
    const session = await agent.deserializeSession(stored);
    const after = await agent.run(yes, { session, additionalProperties: { tenant: "t1", db: "live" } });
    expect([after.text, seen]).toEqual(["ok", [{ tenant: "t1", db: "live" }]]);
  });

  test("runs nothing where the tool is gone, or a middleware lets it through no more (vercel/ai#15947)", async () => {
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
    for (const { messages } of [gone, denied]) expect(resultsIn(messages).map(([callId]) => callId)).toEqual(["c1"]);
    expect(JSON.stringify(denied.messages)).toContain("payments are closed today");
  });
});
