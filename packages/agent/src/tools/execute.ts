import type { JsonObject, Message, ToolCallPart, ToolResultPart } from "translogue";
import type { Agent } from "../agent.ts";
import { messageOf } from "../errors.ts";
import { wordsResult } from "../loop/results.ts";
import type { StepCall, Verdict } from "../loop/state.ts";
import type { AgentSession } from "../session.ts";
import type { Sleep } from "../time.ts";
import { resultOf } from "./output.ts";
import type { Validated } from "./parameters.ts";
import type { AgentTool, ToolContext, ToolReturn } from "./tool.ts";

/** What the calls of a step are run with. */
export interface ToolBench {
  /** All that are known by name. */
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly unknownTools: UnknownTools;
  readonly toolErrors: ToolErrors;
  readonly wrap: ToolWrap;
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly run: string;
  readonly step: number;
  readonly messages: readonly Message[];
  readonly additionalProperties: JsonObject;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
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
}

/** What becomes of each call of an answer. Never rejects: a tool that cannot even be looked at is for a person to decide on. */
export const planCalls = (calls: readonly StepCall[], bench: ToolBench): Promise<Verdict[]> =>
  Promise.all(calls.map(({ call }) => planCall(call, bench).catch((): Verdict => ({ verdict: "ask" }))));

async function planCall(call: ToolCallPart, bench: ToolBench): Promise<Verdict> {
  const blank = isBlank(call) ? { input: {} } : {};
  const tool = bench.tools.get(call.name);
  if (!tool) return { verdict: unknownVerdicts[bench.unknownTools], ...blank };
  if (!tool.execute) return { verdict: "client", ...blank };
  if (!(await asks(tool, call, bench))) return { verdict: "run", ...blank };
  const { approvalReason: reason } = tool;
  return { verdict: "ask", ...(reason !== undefined && { reason }), ...blank };
}

const unknownVerdicts = { answer: "run", stop: "stop", fail: "fail" } as const;

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
  let terminates = false;
  const terminate = (): void => {
    terminates = true;
  };
  const over = (result: ToolResultPart, failed: boolean): Executed => ({ result, failed, terminates });
  try {
    const tool = bench.tools.get(call.name);
    if (!tool?.execute) return over(notFound(call, bench.tools), false);
    const read = await readInput(tool, call);
    if (!read.ok) {
      const said = `Error: The arguments of "${call.name}" are not valid: ${read.problem}`;
      return over(wordsResult(call, "error", said), true);
    }
    const returned = await execute(tool, { call, attempt, input: read.value, terminate }, bench, progress);
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

interface Validly {
  readonly call: ToolCallPart;
  readonly attempt: number;
  readonly input: unknown;
  readonly terminate: () => void;
}

async function execute(
  tool: AgentTool,
  { call, attempt, input, terminate }: Validly,
  bench: ToolBench,
  progress: (result: ToolResultPart) => void,
): Promise<ToolReturn> {
  const { signal: stop, sleep, wrap, tools: _, unknownTools: __, toolErrors: ___, ...about } = bench;
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
    terminate,
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
