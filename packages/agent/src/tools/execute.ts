import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  parseJson,
  type ToolCallPart,
  type ToolResultPart,
} from "translogue";
import type { Agent } from "../agent.ts";
import { type AutoApproval, lets } from "../approval-rules.ts";
import { copyOf } from "../copies.ts";
import { clipped } from "../cut-text.ts";
import type { Operations } from "../engine.ts";
import { messageOf } from "../errors.ts";
import { kindOf } from "../hooks.ts";
import type { Resumed, Suspension } from "../loop/asks.ts";
import type { SpendingLimits } from "../loop/limits.ts";
import { wordsResult } from "../loop/results.ts";
import type { StepCall, Verdict } from "../loop/state.ts";
import type { AgentSession } from "../session.ts";
import type { UsageTree } from "../spending.ts";
import type { Sleep } from "../time.ts";
import { asker } from "./asking.ts";
import { leftToSpend } from "./left.ts";
import { resultOf } from "./output.ts";
import type { Validated } from "./parameters.ts";
import type { AgentTool, ApprovalContext, ToolContext, ToolReturn } from "./tool.ts";

/** What the calls of a step are run with. */
export interface ToolBench {
  /** All that are known by name. */
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly unknownTools: UnknownTools;
  readonly toolErrors: ToolErrors;
  readonly autoApprovals?: readonly AutoApproval[];
  /** What standing rules name the agent by. */
  readonly rulesOf?: string | undefined;
  readonly wrap: ToolWrap;
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly run: string;
  readonly step: number;
  /** Made for whoever looks: most tools do not. */
  readonly messages: () => readonly Message[];
  readonly additionalProperties: JsonObject;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  /** Takes what a running tool needs to go on. */
  readonly keep?: (state: () => Json) => void;
  /** What the run may still spend on agents inside of the tool. */
  readonly left?: () => SpendingLimits;
  /** Takes what tells what agents inside of a running tool have spent so far. */
  readonly spends?: (spent: () => readonly UsageTree[]) => void;
  /** Of the call, where its run is durable. */
  readonly operations?: Operations;
}

/** What a call of no known tool means: the model is told, the caller sees to it, or the run fails. */
export type UnknownTools = "answer" | "stop" | "fail";

/** What the model reads of a tool that throws: the error's own words, a sentence with them, or only that it failed. */
export type ToolErrors = "message" | "detailed" | "hidden";

/** What stands around the tool's own function: middleware, or nothing. */
export type ToolWrap = (call: RunningCall, run: (input: unknown) => Promise<ToolReturn>) => Promise<ToolReturn>;

/** A call whose arguments are valid, on its way to the tool. */
export interface RunningCall {
  readonly tool: AgentTool;
  readonly call: ToolCallPart;
  readonly input: unknown;
  readonly context: ToolContext;
}

export interface Executed {
  readonly result: ToolResultPart;
  /** Counts towards the limit of errors. Calls that never reached a tool do not, as in the Microsoft Agent Framework. */
  readonly failed: boolean;
  readonly terminates: boolean;
  /** The tool waits for answers; `result` says so. */
  readonly suspended?: Suspension;
  /** What agents inside of it spent. */
  readonly spent?: readonly UsageTree[];
}

/** What becomes of each call of an answer. Never rejects: a tool that cannot even be looked at is for a person to decide on. */
export const planCalls = (calls: readonly StepCall[], bench: ToolBench): Promise<Verdict[]> =>
  Promise.all(
    calls.map(({ call, result }) =>
      result ? { verdict: "run" } : planCall(call, bench).catch((): Verdict => ({ verdict: "ask" })),
    ),
  );

async function planCall(call: ToolCallPart, bench: ToolBench): Promise<Verdict> {
  const input = call.input === undefined ? textInput(call) : undefined;
  const read = input === undefined ? {} : { input };
  const tool = bench.tools.get(call.name);
  if (!tool) return { verdict: unknownVerdicts[bench.unknownTools], ...read };
  // Nobody is given arguments that the tool does not take: the model is told.
  if (!tool.execute) return { verdict: (await readInput(tool, call)).ok ? "client" : "run", ...read };
  // Arguments that are no result are told to the model, like those of any tool: calls beside it are what they are without it.
  const givesResult = tool.givesResult && (await readInput(tool, call)).ok ? tool.givesResult : undefined;
  const handsOff = {
    ...(tool.handsOff && { handsOff: tool.handsOff.id }),
    ...(givesResult && { givesResult }),
  };
  const given = { ...handsOff, ...read };
  if (!mayAsk(tool)) return { verdict: "run", ...given };
  // Nobody is asked about arguments that no tool would get.
  const valid = await readInput(tool, call);
  if (!valid.ok) return { verdict: "run", ...given };
  if (!(await asks(tool, { call, input: valid.value }, bench))) return { verdict: "run", cleared: true, ...given };
  const { approvalReason: reason } = tool;
  return { verdict: "ask", ...(reason !== undefined && { reason }), ...given };
}

const unknownVerdicts = { answer: "run", stop: "stop", fail: "fail" } as const;

/** Arguments that a model gave as text alone; undefined where they are no JSON. */
function textInput({ inputText = "" }: ToolCallPart): Json | undefined {
  if (inputText.trim() === "") return {};
  try {
    return parseJson(inputText).value;
  } catch {
    return undefined;
  }
}

const mayAsk = ({ needsApproval = false }: AgentTool): boolean => needsApproval !== false;

/** A rule that fails lets nothing through: a person decides. */
async function asks(
  { needsApproval = false }: AgentTool,
  { call, input }: { readonly call: ToolCallPart; readonly input: unknown },
  bench: ToolBench,
): Promise<boolean> {
  const { agent, session, run, step, messages, additionalProperties } = bench;
  const context = {
    ...{ callId: call.callId, toolName: call.name, agent, session, run, step, additionalProperties },
    get messages() {
      return messages();
    },
  };
  try {
    const needs = typeof needsApproval === "boolean" ? needsApproval : await needsApproval(input, context);
    // Whatever is not a plain no is for a person: a rule that forgot to return lets nothing through.
    return needs !== false && !(await isLet(call, context, bench));
  } catch {
    return true;
  }
}

/** By what a person let through for good, or by a rule of the agent's. */
async function isLet(
  call: ToolCallPart,
  context: ApprovalContext,
  { autoApprovals = [], rulesOf }: ToolBench,
): Promise<boolean> {
  if (lets(context.session.approvalRules, { call, rulesOf })) return true;
  for (const rule of autoApprovals) if ((await rule(copyOf(call), context)) === true) return true;
  return false;
}

/**
 * Blank text reads as `{}` and is then validated; other text that does not parse never becomes arguments. A copy each time:
 * no schema has to make one, and what a rule is shown is not what its tool gets.
 */
async function readInput(tool: AgentTool, call: ToolCallPart): Promise<Validated> {
  const { input = textInput(call) } = call;
  if (input === undefined) return { ok: false, problem: `they are no JSON: ${clipped(call.inputText ?? "", 200)}` };
  try {
    const read: unknown = await tool.validate(copyOf(input));
    if (!isJsonObject(read) || typeof read["ok"] !== "boolean")
      return { ok: false, problem: `its \`validate\` gave ${kindOf(read)}, and is to give \`{ ok, value }\`` };
    const { ok, value, problem = "" } = read;
    return ok ? { ok, value } : { ok, problem: String(problem) };
  } catch (error) {
    return { ok: false, problem: words(error) };
  }
}

/** Whether a call that nobody was asked about needs it after all. */
async function asksNow(tool: AgentTool, call: ToolCallPart, bench: ToolBench): Promise<boolean> {
  if (!mayAsk(tool)) return false;
  const read = await readInput(tool, call);
  return !read.ok || asks(tool, { call, input: read.value }, bench);
}

interface Running {
  readonly call: ToolCallPart;
  readonly attempt: number;
  /** A person lets it run, or the rule of its tool does. */
  readonly cleared?: true;
  readonly resumed?: Resumed;
}

/** Runs a call to its end. Never rejects: whatever goes wrong is a result that the model can read. */
export async function runTool(
  { call, attempt, cleared, resumed }: Running,
  bench: ToolBench,
  progress: (result: ToolResultPart) => void,
): Promise<Executed> {
  const told: Told = { terminates: false, spent: [] };
  const spentSoFar = (): readonly UsageTree[] => told.spent.flatMap(asked => asked() ?? []);
  bench.spends?.(spentSoFar);
  const over = (result: ToolResultPart, failed: boolean): Executed => {
    const { terminates, suspended } = told;
    const spent = spentSoFar();
    return { result, failed, terminates, ...(suspended && { suspended }), ...(spent.length > 0 && { spent }) };
  };
  try {
    const tool = bench.tools.get(call.name);
    if (!tool) return over(notFound(call, bench.tools), false);
    const read = await readInput(tool, call);
    if (!read.ok) {
      const said = `Error: The arguments of "${call.name}" are not valid: ${read.problem}`;
      return over(wordsResult(call, "error", said), true);
    }
    if (!tool.execute) return over(notFound(call, bench.tools), false);
    if (!cleared && (await asksNow(tool, call, bench))) {
      return over(wordsResult(call, "error", unasked(call)), false);
    }
    const returned = await execute(tool, { call, attempt, input: read.value, told, resumed }, bench, progress);
    if (told.suspended) return over(waiting(call), false);
    const result = readResult(call, returned);
    return over(result, result.outcome === "error");
  } catch (error) {
    if (told.suspended) return over(waiting(call), false);
    return over(wordsResult(call, "error", failureWords(error, bench)), true);
  }
}

const waiting = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "The call waits for an answer.");

/** Its tool, or its arguments, were others when people could be asked. */
const unasked = ({ name }: ToolCallPart): string =>
  `Error: "${name}" was not run: it needs approval, and nobody could be asked when it was called. Call it again.`;

/** The first words are the Microsoft Agent Framework's. */
function notFound(call: ToolCallPart, tools: ReadonlyMap<string, AgentTool>): ToolResultPart {
  const names = [...tools.keys()];
  const known = names.length > 0 ? `Available functions: ${names.join(", ")}.` : "No functions are available.";
  return wordsResult(call, "error", `Error: Requested function "${call.name}" not found. ${known}`);
}

/** Errors that are sentences for the model, whatever it may read of others. */
const sentences = new WeakSet<object>();

/** Of the error its message alone: where it was thrown is nothing for a model. The sentences are the Microsoft Agent Framework's. */
function failureWords(error: unknown, { toolErrors }: ToolBench): string {
  const message = messageOf(error);
  // Anything may be thrown: a proxy is only asked by identity.
  if (sentences.has(error as object)) return message;
  if (toolErrors === "detailed") return `Error: Function failed. Exception: ${message}`;
  return toolErrors === "hidden" || message.trim() === "" ? "Error: Function failed." : message;
}

const words = (error: unknown): string => messageOf(error).trim() || "it failed";

function readResult(call: ToolCallPart, returned: unknown): ToolResultPart {
  try {
    return resultOf(call, returned);
  } catch (error) {
    return wordsResult(call, "error", `Error: What "${call.name}" returned cannot be JSON: ${words(error)}`);
  }
}

/** What a tool says of its call while it runs. */
interface Told {
  terminates: boolean;
  suspended?: Suspension;
  readonly spent: (() => UsageTree | undefined)[];
}

interface Validly {
  readonly call: ToolCallPart;
  readonly attempt: number;
  readonly input: unknown;
  readonly told: Told;
  readonly resumed: Resumed | undefined;
}

async function execute(
  tool: AgentTool,
  valid: Validly,
  bench: ToolBench,
  progress: (result: ToolResultPart) => void,
): Promise<ToolReturn> {
  const { call, input } = valid;
  const { signal: stop, sleep, wrap } = bench;
  const over = new AbortController();
  const timers = new AbortController();
  const context = contextOf(valid, bench, { signal: AbortSignal.any([stop, over.signal]), progress });
  const about = { tool, call: copyOf(call), input, context };
  const work = (async () => wrap(about, async given => tool.execute?.(given, context)))();
  if (tool.timeoutMs === undefined) return work;
  const { timeoutMs } = tool;
  work.catch(() => undefined); // whoever loses the race below is heard by nobody
  const timeout = sleep(timeoutMs, timers.signal).then(() => {
    const error = new Error(`Error: "${call.name}" took longer than ${timeoutMs} ms and was stopped.`);
    sentences.add(error);
    over.abort(error);
    throw error;
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timeout.catch(() => undefined);
    timers.abort();
  }
}

/** What a tool is given beside its input. All that could be changed in place is a copy. */
function contextOf(
  { call, attempt, told, resumed: stored }: Validly,
  bench: ToolBench,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (result: ToolResultPart) => void },
): ToolContext {
  const { agent, session, run, step, messages, additionalProperties, keep = () => undefined, operations, left } = bench;
  const resumed = copyOf(stored);
  const suspend = (suspension: Suspension): void => {
    told.suspended = copyOf(suspension);
  };
  return {
    ...{ agent, session, run, step, additionalProperties, attempt, signal },
    callId: call.callId,
    toolName: call.name,
    inputText: call.inputText?.trim() ? call.inputText : JSON.stringify(call.input ?? {}),
    get messages() {
      return messages();
    },
    progress: (value: ToolReturn): void => {
      if (!signal.aborted) progress(readResult(call, value));
    },
    terminate: (): void => {
      told.terminates = true;
    },
    ...(resumed && { resumed }),
    ...(operations && { operations }),
    keep,
    suspend,
    ask: asker({ call, resumed, suspend }),
    ...(left && { [leftToSpend]: left }),
    spend: (spending): void => void told.spent.push(spending instanceof Function ? spending : () => spending),
  };
}
