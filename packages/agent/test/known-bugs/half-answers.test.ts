import type { FinishReason } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool, fallbackModel, retrying } from "../../src/index.ts";
import { fixed, scripted, type Turn } from "../scripted-model.ts";
import { outline, resultsIn } from "./reading.ts";

/** What other runtimes took for an answer, though it was none or a part of one, by the thread that tells it. */

const none = z.object({});

describe("an answer that says that it failed, and tells no error", () => {
  const setUp = (turn: Turn) => {
    const ran: string[] = [];
    const tools = [defineTool({ name: "send", parameters: none, execute: () => ran.push("sent") && "sent" })];
    const model = scripted([turn, { text: "again, whole" }]);
    return { agent: createAgent({ ...fixed(), model, tools }), ran, model };
  };
  const ends: readonly (readonly [FinishReason, code: string, words: RegExp])[] = [
    ["error", "model/failed", /does not say which/],
    ["malformed-call", "model/failed", /could not read/],
    ["aborted", "model/cut", /cancelled at its host/],
  ];

  test.each(ends)(
    "(%s) is a failure of the run, and none of its calls is run (langchain-ai/langgraph#6574, NousResearch/hermes-agent#80325)",
    async (reason, code, words) => {
      const parts: Turn[] = [
        {},
        { text: "The synopsis comes right up!" },
        { text: "I send it.", calls: [["1", "send", {}]] },
      ];
      for (const part of parts) {
        const { agent, ran, model } = setUp({ ...part, finish: reason });
        const session = await agent.createSession();
        const response = await agent.run("Go", { session });
        expect([response.finish, response.error, response.text, ran]).toEqual([
          { reason: "error" },
          { code, message: expect.stringMatching(words), retryable: reason !== "aborted" },
          part.text ?? "",
          [],
        ]);
        expect(resultsIn(session.messages).map(([callId, outcome]) => [callId, outcome])).toEqual(
          (part.calls ?? []).map(([callId]) => [callId, "interrupted"]),
        );
        expect((await agent.run(undefined, { session })).text).toBe("again, whole");
        expect(model.requests).toHaveLength(2);
      }
    },
  );
});

describe("an agent as a tool whose answer is not whole", () => {
  const ends: readonly (readonly [FinishReason, outcome: string, words: string])[] = [
    ["stop", "ok", "Three of the ten"],
    ["stop-sequence", "ok", "Three of the ten"],
    ["length", "error", "Error: The agent was stopped (length). Three of the ten"],
    ["context", "error", "Error: The agent was stopped (context). Three of the ten"],
    ["content-filter", "error", "Error: The agent was stopped (content-filter). Three of the ten"],
    ["refusal", "error", "Error: The agent was stopped (refusal). Three of the ten"],
  ];

  test.each(ends)("(%s) is not told as done (willdady/platypus#442, anthropics/claude-code#73372)", async (...row) => {
    const [finish, outcome, words] = row;
    const inner = scripted([{ text: "Three of the ten", finish }]);
    const reader = createAgent({ ...fixed(), name: "reader", model: inner });
    const model = scripted([{ calls: [["1", "reader", { query: "All ten" }]] }, { text: "done" }]);
    const response = await createAgent({ ...fixed(), model, tools: [reader.asTool()] }).run("Go");
    expect([response.text, resultsIn(response.messages)]).toEqual(["done", [["1", outcome, words]]]);
  });
});

describe("a result that a tool call gives", () => {
  const format = { schema: z.object({ n: z.number() }), by: "tool" } as const;
  const look = (ran: string[]) => defineTool({ name: "look", parameters: none, execute: () => `${ran.push("look")}` });
  const unfit = ["1", "final_answer", { n: "two" }] as const;
  const fit = ["2", "final_answer", { n: 2 }] as const;
  const beside = "The call was not run: the answer was given beside it.";

  test.each([
    ["behind one", [unfit, fit]],
    ["before one", [fit, unfit]],
    ["with another tool's, behind one", [unfit, fit, ["3", "look", {}]]],
  ] as const)("is that of the one that fits, %s that does not (pydantic/pydantic-ai#672)", async (_, calls) => {
    const ran: string[] = [];
    const model = scripted([{ calls }]);
    const response = await createAgent({ ...fixed(), model, tools: [look(ran)] }).run("Go", { responseFormat: format });
    expect([response.result, response.finish, ran]).toEqual([{ n: 2 }, { reason: "stop" }, []]);
    const found = Object.fromEntries(resultsIn(response.messages).map(([callId, ...rest]) => [callId, rest]));
    expect(found["2"]).toEqual(["ok", "The answer was taken."]);
    expect(Object.keys(found).sort()).toEqual(calls.map(([callId]) => callId).sort());
  });

  test("and does not fit is told, each call in its own words, and what stands beside it is run (pydantic/pydantic-ai#161)", async () => {
    const ran: string[] = [];
    const model = scripted([
      { calls: [unfit, ["2", "final_answer", {}], ["3", "look", {}]] },
      {
        calls: [
          ["4", "final_answer", { n: 4 }],
          ["5", "look", {}],
        ],
      },
    ]);
    const response = await createAgent({ ...fixed(), model, tools: [look(ran)] }).run("Go", { responseFormat: format });
    expect([response.result, ran]).toEqual([{ n: 4 }, ["look"]]);
    expect(resultsIn(response.messages)).toEqual([
      ["1", "error", expect.stringMatching(/not valid: n: .*string/)],
      ["2", "error", expect.stringMatching(/not valid: n: .*undefined/)],
      ["3", "ok", "1"],
      ["4", "ok", "The answer was taken."],
      ["5", "interrupted", beside],
    ]);
  });
});

describe("a host that says that it is overloaded behind the beginning of a text", () => {
  const sleep = async () => {};

  test.each<[how: string, busy: Turn]>([
    ["", { text: "", error: { message: "Overloaded", retryable: true } }],
    [", by the end of its answer alone", { finish: "error" }],
  ])(
    "is given up for another model, or asked again: nobody has read a word (BerriAI/litellm#6532)%s",
    async (_, busy) => {
      const other = { ...scripted([{ text: "here" }]), id: "other" };
      for (const model of [
        fallbackModel({ models: [scripted([busy]), other] }),
        retrying(scripted([busy, { text: "here" }]), { sleep }),
      ]) {
        const agent = createAgent({ ...fixed(), model });
        const session = await agent.createSession();
        expect((await agent.run("Go", { session })).text).toBe("here");
        expect(outline(session.messages)).toEqual(["user: Go", "assistant: here"]);
      }
    },
  );
});

describe("a text that is cut to be told to the model", () => {
  const smiles = "😀".repeat(40_000);
  const fails = defineTool({
    name: "fails",
    parameters: none,
    execute: () => {
      throw new Error(`a${smiles}`);
    },
  });

  test.each([
    ["of a tool that failed", {}],
    ["of arguments that are no JSON", { raw: smiles }],
    ["of such, at another place", { raw: `a${smiles}` }],
  ])("never ends in half a character, which no host takes: %s", async (_, input) => {
    const model = scripted([{ calls: [["1", "fails", input]] }, { text: "done" }]);
    const { messages } = await createAgent({ ...fixed(), model, tools: [fails] }).run("Go");
    const [[, outcome, told = ""] = []] = resultsIn(messages);
    expect([outcome, `${told}`.isWellFormed(), `${told}`.length < smiles.length]).toEqual(["error", true, true]);
  });
});
