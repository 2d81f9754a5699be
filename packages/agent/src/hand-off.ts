import type { Message } from "translogue";
import type { Agent, RunOptions } from "./agent.ts";
import { within } from "./engine.ts";
import { failure } from "./errors.ts";
import { checkedMessages } from "./hooks.ts";
import { ranOnce } from "./loop/durable.ts";
import { overLimit, spentInside } from "./loop/limits.ts";
import { handedOff } from "./loop/settled.ts";
import type { RunPolicy } from "./loop/state.ts";
import type { AgentResponseUpdate } from "./response.ts";
import { joined, RunChain, type RunClock } from "./run-chain.ts";
import type { RunContext } from "./run-context.ts";
import { type AgentSession, busy, messagesIn, recordOf } from "./session.ts";
import { accountAfter, runsIn, usageTree } from "./spending.ts";
import { textAlone } from "./tools/hand-off.ts";
import type { AgentTool } from "./tools/tool.ts";

interface Lead {
  readonly agent: Agent;
  readonly context: RunContext;
  /** Who runs the agent's model. */
  readonly provider: string;
  readonly policy: RunPolicy;
  readonly clock: RunClock;
}

/** What a run of the session is given. `begun`: the first has run, and hands the session on; nobody says anything then. */
interface Given {
  readonly context: RunContext;
  readonly isBegun: boolean;
}

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
    if (!record.chain.isHandedHere) throw busy(context.session);
    yield* own(added);
    return;
  }
  const chain = new RunChain({ agent: agent.id, ...limits }, context.messages.length === 0);
  record.chain = chain;
  const over = (): void => {
    chain.end();
    if (record.chain === chain) record.chain = undefined;
  };
  let handOffs = 0;
  const follow = async (given: Given): Promise<AsyncIterable<AgentResponseUpdate> | undefined> => {
    const next = await leaderOf(lead, chain, given);
    if (!next) return undefined;
    handOffs += 1;
    return chain.handed(() => runOf(next, given, handOffs));
  };
  try {
    let account = record.account;
    const first = (await follow({ context, isBegun: false })) ?? own(added);
    yield* joined(first, async (last, isRefused) => {
      const isCounted = isRefused || record.account !== account;
      const ended = isCounted ? last : counted(last, context.session, chain);
      chain.goesOn = true;
      account = record.account;
      const run = ended.finish?.raw === handedOff.raw ? await follow({ context, isBegun: true }) : undefined;
      // Whoever is told the end may run the session at once.
      if (!run) over();
      return { ended, run };
    });
  } finally {
    over();
  }
}

/**
 * The run of an agent that keeps no account in the session, as one of the chain: a step of it. Where a limit is reached by
 * that, the session is handed on no more.
 */
function counted(ended: AgentResponseUpdate, session: AgentSession, chain: RunChain): AgentResponseUpdate {
  const { usage, agentId, responseId: run, finish, metadata } = ended;
  const record = recordOf(session);
  const handsOn = finish?.raw === handedOff.raw;
  const before = chain.goesOn ? record.between : undefined;
  record.between = undefined;
  if (!usage && !before && !handsOn) return ended;
  const tree = ended.usageTree ?? usageTree({ agentId, run, ...(usage && { usage }), inner: [] });
  const account = accountAfter(tree, before?.before);
  record.account = account;
  const { policy } = chain.limits;
  const step = (before?.step ?? 0) + 1;
  const spent = spentInside(before?.spent, tree, policy.spending);
  const limit = handsOn ? overLimit({ spent, step, policy }) : undefined;
  if (handsOn) {
    record.leader = lastChange(messagesIn(session))?.agent ?? record.leader;
    const next = { step, errors: before?.errors ?? 0, spent, agent: agentId, before: runsIn(account) };
    record.between = limit ? undefined : next;
  }
  return {
    ...ended,
    ...(limit && { finish: { reason: "other", raw: limit }, metadata: { ...metadata, limit } }),
    ...(account.total && { usage: account.total }),
    ...((ended.usageTree || account.before) && { usageTree: account }),
  };
}

/**
 * The tool by which another agent than this one came to lead; undefined where this one does. While calls wait, or a run was
 * cut, it is the one whose they are: no other may do what is answered.
 */
async function leaderOf(
  { agent, context }: Lead,
  { tools: more }: RunChain,
  { isBegun }: Given,
): Promise<AgentTool | undefined> {
  const { session, options } = context;
  const { paused, snapshot, leader, between } = recordOf(session);
  const cut = context.messages.length === 0 ? snapshot?.().state.author.id : undefined;
  const handedTo = (isBegun ? between?.handedTo : undefined) ?? lastChange(messagesIn(session))?.agent ?? leader;
  const id = paused?.agent ?? (isBegun ? undefined : cut) ?? handedTo;
  if (id === undefined || (id === agent.id && !isBegun)) return undefined;
  const known = [...(options.tools ?? []), ...[...more.values()].flat()];
  const found =
    (await handOffTo(id, { agent, known, toolsOf: currentTools })) ??
    (await handOffTo(id, { agent, known, toolsOf: each => toolsAround(each, context) }));
  if (!found && paused && handedTo !== undefined && !isBegun) throw unknownLeader(id);
  // Whoever was asked to run needs no tool to be handed it back.
  return found ?? (id === agent.id ? agent.asHandOff() : undefined);
}

interface Search {
  readonly agent: Agent;
  /** Tools that nobody has to be asked for. */
  readonly known: readonly AgentTool[];
  readonly toolsOf: (agent: Agent) => Promise<readonly AgentTool[]>;
}

/** The tool that leads to an agent, on the shortest way over others. */
async function handOffTo(id: string, { agent, known, toolsOf }: Search): Promise<AgentTool | undefined> {
  const seen = new Set<Agent>([agent]);
  const open = [...known, ...(await toolsOf(agent))];
  for (let tool = open.shift(); tool; tool = open.shift()) {
    const { handsOff: target } = tool;
    if (!target) continue;
    if (target.id === id) return tool;
    if (!seen.has(target)) open.push(...(await toolsOf(target)));
    seen.add(target);
  }
  return undefined;
}

const unknownLeader = (id: string) =>
  failure(
    "agent/unknown",
    `calls of the agent \`${id}\` wait, which this session was handed to, and no hand-off leads to it: give agents that take over an \`id\`, and the tool by which they do`,
    { data: { agent: id } },
  );

/** Those of an agent that a model drives, or of one around it. */
export const currentTools = async (agent: Agent): Promise<readonly AgentTool[]> =>
  "currentTools" in agent && agent.currentTools instanceof Function ? agent.currentTools() : [];

/** With those that its context providers give for a run like this one: they are asked only where nothing else leads there. */
export const toolsAround = async (agent: Agent, context: RunContext): Promise<readonly AgentTool[]> =>
  "toolsAround" in agent && agent.toolsAround instanceof Function ? agent.toolsAround(context) : [];

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

/**
 * What belongs to the caller and the session goes along; instructions, tools, settings and the model are the first agent's.
 * What names an answer or a conversation at a provider is for the first run alone, and only a model of that provider gets it.
 */
function runOf(
  { handsOff, handedHistory = "all" }: AgentTool,
  { context: { messages, session, options }, isBegun }: Given,
  handOffs: number,
): AsyncIterable<AgentResponseUpdate> {
  const { signal, stopSignal, additionalProperties, responseFormat, operations, history, view } = options;
  const { allowBackgroundResponses, continuationToken, conversationId } = options;
  const sees = handedHistory === "all" ? view : (all: readonly Message[]) => shown(handed(all, handedHistory), view);
  const passed: RunOptions = {
    session,
    ...(signal && { signal }),
    ...(stopSignal && { stopSignal }),
    ...(additionalProperties && { additionalProperties }),
    ...(responseFormat !== undefined && { responseFormat }),
    ...(history && { history }),
    ...(allowBackgroundResponses !== undefined && { allowBackgroundResponses }),
    ...(!isBegun && continuationToken !== undefined && { continuationToken }),
    ...(!isBegun && conversationId !== undefined && { conversationId }),
    ...(sees && { view: sees }),
  };
  if (!handsOff) return none();
  const input = isBegun ? undefined : messages;
  if (!operations) return handsOff.runStreaming(input, passed);
  const own = within(operations, handOffs === 1 ? handsOff.id : `${handsOff.id}.${handOffs}`);
  if (handsOff.isDurable) return handsOff.runStreaming(input, { ...passed, operations: own });
  return ranOnce(
    stop => handsOff.runStreaming(input, { ...passed, signal: signal ? AbortSignal.any([signal, stop]) : stop }),
    session,
    own,
  );
}

async function* none(): AsyncGenerator<AgentResponseUpdate> {}

const shown = (messages: readonly Message[], view: RunOptions["view"]): readonly Message[] =>
  view ? view(messages) : messages;

/** Before the change as it is handed over; behind it everything. */
function handed(
  all: readonly Message[],
  history: "text" | ((messages: readonly Message[]) => readonly Message[]),
): readonly Message[] {
  const end = (lastChange(all)?.at ?? -1) + 1;
  const before = all.slice(0, end);
  const handed = history === "text" ? textAlone(before) : checkedMessages(history(before), "`history` of the hand-off");
  return [...handed, ...all.slice(end)];
}
