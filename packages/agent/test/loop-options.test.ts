import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, type AgentTool, createAgent, defineTool, type ToolReturn } from "../src/index.ts";
import { collected, fixed, scripted, type Turn } from "./scripted-model.ts";

const none = z.object({});
const tool = (name: string, execute?: () => ToolReturn | Promise<ToolReturn>): AgentTool =>
  defineTool({ name, parameters: none, ...(execute && { execute }) });
const fails = (name: string) =>
  tool(name, () => {
    throw new Error("no disk");
  });
const ends = defineTool({
  name: "end",
  parameters: none,
  execute: (_, { terminate }) => {
    terminate();
    return "enough";
  },
});

function setup(turns: readonly Turn[], options: Partial<AgentOptions> = {}) {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), model, toolExecution: "serial", ...options }) };
}
const calling = (...names: string[]): Turn => ({ calls: names.map((name, index) => [`c${index + 1}`, name, {}]) });
const done: Turn = { text: "done" };

/** `callId: words` of every result. */
const results = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap(part => {
      if (part.type !== "tool-result") return [];
      const [first] = part.output ?? [];
      return [`${part.callId}: ${first?.type === "text" ? first.text : JSON.stringify(first)}`];
    }),
  );

describe("a tool that nobody knows", () => {
  const known = tool("known", () => "yes");

  test("is told to the model, with those that there are", async () => {
    const { agent } = setup([calling("lost", "known"), done], { tools: [known] });
    const { messages, text } = await agent.run("Go");
    expect(results(messages)).toEqual([
      'c1: Error: Requested function "lost" not found. Available functions: known.',
      "c2: yes",
    ]);
    expect(text).toBe("done");
  });

  test("where it should stop the run leaves all calls of the answer to the caller, who may run any of them", async () => {
    const { agent, model } = setup([calling("lost", "known"), done], { tools: [known], unknownTools: "stop" });
    const session = await agent.createSession();
    const { finish, messages } = await agent.run("Go", { session });
    expect([finish?.reason, results(messages), model.requests.length]).toEqual(["tool-calls", [], 1]);
    expect(session.pendingCalls.map(({ name }) => name)).toEqual(["lost"]);
    const found: Message = {
      role: "tool",
      parts: [{ type: "tool-result", callId: "c1", output: [{ type: "text", text: "found" }] }],
    };
    const after = await agent.run(found, { session });
    expect(results(session.messages)).toEqual(["c1: found", "c2: yes"]);
    expect(after.text).toBe("done");
  });

  test("where it should fail the run is an error in the response and in the stream, and nothing runs", async () => {
    const ran: string[] = [];
    const options = { tools: [tool("known", () => ran.push("known") && "yes")], unknownTools: "fail" } as const;
    const response = await setup([calling("known", "lost")], options).agent.run("Go");
    expect([response.finish?.reason, response.error?.code]).toEqual(["error", "tool/unknown"]);
    expect(results(response.messages)).toHaveLength(2);
    const updates = await collected(setup([calling("lost")], options).agent.runStreaming("Go"));
    expect(updates.flatMap(({ events }) => events.filter(({ type }) => type === "error"))).toMatchObject([
      { error: { code: "tool/unknown" } },
    ]);
    expect(ran).toEqual([]);
  });
});

describe("tools", () => {
  test("that are only known run when they are called, and the model is not told of them", async () => {
    const { agent, model } = setup([calling("hidden"), done], {
      tools: [],
      additionalTools: [tool("hidden", () => "seen")],
    });
    expect(results((await agent.run("Go")).messages)).toEqual(["c1: seen"]);
    expect(model.requests.map(({ conversation }) => conversation.tools)).toEqual([undefined, undefined]);
  });

  test("that a tool of the same name stands before are never reached", async () => {
    const options = { tools: [tool("one", () => "offered")], additionalTools: [tool("one", () => "hidden")] };
    expect(results((await setup([calling("one"), done], options).agent.run("Go")).messages)).toEqual(["c1: offered"]);
  });

  test("of one name in what a run is given are refused before it begins", async () => {
    const tools = [tool("one", () => "1"), tool("one", () => "2")];
    await expect(setup([done]).agent.run("Go", { tools })).rejects.toMatchObject({ code: "tool/duplicate-name" });
  });

  test("that the provider runs are offered as they are, without tools too", async () => {
    const search = { name: "web_search", kind: "web-search" };
    const { agent, model } = setup([calling("one"), done], {
      tools: [tool("one", () => "1")],
      hostedTools: [search],
      limits: { maxSteps: 1, finalAnswer: true },
    });
    await agent.run("Go");
    expect(model.requests.map(({ conversation }) => conversation.tools?.map(({ name }) => name))).toEqual([
      ["web_search", "one"],
      ["web_search"],
    ]);
  });

  test("that change are asked for anew at every model call and every tool call", async () => {
    const open = tool("secret", () => "42");
    const list: AgentTool[] = [];
    list.push(tool("unlock", () => list.push(open) && "unlocked"));
    const { agent, model } = setup([calling("unlock", "secret"), calling("secret"), done], { tools: () => list });
    const { messages } = await agent.run("Go");
    expect(results(messages)).toEqual(["c1: unlocked", "c2: 42", "c1: 42"]);
    expect(model.requests.map(({ conversation }) => conversation.tools?.length)).toEqual([1, 2, 2]);
  });

  test("that cannot be had end the run with why", async () => {
    const { agent } = setup([done], { tools: () => Promise.reject(new Error("the list is gone")) });
    expect((await agent.run("Go")).error?.message).toBe("the list is gone");
  });
});

describe("a tool that ends the run", () => {
  test("has its result, those behind it are not run, and the model is not asked again", async () => {
    const ran: string[] = [];
    const one = tool("one", () => ran.push("one") && "1");
    const { agent, model } = setup([calling("one", "end", "one"), done], { tools: [one, ends] });
    const session = await agent.createSession();
    const { finish } = await agent.run("Go", { session });
    expect([finish, ran, model.requests.length]).toEqual([{ reason: "stop", raw: "terminated" }, ["one"], 1]);
    expect(results(session.messages)).toEqual([
      "c1: 1",
      "c2: enough",
      "c3: The call was not run: the run ended before it.",
    ]);
    expect((await agent.run("And now?", { session })).text).toBe("done");
  });

  test("still waits for those beside it that a person must let through", async () => {
    const gate = defineTool({ name: "gate", parameters: none, needsApproval: true, execute: () => "open" });
    const { agent } = setup([calling("gate", "end")], { tools: [gate, ends] });
    const session = await agent.createSession();
    expect((await agent.run("Go", { session })).finish?.reason).toBe("tool-calls");
    expect(session.pendingApprovals).toHaveLength(1);
  });
});

describe("failures", () => {
  test.each([
    ["message", "c1: no disk"],
    ["detailed", "c1: Error: Function failed. Exception: no disk"],
    ["hidden", "c1: Error: Function failed."],
  ] as const)("are told to the model as asked: %s", async (toolErrors, words) => {
    const { agent } = setup([calling("bad"), done], { tools: [fails("bad")], toolErrors });
    expect(results((await agent.run("Go")).messages)).toEqual([words]);
  });

  test("past the limit end the batch too, where calls run one after another", async () => {
    const ran: string[] = [];
    const one = tool("one", () => ran.push("one") && "1");
    const limits = { maxConsecutiveErrors: 0 };
    const { agent } = setup([calling("one", "bad", "one")], { tools: [one, fails("bad")], limits });
    const { finish, messages } = await agent.run("Go");
    expect([finish?.raw, ran]).toEqual(["max-consecutive-errors", ["one"]]);
    expect(results(messages)).toHaveLength(3);
  });

  test("that a tool words itself, as the result of its own call, are taken as they are", async () => {
    const own = defineTool({
      name: "own",
      parameters: none,
      execute: (_, { callId }) => ({
        type: "tool-result" as const,
        callId,
        outcome: "error" as const,
        output: [{ type: "text" as const, text: "not today" }],
        display: [{ type: "text" as const, text: "closed" }],
      }),
    });
    const { messages } = await setup([calling("own"), done], { tools: [own] }).agent.run("Go");
    expect(messages[1]?.parts).toEqual([
      {
        type: "tool-result",
        callId: "c1",
        name: "own",
        outcome: "error",
        output: [{ type: "text", text: "not today" }],
        display: [{ type: "text", text: "closed" }],
      },
    ]);
  });
});

describe("the same call with the same result, over and over", () => {
  const looking = (index: number): Turn => ({
    calls: [[`c${index}`, "look", index % 2 ? { q: "bolt", n: 1 } : { raw: '{ "n": 1,  "q": "bolt" }' }]],
  });
  const look = (ran: number[], result: () => ToolReturn) =>
    defineTool({
      name: "look",
      parameters: z.object({ q: z.string(), n: z.number() }),
      execute: () => {
        ran.push(1);
        return result();
      },
    });

  test("is run as often as it may, and then told to the model", async () => {
    const ran: number[] = [];
    const { agent } = setup([...[1, 2, 3, 4, 5].map(looking), done], {
      tools: [look(ran, () => [])],
      limits: { maxRepeats: 3 },
    });
    const { text, messages } = await agent.run("Go");
    expect([ran.length, text]).toEqual([3, "done"]);
    expect(results(messages).at(-1)).toMatch(/^c5: Error: "look" was called 3 times with these arguments/);
  });

  test("ends the run where asked, with a history that holds", async () => {
    const ran: number[] = [];
    const limits = { maxRepeats: 3, atMaxRepeats: "stop" } as const;
    const { agent } = setup([1, 2, 3, 4].map(looking), { tools: [look(ran, () => [])], limits });
    const { finish, messages } = await agent.run("Go");
    expect([ran.length, finish]).toEqual([3, { reason: "other", raw: "max-repeats" }]);
    expect(results(messages)).toHaveLength(4);
  });

  test("is none where the result is another each time, or nobody counts", async () => {
    const ran: number[] = [];
    const turns = [...[1, 2, 3, 4, 5].map(looking), done];
    await setup(turns, { tools: [look(ran, () => ran.length)], limits: { maxRepeats: 2 } }).agent.run("Go");
    await setup(turns, { tools: [look(ran, () => [])] }).agent.run("Go");
    expect(ran).toHaveLength(10);
  });
});

describe("an answer of thoughts alone", () => {
  const turns: Turn[] = [calling("one"), { reasoning: "Nothing to add." }, { text: "Opened." }];
  const tools = [tool("one", () => "1")];

  test("is an answer", async () => {
    const { agent, model } = setup(turns, { tools });
    const { text, finish } = await agent.run("Go");
    expect([text, finish?.reason, model.requests.length]).toEqual(["", "stop", 2]);
  });

  test("is asked for once more where wanted, and the model does not read it", async () => {
    const { agent, model } = setup(turns, { tools, emptyAnswer: "retry" });
    const { text } = await agent.run("Go");
    expect(text).toBe("Opened.");
    expect(model.requests[2]?.conversation.messages).toEqual(model.requests[1]?.conversation.messages);
    const silent = setup([{ reasoning: "Hm." }, { reasoning: "Hm." }, done], { emptyAnswer: "retry" });
    await silent.agent.run("Go");
    expect(silent.model.requests).toHaveLength(2);
  });
});

describe("a run that is to stop after its step", () => {
  test("keeps the results of its tools, asks no more, and goes on with the next run", async () => {
    const stop = new AbortController();
    const one = tool("one", async () => {
      stop.abort();
      return "1";
    });
    const { agent, model } = setup([{ ...calling("one"), usage: { input: 10, output: 2 } }, done], { tools: [one] });
    const session = await agent.createSession();
    const { finish, usage } = await agent.run("Go", { session, stopSignal: stop.signal });
    expect([finish, usage, model.requests.length]).toEqual([
      { reason: "pause", raw: "stopped" },
      { input: 10, output: 2 },
      1,
    ]);
    expect(results(session.messages)).toEqual(["c1: 1"]);
    expect((await agent.run(undefined, { session })).text).toBe("done");
  });

  test("takes the answer of a step that calls no tool", async () => {
    const { agent } = setup([done]);
    expect((await agent.run("Go", { stopSignal: AbortSignal.abort() })).text).toBe("done");
  });
});

test.each([{ maxRepeats: 1 }, { maxSteps: 0 }, { maxConsecutiveErrors: -1 }])("limits of %j are refused", limits => {
  expect(() => setup([], { limits })).toThrow(/whole number/);
});
