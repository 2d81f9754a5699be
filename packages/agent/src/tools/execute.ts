import type { JsonObject, Message, ToolCallPart, ToolResultPart } from "translogue";
import type { Agent } from "../agent.ts";
import { messageOf } from "../errors.ts";
import { wordsResult } from "../loop/results.ts";
import type { StepCall, Verdict } from "../loop/state.ts";
import type { AgentSession } from "../session.ts";
import type { Sleep } from "../time.ts";
import { resultOf } from "./output.ts";
import type { Validated } from "./parameters.ts";
import type { AgentTool, ToolReturn } from "./tool.ts";

/** What the calls of a step are run with. */
export interface ToolBench {
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly run: string;
  readonly step: number;
  readonly messages: readonly Message[];
  readonly additionalProperties: JsonObject;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
}

export interface Executed {
  readonly result: ToolResultPart;
  /** Counts towards the limit of errors. Calls that never reached a tool do not, as in the Microsoft Agent Framework. */
  readonly failed: boolean;
}

/** What becomes of each call of an answer. Never rejects: a tool that cannot even be looked at is for a person to decide on. */
export const planCalls = (calls: readonly StepCall[], bench: ToolBench): Promise<Verdict[]> =>
  Promise.all(calls.map(({ call }) => planCall(call, bench).catch((): Verdict => ({ verdict: "ask" }))));

async function planCall(call: ToolCallPart, bench: ToolBench): Promise<Verdict> {
  const blank = isBlank(call) ? { input: {} } : {};
  const tool = bench.tools.get(call.name);
  if (!tool) return { verdict: "run", ...blank };
  if (!tool.execute) return { verdict: "client", ...blank };
  if (!(await asks(tool, call, bench))) return { verdict: "run", ...blank };
  const { approvalReason: reason } = tool;
  return { verdict: "ask", ...(reason !== undefined && { reason }), ...blank };
}

const isBlank = ({ input, inputText }: ToolCallPart): boolean => input === undefined && (inputText ?? "").trim() === "";

/** Nobody is asked about arguments that no tool would get. A rule that fails lets nothing through: a person decides. */
async function asks(tool: AgentTool, call: ToolCallPart, bench: ToolBench): Promise<boolean> {
  const { needsApproval } = tool;
  if (needsApproval === undefined || needsApproval === false) return false;
  const read = await readInput(tool, call);
  if (!read.ok) return false;
  if (needsApproval === true) return true;
  const { agent, session, run, step, messages, additionalProperties } = bench;
  const about = { callId: call.callId, toolName: call.name };
  try {
    return await needsApproval(read.value, { ...about, agent, session, run, step, messages, additionalProperties });
  } catch {
    return true;
  }
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
  { call, attempt }: { readonly call: ToolCallPart; readonly attempt: number },
  bench: ToolBench,
  progress: (result: ToolResultPart) => void,
): Promise<Executed> {
  try {
    const tool = bench.tools.get(call.name);
    if (!tool?.execute) return { result: notFound(call, bench.tools), failed: false };
    const read = await readInput(tool, call);
    if (!read.ok) {
      const said = `Error: The arguments of "${call.name}" are not valid: ${read.problem}`;
      return { result: wordsResult(call, "error", said), failed: true };
    }
    const returned = await execute(tool, { call, attempt, input: read.value }, bench, progress);
    const result = readResult(call, returned);
    return { result, failed: result.outcome === "error" };
  } catch (error) {
    return { result: wordsResult(call, "error", words(error)), failed: true };
  }
}

/** The first words are the Microsoft Agent Framework's. */
function notFound(call: ToolCallPart, tools: ReadonlyMap<string, AgentTool>): ToolResultPart {
  const names = [...tools.keys()];
  const known = names.length > 0 ? `Available functions: ${names.join(", ")}.` : "No functions are available.";
  return wordsResult(call, "error", `Error: Requested function "${call.name}" not found. ${known}`);
}

/** The message alone: where it was thrown is nothing for a model. */
const words = (error: unknown): string => {
  const message = messageOf(error);
  return message.trim() === "" ? "Error: Function failed." : message;
};

function readResult(call: ToolCallPart, returned: unknown): ToolResultPart {
  try {
    return resultOf(call, returned);
  } catch (error) {
    return wordsResult(call, "error", `Error: What "${call.name}" returned cannot be JSON: ${words(error)}`);
  }
}

interface Validly {
  readonly call: ToolCallPart;
  readonly attempt: number;
  readonly input: unknown;
}

async function execute(
  tool: AgentTool,
  { call, attempt, input }: Validly,
  bench: ToolBench,
  progress: (result: ToolResultPart) => void,
): Promise<ToolReturn> {
  const { signal: stop, sleep, tools: _, ...about } = bench;
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
  };
  const work = (async () => tool.execute?.(input, context))();
  if (tool.timeoutMs === undefined) return work;
  const { timeoutMs } = tool;
  work.catch(() => undefined); // whoever loses the race below is heard by nobody
  const timeout = sleep(timeoutMs, timers.signal).then(() => {
    const error = new Error(`Error: "${call.name}" took longer than ${timeoutMs} ms and was stopped.`);
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
