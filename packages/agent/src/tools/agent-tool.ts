import { isJsonObject, type Message, type Part } from "translogue";
import type { Agent } from "../agent.ts";
import { withRule } from "../approval-rules.ts";
import { type Operations, within } from "../engine.ts";
import { isWaiting } from "../loop/answer.ts";
import type { Ask, Resumed } from "../loop/asks.ts";
import type { SpendingLimits } from "../loop/limits.ts";
import { openRequests } from "../loop/resume.ts";
import {
  type AgentResponse,
  type AgentResponseUpdate,
  accumulateUpdates,
  agentResponse,
  type Finish,
} from "../response.ts";
import { type AgentSession, messagesIn, recordOf, serializeSession } from "../session.ts";
import { type UsageTree, usageTree } from "../spending.ts";
import { sumUsage } from "../usage.ts";
import { leftIn } from "./left.ts";
import { checkToolName } from "./name.ts";
import type { AgentTool, ApprovalRule, ToolContext, ToolReturn } from "./tool.ts";

export interface AgentToolOptions {
  /** Default: the agent's name, with `_` for each run of what no tool name may have. */
  readonly name?: string;
  /** Default: the agent's. */
  readonly description?: string;
  /** One conversation over all calls, one after the other. Default: a new one for each. */
  readonly session?: AgentSession;
  readonly needsApproval?: ApprovalRule<{ readonly query: string }>;
  readonly timeoutMs?: number;
}

/**
 * An agent as a tool of another: it takes a `query` and gives its answer. What it asks people, its agents' questions too, is
 * asked in the outer session, and answered there. Throws `tool/invalid` for a name that no provider takes.
 */
export function agentTool(agent: Agent, options: AgentToolOptions = {}): AgentTool {
  const { session, needsApproval, timeoutMs } = options;
  const name = options.name ?? toolNameOf(agent);
  const description = options.description ?? agent.description;
  checkToolName(name);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    input: {
      type: "object",
      properties: { query: { description: "Input query to invoke the agent.", type: "string" } },
      required: ["query"],
    },
    validate: value => {
      const query = isJsonObject(value) ? value["query"] : undefined;
      if (typeof query !== "string") return { ok: false, problem: "query: a text is expected" };
      return query.trim() === "" ? { ok: false, problem: "query: it is blank" } : { ok: true, value: { query } };
    },
    execute: inTurn(
      session,
      (input, context) => runInside(agent, (input as { query: string }).query, { context, session }), // as validated
    ),
    ...(needsApproval !== undefined && { needsApproval: needsApproval as ApprovalRule<unknown> }), // as validated
  };
}

type Execute = NonNullable<AgentTool["execute"]>;

/** Calls that share one conversation go on with it one after the other. */
function inTurn(session: AgentSession | undefined, execute: Execute): Execute {
  if (!session) return execute;
  let last: Promise<unknown> = Promise.resolve();
  /** The step whose call waits for somebody: another of the same step would answer for them. */
  let waiting: string | undefined;
  return (input, context) => {
    const step = JSON.stringify([context.run, context.step]);
    const suspend: ToolContext["suspend"] = suspension => {
      waiting = step;
      context.suspend(suspension);
    };
    // Its members are asked for where they are needed: a spread would make a copy of all messages.
    const own: ToolContext = Object.create(context, { suspend: { value: suspend } });
    const turn = last.then(async () => {
      if (waiting === step && !context.resumed)
        throw new Error(
          "The conversation waits for an answer to an earlier call: call again once that has its result.",
        );
      return execute(input, own);
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** As the Microsoft Agent Framework makes it. */
export const toolNameOf = (agent: Agent): string => (agent.name ?? "agent").replace(/[^0-9A-Za-z]+/g, "_").slice(0, 64);

interface Inside {
  readonly context: ToolContext;
  readonly session: AgentSession | undefined;
}

async function runInside(agent: Agent, query: string, { context, session: kept }: Inside): Promise<ToolReturn> {
  const { resumed, callId } = context;
  const operations = agent.isDurable && context.operations ? ownOf(context.operations) : undefined;
  const session = kept ?? (await sessionOf(agent, resumed, operations));
  letThrough(context.session, session);
  const told = spender(agent, session, leftIn(context));
  context.spend(() => {
    const spent = told.spent();
    return spent && { ...spent, callId };
  });
  const isOver = resumed?.answers.length === 0 && messagesIn(session).length > 0 && !session.hasOpenRun;
  const response = isOver
    ? lastResponse(agent, session)
    : await told.during(() =>
        answer(agent, inputOf(query, session, resumed), { context, session, operations, isOwn: !kept }),
      );
  told.over(response);
  context.signal.throwIfAborted();
  const approvals = waitingIn(session);
  const inputs = session.pendingInputs.map(({ requestId, call, ...input }) => ({ requestId, call, input }));
  const asks = [...approvals, ...inputs, ...session.pendingCalls.map(call => ({ call }))];
  if (asks.length > 0) {
    context.suspend({ asks, state: kept ? null : await agent.serializeSession(session) });
    return undefined;
  }
  return returned(response);
}

/** What stands around a tool may call it several times in one operation: each is a run of its own. */
const callsBy = new WeakMap<Operations, number>();

function ownOf(operations: Operations): Operations {
  const calls = (callsBy.get(operations) ?? 0) + 1;
  callsBy.set(operations, calls);
  return calls === 1 ? operations : within(operations, `call-${calls}`);
}

/** What people let through for good in the outer session, for agents by their names: those inside are among them. */
function letThrough(outer: AgentSession, inner: AgentSession): void {
  const named = (recordOf(outer).approvalRules ?? []).filter(({ agent }) => agent !== undefined);
  if (named.length > 0) recordOf(inner).approvalRules = named.reduce(withRule, recordOf(inner).approvalRules ?? []);
}

/** Approvals that it waits for, each with whose rules the answer makes. */
function waitingIn(session: AgentSession): readonly Ask[] {
  const { paused } = recordOf(session);
  const requests = paused?.calls.filter(isWaiting).flatMap(waiting => {
    // Of an agent further in that has neither id nor name no rule is made, for this one least of all.
    const own = waiting.suspended ? undefined : paused.rulesOf;
    return openRequests(waiting).map(request => ({ ...request, rulesOf: request.rulesOf ?? own }));
  });
  return (requests ?? []).map(({ requestId, call, reason, rulesOf }) => ({
    ...(requestId !== undefined && { requestId }),
    call,
    ...(reason !== undefined && { reason }),
    ...(rulesOf !== undefined && { rulesOf }),
  }));
}

/** What was answered; nothing, where the run was cut; the query, where it had not begun. */
function inputOf(query: string, session: AgentSession, resumed: Resumed | undefined) {
  if (resumed && resumed.answers.length > 0) return answersOf(resumed.answers);
  return session.hasOpenRun ? undefined : query;
}

interface Answering {
  readonly context: ToolContext;
  readonly session: AgentSession;
  readonly operations: Operations | undefined;
  /** Nobody else has the session. */
  readonly isOwn: boolean;
}

/** From its first update on, the run goes on where it is cut. */
async function answer(
  agent: Agent,
  input: ReturnType<typeof inputOf>,
  { context, session, operations, isOwn }: Answering,
): Promise<AgentResponse> {
  const { signal, additionalProperties } = context;
  const options = { session, signal, additionalProperties, ...(operations && { operations }) };
  const updates: AgentResponseUpdate[] = [];
  for await (const update of agent.runStreaming(input, options)) {
    if (updates.length === 0 && isOwn) context.keep(() => serializeSession(session));
    updates.push(update);
  }
  return accumulateUpdates(updates);
}

/** Of a run that had ended before its result was taken. */
function lastResponse(agent: Agent, { messages }: AgentSession): AgentResponse {
  const run = messages.at(-1)?.run;
  const own = messages.filter(message => message.run === run && message.role !== "user");
  const [finish, usage] = [own.at(-1)?.finish, sumUsage(own)];
  return agentResponse(own, {
    agentId: agent.id,
    responseId: run ?? "",
    ...(finish && { finish }),
    ...(usage && { usage }),
  });
}

/** A session of its own; after a wait, the one that waited. Of a call that is made anew, it has the id that it had. */
async function sessionOf(
  agent: Agent,
  resumed: Resumed | undefined,
  operations: Operations | undefined,
): Promise<AgentSession> {
  if (resumed) return agent.deserializeSession(resumed.state);
  if (!operations) return agent.createSession();
  const id = await operations.operation("session", async () => (await agent.createSession()).id);
  return agent.createSession({ id });
}

const answersOf = (answers: readonly Part[]): readonly Message[] => [
  { role: answers.every(({ type }) => type === "tool-result") ? "tool" : "user", parts: answers },
];

/** Of an answer that is all it was to be. One that ran out of tokens, or that the provider filtered or refused, is none. */
const wholeEnds: ReadonlySet<Finish["reason"]> = new Set(["stop", "stop-sequence", "tool-calls"]);

/** Nobody takes unfinished work for done. */
function returned({ finish, error, text }: AgentResponse): ToolReturn {
  if (finish?.reason === "error") throw new Error(error?.message ?? "the agent failed");
  if (finish && !wholeEnds.has(finish.reason))
    return { output: `Error: The agent was stopped (${finish.raw ?? finish.reason}). ${text}`.trim(), isError: true };
  return text.trim() === "" ? "(The agent gave no answer.)" : text;
}

/** Lets the run of an agent spend what is left, and tells at any moment what it has spent: by its end, or by now. */
function spender(agent: Agent, session: AgentSession, left: SpendingLimits | undefined) {
  const record = recordOf(session);
  const before = record.account;
  let ended: UsageTree | undefined;
  let isUnderWay = false;
  return {
    async during<T>(run: () => Promise<T>): Promise<T> {
      isUnderWay = true;
      record.left = left;
      try {
        return await run();
      } finally {
        isUnderWay = false;
        record.left = undefined;
      }
    },
    over(response: AgentResponse): void {
      ended = spendingOf(agent, response, record.account);
    },
    /** Of an account only what this run made of it. */
    spent: (): UsageTree | undefined =>
      ended ??
      (isUnderWay ? record.spending?.() : undefined) ??
      (record.account === before ? undefined : record.account),
  };
}

/** As the session has it, over all pauses of the run; an agent that keeps no account in it says what it will. */
function spendingOf(agent: Agent, response: AgentResponse, account: UsageTree | undefined): UsageTree {
  const { responseId: run, usage, usageTree: tree } = response;
  if (account?.run === run) return account;
  const { id: agentId, name } = agent;
  return tree ?? usageTree({ agentId, ...(name !== undefined && { name }), run, ...(usage && { usage }), inner: [] });
}
