import { type AgentOptions, createAgent, defineTool, type ModelAgent } from "@translogue/agent";
import { z } from "zod";
import type { Scenario } from "./scenarios.ts";
import { type ScriptedModel, scripted, type Turn } from "./scripted-model.ts";

/** Counts how often each call of a tool was run, by its id, and each turn of a model. */
export type Runs = Map<string, number>;

/**
 * The agent `ada` of a scenario, with those around it. Models answer by what they are shown, so that they say the same to a run
 * that was cut; each answer is counted, as `turn 0`. `own`: its ids and its clock, which all of its agents share.
 */
export function agentOf(
  scenario: Scenario,
  runs: Runs,
  own: Pick<AgentOptions, "newId" | "clock" | "name">,
): ModelAgent {
  const { turns, inside, handsOver, options } = scenario;
  const { name, ...shared } = own;
  const model = answering(turns, runs);
  const tools = toolset(runs);
  if (inside) {
    const clerk = createAgent({
      ...shared,
      id: "clerk",
      name: "clerk",
      model: answering(inside, runs, "clerk "),
      tools,
    });
    return createAgent({ ...own, id: "ada", model, tools: [...tools, clerk.asTool()], ...options });
  }
  if (!handsOver) return createAgent({ ...own, id: "ada", model, tools, ...options });
  const desk = createAgent({
    ...shared,
    id: "desk",
    name: "desk",
    model,
    tools: () => [...tools, ada.asHandOff({ name: "transfer_to_ada" })],
  });
  const ada: ModelAgent = createAgent({ ...own, id: "ada", model, tools: [...tools, desk.asHandOff()], ...options });
  return ada;
}

/** The turn that comes after the answers there are, whoever gave them. */
function answering(turns: readonly Turn[], runs: Runs, whose = ""): ScriptedModel {
  return scripted(({ conversation, conversationId: id }) => {
    const kept = id === undefined ? -1 : turns.findIndex(({ conversationId }) => conversationId === id);
    const number = kept >= 0 ? kept + 1 : conversation.messages.filter(({ role }) => role === "assistant").length;
    const name = `${whose}turn ${number}`;
    runs.set(name, (runs.get(name) ?? 0) + 1);
    const turn = turns[number];
    if (!turn) throw new Error("the scenario has no such turn");
    return turn;
  });
}

const toolset = (runs: Runs) => {
  const count = (callId: string) => runs.set(callId, (runs.get(callId) ?? 0) + 1);
  const none = z.object({});
  return [
    defineTool({
      name: "add",
      description: "Adds.",
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }, { callId }) => {
        count(callId);
        return a + b;
      },
    }),
    defineTool({
      name: "slow",
      parameters: none,
      execute: async (_, { callId, progress }) => {
        count(callId);
        for (const done of [1, 2, 3]) {
          progress({ done });
          await new Promise<void>(resolve => setImmediate(resolve));
        }
        return "slow but sure";
      },
    }),
    defineTool({
      name: "fails",
      parameters: none,
      execute: (_, { callId }) => {
        count(callId);
        throw new Error("no disk");
      },
    }),
    defineTool({
      name: "end",
      parameters: none,
      execute: (_, { callId, terminate }) => {
        count(callId);
        terminate();
        return "enough";
      },
    }),
    defineTool({
      name: "nap",
      description: "Takes its time.",
      parameters: z.object({ ms: z.number() }),
      execute: async ({ ms }, { callId }) => {
        count(callId);
        await new Promise(resolve => setTimeout(resolve, ms));
        return `slept ${ms} ms`;
      },
    }),
    defineTool({
      name: "gate",
      parameters: z.object({ gate: z.string() }),
      needsApproval: true,
      execute: ({ gate }, { callId }) => {
        count(callId);
        return `${gate} is open`;
      },
    }),
  ];
};
