import { type AgentRun, agentRun, agentRuns, createAgent, defineTool, type RunBody } from "@translogue/agent";
import type { Json, Message } from "translogue";
import { expect } from "vitest";
import { z } from "zod";
import type { EngineStorage } from "./cut-runs.ts";
import { scripted, type Turn } from "./scripted-model.ts";

const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

/** Cut in the second answer of an agent inside another, a run asks and calls nothing again that had ended in there. */
export async function expectInnerKept(storage: EngineStorage): Promise<void> {
  const log: string[] = [];
  const reached = Promise.withResolvers<void>();
  let isCut = false;
  const turnsOf = (name: string, turns: readonly Turn[]) =>
    scripted(({ conversation: { messages } }) => {
      const number = messages.filter(({ role }) => role === "assistant").length;
      log.push(`${name} ${number}`);
      if (name !== "clerk" || number !== 1 || isCut) return turns[number] ?? { text: "no such turn" };
      isCut = true;
      reached.resolve();
      return { chunks: ["Hal"], hangs: true };
    });
  const body = (): RunBody => {
    const look = defineTool({
      name: "look",
      parameters: z.object({}),
      execute: (_, { attempt, session }) => {
        log.push(`look, attempt ${attempt}`);
        session.stateBag.set("seen", session.id);
        return session.id;
      },
    });
    const seen = defineTool({
      name: "seen",
      parameters: z.object({}),
      execute: (_, { session }) => session.stateBag.get("seen") === session.id,
    });
    const clerk = createAgent({
      id: "clerk",
      name: "clerk",
      model: turnsOf("clerk", [{ calls: [["k1", "look", {}]] }, { calls: [["k2", "seen", {}]] }, { text: "Found." }]),
      tools: [look, seen],
    });
    const turns: Turn[] = [{ calls: [["c1", "clerk", { query: "Find it" }]] }, { text: "All done." }];
    return agentRuns({ agents: [createAgent({ id: "ada", model: turnsOf("ada", turns), tools: [clerk.asTool()] })] });
  };
  const run = `${storage.prefix ?? ""}inner`;
  const first = await storage.open(body());
  await first.start(run, agentRun({ messages: [say("Go")] }));
  await reached.promise;
  await first.close();
  const next = await storage.open(body());
  await next.recover();
  const result = JSON.stringify(await next.result(run));
  await next.close();
  expect([result.includes("Found."), result.includes("All done.")]).toEqual([true, true]);
  expect(log).toEqual(["ada 0", "clerk 0", "look, attempt 1", "clerk 1", "clerk 1", "clerk 2", "ada 1"]);
}

/** Of two runs after one that waits, one goes on; the other is told which, and does nothing. */
export async function expectOneGoesOn(storage: EngineStorage): Promise<void> {
  const opened: string[] = [];
  const body = (): RunBody => {
    const open = defineTool({
      name: "open",
      parameters: z.object({}),
      needsApproval: true,
      execute: () => opened.push("open"),
    });
    const turns: Turn[] = [{ calls: [["c1", "open", {}]] }, { text: "Done." }];
    const model = scripted(
      ({ conversation: { messages } }) =>
        turns[messages.filter(({ role }) => role === "assistant").length] ?? { text: "More." },
    );
    return agentRuns({ agents: [createAgent({ id: "ada", model, tools: [open] })] });
  };
  const [first, yes, later, thanks, bye] = ["first", "yes", "later", "thanks", "bye"].map(
    name => `${storage.prefix ?? ""}${name}`,
  ) as [string, string, string, string, string]; // one for each
  const engine = await storage.open(body());
  await engine.start(first, agentRun({ messages: [say("Go")] }));
  const approved = (after: string, asked: Json): AgentRun => ({
    after,
    messages: [
      {
        role: "user",
        parts: [{ type: "approval-response", requestId: requestIn(asked), approved: true }],
      },
    ],
  });
  const asked = await engine.result(first);
  await engine.start(yes, agentRun(approved(first, asked)));
  await engine.result(yes);
  await engine.close();
  const next = await storage.open(body());
  await next.start(later, agentRun(approved(first, asked)));
  const refused = next.result(later);
  await expect(refused).rejects.toMatchObject({ code: "engine/failed" });
  await expect(refused).rejects.toThrow(`the run \`${yes}\` went on`);
  expect(opened).toEqual(["open"]);
  // Nothing waits in the one that went on: as many as like begin there.
  for (const run of [thanks, bye]) await next.start(run, agentRun({ after: yes, messages: [say("Thanks")] }));
  for (const run of [thanks, bye]) expect(JSON.stringify(await next.result(run))).toContain("More.");
  await next.close();
}

/** A run that failed before it did anything leaves the one it came after to the next. */
export async function expectFailedGivesWay(storage: EngineStorage): Promise<void> {
  const names = ["first", "failed", "right", "late"].map(name => `${storage.prefix ?? ""}${name}`);
  const [first, failed, right, late] = names as [string, string, string, string]; // one for each
  const body: RunBody = async (input, { run, continueFrom }) => {
    if (typeof input !== "string") return null;
    await continueFrom(input);
    if (run === failed) throw new Error("no such agent");
    return `after ${input}`;
  };
  const engine = await storage.open(body);
  await engine.start(first, null);
  await engine.result(first);
  await engine.start(failed, first);
  await expect(engine.result(failed)).rejects.toThrow("no such agent");
  await engine.start(right, first);
  expect(await engine.result(right)).toBe(`after ${first}`);
  await engine.start(late, first);
  await expect(engine.result(late)).rejects.toThrow(`the run \`${right}\` went on`);
  await engine.close();
}

function requestIn(result: Json): string {
  const found = /"requestId":"([^"]+)"/.exec(JSON.stringify(result));
  if (!found?.[1]) throw new Error("nothing waits");
  return found[1];
}
