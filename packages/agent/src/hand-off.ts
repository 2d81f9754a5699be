import type { Message } from "translogue";
import type { Agent, RunOptions } from "./agent.ts";
import { within } from "./engine.ts";
import { failure } from "./errors.ts";
import type { RunPolicy } from "./loop/state.ts";
import type { AgentResponseUpdate } from "./response.ts";
import { joined, RunChain } from "./run-chain.ts";
import type { RunContext } from "./run-context.ts";
import { busy, messagesIn, recordOf } from "./session.ts";
import type { Sleep } from "./time.ts";
import { textAlone } from "./tools/hand-off.ts";
import type { AgentTool } from "./tools/tool.ts";

interface Lead {
  readonly agent: Agent;
  readonly context: RunContext;
  readonly policy: RunPolicy;
  readonly timeoutMs: number | undefined;
  readonly sleep: Sleep;
}

/** What a run of the session is given; nobody says anything where one is handed it. */
type Given = Omit<RunContext, "messages"> & { readonly messages: readonly Message[] | undefined };

/** The agent's own run; `added` is to be told of the tools that only this run has. */
type Own = (added: (tools: readonly AgentTool[]) => void) => AsyncIterable<AgentResponseUpdate>;

/**
 * A run by whoever leads the session, and by those who are handed it meanwhile: as one run of several agents. The first of
 * them follows the hand-offs of all.
 */
export async function* led(lead: Lead, own: Own): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  const { agent, context, ...limits } = lead;
  const record = recordOf(context.session);
  const added = (tools: readonly AgentTool[]): void => void record.chain?.tools.set(agent.id, tools);
  if (record.chain) {
    if (!record.chain.isHanded) throw busy(context.session);
    yield* own(added);
    return;
  }
  const chain = new RunChain({ agent: agent.id, ...limits });
  record.chain = chain;
  const over = (): void => {
    chain.end();
    if (record.chain === chain) record.chain = undefined;
  };
  let handOffs = 0;
  const follow = async (given: Given, isBegun: boolean): Promise<AsyncIterable<AgentResponseUpdate> | undefined> => {
    const next = await leaderOf(lead, { chain, isBegun });
    chain.isHanded = next !== undefined;
    if (next) handOffs += 1;
    return next && runOf(next, given, handOffs);
  };
  try {
    const first = (await follow(context, false)) ?? own(added);
    const nobodySays = { ...context, messages: undefined };
    yield* joined(first, async ended => {
      const next = ended.finish?.raw === "handoff" ? await follow(nobodySays, true) : undefined;
      // Whoever is told the end may run the session at once.
      if (!next) over();
      return next;
    });
  } finally {
    over();
  }
}

/**
 * The tool by which another agent than this one came to lead; undefined where this one does. While calls wait it is the one
 * whose calls they are: no other may do what is answered.
 */
async function leaderOf(
  { agent, context: { session, options } }: Lead,
  { chain: { tools: more }, isBegun }: { readonly chain: RunChain; readonly isBegun: boolean },
): Promise<AgentTool | undefined> {
  const { paused } = recordOf(session);
  const handedTo = lastChange(messagesIn(session))?.agent;
  const id = paused?.agent ?? handedTo;
  if (id === undefined || (id === agent.id && !isBegun)) return undefined;
  const seen = new Set<Agent>([agent]);
  const open = [...(options.tools ?? []), ...(await toolsOf(agent)), ...[...more.values()].flat()];
  for (let tool = open.shift(); tool; tool = open.shift()) {
    const { handsOff: target } = tool;
    if (!target) continue;
    if (target.id === id) return tool;
    if (!seen.has(target)) open.push(...(await toolsOf(target)));
    seen.add(target);
  }
  if (paused && handedTo !== undefined && !isBegun) throw unknownLeader(id);
  return undefined;
}

const unknownLeader = (id: string) =>
  failure(
    "agent/unknown",
    `calls of the agent \`${id}\` wait, which this session was handed to, and no hand-off leads to it: give agents that take over an \`id\`, and the tool by which they do`,
    { data: { agent: id } },
  );

/** Those of an agent of ours. */
const toolsOf = async (agent: Agent): Promise<readonly AgentTool[]> =>
  "currentTools" in agent && agent.currentTools instanceof Function ? agent.currentTools() : [];

interface Change {
  readonly agent: string;
  /** Index of its message. */
  readonly at: number;
}

/** The last hand-off that the messages tell of. */
export function lastChange(messages: readonly Message[]): Change | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const part = messages[at]?.parts.findLast(each => each.type === "change" && each.agent !== undefined);
    if (part?.type === "change" && part.agent !== undefined) return { agent: part.agent, at };
  }
  return undefined;
}

/** What belongs to the caller goes along; instructions, tools, settings and the model are the first agent's. */
function runOf(
  { handsOff, handedHistory = "all" }: AgentTool,
  { messages, session, options }: Given,
  handOffs: number,
): AsyncIterable<AgentResponseUpdate> {
  const { signal, stopSignal, additionalProperties, responseFormat, operations } = options;
  const passed: RunOptions = {
    session,
    ...(signal && { signal }),
    ...(stopSignal && { stopSignal }),
    ...(additionalProperties && { additionalProperties }),
    ...(responseFormat !== undefined && { responseFormat }),
    ...(operations &&
      handsOff && { operations: within(operations, handOffs === 1 ? handsOff.id : `${handsOff.id}.${handOffs}`) }),
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
