import type { ToolCallPart, ToolResultPart, Usage } from "translogue";
import { plusUsage, runsIn, type UsageTree } from "../spending.ts";
import { addUsage, tokensOf } from "../usage.ts";
import { wordsResult } from "./results.ts";
import type { RunPolicy, RunState, StepCall } from "./state.ts";

/** Money for a million tokens; of the cache, absent = as other input. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What a run may spend, beside its steps. */
export interface SpendingLimits {
  readonly maxTokens?: number;
  /** In the currency of the prices. */
  readonly maxCost?: number;
  readonly maxToolCalls?: number;
  readonly maxCallsOf?: { readonly [tool: string]: number };
  readonly prices?: { readonly [model: string]: ModelPrice };
}

/** So far, over all pauses of the run: of its own model calls and of agents inside its tools. */
export interface Spent {
  readonly usage?: Usage;
  readonly cost?: number;
  /** By name; those that a limit refused are none. */
  readonly calls?: { readonly [tool: string]: number };
  /** Models of agents inside tools that cost is counted without: it has no price of them, and their hosts say nothing. A limit of cost is reached with them. */
  readonly unpriced?: readonly string[];
}

/** What the host says that it cost, or what it comes to by the price. */
export function costOf(usage: Usage, price: ModelPrice | undefined): number {
  if (usage.cost) return usage.cost.amount;
  if (!price) return 0;
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning = 0, other = 0 } = usage;
  const { cacheRead: read = price.input, cacheWrite: write = price.input } = price;
  const millions =
    (input + other) * price.input + cacheRead * read + cacheWrite * write + (output + reasoning) * price.output;
  return millions / 1_000_000;
}

export function spentWith(spent: Spent = {}, usage: Usage | undefined, price?: ModelPrice): Spent {
  if (!usage) return spent;
  const cost = (spent.cost ?? 0) + costOf(usage, price);
  return { ...spent, usage: spent.usage ? addUsage(spent.usage, usage) : usage, ...(cost > 0 && { cost }) };
}

/** With what agents inside of a tool spent since they told of it last; `limits` are those of the agent outside. */
export function spentInside(spent: Spent = {}, tree: UsageTree, { maxCost, prices }: SpendingLimits = {}): Spent {
  const usages = usagesIn(tree);
  const priced = usages.map(({ names, usage }) => ({ usage, price: names.map(name => prices?.[name]).find(Boolean) }));
  const cost = priced.reduce((sum, { usage, price }) => sum + costOf(usage, price), spent.cost ?? 0);
  const unknown = usages.flatMap(({ names, usage }, index) =>
    maxCost === undefined || usage.cost || priced[index]?.price ? [] : names.slice(-1),
  );
  const unpriced = [...new Set([...(spent.unpriced ?? []), ...unknown])];
  const usage = plusUsage(spent.usage, tree.total);
  return { ...spent, ...(usage && { usage }), ...(cost > 0 && { cost }), ...(unpriced.length > 0 && { unpriced }) };
}

/** What each model spent in all runs of an account, with the names that it may have a price by: its host's, the agent's. */
function usagesIn(tree: UsageTree): readonly { readonly names: readonly string[]; readonly usage: Usage }[] {
  return runsIn(tree).flatMap(({ agentId, usage, models, inner }) => [
    ...(models ?? (usage ? [{ model: agentId, usage }] : [])).map(({ model, usage, ...known }) => ({
      names: "answeredAs" in known && known.answeredAs !== undefined ? [known.answeredAs, model] : [model],
      usage,
    })),
    ...inner.flatMap(usagesIn),
  ]);
}

/** What the run may still spend on an agent inside of one of its calls, with what that had told before. */
export function leftFor({ spent = {}, policy, calls }: RunState, index: number): SpendingLimits {
  const spending = strictestSpending(policy.spending, policy.left) ?? {};
  const { maxTokens, maxCost, prices } = spending;
  const { told = [] } = calls.find(call => call.index === index) ?? {};
  const before = told.reduce<Spent>((sum, tree) => spentInside(sum, tree, spending), {});
  const tokens = tokensOf(spent.usage) - tokensOf(before.usage);
  const cost = (spent.cost ?? 0) - (before.cost ?? 0);
  return {
    ...(maxTokens !== undefined && { maxTokens: maxTokens - tokens }),
    ...(maxCost !== undefined && { maxCost: maxCost - cost, ...(prices && { prices }) }),
  };
}

/** What is counted for a run: by the prices of the run around it, where it has none itself. */
export const counting = ({ spending, left }: RunPolicy): SpendingLimits => ({
  ...spending,
  prices: { ...left?.prices, ...spending?.prices },
});

/** The policy of one of several agents that run as one: the limits of the agent that was asked to run hold for all of them. */
export function strictest(own: RunPolicy, all: RunPolicy): RunPolicy {
  const repeats = sooner(own.repeats, all.repeats);
  const spending = strictestSpending(own.spending, all.spending);
  return {
    ...own,
    maxSteps: Math.min(own.maxSteps, all.maxSteps),
    maxConsecutiveErrors: Math.min(own.maxConsecutiveErrors, all.maxConsecutiveErrors),
    ...(repeats && { repeats }),
    ...(spending && { spending }),
  };
}

function strictestSpending(mine: SpendingLimits = {}, theirs: SpendingLimits = {}): SpendingLimits | undefined {
  const least = (name: "maxTokens" | "maxCost" | "maxToolCalls"): { readonly [name: string]: number } => {
    const most = Math.min(mine[name] ?? Number.POSITIVE_INFINITY, theirs[name] ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(most) ? { [name]: most } : {};
  };
  const maxCallsOf = leastOf(mine.maxCallsOf, theirs.maxCallsOf);
  const spending: SpendingLimits = {
    ...mine,
    ...(maxCallsOf && { maxCallsOf }),
    ...least("maxTokens"),
    ...least("maxCost"),
    ...least("maxToolCalls"),
    ...((mine.prices ?? theirs.prices) && { prices: { ...theirs.prices, ...mine.prices } }),
  };
  return Object.keys(spending).length > 0 ? spending : undefined;
}

/** By tool, the fewest calls that either lets it be. */
function leastOf(
  mine: SpendingLimits["maxCallsOf"],
  theirs: SpendingLimits["maxCallsOf"],
): SpendingLimits["maxCallsOf"] {
  if (!mine || !theirs) return mine ?? theirs;
  const least = Object.entries(theirs).map(([tool, most]): [string, number] => {
    const own = Object.hasOwn(mine, tool) ? mine[tool] : undefined;
    return [tool, Math.min(most, own ?? most)];
  });
  return Object.fromEntries([...Object.entries(mine), ...least]);
}

const sooner = (mine: RunPolicy["repeats"], theirs: RunPolicy["repeats"]): RunPolicy["repeats"] =>
  mine && theirs ? (theirs.max < mine.max ? theirs : mine) : (mine ?? theirs);

/** The limit of spending that is reached: no other model call is made. */
export const reached = ({ spent, policy: { spending, left } }: Standing): RunState["limit"] =>
  reachedOf(spending, spent) ?? reachedOf(left, spent);

function reachedOf(limits: SpendingLimits = {}, spent: Spent = {}): RunState["limit"] {
  const { maxTokens = Number.POSITIVE_INFINITY, maxCost = Number.POSITIVE_INFINITY } = limits;
  if (tokensOf(spent.usage) >= maxTokens) return "max-tokens";
  // What nobody knows the cost of may have cost more than that.
  const isUnknown = maxCost !== Number.POSITIVE_INFINITY && (spent.unpriced ?? []).length > 0;
  return isUnknown || (spent.cost ?? 0) >= maxCost ? "max-cost" : undefined;
}

/** That, or the limit of steps. */
export const overLimit = (standing: Standing & Pick<RunState, "step">): RunState["limit"] =>
  reached(standing) ?? (standing.step < standing.policy.maxSteps ? undefined : "max-steps");

type Standing = Pick<RunState, "spent" | "policy">;

/** Calls as far as the limits go: those beyond are not run, and the model is told. */
export function withinLimits(
  { policy: { spending = {} }, spent = {} }: RunState,
  planned: readonly StepCall[],
): { readonly calls: readonly StepCall[]; readonly spent: Spent; readonly isOver: boolean } {
  const { maxToolCalls = Number.POSITIVE_INFINITY, maxCallsOf = {} } = spending;
  const counts = new Map(Object.entries(spent.calls ?? {}));
  let total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let isOver = false;
  const calls = planned.map((call): StepCall => {
    if (call.status === "client" || call.result) return call;
    const { name } = call.call;
    const own = counts.get(name) ?? 0;
    const most = Object.hasOwn(maxCallsOf, name) ? maxCallsOf[name] : undefined;
    if (total >= maxToolCalls) isOver = true;
    if (total >= maxToolCalls || (most !== undefined && own >= most)) {
      return refusedCall(call, total >= maxToolCalls ? `${maxToolCalls} tool calls` : `${most} calls of "${name}"`);
    }
    total += 1;
    counts.set(name, own + 1);
    return call;
  });
  return { calls, spent: { ...spent, ...(total > 0 && { calls: Object.fromEntries(counts) }) }, isOver };
}

function refusedCall({ requestId: _, reason: __, ...call }: StepCall, most: string): StepCall {
  return { ...call, status: "ready", result: refusal(call.call, most) };
}

const refusal = (call: ToolCallPart, most: string): ToolResultPart =>
  wordsResult(call, "error", `Error: The call was not run: a run may make ${most}. Answer with what is known.`);
