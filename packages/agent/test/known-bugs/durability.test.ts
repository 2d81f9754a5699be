import type { Json, JsonObject, Message, ToolCallPart } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  Agent,
  type AgentSession,
  type AgentTool,
  approve,
  type ChatHistoryProvider,
  createAgent,
  defineTool,
  type Operations,
} from "../../src/index.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";
import { outline, resultsIn, said } from "./reading.ts";
import { strict } from "./strict-host.ts";

/** What went wrong elsewhere with runs that were cut, or paused and gone on with, by the thread that tells it. */

const none = z.object({});
const yes = ({ pendingApprovals: [request] }: AgentSession): Message => {
  if (!request) throw new Error("nothing waits");
  return { role: "user", parts: [approve(request)] };
};

describe("a call that waits for a person beside one that has run (langchain-ai/langgraph#3126)", () => {
  const asking = (isInner: boolean) => {
    const ran = { asked: 0, posted: 0 };
    const call: ToolCallPart = { type: "tool-call", callId: "q1", name: "question", input: { q: "Which?" } };
    const ask = defineTool({
      name: "ask_person",
      parameters: none,
      ...(isInner && {
        execute: (_, { resumed, suspend }) => {
          ran.asked += 1;
          if (!resumed) return suspend({ asks: [{ call }], state: null });
          const [given] = resumed.answers;
          return given?.type === "tool-result" ? (given.output ?? []) : "nothing";
        },
      }),
    });
    const post = defineTool({ name: "post_entry", parameters: none, execute: () => ++ran.posted && "posted" });
    const calls: Turn["calls"] = [
      ["1", "ask_person", {}],
      ["2", "post_entry", {}],
    ];
    const model = strict([{ calls }, { text: "ok" }]);
    return { ran, model, agent: createAgent({ ...fixed(), model, tools: [ask, post] }) };
  };

  test.each([
    ["that the application runs", false, { asked: 0, posted: 1 }],
    ["that asks from inside, and is run once more with the answer", true, { asked: 2, posted: 1 }],
  ])("%s: the other is not run again, and its first result counts", async (_, isInner, counts) => {
    const { ran, model, agent } = asking(isInner);
    const before = await agent.createSession();
    await agent.run("Go", { session: before });
    const session = await agent.deserializeSession(await agent.serializeSession(before));
    const [open] = session.pendingCalls;
    const output = [{ type: "text", text: "the red one" }] as const;
    const answer: Message = { role: "tool", parts: [{ type: "tool-result", callId: open?.callId ?? "", output }] };
    expect((await agent.run(answer, { session })).text).toBe("ok");
    expect(ran).toEqual(counts);
    expect(resultsIn(model.requests[1]?.conversation.messages ?? [])).toEqual([
      ["1", "ok", "the red one"],
      ["2", "ok", "posted"],
    ]);
  });
});

test.each(["live", "from JSON"])(
  "a result that its store did not take is in the session, and stored with the next run; %s (openai/openai-agents-python#4615)",
  async where => {
    let printed = 0;
    const print = defineTool({
      name: "print_ticket",
      parameters: none,
      needsApproval: true,
      execute: () => ++printed && "ticket 12",
    });
    const kept: Message[] = [];
    let writes = 0;
    const history: ChatHistoryProvider = {
      load: () => [...kept],
      store: (_, messages) => {
        if (++writes === 2) throw new Error("disk full");
        kept.push(...messages);
      },
    };
    const model = strict([
      { calls: [["1", "print_ticket", {}]] },
      { text: "Here is ticket 12." },
      { text: "I printed it." },
    ]);
    const agent = createAgent({ ...fixed(), model, tools: [print], history });
    let session = await agent.createSession();
    await agent.run("Print", { session });
    const answer = yes(session);
    expect((await agent.run(answer, { session })).error).toMatchObject({
      code: "history/failed",
      message: "disk full",
    });
    if (where === "from JSON") session = await agent.deserializeSession(await agent.serializeSession(session));
    await expect(agent.run(answer, { session })).rejects.toMatchObject({ code: "approval/answered" });
    expect((await agent.run("What did you do?", { session })).text).toBe("I printed it.");
    expect(printed).toBe(1);
    expect(outline(kept).filter(line => !line.includes("approval-response"))).toEqual([
      "user: Print",
      "assistant: tool-call 1, approval-request 1",
      "tool: tool-result 1",
      "assistant: Here is ticket 12.",
      "user: What did you do?",
      "assistant: I printed it.",
    ]);
  },
);

test.each(["alone", "in a durable run that is begun again and again"])(
  "what a store did not take is written first, before a model is asked; %s (openai/openai-agents-python#4615)",
  async how => {
    const log: string[] = [];
    const kept: Message[] = [];
    let isFull = false;
    const history: ChatHistoryProvider = {
      load: () => [...kept],
      store: (_, messages, { history, input, response }) => {
        if (isFull) throw new Error("disk full");
        log.push(`store ${history.length}+${input.length}+${response.length}`);
        kept.push(...messages);
      },
    };
    const model = scripted(() => ({ text: log.push("ask") > 0 ? "Yes." : "" }));
    const agent = createAgent({ ...fixed(), id: "ada", model, history });
    const session = await agent.createSession();
    await agent.run("One", { session });
    isFull = true;
    expect((await agent.run("Two", { session })).error?.code).toBe("history/failed");
    await expect(agent.run("Three", { session })).rejects.toMatchObject({ code: "history/failed" });
    isFull = false;
    log.length = 0;
    if (how === "alone") await agent.run("Three", { session });
    else {
      const stored = await agent.serializeSession(session);
      await replayed(async operations => {
        await agent.run("Three", { session: await agent.deserializeSession(stored), operations });
        return null;
      });
    }
    // A session that was stored knows only what is in no store.
    const before = how === "alone" ? 2 : 0;
    expect(log).toEqual([`store ${before}+1+1`, "ask", "store 4+1+1"]);
    expect(outline(kept)).toEqual(["One", "Two", "Three"].flatMap(said => [`user: ${said}`, "assistant: Yes."]));
  },
);

test("tools that were found in the run are offered with their schemas after a pause and a restart (danny-avila/LibreChat#14552)", async () => {
  const discover = defineTool({
    name: "discover",
    parameters: none,
    execute: (_, { session }) => session.stateBag.set("found", true) ?? "found_later is there now",
  });
  const found = defineTool({ name: "found_later", parameters: z.object({ depth: z.number() }), execute: () => "deep" });
  const ask = defineTool({ name: "ask", parameters: none, needsApproval: true, execute: () => "asked" });
  const model = scripted([
    { calls: [["1", "discover", {}]] },
    { calls: [["2", "ask", {}]] },
    { calls: [["3", "found_later", { depth: 3 }]] },
    { text: "done" },
  ]);
  const tools = () => [discover, ask, ...(Agent.currentRunContext?.session.stateBag.get("found") ? [found] : [])];
  const agent = createAgent({ ...fixed(), model, tools });
  const before = await agent.createSession();
  await agent.run("Go", { session: before });
  const session = await agent.deserializeSession(await agent.serializeSession(before));
  expect((await agent.run(yes(session), { session })).text).toBe("done");
  const offered = model.requests.map(({ conversation }) =>
    conversation.tools?.find(({ name }) => name === "found_later"),
  );
  expect(offered[0]).toBeUndefined();
  for (const tool of offered.slice(1)) expect(tool?.input).toMatchObject({ properties: { depth: { type: "number" } } });
});

test("an answer that a crash cut is a message of its own, marked, and what was said before stays (cloudflare/agents#1691)", async () => {
  const agent = createAgent({ ...fixed(), model: scripted([{ chunks: ["sec", "ond "], hangs: true }]) });
  const history = [said("user", "u1"), { ...said("assistant", "first"), id: "a1" }];
  const session = await agent.createSession({ messages: history });
  let stored: Json = null;
  for await (const { text } of agent.runStreaming("u2", { session })) {
    if (text !== "ond ") continue;
    stored = await agent.serializeSession(session);
    break;
  }
  const next = createAgent({ ...fixed(), model: scripted([{ text: "third" }]) });
  const restored = await next.deserializeSession(stored);
  const [, , , cut] = restored.messages;
  expect(outline(restored.messages)).toEqual(["user: u1", "assistant: first", "user: u2", "assistant: second "]);
  expect(cut?.id).toEqual(expect.any(String));
  await next.run("u3", { session: restored });
  expect(restored.messages.slice(0, 2)).toEqual(history);
  expect(restored.messages[3]).toMatchObject({ id: cut?.id, finish: { reason: "aborted" } });
  expect(outline(restored.messages).slice(3)).toEqual(["assistant: second ", "user: u3", "assistant: third"]);
});

const resultFor = (callId: string, words: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, output: [{ type: "text", text: words }] }],
});

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
    const read = resultsIn(model.requests[1]?.conversation.messages ?? []);
    expect(read.map(([callId]) => callId)).toEqual(["c1", "c2", "c3"]);
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

/** Begins the run anew after each operation that it has kept, as some engines do. */
async function replayed<T>(body: (operations: Operations) => Promise<T>): Promise<{ result: T; executions: number }> {
  const kept = new Map<string, Json>();
  for (let executions = 1; ; executions++) {
    const over = Promise.withResolvers<never>();
    over.promise.catch(() => undefined);
    const operations: Operations = {
      run: "network-1",
      operation: async <Outcome>(name: string, work: Parameters<Operations["operation"]>[1]) => {
        if (!kept.has(name)) {
          const outcome = await work({ number: 1, signal: new AbortController().signal, operations });
          kept.set(name, JSON.parse(JSON.stringify(outcome ?? null)));
          over.reject(new Error("replay"));
          return new Promise<never>(() => {});
        }
        return structuredClone(kept.get(name)) as Outcome; // as it was kept
      },
      result: () => Promise.reject(new Error("there is no other run")),
      continueFrom: () => Promise.reject(new Error("there is no other run")),
    };
    try {
      return { result: await Promise.race([body(operations), over.promise]), executions };
    } catch (error) {
      if (!(error instanceof Error && error.message === "replay")) throw error;
    }
  }
}

test("an engine that replays a run of two agents asks each model once, and both see one state (inngest/agent-kit#196)", async () => {
  const asked = { planner: 0, drawer: 0 };
  const seen: unknown[] = [];
  const plan = defineTool({
    name: "plan",
    parameters: none,
    execute: (_, { session }) => session.stateBag.set("plan", "a house") ?? "planned",
  });
  const draw = defineTool({
    name: "draw",
    parameters: none,
    execute: (_, { session }) => seen.push(session.stateBag.get("plan")) && "drawn",
  });
  let clock = 0;
  let ids = 0;
  const runs = new Set<string | undefined>();
  const { result: messages, executions } = await replayed(async operations => {
    const options = { newId: () => `id-${++ids}`, clock: () => new Date(Date.UTC(2026, 10, 30) + ++clock) };
    const agentOf = (name: keyof typeof asked, turns: readonly Turn[], tools: readonly AgentTool[]) => {
      const model = scripted(({ conversation }) => {
        asked[name] += 1;
        return turns[resultsIn(conversation.messages).some(([callId]) => callId === "d1") ? 1 : 0] ?? {};
      });
      return createAgent({ ...options, id: name, name, model, tools });
    };
    const drawer = agentOf("drawer", [{ calls: [["d1", "draw", {}]] }, { text: "Drawn." }], [draw]);
    const calls: Turn["calls"] = [
      ["p1", "plan", {}],
      ["p2", "transfer_to_drawer", {}],
    ];
    const planner = agentOf("planner", [{ calls }], [plan, drawer.asHandOff()]);
    const session = await planner.createSession({ id: "s" });
    for await (const { responseId } of planner.runStreaming("Draw", { session, operations })) runs.add(responseId);
    return session.messages;
  });
  expect(executions).toBeGreaterThan(6);
  expect([asked, seen, runs.size]).toEqual([{ planner: 1, drawer: 2 }, ["a house"], 2]);
  expect(outline(messages)).toEqual([
    "user: Draw",
    "assistant: tool-call p1, tool-call p2",
    "tool: tool-result p1, tool-result p2, change",
    "assistant: tool-call d1",
    "tool: tool-result d1",
    "assistant: Drawn.",
  ]);
});

describe("a stored session that waits (openai/openai-agents-python#2502)", () => {
  async function waiting() {
    let stamped = 0;
    const stamp = defineTool({ name: "stamp", parameters: none, needsApproval: true, execute: () => ++stamped });
    const agent = createAgent({
      ...fixed(),
      model: scripted([{ calls: [["1", "stamp", {}]] }, { text: "stamped" }]),
      tools: [stamp],
    });
    const session = await agent.createSession();
    await agent.run("Stamp", { session });
    const stored = (await agent.serializeSession(session)) as JsonObject; // it is an object
    return { agent, stored, stamped: () => stamped };
  }

  test.each([
    ["newer", (stored: JsonObject) => ({ ...stored, version: 2 })],
    ["missing", ({ version: _, ...stored }: JsonObject) => stored],
    ["garbage", (stored: JsonObject) => ({ ...stored, version: { n: 1 } })],
  ])("of a version that is %s is refused with what was found and what is read; nothing runs", async (_, change) => {
    const { agent, stored, stamped } = await waiting();
    const given = change(stored);
    await expect(agent.deserializeSession(given)).rejects.toMatchObject({
      code: "session/unknown-version",
      data: { found: "version" in given ? given["version"] : undefined, oldest: 1, newest: 1 },
    });
    expect(stamped()).toBe(0);
  });

  test("for a tool that the agent has no more goes on with a result that names it", async () => {
    const { stored, stamped } = await waiting();
    const model = strict([{ text: "so be it" }]);
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.deserializeSession(stored);
    expect((await agent.run(yes(session), { session })).text).toBe("so be it");
    expect(resultsIn(session.messages)).toEqual([["1", "error", expect.stringContaining("stamp")]]);
    expect(stamped()).toBe(0);
  });
});

describe("a run that waits while its agent is defined anew (mastra-ai/mastra#21846)", () => {
  async function suspended() {
    let filed = 0;
    const file = (name: string) =>
      defineTool({ name, parameters: none, needsApproval: true, execute: () => ++filed && "filed" });
    const v1 = (turns: readonly Turn[]) =>
      createAgent({
        ...fixed(),
        id: "clerk",
        version: "1",
        instructions: "one",
        model: scripted(turns),
        tools: [file("file_v1")],
      });
    const model = scripted([{ text: "from two" }]);
    const v2 = createAgent({
      ...fixed(),
      id: "clerk",
      version: "2",
      instructions: "two",
      model,
      tools: [file("file_v2")],
    });
    const first = v1([{ calls: [["1", "file_v1", {}]] }]);
    const session = await first.createSession();
    await first.run("File it", { session });
    return { v1, v2, model, filed: () => filed, stored: await first.serializeSession(session) };
  }

  test("is not gone on with under the new version, waits on, and ends under its own", async () => {
    const { v1, v2, model, filed, stored } = await suspended();
    const session = await v2.deserializeSession(stored);
    await expect(v2.run(yes(session), { session })).rejects.toMatchObject({
      code: "agent/changed",
      data: { begun: "1", version: "2" },
    });
    expect([model.requests.length, filed(), session.pendingApprovals.length]).toEqual([0, 0, 1]);
    const own = v1([{ text: "filed" }]);
    const restored = await own.deserializeSession(await v2.serializeSession(session));
    expect([(await own.run(yes(restored), { session: restored })).text, filed()]).toEqual(["filed", 1]);
  });

  test("is closed by a new message, which the new version answers", async () => {
    const { v2, model, filed, stored } = await suspended();
    const session = await v2.deserializeSession(stored);
    expect([(await v2.run("Something else", { session })).text, filed()]).toEqual(["from two", 0]);
    expect(model.requests[0]?.conversation.messages[0]?.parts).toEqual([{ type: "text", text: "two" }]);
  });

  test("is not gone on with in mid-answer either", async () => {
    const { v1, v2 } = await suspended();
    const first = v1([{ chunks: ["Fi", "led"], hangs: true }]);
    const session = await first.createSession();
    let stored: Json = null;
    for await (const { text } of first.runStreaming("File it", { session })) {
      stored = await first.serializeSession(session);
      if (text === "led") break;
    }
    const restored = await v2.deserializeSession(stored);
    await expect(v2.run(undefined, { session: restored })).rejects.toMatchObject({ code: "agent/changed" });
    expect(restored.hasOpenRun).toBe(true);
  });
});
