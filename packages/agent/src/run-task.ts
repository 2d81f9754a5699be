import type { Settings } from "translogue";
import type { Agent, RunOptions } from "./agent.ts";
import type { AgentOptions } from "./create-agent.ts";
import { lastChange } from "./hand-off.ts";
import type { RunPolicy } from "./loop/state.ts";
import type { RunTask } from "./loop/task.ts";
import type { Prepared } from "./providers/around-run.ts";
import { type ReadFormat, readResponseFormat } from "./result/response-format.ts";
import { type AgentSession, messagesIn, recordOf } from "./session.ts";
import { sleep } from "./time.ts";
import type { AgentTool } from "./tools/tool.ts";
import { toolsByName, toolset, toolsOf } from "./tools/toolset.ts";

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

export const formatOf = ({ format }: Pick<Definition, "format">, { responseFormat }: RunOptions) =>
  responseFormat === undefined ? format : readResponseFormat(responseFormat);

/** What lasts of an agent over restarts; of one that has nothing such, whether the session was handed to it. */
export const rulesOf = ({ id, name }: AgentOptions, session: AgentSession): string | undefined =>
  id ?? name ?? lastChange(messagesIn(session))?.agent;

const fixedTools = ({ tools = [] }: AgentOptions): readonly AgentTool[] => (tools instanceof Function ? [] : tools);

/** What a run has before its context is asked for. Throws `tool/duplicate-name`. */
export function preparing(own: AgentOptions, { instructions, tools = [] }: RunOptions) {
  toolsByName(tools);
  return {
    instructions: [own.instructions, instructions].filter(text => text?.trim()).join("\n") || undefined,
    tools: [...tools, ...fixedTools(own).filter(({ name }) => !tools.some(tool => tool.name === name))],
  };
}

interface RunGiven {
  readonly session: AgentSession;
  readonly options: RunOptions;
  readonly polls?: boolean;
}

/** All that a run is done with, but where it begins. */
export function taskOf(
  definition: Definition,
  { session, options, polls = false }: RunGiven,
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
      return toolset(await toolsOf(tools), ofRun, additionalTools);
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
    polls,
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
