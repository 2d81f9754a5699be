import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  Agent,
  type AgentOptions,
  type AgentSession,
  approve,
  createAgent,
  DelegatingAgent,
  defineTool,
  type Middleware,
  type RunOptions,
  surrounded,
} from "../src/index.ts";
import { collected, fixed, scripted, type Turn } from "./scripted-model.ts";

const agentOf = (turns: readonly Turn[], options: Partial<AgentOptions> = {}) => {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), id: "inner", name: "Inner", model, ...options }) };
};
const texts = (messages: readonly Message[]) =>
  messages.map(
    ({ role, parts }) => `${role}: ${parts.map(part => (part.type === "text" ? part.text : part.type)).join()}`,
  );

describe("an agent around another", () => {
  class Shouting extends DelegatingAgent {
    readonly seen: unknown[] = [];

    override get name() {
      return "Shouting";
    }

    protected override runCore(messages: readonly Message[], session: AgentSession, options: RunOptions) {
      this.seen.push(Agent.currentRunContext?.agent.name);
      return super.runCore([...messages, { role: "user", parts: [{ type: "text", text: "LOUD" }] }], session, options);
    }
  }

  test("is that one but for what it overrides, and the run's context is its own while it acts", async () => {
    const { agent, model } = agentOf([{ text: "hi" }, { text: "again" }], { description: "D" });
    const outer = new Shouting(agent);
    expect([outer.id, outer.name, outer.description]).toEqual(["inner", "Shouting", "D"]);
    const session = await outer.createSession();
    expect((await outer.run("Hello", { session })).text).toBe("hi");
    const again = await outer.deserializeSession(await outer.serializeSession(session));
    await collected(outer.runStreaming("More", { session: again }));
    expect(outer.seen).toEqual(["Shouting"]);
    expect(texts(model.requests[1]?.conversation.messages ?? [])).toEqual([
      "user: Hello",
      "user: LOUD",
      "assistant: hi",
      "user: More",
    ]);
  });

  test.each<[string, (agent: Agent) => Agent]>([
    ["a class", agent => new DelegatingAgent(agent)],
    ["middleware", agent => surrounded(agent, [{ run: (context, next) => next(context) }])],
    ["several", agent => new DelegatingAgent(new DelegatingAgent(agent))],
  ])("does not hide whom that one hands the session to: %s", async (_, around) => {
    for (const isGiven of [false, true]) {
      const expert = agentOf([{ text: "expert here" }, { text: "expert again" }], { id: "expert", name: "expert" });
      const tools = [expert.agent.asHandOff()];
      const desk = agentOf([{ calls: [["2", "transfer_to_expert", {}]] }], {
        ...{ id: "desk", name: "desk" },
        ...(isGiven ? { context: [{ name: "more", before: () => ({ tools }) }] } : { tools }),
      });
      const front = agentOf([{ calls: [["1", "transfer_to_desk", {}]] }], { tools: [around(desk.agent).asHandOff()] });
      let session = await front.agent.createSession();
      const said = [(await front.agent.run("Help", { session })).text];
      session = await front.agent.deserializeSession(await front.agent.serializeSession(session));
      said.push((await front.agent.run("Next", { session })).text);
      expect(said).toEqual(["expert here", "expert again"]);
    }
  });

  test("may be middleware around any agent, the first outermost, in both ways of running", async () => {
    const told: string[] = [];
    const layer = (name: string): Middleware => ({
      async *run(context, next) {
        told.push(`${name} ${context.messages.length}`);
        yield* next({
          ...context,
          messages: [...context.messages, { role: "user", parts: [{ type: "text", text: name }] }],
        });
        told.push(`${name} over`);
      },
    });
    const { agent } = agentOf([{ text: "hi" }, { text: "hi" }]);
    const outer = surrounded(agent, [layer("a"), layer("b")]);
    await outer.run("Go");
    await collected(outer.runStreaming("Go"));
    expect(told).toEqual(["a 1", "b 2", "b over", "a over", "a 1", "b 2", "b over", "a over"]);
  });

  test.each([[null], [{}], [{ run: "no" }]])("refuses middleware that stands around nothing: %j", layer => {
    const { agent, model } = agentOf([]);
    const middleware = [layer as unknown as Middleware];
    expect(() => surrounded(agent, middleware)).toThrow(/`middleware\[0\]` has none of/);
    expect(() => createAgent({ model, middleware })).toThrow(/`middleware\[0\]` has none of/);
  });
});

describe("an agent as a model", () => {
  test("runs its own tools, and leaves those that it is offered to the caller", async () => {
    const own = defineTool({ name: "own", parameters: z.object({}), execute: () => "mine" });
    const inner = agentOf(
      [{ calls: [["i1", "own", {}]] }, { calls: [["o1", "theirs", { x: 1 }]] }, { text: "thanks" }],
      {
        tools: [own],
        instructions: "Be exact.",
      },
    );
    const theirs = defineTool({
      name: "theirs",
      parameters: z.object({ x: z.number() }),
      execute: ({ x }) => `got ${x}`,
    });
    const outer = createAgent({
      ...fixed(),
      model: inner.agent.asModel(),
      tools: [theirs],
      instructions: "And short.",
      settings: { topK: 3 },
    });
    const response = await outer.run("Go");
    expect([response.text, response.model]).toEqual(["thanks", "script-1"]);
    expect(texts(inner.model.requests[0]?.conversation.messages ?? [])).toEqual([
      "system: Be exact.\nAnd short.",
      "user: Go",
    ]);
    expect(inner.model.requests[0]?.conversation.settings).toEqual({ topK: 3 });
    expect(inner.model.requests[0]?.conversation.tools?.map(({ name }) => name).sort()).toEqual(["own", "theirs"]);
  });

  test("keeps the conversation where it is given a session, and takes its id back alone", async () => {
    const { agent, model } = agentOf([{ text: "one" }, { text: "two" }]);
    const session = await agent.createSession();
    const kept = agent.asModel({ session, conversationId: "conv-7" });
    const outer = createAgent({ ...fixed(), model: kept });
    const mine = await outer.createSession();
    expect((await outer.run("A", { session: mine })).conversationId).toBe("conv-7");
    await outer.run("B", { session: mine });
    expect(texts(model.requests[1]?.conversation.messages ?? [])).toEqual(["user: A", "assistant: one", "user: B"]);
    const other = await outer.createSession({ conversationId: "other" });
    expect((await outer.run("C", { session: other })).error?.code).toBe("model/unknown-conversation");
    expect(() => agent.asModel({ conversationId: "conv-7" })).toThrow(/give that too, or neither/);
    expect(() => agent.asModel({ session, conversationId: " " })).toThrow(/is blank/);
  });

  test.each<[string, Turn[], Partial<AgentOptions>, unknown]>([
    ["fails", [{ error: { message: "503" } }], {}, { reason: "error" }],
    [
      "stops at a limit",
      [{ calls: [["1", "t", {}]] }],
      { limits: { maxSteps: 1 } },
      { reason: "other", raw: "max-steps" },
    ],
  ])("that %s says so", async (_, turns, options, finish) => {
    const t = defineTool({ name: "t", parameters: z.object({}), execute: () => 1 });
    const { agent } = agentOf(turns, { ...options, tools: [t] });
    expect((await createAgent({ ...fixed(), model: agent.asModel() }).run("Go")).finish).toEqual(finish);
  });
});

describe("an agent as a model that has to wait for a person", () => {
  const none = z.object({});
  const pay = defineTool({ name: "pay", parameters: none, needsApproval: true, execute: () => "paid" });
  const ask = defineTool({ name: "pay", parameters: none, execute: (_, { ask }) => ask({ message: "How much?" }) });

  test.each([
    ["to let a call run", pay],
    ["to say something", ask],
  ])("%s fails the run, and says so: nobody would be asked", async (_, tool) => {
    const { agent } = agentOf([{ calls: [["c1", "pay", {}]] }], { tools: [tool] });
    const outer = createAgent({ ...fixed(), model: agent.asModel() });
    const session = await outer.createSession();
    const { error } = await outer.run("Pay", { session });
    expect(error).toMatchObject({
      code: "model/waits",
      message: expect.stringContaining("`Inner` waits for a person because of `pay`"),
    });
    expect(session.messages.at(-1)?.parts).toMatchObject([{ type: "tool-result", outcome: "interrupted" }]);
  });

  test("goes on in the session that it was given, once it is answered there", async () => {
    const { agent } = agentOf([{ calls: [["c1", "pay", {}]] }, { text: "Paid." }, { text: "Hello." }], {
      tools: [pay],
    });
    const session = await agent.createSession();
    const outer = createAgent({ ...fixed(), model: agent.asModel({ session }) });
    expect((await outer.run("Pay")).error?.code).toBe("model/waits");
    const parts = session.pendingApprovals.map(pending => approve(pending));
    expect((await agent.run({ role: "user", parts }, { session })).text).toBe("Paid.");
  });
});
