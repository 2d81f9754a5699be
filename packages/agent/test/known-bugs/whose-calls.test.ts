import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSession, type AgentTool, approve, createAgent, defineTool, deny } from "../../src/index.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";
import { outline } from "./reading.ts";

/** A call is run by the agent that made it, and what a person lets through is let through for that agent alone. */

const none = z.object({});

/** Two agents that both have a tool `pay`, and note who paid. */
function payers() {
  const ran: string[] = [];
  const pay = (who: string) =>
    defineTool({
      name: "pay",
      parameters: z.object({ n: z.number() }),
      needsApproval: true,
      execute: ({ n }) => `${who} paid ${ran.push(`${who} ${n}`)}`,
    });
  const agentOf = (id: string, turns: readonly Turn[], tools: readonly AgentTool[] = []) =>
    createAgent({ ...fixed(), id, name: id, model: scripted(turns), tools: [pay(id), ...tools] });
  return { ran, agentOf };
}

const yes = (session: AgentSession, always?: "tool" | "arguments"): Message => ({
  role: "user",
  parts: session.pendingApprovals.map(pending => approve(pending, always ? { always } : {})),
});
const no = (session: AgentSession): Message => ({
  role: "user",
  parts: session.pendingApprovals.map(pending => deny(pending)),
});
const leaders = ({ messages }: AgentSession) =>
  messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "change" ? [part.agent] : [])));

describe("a call that waits beside a hand-off", () => {
  const handing: Turn = {
    calls: [
      ["p", "pay", { n: 1 }],
      ["h", "transfer_to_inner", {}],
    ],
  };
  function desk(first: Turn = handing) {
    const { ran, agentOf } = payers();
    const inner = agentOf("inner", [{ text: "inner here" }, { text: "inner again" }]);
    const lead = agentOf("lead", [first, { text: "lead again" }], [inner.asHandOff()]);
    return { ran, lead, inner };
  }

  test("is run by who made it, and then the other leads", async () => {
    const { ran, lead } = desk();
    const session = await lead.createSession();
    const { finish } = await lead.run("Go", { session });
    expect([finish?.reason, leaders(session), session.pendingApprovals.length]).toEqual(["tool-calls", [], 1]);
    const response = await lead.run(yes(session), { session });
    expect([ran, response.text, response.finish, leaders(session)]).toEqual([
      ["lead 1"],
      "inner here",
      { reason: "stop" },
      ["inner"],
    ]);
    expect(session.hasOpenRun).toBe(false);
    expect((await lead.run("Next", { session })).text).toBe("inner again");
  });

  test("is refused, or closed by a new message, and the other leads all the same", async () => {
    for (const isClosed of [false, true]) {
      const { ran, lead } = desk();
      const session = await lead.createSession();
      await lead.run("Go", { session });
      const { text } = await lead.run(isClosed ? "Never mind" : no(session), { session });
      expect([ran, text, leaders(session)]).toEqual([[], "inner here", ["inner"]]);
    }
  });

  test.each(["ours", "maf", "maf-text"] as const)("is so after a restart (%s)", async as => {
    const { ran, lead } = desk();
    const before = await lead.createSession();
    await lead.run("Go", { session: before });
    const session = await lead.deserializeSession(await lead.serializeSession(before, as === "ours" ? {} : { as }));
    expect((await lead.run(yes(session), { session })).text).toBe("inner here");
    expect([ran, leaders(session)]).toEqual([["lead 1"], ["inner"]]);
  });

  test("is the application's: the other leads once its result is there", async () => {
    const look = defineTool({ name: "look", parameters: none });
    const inner = createAgent({ ...fixed(), id: "inner", name: "inner", model: scripted([{ text: "inner here" }]) });
    const calls = [["l", "look", {}] as const, ["h", "transfer_to_inner", {}] as const];
    const lead = createAgent({
      ...fixed(),
      id: "lead",
      model: scripted([{ calls }]),
      tools: [look, inner.asHandOff()],
    });
    const session = await lead.createSession();
    await lead.run("Go", { session });
    expect(leaders(session)).toEqual([]);
    const result = { type: "tool-result", callId: "l", output: [{ type: "text", text: "seen" }] } as const;
    const response = await lead.run({ role: "tool", parts: [result] }, { session });
    expect([response.text, leaders(session)]).toEqual(["inner here", ["inner"]]);
  });

  test("stands in a history where the other leads already: whoever made the call runs it", async () => {
    const { ran, lead } = desk();
    const session = await lead.createSession();
    await lead.run("Go", { session });
    const change: Message = { role: "tool", parts: [{ type: "change", agent: "inner" }] };
    const again = await lead.createSession({ messages: [...session.messages, change] });
    await lead.run(yes(again), { session: again });
    expect(ran).toEqual(["lead 1"]);
  });

  test("is a question that a tool asks: whoever asked goes on with the answer", async () => {
    const answers: unknown[] = [];
    const asking = (who: string) =>
      defineTool({
        name: "book",
        parameters: none,
        execute: async (_, { ask }) => `${answers.push([who, await ask({ message: "When?" })])}`,
      });
    const inner = createAgent({
      ...fixed(),
      id: "inner",
      name: "inner",
      model: scripted([{ text: "inner here" }]),
      tools: [asking("inner")],
    });
    const calls = [["b", "book", {}] as const, ["h", "transfer_to_inner", {}] as const];
    const lead = createAgent({
      ...fixed(),
      id: "lead",
      model: scripted([{ calls }]),
      tools: [asking("lead"), inner.asHandOff()],
    });
    const session = await lead.createSession();
    await lead.run("Go", { session });
    const [question] = session.pendingInputs;
    const value = { type: "input-response", requestId: question?.requestId ?? "", value: "noon" } as const;
    const { text } = await lead.run({ role: "user", parts: [value] }, { session });
    expect([answers, text]).toEqual([[["lead", "noon"]], "inner here"]);
  });
});

test("a hand-off that was refused, or not run, makes nobody lead", async () => {
  const { agentOf } = payers();
  const inner = agentOf("inner", [{ text: "inner here" }]);
  const handing: Turn = { calls: [["h", "transfer_to_inner", {}]] };
  const lead = agentOf("lead", [handing, { text: "lead here" }], [inner.asHandOff({ needsApproval: true })]);
  const session = await lead.createSession();
  await lead.run("Go", { session });
  expect([(await lead.run(no(session), { session })).text, leaders(session)]).toEqual(["lead here", []]);
});

describe("what an agent inside of a tool asks", () => {
  function house(turns: readonly Turn[] = [{ calls: [["p", "pay", { n: 1 }]] }, { text: "paid" }]) {
    const { ran, agentOf } = payers();
    const inner = agentOf("inner", turns);
    const lead = agentOf("lead", [{ calls: [["i", "inner", { query: "Pay" }]] }, { text: "done" }], [inner.asTool()]);
    return { ran, lead };
  }

  test.each(["ours", "maf", "maf-text"] as const)("is answered there after a restart (%s)", async as => {
    const { ran, lead } = house();
    const before = await lead.createSession();
    await lead.run("Go", { session: before });
    const session = await lead.deserializeSession(await lead.serializeSession(before, as === "ours" ? {} : { as }));
    expect(session.pendingApprovals).toEqual(before.pendingApprovals);
    const response = await lead.run(yes(session), { session });
    expect([ran, response.text]).toEqual([["inner 1"], "done"]);
  });

  test("is as many questions as there were, also where two calls have one id and one is answered before", async () => {
    const { ran, lead } = house([
      {
        calls: [
          ["p", "pay", { n: 1 }],
          ["q", "pay", { n: 2 }],
        ],
      },
      { text: "paid" },
    ]);
    let session = await lead.createSession();
    await lead.run("Go", { session });
    for (const left of [2, 1]) {
      session = await lead.deserializeSession(await lead.serializeSession(session, { as: "maf" }));
      expect(session.pendingApprovals).toHaveLength(left);
      const [first] = yes(session).parts;
      await lead.run({ role: "user", parts: first ? [first] : [] }, { session });
    }
    expect([ran, outline(session.messages).at(-1)]).toEqual([["inner 1", "inner 2"], "assistant: done"]);
  });

  test("cannot be answered in a session that has the history alone: no other agent's tool is run for it", async () => {
    const { ran, lead } = house();
    const before = await lead.createSession();
    await lead.run("Go", { session: before });
    const session = await lead.createSession({ messages: before.messages });
    expect(session.pendingApprovals).toEqual([]);
    await expect(lead.run(yes(before), { session })).rejects.toMatchObject({ code: "approval/unknown" });
    const answered = await lead.createSession({ messages: [...before.messages, yes(before)] });
    await lead.run("And?", { session: answered });
    expect(ran).toEqual([]);
  });
});

describe("what a person lets through for good", () => {
  test("holds for the agent that asked: another's tool of the same name is asked about", async () => {
    const { ran, agentOf } = payers();
    const inner = agentOf("inner", [{ calls: [["q", "pay", { n: 1_000_000 }]] }, { text: "inner here" }]);
    const lead = agentOf(
      "lead",
      [{ calls: [["p", "pay", { n: 1 }]] }, { calls: [["h", "transfer_to_inner", {}]] }],
      [inner.asHandOff()],
    );
    const session = await lead.createSession();
    await lead.run("Go", { session });
    await lead.run(yes(session, "tool"), { session });
    expect([ran, session.pendingApprovals.map(({ call }) => call.callId), session.approvalRules]).toEqual([
      ["lead 1"],
      ["q"],
      [{ agent: "lead", toolName: "pay" }],
    ]);
    const again = await lead.deserializeSession(await lead.serializeSession(session, { as: "maf" }));
    expect(again.approvalRules).toEqual(session.approvalRules);
    await lead.run(yes(again, "arguments"), { session: again });
    expect(again.approvalRules).toEqual([
      { agent: "lead", toolName: "pay" },
      { agent: "inner", toolName: "pay", arguments: { n: "1000000" } },
    ]);
    for (const [agent, rules] of [
      [lead, again.approvalRules],
      [inner, again.approvalRules.toReversed()],
    ] as const) {
      const read = await agent.deserializeSession(await agent.serializeSession(again, { as: "maf" }));
      expect(read.approvalRules).toEqual(rules);
    }
  });

  test("to agents without id and name holds for the one that asked, too", async () => {
    let paid = 0;
    const pay = defineTool({ name: "pay", parameters: none, needsApproval: true, execute: () => `${++paid}` });
    const other = createAgent({ ...fixed(), model: scripted([{ calls: [["q", "pay", {}]] }]), tools: [pay] });
    const model = scripted([{ calls: [["p", "pay", {}]] }, { calls: [["h", "transfer_to_agent", {}]] }]);
    const first = createAgent({ ...fixed(), model, tools: [pay, other.asHandOff()] });
    const session = await first.createSession();
    await first.run("Go", { session });
    await first.run(yes(session, "tool"), { session });
    expect([paid, session.pendingApprovals.length, session.approvalRules]).toEqual([1, 1, [{ toolName: "pay" }]]);
  });

  test.each([1, 2])("of an agent %i tools deep holds for its later calls, and for no other agent's", async depth => {
    const { ran, agentOf } = payers();
    const paying = (id: string, n: number): Turn => ({ calls: [[id, "pay", { n }]] });
    const calling = (id: string, name: string): Turn => ({ calls: [[id, name, { query: "Pay" }]] });
    const inner = agentOf("inner", [paying("a", 1), { text: "paid" }, paying("b", 2), { text: "paid" }]);
    const turns = [calling("x", "inner"), { text: "ok" }, calling("y", "inner"), { text: "ok" }];
    const outer = depth === 1 ? inner : agentOf("middle", turns, [inner.asTool()]);
    const name = depth === 1 ? "inner" : "middle";
    const lead = agentOf("lead", [calling("i", name), calling("j", name), paying("c", 3)], [outer.asTool()]);
    const session = await lead.createSession();
    await lead.run("Go", { session });
    await lead.run(yes(session, "tool"), { session });
    expect([ran, session.approvalRules, session.pendingApprovals.map(({ call }) => call.callId)]).toEqual([
      ["inner 1", "inner 2"],
      [{ agent: "inner", toolName: "pay" }],
      ["c"],
    ]);
  });
});

test("an answer that came along in a history makes no rule, and lets nothing through", async () => {
  const { ran, agentOf } = payers();
  const twice: Turn = {
    calls: [
      ["p1", "pay", { n: 1 }],
      ["p2", "pay", { n: 2 }],
    ],
  };
  const agent = agentOf("lead", [twice, { text: "Done." }]);
  const session = await agent.createSession();
  await agent.run("Go", { session });
  const [pending] = session.pendingApprovals;
  if (!pending) throw new Error("nothing waits");
  const { call, requestId } = pending;
  await agent.run(
    [
      { role: "assistant", parts: [call, { type: "approval-request", requestId, callId: call.callId, call }] },
      { role: "user", parts: [approve(pending, { always: "tool" })] },
      { role: "tool", parts: [{ type: "tool-result", callId: call.callId, output: [{ type: "text", text: "paid" }] }] },
    ],
    { session },
  );
  expect([ran, session.approvalRules]).toEqual([[], []]);
});

test("what is let through for good of an agent without id and name is a rule of no other", async () => {
  const { ran, agentOf } = payers();
  const deep = createAgent({
    ...fixed(),
    model: scripted([{ calls: [["d", "pay", { n: 1 }]] }, { text: "deep done" }]),
    tools: [
      defineTool({
        name: "pay",
        parameters: z.object({ n: z.number() }),
        needsApproval: true,
        execute: ({ n }) => `deep paid ${ran.push(`deep ${n}`)}`,
      }),
    ],
  });
  const middle = agentOf(
    "middle",
    [{ calls: [["m", "deep", { query: "pay" }]] }, { calls: [["p", "pay", { n: 9 }]] }, { text: "middle done" }],
    [deep.asTool({ name: "deep", description: "pays" })],
  );
  const outer = agentOf(
    "outer",
    [{ calls: [["o", "middle", { query: "pay" }]] }, { text: "Done." }],
    [middle.asTool()],
  );
  const session = await outer.createSession();
  await outer.run("Go", { session });
  await outer.run(yes(session, "tool"), { session });
  expect([ran, session.approvalRules]).toEqual([["deep 1"], []]);
  expect(session.pendingApprovals.map(({ call }) => call.input)).toEqual([{ n: 9 }]);
});

test("a call of an agent that took over, and that is not found again after a restart, is done by no other", async () => {
  const ran: string[] = [];
  const start = () => {
    const pay = (who: string) =>
      defineTool({ name: "pay", parameters: none, needsApproval: true, execute: () => ran.push(who) });
    const asks = scripted([{ calls: [["p", "pay", {}]] }, { text: "paid" }]);
    const inner = createAgent({ ...fixed(), name: "inner", model: asks, tools: [pay("inner")] });
    const model = scripted([{ calls: [["h", "transfer_to_inner", {}]] }, { text: "lead again" }]);
    return createAgent({ ...fixed(), id: "lead", model, tools: [pay("lead"), inner.asHandOff()] });
  };
  const first = start();
  const session = await first.createSession();
  await first.run("Go", { session });
  const again = start();
  const restored = await again.deserializeSession(await first.serializeSession(session));
  await expect(again.run(yes(restored), { session: restored })).rejects.toMatchObject({ code: "agent/unknown" });
  expect([ran, restored.pendingApprovals.length]).toEqual([[], 1]);
  await first.run(yes(session), { session });
  expect(ran).toEqual(["inner"]);
});
