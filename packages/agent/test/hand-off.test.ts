import { emit, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  type AgentTool,
  accumulateUpdates,
  type ChatHistoryProvider,
  createAgent,
  defineTool,
  encodeToken,
  type Model,
  type ModelRequest,
  type RunOptions,
} from "../src/index.ts";
import { collected, fixed, scripted, type Turn } from "./scripted-model.ts";

const agentOf = (name: string, turns: readonly Turn[], options: Partial<AgentOptions> = {}) => {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), id: name, name, model, ...options }) };
};
const changes = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "change" ? [part.agent] : [])));
const results = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "tool-result" ? [[part.callId, part.outcome ?? "ok"]] : [])),
  );
const none = z.object({});

describe("a hand-off", () => {
  for (const order of ["first", "last"] as const) {
    for (const pace of ["slow", "fast"] as const) {
      test(`that comes ${order}, beside a ${pace} tool, waits for it; then the other answers alone (livekit/agents#5150)`, async () => {
        let noted = 0;
        const note = defineTool({
          name: "note",
          parameters: none,
          execute: async () => {
            if (pace === "slow") await new Promise(resolve => setTimeout(resolve, 10));
            noted += 1;
            return "noted";
          },
        });
        const expert = agentOf("expert", [{ text: "expert here", usage: { input: 20 } }, { text: "again" }]);
        const calls = [["n", "note", {}] as const, ["h", "transfer_to_expert", {}] as const];
        const front = agentOf(
          "front",
          [{ calls: order === "first" ? calls.toReversed() : calls, usage: { input: 10 } }],
          {
            tools: [note, expert.agent.asHandOff()],
          },
        );
        const session = await front.agent.createSession();
        const response = await front.agent.run("Help", { session });
        expect([response.text, response.agentId, response.finish, response.usage, noted]).toEqual([
          "expert here",
          "expert",
          { reason: "stop" },
          { input: 30 },
          1,
        ]);
        expect(
          results(expert.model.requests[0]?.conversation.messages ?? [])
            .map(([id]) => id)
            .sort(),
        ).toEqual(["h", "n"]);
        expect(response.messages).toEqual(session.messages.slice(1));
        expect((await front.agent.run("And?", { session })).text).toBe("again");
        expect(front.model.requests).toHaveLength(1);
      });
    }
  }

  test("happens once: of several in an answer the first counts (openai/openai-agents-js#1122)", async () => {
    const blue = agentOf("blue", [{ text: "blue here" }]);
    const red = agentOf("red", [{ text: "red here" }, { calls: [["4", "transfer_to_blue", {}]] }], {
      tools: [blue.agent.asHandOff()],
    });
    const front = agentOf(
      "front",
      [
        {
          calls: [
            ["1", "transfer_to_red", {}],
            ["2", "transfer_to_blue", {}],
            ["3", "transfer_to_red", {}],
          ],
        },
      ],
      { tools: [red.agent.asHandOff(), blue.agent.asHandOff()] },
    );
    let session = await front.agent.createSession();
    const updates = await collected(front.agent.runStreaming("Go", { session }));
    const response = accumulateUpdates(updates);
    expect([response.text, changes(session.messages)]).toEqual(["red here", ["red"]]);
    expect(results(session.messages)).toEqual([
      ["1", "ok"],
      ["2", "interrupted"],
      ["3", "interrupted"],
    ]);
    expect([updates.filter(({ isFinal }) => isFinal).length, response.messages]).toEqual([
      1,
      session.messages.slice(1),
    ]);
    session = await front.agent.deserializeSession(await front.agent.serializeSession(session));
    expect((await front.agent.run("Next", { session })).text).toBe("blue here");
    expect([red.model.requests.length, changes(session.messages)]).toEqual([2, ["red", "blue"]]);
    expect(
      blue.model.requests[0]?.conversation.messages.flatMap(({ parts }) => parts).map(({ type }) => type),
    ).not.toContain("change");
  });

  test("may give the texts alone: no calls, no thoughts, no requests (openai/openai-agents-python#2503)", async () => {
    const desk = agentOf("desk", [{ text: "hello" }]);
    const front = agentOf(
      "front",
      [{ reasoning: "rs1", text: "One moment.", calls: [["1", "transfer_to_desk", {}]] }],
      {
        tools: [desk.agent.asHandOff({ history: "text" })],
      },
    );
    await front.agent.run("Help");
    expect(desk.model.requests[0]?.conversation.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ["user", [{ type: "text", text: "Help" }]],
      ["assistant", [{ type: "text", text: "One moment." }]],
    ]);
  });

  test("may need approval, and the next agent may ask too: answers go to the session", async () => {
    const pay = defineTool({ name: "pay", parameters: none, needsApproval: true, execute: () => "paid" });
    const desk = agentOf("desk", [{ calls: [["p", "pay", {}]] }, { text: "paid it" }], { tools: [pay] });
    const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], {
      tools: [desk.agent.asHandOff({ needsApproval: true })],
    });
    const session = await front.agent.createSession();
    const texts: (string | undefined)[] = [(await front.agent.run("Pay", { session })).finish?.reason];
    for (const name of ["transfer_to_desk", "pay"]) {
      const [request] = session.pendingApprovals;
      expect(request?.call.name).toBe(name);
      const yes = { type: "approval-response", requestId: request?.requestId ?? "", approved: true } as const;
      texts.push((await front.agent.run({ role: "user", parts: [yes] }, { session })).text);
    }
    expect(texts).toEqual(["tool-calls", "", "paid it"]);
  });

  type Sources = (tool: AgentTool) => { readonly agent?: Partial<AgentOptions>; readonly run?: RunOptions };
  test.each<[string, Sources]>([
    ["tools that change", tool => ({ agent: { tools: () => [tool] } })],
    ["tools that are not offered", tool => ({ agent: { additionalTools: [tool] } })],
    ["tools of the run", tool => ({ run: { tools: [tool] } })],
  ])("is heard of %s, by a run and a stream, and leads later turns", async (_, sources) => {
    for (const isStreamed of [false, true]) {
      const desk = agentOf("desk", [{ text: "desk here" }, { text: "desk again" }]);
      const { agent: ofAgent, run } = sources(desk.agent.asHandOff());
      const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], ofAgent);
      const session = await front.agent.createSession();
      const texts: string[] = [];
      for (const input of ["Help", "Next"]) {
        const given = { ...run, session };
        const streamed = async () => accumulateUpdates(await collected(front.agent.runStreaming(input, given)));
        texts.push((isStreamed ? await streamed() : await front.agent.run(input, given)).text);
      }
      expect(texts).toEqual(["desk here", "desk again"]);
    }
  });

  test("is followed through an agent whose tools change", async () => {
    const expert = agentOf("expert", [{ text: "expert here" }, { text: "expert again" }]);
    const desk = agentOf("desk", [{ calls: [["2", "transfer_to_expert", {}]] }], {
      tools: async () => [expert.agent.asHandOff()],
    });
    const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], { tools: [desk.agent.asHandOff()] });
    const session = await front.agent.createSession();
    const texts: string[] = [];
    for (const input of ["Help", "Next"]) texts.push((await front.agent.run(input, { session })).text);
    expect(texts).toEqual(["expert here", "expert again"]);
  });

  test("is heard of the tools of a context provider", async () => {
    const desk = agentOf("desk", [{ text: "desk here" }]);
    const tool = desk.agent.asHandOff();
    const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], {
      context: [{ name: "desk", before: () => ({ tools: [tool] }) }],
    });
    expect((await front.agent.run("Help")).text).toBe("desk here");
  });

  test.each(["in this process", "after a restart"])(
    "by a tool of a context provider, of another agent's too, leads later turns %s",
    async when => {
      const given = (of: AgentTool) => ({ context: [{ name: "more", before: () => ({ tools: [of] }) }] });
      const expert = agentOf("expert", [{ text: "expert here" }, { text: "expert again" }]);
      const desk = agentOf("desk", [{ calls: [["2", "transfer_to_expert", {}]] }], given(expert.agent.asHandOff()));
      const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], given(desk.agent.asHandOff()));
      let session = await front.agent.createSession();
      const texts = [(await front.agent.run("Help", { session })).text];
      if (when !== "in this process")
        session = await front.agent.deserializeSession(await front.agent.serializeSession(session));
      texts.push((await front.agent.run("Next", { session })).text);
      expect([texts, front.model.requests.length]).toEqual([["expert here", "expert again"], 1]);
    },
  );

  test("leads later turns where the history is kept elsewhere, after a restart too", async () => {
    const kept: Message[] = [];
    const history: ChatHistoryProvider = { load: () => [...kept], store: (_, news) => void kept.push(...news) };
    const desk = agentOf("desk", [{ text: "desk here" }, { text: "desk again" }], { history });
    const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], {
      tools: [desk.agent.asHandOff()],
      history,
    });
    const before = await front.agent.createSession();
    await front.agent.run("Help", { session: before });
    const session = await front.agent.deserializeSession(await front.agent.serializeSession(before));
    expect((await front.agent.run("Next", { session })).text).toBe("desk again");
    expect(kept).toHaveLength(6);
  });
});

describe("who is handed a session has of the run", () => {
  const handing = (turns: readonly Turn[], provider = "test") => {
    const desk = { ...scripted(turns), provider };
    const agent = createAgent({ ...fixed(), id: "desk", name: "desk", model: desk });
    const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]], conversationId: "conv-front" }], {
      tools: [agent.asHandOff()],
    });
    return { desk, front };
  };

  test("the history that it was given: all is read from there and kept there", async () => {
    const { desk, front } = handing([{ text: "desk here" }]);
    const kept: Message[] = [{ role: "user", parts: [{ type: "text", text: "Before." }] }];
    const history: ChatHistoryProvider = { load: () => [...kept], store: (_, news) => void kept.push(...news) };
    const session = await front.agent.createSession();
    expect((await front.agent.run("Help", { session, history })).text).toBe("desk here");
    expect(desk.requests[0]?.conversation.messages.map(({ role }) => role)).toEqual([
      ...["user", "user", "assistant", "tool"],
    ]);
    expect([kept.length, session.messages]).toEqual([5, []]);
  });

  test("the leave to go on in the background, and what goes on there is asked for by the token", async () => {
    const requests: ModelRequest[] = [];
    const slow: Model = {
      id: "slow",
      provider: "test",
      async *stream(request) {
        if (requests.push(request) === 1) return request.report?.({ continuation: "job-1" });
        request.report?.({ continuation: null });
        yield emit([{ role: "assistant", parts: [{ type: "text", text: "42" }], finish: { reason: "stop" } }]);
      },
    };
    const desk = createAgent({ ...fixed(), id: "desk", name: "desk", model: slow });
    const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], { tools: [desk.asHandOff()] });
    const before = await front.agent.createSession();
    const options = { allowBackgroundResponses: true };
    const { continuationToken, finish } = await front.agent.run("6 × 7?", { ...options, session: before });
    expect([finish, requests[0]?.background]).toEqual([{ reason: "pause", raw: "background" }, true]);
    const session = await front.agent.deserializeSession(await front.agent.serializeSession(before));
    const token = encodeToken(continuationToken ?? { session: "", run: "", seq: 0 });
    const response = await front.agent.run(undefined, { session, continuationToken: token });
    expect([response.text, requests[1]?.continuation, front.model.requests.length]).toEqual(["42", "job-1", 1]);
  });

  test("what the caller lets models read, and of that what the hand-off does", async () => {
    const { desk, front } = handing([{ text: "desk here" }], "other");
    const view = (messages: readonly Message[]) => messages.filter(({ role }) => role !== "user");
    await front.agent.run("Help", { view });
    expect(desk.requests[0]?.conversation.messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
  });

  test.each([
    ["of the same provider goes on with it", "test", "conv-front", ["tool"]],
    ["of another is sent the whole", "other", undefined, ["user", "assistant", "tool"]],
  ])(
    "the conversation that a provider keeps: a model %s, and it is still there",
    async (_, provider, conversationId, roles) => {
      const { desk, front } = handing([{ text: "desk here", conversationId: "" }], provider);
      const session = await front.agent.createSession();
      await front.agent.run("Help", { session });
      expect(desk.requests[0]?.conversationId).toBe(conversationId);
      expect(desk.requests[0]?.conversation.messages.map(({ role }) => role)).toEqual(roles);
      expect(session.conversationId).toBe(provider === "other" ? "conv-front" : undefined);
    },
  );

  test.each([
    ["test", "conv-9"],
    ["other", undefined],
  ])("the conversation that a later run names, where its provider (%s) is the asked agent's", async (provider, id) => {
    const { desk, front } = handing([{ text: "desk here" }, { text: "desk again" }], provider);
    const session = await front.agent.createSession({
      messages: [
        { role: "user", parts: [{ type: "text", text: "Help" }] },
        { role: "tool", parts: [{ type: "change", agent: "desk" }] },
      ],
    });
    await front.agent.run("Next", { session, conversationId: "conv-9" });
    expect(desk.requests[0]?.conversationId).toBe(id);
    expect(session.conversationId).toBe(provider === "other" ? "conv-9" : undefined);
  });
});

test("an answer that goes on at one provider is asked for at no other, and can still be asked for where it is", async () => {
  const requests: ModelRequest[] = [];
  const slow = (provider: string): Model => ({
    id: provider,
    provider,
    async *stream(request) {
      if (requests.push(request) === 1) return request.report?.({ continuation: "job-1" });
      request.report?.({ continuation: null });
      yield emit([{ role: "assistant", parts: [{ type: "text", text: provider }], finish: { reason: "stop" } }]);
    },
  });
  const agent = createAgent({ ...fixed(), model: slow("a") });
  const session = await agent.createSession();
  const { continuationToken } = await agent.run("Go", { session, allowBackgroundResponses: true });
  const going = { session, ...(continuationToken && { continuationToken }) };
  const refused = await agent.run(undefined, { ...going, model: slow("b") });
  expect([refused.error?.code, refused.continuationToken !== undefined, requests.length]).toEqual([
    "token/invalid",
    true,
    1,
  ]);
  expect((await agent.run(undefined, going)).text).toBe("a");
});

test("while a session is handed over, only the agent that is handed it may run it", async () => {
  const desk = agentOf("desk", [{ text: "desk here" }], {
    context: [{ name: "late", before: async () => void (await other()) }],
  });
  const stranger = agentOf("stranger", [{ text: "mine now" }]);
  const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]] }], { tools: [desk.agent.asHandOff()] });
  const session = await front.agent.createSession();
  const outcomes: unknown[] = [];
  const other = () =>
    stranger.agent.run("Me!", { session }).then(
      ({ text }) => outcomes.push(text),
      ({ code }) => outcomes.push(code),
    );
  for await (const { isFinal } of front.agent.runStreaming("Help", { session })) {
    if (!isFinal) await other();
  }
  expect([...new Set(outcomes)]).toEqual(["session/busy"]);
  expect(outcomes.length).toBeGreaterThan(3);
  expect(session.messages.at(-1)?.parts).toEqual([{ type: "text", text: "desk here" }]);
});

describe("a run that has begun, and cannot be gone on with, has failed: nothing is thrown, and what came stays", () => {
  const failing = (isBroken: () => boolean) => ({
    context: [{ name: "notes", before: () => (isBroken() ? Promise.reject(new Error("no notes")) : {}) }],
  });

  test.each([false, true])("by who is handed the session, streamed: %s", async isStreamed => {
    let isBroken = true;
    const desk = agentOf(
      "desk",
      [{ text: "desk here" }],
      failing(() => isBroken),
    );
    const front = agentOf("front", [{ calls: [["1", "transfer_to_desk", {}]], usage: { input: 3 } }], {
      tools: [desk.agent.asHandOff()],
    });
    const session = await front.agent.createSession();
    const run = async (input?: string) =>
      isStreamed
        ? accumulateUpdates(await collected(front.agent.runStreaming(input, { session })))
        : front.agent.run(input, { session });
    const { finish, error, usage, messages } = await run("Help");
    expect([finish, error?.code, usage]).toEqual([{ reason: "error" }, "context/failed", { input: 3 }]);
    expect(messages).toEqual(session.messages.slice(1));
    isBroken = false;
    const next = await run();
    expect([next.text, next.agentId, next.usage]).toEqual(["desk here", "desk", { input: 3 }]);
  });

  test("by a result that is asked for once more", async () => {
    let times = 0;
    const { agent } = agentOf("a", [{ text: "no JSON", usage: { input: 3 } }], {
      ...failing(() => ++times === 2),
      responseFormat: z.object({ n: z.number() }),
      resultRetries: 2,
    });
    const session = await agent.createSession();
    const { finish, error, usage, messages } = await agent.run("Go", { session });
    expect([finish, error?.code, usage]).toEqual([{ reason: "error" }, "context/failed", { input: 3 }]);
    expect(messages).toEqual(session.messages.slice(1));
  });
});
