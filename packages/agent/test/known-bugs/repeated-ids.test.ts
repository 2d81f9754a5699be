import type { Message, PartOf } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { approve, createAgent, defineTool } from "../../src/index.ts";
import { checkCalls } from "../../src/loop/resume.ts";
import { recordOf } from "../../src/session.ts";
import { fixed, scripted } from "../scripted-model.ts";
import { said } from "./reading.ts";

/** Hosts that name the calls of every answer alike (`call_0`): a result belongs to its own step's call, and so does an approval. */

const numbers = z.object({ a: z.number(), b: z.number() });
const add = defineTool({ name: "add", parameters: numbers, execute: ({ a, b }) => a + b });
const asking = { ...add, name: "ask", needsApproval: true };
const call = (name: string, a: number, b: number) => ["call_0", name, { a, b }] as const;

/** What each call came to, in the order of the calls. */
function sums(messages: readonly Message[]): readonly (readonly [number, unknown])[] {
  const parts = messages.flatMap(message => message.parts);
  const calls = parts.filter(part => part.type === "tool-call");
  const results = parts.filter((part): part is PartOf<"tool-result"> => part.type === "tool-result");
  return calls.map((each, place) => {
    const { a, b } = numbers.parse(each.input);
    const own = calls.filter(({ callId }) => callId === each.callId).indexOf(each);
    const result = results.filter(({ callId }) => callId === each.callId)[own] ?? results[place];
    const [first] = result?.output ?? [];
    return [a + b, first?.type === "data" ? first.data : first?.type === "text" ? first.text : undefined];
  });
}

describe("an approval that comes with its history", () => {
  const request = { type: "approval-request", requestId: "r2", callId: "call_0" } as const;
  const made = (a: number, b: number) =>
    ({ type: "tool-call", callId: "call_0", name: "ask", input: { a, b } }) as const;
  const history: Message[] = [
    said("user", "Go"),
    { role: "assistant", parts: [made(1, 2)] },
    { role: "tool", parts: [{ type: "tool-result", callId: "call_0", output: [{ type: "data", data: 3 }] }] },
    { role: "assistant", parts: [made(3, 4), request] },
  ];

  test("is not over because an earlier step's call of that id has its result", async () => {
    const model = scripted([{ text: "Done." }]);
    const agent = createAgent({ ...fixed(), model, tools: [asking] });
    const session = await agent.createSession({ messages: history });
    const [pending] = session.pendingApprovals;
    if (!pending) throw new Error("a call waits");
    await agent.run({ role: "user", parts: [approve(pending)] }, { session });
    expect(sums(model.requests[0]?.conversation.messages ?? [])).toEqual([
      [3, 3],
      [7, 7],
    ]);
  });

  test("is written for .NET as what waits, and what was before as what it is", async () => {
    const agent = createAgent({ ...fixed(), model: scripted([{ text: "Done." }]), tools: [asking] });
    const session = await agent.createSession({ messages: history });
    const text = JSON.stringify(await agent.serializeSession(session, { as: "maf" }));
    expect(text.match(/"toolApprovalRequest"/g)?.length).toBe(1);
    const again = await agent.deserializeSession(JSON.parse(text));
    expect(again.pendingApprovals.map(({ call: { input } }) => input)).toEqual([{ a: 3, b: 4 }]);
  });
});

test("a call without a result does not get that of a later one", async () => {
  const model = scripted([{ text: "Done." }]);
  const agent = createAgent({ ...fixed(), model, tools: [add] });
  const messages: Message[] = [
    said("user", "Go"),
    { role: "assistant", parts: [{ type: "tool-call", callId: "call_0", name: "add", input: { a: 1, b: 2 } }] },
    said("user", "Well?"),
    { role: "assistant", parts: [{ type: "tool-call", callId: "call_0", name: "add", input: { a: 3, b: 4 } }] },
    { role: "tool", parts: [{ type: "tool-result", callId: "call_0", output: [{ type: "data", data: 7 }] }] },
  ];
  await agent.run("On", { session: await agent.createSession({ messages }) });
  expect(sums(model.requests[0]?.conversation.messages ?? [])).toEqual([
    [3, expect.stringContaining("interrupted")],
    [7, 7],
  ]);
});

test("a conversation that shows an earlier step's call of that id does not show the one that waits as another", async () => {
  const model = scripted([{ calls: [call("add", 1, 2)] }, { calls: [call("ask", 3, 4)] }, { text: "Done." }]);
  const agent = createAgent({ ...fixed(), model, tools: [add, asking] });
  const session = await agent.createSession();
  await agent.run("Go", { session });
  const [pending] = session.pendingApprovals;
  if (!pending) throw new Error("a call waits");
  checkCalls([...session.messages], recordOf(session).paused);
  await agent.run({ role: "user", parts: [approve(pending)] }, { session });
  expect(sums(model.requests[2]?.conversation.messages ?? [])).toEqual([
    [3, 3],
    [7, 7],
  ]);
});

test("a call that gives no result of the run does not count because an earlier one of its id did", async () => {
  const model = scripted([
    {
      calls: [
        ["call_0", "final_answer", { n: "x" }],
        ["call_0", "add", { a: 1, b: 2 }],
      ],
    },
    { text: "I give up." },
  ]);
  const agent = createAgent({ ...fixed(), model, tools: [add] });
  const schema = z.object({ n: z.number() });
  const run = await agent.run("Go", { responseFormat: { schema, by: "tool", otherCalls: "run" } });
  expect(run.tryResult()).toMatchObject({ ok: false });
});

test("results of the application go one each to calls of several agents that have one id", async () => {
  const away = defineTool({ name: "away", parameters: numbers });
  const inner = (name: string, a: number) =>
    createAgent({
      ...fixed(),
      id: name,
      name,
      model: scripted(({ conversation }) => {
        const [result] = conversation.messages.at(-1)?.parts ?? [];
        if (result?.type !== "tool-result") return { calls: [call("away", a, a)] };
        const [told] = result.output ?? [];
        return { text: `${name}: ${told?.type === "text" ? told.text : "?"}` };
      }),
      tools: [away],
    });
  const agents = [inner("one", 1), inner("two", 2)];
  const model = scripted([
    {
      calls: [
        ["c1", "one", { query: "q" }],
        ["c2", "two", { query: "q" }],
      ],
    },
    { text: "Done." },
  ]);
  const agent = createAgent({ ...fixed(), model, tools: agents.map(each => each.asTool()) });
  const session = await agent.createSession();
  await agent.run("Go", { session });
  expect(session.pendingCalls.map(({ callId, input }) => [callId, input])).toEqual([
    ["call_0", { a: 1, b: 1 }],
    ["call_0", { a: 2, b: 2 }],
  ]);
  const result = (text: string) =>
    ({ type: "tool-result", callId: "call_0", output: [{ type: "text", text }] }) as const;
  await agent.run({ role: "tool", parts: [result("2"), result("4")] }, { session });
  const read = model.requests[1]?.conversation.messages ?? [];
  expect(JSON.stringify(read.at(-1)?.parts)).toMatch(/one: 2.*two: 4/);
});

const maf = { as: "maf" } as const;
const whole = { as: "messages" } as const;
const others = [call("ask", 1, 2), call("ask", 3, 4), call("ask", 5, 6)];
const alike = [call("ask", 1, 2), call("ask", 1, 2), call("ask", 3, 4)];
const same = [call("ask", 1, 2), call("ask", 1, 2), call("ask", 1, 2)];
test.each([
  ["in their order", others, [0, 1, 2], {}],
  ["in another order", others, [1, 2, 0], {}],
  ["in their order, from .NET's shape", others, [0, 1, 2], maf],
  ["in another order, from .NET's shape", others, [1, 0, 2], maf],
  ["in the order turned round, from .NET's shape", others, [2, 1, 0], maf],
  ["in their order, from messages alone", others, [0, 1, 2], whole],
  ["in another order, from messages alone", others, [2, 0, 1], whole],
  ["with the same arguments, from .NET's shape", alike, [0, 1, 2], maf],
  ["with the same arguments, in another order, from .NET's shape", alike, [1, 2, 0], maf],
  ["all with the same arguments, from .NET's shape", same, [0, 1, 2], maf],
  ["all with the same arguments, in another order, from .NET's shape", same, [1, 2, 0], maf],
  ["all with the same arguments, in the order turned round, from .NET's shape", same, [2, 1, 0], maf],
] as const)(
  "calls of one id in one answer that are approved one by one, %s, get their own results",
  async (_, calls, order, form) => {
    const model = scripted([{ calls }, { text: "Done." }]);
    const agent = createAgent({ ...fixed(), model, tools: [asking] });
    let session = await agent.createSession();
    await agent.run("Go", { session });
    const pending = session.pendingApprovals;
    for (const place of order) {
      session =
        "as" in form && form.as === "messages"
          ? await agent.createSession({ messages: session.messages })
          : await agent.deserializeSession(await agent.serializeSession(session, form));
      const request = pending[place];
      if (request) await agent.run({ role: "user", parts: [approve(request)] }, { session });
    }
    const read = model.requests[1]?.conversation.messages ?? [];
    expect(sums(read)).toEqual(calls.map(([, , { a, b }]) => [a + b, a + b]));
  },
);
