import { type Runs, agentOf as scenarioAgent } from "@translogue/testkit/scenario-agents";
import { accumulate, check, type Event, type Json, type Message, type Part, type ToolResultPart } from "translogue";
import { describe, expect, test } from "vitest";
import { type AgentResponse, type AgentSession, accumulateUpdates, type ModelAgent } from "../src/index.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { collected, fixed } from "./scripted-model.ts";

const agentOf = (scenario: Scenario, runs: Runs = new Map()): ModelAgent =>
  scenarioAgent(scenario, runs, { ...fixed(), name: "Ada" });

const resultsIn = (messages: readonly Message[]): ToolResultPart[] =>
  messages.flatMap(({ parts }) => parts.filter(part => part.type === "tool-result"));

const approval = (session: AgentSession, callId: string, approved: boolean): Message => {
  const pending = session.pendingApprovals.find(({ call }) => call.callId === callId);
  if (!pending) throw new Error(`nothing waits for ${callId}`);
  return { role: "tool", parts: [{ type: "approval-response", requestId: pending.requestId, approved }] };
};

async function runWhole(agent: ModelAgent, scenario: Scenario, session: AgentSession): Promise<AgentResponse> {
  let response = await agent.run(scenario.input, { session });
  for (const [callId, approved] of scenario.answers ?? []) {
    response = await agent.run(approval(session, callId, approved), { session });
  }
  return response;
}

/** Ids differ with the number of runs it took; everything else has to be the same. */
const withoutIds = (messages: readonly Message[]): Json =>
  JSON.parse(
    JSON.stringify(messages, (key, value) =>
      ["id", "run", "requestId", "createdAt"].includes(key) ? undefined : value,
    ),
  );

describe.each(scenarios)("$title", scenario => {
  test("ends as it should, with a history in which every call has its result", async () => {
    const runs: Runs = new Map();
    const agent = agentOf(scenario, runs);
    const session = await agent.createSession();
    const response = await runWhole(agent, scenario, session);
    expect(response.finish?.reason).toBe(scenario.finish);
    expect(response.text).toBe(scenario.text);
    const results = Object.fromEntries(resultsIn(session.messages).map(({ callId, output }) => [callId, output]));
    expect(results).toEqual(scenario.results ?? {});
    expect([...runs.values()].every(count => count === 1)).toBe(true);
    expect(check({ messages: session.messages }).filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  test("streams what it answers: the events of its updates are the response's messages", async () => {
    const [agent, again] = [agentOf(scenario), agentOf(scenario)];
    const updates = await collected(agent.runStreaming(scenario.input));
    const whole = await again.run(scenario.input);
    expect(accumulate(updates.flatMap(({ events }) => events))).toEqual(whole.messages);
    expect(JSON.stringify(accumulateUpdates(updates))).toBe(JSON.stringify(whole));
    expect(updates.map(({ isFinal }) => isFinal)).toEqual(updates.map((_, index) => index === updates.length - 1));
    expect(accumulateUpdates(whole.toUpdates())).toEqual(whole);
    expect(updates.map(({ text }) => text).join("")).toBe(textsOf(updates.flatMap(({ events }) => events)));
  });

  test("numbers its messages from 0 on and gives those of each agent one run, an author, a clock and ids", async () => {
    const { messages, responseId } = await agentOf(scenario).run(scenario.input);
    const runs = [...Map.groupBy(messages, ({ run }) => run ?? "")];
    expect(runs.map(([run]) => run).at(-1)).toBe(responseId);
    const leaders = scenario.handsOver ? ["ada", "desk", "ada"].slice(0, runs.length) : ["ada"];
    expect(runs.map(([, [first]]) => first?.author?.id)).toEqual(leaders);
    for (const [run, own] of runs) {
      const name = own[0]?.author?.id === "desk" ? "desk" : "Ada";
      for (const [index, message] of own.entries()) {
        expect(message).toMatchObject({
          id: index === 0 ? run : `${run}:${index}`,
          author: { id: name.toLowerCase(), name, kind: "agent" },
          createdAt: "2026-11-30T08:00:00.000Z",
          ...(message.role === "assistant" && { model: "script-1", provider: "test" }),
        });
      }
    }
  });

  test("cut after any update of any of its runs and resumed from JSON, it says the same and runs nothing twice", async () => {
    const reference = agentOf(scenario);
    const session = await reference.createSession();
    await runWhole(reference, scenario, session);
    const expected = withoutIds(session.messages);
    const answers = scenario.answers ?? [];
    for (let run = 0; run <= answers.length; run++) {
      for (let cut = 1; ; cut++) {
        const { stored, seen, isOver } = await cutAfter(scenario, run, cut);
        const runs: Runs = new Map();
        const agent = agentOf(scenario, runs);
        const restored = await agent.deserializeSession(stored);
        if (restored.hasOpenRun) await agent.run(undefined, { session: restored });
        for (const [callId, approved] of answers.slice(run)) {
          await agent.run(approval(restored, callId, approved), { session: restored });
        }
        expect(withoutIds(restored.messages), `run ${run} cut after update ${cut}`).toEqual(expected);
        for (const { callId } of seen) expect(runs.has(callId), `${callId}, run ${run} cut after ${cut}`).toBe(false);
        if (isOver) break;
      }
    }
  });

  test("cut by its reader at any update, it keeps what came and goes on with the next message", async () => {
    const total = (await collected(agentOf(scenario).runStreaming(scenario.input))).length;
    for (let cut = 1; cut < total; cut++) {
      const agent = agentOf({ ...scenario, turns: [...scenario.turns, { text: "a" }, { text: "b" }] });
      const session = await agent.createSession();
      let count = 0;
      for await (const _ of agent.runStreaming(scenario.input, { session })) if (++count === cut) break;
      const calls = session.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-call"));
      expect(resultsIn(session.messages).length, `left after update ${cut}`).toBe(calls.length);
      const issues = check({ messages: session.messages }).filter(({ severity }) => severity !== "info");
      expect(issues, `left after update ${cut}`).toEqual([]);
      await expect(agent.run("Go on", { session })).resolves.toBeDefined();
    }
  });
});

const textsOf = (events: readonly Event[]): string =>
  events.map(event => (event.type === "part-delta" && event.of === "text" ? event.text : "")).join("");

interface Cut {
  readonly stored: Json;
  /** The results that were seen by then. */
  readonly seen: readonly ToolResultPart[];
  /** It was the run's last update. */
  readonly isOver: boolean;
}

/** The session as stored after an update of the n-th run: of the input, or of an answer. */
async function cutAfter(scenario: Scenario, run: number, cut: number): Promise<Cut> {
  const agent = agentOf(scenario);
  const session = await agent.createSession();
  const seen: Part[] = [];
  const answers = scenario.answers ?? [];
  const inputOf = (index: number) => {
    const answer = answers[index - 1];
    return answer ? approval(session, ...answer) : scenario.input;
  };
  for (let before = 0; before < run; before++) await agent.run(inputOf(before), { session });
  let count = 0;
  for await (const { events, isFinal } of agent.runStreaming(inputOf(run), { session })) {
    for (const event of events) if (event.type === "part") seen.push(event.value);
    if (++count < cut) continue;
    const results = seen.filter(part => part.type === "tool-result").filter(part => !part.preliminary);
    return { stored: await agent.serializeSession(session), seen: results, isOver: isFinal };
  }
  throw new Error("the run ended before the cut");
}
