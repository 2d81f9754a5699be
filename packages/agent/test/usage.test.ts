import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool, type Model, sumUsage } from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

const usage = { input: 100 };
const said = (over: Partial<Message>): Message => ({
  role: "assistant",
  parts: [{ type: "text", text: "…" }],
  responseId: "chatcmpl-7",
  usage,
  ...over,
});
const { responseId: _, ...nameless } = said({});
const end = { finish: { reason: "tool-calls" } } as const;
const result: Message = { role: "tool", parts: [] };

describe("the usage of messages counts once", () => {
  test.each<[string, readonly Message[], number]>([
    ["an answer that others wrote on several messages, results among them", [said({}), result, said({})], 100],
    ["an answer that is several messages of a run", [said({ run: "r" }), said({ run: "r", ...end })], 100],
    [
      "each answer of a run, whose host gives all of them one id",
      [said({ run: "r", ...end }), { ...result, run: "r" }, said({ run: "r", ...end })],
      200,
    ],
    [
      "each answer of a run, where one was asked for again",
      [said({ run: "r", ...end }), said({ run: "r", ...end })],
      200,
    ],
    ["each of the answers of several runs", [said({ run: "r1", ...end }), said({ run: "r2", ...end })], 200],
    ["each answer without an id", [nameless, { ...nameless }], 200],
  ])("%s", (_, messages, input) => {
    expect(sumUsage(messages)).toEqual({ input });
  });
});

test("a run over a host that gives all answers one id tells the usage of all of them", async () => {
  const tool = defineTool({ name: "t", parameters: z.object({}), execute: () => "ok" });
  const host = scripted([
    { calls: [["c1", "t", {}]], usage },
    { calls: [["c2", "t", {}]], usage },
    { text: "Done.", usage },
  ]);
  const model: Model = {
    ...host,
    async *stream(request) {
      yield [{ type: "message-start", message: 0, head: { role: "assistant", responseId: "chatcmpl-7" } }];
      for await (const events of host.stream(request)) yield events.filter(({ type }) => type !== "message-start");
    },
  };
  const agent = createAgent({ ...fixed(), model, tools: [tool] });
  const session = await agent.createSession();
  expect((await agent.run("Go", { session })).usage).toEqual({ input: 300 });
  expect(sumUsage(session.messages)).toEqual({ input: 300 });
});
