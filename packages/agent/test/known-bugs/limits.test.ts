import type { Message } from "translogue";
import { estimate, summarization } from "translogue/history";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, defineTool, type Limits } from "../../src/index.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";
import { outline, resultsIn } from "./reading.ts";
import { refusals, strict } from "./strict-host.ts";

/** What went wrong elsewhere with limits, loops and answers of nothing, by the thread that tells it. */

const none = z.object({});

describe("at the limit of steps (deepset-ai/haystack#10001)", () => {
  const find = defineTool({ name: "find", parameters: none, execute: () => "a lot" });
  test.each<[string, Limits, string, number]>([
    ["the run says that it was stopped, and has no text", { maxSteps: 2 }, "", 2],
    ["a last answer without tools is asked for, where wanted", { maxSteps: 2, finalAnswer: true }, "Partial: a lot", 3],
  ])("%s", async (_, limits, words, requests) => {
    const model = scripted(
      ({ conversation: { tools } }, call): Turn =>
        tools ? { calls: [[`c${call}`, "find", {}]] } : { text: "Partial: a lot" },
    );
    const agent = createAgent({ ...fixed(), model, tools: [find], limits });
    const session = await agent.createSession();
    const { finish, text } = await agent.run("Find", { session });
    expect([finish, text, model.requests.length]).toEqual([{ reason: "other", raw: "max-steps" }, words, requests]);
    expect([resultsIn(session.messages).length, refusals(session.messages)]).toEqual([2, []]);
  });
});

test("what a limit ended can be looked into and gone on with (pydantic/pydantic-ai#931)", async () => {
  const t = defineTool({ name: "t", parameters: none, execute: () => "x" });
  const endless = scripted((_, call) => ({ calls: [[`c${call}`, "t", {}]], usage: { input: 10, output: 1 } }));
  const agent = createAgent({ ...fixed(), model: endless, tools: [t], limits: { maxSteps: 3 } });
  const { finish, usage, messages, metadata } = await agent.run("Go");
  expect([finish, usage, metadata?.["limit"]]).toEqual([
    { reason: "other", raw: "max-steps" },
    { input: 30, output: 3 },
    "max-steps",
  ]);
  expect([resultsIn(messages).length, refusals(messages)]).toEqual([3, []]);
  const next = createAgent({ ...fixed(), model: scripted([{ text: "done" }]), tools: [t] });
  expect((await next.run(messages)).text).toBe("done");
});

describe("a call that is made over and over (superplanehq/superplane#4123)", () => {
  /** The same arguments, spelled in another way each time. */
  const spellings = ['{"q":"bolt","n":1}', '{ "n": 1, "q": "bolt" }', '{"q": "bolt",\n"n": 1.0}'];
  const looking = (options: Partial<AgentOptions>, execute: (count: number) => unknown = () => []) => {
    let count = 0;
    const parts = defineTool({
      name: "list_parts",
      parameters: z.object({ q: z.string(), n: z.number() }),
      execute: () => JSON.stringify(execute(++count)),
    });
    const model = scripted(
      (_, call): Turn =>
        call < 8 ? { calls: [[`c${call}`, "list_parts", { raw: spellings[call % 3] ?? "" }]] } : { text: "none there" },
    );
    return { agent: createAgent({ ...fixed(), model, tools: [parts], ...options }), count: () => count };
  };

  test("with one result is run as often as it may; then the model is told", async () => {
    const { agent, count } = looking({ limits: { maxRepeats: 3 } });
    const { text, messages } = await agent.run("Look");
    expect([text, count()]).toEqual(["none there", 3]);
    expect(resultsIn(messages).map(([, outcome]) => outcome)).toEqual([
      ...Array(3).fill("ok"),
      ...Array(5).fill("error"),
    ]);
  });

  test("with one result ends the run where asked, which says why", async () => {
    const { agent, count } = looking({ limits: { maxRepeats: 3, atMaxRepeats: "stop" } });
    const { finish, messages } = await agent.run("Look");
    expect([finish, count(), refusals(messages)]).toEqual([{ reason: "other", raw: "max-repeats" }, 3, []]);
  });

  test("with another result each time is not limited", async () => {
    const { agent, count } = looking({ limits: { maxRepeats: 3 } }, number => number);
    await agent.run("Look");
    expect(count()).toBe(8);
  });
});

describe("an answer of thoughts alone (pydantic/pydantic-ai#3105)", () => {
  const open = defineTool({ name: "open_file", parameters: none, execute: () => "opened" });
  const turns: Turn[] = [
    { calls: [["1", "open_file", {}]] },
    { reasoning: "All done, nothing to add.", text: "" },
    { text: "Opened." },
  ];
  test.each<[string, AgentOptions["emptyAnswer"], string[]]>([
    ["is an answer where nothing else is said, and the next turn is taken", undefined, ["", "Opened."]],
    ["is an answer where wanted", "accept", ["", "Opened."]],
    ["is asked for again where wanted, without it", "retry", ["Opened."]],
  ])("%s", async (_, emptyAnswer, texts) => {
    const model = strict(turns);
    const agent = createAgent({ ...fixed(), model, tools: [open], ...(emptyAnswer && { emptyAnswer }) });
    const session = await agent.createSession();
    for (const text of texts) {
      const response = await agent.run("Open it", { session });
      expect([response.text, response.error]).toEqual([text, undefined]);
    }
    expect(model.requests).toHaveLength(3);
  });
});

describe("a prompt whose fixed part alone is too long (openclaw/openclaw#126804)", () => {
  const size = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + estimate(message), 0);

  test("fails at once with an error that names it, turn after turn; nothing is summarised over and over", async () => {
    let summaries = 0;
    const model = scripted(({ conversation: { messages } }) =>
      size(messages) > 1000
        ? { error: { code: "400", message: `maximum context length is 1000 tokens, you sent ${size(messages)}` } }
        : { text: "ok" },
    );
    const strategy = summarization({ model: () => `SUM(${++summaries})`, trigger: () => true, minimumPreserved: 1 });
    const agent = (words: number) =>
      createAgent({
        ...fixed(),
        model,
        instructions: "word ".repeat(words),
        compaction: { maxTokens: 1000, strategy },
      });
    const long = agent(1200);
    const session = await long.createSession();
    for (let turn = 1; turn <= 5; turn++) {
      const { error } = await long.run("hi", { session });
      expect(error).toMatchObject({
        code: "model/context-overflow",
        message: expect.stringMatching(/instructions.*\d+ tokens.*1000/s),
      });
    }
    expect(summaries).toBeLessThanOrEqual(1);
    expect(outline(session.messages)).toEqual([]);
    expect((await agent(100).run("hi", { session })).text).toBe("ok");
  });
});
