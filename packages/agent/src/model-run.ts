import type { Message } from "translogue";
import type { RunOptions } from "./agent.ts";
import { withRule, withStanding } from "./approval-rules.ts";
import { failure } from "./errors.ts";
import { BagJournal } from "./loop/bag-journal.ts";
import { beginRun, checkVersion, type RunSetup } from "./loop/begin.ts";
import { type Continued, continueRun } from "./loop/continue.ts";
import { leftOnce, openedOnce, settledOnce } from "./loop/durable.ts";
import { strictest } from "./loop/limits.ts";
import type { OverRun, RunCourse } from "./loop/run.ts";
import { checkPriced } from "./policy.ts";
import { AroundRun, checkProviders } from "./providers/around-run.ts";
import { type Definition, preparing, rulesOf, taskOf } from "./run-task.ts";
import type { AgentSession, SessionRecord } from "./session.ts";
import { sleep } from "./time.ts";
import { type ContinuationToken, decodeToken } from "./token.ts";
import type { AgentTool } from "./tools/tool.ts";

interface Given {
  readonly messages: readonly Message[];
  readonly session: AgentSession;
  readonly options: RunOptions;
  /** Whoever runs it reads it once it is over. */
  readonly polls?: boolean;
  /** Told of the tools that context providers add. */
  readonly added?: (tools: readonly AgentTool[]) => void;
}

/** The course of a run that this agent's model leads, from what it is given to what its providers are told of it. */
export function modelRun(definition: Definition, given: Given): RunCourse {
  const { agent, options: own } = definition;
  const { messages, session, options } = given;
  const { context = [], history } = own;
  checkProviders({ context, history: options.history });
  const around = new AroundRun(
    { history, override: options.history, context },
    { agent, session, messages, additionalProperties: options.additionalProperties ?? {} },
    { signal: options.signal, timeoutMs: own.limits?.timeoutMs, sleep: own.sleep ?? sleep },
  );
  return {
    ready: () => around.storeLeft(work => leftOnce(work, options.operations)),
    begin: async record => {
      const setup = setupOf(definition, options, record);
      const continued = await continuedBy(given, record, setup);
      if (continued?.isOver) return overRun(definition, continued);
      const before = record.messages;
      const bag = options.operations && new BagJournal(session.stateBag);
      const prepared = await around.prepare(preparing(own, options));
      given.added?.(prepared.tools);
      const { messages, rules } = withStanding(prepared.messages, record.paused, rulesOf(own, session));
      serveAt(record, options.conversationId, agent.id);
      const start = beginRun(messages, record, { ...setup, served: record.served });
      const isSeen = continued?.isSeen ?? false;
      const late = around.isLate && { timeoutMs: 0 };
      const beginning = { ...taskOf(definition, given, prepared), ...start, isSeen, ...late };
      const task = await openedOnce(beginning, record, { isChanged: record.messages !== before, bag });
      checkVersion(task.from.state, own.version);
      record.approvalRules = rules.reduce(withRule, record.approvalRules ?? []);
      if (record.approvalRules.length === 0) record.approvalRules = undefined;
      around.begun();
      return task;
    },
    settle: error => {
      const hasProviders = (options.history ?? history) !== undefined || context.length > 0;
      const settle = () => around.settle(error);
      return settledOnce(settle, session, hasProviders ? options.operations : undefined);
    },
  };
}

function setupOf(
  { agent, options: own, policy, newId, now }: Definition,
  options: RunOptions,
  record: SessionRecord,
): RunSetup {
  const { id, name } = agent;
  const { model = own.model } = options;
  const { chain, between, left } = record;
  const held = chain ? strictest(policy, chain.limits.policy) : policy;
  checkPriced(model, held.spending);
  return {
    newId,
    now: now().toISOString(),
    policy: left ? { ...held, left } : held,
    ...(chain?.goesOn && between && { between }),
    author: { id, ...(name !== undefined && { name }), kind: "agent" },
    agentVersion: own.version,
    model,
    served: record.served,
  };
}

/** The run that a token names, made the session's open one. */
async function continuedBy(
  { messages: given, session, options: { continuationToken: token } }: Given,
  record: SessionRecord,
  setup: RunSetup,
): Promise<Continued | undefined> {
  if (token === undefined) return undefined;
  const read = typeof token === "string" ? await readToken(token) : token;
  return continueRun(read, { session, record, given }, setup);
}

async function readToken(text: string): Promise<ContinuationToken> {
  const { decodeMafToken, isMafToken } = await import("./maf/token.ts");
  return isMafToken(text) ? decodeMafToken(text) : decodeToken(text);
}

function overRun({ agent }: Definition, { messages, run }: Extract<Continued, { readonly isOver: true }>): OverRun {
  const finish = messages.findLast(message => message.finish)?.finish;
  return { over: { messages, agentId: agent.id, responseId: run, ...(finish && { finish }) } };
}

/**
 * An agent that the session was handed to is given what names a conversation of the agent that was asked to run: it is kept
 * at that agent's provider. Throws `options/invalid` where the session is kept in another conversation.
 */
function serveAt(record: SessionRecord, conversationId: string | undefined, agent: string): void {
  if (!conversationId?.trim()) return;
  const { served, messages } = record;
  if (served && served.id !== conversationId) {
    const message = `the session is kept in the conversation \`${served.id}\`, and the run names \`${conversationId}\``;
    throw failure("options/invalid", message, { data: { option: "conversationId" } });
  }
  const { agent: asked, provider } = record.chain?.limits ?? {};
  const isHanded = asked !== undefined && asked !== agent;
  record.served ??= {
    id: conversationId,
    ...(isHanded && provider !== undefined && { provider }),
    known: messages.length,
  };
}
