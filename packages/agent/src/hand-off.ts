import type { Message } from "translogue";
import type { Agent, RunOptions } from "./agent.ts";
import type { Operations } from "./engine.ts";
import type { AgentResponseUpdate } from "./response.ts";
import { joined } from "./run-chain.ts";
import type { RunContext } from "./run-context.ts";
import { textAlone } from "./tools/hand-off.ts";
import type { AgentTool } from "./tools/tool.ts";

interface Lead {
  readonly agent: Agent;
  readonly context: RunContext;
  readonly tools: readonly AgentTool[];
  readonly own: () => AsyncIterable<AgentResponseUpdate>;
}

/** A run by whoever leads the session, and by those who are handed it meanwhile: as one run of several agents. */
export async function* led(lead: Lead): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  const { context, own } = lead;
  const before = leaderOf(lead);
  if (before) {
    yield* runOf(before, context.messages, context);
    return;
  }
  yield* joined(own(), ended => {
    const next = ended.finish?.raw === "handoff" ? leaderOf(lead) : undefined;
    return next && runOf(next, undefined, context);
  });
}

/** The tool by which another agent than this one came to lead; undefined where this one does. */
function leaderOf({ agent, tools, context: { session } }: Lead): AgentTool | undefined {
  const id = lastChange(session.messages)?.agent;
  if (id === undefined || id === agent.id) return undefined;
  const seen = new Set<Agent>([agent]);
  const open = [...tools];
  for (let tool = open.shift(); tool; tool = open.shift()) {
    const { handsOff: target } = tool;
    if (!target) continue;
    if (target.id === id) return tool;
    if (!seen.has(target)) open.push(...toolsOf(target));
    seen.add(target);
  }
  return undefined;
}

const toolsOf = (agent: Agent): readonly AgentTool[] =>
  "tools" in agent && Array.isArray(agent.tools) ? (agent.tools as readonly AgentTool[]) : []; // those of an agent of ours

interface Change {
  readonly agent: string;
  /** Index of its message. */
  readonly at: number;
}

function lastChange(messages: readonly Message[]): Change | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const part = messages[at]?.parts.findLast(each => each.type === "change" && each.agent !== undefined);
    if (part?.type === "change" && part.agent !== undefined) return { agent: part.agent, at };
  }
  return undefined;
}

/** What belongs to the caller goes along; instructions, tools, settings and the model are the first agent's. */
function runOf(
  { handsOff, handedHistory = "all" }: AgentTool,
  messages: readonly Message[] | undefined,
  { session, options }: RunContext,
): AsyncIterable<AgentResponseUpdate> {
  const { signal, stopSignal, additionalProperties, responseFormat, operations } = options;
  const passed: RunOptions = {
    session,
    ...(signal && { signal }),
    ...(stopSignal && { stopSignal }),
    ...(additionalProperties && { additionalProperties }),
    ...(responseFormat !== undefined && { responseFormat }),
    ...(operations && handsOff && { operations: within(operations, handsOff.id) }),
    ...(handedHistory !== "all" && { view: (all: readonly Message[]) => handed(all, handedHistory) }),
  };
  return handsOff?.runStreaming(messages, passed) ?? none();
}

async function* none(): AsyncGenerator<AgentResponseUpdate> {}

/** Before the change as it is handed over; behind it everything. */
function handed(
  all: readonly Message[],
  history: "text" | ((messages: readonly Message[]) => readonly Message[]),
): readonly Message[] {
  const end = (lastChange(all)?.at ?? -1) + 1;
  const before = all.slice(0, end);
  return [...(history === "text" ? textAlone(before) : history(before)), ...all.slice(end)];
}

/** Names of operations are unique within a run: two agents have the same. */
const within = (operations: Operations, id: string): Operations => ({
  run: operations.run,
  operation: (name, work) => operations.operation(`${id}/${name}`, work),
  result: run => operations.result(run),
});
