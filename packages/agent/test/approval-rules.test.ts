import { describe, expect, test } from "vitest";
import { z } from "zod";
import { approve, createAgent, defineTool, deny } from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** What goes through without asking anybody again. */

async function paying(amounts: readonly (number | string)[], auto?: (call: { name: string }) => boolean) {
  const paid: number[] = [];
  const pay = defineTool({
    name: "pay",
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => {
      paid.push(amount);
      return "paid";
    },
  });
  const model = scripted(
    amounts.map((amount, index) => ({ calls: [[`c${index}`, "pay", { raw: `{"amount":${amount}}` }] as const] })),
  );
  const agent = createAgent({ ...fixed(), model, tools: [pay], ...(auto && { approvals: { auto: [auto] } }) });
  const session = await agent.createSession();
  const answer = async (given: ReturnType<typeof approve> | ReturnType<typeof deny>) =>
    agent.run({ role: "user", parts: [given] }, { session });
  await agent.run("Pay", { session });
  const [pending = { requestId: "", call: { type: "tool-call", callId: "", name: "" } as const }] =
    session.pendingApprovals;
  return { agent, session, paid, answer, pending };
}

describe("an approval for good", () => {
  test("of a tool lets all its later calls through", async () => {
    const { answer, pending, paid } = await paying([1, 2, 3]);
    await answer(approve(pending, { always: "tool" }));
    expect(paid).toEqual([1, 2, 3]);
  });

  test("of arguments lets the same through, as they are spelled", async () => {
    const { answer, pending, paid, session } = await paying([1, 1, "1.0"]);
    await answer(approve(pending, { always: "arguments" }));
    expect([paid, session.pendingApprovals.length]).toEqual([[1, 1], 1]);
    expect(session.approvalRules).toEqual([{ toolName: "pay", arguments: { amount: "1" } }]);
  });

  test("is stored with the session, in both shapes", async () => {
    const { agent, answer, pending, session } = await paying([1]);
    await answer(approve(pending, { always: "tool" }));
    for (const as of [undefined, "maf"] as const) {
      const stored = await agent.serializeSession(session, as ? { as } : {});
      expect((await agent.deserializeSession(stored)).approvalRules).toEqual([{ toolName: "pay" }]);
    }
  });

  test("is none where the call is refused", async () => {
    const { answer, pending, session, paid } = await paying([1, 2]);
    await answer({ ...approve(pending, { always: "tool" }), approved: false });
    expect([session.approvalRules, paid, session.pendingApprovals.length]).toEqual([[], [], 1]);
  });
});

test("a rule of the agent's lets calls through, and one that throws lets nothing", async () => {
  expect((await paying([1, 2], () => true)).paid).toEqual([1, 2]);
  const failing = await paying([1], () => {
    throw new Error("no policy");
  });
  expect([failing.paid, failing.session.pendingApprovals.length]).toEqual([[], 1]);
});

test("a refusal tells the model why", async () => {
  const { answer, pending, session } = await paying([1]);
  await answer(deny(pending, "too much"));
  expect(JSON.stringify(session.messages)).toContain("must not be retried. too much");
});
