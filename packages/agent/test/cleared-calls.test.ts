import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentTool, createAgent, defineTool } from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

const turns = [{ calls: [["c1", "pay", {}] as const] }, { text: "ok" }];

function payTool(ran: string[], more: Partial<AgentTool> = {}): AgentTool {
  const execute = () => void ran.push("paid");
  return { ...defineTool({ name: "pay", parameters: z.object({}), needsApproval: true, execute }), ...more };
}

const refusal = expect.stringMatching(/^Error: .*not run.*call it again/i);

describe("a call that nobody was asked about", () => {
  test.each<[string, (ran: string[]) => () => readonly AgentTool[]]>([
    [
      "because its arguments could not be checked at first",
      ran => {
        let checked = 0;
        const validate: AgentTool["validate"] = value => {
          if (checked++ === 0) throw new Error("the validator is down");
          return { ok: true, value };
        };
        const tool = payTool(ran, { validate });
        return () => [tool];
      },
    ],
    [
      "because its arguments were not valid at first",
      ran => {
        let checked = 0;
        const validate: AgentTool["validate"] = value =>
          checked++ === 0 ? { ok: false, problem: "not yet" } : { ok: true, value };
        const tool = payTool(ran, { validate });
        return () => [tool];
      },
    ],
    [
      "because its tool was not known at first",
      ran => {
        let asked = 0;
        return () => (++asked === 2 ? [] : [payTool(ran)]);
      },
    ],
    [
      "because its tool needed no approval at first",
      ran => {
        let asked = 0;
        return () => [++asked === 2 ? payTool(ran, { needsApproval: false }) : payTool(ran)];
      },
    ],
  ])("%s does not run, and the model is told", async (_, toolsOf) => {
    const ran: string[] = [];
    const model = scripted(turns);
    const agent = createAgent({ ...fixed(), model, tools: toolsOf(ran) });
    const session = await agent.createSession();
    await agent.run("Pay", { session });
    expect(ran).toEqual([]);
    expect(session.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "tool-result")).toEqual([
      { type: "tool-result", callId: "c1", name: "pay", outcome: "error", output: [{ type: "text", text: refusal }] },
    ]);
  });

  test("runs where its tool has no rule, or one that lets it, asked once", async () => {
    const ran: string[] = [];
    let asked = 0;
    const rule = () => ++asked === 0;
    const agent = createAgent({ ...fixed(), model: scripted(turns), tools: [payTool(ran, { needsApproval: rule })] });
    await agent.run("Pay");
    expect([ran, asked]).toEqual([["paid"], 1]);
  });

  test("runs after a restart where it was let through before it", async () => {
    const ran: string[] = [];
    const agentOf = () => createAgent({ ...fixed(), model: scripted([turns[1] ?? {}]), tools: [payTool(ran)] });
    const first = createAgent({ ...fixed(), model: scripted(turns), tools: [payTool(ran)] });
    const session = await first.createSession();
    await first.run("Pay", { session });
    const [pending] = session.pendingApprovals;
    const other = agentOf();
    const restored = await other.deserializeSession(await first.serializeSession(session));
    const parts = [{ type: "approval-response" as const, requestId: pending?.requestId ?? "", approved: true }];
    await other.run({ role: "user", parts }, { session: restored });
    expect(ran).toEqual(["paid"]);
  });
});
