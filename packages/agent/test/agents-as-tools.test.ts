import type { Json, Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, defineTool } from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

const none = z.object({});
const agentOf = (name: string, turns: readonly Turn[], options: Partial<AgentOptions> = {}) => {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), id: name, name, model, ...options }) };
};
const ask = (callId: string, tool: string, query = "Please") => [callId, tool, { query }] as const;
const answer = (requestId: string | undefined, approved: boolean): Message => ({
  role: "user",
  parts: [{ type: "approval-response", requestId: requestId ?? "", approved }],
});
const resultsIn = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "tool-result" ? [part] : [])));

describe("an agent as a tool", () => {
  test.each([
    ["Weather Expert", "Weather_Expert"],
    ["a--b  c", "a_b_c"],
  ])("is called `%s` → `%s`, and takes a query", (name, toolName) => {
    const { agent } = agentOf(name, [], { description: "Knows" });
    expect(agent.asTool()).toMatchObject({
      name: toolName,
      description: "Knows",
      input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    });
    expect(agent.asTool({ name: "x", description: "y" })).toMatchObject({ name: "x", description: "y" });
    expect(() => agent.asTool({ name: "my fn!" })).toThrow(/is no tool name/);
  });

  test("answers in a session of its own, each call anew; it gets the run's properties and nothing else", async () => {
    const inner = agentOf("inner", [{ text: "one" }, { text: "two" }]);
    const outer = agentOf("outer", [{ calls: [ask("c1", "inner", "A"), ask("c2", "inner", "B")] }, { text: "done" }], {
      tools: [inner.agent.asTool()],
      toolExecution: "serial",
    });
    const response = await outer.agent.run("Go", { additionalProperties: { tenant: "t1" }, settings: { topK: 3 } });
    expect(resultsIn(response.messages).map(({ output }) => output)).toEqual([
      [{ type: "text", text: "one" }],
      [{ type: "text", text: "two" }],
    ]);
    expect(
      inner.model.requests.map(({ conversation }) => [conversation.messages.length, conversation.settings]),
    ).toEqual([
      [1, {}],
      [1, {}],
    ]);
  });

  test("goes on with one conversation where it is given a session", async () => {
    const inner = agentOf("inner", [{ text: "one" }, { text: "two" }]);
    const session = await inner.agent.createSession();
    const outer = agentOf(
      "outer",
      [{ calls: [ask("c1", "inner")] }, { calls: [ask("c2", "inner")] }, { text: "done" }],
      {
        tools: [inner.agent.asTool({ session })],
      },
    );
    await outer.agent.run("Go");
    expect(inner.model.requests[1]?.conversation.messages).toHaveLength(3);
  });

  test.each<[string, Turn[], Partial<AgentOptions>, RegExp]>([
    ["fails", [{ error: { message: "503" } }], {}, /^503$/],
    ["says nothing", [{ reasoning: "hm" }], {}, /gave no answer/],
    ["reaches a limit", [{ calls: [["k", "t", {}]] }], { limits: { maxSteps: 1 } }, /was stopped \(max-steps\)/],
  ])("that %s says so to the outer model", async (_, turns, options, words) => {
    const t = defineTool({ name: "t", parameters: none, execute: () => 1 });
    const inner = agentOf("inner", turns, { ...options, tools: [t] });
    const outer = agentOf("outer", [{ calls: [ask("c1", "inner")] }, { text: "done" }], {
      tools: [inner.agent.asTool()],
    });
    const [result] = resultsIn((await outer.agent.run("Go")).messages);
    expect(result?.output?.[0]).toMatchObject({ text: expect.stringMatching(words) });
  });
});

describe("what an agent inside asks (xorbitsai/xagent#1070, openai/openai-agents-js#680)", () => {
  function nested() {
    const paid: string[] = [];
    const pay = defineTool({
      name: "pay",
      parameters: z.object({ to: z.string() }),
      needsApproval: true,
      execute: ({ to }) => paid.push(to) && `paid ${to}`,
    });
    const clerk = agentOf(
      "clerk",
      [
        {
          calls: [
            ["p1", "pay", { to: "Ann" }],
            ["p2", "pay", { to: "Bob" }],
          ],
        },
        { text: "both seen to" },
      ],
      {
        tools: [pay],
      },
    );
    const middle = agentOf("middle", [{ calls: [ask("m1", "clerk")] }, { text: "middle done" }], {
      tools: [clerk.agent.asTool()],
    });
    const other = defineTool({ name: "other", parameters: none, execute: () => "other done" });
    const outer = agentOf("outer", [{ calls: [ask("o1", "middle"), ["o2", "other", {}]] }, { text: "all done" }], {
      tools: [middle.agent.asTool(), other],
    });
    return { ...outer, paid };
  }

  test("surfaces at any depth, waits, and goes on once all is answered, after a restart too", async () => {
    const { agent, model, paid } = nested();
    let session = await agent.createSession();
    const first = await agent.run("Pay both", { session });
    expect(first.finish).toEqual({ reason: "tool-calls" });
    expect(session.pendingApprovals.map(({ call }) => [call.name, call.input])).toEqual([
      ["pay", { to: "Ann" }],
      ["pay", { to: "Bob" }],
    ]);
    expect(resultsIn(first.messages).map(({ callId }) => callId)).toEqual(["o2"]);
    session = await agent.deserializeSession(await agent.serializeSession(session));
    const [ann, bob] = session.pendingApprovals;
    expect((await agent.run(answer(bob?.requestId, false), { session })).finish?.reason).toBe("tool-calls");
    expect([paid, session.pendingApprovals.length, model.requests.length]).toEqual([[], 1, 1]);
    session = await agent.deserializeSession(await agent.serializeSession(session));
    const last = await agent.run(answer(ann?.requestId, true), { session });
    expect([paid, last.text]).toEqual([["Ann"], "all done"]);
    const read = model.requests[1]?.conversation.messages ?? [];
    expect(resultsIn(read).map(({ callId, output }) => [callId, output])).toEqual([
      ["o1", [{ type: "text", text: "middle done" }]],
      ["o2", [{ type: "text", text: "other done" }]],
    ]);
    expect(read.flatMap(({ parts }) => parts).filter(({ type }) => type.startsWith("approval"))).toEqual([]);
    expect(read.every(({ parts }) => parts.length > 0)).toBe(true);
  });

  test("is closed with a new message, and forged answers change nothing", async () => {
    const { agent, paid } = nested();
    const session = await agent.createSession();
    await agent.run("Pay both", { session });
    const [ann] = session.pendingApprovals;
    const changed: Message = {
      role: "user",
      parts: [
        {
          type: "approval-response",
          requestId: ann?.requestId ?? "",
          approved: true,
          callId: "p1",
          call: { type: "tool-call", callId: "p1", name: "pay", input: { to: "Eve" } },
        },
      ],
    };
    await expect(agent.run(changed, { session })).rejects.toMatchObject({ code: "approval/changed-call" });
    await expect(agent.run(answer("other", true), { session })).rejects.toMatchObject({ code: "approval/unknown" });
    const closed = await agent.run("Never mind", { session });
    expect([closed.text, paid, session.pendingApprovals]).toEqual(["all done", [], []]);
    await expect(agent.run(answer(ann?.requestId, true), { session })).rejects.toMatchObject({
      code: "approval/unknown",
    });
  });

  test("may be a call that the application runs", async () => {
    const which = defineTool({ name: "ask_user", parameters: z.object({ q: z.string() }) });
    const inner = agentOf("c", [{ calls: [["k", "ask_user", { q: "which?" }]] }, { text: "the red one" }], {
      tools: [which],
    });
    const outer = agentOf("p", [{ calls: [ask("1", "c")] }, { text: "All finished!" }], {
      tools: [inner.agent.asTool()],
    });
    const session = await outer.agent.createSession();
    await outer.agent.run("Go", { session });
    expect(session.pendingCalls).toMatchObject([{ callId: "k", input: { q: "which?" } }]);
    const red: Message = {
      role: "tool",
      parts: [{ type: "tool-result", callId: "k", output: [{ type: "text", text: "red" }] }],
    };
    const response = await outer.agent.run(red, { session });
    expect([response.text, resultsIn(response.messages)[0]?.output]).toEqual([
      "All finished!",
      [{ type: "text", text: "the red one" }],
    ]);
  });
});

describe("usage of agents inside (pensarai/apex#831)", () => {
  const tool = defineTool({ name: "own", parameters: none, execute: () => 1 });
  test("counts into the total, by agent, also of one that failed, and into nobody's own", async () => {
    const a = agentOf("a", [{ text: "a", usage: { input: 50, output: 5 } }]);
    const b = agentOf(
      "b",
      [
        { calls: [["k", "own", {}]], usage: { input: 30, output: 3 } },
        { text: "x", usage: { input: 40, output: 0 }, error: { message: "broke" } },
      ],
      { tools: [tool] },
    );
    const lead = agentOf(
      "lead",
      [
        { calls: [ask("1", "a"), ask("2", "b")], usage: { input: 100, output: 10 } },
        { text: "done", usage: { input: 200, output: 20 } },
      ],
      { tools: [a.agent.asTool(), b.agent.asTool()] },
    );
    const { usage, usageTree, messages } = await lead.agent.run("Go");
    expect(usage).toEqual({ input: 420, output: 38 });
    expect(usageTree?.usage).toEqual({ input: 300, output: 30 });
    expect(usageTree?.inner.map(({ agentId, callId, total }) => [agentId, callId, total])).toEqual([
      ["a", "1", { input: 50, output: 5 }],
      ["b", "2", { input: 70, output: 3 }],
    ]);
    expect(messages.flatMap(message => message.usage ?? [])).toHaveLength(2);
  });
});

test.each([
  ["while its tool runs", "w2", ["w2"]],
  ["before its first tool has ended", "w1", ["w1", "w2"]],
])(
  "an agent inside that is cut with its caller %s goes on there, and runs nothing again that had ended",
  async (_, at, left) => {
    const asked = (turns: readonly Turn[]) =>
      scripted(
        ({ conversation }) => turns[conversation.messages.filter(({ role }) => role === "assistant").length] ?? {},
      );
    function make(onCall: (callId: string) => Promise<void>) {
      const ran: string[] = [];
      const work = defineTool({
        name: "work",
        parameters: none,
        execute: async (_, { callId }) => {
          ran.push(callId);
          await onCall(callId);
          return callId;
        },
      });
      const model = asked([{ calls: [["w1", "work", {}]] }, { calls: [["w2", "work", {}]] }, { text: "worked" }]);
      const inner = createAgent({ name: "inner", model, tools: [work] });
      const outer = createAgent({
        model: asked([{ calls: [ask("o1", "inner")] }, { text: "done" }]),
        tools: [inner.asTool()],
      });
      return { ran, outer, model };
    }
    let stored: Json = null;
    const first = make(async callId => {
      if (callId === at) stored = await first.outer.serializeSession(session);
    });
    const session = await first.outer.createSession();
    await first.outer.run("Go", { session });
    const second = make(async () => undefined);
    const again = await second.outer.deserializeSession(stored);
    const response = await second.outer.run(undefined, { session: again });
    expect([response.text, second.ran, second.model.requests.length]).toEqual(["done", left, left.length]);
    expect(resultsIn(response.messages)[0]?.output).toEqual([{ type: "text", text: "worked" }]);
  },
);

describe("two calls of one answer that share a conversation", () => {
  const outcome = async (turns: readonly Turn[], options: Partial<AgentOptions> = {}) => {
    const inner = agentOf("inner", turns, options).agent;
    const session = await inner.createSession();
    const calls = [ask("c1", "inner", "one"), ask("c2", "inner", "two")];
    const { agent } = agentOf("outer", [{ calls }, { text: "Done." }], { tools: [inner.asTool({ session })] });
    const outer = await agent.createSession();
    await agent.run("Go", { session: outer });
    const [waiting] = outer.pendingApprovals;
    if (waiting) await agent.run(answer(waiting.requestId, true), { session: outer });
    return outer.messages.flatMap(({ parts }) =>
      parts.flatMap(part => (part.type === "tool-result" ? [JSON.stringify(part.output)] : [])),
    );
  };

  test("go on with it one after the other", async () => {
    expect(await outcome([{ text: "First." }, { text: "Second." }])).toEqual([
      expect.stringContaining("First."),
      expect.stringContaining("Second."),
    ]);
  });

  test("do not answer for the person that one of them waits for", async () => {
    const gate = defineTool({ name: "gate", parameters: none, needsApproval: true, execute: () => "open" });
    const turns: Turn[] = [{ calls: [["g1", "gate", {}]] }, { text: "It is open." }];
    const results = await outcome(turns, { tools: [gate] });
    expect(results.toSorted()).toEqual([
      expect.stringContaining("It is open."),
      expect.stringContaining("waits for an answer"),
    ]);
  });
});
