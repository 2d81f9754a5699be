import type { Message, Settings } from "translogue";
import type { Agent, RunOptions } from "./agent.ts";
import { withRule, withStanding } from "./approval-rules.ts";
import type { AgentOptions } from "./create-agent.ts";
import { failure } from "./errors.ts";
import { lastChange } from "./hand-off.ts";
import { BagJournal } from "./loop/bag-journal.ts";
import { beginRun, checkVersion, type RunSetup } from "./loop/begin.ts";
import { type Continued, continueRun } from "./loop/continue.ts";
import { openedOnce, settledOnce } from "./loop/durable.ts";
import { within } from "./loop/limits.ts";
import type { OverRun, RunCourse } from "./loop/run.ts";
import type { RunPolicy } from "./loop/state.ts";
import type { RunTask } from "./loop/task.ts";
import { checkPriced } from "./policy.ts";
import { AroundRun, checkProviders, type Prepared } from "./providers/around-run.ts";
import { type ReadFormat, readResponseFormat } from "./result/response-format.ts";
import { type AgentSession, messagesIn, recordOf, type SessionRecord } from "./session.ts";
import { sleep } from "./time.ts";
import { type ContinuationToken, decodeToken } from "./token.ts";
import type { AgentTool } from "./tools/tool.ts";
import { toolsByName, toolset } from "./tools/toolset.ts";

/** An agent as its runs need it: as it was defined, and what was read of that. */
export interface Definition {
  readonly agent: Agent;
  readonly options: AgentOptions;
  readonly policy: RunPolicy;
  /** The agent's own. */
  readonly format: ReadFormat | undefined;
  readonly newId: () => string;
  readonly now: () => Date;
}

interface Given {
  readonly messages: readonly Message[];
  readonly session: AgentSession;
  readonly options: RunOptions;
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
    begin: async record => {
      const setup = setupOf(definition, options, record);
      const continued = await continuedBy(given, record, setup);
      if (continued?.isOver) return overRun(definition, continued);
      const before = record.messages;
      const bag = options.operations && new BagJournal(session.stateBag);
      const prepared = await around.prepare(preparing(own, options));
      given.added?.(prepared.tools);
      const { messages, rules } = withStanding(prepared.messages, record.paused, rulesOf(own, session));
      serveAt(record, options.conversationId);
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

export const formatOf = ({ format }: Pick<Definition, "format">, { responseFormat }: RunOptions) =>
  responseFormat === undefined ? format : readResponseFormat(responseFormat);

/** What lasts of an agent over restarts; of one that has nothing such, whether the session was handed to it. */
const rulesOf = ({ id, name }: AgentOptions, session: AgentSession): string | undefined =>
  id ?? name ?? lastChange(messagesIn(session))?.agent;

function setupOf(
  { agent, options: own, policy, newId, now }: Definition,
  options: RunOptions,
  record: SessionRecord,
): RunSetup {
  const { id, name } = agent;
  const { model = own.model } = options;
  const { chain } = record;
  checkPriced(model, policy.spending);
  return {
    newId,
    now: now().toISOString(),
    policy: chain ? within(policy, chain.limits.policy) : policy,
    ...(chain && { chain }),
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

const fixedTools = ({ tools = [] }: AgentOptions): readonly AgentTool[] => (tools instanceof Function ? [] : tools);

/** What a run has before its context is asked for. Throws `tool/duplicate-name`. */
function preparing(own: AgentOptions, { instructions, tools = [] }: RunOptions) {
  toolsByName(tools);
  return {
    instructions: [own.instructions, instructions].filter(text => text?.trim()).join("\n") || undefined,
    tools: [...tools, ...fixedTools(own).filter(({ name }) => !tools.some(tool => tool.name === name))],
  };
}

/** All that a run is done with, but where it begins. */
function taskOf(
  definition: Definition,
  { session, options }: Given,
  prepared: Prepared,
): Omit<RunTask, "from" | "history" | "isSeen"> {
  const { agent, options: own, now } = definition;
  const format = formatOf(definition, options);
  const { chain } = recordOf(session);
  const resultTools = format?.tool ? [format.tool] : [];
  const { toolChoice } = options;
  return {
    agent,
    session,
    model: options.model ?? own.model,
    modelFor: own.modelFor,
    tools: async () => {
      const { tools = [], additionalTools } = own;
      const ofRun = [...(options.tools ?? []), ...prepared.tools, ...resultTools];
      return toolset(tools instanceof Function ? await tools() : tools, ofRun, additionalTools);
    },
    hostedTools: own.hostedTools ?? [],
    unknownTools: own.unknownTools ?? "answer",
    toolErrors: own.toolErrors ?? "message",
    autoApprovals: own.approvals?.auto ?? [],
    rulesOf: rulesOf(own, session),
    middleware: own.middleware ?? [],
    instructions: prepared.instructions,
    settings: {
      ...own.settings,
      ...asked(definition.format),
      ...options.settings,
      ...asked(options.responseFormat === undefined ? undefined : format),
      ...(toolChoice !== undefined && { toolChoice }),
    },
    additionalProperties: options.additionalProperties ?? {},
    signal: options.signal,
    stopSignal: options.stopSignal,
    now,
    sleep: own.sleep ?? sleep,
    background: options.allowBackgroundResponses ?? own.allowBackgroundResponses ?? false,
    promptCache: own.promptCache === true ? {} : own.promptCache || undefined,
    timeoutMs: chain?.limits.agent === agent.id ? undefined : own.limits?.timeoutMs,
    chain,
    view: options.view,
    compaction: own.compaction,
    operations: options.operations,
  };
}

const asked = (format: ReadFormat | undefined): Settings =>
  format && !format.tool ? { responseFormat: format.asked } : {};

/** Throws `options/invalid` where the session is kept in another conversation. */
function serveAt(record: SessionRecord, conversationId: string | undefined): void {
  if (!conversationId?.trim()) return;
  const { served, messages } = record;
  if (served && served.id !== conversationId) {
    const message = `the session is kept in the conversation \`${served.id}\`, and the run names \`${conversationId}\``;
    throw failure("options/invalid", message, { data: { option: "conversationId" } });
  }
  record.served ??= { id: conversationId, known: messages.length };
}
