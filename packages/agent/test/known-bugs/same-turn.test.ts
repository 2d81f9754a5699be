import type { Json, Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSession, createAgent, defineTool, fallbackModel, retrying } from "../../src/index.ts";
import { fixed, scripted } from "../scripted-model.ts";
import { outline, resultsIn, said } from "./reading.ts";

/** Calls that have one id, calls that are answered one by one, and turns that were stopped, as other runtimes got them wrong. */

const answers = (...pairs: readonly (readonly [requestId: string, approved: boolean])[]): Message => ({
  role: "user",
  parts: pairs.map(([requestId, approved]) => ({ type: "approval-response", requestId, approved })),
});
const told = (callId: string, text: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, output: [{ type: "text", text }] }],
});
const idsOf = (session: AgentSession): string[] => session.pendingApprovals.map(({ requestId }) => requestId);

describe("calls that a host gives one id", () => {
  const bash = (ran: string[]) =>
    defineTool({
      name: "bash",
      parameters: z.object({ c: z.string() }),
      needsApproval: true,
      execute: ({ c }) => `ran ${ran[ran.push(c) - 1]}`,
    });

  test("in two steps are asked about each, and a yes to the first is none to the second (MoonshotAI/kimi-code#2908)", async () => {
    const ran: string[] = [];
    const model = scripted([
      { calls: [["Bash_0", "bash", { c: "ls" }]] },
      { calls: [["Bash_0", "bash", { c: "rm" }]] },
      { text: "done" },
    ]);
    const agent = createAgent({ ...fixed(), model, tools: [bash(ran)] });
    const session = await agent.createSession();
    await agent.run("Go", { session });
    const [first = ""] = idsOf(session);
    await agent.run(answers([first, true]), { session });
    const [second = ""] = idsOf(session);
    await expect(agent.run(answers([first, true]), { session })).rejects.toMatchObject({ code: "approval/answered" });
    await agent.run(answers([second, false]), { session });
    expect([ran, resultsIn(session.messages).map(([id, outcome]) => [id, outcome])]).toEqual([
      ["ls"],
      [
        ["Bash_0", "ok"],
        ["Bash_0", "denied"],
      ],
    ]);
  });

  test.each([true, false])(
    "in one answer each get their own answer, the first: %s (QwenLM/qwen-code#8382, can1357/oh-my-pi#2055)",
    async isFirst => {
      const ran: string[] = [];
      const calls = ["ls", "rm"].map(c => ["d", "bash", { c }] as const);
      const agent = createAgent({ ...fixed(), model: scripted([{ calls }, { text: "done" }]), tools: [bash(ran)] });
      const session = await agent.createSession();
      await agent.run("Go", { session });
      const [ls = "", rm = ""] = idsOf(session);
      await agent.run(answers([ls, isFirst], [rm, !isFirst]), { session });
      expect([ran, resultsIn(session.messages).map(([, outcome]) => outcome)]).toEqual([
        [isFirst ? "ls" : "rm"],
        isFirst ? ["ok", "denied"] : ["denied", "ok"],
      ]);
    },
  );
});

test("calls of a host without ids have one each, in all steps and turns (danny-avila/agents#133)", async () => {
  const look = defineTool({ name: "look", parameters: z.object({}), execute: () => "seen" });
  const calls = (...ids: string[]) => ids.map(id => [id, "look", {}] as const);
  const model = scripted([
    { calls: calls("~0.0", "~0.1") },
    { calls: calls("~0.0") },
    { text: "done" },
    { calls: calls("~0.0") },
    { text: "again" },
  ]);
  const agent = createAgent({ ...fixed(), model, tools: [look] });
  const session = await agent.createSession();
  for (const words of ["Go", "Again"]) await agent.run(words, { session });
  const ids = (type: "tool-call" | "tool-result") =>
    session.messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === type ? [part.callId] : [])));
  expect([ids("tool-call").length, new Set(ids("tool-call")).size]).toEqual([4, 4]);
  expect(ids("tool-result")).toEqual(ids("tool-call"));
  expect(ids("tool-call").every(id => id.startsWith("~"))).toBe(true);
});

describe("calls that the application answers one by one", () => {
  test("wait for the rest, and nothing runs again meanwhile (google/adk-python#5450)", async () => {
    let written = 0;
    const tools = [
      defineTool({ name: "render", parameters: z.object({ shot: z.number() }) }),
      defineTool({ name: "write", parameters: z.object({}), execute: () => ++written }),
    ];
    const model = scripted([
      {
        calls: [
          ["1", "render", { shot: 1 }],
          ["2", "render", { shot: 2 }],
          ["3", "write", {}],
        ],
      },
      { text: "done" },
    ]);
    const agent = createAgent({ ...fixed(), model, tools });
    const session = await agent.createSession();
    await agent.run("Go", { session });
    expect((await agent.run(told("2", "two"), { session })).finish).toEqual({ reason: "tool-calls" });
    expect([session.pendingCalls.map(({ callId }) => callId), model.requests.length]).toEqual([["1"], 1]);
    const done = await agent.run(told("1", "one"), { session });
    expect([done.text, written]).toEqual(["done", 1]);
    expect(
      new Map(resultsIn(model.requests[1]?.conversation.messages ?? []).map(([id, , words]) => [id, words])),
    ).toEqual(
      new Map<string, unknown>([
        ["1", "one"],
        ["2", "two"],
        ["3", 1],
      ]),
    );
  });

  test("are answered from another process, by the stored session (google/adk-python#3531)", async () => {
    const tools = [defineTool({ name: "render", parameters: z.object({}) })];
    const first = createAgent({ ...fixed(), model: scripted([{ calls: [["1", "render", {}]] }]), tools });
    const session = await first.createSession();
    await first.run("Go", { session });
    const stored = JSON.parse(JSON.stringify(await first.serializeSession(session))) as Json; // what was stored as JSON
    const model = scripted([{ text: "done" }]);
    const other = createAgent({ ...fixed(), model, tools });
    const done = await other.run(told("1", "one"), { session: await other.deserializeSession(stored) });
    expect([done.text, outline(model.requests[0]?.conversation.messages ?? [])]).toEqual([
      "done",
      ["user: Go", "assistant: tool-call 1", "tool: tool-result 1"],
    ]);
  });
});

describe("a run that is stopped", () => {
  test("keeps what the user said, and what came (mastra-ai/mastra#13984)", async () => {
    const stop = new AbortController();
    const agent = createAgent({ ...fixed(), model: scripted([{ text: "hal", hangs: true }]) });
    const session = await agent.createSession();
    for await (const { text } of agent.runStreaming("Hello", { session, signal: stop.signal })) if (text) stop.abort();
    expect(outline(session.messages)).toEqual(["user: Hello", "assistant: hal"]);
  });

  test("in a tool has no result of it, asks no more, and leaves what was queued for the next (mastra-ai/mastra#18034, earendil-works/pi#8658)", async () => {
    const stop = new AbortController();
    const model = scripted([{ calls: [["1", "long", {}]] }, { text: "ok" }]);
    let session: AgentSession | undefined;
    const long = defineTool({
      name: "long",
      parameters: z.object({}),
      execute: (_, { signal }) => {
        session?.inject([said("user", "second")]);
        return new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("The operation was aborted.")));
          stop.abort();
        });
      },
    });
    const agent = createAgent({ ...fixed(), model, tools: [long] });
    session = await agent.createSession();
    const response = await agent.run("Hello", { session, signal: stop.signal });
    expect([response.finish, model.requests.length]).toEqual([{ reason: "aborted" }, 1]);
    expect(resultsIn(session.messages).map(([id, outcome]) => [id, outcome])).toEqual([["1", "interrupted"]]);
    expect((await agent.run("third", { session })).text).toBe("ok");
    expect(outline(session.messages).filter(words => words.startsWith("user"))).toEqual(
      expect.arrayContaining(["user: Hello", "user: second", "user: third"]),
    );
  });
});

test("a transcript that the client sends again whole is not said twice (microsoft/agent-framework#7930, mastra-ai/mastra#11525)", async () => {
  const model = scripted([{ text: "a1" }, { text: "a2" }, { text: "a3" }]);
  const agent = createAgent({ ...fixed(), model });
  const session = await agent.createSession();
  for (const id of ["u1", "u2", "u3"]) await agent.run([...session.messages, { ...said("user", id), id }], { session });
  expect(outline(session.messages)).toEqual(
    ["u1", "a1", "u2", "a2", "u3", "a3"].map(words => `${words.startsWith("u") ? "user" : "assistant"}: ${words}`),
  );
  expect(model.requests[2]?.conversation.messages).toHaveLength(5);
});

describe("a host that fails once it has begun", () => {
  test("but said nothing yet is tried again, and what it began is not there twice (zirkelc/ai-retry#51)", async () => {
    const first = {
      ...scripted([]),
      async *stream() {
        yield [{ type: "message-start", message: 0, head: { role: "assistant" } } as const];
        yield [{ type: "error", error: { message: "overloaded", retryable: true } } as const];
      },
    };
    const model = fallbackModel({ models: [first, scripted([{ text: "ok" }])] });
    const response = await createAgent({ ...fixed(), model }).run("Go");
    expect([response.finish, outline(response.messages)]).toEqual([{ reason: "stop" }, ["assistant: ok"]]);
  });

  test("and spoke is not tried again, so nothing is said twice (HKUDS/nanobot#4038, aden-hive/hive#7265)", async () => {
    const inner = scripted([{ chunks: ["Here is "], error: { message: "stalled", retryable: true } }]);
    const response = await createAgent({ ...fixed(), model: retrying(inner, { retries: 2 }) }).run("Go");
    expect([response.text, response.finish, inner.requests.length]).toEqual(["Here is ", { reason: "error" }, 1]);
  });
});
