import type { Json, JsonObject, Message, ToolCallPart, ToolResultPart } from "translogue";
import type { Agent } from "../agent.ts";
import { type AutoApproval, lets } from "../approval-rules.ts";
import { messageOf } from "../errors.ts";
import type { Resumed, Suspension } from "../loop/asks.ts";
import { wordsResult } from "../loop/results.ts";
import type { StepCall, Verdict } from "../loop/state.ts";
import type { AgentSession } from "../session.ts";
import type { UsageTree } from "../spending.ts";
import type { Sleep } from "../time.ts";
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
  readonly wrap: ToolWrap;
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly run: string;
  readonly step: number;
  readonly messages: readonly Message[];
  readonly additionalProperties: JsonObject;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  /** Takes what a running tool needs to go on. */
  readonly keep?: (state: () => Json) => void;
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
  Promise.all(calls.map(({ call }) => planCall(call, bench).catch((): Verdict => ({ verdict: "ask" }))));

async function planCall(call: ToolCallPart, bench: ToolBench): Promise<Verdict> {
  const blank = isBlank(call) ? { input: {} } : {};
  const tool = bench.tools.get(call.name);
  if (!tool) return { verdict: unknownVerdicts[bench.unknownTools], ...blank };
  if (!tool.execute) return { verdict: "client", ...blank };
  const { givesResult } = tool;
  const handsOff = {
    ...(tool.handsOff && { handsOff: tool.handsOff.id }),
    ...(givesResult && { givesResult }),
  };
  if (!(await asks(tool, call, bench))) return { verdict: "run", ...handsOff, ...blank };
  const { approvalReason: reason } = tool;
  return { verdict: "ask", ...(reason !== undefined && { reason }), ...handsOff, ...blank };
}

const unknownVerdicts = { answer: "run", stop: "stop", fail: "fail" } as const;

const isBlank = ({ input, inputText }: ToolCallPart): boolean => input === undefined && (inputText ?? "").trim() === "";

/** Nobody is asked about arguments that no tool would get. A rule that fails lets nothing through: a person decides. */
async function asks(tool: AgentTool, call: ToolCallPart, bench: ToolBench): Promise<boolean> {
  const { needsApproval } = tool;
  if (needsApproval === undefined || needsApproval === false) return false;
  const read = await readInput(tool, call);
  if (!read.ok) return false;
  const { agent, session, run, step, messages, additionalProperties } = bench;
  const about = { callId: call.callId, toolName: call.name };
  const context = { ...about, agent, session, run, step, messages, additionalProperties };
  try {
    const needs = needsApproval === true || (await needsApproval(read.value, context));
    return needs && !(await isLet(call, context, bench));
  } catch {
    return true;
  }
}

/** By what a person let through for good, or by a rule of the agent's. */
async function isLet(
  call: ToolCallPart,
  context: ApprovalContext,
  { autoApprovals = [] }: ToolBench,
): Promise<boolean> {
  if (lets(context.session.approvalRules, call)) return true;
  for (const rule of autoApprovals) if ((await rule(call, context)) === true) return true;
  return false;
}

/** Blank text reads as `{}` and is then validated; other text that does not parse never becomes arguments. */
async function readInput(tool: AgentTool, call: ToolCallPart): Promise<Validated> {
  const { input, inputText } = call;
  if (input === undefined && !isBlank(call)) {
    return { ok: false, problem: `they are no JSON: ${clip(inputText ?? "")}` };
  }
  try {
    const { ok, ...read } = await tool.validate(input === undefined ? {} : input);
    return ok === true
      ? { ok, value: "value" in read ? read.value : undefined }
      : { ok: false, problem: "problem" in read ? String(read.problem) : "" };
  } catch (error) {
    return { ok: false, problem: words(error) };
  }
}

const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Runs a call to its end. Never rejects: whatever goes wrong is a result that the model can read. */
export async function runTool(
  { call, attempt, resumed }: { readonly call: ToolCallPart; readonly attempt: number; readonly resumed?: Resumed },
  bench: ToolBench,
  progress: (result: ToolResultPart) => void,
): Promise<Executed> {
  const told: Told = { terminates: false, spent: [] };
  const over = (result: ToolResultPart, failed: boolean): Executed => {
    const { terminates, suspended, spent } = told;
    return { result, failed, terminates, ...(suspended && { suspended }), ...(spent.length > 0 && { spent }) };
  };
  try {
    const tool = bench.tools.get(call.name);
    if (!tool?.execute) return over(notFound(call, bench.tools), false);
    const read = await readInput(tool, call);
    if (!read.ok) {
      const said = `Error: The arguments of "${call.name}" are not valid: ${read.problem}`;
      return over(wordsResult(call, "error", said), true);
    }
    const returned = await execute(tool, { call, attempt, input: read.value, told, resumed }, bench, progress);
    if (told.suspended) return over(wordsResult(call, "interrupted", "The call waits for an answer."), false);
    const result = readResult(call, returned);
    return over(result, result.outcome === "error");
  } catch (error) {
    return over(wordsResult(call, "error", failureWords(error, bench)), true);
  }
}

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
  readonly spent: UsageTree[];
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
  { call, attempt, input, told, resumed }: Validly,
  bench: ToolBench,
  progress: (result: ToolResultPart) => void,
): Promise<ToolReturn> {
  const {
    signal: stop,
    sleep,
    wrap,
    tools: _,
    unknownTools: __,
    toolErrors: ___,
    autoApprovals: ____,
    keep = () => undefined,
    ...about
  } = bench;
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  const timers = new AbortController();
  const inputText = call.inputText?.trim() ? call.inputText : JSON.stringify(call.input ?? {});
  const context = {
    ...about,
    callId: call.callId,
    toolName: call.name,
    inputText,
    attempt,
    signal,
    progress: (value: ToolReturn): void => {
      if (!signal.aborted) progress(readResult(call, value));
    },
    terminate: (): void => {
      told.terminates = true;
    },
    ...(resumed && { resumed }),
    keep,
    suspend: (suspension: Suspension): void => {
      told.suspended = suspension;
    },
    spend: (spending: UsageTree): void => void told.spent.push(spending),
  };
  const work = (async () => wrap({ tool, call, input, context }, async given => tool.execute?.(given, context)))();
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
