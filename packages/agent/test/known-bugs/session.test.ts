import type { Message, Part } from "translogue";
import { messagesExceed, summarise, summarization, tokensExceed } from "translogue/history";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, defineTool, retrying, sessionHistory } from "../../src/index.ts";
import { messagesIn } from "../../src/session.ts";
import { collected, fixed, scripted, type Turn } from "../scripted-model.ts";
import { outline, resultsIn, said } from "./reading.ts";
import { refusals, strict } from "./strict-host.ts";

/** What went wrong elsewhere with what a session keeps and what a model reads of it, by the thread that tells it. */

const none = z.object({});
const calling = (...callIds: string[]): Message => ({
  role: "assistant",
  parts: callIds.map((callId): Part => ({ type: "tool-call", callId, name: "t", input: {} })),
});
const result = (callId: string, words = "found"): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, name: "t", output: [{ type: "text", text: words }] }],
});

test.each([true, false])(
  "a model call that is tried again leaves question and answer once each; streamed: %s (openai/openai-agents-python#3852)",
  async streamed => {
    const reset = { message: "connection reset", code: "model/unreachable", retryable: true };
    const model = retrying(scripted([{ error: reset }, { text: "It is blue." }]), { sleep: async () => {} });
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession({ messages: [said("user", "hi"), said("assistant", "hello")] });
    if (streamed) await collected(agent.runStreaming("Which colour?", { session }));
    else await agent.run("Which colour?", { session });
    expect(outline(session.messages)).toEqual([
      "user: hi",
      "assistant: hello",
      "user: Which colour?",
      "assistant: It is blue.",
    ]);
  },
);

test("a call without a result gets one for every model, also where it comes with the input", async () => {
  const model = strict([{ text: "Hello." }]);
  const agent = createAgent({ ...fixed(), model });
  const { text } = await agent.run([said("user", "one"), calling("c1"), said("user", "two")]);
  expect(text).toBe("Hello.");
});

describe("a history that is cut to its newest messages (langchain-ai/langchain#34282)", () => {
  const history: readonly Message[] = [
    said("user", "one"),
    calling("c1", "c2"),
    result("c1"),
    result("c2"),
    said("assistant", "Both found."),
    said("user", "two"),
    calling("c3"),
    result("c3"),
  ];
  const model = () => "what was said";
  const ways: Readonly<Record<string, (count: number) => Partial<AgentOptions>>> = {
    "a summary in the session": count => ({
      history: sessionHistory({ reduce: messages => summarise(messages, { model, targetCount: count }) }),
    }),
    "a summary for the model": count => ({
      compaction: {
        maxTokens: 1,
        strategy: summarization({ model, trigger: messagesExceed(count), minimumPreserved: count }),
      },
    }),
  };

  test.each(Object.entries(ways))("by %s keeps calls with their results, and what was asked last", async (_, way) => {
    for (let count = 1; count <= 8; count++) {
      const host = strict([{ text: "fine" }]);
      const agent = createAgent({ ...fixed(), model: host, ...way(count) });
      const session = await agent.createSession({ messages: history });
      const { text, metadata } = await agent.run("three", { session });
      expect([text, metadata], `${count} kept`).toEqual(["fine", undefined]);
      const read = host.requests[0]?.conversation.messages ?? [];
      expect(read.at(-1)?.parts).toEqual([{ type: "text", text: "three" }]);
    }
  });

  test("by a view that cuts anywhere is mended for the model, and the run says so", async () => {
    for (let count = 1; count <= 8; count++) {
      const host = strict([{ text: "fine" }]);
      const agent = createAgent({ ...fixed(), model: host });
      const session = await agent.createSession({ messages: history });
      const { text, metadata } = await agent.run("three", { session, view: all => all.slice(-count) });
      const isMended = refusals([...history, said("user", "three")].slice(-count)).length > 0;
      expect([text, metadata?.["repairs"] !== undefined], `${count} kept`).toEqual(["fine", isMended]);
      expect(session.messages.slice(0, 8)).toEqual(history);
    }
  });
});

describe("a stored conversation whose pairs are broken (pydantic/pydantic-ai#4728)", () => {
  const broken: readonly Message[] = [
    said("user", "Look"),
    calling("k1", "k2"),
    result("k1"),
    said("user", "And?"),
    result("kX"),
    calling("k3"),
  ];

  test("is mended for the model, the same each time, told, and kept as it is", async () => {
    const host = strict([{ text: "ok" }, { text: "ok again" }]);
    const agent = createAgent({ ...fixed(), model: host });
    const session = await agent.createSession({ messages: broken });
    const first = await agent.run("go on", { session });
    const second = await agent.run("and on", { session });
    expect([first.text, second.text]).toEqual(["ok", "ok again"]);
    const [one, two] = host.requests.map(({ conversation }) => conversation.messages);
    expect(two?.slice(0, one?.length)).toEqual(one);
    expect(resultsIn(one ?? [])).toEqual([
      ["k1", "ok", "found"],
      ["k2", "interrupted", expect.stringMatching(/no result/)],
      ["k3", "interrupted", expect.stringMatching(/no result/)],
    ]);
    expect(outline(one ?? []).filter(line => line.startsWith("user"))).toEqual([
      "user: Look",
      "user: And?",
      "user: go on",
    ]);
    expect(first.metadata?.["repairs"]).toEqual([
      {
        code: "pair-results",
        kind: "repaired",
        count: 1,
        path: ["messages", 4, "parts", 0],
        message: expect.stringContaining("`kX`"),
      },
      {
        code: "answer-calls",
        kind: "repaired",
        count: 2,
        path: ["messages", 1, "parts", 1],
        message: expect.stringContaining("`k2`"),
      },
    ]);
    expect(session.messages.slice(0, broken.length)).toEqual(broken);
  });

  test("is read as it is where nothing is wrong with it", async () => {
    const host = strict([{ text: "ok" }]);
    const whole = [said("user", "Look"), calling("k1", "k2"), result("k1"), result("k2"), calling("k1"), result("k1")];
    const agent = createAgent({ ...fixed(), model: host });
    const session = await agent.createSession({ messages: whole });
    const stored = messagesIn(session);
    const { metadata } = await agent.run("go on", { session });
    const read = host.requests[0]?.conversation.messages ?? [];
    expect(stored).toEqual(whole);
    expect([metadata, read.slice(0, -1).every((message, index) => message === stored[index])]).toEqual([
      undefined,
      true,
    ]);
  });
});

test("what is compacted inside a run is the same with a middleware around the model (microsoft/agent-framework#7744)", async () => {
  const probe = defineTool({ name: "probe", parameters: none, execute: () => "word ".repeat(40) });
  const prompts = async (middleware: AgentOptions["middleware"]) => {
    let summaries = 0;
    const model = scripted((_, call): Turn => (call < 4 ? { calls: [[`p${call}`, "probe", {}]] } : { text: "done" }));
    const strategy = summarization({
      model: () => `SUM(${++summaries})`,
      trigger: tokensExceed(200),
      minimumPreserved: 2,
    });
    const agent = createAgent({
      ...fixed(),
      id: "ada",
      model,
      tools: [probe],
      compaction: { maxTokens: 200, strategy },
      ...(middleware && { middleware }),
    });
    expect((await agent.run("Probe the FIRST thing")).text).toBe("done");
    return model.requests.map(({ conversation }) => conversation.messages);
  };
  const plain = await prompts(undefined);
  expect(await prompts([{ model: (_, next) => next() }])).toEqual(plain);
  const texts = plain.map(messages => JSON.stringify(messages));
  expect(texts.some(text => text.includes("SUM("))).toBe(true);
  for (const text of texts) expect(text).toMatch(/FIRST thing|SUM\(/);
});

describe("an answer that its service did not keep (dotnet/extensions#7704)", () => {
  const t = defineTool({ name: "t", parameters: none, execute: () => "told" });
  const served = (): Turn[] => [
    { text: "one", conversationId: "r1" },
    { calls: [["c1", "t", {}]], conversationId: "r2a" },
    { text: "two", conversationId: "r2" },
    { text: "th", conversationId: "r3", throws: new Error("connection lost") },
    { text: "three", conversationId: "r4" },
  ];

  test.each(["fails", "is stopped"])(
    "is not gone on with: a turn that %s names the one before when it is sent again",
    async how => {
      const turns = served().map(turn =>
        how === "is stopped" && turn.throws ? { text: "th", conversationId: "r3", hangs: true as const } : turn,
      );
      const model = scripted(turns);
      const agent = createAgent({ ...fixed(), model, tools: [t] });
      const session = await agent.createSession();
      await agent.run("First", { session });
      await agent.run("Second", { session });
      const stop = new AbortController();
      for await (const { text } of agent.runStreaming("Third", { session, signal: stop.signal })) {
        if (how === "is stopped" && text === "th") stop.abort();
      }
      expect(session.conversationId).toBe("r2");
      expect((await agent.run(undefined, { session })).text).toBe("three");
      const { conversation, conversationId } = model.requests[4] ?? {};
      expect(conversationId).toBe("r2");
      expect(outline(conversation?.messages ?? []).filter(line => line === "user: Third")).toHaveLength(1);
      expect(session.conversationId).toBe("r4");
    },
  );
});
