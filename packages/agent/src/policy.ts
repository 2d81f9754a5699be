import type { AgentOptions } from "./create-agent.ts";
import { failure } from "./errors.ts";
import { checkCompaction } from "./loop/compaction.ts";
import type { SpendingLimits } from "./loop/limits.ts";
import type { RunPolicy } from "./loop/state.ts";
import type { Model } from "./model.ts";
import { checkNames } from "./options.ts";

export interface Limits {
  /** Model calls in one run, its pauses included. Default 40. */
  readonly maxSteps?: number;
  /** Steps in a row in which a tool may fail. Default 3: the fourth ends the run. */
  readonly maxConsecutiveErrors?: number;
  /** How often in a row the same call, by its tool and arguments, may give the same result: 2 or more. Default: no limit. */
  readonly maxRepeats?: number;
  /** At `maxRepeats`: the model is told (default), or the run ends. */
  readonly atMaxRepeats?: "answer" | "stop";
  /** Of all model calls of a run, every token once; agents inside of its tools count. */
  readonly maxTokens?: number;
  /** In the currency of `prices`, which it needs; agents inside of its tools count, by the prices that it has for their models; one that nobody knows the cost of ends the run. */
  readonly maxCost?: number;
  /** Milliseconds that a run may take; what is under way then is stopped. */
  readonly timeoutMs?: number;
  /** Tool calls in one run: those beyond are not run, and the model is not asked again. */
  readonly maxToolCalls?: number;
  /** Calls of a tool, by its name, in one run: those beyond are not run, and the model is told. */
  readonly maxCallsOf?: { readonly [tool: string]: number };
  /** At a limit of steps, tokens, cost or tool calls the model is asked once more, without tools. Default false. */
  readonly finalAnswer?: boolean;
}

const limitNames: { readonly [name in keyof Limits]-?: true } = {
  maxSteps: true,
  maxConsecutiveErrors: true,
  maxRepeats: true,
  atMaxRepeats: true,
  maxTokens: true,
  maxCost: true,
  timeoutMs: true,
  maxToolCalls: true,
  maxCallsOf: true,
  finalAnswer: true,
};

/** What the loop goes by. Throws `agent/invalid`. */
export function readPolicy(options: AgentOptions): RunPolicy {
  const { limits = {}, approvals = {}, toolExecution = "parallel", emptyAnswer } = options;
  const { maxSteps = 40, maxConsecutiveErrors = 3, maxRepeats, atMaxRepeats = "answer", finalAnswer = false } = limits;
  checkNames<Limits>("`limits`", limits, limitNames);
  checkLimit("maxSteps", maxSteps, 1);
  checkLimit("maxConsecutiveErrors", maxConsecutiveErrors, 0);
  if (maxRepeats !== undefined) checkLimit("maxRepeats", maxRepeats, 2);
  if (options.compaction !== undefined) checkCompaction(options.compaction);
  const spending = readSpending(options);
  return {
    maxSteps,
    maxConsecutiveErrors,
    ...(maxRepeats !== undefined && { repeats: { max: maxRepeats, action: atMaxRepeats } }),
    ...(spending && { spending }),
    ...(emptyAnswer && { emptyAnswer }),
    ...(options.compaction && { compacts: true as const }),
    finalAnswer,
    toolExecution,
    mixed: approvals.mixed ?? "run",
  };
}

function readSpending({ limits = {}, prices, model }: AgentOptions): SpendingLimits | undefined {
  const { maxTokens, maxCost, timeoutMs, maxToolCalls, maxCallsOf } = limits;
  if (maxTokens !== undefined) checkLimit("maxTokens", maxTokens, 1);
  if (maxToolCalls !== undefined) checkLimit("maxToolCalls", maxToolCalls, 0);
  for (const [name, most] of Object.entries(maxCallsOf ?? {})) checkLimit(`maxCallsOf.${name}`, most, 0);
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw invalid("timeoutMs", timeoutMs, "give a number above 0");
  if (maxCost !== undefined && !(maxCost > 0)) throw invalid("maxCost", maxCost, "give an amount above 0");
  const limited = { maxTokens, maxCost, maxToolCalls, maxCallsOf };
  const given = Object.fromEntries(Object.entries(limited).filter(([, limit]) => limit !== undefined));
  if (Object.keys(given).length === 0) return undefined;
  const spending: SpendingLimits = { ...(given as SpendingLimits), ...(maxCost !== undefined && prices && { prices }) }; // its own members
  checkPriced(model, spending);
  return spending;
}

/** Throws `agent/invalid` where there is a limit of cost, and nobody knows what the model costs, or one that may answer for it. */
export function checkPriced(model: Model, { maxCost, prices }: SpendingLimits = {}): void {
  if (maxCost === undefined) return;
  if (!prices?.[model.id]) {
    throw invalid("maxCost", maxCost, `give \`prices\` for \`${model.id}\`: nobody knows what it costs`);
  }
  for (const other of model.alternatives ?? []) checkPriced(other, { maxCost, prices });
}

function checkLimit(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw invalid(name, value, `give a whole number from ${least} on`);
}

const invalid = (name: string, value: number, howTo: string) =>
  failure("agent/invalid", `\`limits.${name}\` is ${value}: ${howTo}`);
